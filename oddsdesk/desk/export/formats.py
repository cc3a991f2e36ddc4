"""The file formats a table can be written in."""

import csv
import io
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final, NamedTuple

import msgspec

from oddsdesk.desk.export.table import Kind, Table, plain_text
from oddsdesk.desk.export.workbook import write_xlsx

Progress = Callable[[int], None]
"""Called with the rows written so far; may raise to end the writing."""

STEP: Final = 500
"""Rows between two reports of progress."""
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
"""Without it, Excel reads UTF-8 as the machine's old code page."""


class FileFormat(NamedTuple):
    """One format: its name, the ending of its files, and what writes it."""

    title: str
    suffix: str
    write: Callable[[Table, BinaryIO, Progress], None]


def write_csv(table: Table, file: BinaryIO, progress: Progress) -> None:
    """Write RFC 4180 in UTF-8, column keys first; texts are safe in a spreadsheet."""
    file.write(_BYTE_ORDER_MARK)
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow([column.key for column in table.columns])
    for start in _steps(table, progress):
        writer.writerows(
            [plain_text(value) for value in row] for row in table.rows[start : start + STEP]
        )
    text.detach()


def write_json(table: Table, file: BinaryIO, progress: Progress) -> None:
    """Write an array of objects by column key, one a line; texts stand as they are."""
    keys = [column.key for column in table.columns]
    encode = msgspec.json.Encoder().encode
    file.write(b"[")
    for start in _steps(table, progress):
        for number, row in enumerate(table.rows[start : start + STEP], start):
            file.write(b",\n" if number else b"\n")
            file.write(encode(dict(zip(keys, row, strict=True))))
    file.write(b"\n]\n")


def write_workbook(table: Table, file: BinaryIO, progress: Progress) -> None:
    """Write XLSX: titles frozen above, numbers as numbers, texts safe."""
    numbers = [column.kind is Kind.NUMBER for column in table.columns]
    write_xlsx(table, numbers, file, _steps(table, progress), STEP)


CSV: Final = FileFormat("CSV", ".csv", write_csv)
XLSX: Final = FileFormat("Excel workbook", ".xlsx", write_workbook)
JSON: Final = FileFormat("JSON", ".json", write_json)
FORMATS: Final = (CSV, XLSX, JSON)


def _steps(table: Table, progress: Progress) -> Iterator[int]:
    for start in range(0, len(table.rows), STEP):
        progress(start)
        yield start
    progress(len(table.rows))
