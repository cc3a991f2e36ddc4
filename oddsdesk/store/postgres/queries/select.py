"""Running a query on PostgreSQL, whose connection is made anew where it was lost."""

import contextlib
import re
import threading
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

import psycopg

from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.postgres.bulk import array
from oddsdesk.store.postgres.connections import READ_LOCK_S, ServerAddress
from oddsdesk.store.postgres.migrations import check_current
from oddsdesk.store.postgres.prepared import PreparingConnection
from oddsdesk.store.postgres.queries import SQL
from oddsdesk.store.queries.select import NOTHING, Parameters, Row
from oddsdesk.store.queries.sql import Sql

_NAMED: Final = re.compile(r"(?<!:):([a-z_]+)")
_READ_ONLY: Final = "SET default_transaction_read_only = on"
_BEGIN: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresSelect:
    """Runs queries on one connection for reading, made when it is first needed.

    A query that finds the connection lost runs on a new one; not so inside ``together``.
    """

    sql: Sql = SQL

    def __init__(self, address: ServerAddress) -> None:
        self._address = address
        self._connection: PreparingConnection | None = None
        self._closed = threading.Event()

    def __call__(self, query: str, parameters: Parameters = NOTHING) -> list[Row]:
        """Return all rows.

        Raises:
            StoreUnavailableError: the database cannot be read now, or is closed.
        """
        with self._address.refusals():
            return self._run(query, parameters)

    def listed(self, values: Iterable[str | int]) -> object:
        """Return a list as ``ANY`` takes it."""
        return list(values)

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Have the queries inside see one state of the database."""
        with self._address.refusals():
            self._run(_BEGIN, NOTHING)
        try:
            yield
        except BaseException:
            self._end("ROLLBACK")
            raise
        self._end("COMMIT")

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

    def _run(self, query: str, parameters: Parameters) -> list[Row]:
        text, names = _numbered(query)
        asked = (text, [_as_text(parameters[name]) for name in names])
        connection, is_new = self._connected()
        is_alone = connection.info.transaction_status is psycopg.pq.TransactionStatus.IDLE
        try:
            (rows,) = connection.ask(asked)
        except psycopg.OperationalError:
            if is_new or not is_alone or not connection.closed:
                raise
            (rows,) = self._connected()[0].ask(asked)
        return rows

    def _connected(self) -> tuple[PreparingConnection, bool]:
        """Return the connection, and whether it was made now."""
        if self._closed.is_set():
            raise StoreUnavailableError("the database is closed")
        connection = self._connection
        if connection is not None and not connection.closed:
            return connection, False
        connection = self._address.connect(lock_s=READ_LOCK_S)
        connection.do(_READ_ONLY)
        self._connection = connection
        if self._closed.is_set():  # meanwhile, by another thread
            connection.close()
        return connection, True

    def _end(self, how: str) -> None:
        """End a transaction that only read: nothing of it can be lost."""
        if self._connection is not None:
            with contextlib.suppress(psycopg.Error):
                self._connection.do(how)


@lru_cache(maxsize=2_000)
def _numbered(query: str) -> tuple[str, list[str]]:
    """Return a query with numbers for the names of its values, and these in that order."""
    names = list(dict.fromkeys(_NAMED.findall(query)))
    return _NAMED.sub(lambda found: f"${names.index(found[1]) + 1}", query), names


def _as_text(value: object) -> str | None:
    """Return a value as PostgreSQL reads it; what no stored name holds in place of NUL."""
    if value is None:
        return None
    if isinstance(value, list):
        return array(value)
    return str(value).replace("\0", "\x01")
