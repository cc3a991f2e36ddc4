"""The log of price changes in a file, followed by the stream."""

import asyncio
import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from oddsdesk.base.files import WriteWatch
from oddsdesk.base.tasks import until_beat
from oddsdesk.store.reader import Batch, Pair, log_end, read_after, read_between
from oddsdesk.store.spans import Position
from oddsdesk.store.store import Store
from oddsdesk.store.values import Change

OnGrowth = Callable[[Callable[[], None]], Callable[[], None]]
"""Registers a callback for when the log grew, on any thread; returns how to unregister it."""

POLL_S: Final = 0.25
"""How often the log is checked for rows of other processes."""
CALM_S: Final = 1.0
"""After this time a wait ends even if no file was written (s)."""


class LogWatch:
    """Wakes one task whenever the log grew: at once if notified, else by polling.

    ``on_growth`` is ``Store.on_commit``, or also covers other processes' commits. ``files`` are
    databases to check for writes; the task sleeps while there are none.
    """

    def __init__(self, on_growth: OnGrowth, *files: Path) -> None:
        self._on_growth = on_growth
        self._grown = asyncio.Event()
        self._writes = [*map(WriteWatch, files)]

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Listen inside the ``with`` block, on the running loop."""
        loop = asyncio.get_running_loop()
        looking: asyncio.TimerHandle | None = None

        def wake() -> None:
            loop.call_soon_threadsafe(self._grown.set)

        def look() -> None:
            nonlocal looking
            looking = loop.call_later(until_beat(POLL_S), look)
            if any(each.may_have_changed() for each in self._writes):
                self._grown.set()

        stop_listening = self._on_growth(wake)
        if self._writes:
            looking = loop.call_later(POLL_S, look)
        try:
            yield
        finally:
            stop_listening()
            if looking is not None:
                looking.cancel()

    async def wait_for_change(self, limit_s: float | None = None) -> bool:
        """Return once the log has grown, or after ``limit_s``.

        The default is ``POLL_S`` without files, else no limit. The result is False if the log
        cannot have grown.
        """
        if limit_s is None and not self._writes:
            limit_s = until_beat(POLL_S)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await self._grown.wait()
        is_grown = self._grown.is_set()
        self._grown.clear()
        return is_grown or not self._writes


class LogTail:
    """The tail of a file.

    ``keys`` is the key file, whose writes also end a wait: streams end with their key. Without it,
    a wait ends after ``POLL_S``.

    It reads on the loop: a look at the end of a local file takes 20 microseconds; a thread would
    double that.
    """

    def __init__(
        self, store: Store, on_growth: OnGrowth | None = None, keys: Path | None = None
    ) -> None:
        self._store = store
        files = filter(None, (store.path, keys))
        self._watch = LogWatch(on_growth or store.on_commit, *files)
        self._limit_s = POLL_S if keys is None else CALM_S
        self._read_to: Position | None = None
        """The last look found nothing after this position."""
        self.listening = self._watch.listening

    async def end(self) -> Position:
        """Return the position of the last change."""
        return log_end(self._store.reader())

    async def next(self, after: Position, limit: int) -> Batch:
        """Return the changes after a position; none if none came for a while."""
        if after != self._read_to:
            batch = self._read(after, limit)
            if batch.changes:
                return batch
        if not await self._watch.wait_for_change(until_beat(self._limit_s)):
            return Batch([], after)
        return self._read(after, limit)

    def _read(self, after: Position, limit: int) -> Batch:
        self._read_to = None  # in case this raises
        batch = read_after(self._store.reader(), after, limit)
        self._read_to = None if batch.changes else after
        return batch

    async def between(self, after: Position, end: Position) -> Sequence[Change]:
        """Return the changes after a position, up to another."""
        return read_between(self._store.reader(), after, end)

    async def merged_ids(self) -> Mapping[str, Sequence[str]]:
        """Return the ids of games joined into another, by that one's id."""
        return self._store.reader().merged_ids()

    async def pairs_left_out(
        self, changes: Sequence[Change], share: Collection[str]
    ) -> Collection[Pair]:
        """Return which games and bookmakers in changes are not for people elsewhere."""
        return self._store.reader().pairs_left_out(changes, share)
