"""The log of price changes in a file, as the stream follows it."""

from collections.abc import Mapping, Sequence

from oddsdesk.server.log_watch import LogWatch, OnGrowth
from oddsdesk.store.spans import Position
from oddsdesk.store.store import Store
from oddsdesk.store.tail import Batch, log_end, read_after, read_between
from oddsdesk.store.values import Change


class LogTail:
    """The tail of a file.

    It reads on the loop: a look at the end of a local file takes 20 microseconds, which the way to
    a thread and back would double (docs/decisions.md).
    """

    def __init__(self, store: Store, on_growth: OnGrowth | None = None) -> None:
        self._store = store
        self._watch = LogWatch(on_growth or store.on_commit)
        self.listening = self._watch.listening

    async def end(self) -> Position:
        """Return the position of the last change."""
        return log_end(self._store.reader())

    async def next(self, after: Position, limit: int) -> Batch:
        """Return the changes behind a position; none where none came within ``POLL_S``."""
        batch = read_after(self._store.reader(), after, limit)
        if batch.changes:
            return batch
        await self._watch.wait()
        return read_after(self._store.reader(), after, limit)

    async def between(self, after: Position, end: Position) -> Sequence[Change]:
        """Return the changes behind a position, up to another."""
        return read_between(self._store.reader(), after, end)

    async def merged_ids(self) -> Mapping[str, Sequence[str]]:
        """Return the ids of games that became part of another, by that one's id (D69)."""
        return self._store.reader().merged_ids()
