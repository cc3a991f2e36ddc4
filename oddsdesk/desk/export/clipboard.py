"""A table for the clipboard: tab-separated for spreadsheets, HTML for documents."""

from html import escape

from oddsdesk.desk.export.table import Kind, Row, Table, Value, plain_text, safe_text

_BREAKS = str.maketrans(dict.fromkeys("\t\r\n\v\f\x85\u2028\u2029", " "))


def tsv_text(table: Table) -> str:
    """Return the table with a tab between cells, titles first; a cell never breaks its line."""
    rows = [[column.title for column in table.columns], *table.rows]
    return "".join(_tsv_line(row) for row in rows)


def html_text(table: Table) -> str:
    """Return the table as HTML, numbers to the right."""
    head = "".join(f"<th>{escape(column.title)}</th>" for column in table.columns)
    opening = [
        '<td align="right">' if column.kind is Kind.NUMBER else "<td>" for column in table.columns
    ]
    body = "".join(_html_row(opening, row) for row in table.rows)
    return f'<meta charset="utf-8"><table><tr>{head}</tr>{body}</table>'


def _html_row(opening: list[str], row: Row) -> str:
    cells = zip(opening, row, strict=True)
    return f"<tr>{''.join(f'{tag}{escape(_cell(value))}</td>' for tag, value in cells)}</tr>"


def _tsv_line(row: Row) -> str:
    return "\t".join(map(_cell, row)) + "\n"


def _cell(value: Value) -> str:
    if isinstance(value, str):
        return safe_text(value.translate(_BREAKS).strip())
    return plain_text(value)
