"""The feeds of a running server: started, stopped and added while it serves."""

import asyncio
from collections.abc import Iterable
from functools import partial

import msgspec

from oddsdesk.clock import Clock
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.feed import Feed, open_feed, run_feed
from oddsdesk.store.store import Store
from oddsdesk.tasks import in_daemon_thread, spawn, stop


class FeedState(msgspec.Struct, frozen=True):
    """A feed as it may be shown; ``problem`` says why it ended where nobody stopped it.

    ``recorded_at``: when a replay's odds were first said, in milliseconds.
    """

    number: int
    spec: str
    name: str
    speed: float
    simulated: bool
    is_running: bool
    problem: str
    recorded_at: int | None


class _Entry(msgspec.Struct):
    spec: str
    speed: float
    feed: Feed
    task: asyncio.Task[None] | None = None


class RunningFeeds:
    """Feeds by number; on the server's loop."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._entries: dict[int, _Entry] = {}

    async def open(self, specs: Iterable[str], speed: float) -> list[int]:
        """Open feeds without starting them and return their numbers.

        Raises:
            FeedError: one cannot be opened; none is kept then.
        """
        opened = [entry for spec in specs if (entry := await self._open(spec, speed)) is not None]
        if opened and self._store.is_read_only:
            raise FeedError(f"{self._store.path}: cannot be written, so no feed can record in it")
        first = max(self._entries, default=0) + 1
        self._entries.update(enumerate(opened, first))
        return list(range(first, first + len(opened)))

    async def start(self, number: int) -> None:
        """Run a feed; one that ran before begins anew.

        Raises:
            FeedError: there is no such feed, or its files cannot be used any more.
        """
        entry = self._entry(number)
        if entry.task is not None:
            if not entry.task.done():
                return
            fresh = await self._open(entry.spec, entry.speed)
            assert fresh is not None, "what was opened once is no `none`"
            entry.feed = fresh.feed
        running = run_feed(entry.feed, self._store, self._clock)
        entry.task = spawn(f"feed {entry.feed.name}", running)

    async def start_all(self) -> None:
        """Run every feed."""
        for number in self._entries:
            await self.start(number)

    async def stop(self, number: int) -> None:
        """End a feed; what it recorded stays.

        Raises:
            FeedError: there is no such feed.
        """
        entry = self._entry(number)
        if entry.task is not None:
            await stop(entry.task)

    async def stop_all(self) -> None:
        """End every feed."""
        await stop(*(entry.task for entry in self._entries.values() if entry.task is not None))

    def states(self) -> list[FeedState]:
        """Return every feed, in the order they were added."""
        return [_state(number, entry) for number, entry in self._entries.items()]

    async def _open(self, spec: str, speed: float) -> _Entry | None:
        reference = self._store.reference
        work = partial(open_feed, spec, reference=reference, speed=speed)
        feed = await in_daemon_thread(f"open {spec}", work)  # a FIFO is waited for without end
        return None if feed is None else _Entry(spec, speed, feed)

    def _entry(self, number: int) -> _Entry:
        entry = self._entries.get(number)
        if entry is None:
            raise FeedError(f"feed {number}: there is none of that number")
        return entry


def _state(number: int, entry: _Entry) -> FeedState:
    task = entry.task
    problem = ""
    if task is not None and task.done() and not task.cancelled():
        error = task.exception()
        problem = "it has come to its end" if error is None else f"it failed: {error}"
    return FeedState(
        number,
        entry.spec,
        entry.feed.name,
        entry.speed,
        entry.feed.simulated,
        task is not None and not task.done(),
        problem,
        entry.feed.recorded_at,
    )
