"""Many new rows in few statements."""

import sqlite3
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any, Final

ROWS: Final = 64
"""How many rows a statement has; SQLite before 3.32 takes 999 values in all."""


def insert(connection: sqlite3.Connection, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows in their order, inside a transaction.

    A statement of its own costs each row a quarter more where a table counts its numbers. Where a
    row is refused those before it stay, so that SQLite need not keep what each statement changes:
    the caller rolls back.

    Args:
        connection: Whose transaction it is.
        into: Table and columns.
        rows: Values of these columns.
    """
    if not rows:
        return
    one, many = _statements(into, len(rows[0]))
    whole = len(rows) - len(rows) % ROWS
    starts = range(0, whole, ROWS)
    flat = (tuple(chain.from_iterable(rows[start : start + ROWS])) for start in starts)
    connection.executemany(many, flat)
    connection.executemany(one, rows[whole:])


@cache
def _statements(into: str, width: int) -> tuple[str, str]:
    values = f"({', '.join('?' * width)})"
    one = f"INSERT OR FAIL INTO {into} VALUES {values}"  # noqa: S608 - ours
    return one, f"{one}{f', {values}' * (ROWS - 1)}"
