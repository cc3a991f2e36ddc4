"""Opening a database file: connections, checks, and one clear line when it cannot be used."""

import contextlib
import errno
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from oddsdesk import __version__
from oddsdesk.base.earlier_copy import CopyError, forget_older_copies, keep_copy
from oddsdesk.base.files import keep_from_others
from oddsdesk.base.places import can_write, make_folder, refused_write, sync_folder
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import N_
from oddsdesk.store.errors import WHEN_MOVED, Fault, StoreError, StoreUnavailableError
from oddsdesk.store.lock import (
    DatabaseInUseError,
    DatabaseLock,
    ForeignLockError,
    file_identity,
    lock_database,
)
from oddsdesk.store.sqlite import recognition
from oddsdesk.store.sqlite.migrations import Schema, migrate

BUSY_TIMEOUT_S = 5.0
PATIENT_TIMES = 12
AGAIN_S = 0.05
CACHE_KIB = 16_384
"""Of the connection that writes; readers have SQLite's own 2,000."""
PAGE_BYTES = 8_192
"""For new files; recording is a tenth faster than with SQLite's 4,096, as measured."""

Synchronous = Literal["NORMAL", "FULL"]


_log = logging.getLogger(__name__)


def open_writer(
    path: Path,
    schema: Schema,
    *,
    synchronous: Synchronous,
    lock: DatabaseLock | None = None,
    locked_by: Path | None = None,
    waits: bool = False,
) -> sqlite3.Connection:
    """Open the read-write connection of a file, made or migrated as needed.

    It never checkpoints by itself: ``WriteAheadLog`` does, and the last process to close a file.

    An older file is migrated by the holder of its database's lock, after a copy was made. ``lock``
    is that lock if it is already held; otherwise it is taken for the migration. ``locked_by`` is
    the database if the file is another one, such as the key file. While another program holds
    SQLite's lock, this waits for ``BUSY_TIMEOUT_S``, and ``PATIENT_TIMES`` as long with ``waits``.

    Raises:
        StoreError: the file or its folder cannot be used; one line with the reason.
    """

    def connect() -> sqlite3.Connection:
        if recognition.recognise(path, schema) is recognition.Condition.OUTDATED and lock is None:
            return _locked(path, locked_by or path, prepared)
        return prepared()

    def prepared() -> sqlite3.Connection:
        _make_folder(path)
        keep_from_others(path)
        return _prepare(bare_connection(path), path, schema, synchronous)

    limit_s = BUSY_TIMEOUT_S * (PATIENT_TIMES if waits else 1)
    until = time.monotonic() + limit_s
    while True:
        try:
            return _opened(path, connect)
        except StoreError as error:
            if not _is_busy(error) or time.monotonic() > until:
                raise
        time.sleep(
            AGAIN_S
        )  # some refusals of SQLite come immediately, such as for a file being made


def open_reader(path: Path, schema: Schema, *, checked: bool = False) -> sqlite3.Connection:
    """Open a connection that cannot write; any thread may close it.

    Pass ``checked=True`` if this process has already checked for damage: the check may take a
    while, and would delay a thread's first request.

    Raises:
        StoreError: the file does not exist or cannot be used; one line with the reason.
    """

    def connect() -> sqlite3.Connection:
        if not path.exists():
            raise StoreError(f"{path}: no such database")
        if not checked:
            recognition.recognise(path, schema)
        return _prepare_reader(bare_connection(path, "ro"), path, schema)

    return _opened(path, connect)


def connect_to_copy(path: Path) -> sqlite3.Connection:
    """Connect to an existing file of any version, to copy it.

    Raises:
        StoreError: the file does not exist.
    """
    if not path.exists():
        raise StoreError(f"{path}: no such database")
    return bare_connection(path, "ro")


def _is_busy(error: StoreError) -> bool:
    code = getattr(error.__cause__, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return bool(code & 0xFF == sqlite3.SQLITE_BUSY)


def _opened(path: Path, connect: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
    try:
        return connect()
    except OSError as error:
        raise StoreError(f"{path}: cannot be opened: {error_text(error)}") from error
    except sqlite3.DatabaseError as error:
        raise recognition.unusable(path, error) from error


def _make_folder(path: Path) -> None:
    try:
        make_folder(path.parent)
    except OSError as error:
        raise StoreError(f"{path}: cannot make its folder: {error_text(error)}") from error


def _locked(
    path: Path, database: Path, connect: Callable[[], sqlite3.Connection]
) -> sqlite3.Connection:
    """Connect while no other process serves the database."""
    try:
        lock = lock_database(database)
    except ForeignLockError:
        raise
    except DatabaseInUseError as error:
        raise StoreError(
            f"{path} was made by an older oddsdesk and is in use by {error.who}; stop that one"
            " first, then this one can update the file"
        ) from error
    try:
        return connect()
    finally:
        lock.release_lock()


def bare_connection(path: Path, mode: Literal["rwc", "rw", "ro"] = "rwc") -> sqlite3.Connection:
    """Open a bare connection with our settings; any thread may use it."""
    # SQLite makes files next to the database even to read it; if it cannot, and no other process
    # has, nobody writes the file.
    alone = mode == "ro" and not can_write(path) and not path.with_name(f"{path.name}-wal").exists()
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}{'&immutable=1' if alone else ''}",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )


def _prepare(
    connection: sqlite3.Connection, path: Path, schema: Schema, synchronous: Synchronous
) -> sqlite3.Connection:
    try:
        condition = recognition.condition_of(connection, path, schema)
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA journal_size_limit = {LEFT_BYTES}")
        if condition is not recognition.Condition.CURRENT:
            _bring_up_to_date(connection, path, schema)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare_reader(
    connection: sqlite3.Connection, path: Path, schema: Schema
) -> sqlite3.Connection:
    try:
        condition = recognition.condition_of(connection, path, schema)
        if schema.name == "odds":
            recognition.check_current(condition, path, N_("has no odds yet: import some first"))
        else:
            recognition.check_current(condition, path)
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _bring_up_to_date(connection: sqlite3.Connection, path: Path, schema: Schema) -> None:
    """Migrate, completely or not at all; an older file is copied first."""
    copies: list[Path] = []

    def copy_first() -> None:
        copies.append(keep_copy(path))
        _log.warning(
            "%s: updating it for oddsdesk %s; the old file is kept as %s",
            path,
            __version__,
            copies[0],
        )

    try:
        migrate(connection, schema, copy_first)
    except CopyError as error:
        raise StoreError(str(error)) from error
    except BaseException:
        for copy in copies:
            copy.unlink(missing_ok=True)
        raise
    if copies:
        forget_older_copies(path)


LIMIT_BYTES: Final = 24 * 1024 * 1024
"""The size at which the log is copied into the database. Recordings touch the same pages, so the
later, the fewer are copied; with one large commit on top the log stays under 64 MB."""
STEP_BYTES: Final = 2 * 1024 * 1024
"""How much the log grows until the next try, if a reader prevented the copy."""
LEFT_BYTES: Final = 20 * 1024 * 1024
"""What the log's file is truncated to when it starts over: pages that are there already cost a
commit a third less. Below the limit, since the file's size tells how much the log holds."""


def log_of(path: Path) -> Path:
    """Return the path of a database's log, which exists while the database is in use."""
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
        """The file's size at the last copy; it shrinks when the log starts over."""
        self._refused = False

    def keep_small(self) -> None:
        """Copy the log into the database if it has grown; call it outside a transaction."""
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
                _log.warning(
                    "%s cannot be written back to its database for now: %s", self._file, error
                )
            self._refused = True
        else:
            self._refused = False

    def close_wal(self) -> None:
        """Close the second connection; the writer's is closed by its opener."""
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


TIMES: Final = 3
"""Consecutive looks that find the lock taken, without a write in between, until it counts."""


class WriteLockProbe:
    """Checks whether the database can be written, without waiting or writing.

    A busy writer has the lock at most checks, but its commits show: only a lock held without a
    commit is reported. For one thread; a check takes some 50 microseconds.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._version = -1
        self._refused = 0

    @property
    def is_locked(self) -> bool:
        """Whether another program holds the lock, by the last looks."""
        return self._refused >= TIMES

    def check_lock(self) -> None:
        """Check once; other problems are left to those who meet them."""
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

    def close_probe(self) -> None:
        """Close the connection; before the store's, which cleans up as the last one."""
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


FOUND_BY_TRYING: Final = (Fault.READ_ONLY_DISK, Fault.NOT_ALLOWED, Fault.QUOTA, Fault.DISK)
"""Faults that ``FilePlace.try_to_write`` finds; it also finds out that they are over."""
_FAULTS: Final = {
    errno.EROFS: Fault.READ_ONLY_DISK,
    errno.EACCES: Fault.NOT_ALLOWED,
    errno.EPERM: Fault.NOT_ALLOWED,
    getattr(errno, "EDQUOT", None): Fault.QUOTA,
    errno.EIO: Fault.DISK,
}


class FilePlace:
    """Whether the file at a path is still the one that was opened; any thread may call.

    A check takes a microsecond or two. On Windows a file in use cannot be moved or deleted.
    """

    def __init__(self, path: Path) -> None:
        """Call it once the file is open."""
        self._path = path
        self._real = path.resolve()
        self._held = file_identity(path)
        self._was_told = False

    def check_place(self) -> None:
        """Refuse if writes would go to a file that nobody can find.

        Raises:
            StoreUnavailableError: the file was moved, deleted or replaced.
        """
        if (refusal := self.write_refusal()) is not None:
            raise refusal

    def write_refusal(self) -> StoreUnavailableError | None:
        """Return why nothing can be written, None if the file is in place."""
        if file_identity(self._path) == self._held:
            if self._was_told:
                _log.warning("%s: is back", self._path)
            self._was_told = False
            return None
        refusal = StoreUnavailableError(
            f"{self._path}: {Fault.MOVED.value}; {WHEN_MOVED}", Fault.MOVED
        )
        if not self._was_told:
            _log.error("cannot record: %s", refusal)
        self._was_told = True
        return refusal

    def try_to_write(self) -> StoreUnavailableError | None:
        """Test a write in the file's folder, leaving nothing there; return why it is refused.

        This does not check for a full disk, as the size of a recording is unknown.
        """
        if (error := refused_write(self._real)) is not None:
            fault = None if error.errno is None else _FAULTS.get(error.errno)
        else:
            fault = None if os.access(self._real, os.W_OK) else Fault.NOT_ALLOWED
        if fault is None:
            return None
        return StoreUnavailableError(f"{self._path}: {fault.value}", fault)

    def explain(self, refused: StoreUnavailableError) -> StoreUnavailableError:
        """Return SQLite's error with the system's reason, if any."""
        if refused.fault is not Fault.OTHER or (found := self.try_to_write()) is None:
            return refused
        found.__cause__ = refused.__cause__
        return found


SYNC_AFTER_S: Final = 0.5
"""Seconds from the first unsynced commit to the sync: of the one second promised, half is
left for the sync itself."""

_flush: Final = getattr(os, "fdatasync", os.fsync)


class TimedSync:
    """Syncs the write-ahead log of a file soon after a commit, on a separate thread.

    With ``synchronous=NORMAL`` SQLite itself syncs only when it checkpoints. A sync covers
    all writes to the file, so recording does not wait for the disk.
    """

    def __init__(self, path: Path) -> None:
        real = path.resolve()
        self._wal = real.with_name(f"{real.name}-wal")
        self._folder_is_synced = False
        self._failed = False
        self._has_commits = False
        self._wanted = threading.Event()
        self._wanted.set()  # opening a file may have written to it
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="store sync", daemon=True)
        self._thread.start()

    def committed(self) -> None:
        """Note a commit; takes next to no time."""
        self._has_commits = True
        self._wanted.set()

    def sync(self) -> None:
        """Sync all commits until now, and wait for the disk.

        Raises:
            OSError: it failed; committed changes may be lost in a power cut.
        """
        with contextlib.suppress(FileNotFoundError):  # it was copied into the file, and synced
            self._write_through()

    def end_syncing(self) -> None:
        """Sync the rest and end; may be called twice."""
        self._closing.set()
        self._wanted.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._wanted.wait()
            self._closing.wait(SYNC_AFTER_S)
            self._wanted.clear()
            self._sync()

    def _sync(self) -> None:
        try:
            self._write_through()
            self._failed = False
        except FileNotFoundError:
            return  # the last to close the file has copied and synced the log
        except OSError as error:
            if not self._has_commits:  # there are no changes of this process
                return
            if not self._failed:
                why = error_text(error)
                _log.error("the last changes may be lost in a power cut: %s: %s", self._wal, why)
            self._failed = True

    def _write_through(self) -> None:
        log = os.open(self._wal, os.O_RDWR | getattr(os, "O_BINARY", 0))
        try:
            _flush(log)
        finally:
            os.close(log)
        if not self._folder_is_synced:
            sync_folder(self._wal.parent)
            self._folder_is_synced = True
