"""The log of price changes as the stream follows it, whatever engine keeps it."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from oddsdesk.server.log_watch import LogWatch, OnGrowth
from oddsdesk.store.store import Store
from oddsdesk.store.values import Change


class Tail(Protocol):
    """The end of a log that grows; every method that reads may raise ``StoreUnavailableError``."""

    def listening(self) -> AbstractContextManager[None]:
        """Hear of growth inside the ``with`` block, on the running loop."""

    async def wait(self) -> None:
        """Return once the log has grown, or may have."""

    async def end(self) -> int:
        """Return the position of the last change."""

    async def read(self, after: int, limit: int) -> Sequence[Change]:
        """Return the changes behind a position in their order, as many as ``limit``."""

    async def merged_ids(self) -> Mapping[str, Sequence[str]]:
        """Return the ids of games that became part of another, by that one's id (D69)."""


class LogTail:
    """The tail of a file.

    It reads on the loop: a look at the end of a local file takes 20 microseconds, which the way to
    a thread and back would double (docs/decisions.md).
    """

    def __init__(self, store: Store, on_growth: OnGrowth | None = None) -> None:
        self._store = store
        self._watch = LogWatch(on_growth or store.on_commit)
        self.listening = self._watch.listening
        self.wait = self._watch.wait

    async def end(self) -> int:
        """Return the position of the last change."""
        return self._store.reader().last_seq()

    async def read(self, after: int, limit: int) -> Sequence[Change]:
        """Return the changes behind a position in their order, as many as ``limit``."""
        return self._store.reader().changes_after(after, limit)

    async def merged_ids(self) -> Mapping[str, Sequence[str]]:
        """Return the ids of games that became part of another, by that one's id (D69)."""
        return self._store.reader().merged_ids()
