"""Running a query: always to its end, SQLite's refusals as the store's own."""

import contextlib
import json
import sqlite3
import threading
from collections.abc import Callable, Iterable
from typing import Final

from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.queries.select import NOTHING, Parameters, Row
from oddsdesk.store.queries.sql import Sql
from oddsdesk.store.sqlite.queries import SQL
from oddsdesk.store.sqlite.writer import as_unavailable

_INTERRUPT_S: Final = 0.02
"""How long a query that another thread runs may go on before it is interrupted once more."""
_CLOSED: Final = "the database is closed"


class SqliteSelect:
    """Runs queries on one connection, to the end: a half-read one keeps the write-ahead log open.

    ``check`` is called where a query fails and may raise an error that says better why.
    """

    sql: Sql = SQL

    def __init__(
        self,
        connection: sqlite3.Connection,
        check: Callable[[sqlite3.Connection], None] = lambda _: None,
    ) -> None:
        self._connection = connection
        self._check = check
        self._running = threading.Lock()
        """Held while a query runs: SQLite crashes where its connection is closed meanwhile."""
        self._is_closed = False

    def __call__(self, query: str, parameters: Parameters = NOTHING) -> list[Row]:
        """Return all rows.

        Raises:
            StoreUnavailableError: the file cannot be read now, or is closed.
        """
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

    def listed(self, values: Iterable[str | int]) -> object:
        """Return a list as ``json_each`` takes it."""
        return json.dumps(list(values))

    def together(self) -> contextlib.AbstractContextManager[None]:
        """Do nothing: queries of one answer are too short to see another recording often."""
        return contextlib.nullcontext()

    def close(self) -> None:
        """Close the connection; a query that another thread runs is interrupted first."""
        self._is_closed = True
        while not self._running.acquire(timeout=_INTERRUPT_S):
            self._connection.interrupt()
        self._connection.close()
        self._running.release()
