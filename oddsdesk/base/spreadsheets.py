"""Spreadsheets, CSV and XLSX, read row by row."""

import codecs
import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from xml.etree import ElementTree

LONGEST_ROW: Final = 1024 * 1024
"""Characters of a CSV row, including quoted line breaks."""
_MOST_BYTES: Final = 64 * 1024 * 1024
_MOST_CELLS: Final = 4_000_000
"""Per workbook: a few bytes may put a cell far to the right in each of many rows."""
_CHUNK_BYTES: Final = 256 * 1024
_DELIMITERS: Final = {b",": "comma", b";": "semicolon", b"\t": "tab"}
_MAIN: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_STRINGS: Final = "xl/sharedStrings.xml"


class SheetError(Exception):
    """A table that cannot be read; one line with the reason."""


class SheetRow(NamedTuple):
    """A row below the header, with its spreadsheet row number."""

    number: int
    cells: dict[str, str]
    """By column title, both stripped. A short row lacks the last ones."""


_Line = tuple[int, Sequence[str]]


def read_sheet(data: bytes) -> tuple[list[str], list[SheetRow]]:
    """Return a table's column titles and rows; empty ones are left out.

    Raises:
        SheetError: it is neither CSV in UTF-8 or Windows-1252 nor XLSX, or has no titles.
    """
    if len(data) > _MOST_BYTES:
        raise SheetError("is larger than 64 MB")
    titles, rows = _below_header(
        _workbook_lines(data) if data.startswith(b"PK") else _csv_lines(data)
    )
    return titles, list(rows)


def read_csv(data: bytes) -> tuple[list[str], Iterator[SheetRow]]:
    """Return the titles and rows of a CSV file of any size; rows are read one by one.

    Raises:
        SheetError: as for ``read_sheet``; for an invalid row, when it is reached.
    """
    csv.field_size_limit(LONGEST_ROW)  # 131,072 is the module's own, for the whole process
    return _below_header(_csv_lines(data))


def _below_header(lines: Iterator[_Line]) -> tuple[list[str], Iterator[SheetRow]]:
    _, first = next(lines, (1, ()))
    header = [title.strip() for title in first]
    if not any(header):
        raise SheetError("has no column titles in its first line")
    return [title for title in header if title], _rows(header, lines)


def _rows(header: Sequence[str], lines: Iterator[_Line]) -> Iterator[SheetRow]:
    for number, cells in lines:
        named = dict(zip(header, map(str.strip, cells), strict=False))
        named.pop("", None)
        if any(named.values()):
            yield SheetRow(number, named)


def _csv_lines(data: bytes) -> Iterator[_Line]:
    text = io.TextIOWrapper(io.BytesIO(data), _encoding(data), newline="")
    end = data.find(b"\n")
    delimiter = max(_DELIMITERS, key=lambda mark: data.count(mark, 0, end if end >= 0 else None))
    length = 0

    def lines() -> Iterator[str]:
        nonlocal length
        while line := text.readline(LONGEST_ROW + 1):
            length += len(line)
            if length > LONGEST_ROW:
                raise SheetError(f"expected at most {LONGEST_ROW:,} characters a row")
            yield line

    reader = csv.reader(lines(), delimiter=delimiter.decode())
    try:
        for cells in reader:
            length = 0
            yield reader.line_num, cells
    except csv.Error as error:
        expected = f"{_DELIMITERS[delimiter]}-separated values"
        raise SheetError(f"line {reader.line_num}: expected {expected} ({error})") from error


def _encoding(data: bytes) -> str:
    for encoding in () if b"\0" in data else ("utf-8-sig", "cp1252"):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            for start in range(0, len(data), _CHUNK_BYTES):
                decoder.decode(data[start : start + _CHUNK_BYTES])
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        return encoding
    raise SheetError("is neither text in UTF-8 or Windows-1252 nor an Excel workbook")


def _workbook_lines(data: bytes) -> Iterator[_Line]:
    """Yield the rows of a workbook's first sheet."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as book:
            sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/sheet")]
            if not sheets:
                raise SheetError("is not an Excel workbook with a sheet")
            strings = []
            if _STRINGS in book.namelist():
                strings = [_all_text(each) for each in _elements(book, _STRINGS, "si")]
            sheet = min(sheets, key=lambda name: (len(name), name))
            places = 0
            for number, row in enumerate(_elements(book, sheet, "row"), 1):
                cells = _cells(row, strings)
                places += len(cells)
                if places > _MOST_CELLS:
                    raise SheetError(f"has more than {_MOST_CELLS:,} cells")
                yield int(row.get("r", number)), cells
    except (zipfile.BadZipFile, ElementTree.ParseError, ValueError, IndexError, KeyError) as error:
        raise SheetError(f"is not a readable Excel workbook ({error})") from error


def _elements(book: zipfile.ZipFile, name: str, tag: str) -> Iterator[ElementTree.Element]:
    """Yield the elements of a tag, one at a time: all together take 30 times their bytes."""
    if book.getinfo(name).file_size > _MOST_BYTES:
        raise SheetError("has a sheet larger than 64 MB")
    text = book.read(name)
    if b"<!DOCTYPE" in text:  # no workbook has one; entities of one may grow without end
        raise SheetError("is not an Excel workbook")
    parents: list[ElementTree.Element] = []
    events = ElementTree.iterparse(io.BytesIO(text), ("start", "end"))  # noqa: S314 - no DOCTYPE
    for event, element in events:
        if event == "start":
            parents.append(element)
            continue
        parents.pop()
        if element.tag == f"{_MAIN}{tag}" and parents:
            yield element
            parents[-1].clear()


def _cells(row: ElementTree.Element, strings: Sequence[str]) -> list[str]:
    cells: list[str] = []
    for cell in row.iter(f"{_MAIN}c"):
        place = _column(cell.get("r", "")) if cell.get("r") else len(cells)
        cells += [""] * (place - len(cells))
        cells.append(_value(cell, strings))
    return cells


def _column(reference: str) -> int:
    """Return the index of a column: ``B7`` is in column 1."""
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
