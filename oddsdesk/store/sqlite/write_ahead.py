"""Keeping a write-ahead log small: its writer checkpoints it now and then."""

import logging
import sqlite3
from pathlib import Path
from typing import Final

LIMIT_BYTES: Final = 24 * 1024 * 1024
"""The size at which the log is copied into the database. Recordings touch the same pages, so the
later, the fewer are copied; with one large commit on top the log stays under 64 MB."""
STEP_BYTES: Final = 2 * 1024 * 1024
"""How much the log grows before a new try, where a reader kept it from being copied."""
LEFT_BYTES: Final = 20 * 1024 * 1024
"""What the log's file is truncated to when it starts over: pages that are there already cost a
commit a third less. Below the limit, since the file's size tells how much the log holds."""

_log = logging.getLogger(__name__)


def log_of(path: Path) -> Path:
    """Return where the log of a database lies; it is there while somebody uses that."""
    return path.with_name(f"{path.name}-wal")


class WriteAheadLog:
    """The log of one database, as its writer's thread sees it between transactions.

    SQLite's own checkpoints can lose pages where another connection starts the log over
    meanwhile (the WAL-reset bug, before 3.51.3: https://www.sqlite.org/wal.html#walresetbug).
    Only a commit does that, so here the writer locks out other writers, in any process, while a
    second connection checkpoints.
    """

    def __init__(
        self, path: Path, writer: sqlite3.Connection, limit_bytes: int = LIMIT_BYTES
    ) -> None:
        self._path = path
        self._file = log_of(path)
        self._writer = writer
        self._copier: sqlite3.Connection | None = None
        self._limit = limit_bytes
        self._copied_at = 0
        """How large the file was when it was last copied; it shrinks when it begins anew."""
        self._refused = False

    def keep_small(self) -> None:
        """Copy the log into the database if it has grown; to be called outside a transaction."""
        size = self._size()
        if size < self._copied_at:
            self._copied_at = 0
        if size < self._limit or size - self._copied_at < STEP_BYTES:
            return
        self._copied_at = size
        try:
            self._copy()
        except sqlite3.Error as error:
            if not self._refused:
                _log.warning("%s cannot be copied into its database now: %s", self._file, error)
            self._refused = True
        else:
            self._refused = False

    def close(self) -> None:
        """Close the second connection; the writer's is closed by who opened it."""
        if self._copier is not None:
            self._copier.close()

    def _copy(self) -> None:
        if self._copier is None:
            uri = f"{self._path.absolute().as_uri()}?mode=rw"
            self._copier = sqlite3.connect(
                uri, uri=True, isolation_level=None, check_same_thread=False
            )
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            self._copier.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        finally:
            self._writer.execute("ROLLBACK")

    def _size(self) -> int:
        try:
            return self._file.stat().st_size
        except OSError:
            return 0
