"""A table on its way out: named columns and rows of plain values."""

from collections.abc import Sequence
from typing import Final

import msgspec

from oddsdesk.contract.times import format_ms
from oddsdesk.desk.ui.table.column_spec import Kind, Value
from oddsdesk.formula_texts import safe_text

Row = Sequence[Value]


class ExportColumn(msgspec.Struct, frozen=True):
    """One column: ``key`` for programs, unit included; ``title`` for people."""

    key: str
    title: str
    kind: Kind = Kind.TEXT
    decimals: int | None = None
    """How a workbook shows its figures; None: with two to four decimals."""


class Table(msgspec.Struct, frozen=True):
    """Columns and rows, each row with a value a column."""

    columns: tuple[ExportColumn, ...]
    rows: Sequence[Row]

    def with_shared(self, **values: Value) -> "Table":
        """Return the table with more columns, each with one value in all rows."""
        more = tuple(ExportColumn(key, key.replace("_", " ")) for key in values)
        rows = [[*row, *values.values()] for row in self.rows]
        return Table((*self.columns, *more), rows)


def plain_text(value: Value) -> str:
    """Return a value as a text cell of CSV and TSV: safe, numbers in full, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return safe_text(value) if isinstance(value, str) else repr(value)


_BREAKS = str.maketrans(dict.fromkeys("\t\r\n\v\f\x85\u2028\u2029", " "))


def tsv_text(table: Table) -> str:
    """Return the table with a tab between cells, titles first; a cell never breaks its line."""
    rows = [[column.title for column in table.columns], *table.rows]
    return "".join(_tsv_line(row) for row in rows)


def html_text(table: Table) -> str:
    """Return the table as HTML, numbers to the right."""
    from html import escape  # noqa: PLC0415 - few starts need it

    head = "".join(f"<th>{escape(column.title)}</th>" for column in table.columns)
    opening = [
        '<td align="right">' if column.kind is Kind.NUMBER else "<td>" for column in table.columns
    ]
    body = "".join(
        f"<tr>{''.join(f'{tag}{escape(_cell(value))}</td>' for tag, value in cells)}</tr>"
        for cells in (zip(opening, row, strict=True) for row in table.rows)
    )
    return f'<meta charset="utf-8"><table><tr>{head}</tr>{body}</table>'


def _tsv_line(row: Row) -> str:
    return "\t".join(map(_cell, row)) + "\n"


def _cell(value: Value) -> str:
    if isinstance(value, str):
        return safe_text(value.translate(_BREAKS).strip())
    return plain_text(value)


def time_value(at_ms: int | None) -> str | None:
    """Return a time as tables hold it: as on the wire (D2)."""
    return None if at_ms is None else format_ms(at_ms)


GAME: Final = (
    ExportColumn("game_id", "Game id"),
    ExportColumn("match_name", "Game"),
    ExportColumn("competition", "Competition"),
    ExportColumn("sport", "Sport"),
    ExportColumn("kick_off", "Kick-off", Kind.TIME),
)
"""What rows of a game begin with, so that they can be put beside other tables."""
SELECTION: Final = (
    ExportColumn("market_type", "Market"),
    ExportColumn("period", "Period", Kind.NUMBER),
    ExportColumn("selection", "Selection"),
)
