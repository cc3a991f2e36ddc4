"""The tables of the ledger file, and how an older file is brought up to date."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Final

from oddsdesk.base.earlier_copy import CopyError, forget_older_copies, keep_copy, way_back
from oddsdesk.base.places import cannot_be_written, is_on_read_only_disk
from oddsdesk.base.texts import _
from oddsdesk.ledger.accounts import ACCOUNT_TABLES

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
        # Changes, newest last, with each bet as it was before: JSON, null for a new bet.
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
    (
        "ALTER TABLE placed_bet ADD COLUMN settled_by TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE placed_bet ADD COLUMN undone TEXT NOT NULL DEFAULT ''",
    ),
    # How lists of bets are read, by their folded titles: JSON of ListChoices.
    ("CREATE TABLE list_choice (titles TEXT PRIMARY KEY, choices TEXT NOT NULL) STRICT",),
    ("ALTER TABLE placed_bet ADD COLUMN derived TEXT NOT NULL DEFAULT ''",),
    (
        "ALTER TABLE placed_bet ADD COLUMN kind TEXT NOT NULL DEFAULT 'back'",
        "ALTER TABLE placed_bet ADD COLUMN unboosted_odds REAL",
        "ALTER TABLE placed_bet ADD COLUMN refund REAL NOT NULL DEFAULT 0",
        "ALTER TABLE placed_bet ADD COLUMN refund_as TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE placed_bet ADD COLUMN place_fraction REAL",
        "ALTER TABLE placed_bet ADD COLUMN places INTEGER",
        "ALTER TABLE placed_bet ADD COLUMN legs TEXT NOT NULL DEFAULT '[]'",  # JSON of BetLegs
        "ALTER TABLE placed_bet ADD COLUMN source_id TEXT NOT NULL DEFAULT ''",
    ),
    ACCOUNT_TABLES,
)
"""Statements by version; new steps are only added at the end."""


class LedgerError(Exception):
    """The ledger cannot be used; the message is one line with the reason."""


def recognise_ledger(path: Path) -> None:
    """Refuse a file that is not a ledger before SQLite can change it.

    Raises:
        LedgerError: it belongs to another program or a newer oddsdesk.
        sqlite3.Error: it is not a database.
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
            # torn by a power cut: check again once SQLite has rolled that back


def prepare_ledger(connection: sqlite3.Connection, path: Path, *, is_copy: bool = False) -> None:
    """Bring an open database to the current schema.

    Of a copy in memory (``is_copy``) the file at ``path`` and its earlier copies stay as they are.

    Raises:
        LedgerError: it belongs to another program or a newer oddsdesk.
        sqlite3.Error: it is not a database, damaged, locked or not writable.
    """
    # A rollback journal, not WAL: two desks may write, and SQLite before 3.51.3 can lose
    # pages when two connections checkpoint. A bet a minute needs no WAL. EXTRA: a bet is safe
    # once the journal is removed, and only EXTRA syncs that removal.
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("BEGIN IMMEDIATE")
    try:
        _migrate(connection, path, is_copy=is_copy)
    except CopyError as error:
        connection.execute("ROLLBACK")
        raise LedgerError(str(error)) from error
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    if path.exists() and not is_copy:
        forget_older_copies(path)


def _migrate(connection: sqlite3.Connection, path: Path, *, is_copy: bool) -> None:
    version = _version_of(connection, path)
    if version == len(_STEPS):
        return
    if version > 0 and not is_copy:
        keep_copy(path)
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    for statements in _STEPS[version:]:
        for statement in statements:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(_STEPS)}")


def _version_of(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version of a ledger, 0 for an empty file."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != _APPLICATION_ID:
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall():
            raise LedgerError(
                _("{path}: not the ledger, but a database of another kind").format(path=path)
            )
        return 0
    if version > len(_STEPS):
        back = way_back(path, recognise_ledger, LedgerError)
        raise LedgerError(
            _("{path}: written by a newer oddsdesk; update this one{back}").format(
                path=path, back=back
            )
        )
    return int(version)


def reason(path: Path, error: sqlite3.Error) -> str:
    """Return why SQLite refused, in plain words, and what to do."""
    match getattr(error, "sqlite_errorname", ""):
        case "SQLITE_NOTADB" | "SQLITE_CORRUPT":
            return _("not a database, or damaged ({error}); move the file away").format(error=error)
        case "SQLITE_FULL":
            return _("the disk is full; nothing was recorded")
        case name if name.startswith("SQLITE_CANTOPEN") and not is_on_read_only_disk(path):
            return _("cannot be opened; check that it is a file and that its folder is writable")
        case name if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
            return cannot_be_written(path)
        case name if name.startswith("SQLITE_BUSY"):
            return _("locked by another program; try again later")
        case _:
            return _("cannot be used ({error})").format(error=error)
