"""The tables of accounts, keys and counts in SQLite, inside a transaction."""

import hashlib
import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from oddsdesk.store.access_tables import SharedAccessTables
from oddsdesk.store.quotas import KEPT_WINDOWS, Added, Token

_MARK: Final = """
SELECT
    (SELECT group_concat(hex(digest)) FROM api_key WHERE revoked_at IS NULL),
    (SELECT group_concat(id || plan || quote(bookmaker)) FROM account)
"""
_ADD_COUNT: Final = """
INSERT INTO quota (key_id, kind, window_s, started_s, used)
VALUES (:key, :kind, :window, :started, max(:added, 0))
ON CONFLICT (key_id, kind, window_s, started_s) DO UPDATE SET used = max(used + :added, 0)
WHERE :most IS NULL OR used < :most
RETURNING used
"""
_FORGET_WINDOWS: Final = """
DELETE FROM quota
WHERE key_id = :key AND kind = :kind AND window_s = :window AND started_s < (
    SELECT started_s FROM quota
    WHERE key_id = :key AND kind = :kind AND window_s = :window AND started_s < :started
    ORDER BY started_s DESC LIMIT 1 OFFSET :kept
)
"""
_SPEND: Final = "INSERT OR IGNORE INTO spent_token (nonce, ends_ms) VALUES (?, ?)"
_FORGET_SPENT: Final = "DELETE FROM spent_token WHERE ends_ms < ?"


class SqliteAccessTables(SharedAccessTables):
    """``store.access.AccessTables`` on a connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def mark_of_keys(self) -> bytes:
        """Return what differs once ``callers`` does; SQLite makes it, holding up no thread."""
        ((keys, accounts),) = self._rows(_MARK)
        return hashlib.sha256(f"{keys}\n{accounts}".encode()).digest()

    def add_counts(self, batch: Sequence[Added]) -> list[int | None]:
        """Add counts to their windows; return what each holds then, None where it was full."""
        return [self._add_count(each) for each in batch]

    def _add_count(self, added: Added) -> int | None:
        values = added.as_values()
        rows = self._connection.execute(_ADD_COUNT, values).fetchall()
        if not rows:
            return None
        (used,) = rows[0]
        if used == added.added:  # a new window
            self._connection.execute(_FORGET_WINDOWS, values | {"kept": KEPT_WINDOWS})
        return int(used)

    def spend_tokens(self, tokens: Sequence[Token]) -> list[bool]:
        """Note tokens as used; return for each whether it was not yet."""
        return [self._connection.execute(_SPEND, each).rowcount == 1 for each in tokens]

    def forget_tokens(self, before_ms: int) -> None:
        """Remove the used tokens that ended before a time."""
        self._connection.execute(_FORGET_SPENT, (before_ms,))

    def version(self) -> int:
        """Return SQLite's ``data_version``: it differs after a commit by another connection."""
        return int(self._rows("PRAGMA data_version")[0][0])

    def _note_change(self) -> None:
        """Do nothing: SQLite counts commits itself."""

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, values).fetchall()

    def _run(self, statement: str, *values: Any) -> None:
        self._connection.execute(statement, values)
