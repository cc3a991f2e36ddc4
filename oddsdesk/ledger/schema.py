"""The ledger's tables, and how a file is brought up to them."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Final

from oddsdesk.earlier_copy import CopyError, forget_older_copies, keep_copy, way_back
from oddsdesk.places import cannot_be_written, is_on_read_only_disk

_APPLICATION_ID: Final = 0x6F64646C  # "oddl"
_STEPS: Final = (
    (
        """CREATE TABLE preset (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            filter TEXT NOT NULL
        ) STRICT""",
        """CREATE TABLE placed_bet (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            game_id TEXT NOT NULL,
            match_name TEXT NOT NULL,
            competition TEXT NOT NULL,
            sport TEXT NOT NULL,
            market_type TEXT NOT NULL,
            period INTEGER NOT NULL,
            selection TEXT NOT NULL,
            bookmaker TEXT NOT NULL,
            odds REAL NOT NULL CHECK (odds > 1),
            stake REAL NOT NULL CHECK (stake >= 0),
            placed_at INTEGER NOT NULL,
            kick_off INTEGER,
            fair_odds REAL,
            true_ev REAL,
            method TEXT NOT NULL
        ) STRICT""",
    ),
    (
        "ALTER TABLE placed_bet ADD COLUMN net_odds REAL",
        "ALTER TABLE placed_bet ADD COLUMN currency TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE placed_bet ADD COLUMN age_ms INTEGER",
        "ALTER TABLE placed_bet ADD COLUMN cautions TEXT NOT NULL DEFAULT ''",
    ),
    (
        "ALTER TABLE placed_bet ADD COLUMN account TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE placed_bet ADD COLUMN note TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE placed_bet ADD COLUMN preset TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE placed_bet ADD COLUMN result TEXT",
        "ALTER TABLE placed_bet ADD COLUMN settled_at INTEGER",
        "ALTER TABLE placed_bet ADD COLUMN cashed_stake REAL NOT NULL DEFAULT 0",
        "ALTER TABLE placed_bet ADD COLUMN cashed_back REAL NOT NULL DEFAULT 0",
        "ALTER TABLE placed_bet ADD COLUMN close TEXT",  # JSON of a ClosingLine
        # What was done, newest last, with each bet as it was before: JSON, null for a new one.
        """CREATE TABLE bet_change (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            what TEXT NOT NULL,
            before TEXT NOT NULL
        ) STRICT""",
    ),
    (
        """CREATE TABLE hidden (
            kind TEXT NOT NULL,
            key TEXT NOT NULL,
            title TEXT NOT NULL,
            until INTEGER,
            PRIMARY KEY (kind, key)
        ) STRICT""",
    ),
    ("ALTER TABLE placed_bet ADD COLUMN reference TEXT NOT NULL DEFAULT ''",),
    ("ALTER TABLE placed_bet ADD COLUMN per TEXT NOT NULL DEFAULT ''",),
    ("ALTER TABLE placed_bet ADD COLUMN practice INTEGER NOT NULL DEFAULT 0",),
    ("ALTER TABLE placed_bet ADD COLUMN leg INTEGER NOT NULL DEFAULT 0",),
)
"""Statements by version; steps are only ever added at the end."""


class LedgerError(Exception):
    """The ledger cannot be used; the message is one line that says why."""


def recognise(path: Path) -> None:
    """Refuse a file that is not a ledger before SQLite may change anything of it.

    Raises:
        LedgerError: it is another program's database, or a newer oddsdesk's.
        sqlite3.Error: it is no database.
    """
    if not path.is_file() or path.stat().st_size == 0:
        return
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
        try:
            _version_of(connection, path)
        except sqlite3.DatabaseError:
            if not path.with_name(f"{path.name}-journal").exists():
                raise
            # torn by a power failure: it is judged again once SQLite has undone that


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Bring an opened file, or memory where there is none, to the present schema, or say why not.

    Raises:
        LedgerError: it is another program's database, or a newer oddsdesk's.
        sqlite3.Error: it is no database, damaged, locked or cannot be written.
    """
    # A rollback journal, not WAL: two desks may write, and SQLite before 3.51.3 can lose
    # pages where two connections checkpoint. A bet a minute needs no WAL. EXTRA: a bet is kept
    # by the journal's removal, which FULL leaves to the system to write through.
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("BEGIN IMMEDIATE")
    try:
        _migrate(connection, path)
    except CopyError as error:
        connection.execute("ROLLBACK")
        raise LedgerError(str(error)) from error
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    if path.exists():
        forget_older_copies(path)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    version = _version_of(connection, path)
    if version == len(_STEPS):
        return
    if version > 0:
        keep_copy(path)
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    for statements in _STEPS[version:]:
        for statement in statements:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(_STEPS)}")


def _version_of(connection: sqlite3.Connection, path: Path) -> int:
    """Return how many steps a ledger has, 0 for an empty file."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != _APPLICATION_ID:
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall():
            raise LedgerError(f"{path}: is a database of another kind, not the ledger")
        return 0
    if version > len(_STEPS):
        back = way_back(path, recognise, LedgerError)
        raise LedgerError(f"{path}: was written by a newer oddsdesk; update this one{back}")
    return int(version)


def reason(path: Path, error: sqlite3.Error) -> str:
    """Return in plain words why SQLite refused, and what to do."""
    match getattr(error, "sqlite_errorname", ""):
        case "SQLITE_NOTADB" | "SQLITE_CORRUPT":
            return f"is no database or is damaged ({error}); set the file aside"
        case "SQLITE_FULL":
            return "the disk is full; nothing was recorded"
        case name if name.startswith("SQLITE_CANTOPEN") and not is_on_read_only_disk(path):
            return "cannot be opened; is it a file, and may its folder be written?"
        case name if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
            return cannot_be_written(path)
        case name if name.startswith("SQLITE_BUSY"):
            return "is locked by another program; try again when that has ended"
        case _:
            return f"cannot be used ({error})"
