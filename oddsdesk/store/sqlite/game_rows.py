"""All rows of a game in the odds file, and what was said of it (``store.pair_tables``)."""

import sqlite3
from typing import Final

from oddsdesk.store.pair_tables import GAME_TABLES, GameRows, Row, SaidKey, StoredSaid

_LAST_SEQ: Final = "SELECT coalesce(max(seq), 0) FROM price_change"
_LAST: Final = """
SELECT id, repeats, source, may_share, quote FROM said
WHERE game = ? AND match_name = ? AND bookmaker = ? AND market_type = ? AND period = ?
ORDER BY id DESC LIMIT 1
"""
_SAY: Final = """
INSERT INTO said (game, match_name, bookmaker, market_type, period, repeats, source, may_share,
                  quote)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_DROP: Final = "DELETE FROM said WHERE id = ?"
_LAST_ID: Final = "SELECT coalesce(max(id), 0) FROM said"


class SqliteGameRows:
    """``store.pair_tables.RowTables`` on a connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows_of(self, game: int) -> dict[str, list[Row]]:
        """Return the rows of a game by table, in their order."""
        found = {}
        for table, column in GAME_TABLES.items():
            query = f"SELECT * FROM {table} WHERE {column} = ? ORDER BY 1, 2"  # noqa: S608 - ours
            cursor = self._connection.execute(query, (game,))
            names = [each[0] for each in cursor.description]
            found[table] = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        for row in found["game"]:
            row.pop("kickoff")  # generated
        return found

    def drop_rows(self, game: int) -> None:
        """Drop all rows of a game."""
        for table, column in GAME_TABLES.items():
            statement = f"DELETE FROM {table} WHERE {column} = ?"  # noqa: S608 - ours
            self._connection.execute(statement, (game,))

    def insert_rows(self, rows: GameRows) -> None:
        """Put rows of a game into their tables."""
        for table, each in rows.items():
            for row in each:
                names, places = ", ".join(row), ", ".join("?" * len(row))
                statement = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608 - ours
                self._connection.execute(statement, tuple(row.values()))

    def log_end(self) -> int:
        """Return where the log ends."""
        ((last,),) = self._connection.execute(_LAST_SEQ).fetchall()
        return int(last)

    def last_said(self, key: SaidKey) -> StoredSaid | None:
        """Return what was said last of a market under a name."""
        rows = self._connection.execute(_LAST, key).fetchall()
        return as_said(*rows[0]) if rows else None

    def say(
        self, key: SaidKey, quote: bytes, source: str | None, may_share: bool | None, repeats: bool
    ) -> None:
        """Note what was said."""
        self._connection.execute(_SAY, (*key, repeats, source, may_share, quote))

    def unsay(self, ident: int) -> None:
        """Forget one thing that was said."""
        self._connection.execute(_DROP, (ident,))

    def end_of_said(self) -> int:
        """Return the number of the last thing that was said, 0 where there is none."""
        ((last,),) = self._connection.execute(_LAST_ID).fetchall()
        return int(last)


def as_said(
    ident: int, repeats: int, source: str | None, may_share: int | None, quote: bytes
) -> StoredSaid:
    """Return a row of what was said."""
    shared = None if may_share is None else bool(may_share)
    return StoredSaid(ident, bool(repeats), source, shared, quote)
