"""Noticing that another program keeps a database locked while nothing is recorded here (D82)."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Final

from oddsdesk.store.sqlite.database import bare_connection

TIMES: Final = 3
"""Looks in a row that find the lock taken, and nothing written between them, until it counts."""


class WriteLockProbe:
    """Checks whether the database can be written, without waiting or writing.

    Who writes much has the lock at most checks, but what it wrote shows: only a lock that is held
    without a commit is reported. For one thread; a check takes some 50 microseconds.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._version = -1
        self._refused = 0

    @property
    def is_held(self) -> bool:
        """Whether another program keeps the lock, by the last looks."""
        return self._refused >= TIMES

    def check(self) -> None:
        """Check once; other trouble than a lock is left to those who meet it."""
        version = self._version
        try:
            connection = self._connected()
            self._version = int(connection.execute("PRAGMA data_version").fetchall()[0][0])
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            self._refused = self._refused + 1 if is_busy and self._version == version else 0
        except sqlite3.DatabaseError:
            self._refused = 0
        else:
            self._refused = 0

    def close(self) -> None:
        """Close the connection; before the store's, which tidies up as the last one."""
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = bare_connection(self._path, "rw")
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA wal_autocheckpoint = 0")
        return self._connection
