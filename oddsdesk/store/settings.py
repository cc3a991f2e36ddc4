"""Facts of a database that are one value each."""

import sqlite3
from typing import Final

REFERENCE: Final = "reference"
LAST_SIMULATED_AT: Final = "last_simulated_at"
LAST_REAL_AT: Final = "last_real_at"
DEFAULT_REFERENCE: Final = "Pinnacle"
"""The reference bookmaker where none was ever set (D1)."""

READ_SETTING: Final = "SELECT value FROM setting WHERE key = ?"
_PUT: Final = """
INSERT INTO setting (key, value) VALUES (?, ?)
ON CONFLICT DO UPDATE SET value = excluded.value
"""


def put_setting(connection: sqlite3.Connection, key: str, value: str | int) -> None:
    """Write one setting."""
    connection.execute(_PUT, (key, value))


def stored_reference(connection: sqlite3.Connection) -> str:
    """Return the name of the reference bookmaker that this database was last served with."""
    rows = connection.execute(READ_SETTING, (REFERENCE,)).fetchall()
    return str(rows[0][0]) if rows else DEFAULT_REFERENCE
