"""Processes that pictures are taken of: each ends with the block that started it."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Final

LIMIT_S: Final = 60
_LOOK_S: Final = 0.05


def run(arguments: list[str], environment: dict[str, str]) -> str:
    """Run a command to its end and return what it printed; what it complains of ends us."""
    done = subprocess.run(
        arguments, env=environment, capture_output=True, text=True, timeout=LIMIT_S
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def run_program(arguments: list[str], environment: dict[str, str]) -> str:
    """Run a command of the program and return what it printed."""
    return run([sys.executable, "-m", "oddsdesk", *arguments], environment)


@contextlib.contextmanager
def screen(size: str) -> Iterator[str]:
    """Run an X server and give the name of its display."""
    read_end, write_end = os.pipe()
    words = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", f"{size}x24", "-nolisten", "tcp"]
    process = subprocess.Popen(words, pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    try:
        with os.fdopen(read_end) as numbers:
            yield f":{numbers.readline().strip()}"
    finally:
        process.terminate()
        process.wait(LIMIT_S)


class Started:
    """A program that runs, with what it has said so far."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the program
        self._process = subprocess.Popen(
            [sys.executable, "-m", "oddsdesk", *arguments],
            env=environment,
            stdout=self._said,
            stderr=subprocess.STDOUT,
        )

    def line_with(self, word: str) -> str:
        """Wait for a line that holds a word."""
        ends = time.monotonic() + LIMIT_S
        while True:
            lines = self._text().splitlines()
            found = next((line for line in lines if word in line), None)
            if found is not None:
                return found
            if self._process.poll() is not None or time.monotonic() > ends:
                raise SystemExit(f"{self._process.args} did not say {word!r}:\n{self._text()}")
            time.sleep(_LOOK_S)

    def end(self) -> None:
        """Ask it to end, and wait until it has."""
        self._process.terminate()
        self._process.wait(LIMIT_S)

    def _text(self) -> str:
        return os.pread(self._said.fileno(), 1_000_000, 0).decode(errors="replace")


@contextlib.contextmanager
def started(arguments: list[str], environment: dict[str, str]) -> Iterator[Started]:
    """Run the program as long as the block."""
    program = Started(arguments, environment)
    try:
        yield program
    finally:
        program.end()
