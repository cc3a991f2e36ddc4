"""Reading the odds file: what every engine answers, and what only a file is asked."""

import sqlite3
from collections.abc import Callable, Collection

from oddsdesk.store.older import FindOlder
from oddsdesk.store.reader import Reader
from oddsdesk.store.recent_changes import RecentChanges
from oddsdesk.store.sqlite.queries import aged, past
from oddsdesk.store.sqlite.queries.select import SqliteSelect
from oddsdesk.store.values import Change


class SqliteReader(Reader):
    """Read-only; for the thread that got it from ``Store.reader``."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        reference: str,
        check: Callable[[sqlite3.Connection], None] = lambda _: None,
        share: Collection[str] | None = None,
        find_older: FindOlder | None = None,
        recent: RecentChanges | None = None,
    ) -> None:
        """``recent`` has what this process recorded last; only for who may see all of it."""
        super().__init__(SqliteSelect(connection, check), reference, share, find_older)
        self._recent = recent or RecentChanges()

    @property
    def shards(self) -> int:
        """Into how many shards the log is divided: a file has one writer at a time."""
        return 1

    def changes_after(self, seq: int, limit: int, shard: int = 0) -> list[Change]:
        """Return the log after ``seq``, at most ``limit`` rows."""
        found = list(self._recent.after(seq, limit))
        if len(found) < limit:  # others may have recorded more
            last = found[-1].seq if found else seq
            found += super().changes_after(last, limit - len(found), shard)
        return found

    def data_version(self) -> int:
        """Return SQLite's ``data_version``: it differs after a commit by another connection."""
        return int(self._select("PRAGMA data_version")[0][0])

    def forgotten_games(self, before: int) -> list[int]:
        """Return the games, as rows, that the log has nothing of and nobody priced since then."""
        return past.forgotten_games(self._select, before)

    def log_span(self) -> tuple[int, int] | None:
        """Return the numbers of the first and the last row of the log; None for an empty one."""
        return aged.span(self._select)

    def oldest_aged(self, first: int, last: int, keep_ms: int) -> int | None:
        """Return the oldest time of prices that were no older than ``keep_ms`` when recorded."""
        return aged.oldest(self._select, first, last, keep_ms)

    def count_aged(
        self, first: int, last: int, keep_ms: int, before: int
    ) -> tuple[int, int, set[int]]:
        """Return how many rows of the log are to go, the newest's time, and their games."""
        return aged.count(self._select, first, last, keep_ms, before)
