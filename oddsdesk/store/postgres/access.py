"""Accounts, keys and counts in PostgreSQL: one connection that reads, one thread that writes."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import psycopg

from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.postgres.access_tables import PostgresAccessTables

T = TypeVar("T")


class PostgresAccess:
    """``store.transactions.Transactions`` of the tables of access."""

    def __init__(self, connect: Callable[[], psycopg.Connection[Any]]) -> None:
        self._reading, self._writing = connect(), connect()
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="writer access")

    def read(self, function: Callable[[PostgresAccessTables], T]) -> T:
        """Run a function that reads.

        Raises:
            StoreUnavailableError: the database cannot be read now.
        """
        with self._lock:
            return _run(self._reading, function)

    def submit(self, function: Callable[[PostgresAccessTables], T]) -> Future[T]:
        """Queue a function for the writer; it runs whole or not at all."""
        return self._writer.submit(_run, self._writing, function)

    def write(self, function: Callable[[PostgresAccessTables], T]) -> T:
        """Run a function on the writer and wait until it is committed."""
        return self.submit(function).result()

    def version(self) -> int:
        """Return a number that differs once a key or account has changed."""
        return self.read(lambda tables: tables.version())

    def close(self) -> None:
        """Finish what is queued and close both connections."""
        self._writer.shutdown()
        with self._lock:
            self._reading.close()
        self._writing.close()


def _run(connection: psycopg.Connection[Any], function: Callable[[PostgresAccessTables], T]) -> T:
    try:
        with connection.transaction():
            return function(PostgresAccessTables(connection))
    except psycopg.OperationalError as error:
        raise StoreUnavailableError(f"the database refuses: {error}") from error
