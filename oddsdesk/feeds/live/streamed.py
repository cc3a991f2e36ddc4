"""`ws://...` and `wss://...`: NDJSON from a WebSocket, which is reopened when it ends."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING, Final

from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.bad_lines import BadLines
from oddsdesk.feeds.live.live_feed import LiveFeed, cut
from oddsdesk.feeds.ndjson import Batch, QuoteLines
from oddsdesk.network.addresses import BadAddressError, host_of, read_address
from oddsdesk.network.backoff import Backoff
from oddsdesk.network.errors import ClosedError, NetworkError
from oddsdesk.tasks import in_daemon_thread, spawn, stop

if TYPE_CHECKING:
    from oddsdesk.network.websocket import WebSocket

LARGEST: Final = 4 * 1024 * 1024
"""Bytes of one message; it may hold several lines."""
PING_S: Final = 20.0
SILENCE_S: Final = 75.0
_MOST_WAITING: Final = 8 * 1024 * 1024
"""Bytes that may wait to be read; beyond that the sender has to wait."""
_AT_ONCE: Final = 256 * 1024
_SHORT: Final = 16 * 1024
"""Bytes that are read on the loop, others on a thread: no slice of the loop's is long."""


class StreamedQuotes(LiveFeed):
    """Listens to one address; lines are numbered anew with each connection."""

    def __init__(
        self, url: str, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        super().__init__("ws")
        try:
            read_address("address", url.partition("?")[0], ("ws", "wss"))
        except BadAddressError as error:
            raise FeedError(f"feed ws: {error}") from None
        self._url = url
        self._bad = BadLines(self.status)
        self._sleep = sleep

    @property
    def origin(self) -> None:
        """Say of no source that it told these prices: the program may have any."""
        return

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield the quotes of one connection after the other, for ever."""
        backoff = Backoff()
        while True:
            reason = f"{host_of(self._url)} closed the connection"
            try:
                async for batch in self._connection(clock):
                    backoff.reset()
                    self.status.heard(clock())
                    self._bad.note(batch.bad, clock)
                    for quotes in cut(batch.quotes):
                        yield quotes
            except NetworkError as error:
                reason = error.message
            wait_s = backoff.next_s()
            self.status.failing(reason, clock(), clock() + round(wait_s * 1000))
            await self._sleep(wait_s)

    async def _connection(self, clock: Clock) -> AsyncGenerator[Batch, None]:
        # the websockets client takes 15 to 30 ms to import, and few servers run such a feed
        from oddsdesk.network.websocket import Pinging, open_websocket  # noqa: PLC0415

        pinging = Pinging("", PING_S, SILENCE_S)
        async with await open_websocket(self._url, pinging, largest=LARGEST) as socket:
            self.status.begun(clock())
            lines, queue = QuoteLines(clock), _FrameQueue()
            listening = spawn("read ws", _listen(socket, queue))
            try:
                while data := await queue.take():
                    yield await _read(lines, data)
            finally:
                await stop(listening)


class _FrameQueue:
    """Frames that came and are not read yet; a full one leaves the rest to the sender."""

    def __init__(self) -> None:
        self._frames: deque[bytes] = deque()
        self._size = 0
        self._trouble: NetworkError | None = None
        self._has_ended = False
        self._changed = asyncio.Condition()

    async def put(self, frame: bytes) -> None:
        """Add a frame, as lines that end."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._size < _MOST_WAITING)
            self._frames.append(frame if frame.endswith(b"\n") else frame + b"\n")
            self._size += len(frame)
            self._changed.notify_all()

    async def end(self, trouble: NetworkError | None) -> None:
        """Note the end of the connection, and why."""
        async with self._changed:
            self._has_ended, self._trouble = True, trouble
            self._changed.notify_all()

    async def take(self) -> bytes:
        """Wait for frames and return those that are there as one text; empty at the end.

        Raises:
            NetworkError: the connection did not end as it should.
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
            await queue.put(await socket.receive())
    except ClosedError:
        await queue.end(None)
    except NetworkError as error:
        await queue.end(error)


async def _read(lines: QuoteLines, data: bytes) -> Batch:
    if len(data) <= _SHORT:
        return lines.feed(data)
    return await in_daemon_thread("read lines", lambda: lines.feed(data))
