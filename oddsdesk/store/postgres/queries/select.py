"""Running a query on PostgreSQL, whose connection is made anew where it was lost."""

import contextlib
import re
import threading
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

import psycopg

from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.postgres.connections import READ_LOCK_S, ServerAddress
from oddsdesk.store.postgres.migrations import check_current
from oddsdesk.store.postgres.queries import SQL
from oddsdesk.store.queries.select import NOTHING, Parameters, Row
from oddsdesk.store.queries.sql import Sql

_NAMED: Final = re.compile(r"(?<!:):([a-z_]+)")
_READ_ONLY: Final = b"SET default_transaction_read_only = on"
_BEGIN: Final = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresSelect:
    """Runs queries on one connection for reading, made when it is first needed.

    A query that finds the connection lost runs on a new one; not so inside ``together``.
    """

    sql: Sql = SQL

    def __init__(self, address: ServerAddress) -> None:
        self._address = address
        self._connection: psycopg.Connection[Any] | None = None
        self._closed = threading.Event()

    def __call__(self, query: str, parameters: Parameters = NOTHING) -> list[Row]:
        """Return all rows.

        Raises:
            StoreUnavailableError: the database cannot be read now, or is closed.
        """
        with self._address.refusals():
            try:
                return self._execute(_as_psycopg(query), parameters).fetchall()
            except psycopg.DataError as error:
                if error.sqlstate is not None:
                    raise
                return self._execute(_as_psycopg(query), _without_nul(parameters)).fetchall()

    def listed(self, values: Iterable[str]) -> object:
        """Return a list as ``ANY`` takes it."""
        return list(values)

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Have the queries inside see one state of the database."""
        with self._address.refusals():
            self._execute(_BEGIN)
        try:
            yield
        except BaseException:
            self._end(b"ROLLBACK")
            raise
        self._end(b"COMMIT")

    def check_tables(self, shown: str) -> None:
        """Look whether the tables are those of this version.

        Raises:
            StoreError: they are not, or cannot be looked at.
        """
        with self._address.refusals():
            check_current(self._connected()[0], shown)

    def close(self) -> None:
        """Close the connection; what is asked afterwards is refused."""
        self._closed.set()
        if self._connection is not None:
            self._connection.close()

    def _execute(self, query: bytes, parameters: Parameters = NOTHING) -> psycopg.Cursor[Any]:
        connection, is_new = self._connected()
        is_alone = connection.info.transaction_status is psycopg.pq.TransactionStatus.IDLE
        try:
            return connection.execute(query, parameters, binary=True)
        except psycopg.OperationalError:
            if is_new or not is_alone or not connection.closed:
                raise
        return self._connected()[0].execute(query, parameters, binary=True)

    def _connected(self) -> tuple[psycopg.Connection[Any], bool]:
        """Return the connection, and whether it was made now."""
        if self._closed.is_set():
            raise StoreUnavailableError("the database is closed")
        connection = self._connection
        if connection is not None and not connection.closed:
            return connection, False
        connection = self._address.connect(lock_s=READ_LOCK_S)
        connection.execute(_READ_ONLY)
        self._connection = connection
        if self._closed.is_set():  # meanwhile, by another thread
            connection.close()
        return connection, True

    def _end(self, how: bytes) -> None:
        """End a transaction that only read: nothing of it can be lost."""
        if self._connection is not None:
            with contextlib.suppress(psycopg.Error):
                self._connection.execute(how)


@lru_cache(maxsize=2_000)
def _as_psycopg(query: str) -> bytes:
    """Return a query with its values named as psycopg wants it."""
    return _NAMED.sub(r"%(\1)s", query.replace("%", "%%")).encode()


def _without_nul(parameters: Parameters) -> dict[str, Any]:
    """Return values with what no stored name holds in place of NUL, which PostgreSQL refuses."""
    return {
        name: value.replace("\0", "\x01") if isinstance(value, str) else value
        for name, value in parameters.items()
    }
