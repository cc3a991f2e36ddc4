"""Reading the odds file: what all engines answer, and what only a file does."""

import contextlib
import json
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.queries.select import NOTHING, Parameters, Row
from oddsdesk.store.reader import Reader
from oddsdesk.store.retention import FORGOTTEN
from oddsdesk.store.spans import FindOlder
from oddsdesk.store.sqlite.writer import as_unavailable
from oddsdesk.store.values import Change

MOST: Final = 4_096
"""How many changes are kept, for readers some tenths of a second behind."""


class RecentChanges:
    """Consecutive rows up to the last one that this process recorded; any thread may call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changes: Sequence[Change] = ()

    def add_changes(self, changes: Sequence[Change]) -> None:
        """Add a commit's changes; after another process's changes it starts over."""
        if not changes:
            return
        with self._lock:
            follow = self._changes and self._changes[-1].seq + 1 == changes[0].seq
            known = self._changes[-MOST:] if follow else ()
            self._changes = [*known, *changes][-MOST:]

    def changes_after(self, seq: int, limit: int) -> Sequence[Change]:
        """Return the rows after one, at most ``limit``; none if some are unknown."""
        with self._lock:
            changes = self._changes
        if not changes or not changes[0].seq <= seq + 1 <= changes[-1].seq:
            return ()
        start = seq + 1 - changes[0].seq
        return changes[start : start + limit]


_SPAN: Final = """
SELECT (SELECT min(seq) FROM price_change), (SELECT max(seq) FROM price_change)
"""
AGED: Final = """
FROM price_change
WHERE seq BETWEEN :first AND :last AND recorded_at - scraped_at <= :keep
"""
"""The removable rows: those already old when recorded were imported on purpose."""
_OLDEST: Final = f"SELECT min(scraped_at) {AGED}"
_NEWEST_OF: Final = f"SELECT count(*), max(scraped_at) {AGED} AND scraped_at < :before"
_GAMES: Final = f"SELECT DISTINCT game {AGED} AND scraped_at < :before"


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
        """``recent`` has this process's last changes; only for readers that may see everything."""
        super().__init__(SqliteSelect(connection, check), reference, share, find_older)
        self._recent = recent or RecentChanges()

    @property
    def shards(self) -> int:
        """The number of shards: 1, as a file has one writer at a time."""
        return 1

    def changes_after(self, seq: int, limit: int, shard: int = 0) -> list[Change]:
        """Return the log after ``seq``, at most ``limit`` rows."""
        found = list(self._recent.changes_after(seq, limit))
        if len(found) < limit:  # others may have recorded more
            last = found[-1].seq if found else seq
            found += super().changes_after(last, limit - len(found), shard)
        return found

    def data_version(self) -> int:
        """Return SQLite's ``data_version``: it differs after a commit by another connection."""
        return int(self._select("PRAGMA data_version")[0][0])

    def forgotten_games(self, before: int) -> list[int]:
        """Return the games, as rows, without log rows and without prices since then."""
        return [game for (game,) in self._select(FORGOTTEN, {"before": before})]

    def log_span(self) -> tuple[int, int] | None:
        """Return the numbers of the first and the last row of the log; None if it is empty."""
        first, last = self._select(_SPAN)[0]
        return None if first is None else (int(first), int(last))

    def oldest_aged(self, first: int, last: int, keep_ms: int) -> int | None:
        """Return the oldest time of prices that were no older than ``keep_ms`` when recorded."""
        found = self._select(_OLDEST, {"first": first, "last": last, "keep": keep_ms})[0][0]
        return None if found is None else int(found)

    def count_aged(
        self, first: int, last: int, keep_ms: int, before: int
    ) -> tuple[int, int, set[int]]:
        """Return the number of log rows to remove, the newest time, and their games."""
        asked = {"first": first, "last": last, "keep": keep_ms, "before": before}
        rows, newest = self._select(_NEWEST_OF, asked)[0]
        games = {int(game) for (game,) in self._select(_GAMES, asked)}
        return int(rows), int(newest or 0), games


_INTERRUPT_S: Final = 0.02
"""How long another thread's query may run until it is interrupted again."""
_CLOSED: Final = "the database is closed"


class SqliteSelect:
    """Runs queries on one connection, to the end: a half-read one keeps the write-ahead log open.

    ``check`` is called if a query fails, and may raise an error with a better reason.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        check: Callable[[sqlite3.Connection], None] = lambda _: None,
    ) -> None:
        self._connection = connection
        self._check = check
        self._running = threading.Lock()
        """Held while a query runs: SQLite crashes if its connection is closed then."""
        self._is_closed = False

    def __call__(self, query: str, parameters: Parameters = NOTHING, **parts: str) -> list[Row]:
        """Return all rows.

        Raises:
            StoreUnavailableError: the file cannot be read now, or is closed.
        """
        if parts:
            query = query.format(**parts)
        with self._running:
            if self._is_closed:
                raise StoreUnavailableError(_CLOSED)
            try:
                return self._connection.execute(query, parameters).fetchall()
            except sqlite3.ProgrammingError:
                raise
            except sqlite3.DatabaseError as error:
                if self._is_closed:
                    raise StoreUnavailableError(_CLOSED) from error
                if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:  # no such table or column
                    self._check(self._connection)
                raise as_unavailable(error) from error

    def list_parameter(self, values: Iterable[str | int]) -> object:
        """Return a list for ``json_each``."""
        return json.dumps(list(values))

    def together(self) -> contextlib.AbstractContextManager[None]:
        """Do nothing: an answer's queries are too short to often see another recording in
        between."""
        return contextlib.nullcontext()

    def close(self) -> None:
        """Close the connection; another thread's query is interrupted first."""
        self._is_closed = True
        while not self._running.acquire(timeout=_INTERRUPT_S):
            self._connection.interrupt()
        self._connection.close()
        self._running.release()
