"""Tables of spreadsheets, CSV and XLSX, read."""

import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from xml.etree import ElementTree

_MOST_BYTES: Final = 64 * 1024 * 1024
_DELIMITERS: Final = ",;\t"
_MAIN: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_STRINGS: Final = "xl/sharedStrings.xml"


class SheetError(Exception):
    """A table that cannot be read; one line that says why."""


class SheetRow(NamedTuple):
    """A row below the header, with its number as a spreadsheet counts."""

    number: int
    cells: dict[str, str]
    """By the title of the column, blanks around both left out."""


def read_sheet(data: bytes) -> tuple[list[str], list[SheetRow]]:
    """Return the titles of a table's columns, and its rows; empty ones are left out.

    Raises:
        SheetError: it is neither CSV in UTF-8 or Windows-1252 nor XLSX, or has no titles.
    """
    if len(data) > _MOST_BYTES:
        raise SheetError("is larger than 64 MB")
    lines = list(_workbook_lines(data) if data.startswith(b"PK") else _csv_lines(data))
    header = [title.strip() for title in lines[0][1]] if lines else []
    if not any(header):
        raise SheetError("has no titles of columns in its first line")
    rows = []
    for number, cells in lines[1:]:
        named = {title: cell.strip() for title, cell in zip(header, cells, strict=False) if title}
        if any(named.values()):
            rows.append(SheetRow(number, named))
    return [title for title in header if title], rows


def _csv_lines(data: bytes) -> Iterator[tuple[int, Sequence[str]]]:
    text = _text(data)
    first = text.split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise SheetError(f"line {reader.line_num}: expected separated values ({error})") from error


def _text(data: bytes) -> str:
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise SheetError("is neither text in UTF-8 or Windows-1252 nor an Excel workbook")


def _workbook_lines(data: bytes) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the rows of a workbook's first sheet."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/sheet")]
            if not sheets:
                raise SheetError("is no Excel workbook with a sheet")
            strings = []
            if _STRINGS in book.namelist():
                strings = [_all_text(each) for each in _xml(book, _STRINGS).iter(f"{_MAIN}si")]
            sheet = _xml(book, min(sheets, key=lambda name: (len(name), name)))
            for number, row in enumerate(sheet.iter(f"{_MAIN}row"), 1):
                yield int(row.get("r", number)), _cells(row, strings)
    except (zipfile.BadZipFile, ElementTree.ParseError, ValueError, IndexError, KeyError) as error:
        raise SheetError(f"is no readable Excel workbook ({error})") from error


def _xml(book: zipfile.ZipFile, name: str) -> ElementTree.Element:
    if book.getinfo(name).file_size > _MOST_BYTES:
        raise SheetError("has a sheet larger than 64 MB")
    text = book.read(name)
    if b"<!DOCTYPE" in text:  # no workbook has one; entities of one may grow without end
        raise SheetError("is no Excel workbook")
    return ElementTree.fromstring(text)  # noqa: S314 - without a DOCTYPE nothing can be expanded


def _cells(row: ElementTree.Element, strings: Sequence[str]) -> list[str]:
    cells: list[str] = []
    for cell in row.iter(f"{_MAIN}c"):
        place = _column(cell.get("r", "")) if cell.get("r") else len(cells)
        cells += [""] * (place - len(cells))
        cells.append(_value(cell, strings))
    return cells


def _column(reference: str) -> int:
    """Return the place of a column: ``B7`` is in column 1."""
    place = 0
    for letter in reference:
        if not letter.isalpha():
            break
        place = place * 26 + ord(letter.upper()) - ord("A") + 1
    if not 0 < place <= 16_384:
        raise ValueError(f"cell {reference!r}")
    return place - 1


def _value(cell: ElementTree.Element, strings: Sequence[str]) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return _all_text(cell)
    text = cell.findtext(f"{_MAIN}v") or ""
    if kind == "s":
        return strings[int(text)]
    if kind == "b":
        return "true" if text == "1" else "false"
    return text


def _all_text(element: ElementTree.Element) -> str:
    return "".join(each.text or "" for each in element.iter(f"{_MAIN}t"))
