"""Accounts, keys and counts in PostgreSQL: one connection that reads, one thread that writes."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Final, LiteralString, TypeVar

import psycopg
from psycopg import Connection

from oddsdesk.cluster.postgres.connections import READ_LOCK_S, PreparingConnection, ServerAddress
from oddsdesk.cluster.postgres.schema import bring_up_to_date
from oddsdesk.cluster.postgres.writer import PostgresWriter
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.quotas import KEPT_WINDOWS, Added, Token
from oddsdesk.store.sqlite.access_file import AccessFile, AccessTables

_ADD_COUNT: Final = """
INSERT INTO quota (key_id, kind, window_s, started_s, used)
VALUES (%(key)s, %(kind)s, %(window)s, %(started)s, greatest(%(added)s, 0))
ON CONFLICT (key_id, kind, window_s, started_s) DO UPDATE
SET used = greatest(quota.used + %(added)s, 0)
WHERE %(most)s::bigint IS NULL OR quota.used < %(most)s::bigint
RETURNING used
"""
_FORGET_WINDOWS: Final = """
DELETE FROM quota
WHERE key_id = %(key)s AND kind = %(kind)s AND window_s = %(window)s AND started_s < (
    SELECT started_s FROM quota
    WHERE key_id = %(key)s AND kind = %(kind)s AND window_s = %(window)s
        AND started_s < %(started)s
    ORDER BY started_s DESC LIMIT 1 OFFSET %(kept)s
)
"""
_SPEND: Final = """
INSERT INTO spent_token (nonce, ends_ms) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING true
"""
_FORGET_SPENT: Final = """
DELETE FROM spent_token WHERE nonce IN
    (SELECT nonce FROM spent_token WHERE ends_ms < %s FOR UPDATE SKIP LOCKED)
"""
_VERSION: Final = "SELECT changes FROM access_version"
_CHANGED: Final = "UPDATE access_version SET changes = changes + 1"


class PostgresAccessTables(AccessTables):
    """The tables of accounts, keys and counts in PostgreSQL, inside a transaction."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection

    def add_counts(self, batch: Sequence[Added]) -> list[int | None]:
        # Always in one order: two processes that lock each other's rows would wait for ever.
        ordered = sorted(enumerate(batch), key=lambda each: _lock_order(each[1]))
        values = [each.as_values() for _, each in ordered]
        totals: list[int | None] = [None] * len(batch)
        for (place, _), row in zip(ordered, self._each(_ADD_COUNT, values), strict=True):
            totals[place] = None if row is None else row[0]
        for added, used in zip(batch, totals, strict=True):
            if used == added.added:  # a new window
                forget = added.as_values() | {"kept": KEPT_WINDOWS}
                self._connection.execute(_FORGET_WINDOWS, forget)
        return totals

    def spend_tokens(self, tokens: Sequence[Token]) -> list[bool]:
        ordered = sorted(enumerate(tokens), key=lambda each: each[1])
        is_fresh = [False] * len(tokens)
        rows = self._each(_SPEND, [each for _, each in ordered])
        for (place, _), row in zip(ordered, rows, strict=True):
            is_fresh[place] = row is not None
        return is_fresh

    def forget_tokens(self, before_ms: int) -> None:
        self._connection.execute(_FORGET_SPENT, (before_ms,))

    def _each(self, query: LiteralString, values: Sequence[Any]) -> list[tuple[Any, ...] | None]:
        """Run a statement with each of some values; return the first row of each, if any."""
        if not values:
            return []
        with self._connection.cursor() as cursor:
            cursor.executemany(query, values, returning=True)
            return [result.fetchone() for result in cursor.results()]

    def version(self) -> int:
        return int(self.rows(_VERSION)[0][0])

    def _note_change(self) -> None:
        self._connection.execute(_CHANGED)

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        done = self._connection.execute(query.replace("?", "%s").encode(), values)
        return [] if done.description is None else done.fetchall()


def _lock_order(added: Added) -> tuple[int, str, int, int]:
    key_id, kind, window_s = added.slot
    return key_id, kind.value, window_s, added.started_s


T = TypeVar("T")

READ_S: Final = 1.0
"""The longest query on keys or counts: a request with an unknown key waits for one."""


def open_postgres_access(url: str) -> "PostgresAccess":
    """Open the keys of a database; missing tables are made.

    Raises:
        StoreError: it cannot be used; one line with the reason.
    """
    address = ServerAddress(url)
    connection = address.connect()
    try:
        with address.refusals():
            bring_up_to_date(connection, address.shown)
    except BaseException:
        connection.close()
        raise
    return PostgresAccess(address, connection)


class PostgresAccess(AccessFile):
    """One connection that reads behind a lock, and the thread that writes.

    ``connection`` becomes the writer's. Each query of a reading function sees a different moment: a
    function that needs a single one must write.
    """

    def __init__(self, address: ServerAddress, connection: PreparingConnection) -> None:
        self._address = address
        self._writing = PostgresWriter("access writer", address, connection)
        self._lock = threading.Lock()
        self._reading: psycopg.Connection[Any] | None = None
        self._closed = False

    def read_with(self, function: Callable[[PostgresAccessTables], T]) -> T:
        """Run a reading function, again on a new connection if the last one was lost.

        Raises:
            StoreUnavailableError: the database cannot be read now.
        """
        with self._lock, self._address.refusals():
            kept = self._reading
            if kept is not None and not kept.closed:
                try:
                    return function(PostgresAccessTables(kept))
                except psycopg.OperationalError:
                    if not kept.closed:
                        raise
            return function(PostgresAccessTables(self._connect()))

    def submit_write(self, function: Callable[[PostgresAccessTables], T]) -> Future[T]:
        return self._writing.submit(lambda connection: function(PostgresAccessTables(connection)))

    def write_with(self, function: Callable[[PostgresAccessTables], T]) -> T:
        return self.submit_write(function).result()

    def may_be_written(self) -> bool:
        return True

    def version(self) -> int:
        return self.read_with(lambda tables: tables.version())

    def close_transactions(self) -> None:
        """Finish queued work and close both connections; may be called twice."""
        self._writing.close_writer()
        with self._lock:
            self._closed = True
            if self._reading is not None:
                self._reading.close()

    def _connect(self) -> psycopg.Connection[Any]:
        if self._closed:
            raise StoreUnavailableError("the database is closed")
        self._reading = self._address.connect(statement_s=READ_S, lock_s=READ_LOCK_S)
        return self._reading
