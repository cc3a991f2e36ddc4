"""XLSX by xlsxwriter, which is an extra: it says so where it is missing."""

from collections.abc import Iterable, Sequence
from typing import BinaryIO

from oddsdesk.desk.export.table import Table, safe_text

_MOST_ROWS = 1_048_575
"""An Excel sheet's, below its titles."""
_WIDTHS = (9, 34)
_SAMPLED = 200


class ExportError(Exception):
    """A table that cannot be written; one line that says why and what to do."""


def write_xlsx(
    table: Table, numbers: Sequence[bool], file: BinaryIO, starts: Iterable[int], step: int
) -> None:
    """Write one sheet; ``numbers`` tells the columns set to the right.

    Raises:
        ExportError: xlsxwriter is not installed, or the rows are more than a sheet holds.
    """
    try:
        import xlsxwriter  # noqa: PLC0415 - an extra, and 60 ms that only an export needs
    except ImportError as error:
        raise ExportError(
            "Excel files need the extra: pip install 'oddsdesk[xlsx]'; CSV works without."
        ) from error
    if len(table.rows) > _MOST_ROWS:
        raise ExportError(
            f"An Excel sheet holds {_MOST_ROWS:,} rows and there are {len(table.rows):,}; "
            "filter them or choose CSV."
        )
    book = xlsxwriter.Workbook(file, {"constant_memory": True, "in_memory": False})
    try:
        sheet = book.add_worksheet("Odds")
        bold = {side: book.add_format({"bold": True, "align": side}) for side in ("left", "right")}
        sheet.freeze_panes(1, 0)
        sheet.autofilter(0, 0, max(1, len(table.rows)), max(0, len(table.columns) - 1))
        for column, spec in enumerate(table.columns):
            sheet.set_column(column, column, _width(table, column))
            sheet.write_string(0, column, spec.title, bold["right" if numbers[column] else "left"])
        for start in starts:
            for number, row in enumerate(table.rows[start : start + step], start + 1):
                _write_row(sheet, number, row)
    finally:
        book.close()


def _write_row(sheet: object, number: int, row: Sequence[object]) -> None:
    for column, value in enumerate(row):
        if isinstance(value, bool):
            sheet.write_boolean(number, column, value)  # type: ignore[attr-defined]
        elif isinstance(value, str):
            sheet.write_string(number, column, safe_text(value))  # type: ignore[attr-defined]
        elif value is not None:
            sheet.write_number(number, column, value)  # type: ignore[attr-defined]


def _width(table: Table, column: int) -> int:
    sample = [str(row[column]) for row in table.rows[:_SAMPLED] if row[column] is not None]
    longest = max(map(len, [table.columns[column].title, *sample]))
    return max(_WIDTHS[0], min(_WIDTHS[1], longest + 2))
