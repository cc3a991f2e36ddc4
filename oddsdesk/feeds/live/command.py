"""`exec:COMMAND`: the NDJSON that any program writes to its standard output."""

import asyncio
import contextlib
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, cast

from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.bad_lines import BadLines
from oddsdesk.feeds.live.live_feed import LiveFeed, cut
from oddsdesk.feeds.live.status import Status
from oddsdesk.feeds.ndjson import Batch, read_batches
from oddsdesk.feeds.sources import Readable
from oddsdesk.store.owner_secret import SECRET_FILE_VARIABLE
from oddsdesk.tasks import in_daemon_thread

FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 60.0
STEADY_S: Final = 60.0
"""A program that ran for this long is restarted after one second."""
END_S: Final = 1.0
"""How long a program may take to end when it is asked to."""
_OF_SOURCES: Final = ("ODDSDESK_", "_KEY")
"""Environment variables with keys of other sources begin and end so; they are not passed on."""


class Command(LiveFeed):
    """Runs a program without a shell; it is restarted if it fails, not if it ends with success.

    Its output is read when the database has taken what came before: a program that writes more
    than that waits at its pipe.
    """

    def __init__(
        self, command: str, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        super().__init__("exec")
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise FeedError(f"feed exec: the command cannot be split: {error}") from error
        if not self._arguments:
            raise FeedError("feed exec: say after the colon which program to run")
        self._bad = BadLines(self.status)
        self._sleep = sleep

    @property
    def origin(self) -> None:
        """Say of no source that it told these prices: the program may have any."""
        return

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield the quotes of one run after the other, until one ends well."""
        wait_s = FIRST_WAIT_S
        while True:
            began = time.monotonic()
            run = _Run(self._arguments, self.status, _environment(self.secret_file))
            try:
                async for batch in self._batches_of(run, clock):
                    for quotes in cut(batch.quotes):
                        yield quotes
            finally:
                await run.end()
            if run.trouble is None:
                return
            if time.monotonic() - began >= STEADY_S:
                wait_s = FIRST_WAIT_S
            self.status.failing(run.trouble, clock(), clock() + round(wait_s * 1000))
            await self._sleep(wait_s)
            wait_s = min(wait_s * 2, LONGEST_WAIT_S)

    async def _batches_of(self, run: "_Run", clock: Clock) -> AsyncGenerator[Batch, None]:
        output = run.begin()
        if output is None:
            return
        self.status.begun(clock())
        batches = read_batches(output, clock)
        while (
            batch := await in_daemon_thread("read exec", lambda: next(batches, None))
        ) is not None:
            if batch.quotes:
                self.status.heard(clock())
            self._bad.note(batch.bad, clock)
            yield batch


class _Run:
    """One run of the program."""

    def __init__(self, arguments: list[str], status: Status, environment: dict[str, str]) -> None:
        self._arguments = arguments
        self._environment = environment
        self._status = status
        self._process: subprocess.Popen[bytes] | None = None
        self._last_words = ""
        self.trouble: str | None = None
        """Why it did not end well; None where it did, or still runs."""

    def begin(self) -> Readable | None:
        """Start the program and return its output; None where it cannot be started."""
        program = self._arguments[0]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - what the user asked to run
                self._arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._environment,
                start_new_session=sys.platform != "win32",
            )
        except OSError as error:
            self.trouble = f"{program} cannot be run: {error.strerror or error}"
            return None
        assert self._process.stderr is not None
        stderr = cast(BinaryIO, self._process.stderr)
        threading.Thread(target=self._listen, args=(stderr,), daemon=True).start()
        return cast(Readable, self._process.stdout)

    async def end(self) -> None:
        """See that the program has ended, with all that it started, and note how."""
        process = self._process
        if process is None:
            return
        await in_daemon_thread("end exec", lambda: _finish(process), patience_s=END_S * 2)
        if process.stdout is not None:  # a program of its own may hold the pipe: nobody waits
            threading.Thread(target=process.stdout.close, daemon=True).start()
        code = process.poll()
        if code == 0:
            return
        how = f"exit status {code}" if code is None or code > 0 else f"signal {-code}"
        said = f": {self._last_words}" if self._last_words else ""
        self.trouble = f"{self._arguments[0]} ended with {how}{said}"

    def _listen(self, stderr: BinaryIO) -> None:
        with stderr:
            for line in _lines(stderr):
                self._last_words = line
                self._status.words(line)


def _finish(process: subprocess.Popen[bytes]) -> None:
    """Wait a moment for one that has closed its output; then end it, at last by force."""
    for ask in (None, process.terminate, process.kill):
        if ask is not None:
            _ask_all(process, ask)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_S / 2)
            return


def _lines(stream: BinaryIO) -> Iterator[str]:
    while raw := stream.readline(4096):
        if line := " ".join(raw.decode("utf-8", errors="replace").split())[:200]:
            yield line


def _ask_all(process: subprocess.Popen[bytes], ask: Callable[[], None]) -> None:
    """Ask a program to end, and what it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform != "win32":
            how = signal.SIGTERM if ask == process.terminate else signal.SIGKILL
            os.killpg(process.pid, how)
        else:
            ask()


def _environment(secret_file: Path | None) -> dict[str, str]:
    """Return the environment of a program: no keys of other sources, and where the secret is."""
    begin, end = _OF_SOURCES
    passed_on = {
        name: value
        for name, value in os.environ.items()
        if not (name.startswith(begin) and name.endswith(end)) and name != SECRET_FILE_VARIABLE
    }
    return (
        passed_on if secret_file is None else {**passed_on, SECRET_FILE_VARIABLE: f"{secret_file}"}
    )
