"""Opening a database file: connections, checks, and one clear line when it cannot be used."""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from oddsdesk.places import can_write, make_folder
from oddsdesk.store.errors import StoreError
from oddsdesk.store.migrations import Schema, applied_steps, migrate

BUSY_TIMEOUT_S = 5.0
CHECK_LIMIT_S = 0.2
"""How long the check for damage may take at the start; a big file is checked in part."""
CACHE_KIB = 16_384
CHECKPOINT_PAGES = 4_000
"""Pages of the write-ahead log (32 MB) before they are copied into the file: a recording
touches the same pages as the one before, so a tenth more are recorded than with 1,000."""
PAGE_BYTES = 8_192
"""Of a fresh file; measured a tenth faster to record into than SQLite's 4,096."""

Synchronous = Literal["NORMAL", "FULL"]


def open_writer(
    path: Path, schema: Schema, *, synchronous: Synchronous, checkpoints: bool = True
) -> sqlite3.Connection:
    """Open the read-write connection of a file, made or brought up to date as needed.

    Pass ``checkpoints=False`` in a process that writes beside a server: only one
    connection may checkpoint while others write (the WAL-reset bug of SQLite < 3.51.3).

    Raises:
        StoreError: the file or its folder cannot be used; says why in one line.
    """
    return _opened(path, lambda: _prepare(_connect(path), path, schema, synchronous, checkpoints))


def open_reader(path: Path, schema: Schema, *, checked: bool = False) -> sqlite3.Connection:
    """Open a connection that cannot write; any thread may close it.

    Pass ``checked=True`` where this process has looked for damage already: the look may take
    ``CHECK_LIMIT_S``, which a thread's first request would wait for.

    Raises:
        StoreError: the file does not exist or cannot be used; says why in one line.
    """
    if not path.exists():
        raise StoreError(f"{path}: no such database")
    return _opened(path, lambda: _prepare_reader(_connect(path, "ro"), path, schema, checked))


def _opened(path: Path, connect: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
    try:
        make_folder(path.parent)
        return connect()
    except OSError as error:
        raise StoreError(f"{path}: cannot make its folder: {error.strerror or error}") from error
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path}: {_reason(error)}") from error


def _reason(error: sqlite3.DatabaseError) -> str:
    match getattr(error, "sqlite_errorname", ""):
        case "SQLITE_NOTADB":
            return "is not a database; give another --database or set the file aside"
        case "SQLITE_CORRUPT":
            return f"is damaged ({error}); set the file aside or restore a backup"
        case "SQLITE_CANTOPEN" | "SQLITE_CANTOPEN_ISDIR":
            return "cannot be opened; is it a file, and may its folder be written?"
        case name if name.startswith("SQLITE_READONLY"):
            return "cannot be written; check the rights of the file and its folder"
        case name if name.startswith("SQLITE_BUSY"):
            return "is locked by another program; try again when that has ended"
        case _:
            return f"cannot be used ({error})"


def _connect(path: Path, mode: Literal["rwc", "ro"] = "rwc") -> sqlite3.Connection:
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
    checkpoints: bool,
) -> sqlite3.Connection:
    try:
        pending = _steps_missing(connection, path, schema)
        _look_for_damage(connection, path)
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        pages = CHECKPOINT_PAGES if checkpoints else 0
        connection.execute(f"PRAGMA wal_autocheckpoint = {pages}")
        if pending:
            migrate(connection, schema)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare_reader(
    connection: sqlite3.Connection, path: Path, schema: Schema, checked: bool
) -> sqlite3.Connection:
    try:
        if _steps_missing(connection, path, schema):
            raise StoreError(f"{path}: is from an older oddsdesk; open it once for writing")
        if not checked:
            _look_for_damage(connection, path)
        connection.execute("PRAGMA query_only = ON")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    except BaseException:
        connection.close()
        raise
    return connection


def _steps_missing(connection: sqlite3.Connection, path: Path, schema: Schema) -> bool:
    """Refuse a file that is not ours; return whether it lacks steps of the schema."""
    applied = applied_steps(connection, schema)
    if applied is None:
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall():
            raise StoreError(f"{path}: is a database of another program, not of oddsdesk")
        return True
    known = {step.name for step in schema.steps}
    if applied - known:
        raise StoreError(f"{path}: was written by a newer oddsdesk; update this one")
    return applied != known


def _look_for_damage(connection: sqlite3.Connection, path: Path) -> None:
    deadline = time.monotonic() + CHECK_LIMIT_S
    connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
    try:
        found = connection.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_INTERRUPT":
            raise
        return
    finally:
        connection.set_progress_handler(None, 0)
    if found != [("ok",)]:
        problem = " ".join(str(found[0][0]).split())
        raise StoreError(f"{path}: is damaged ({problem}); set the file aside or restore a backup")
