"""All rows of a game, kept as they are and put back (D69)."""

import json
import sqlite3
from typing import Any, Final

from oddsdesk.store.sqlite.said import last_said

TABLES: Final = {
    "game": "id",
    "quote": "game",
    "coverage": "game",
    "value_bet": "game",
    "other_name": "game",
    "event": "game",
    "origin": "game",
}
"""Tables with rows of a game, and their column of it; not the log, which stays as it is."""
_LAST_SEQ: Final = "SELECT coalesce(max(seq), 0) FROM price_change"

Row = dict[str, Any]
"""A row by column."""


def rows_of(connection: sqlite3.Connection, game: int) -> dict[str, list[Row]]:
    """Return all rows of a game by table."""
    found = {}
    for table, column in TABLES.items():
        query = f"SELECT * FROM {table} WHERE {column} = ? ORDER BY 1, 2"  # noqa: S608
        cursor = connection.execute(query, (game,))
        names = [each[0] for each in cursor.description]
        found[table] = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    for row in found["game"]:
        row.pop("kickoff")  # generated
    return found


def this_moment(connection: sqlite3.Connection) -> dict[str, int]:
    """Return where the log ends, and what was said of merged games."""
    ((last_seq,),) = connection.execute(_LAST_SEQ).fetchall()
    return {"last_seq": last_seq, "last_said": last_said(connection)}


def as_it_is(connection: sqlite3.Connection, game: int) -> bytes:
    """Return a game as ``merged_rows.part_rows`` puts it back, as JSON.

    One of which nothing was said yet is put back as none: who speaks of it first makes it.
    """
    rows = rows_of(connection, game)
    before = {"kept": rows if rows["quote"] else {}, "other": {}, "log": []}
    return json.dumps(before | this_moment(connection)).encode()


def insert_row(connection: sqlite3.Connection, table: str, row: Row) -> None:
    """Put a row into its table."""
    names, places = ", ".join(row), ", ".join("?" * len(row))
    query = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608 - names are columns
    connection.execute(query, tuple(row.values()))


def drop_rows(connection: sqlite3.Connection, game: int) -> None:
    """Drop all rows of a game."""
    for table, column in TABLES.items():
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (game,))  # noqa: S608
