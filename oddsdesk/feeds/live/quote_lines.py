"""`exec:COMMAND` reads NDJSON from a program's standard output, `ws:` from a WebSocket."""

import asyncio
import contextlib
import logging
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from oddsdesk import network
from oddsdesk.base.clock import Clock
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.tasks import cancel_tasks, in_daemon_thread, spawn
from oddsdesk.base.texts import N_
from oddsdesk.contract.results import Reported
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.files import Readable
from oddsdesk.feeds.live.live_feed import LiveFeed, Status, cut
from oddsdesk.feeds.ndjson import BadLine, Batch, QuoteLines, read_batches
from oddsdesk.store.owner_secret import SECRET_FILE_VARIABLE

if TYPE_CHECKING:
    from oddsdesk.network.websocket import WebSocket

FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 60.0
STEADY_S: Final = 60.0
"""A program that ran this long is restarted after one second."""
END_S: Final = 1.0
"""How long a program may take to end when asked."""
LAST_WORDS_S: Final = 0.5
"""How long to wait for what a program wrote to standard error before it ended."""
_OF_SOURCES: Final = ("ODDSDESK_", "_KEY")
"""Start and end of environment variables with keys of sources; they are not passed on."""


class Command(LiveFeed):
    """Runs a program without a shell; restarts it after a failure, not after a success.

    Its output is read as fast as the database takes it; a faster program waits at its pipe.
    """

    def __init__(self, command: str) -> None:
        super().__init__("exec")
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise FeedError(f"feed exec: the command cannot be split: {error}") from error
        if not self._arguments:
            raise FeedError("feed exec: add the program after the colon")
        self._bad = BadLines(self.status)

    @property
    def origin(self) -> None:
        """Return no source: the program may have its prices from anywhere."""
        return

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Reported], None]:
        """Yield the quotes and results of all runs, until one ends with success."""
        wait_s = FIRST_WAIT_S
        while True:
            began = time.monotonic()
            run = _Run(self._arguments, self.status, _environment(self.secret_file))
            try:
                async for batch in self._batches_of(run, clock):
                    for reported in cut(batch.reported):
                        yield reported
            finally:
                await run.end_program()
            if run.trouble is None:
                return
            if time.monotonic() - began >= STEADY_S:
                wait_s = FIRST_WAIT_S
            self.status.failing(run.trouble, clock(), clock() + round(wait_s * 1000))
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, LONGEST_WAIT_S)

    async def _batches_of(self, run: "_Run", clock: Clock) -> AsyncGenerator[Batch, None]:
        output = run.start_program()
        if output is None:
            return
        self.status.begun(clock())
        batches = read_batches(output, clock)
        while (
            batch := await in_daemon_thread("read exec", lambda: next(batches, None))
        ) is not None:
            if batch.reported:
                self.status.heard(clock())
            self._bad.note_bad_lines(batch.bad, clock)
            yield batch


class _Run:
    """One run of the program."""

    def __init__(self, arguments: list[str], status: Status, environment: dict[str, str]) -> None:
        self._arguments = arguments
        self._environment = environment
        self._status = status
        self._process: subprocess.Popen[bytes] | None = None
        self._last_words = ""
        self._listener = threading.Thread()
        """Reads standard error."""
        self.trouble: str | None = None
        """Why it failed; None if it did not, or still runs."""

    def start_program(self) -> Readable | None:
        """Start the program and return its output; None if it cannot be started."""
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
            self.trouble = N_(f"{program} cannot be run: {error_text(error)}")
            return None
        assert self._process.stderr is not None
        stderr = cast(BinaryIO, self._process.stderr)
        self._listener = threading.Thread(target=self._listen, args=(stderr,), daemon=True)
        self._listener.start()
        return cast(Readable, self._process.stdout)

    async def end_program(self) -> None:
        """Make sure that the program and its children have ended, and note how."""
        process = self._process
        if process is None:
            return
        try:
            await in_daemon_thread("end exec", lambda: self._finish(process), patience_s=END_S * 2)
        finally:
            if process.stdout is not None:  # another program may hold the pipe: do not wait
                threading.Thread(target=process.stdout.close, daemon=True).start()
        code = process.poll()
        if code == 0:
            return
        how = N_(f"exit status {code}") if code is None or code > 0 else N_(f"signal {-code}")
        said = f": {self._last_words}" if self._last_words else ""
        self.trouble = N_(f"{self._arguments[0]} ended with {how}{said}")

    def _finish(self, process: subprocess.Popen[bytes]) -> None:
        """End the program, and hear its last words; another program may hold the pipe open."""
        _finish(process)
        self._listener.join(LAST_WORDS_S)

    def _listen(self, stderr: BinaryIO) -> None:
        with stderr:
            for line in _lines(stderr):
                self._last_words = line
                self._status.words(line)


def _finish(process: subprocess.Popen[bytes]) -> None:
    """Give a program that closed its output a moment to end, then end it, finally by force."""
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
    """Ask a program and its children to end."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform != "win32":
            how = signal.SIGTERM if ask == process.terminate else signal.SIGKILL
            os.killpg(process.pid, how)
        else:
            ask()


def _environment(secret_file: Path | None) -> dict[str, str]:
    """Return a program's environment: without keys of sources, with the secret's path."""
    begin, end = _OF_SOURCES
    passed_on = {
        name: value
        for name, value in os.environ.items()
        if not (name.startswith(begin) and name.endswith(end)) and name != SECRET_FILE_VARIABLE
    }
    return (
        passed_on if secret_file is None else {**passed_on, SECRET_FILE_VARIABLE: f"{secret_file}"}
    )


_log = logging.getLogger(__name__)


class BadLines:
    """Counts the bad lines of one feed and reports them in its state."""

    def __init__(self, status: Status) -> None:
        self._status = status
        self.count = 0
        self._first: BadLine | None = None

    def note_bad_lines(self, bad: Sequence[BadLine], clock: Clock) -> None:
        """Add the bad lines of a batch; the log names each."""
        if not bad:
            return
        self.count += len(bad)
        first = self._first = self._first or bad[0]
        last = bad[-1]
        _log.warning(
            "%s: %s; refused so far: %s", self._status.name, _refusal(bad), f"{self.count:,}"
        )
        text = N_(f"{self.count:,} bad lines, the first is line {first.number}: {first.reason}")
        if last is not first:
            text += "; " + N_(f"the last is line {last.number}: {last.reason}")
        self._status.remark(text, clock())


def _refusal(bad: Sequence[BadLine]) -> str:
    """Return which lines were refused, and why the last of them was."""
    last = bad[-1]
    if len(bad) == 1:
        return N_(f"line {last.number} refused: {last.reason}")
    numbers = ", ".join(str(line.number) for line in bad)
    return N_(f"lines {numbers} refused; line {last.number}: {last.reason}")


LARGEST: Final = 4 * 1024 * 1024
"""Largest message in bytes; it may hold several lines."""
PING_S: Final = 20.0
SILENCE_S: Final = 75.0
_MOST_WAITING: Final = 8 * 1024 * 1024
"""Bytes that may wait to be read; then the sender has to wait."""
_AT_ONCE: Final = 256 * 1024
_SHORT: Final = 16 * 1024
"""Bytes that are read on the event loop; more are read on a thread, to keep the loop free."""


class StreamedQuotes(LiveFeed):
    """Listens to one address; line numbers restart with each connection."""

    def __init__(self, url: str) -> None:
        super().__init__("ws")
        try:
            network.read_address("address", url.partition("?")[0], ("ws", "wss"))
        except network.BadAddressError as error:
            raise FeedError(f"feed ws: {error}") from None
        self._url = url
        self._bad = BadLines(self.status)

    @property
    def origin(self) -> None:
        """Return no source: the sender may have its prices from anywhere."""
        return

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Reported], None]:
        """Yield the quotes and results of all connections, without end."""
        backoff = network.Backoff()
        while True:
            reason = N_(f"{network.host_of(self._url)} closed the connection")
            try:
                async for batch in self._connection(clock):
                    backoff.reset_waits()
                    self.status.heard(clock())
                    self._bad.note_bad_lines(batch.bad, clock)
                    for reported in cut(batch.reported):
                        yield reported
            except network.NetworkError as error:
                reason = error.message
            wait_s = backoff.next_s()
            self.status.failing(reason, clock(), clock() + round(wait_s * 1000))
            await asyncio.sleep(wait_s)

    async def _connection(self, clock: Clock) -> AsyncGenerator[Batch, None]:
        # the websockets client takes 15 to 30 ms to import, and few servers run such a feed
        from oddsdesk.network.websocket import Pinging, open_websocket  # noqa: PLC0415

        pinging = Pinging("", PING_S, SILENCE_S)
        async with await open_websocket(self._url, pinging, largest=LARGEST) as socket:
            self.status.begun(clock())
            lines, queue = QuoteLines(clock), _FrameQueue()
            listening = spawn("read ws", _listen(socket, queue))
            try:
                while data := await queue.next_frames():
                    yield await _read(lines, data)
            finally:
                await cancel_tasks(listening)


class _FrameQueue:
    """Received frames that are not read yet; when it is full, the sender waits."""

    def __init__(self) -> None:
        self._frames: deque[bytes] = deque()
        self._size = 0
        self._trouble: network.NetworkError | None = None
        self._has_ended = False
        self._changed = asyncio.Condition()

    async def put_frame(self, frame: bytes) -> None:
        """Add a frame, as lines that end."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._size < _MOST_WAITING)
            self._frames.append(frame if frame.endswith(b"\n") else frame + b"\n")
            self._size += len(frame)
            self._changed.notify_all()

    async def end_frames(self, trouble: network.NetworkError | None) -> None:
        """Note the end of the connection, and why."""
        async with self._changed:
            self._has_ended, self._trouble = True, trouble
            self._changed.notify_all()

    async def next_frames(self) -> bytes:
        """Wait for frames and return all of them as one text; empty at the end.

        Raises:
            NetworkError: the connection did not end cleanly.
        """
        async with self._changed:
            await self._changed.wait_for(lambda: self._frames or self._has_ended)
            found: list[bytes] = []
            size = 0
            while self._frames and size < _AT_ONCE:
                found.append(self._frames.popleft())
                size += len(found[-1])
            self._size = max(self._size - size, 0) if self._frames else 0
            self._changed.notify_all()
        if not found and self._trouble is not None:
            raise self._trouble
        return b"".join(found)


async def _listen(socket: "WebSocket", queue: _FrameQueue) -> None:
    try:
        while True:
            await queue.put_frame(await socket.receive())
    except network.ClosedError:
        await queue.end_frames(None)
    except network.NetworkError as error:
        await queue.end_frames(error)


async def _read(lines: QuoteLines, data: bytes) -> Batch:
    if len(data) <= _SHORT:
        return lines.feed(data)
    return await in_daemon_thread("read lines", lambda: lines.feed(data))
