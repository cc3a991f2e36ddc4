"""Accounts, keys and counts in PostgreSQL: one connection that reads, one thread that writes."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, TypeVar

import psycopg

from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.postgres.access_tables import PostgresAccessTables
from oddsdesk.store.postgres.connections import READ_LOCK_S, ServerAddress
from oddsdesk.store.postgres.migrations import bring_up_to_date
from oddsdesk.store.postgres.prepared import PreparingConnection
from oddsdesk.store.postgres.writer import PostgresWriter

T = TypeVar("T")

READ_S: Final = 1.0
"""No look at keys or counts may take longer: whoever asks with an unknown key waits for one."""


def open_postgres_access(url: str) -> "PostgresAccess":
    """Open the keys of a database; its tables are made where they are missing.

    Raises:
        StoreError: it cannot be used; says why in one line.
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


class PostgresAccess:
    """``store.transactions.Transactions`` of the tables of access.

    ``connection`` is the writer's from now on. A function that reads sees what each of its
    queries finds: where it needs more than one moment's truth it writes.
    """

    def __init__(self, address: ServerAddress, connection: PreparingConnection) -> None:
        self._address = address
        self._writer = PostgresWriter("access writer", address, connection)
        self._lock = threading.Lock()
        self._reading: psycopg.Connection[Any] | None = None
        self._closed = False

    def read(self, function: Callable[[PostgresAccessTables], T]) -> T:
        """Run a function that reads, again on a new connection where the last one was lost.

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

    def submit(self, function: Callable[[PostgresAccessTables], T]) -> Future[T]:
        """Queue a function for the writer; it runs whole or not at all."""
        return self._writer.submit(lambda connection: function(PostgresAccessTables(connection)))

    def write(self, function: Callable[[PostgresAccessTables], T]) -> T:
        """Run a function on the writer and wait until it is committed."""
        return self.submit(function).result()

    def version(self) -> int:
        """Return a number that differs once a key or account has changed."""
        return self.read(lambda tables: tables.version())

    def close(self) -> None:
        """Finish what is queued and close both connections; may be called twice."""
        self._writer.close()
        with self._lock:
            self._closed = True
            if self._reading is not None:
                self._reading.close()

    def _connect(self) -> psycopg.Connection[Any]:
        if self._closed:
            raise StoreUnavailableError("the database is closed")
        self._reading = self._address.connect(statement_s=READ_S, lock_s=READ_LOCK_S)
        return self._reading
