"""Inspecting a database file and its engine: damage and number of rows."""

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from oddsdesk.store.errors import StoreError
from oddsdesk.store.settings import Settings
from oddsdesk.store.sqlite import recognition
from oddsdesk.store.sqlite.access_file import SCHEMA as ACCESS
from oddsdesk.store.sqlite.database import connect_to_copy
from oddsdesk.store.sqlite.migrations import Schema
from oddsdesk.store.sqlite.schema import ODDS

QUICK_LIMIT_S: Final = 5.0
"""How long the quick check for damage may take; a big file is checked in part."""
MAX_TOLD: Final = 10
_WAL_RESET_FIXED: Final = (3, 51, 3)


def sqlite_version() -> str:
    """Return the version of the SQLite that this process uses."""
    return sqlite3.sqlite_version


def has_wal_reset_bug() -> bool:
    """Return whether that SQLite has the bug that ``WriteAheadLog`` works around."""
    return sqlite3.sqlite_version_info < _WAL_RESET_FIXED


def damage(path: Path, schema: Schema, *, full: bool) -> list[str]:
    """Return up to ten kinds of damage; nothing for an undamaged file, of any version.

    ``schema`` is what the file should hold, ``ODDS`` or ``ACCESS``.

    Raises:
        StoreError: the file cannot be read.
    """
    check = "integrity_check" if full else "quick_check"
    with _reading(path, schema, is_current=False) as connection:
        if not full:
            deadline = time.monotonic() + QUICK_LIMIT_S
            connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
        try:
            rows = connection.execute(f"PRAGMA {check}({MAX_TOLD})").fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_INTERRUPT":
                raise
            return []
    return [] if rows == [("ok",)] else [str(text) for (text,) in rows]


def count_rows(path: Path) -> tuple[int, int]:
    """Return how many games and quotes an odds file holds.

    Raises:
        NotYetError: it is empty, or from an older oddsdesk.
        StoreError: the file cannot be read.
    """
    with _reading(path, ODDS) as connection:
        query = "SELECT (SELECT count(*) FROM game), (SELECT count(*) FROM quote)"
        games, quotes = connection.execute(query).fetchall()[0]
    return int(games), int(quotes)


def count_active_keys(path: Path) -> int:
    """Return how many keys of an access file are active.

    Raises:
        NotYetError: it is empty, or from an older oddsdesk.
        StoreError: the file cannot be read.
    """
    with _reading(path, ACCESS) as connection:
        query = "SELECT count(*) FROM api_key WHERE revoked_at IS NULL"
        return int(connection.execute(query).fetchall()[0][0])


def bytes_of(path: Path) -> int:
    """Return the size of a copy of a database, 0 if it cannot be read."""
    try:
        with contextlib.closing(connect_to_copy(path)) as connection:
            sizes = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
            return int(connection.execute(sizes).fetchall()[0][0])
    except (StoreError, sqlite3.DatabaseError):
        return 0


def stored_reference_of(path: Path) -> str:
    """Return the sharp book of an odds file of any version.

    Raises:
        StoreError: it is missing, not an odds file, or cannot be read.
    """
    if path.exists():
        recognition.recognise(path, ODDS)
    connection = connect_to_copy(path)
    try:
        if recognition.condition_of(connection, path, ODDS) is recognition.Condition.FRESH:
            raise StoreError(f"{path}: is not an oddsdesk odds database")
        return Settings(connection).stored_reference()
    except sqlite3.DatabaseError as error:
        raise recognition.unusable(path, error) from error
    finally:
        connection.close()


@contextlib.contextmanager
def _reading(
    path: Path, schema: Schema, *, is_current: bool = True
) -> Iterator[sqlite3.Connection]:
    """Yield a connection that reads a file; unless ``is_current`` of any version."""
    condition = recognition.recognise(path, schema, look_for_damage=False)
    if is_current:
        recognition.check_current(condition, path)
    try:
        with contextlib.closing(connect_to_copy(path)) as connection:
            yield connection
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{path}: cannot be read ({error})") from error
