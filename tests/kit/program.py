"""A running `oddsdesk` command."""

import contextlib
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from oddsdesk.store.owner_secret import owner_header

START_LIMIT_S = 30
STOP_LIMIT_S = 30
LOG_LIMIT_S = 30


class Program:
    """A running `oddsdesk` command; its environment holds none of the user's folders."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self.cleanup = contextlib.ExitStack()
        """What is closed when it is killed."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "oddsdesk", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def first_line(self) -> str:
        """Return the first line of its standard output."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def wait_for_log(self, part: str, limit_s: float = LOG_LIMIT_S) -> str:
        """Read its log up to the line that holds ``part`` and return that line."""
        return self.log_until(part, limit_s)[-1]

    def log_until(self, part: str, limit_s: float = LOG_LIMIT_S) -> list[str]:
        """Read its log on to the line that holds ``part`` and return all lines that were read."""
        assert self.process.stderr is not None
        seen = []
        impatience = threading.Timer(limit_s, self.process.kill)
        impatience.start()
        try:
            for line in self.process.stderr:
                seen.append(line)
                if part in line:
                    return seen
        finally:
            impatience.cancel()
        pytest.fail(f"the program ended without saying {part!r}: {''.join(seen)}")

    def finish(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """Ask it to stop and return its exit status, output and log."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        out, err = self.process.communicate(timeout=STOP_LIMIT_S)
        return self.process.returncode, out, err

    def kill(self) -> None:
        """End it at once, whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.cleanup.close()


Launch = Callable[..., Program]


def as_owner(database: Path | str) -> dict[str, str]:
    """Return the secret's header of a database that was served at least once."""
    header = owner_header(Path(database))
    assert header, f"{database} has no secret"
    return header
