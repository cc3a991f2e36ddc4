"""Checking a database file before any change: whether it is ours, undamaged, which version."""

import os
import sqlite3
import sys
import time
from enum import Enum, auto
from pathlib import Path
from typing import Final

from oddsdesk.base.earlier_copy import way_back
from oddsdesk.base.files import user_name
from oddsdesk.base.places import cannot_be_written, is_on_read_only_disk
from oddsdesk.base.system_errors import READ_ONLY_DISK
from oddsdesk.base.texts import N_
from oddsdesk.store.databases import unreachable
from oddsdesk.store.errors import HalfMadeError, NotYetError, StoreError, StoreUnavailableError
from oddsdesk.store.sqlite.migrations import HALF_MADE, Schema, applied_steps, migrated_sets

CHECK_LIMIT_S: Final = 0.2
"""How long the check for damage may take at the start (s); a big file is checked in part."""
_UNNOTICED: Final = "mode=ro&immutable=1"
"""With these SQLite makes, locks and repairs nothing. The file is never opened without SQLite:
closing it would drop the locks of all this process's connections to it
(https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_)."""
_BUSY_TIMEOUT_S: Final = 5.0


class Condition(Enum):
    """What is needed before a file can be used."""

    FRESH = auto()
    """Its tables must be made."""
    OUTDATED = auto()
    """It was made by an older oddsdesk."""
    CURRENT = auto()


def recognise(path: Path, schema: Schema, *, look_for_damage: bool = True) -> Condition:
    """Check a file without changing it or its neighbours.

    Opened as usual, SQLite would finish or undo the work of a crashed program.

    Raises:
        StoreError: it is not a database, another program's, a newer oddsdesk's or damaged, or
        cannot be read; one line.
    """
    try:
        return _recognised(path, schema, look_for_damage)
    except OSError as error:
        raise unreachable(path, error) from error
    except sqlite3.DatabaseError as error:
        raise unusable(path, error) from error


def _recognised(path: Path, schema: Schema, look_for_damage: bool) -> Condition:
    if not path.exists():
        return Condition.FRESH
    if path.is_dir():
        raise StoreError(f"{path}: cannot be opened: it is a folder")
    if not path.is_file():
        raise StoreError(f"{path}: is not a regular file")
    if path.stat().st_size == 0:
        return Condition.FRESH
    try:
        condition = _judge_unnoticed(path, schema)
    except sqlite3.DatabaseError:
        if not path.with_name(f"{path.name}-journal").exists():
            raise
        return Condition.FRESH  # torn while it was made: judged again once SQLite has undone that
    if look_for_damage and condition is not Condition.FRESH:
        check_for_damage(path)
    return condition


def unusable(path: Path, error: sqlite3.DatabaseError) -> StoreError:
    """Return SQLite's error about a file as one line with what to do."""
    return StoreError(f"{path}: {_reason(path, error)}")


SQLITES_WORDS: Final = (
    *(N_("disk I/O error"), N_("database disk image is malformed"), N_("file is not a database")),
    *(N_("unable to open database file"), N_("database or disk is full")),
    *(N_("attempt to write a readonly database"), N_("database is locked")),
)
"""Errors of SQLite that our errors quote; listed to be translated with them."""


def refusal_in_words(path: Path, error: StoreError) -> StoreError:
    """Return the error of a command that does not wait: the file, and what to do."""
    cause = error.__cause__
    return unusable(path, cause) if isinstance(cause, sqlite3.DatabaseError) else error


def _reason(path: Path, error: sqlite3.DatabaseError) -> str:
    match getattr(error, "sqlite_errorname", ""):
        case "SQLITE_NOTADB":
            return N_("is not a database; choose another file, or move this one away")
        case "SQLITE_CORRUPT":
            return N_(f"is damaged ({error}); move the file away or restore a backup")
        case "SQLITE_CANTOPEN" | "SQLITE_CANTOPEN_ISDIR":
            return _why_not_opened(path)
        case name if name.startswith("SQLITE_READONLY"):
            return cannot_be_written(path)
        case "SQLITE_FULL":
            return N_("the disk is full; free some space and try again")
        case name if name.startswith("SQLITE_BUSY"):
            return N_("is locked by another program; close it and try again")
        case _:
            return N_(f"cannot be used ({error})")


def _why_not_opened(path: Path) -> str:
    """Explain SQLite's "unable to open database file", as far as the system tells."""
    if os.access(path, os.F_OK) and not os.access(path, os.R_OK):
        owner = path.stat().st_uid
        is_theirs = sys.platform != "win32" and owner != os.geteuid()
        return N_(f"belongs to {user_name(owner)}") if is_theirs else N_("you may not read it")
    if is_on_read_only_disk(path):
        return N_(f"cannot be opened: {READ_ONLY_DISK}, and SQLite needs to write files next to it")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        return N_(
            "its folder is not writable, and SQLite needs to write files next to it; check"
            " permissions"
        )
    return N_("cannot be opened; is it a file?")


def condition_of(connection: sqlite3.Connection, path: Path, schema: Schema) -> Condition:
    """Check a file through an open connection.

    Raises:
        HalfMadeError: its copy is unfinished.
        StoreError: it is another program's or a newer oddsdesk's.
    """
    applied = applied_steps(connection, schema)
    if applied is None and (other := migrated_sets(connection)):
        raise StoreError(f"{path}: is a file of {', '.join(other)}, not of {schema.name}")
    if applied is None:
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall():
            raise StoreError(f"{path}: is a database of another program")
        return Condition.FRESH
    if HALF_MADE in applied:
        raise HalfMadeError(str(path))
    known = {step.name for step in schema.steps}
    if applied - known:
        back = way_back(path, lambda copy: _judge_unnoticed(copy, schema), StoreError)
        raise StoreError(f"{path}: was written by a newer oddsdesk; update this one{back}")
    return Condition.CURRENT if applied == known else Condition.OUTDATED


def check_current(
    condition: Condition, path: Path, if_empty: str = N_("is empty; the next start fills it")
) -> None:
    """Refuse a file that needs a migration, for callers that only read.

    ``if_empty`` is what is said of an empty file.

    Raises:
        NotYetError: it needs one; the next program that opens it for writing migrates it.
    """
    if condition is Condition.FRESH:
        raise NotYetError(f"{path}: {if_empty}")
    if condition is Condition.OUTDATED:
        raise NotYetError(
            f"{path}: was made by an older oddsdesk; start a server or desk to update it"
        )


def check_for_damage(path: Path) -> None:
    """Check for damage, for ``CHECK_LIMIT_S`` at most.

    Raises:
        StoreError: something was found.
    """
    # With a log, only SQLite's locks prevent reading half a change.
    connection = _connect(path, "mode=ro" if _has_log(path) else _UNNOTICED)
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
        raise StoreError(f"{path}: is damaged ({problem}); move the file away or restore a backup")


class SchemaCheck:
    """Notices a newer program that changed the tables under a running one (F2.6)."""

    def __init__(self, path: Path, schema: Schema) -> None:
        self._path = path
        self._schema = schema
        self._seen: int | None = None

    def __call__(self, connection: sqlite3.Connection) -> None:
        """Check the tables if they changed since the last check.

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
    """Check the file alone first; its write-ahead log is opened only if the file may be ours."""
    try:
        condition = _judge(path, schema, _UNNOTICED)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorname == "SQLITE_NOTADB" or not _has_log(path):
            raise
    else:
        if not _has_log(path):
            return condition
    return _judge(path, schema, "mode=ro")


def _judge(path: Path, schema: Schema, options: str) -> Condition:
    connection = _connect(path, options)
    try:
        return condition_of(connection, path, schema)
    finally:
        connection.close()


def _has_log(path: Path) -> bool:
    return path.with_name(f"{path.name}-wal").exists()


def _connect(path: Path, options: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{options}",
        uri=True,
        timeout=_BUSY_TIMEOUT_S,
        isolation_level=None,
    )
