"""Reading and writing the settings of a database."""

import sqlite3
from typing import Final

from oddsdesk.store.settings import DEFAULT_REFERENCE, REFERENCE, SHIFT_TO_NOW

_FEED: Final = "feed "
"""Before the text of a feed: what it keeps between two runs."""

READ_SETTING: Final = "SELECT value FROM setting WHERE key = ?"
_PUT: Final = """
INSERT INTO setting (key, value) VALUES (?, ?)
ON CONFLICT DO UPDATE SET value = excluded.value
"""


def rewrite_first_page(connection: sqlite3.Connection) -> None:
    """Write a page as it is: a commit without one touches no disk."""
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    connection.execute(f"PRAGMA user_version = {version}")


def put_setting(connection: sqlite3.Connection, key: str, value: str | int) -> None:
    """Write one setting."""
    connection.execute(_PUT, (key, value))


def number_setting(connection: sqlite3.Connection, key: str) -> int | None:
    """Return a setting that is a number, None where it was never set."""
    rows = connection.execute(READ_SETTING, (key,)).fetchall()
    return int(rows[0][0]) if rows else None


def keep_for_feed(connection: sqlite3.Connection, spec: str, kept: bytes) -> None:
    """Keep what a feed wants to know when it runs next."""
    put_setting(connection, _FEED + spec, kept.decode())


def kept_for_feed(connection: sqlite3.Connection, spec: str) -> bytes | None:
    """Return what a feed kept, None where it never did."""
    rows = connection.execute(READ_SETTING, (_FEED + spec,)).fetchall()
    return str(rows[0][0]).encode() if rows else None


def agree_on_shift(connection: sqlite3.Connection, own_ms: int, *, again: bool) -> int:
    """Return by how much an import moves its times; see ``Store.agree_on_shift``."""
    first = number_setting(connection, SHIFT_TO_NOW)
    if first is not None and not again:
        return first
    put_setting(connection, SHIFT_TO_NOW, own_ms)
    return own_ms


def stored_reference(connection: sqlite3.Connection) -> str:
    """Return the name of the reference bookmaker that this database was last served with."""
    rows = connection.execute(READ_SETTING, (REFERENCE,)).fetchall()
    return str(rows[0][0]) if rows else DEFAULT_REFERENCE
