"""The tables of accounts, keys and counts in PostgreSQL, inside a transaction."""

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from psycopg import Connection

from oddsdesk.store.access_tables import SharedAccessTables
from oddsdesk.store.quotas import KEPT_WINDOWS, Added, Token

_ADD_COUNT: Final = """
INSERT INTO quota (key_id, kind, window_s, started_s, used)
VALUES (%(key)s, %(kind)s, %(window)s, %(started)s, greatest(%(added)s, 0))
ON CONFLICT (key_id, kind, window_s, started_s) DO UPDATE
SET used = greatest(quota.used + %(added)s, 0)
WHERE %(most)s::bigint IS NULL OR quota.used < %(most)s::bigint
RETURNING used
"""
_FORGET_WINDOWS: Final = """
DELETE FROM quota
WHERE key_id = %(key)s AND kind = %(kind)s AND window_s = %(window)s AND started_s < (
    SELECT started_s FROM quota
    WHERE key_id = %(key)s AND kind = %(kind)s AND window_s = %(window)s
        AND started_s < %(started)s
    ORDER BY started_s DESC LIMIT 1 OFFSET %(kept)s
)
"""
_SPEND: Final = """
INSERT INTO spent_token (nonce, ends_ms) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING true
"""
_FORGET_SPENT: Final = """
DELETE FROM spent_token WHERE nonce IN
    (SELECT nonce FROM spent_token WHERE ends_ms < %s FOR UPDATE SKIP LOCKED)
"""
_VERSION: Final = "SELECT changes FROM access_version"
_CHANGED: Final = "UPDATE access_version SET changes = changes + 1"


class PostgresAccessTables(SharedAccessTables):
    """``store.access.AccessTables`` on a connection."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection

    def add_counts(self, batch: Sequence[Added]) -> list[int | None]:
        """Add counts to their windows; return what each holds then, None where it was full.

        In one order, whoever adds: two processes that lock each other's rows would wait for ever.
        """
        ordered = sorted(enumerate(batch), key=lambda each: _lock_order(each[1]))
        values = [each.as_values() for _, each in ordered]
        totals: list[int | None] = [None] * len(batch)
        for (place, _), row in zip(ordered, self._each(_ADD_COUNT, values), strict=True):
            totals[place] = None if row is None else row[0]
        for added, used in zip(batch, totals, strict=True):
            if used == added.added:  # a new window
                forget = added.as_values() | {"kept": KEPT_WINDOWS}
                self._connection.execute(_FORGET_WINDOWS, forget)
        return totals

    def spend_tokens(self, tokens: Sequence[Token]) -> list[bool]:
        """Note tokens as used; return for each whether it was not yet."""
        ordered = sorted(enumerate(tokens), key=lambda each: each[1])
        is_fresh = [False] * len(tokens)
        rows = self._each(_SPEND, [each for _, each in ordered])
        for (place, _), row in zip(ordered, rows, strict=True):
            is_fresh[place] = row is not None
        return is_fresh

    def forget_tokens(self, before_ms: int) -> None:
        """Remove the used tokens that ended before a time."""
        self._connection.execute(_FORGET_SPENT, (before_ms,))

    def _each(self, query: LiteralString, values: Sequence[Any]) -> list[tuple[Any, ...] | None]:
        """Run a statement with each of some values; return the first row of each, if any."""
        if not values:
            return []
        with self._connection.cursor() as cursor:
            cursor.executemany(query, values, returning=True)
            return [result.fetchone() for result in cursor.results()]

    def version(self) -> int:
        """Return a number that differs once a key or account has changed."""
        return int(self._rows(_VERSION)[0][0])

    def _note_change(self) -> None:
        self._connection.execute(_CHANGED)

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return self._connection.execute(_in_postgres(query), values).fetchall()

    def _run(self, statement: str, *values: Any) -> None:
        self._connection.execute(_in_postgres(statement), values)


def _in_postgres(query: str) -> bytes:
    """Return a query with the placeholders of psycopg."""
    return query.replace("?", "%s").encode()


def _lock_order(added: Added) -> tuple[int, str, int, int]:
    key_id, kind, window_s = added.slot
    return key_id, kind.value, window_s, added.started_s
