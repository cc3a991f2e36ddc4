"""Opening a database file: connections, checks, and one clear line when it cannot be used."""

import logging
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from oddsdesk import __version__
from oddsdesk.earlier_copy import CopyError, forget_older_copies, keep_copy
from oddsdesk.places import can_write, make_folder
from oddsdesk.private_files import keep_from_others
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import DatabaseInUseError, DatabaseLock, ForeignLockError, lock_database
from oddsdesk.store.sqlite.migrations import Schema, migrate
from oddsdesk.store.sqlite.recognition import (
    Condition,
    check_current,
    condition_of,
    recognise,
    unusable,
)
from oddsdesk.store.sqlite.write_ahead import LEFT_BYTES

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
    """Open the read-write connection of a file, made or brought up to date as needed.

    It never checkpoints by itself: ``write_ahead`` does, and the last one that closes a file.

    A file of an older oddsdesk is migrated, by whoever holds its database's lock and after a copy
    was made (D77). ``lock`` is that lock where it is held already; else it is taken for the
    migration. ``locked_by`` is the database where the file is another one, such as that of keys.
    While another program holds SQLite's lock, this waits for ``BUSY_TIMEOUT_S``, and
    ``PATIENT_TIMES`` as long with ``waits``.

    Raises:
        StoreError: the file or its folder cannot be used; says why in one line.
    """

    def connect() -> sqlite3.Connection:
        if recognise(path, schema) is Condition.OUTDATED and lock is None:
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
        time.sleep(AGAIN_S)  # some of SQLite's refusals come at once, such as of a file being made


def open_reader(path: Path, schema: Schema, *, checked: bool = False) -> sqlite3.Connection:
    """Open a connection that cannot write; any thread may close it.

    Pass ``checked=True`` where this process has checked for damage already: the check may take
    a while, and a thread's first request would wait for it.

    Raises:
        StoreError: the file does not exist or cannot be used; says why in one line.
    """

    def connect() -> sqlite3.Connection:
        if not path.exists():
            raise StoreError(f"{path}: no such database")
        if not checked:
            recognise(path, schema)
        return _prepare_reader(bare_connection(path, "ro"), path, schema)

    return _opened(path, connect)


def connect_to_copy(path: Path) -> sqlite3.Connection:
    """Connect to an existing file to copy it as it is, from whatever version.

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
        raise StoreError(f"{path}: cannot be opened: {error.strerror or error}") from error
    except sqlite3.DatabaseError as error:
        raise unusable(path, error) from error


def _make_folder(path: Path) -> None:
    try:
        make_folder(path.parent)
    except OSError as error:
        raise StoreError(f"{path}: cannot make its folder: {error.strerror or error}") from error


def _locked(
    path: Path, database: Path, connect: Callable[[], sqlite3.Connection]
) -> sqlite3.Connection:
    """Connect while nobody else serves the database."""
    try:
        lock = lock_database(database)
    except ForeignLockError:
        raise
    except DatabaseInUseError as error:
        raise StoreError(
            f"{path}: was made by an older oddsdesk, and {error.who} serves it; stop that one"
            " first, then this one brings the file up to date"
        ) from error
    try:
        return connect()
    finally:
        lock.release()


def bare_connection(path: Path, mode: Literal["rwc", "rw", "ro"] = "rwc") -> sqlite3.Connection:
    """Open a bare connection in the way of all of ours; any thread may use it."""
    # SQLite makes files beside the database even to read it; where it cannot and nobody
    # else has, the file is one that nobody writes.
    alone = mode == "ro" and not can_write(path) and not path.with_name(f"{path.name}-wal").exists()
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}{'&immutable=1' if alone else ''}",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )


def _prepare(
    connection: sqlite3.Connection,
    path: Path,
    schema: Schema,
    synchronous: Synchronous,
) -> sqlite3.Connection:
    try:
        condition = condition_of(connection, path, schema)
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA journal_size_limit = {LEFT_BYTES}")
        if condition is not Condition.CURRENT:
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
        check_current(condition_of(connection, path, schema), path)
        connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _bring_up_to_date(connection: sqlite3.Connection, path: Path, schema: Schema) -> None:
    """Migrate, whole or not at all; what an older oddsdesk made is copied first."""
    copies: list[Path] = []

    def copy_first() -> None:
        copies.append(keep_copy(path))
        _log.warning(
            "%s: is brought up to date for oddsdesk %s; as it was it is kept in %s",
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
