"""A table on its way out: named columns and rows of plain values."""

from collections.abc import Sequence
from enum import Enum

import msgspec

Value = str | float | int | bool | None
Row = Sequence[Value]

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet may take for the start of a formula, full-width signs included."""


class Kind(Enum):
    """What the values of a column are."""

    TEXT = "text"
    NUMBER = "number"
    TIME = "time"
    """ISO-8601 texts in UTC, as on the wire (D2)."""
    FLAG = "flag"


class ExportColumn(msgspec.Struct, frozen=True):
    """One column: ``key`` for programs, unit included; ``title`` for people."""

    key: str
    title: str
    kind: Kind = Kind.TEXT


class Table(msgspec.Struct, frozen=True):
    """Columns and rows, each row with a value a column."""

    columns: tuple[ExportColumn, ...]
    rows: Sequence[Row]


def safe_text(text: str) -> str:
    """Return a text that no spreadsheet reads as a formula: an apostrophe goes before one."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def plain_text(value: Value) -> str:
    """Return a value as a text cell of CSV and TSV: safe, numbers in full, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return safe_text(value) if isinstance(value, str) else repr(value)
