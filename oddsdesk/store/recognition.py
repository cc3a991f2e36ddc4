"""Judging a database file before anything may change it: is it ours, whole and of our time?"""

import sqlite3
import sys
import time
from enum import Enum, auto
from pathlib import Path
from typing import Final

from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.migrations import Schema, applied_steps, migrated_sets

CHECK_LIMIT_S: Final = 0.2
"""How long the check for damage may take at the start; a big file is checked in part."""
_LOOKS: Final = 3
_BUSY_TIMEOUT_S: Final = 5.0


class Condition(Enum):
    """What has to be done before a file can be used."""

    FRESH = auto()
    """Its tables are to be made."""
    OUTDATED = auto()
    """It was made by an older oddsdesk."""
    CURRENT = auto()


def recognise(path: Path, schema: Schema, *, look_for_damage: bool = True) -> Condition:
    """Judge a file; nothing of it and nothing beside it is changed.

    SQLite itself would: to open a file is to finish or undo what a dead program left.

    Raises:
        StoreError: it is another program's, a newer oddsdesk's or damaged; one line.
        sqlite3.DatabaseError: it is no database or cannot be read.
    """
    if not path.exists() or path.is_dir():
        return Condition.FRESH  # that a folder is no file is said on opening it
    if not path.is_file():
        raise StoreError(f"{path}: is no ordinary file")
    if path.stat().st_size == 0:
        return Condition.FRESH
    condition = _judge_unnoticed(path, schema)
    if look_for_damage and condition is not Condition.FRESH:
        check_for_damage(path)
    return condition


def condition_of(connection: sqlite3.Connection, path: Path, schema: Schema) -> Condition:
    """Judge a file by an open connection.

    Raises:
        StoreError: it is another program's or a newer oddsdesk's.
    """
    applied = applied_steps(connection, schema)
    if applied is None and (other := migrated_sets(connection)):
        raise StoreError(f"{path}: is a file of {', '.join(other)}, not of {schema.name}")
    if applied is None:
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall():
            raise StoreError(f"{path}: is a database of another program, not of oddsdesk")
        return Condition.FRESH
    known = {step.name for step in schema.steps}
    if applied - known:
        raise StoreError(f"{path}: was written by a newer oddsdesk; update this one")
    return Condition.CURRENT if applied == known else Condition.OUTDATED


def check_for_damage(path: Path) -> None:
    """Look for damage as long as a start may take.

    Raises:
        StoreError: something was found.
    """
    # Beside a living server only SQLite's locks keep a look from reading half a change.
    served = path.with_name(f"{path.name}-shm").exists()
    connection = _connect(path, "mode=ro") if served else _connect_unnoticed(path)
    deadline = time.monotonic() + CHECK_LIMIT_S
    connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
    try:
        found = connection.execute("PRAGMA quick_check(1)").fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_INTERRUPT":
            raise
        return
    finally:
        connection.close()
    if found != [("ok",)]:
        problem = " ".join(str(found[0][0]).split())
        raise StoreError(f"{path}: is damaged ({problem}); set the file aside or restore a backup")


class SchemaWatch:
    """Notices a newer program that changed the tables under a running one (F2.6)."""

    def __init__(self, path: Path, schema: Schema) -> None:
        self._path = path
        self._schema = schema
        self._seen: int | None = None

    def __call__(self, connection: sqlite3.Connection) -> None:
        """Look at the tables where they are not those of the last look.

        Raises:
            StoreUnavailableError: they are a newer oddsdesk's.
        """
        ((version,),) = connection.execute("PRAGMA schema_version").fetchall()
        if version == self._seen:
            return
        try:
            condition_of(connection, self._path, self._schema)
        except StoreError as error:
            raise StoreUnavailableError(str(error)) from error
        self._seen = version


def _judge_unnoticed(path: Path, schema: Schema) -> Condition:
    """Look without locks, and again where that is no surprise beside one who writes."""
    for _ in range(_LOOKS - 1):
        try:
            return _judge(path, schema)
        except (StoreError, sqlite3.DatabaseError):
            if not path.with_name(f"{path.name}-shm").exists():
                raise
    return _judge(path, schema)


def _judge(path: Path, schema: Schema) -> Condition:
    connection = _connect_unnoticed(path)
    try:
        return condition_of(connection, path, schema)
    finally:
        connection.close()


def _connect_unnoticed(path: Path) -> sqlite3.Connection:
    """Open a file so that SQLite makes, locks and repairs nothing."""
    if sys.platform == "win32":
        return _connect(path, "mode=ro")
    if path.with_name(f"{path.name}-journal").exists():
        return _connect(path, "mode=ro&immutable=1")
    connection = _connect(path, "mode=ro&vfs=unix-none")
    # Keeps the index of the write-ahead log in memory instead of in a file beside it.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return connection


def _connect(path: Path, options: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{options}",
        uri=True,
        timeout=_BUSY_TIMEOUT_S,
        isolation_level=None,
    )
