"""Whether the tables of somebody else's file are ours, and nothing in it acts by itself."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from oddsdesk.contract.quoting import shown
from oddsdesk.store.errors import StoreError
from oddsdesk.store.sqlite.migrations import Schema, migrate

_COMMENT: Final = re.compile(r"--[^\n]*")
_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '*sqlite_*'"
"""Without those of SQLite and of sqlite-utils."""
_COLUMNS: Final = 'SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?)'
_INDEXES: Final = 'SELECT name, "unique", partial FROM pragma_index_list(?)'
_INDEX_COLUMNS: Final = "SELECT name, desc, coll FROM pragma_index_xinfo(?)"
_VIEWS: Final = "SELECT name, sql FROM sqlite_master WHERE type = 'view'"


def check_nothing_acts(path: Path) -> None:
    """Refuse a file with triggers, which would change what is recorded from then on.

    Raises:
        StoreError: it has one; one line.
        sqlite3.DatabaseError: it cannot be read.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger' LIMIT 1"
        for (name,) in connection.execute(query).fetchall():
            raise StoreError(
                f"{path}: has a trigger, {shown(name)}, which no oddsdesk makes: drop it in the"
                " backup first, as docs/backup.md says"
            )


def check_tables(connection: sqlite3.Connection, path: Path, schema: Schema) -> None:
    """Refuse a file of the present version whose tables, views or indexes are not its own.

    What somebody has added under other names is let be: nothing of ours reads it.

    Raises:
        StoreError: one is missing, or another; one line.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as ours:
        migrate(ours, schema, lambda: None)
        expected = dict(_shape(ours))
    found = dict(_shape(connection))
    for name, shape in expected.items():
        if name not in found:
            raise StoreError(f"{path}: lacks {name}, which every database of oddsdesk has")
        if found[name] != shape:
            raise StoreError(f"{path}: what it calls {name} is not what oddsdesk makes")


def _shape(connection: sqlite3.Connection) -> Iterator[tuple[str, object]]:
    """Yield what a database holds by its name.

    A table is its columns and its indexes, whose texts depend on who made them; a view is its text.
    """
    for (name,) in connection.execute(_TABLES).fetchall():
        yield name, connection.execute(_COLUMNS, (name,)).fetchall()
        for index, *said in connection.execute(_INDEXES, (name,)).fetchall():
            if not index.startswith("sqlite_"):
                yield index, (name, said, connection.execute(_INDEX_COLUMNS, (index,)).fetchall())
    for name, text in connection.execute(_VIEWS).fetchall():
        yield name, " ".join(_COMMENT.sub(" ", text).split())
