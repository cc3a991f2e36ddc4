"""The file of accounts, keys and counts: its tables, its one reader, its one writer."""

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Final, TypeVar

from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.lock import DatabaseLock
from oddsdesk.store.sqlite.access_tables import SqliteAccessTables
from oddsdesk.store.sqlite.database import open_reader, open_writer
from oddsdesk.store.sqlite.file_place import FilePlace
from oddsdesk.store.sqlite.migrations import Schema, Step
from oddsdesk.store.sqlite.recognition import SchemaCheck
from oddsdesk.store.sqlite.syncing import TimedSync
from oddsdesk.store.sqlite.write_ahead import WriteAheadLog
from oddsdesk.store.sqlite.writer import Writer, as_unavailable

T = TypeVar("T")

WAL_BYTES: Final = 8 * 1024 * 1024
"""The size at which the write-ahead log of this small file is copied into it."""

SCHEMA: Final = Schema(
    "oddsdesk-access",
    (
        Step(
            "accounts, keys and counts",
            (
                """
                CREATE TABLE account (
                    id INTEGER PRIMARY KEY,
                    name TEXT NOT NULL UNIQUE,
                    plan TEXT NOT NULL,
                    bookmaker TEXT,
                    created_at INTEGER NOT NULL
                ) STRICT
                """,
                """
                CREATE TABLE api_key (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    account_id INTEGER NOT NULL REFERENCES account (id),
                    digest BLOB NOT NULL UNIQUE,
                    masked TEXT NOT NULL,
                    created_at INTEGER NOT NULL,
                    revoked_at INTEGER
                ) STRICT
                """,
                "CREATE INDEX api_key_of_account ON api_key (account_id)",
                """
                CREATE TABLE quota (
                    key_id INTEGER NOT NULL,
                    kind TEXT NOT NULL,
                    window_s INTEGER NOT NULL,
                    started_s INTEGER NOT NULL,
                    used INTEGER NOT NULL,
                    PRIMARY KEY (key_id, kind, window_s)
                ) STRICT, WITHOUT ROWID
                """,
                "CREATE TABLE secret (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT",
            ),
        ),
        Step(
            "keys that may write",
            ("ALTER TABLE api_key ADD COLUMN may_write INTEGER NOT NULL DEFAULT 0",),
        ),
        Step(
            "exact counts, tokens of one use",
            (
                """
                CREATE TABLE exact_quota (
                    key_id INTEGER NOT NULL,
                    kind TEXT NOT NULL,
                    window_s INTEGER NOT NULL,
                    started_s INTEGER NOT NULL,
                    used INTEGER NOT NULL,
                    PRIMARY KEY (key_id, kind, window_s, started_s)
                ) STRICT, WITHOUT ROWID
                """,
                "INSERT INTO exact_quota SELECT key_id, kind, window_s, started_s, used FROM quota",
                "DROP TABLE quota",
                "ALTER TABLE exact_quota RENAME TO quota",
                """
                CREATE TABLE spent_token (
                    nonce BLOB PRIMARY KEY,
                    ends_ms INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID
                """,
                "CREATE INDEX spent_token_ends ON spent_token (ends_ms)",
            ),
        ),
    ),
)


class AccessFile:
    """One read-only connection behind a lock and the thread that writes.

    What is written by ``write``, such as keys, is on the disk when that returns: a key that was
    shown exists after any crash. What is submitted, the counts, is synced within a second.
    """

    def __init__(self, path: Path, *, lock: DatabaseLock | None, locked_by: Path) -> None:
        connection = open_writer(path, SCHEMA, synchronous="NORMAL", lock=lock, locked_by=locked_by)
        self._sync = TimedSync(path)
        self._writer = Writer(
            f"writer {path.name}",
            connection,
            committed=self._sync.committed,
            check=SchemaCheck(path, SCHEMA),
            wal=WriteAheadLog(path, connection, WAL_BYTES),
            place=FilePlace(path),
        )
        self._check = SchemaCheck(path, SCHEMA)
        self._lock = threading.Lock()
        self._version: int | None = None
        self._mark = b""
        self._changes = 0
        try:
            self._connection = open_reader(path, SCHEMA, checked=True)
        except BaseException:
            self._writer.close()
            self._sync.close()
            raise

    def read(self, function: Callable[[SqliteAccessTables], T]) -> T:
        """Run a function that reads.

        Raises:
            StoreUnavailableError: the file cannot be read now.
        """
        try:
            with self._lock:
                return function(SqliteAccessTables(self._connection))
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR:
                self._check(self._connection)
            raise as_unavailable(error) from error

    def version(self) -> int:
        """Return how often keys were found to differ.

        The file changes with each count that is saved; all keys are not to be read for that.
        """
        return self.read(self._look)

    def _look(self, tables: SqliteAccessTables) -> int:
        version = tables.version()
        if version != self._version:
            mark = tables.mark_of_keys()
            self._changes += mark != self._mark
            self._version, self._mark = version, mark
        return self._changes

    def submit(self, function: Callable[[SqliteAccessTables], T]) -> Future[T]:
        """Queue a function for the writer; it runs whole or not at all."""
        return self._writer.submit(lambda connection: function(SqliteAccessTables(connection)))

    def write(self, function: Callable[[SqliteAccessTables], T]) -> T:
        """Run a function on the writer and wait until the disk has what it changed."""
        outcome = self.submit(function).result()
        try:
            self._sync.sync()
        except OSError as error:
            raise StoreUnavailableError(f"the disk refuses: {error.strerror or error}") from error
        return outcome

    def close(self) -> None:
        """Finish what is queued and close both connections, the writer's last: it checkpoints."""
        with self._lock:
            self._connection.close()
        self._writer.close()
        self._sync.close()
