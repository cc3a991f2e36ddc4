"""The log of price changes in a database behind a network, as the stream follows it."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from oddsdesk.server.log_watch import LogWatch, OnGrowth
from oddsdesk.server.reader_pool import ReaderPool
from oddsdesk.store.spans import Position
from oddsdesk.store.store import Store
from oddsdesk.store.tail import Batch, log_end, read_after, read_between
from oddsdesk.store.values import Change

QUICK_S: Final = 0.01
"""The pause between two looks while prices move."""
SLOW_S: Final = 0.25
"""The longest pause, and how long ``next`` waits for changes."""
STEADY_S: Final = 2.0
"""For how long looks stay quick after a change."""
MERGED_S: Final = 0.25
"""For how long it holds which games became part of others."""


class Rhythm:
    """How long to wait until the next look: little while prices move, more the longer they rest."""

    def __init__(self) -> None:
        self._grew_at = 0.0
        self._pause_s = SLOW_S

    def grew(self, now_s: float) -> None:
        """Note that a look found changes."""
        self._grew_at = now_s
        self._pause_s = QUICK_S

    def pause_s(self, now_s: float) -> float:
        """Return how long to wait after a look that found nothing."""
        if now_s - self._grew_at > STEADY_S:
            self._pause_s = min(2 * self._pause_s, SLOW_S)
        return self._pause_s


class PolledTail:
    """The tail of a database behind a network: no query holds up the loop.

    ``on_growth`` tells at once what this process recorded; what others did is found by looking.
    """

    def __init__(self, store: Store, on_growth: OnGrowth | None = None) -> None:
        self._store = store
        self._watch = LogWatch(on_growth or store.on_commit)
        self._rhythm = Rhythm()
        self._reads = ReaderPool("tail", threads=1)
        self._merged: tuple[float, Mapping[str, Sequence[str]]] = (float("-inf"), {})

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear of growth inside the ``with`` block, on the running loop."""
        with self._watch.listening():
            yield

    async def end(self) -> Position:
        """Return the position of the last changes."""
        return await self._reads.run(lambda: log_end(self._store.reader()))

    async def read(self, after: Position, limit: int) -> Batch:
        """Return the changes behind a position that are there now."""
        batch = await self._reads.run(lambda: read_after(self._store.reader(), after, limit))
        if batch.changes:
            self._rhythm.grew(time.monotonic())
        return batch

    async def next(self, after: Position, limit: int) -> Batch:
        """Return the changes behind a position; none where none came within ``SLOW_S``."""
        deadline = time.monotonic() + SLOW_S
        while True:
            batch = await self.read(after, limit)
            now = time.monotonic()
            if batch.changes or now >= deadline:
                return batch
            await self._watch.wait(self._rhythm.pause_s(now))

    async def between(self, after: Position, end: Position) -> Sequence[Change]:
        """Return the changes behind a position, up to another."""
        return await self._reads.run(lambda: read_between(self._store.reader(), after, end))

    async def merged_ids(self) -> Mapping[str, Sequence[str]]:
        """Return the ids of games that became part of another, as they were lately (D69)."""
        asked, known = self._merged
        now = time.monotonic()
        if now - asked > MERGED_S:
            known = await self._reads.run(lambda: self._store.reader().merged_ids())
            self._merged = now, known
        return known

    def close(self) -> None:
        """End its thread, once nothing of it runs any more."""
        self._reads.close()
