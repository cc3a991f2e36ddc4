"""The one reader of tables, CSV and XLSX: every format of tables is read through it.

The header decides everything about a CSV file: its delimiter is the one of ``, ; tab |`` that the
header has most of, unless Excel's line ``sep=;`` above it names one. Blank lines are skipped, also
above the header. A stray quote costs only its own line.
"""

import codecs
import contextlib
import csv
import io
import itertools
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TextIO

from oddsdesk.base.texts import N_

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LONGEST_ROW: Final = 1024 * 1024
"""Characters of a CSV row, including quoted line breaks."""
MOST_BYTES: Final = 64 * 1024 * 1024
_MOST_CELLS: Final = 4_000_000
"""Per workbook: a few bytes may put a cell far to the right in each of many rows."""
_CHUNK_BYTES: Final = 256 * 1024
_DELIMITERS: Final = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_MOST_LINES: Final = 100
"""Most lines of a quoted cell; a longer one must have lost its closing quote."""
_WIDE: Final = 6
"""Columns of a table whose rows are recognised inside a quoted cell by their delimiters."""
_MOST_ABOVE: Final = 10
"""Filled lines in which the header is looked for."""
_STRAY: Final = N_("a quote is opened here and not closed, so the line is left out")
_QUOTED: Final = re.compile(r'"[^"]*"?')
_EXCEL_DELIMITER: Final = re.compile(r'"?sep=([^"\r\n])"?[\r\n]*', re.IGNORECASE)
_BYTE_ORDER_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CENTRAL_EUROPEAN: Final = re.compile(
    rb"[A-Za-z\x9c\x9f\xe0-\xff][\x8d\x8f\x9d\x9f\xa3\xa5\xaf\xb3\xb9\xbc\xbe\xbf][A-Za-z\xc0-\xff]"
    rb"|[a-z]\x9f|(?<![0-9A-Za-z\x80-\xff])\xa3[a-z\xe0-\xff]{2}"
)
"""Bytes inside a word that are letters in Windows-1250 and signs, or nothing, in Windows-1252."""
_MAIN: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_STRINGS: Final = "xl/sharedStrings.xml"
_DAMAGE: Final = (
    *(zipfile.BadZipFile, zlib.error, EOFError, SyntaxError),  # the last by XML
    *(ValueError, IndexError, KeyError),
    *(NotImplementedError, RuntimeError),  # a rare packing, a password
)
"""What reading a damaged or protected workbook raises."""


class SheetError(Exception):
    """A table that cannot be read; one line with the reason."""


class NoTitlesError(SheetError):
    """An empty table."""


class SheetRow(NamedTuple):
    """A row below the header, with its spreadsheet row number."""

    number: int
    cells: dict[str, str]
    """By column title, both stripped. A short row lacks the last ones."""
    beyond: int = 0
    """Number of filled cells without a title: the row may be shifted."""
    fault: str = ""
    """Why the line cannot be read; its cells are then a guess."""


class Table(NamedTuple):
    """One table of a file."""

    place: str
    """Where it is in the file, for messages: `` sheet 2``, or nothing."""
    titles: list[str]
    rows: Iterator[SheetRow]


_Line = tuple[int, Sequence[str], str]
"""The number of a row, its cells, and its fault."""


def read_sheet(data: bytes) -> tuple[list[str], list[SheetRow]]:
    """Return a table's column titles and rows; empty ones are left out.

    Raises:
        SheetError: it is neither CSV in an encoding that is read nor XLSX, or has no titles.
    """
    if len(data) > MOST_BYTES:
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
    titles, rows = _below_header(_csv_lines(data))
    return titles, map(_whole, rows)


def _whole(row: SheetRow) -> SheetRow:
    if row.fault:
        raise SheetError(f"line {row.number}: {row.fault}")
    return row


def read_tables(
    data: bytes, is_header: Callable[[Sequence[str]], bool] | None = None
) -> Iterator[Table]:
    """Yield the tables of a file: one of CSV, each sheet of a workbook that is not empty.

    Titles are in the first of ten filled lines that is a header, else in the first line. The
    rows of a table must be read before the next table.

    Raises:
        SheetError: as for ``read_csv``; for a workbook, when the invalid row is reached.
    """
    if not data.startswith(b"PK"):
        yield Table("", *_below_header(_csv_lines(data), is_header))
        return
    count, empty = 0, NoTitlesError("has no column titles in its first line")
    for number, lines in enumerate(_sheets(data), start=1):
        try:
            titles, rows = _below_header(lines, is_header)
        except NoTitlesError as error:
            empty = error
            continue
        count += 1
        yield Table(f" sheet {number}", titles, rows)
    if not count:
        raise empty


def column_titles(data: bytes) -> list[str]:
    """Return the titles of a table from its beginning; empty if it is not a table."""
    try:
        lines = _workbook_lines(data) if data.startswith(b"PK") else _csv_lines(data)
        return _below_header(lines)[0]
    except SheetError:
        return []


def _below_header(
    lines: Iterator[_Line], is_header: Callable[[Sequence[str]], bool] | None = None
) -> tuple[list[str], Iterator[SheetRow]]:
    above = list[_Line]()
    for line in lines:
        number, cells, fault = line
        titles = [title.strip() for title in cells]
        if not any(titles):
            continue
        if fault and not above:
            raise SheetError(f"line {number}: {fault}")
        if is_header is None or is_header([title for title in titles if title]):
            above = [line]
            break
        above.append(line)
        if len(above) == _MOST_ABOVE:
            break
    if not above:
        raise NoTitlesError("has no column titles in its first line")
    header = list(_numbered_titles(title.strip() for title in above[0][1]))
    return [title for title in header if title], _rows(header, itertools.chain(above[1:], lines))


def _numbered_titles(header: Iterable[str]) -> Iterator[str]:
    """Yield the titles; the second ``Odds`` is ``Odds (2)``, so no column hides another."""
    seen = Counter[str]()
    for title in header:
        seen[title] += 1
        yield f"{title} ({seen[title]})" if title and seen[title] > 1 else title


def _rows(header: Sequence[str], lines: Iterator[_Line]) -> Iterator[SheetRow]:
    width = len(header)
    for number, cells, fault in lines:
        named = dict(zip(header, map(str.strip, cells), strict=False))
        named.pop("", None)
        beyond = sum(map(bool, map(str.strip, cells[width:]))) if len(cells) > width else 0
        if beyond or fault or any(named.values()):
            yield SheetRow(number, named, beyond, fault)


class _StrayQuoteError(Exception):
    """A quoted cell that does not end."""


def _csv_lines(data: bytes) -> Iterator[_Line]:
    text = io.TextIOWrapper(io.BytesIO(data), _encoding(data), newline="")
    source = _Source(text)
    delimiter = source.delimiter
    csv.field_size_limit(LONGEST_ROW)  # 131,072 is the module's own, for the whole process
    width = 0
    while source.has_more:
        start = source.number
        reader = csv.reader(source.lines(), delimiter=delimiter)
        try:
            for cells in reader:
                if len(source.held) > 1 or source.is_at_end:
                    source.check_quotes(width)
                source.held.clear()
                width = width or len(cells)
                yield start + reader.line_num, cells, ""
        except _StrayQuoteError:
            number, line = source.give_back()
            (cells,) = csv.reader([line], delimiter=delimiter, quoting=csv.QUOTE_NONE)
            yield number, cells, _STRAY
        except csv.Error as error:
            number = start + reader.line_num
            expected = N_(f"{_DELIMITERS.get(delimiter, repr(delimiter))}-separated values")
            raise SheetError(f"line {number}: expected {expected} ({error})") from error


class _Source:
    """The lines of a text; those of the row that is being read are held, to read them again."""

    def __init__(self, text: TextIO) -> None:
        self.number = 0
        """Lines that were read."""
        self.held: list[str] = []
        self.has_more = True
        self.is_at_end = False
        """Whether the text ended inside a row."""
        self._again: list[str] = []
        """Lines to read again, the next one last."""
        self._text = text
        found = _EXCEL_DELIMITER.fullmatch(text.readline(LONGEST_ROW))
        text.seek(0)
        if found:
            text.readline()
            self.number = 1
        self.delimiter = found[1] if found else _delimiter(text)
        if not found:
            text.seek(0)

    def lines(self) -> Iterator[str]:
        """Yield the lines.

        Raises:
            SheetError: a row is too long.
            _StrayQuoteError: a row has too many lines.
        """
        while line := self._again.pop() if self._again else self._text.readline(LONGEST_ROW + 1):
            self.held.append(line)
            self.number += 1
            if len(self.held) > 1:
                if len(self.held) > _MOST_LINES:
                    raise _StrayQuoteError
                if sum(map(len, self.held)) > LONGEST_ROW:
                    raise _StrayQuoteError
            elif len(line) > LONGEST_ROW:
                raise SheetError(f"expected at most {LONGEST_ROW:,} characters a row")
            yield line
        self.has_more = False
        self.is_at_end = bool(self.held)

    def check_quotes(self, width: int) -> None:
        """Check a row of several lines, or at the end of the text.

        Raises:
            _StrayQuoteError: its quotes do not enclose a cell.
        """
        try:
            for _ in csv.reader(self.held, delimiter=self.delimiter, strict=True):
                pass
        except csv.Error:
            raise _StrayQuoteError from None
        inner = self.held[1:-1]
        if width >= _WIDE and any(line.count(self.delimiter) >= width - 1 for line in inner):
            raise _StrayQuoteError

    def give_back(self) -> tuple[int, str]:
        """Return the first held line and its number; the others are read again."""
        first, *others = self.held
        self._again += reversed(others)
        self.number -= len(others)
        self.held.clear()
        self.has_more, self.is_at_end = True, False
        return self.number, first


def _delimiter(text: TextIO) -> str:
    """Return the delimiter of the header, which may have quoted titles with line breaks.

    Lines above it, such as ``My bets``, have none.
    """
    header, filled = "", 0
    while len(header) <= LONGEST_ROW and (line := text.readline(LONGEST_ROW + 1)):
        header += line
        if header.strip() and header.count('"') % 2 == 0:
            titles = _QUOTED.sub("", header)
            filled += 1
            if any(map(titles.count, _DELIMITERS)) or filled == _MOST_ABOVE:
                break
            header = ""
    titles = _QUOTED.sub("", header)
    return max(_DELIMITERS, key=titles.count)


def _encoding(data: bytes) -> str:
    for encoding in _possible_encodings(data):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            for start in range(0, len(data), _CHUNK_BYTES):
                decoder.decode(data[start : start + _CHUNK_BYTES])
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        return encoding
    where = ""
    if (place := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, place) + 1
        where = ": " + N_(f"line {line} has a NUL byte, so the file is damaged or not text")
    expected = N_("text in UTF-8, UTF-16 or Windows-1252 nor an Excel workbook")
    raise SheetError(f"is neither {expected}{where}")


def _possible_encodings(data: bytes) -> Sequence[str]:
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            return (encoding,)
    if b"\0" not in data:
        is_central = _CENTRAL_EUROPEAN.search(data) is not None
        return ("utf-8", "cp1250", "cp1252") if is_central else ("utf-8", "cp1252")
    first = data[:2]
    if 0 not in first or not 0 < max(first) < 0x80:
        return ()
    # UTF-16 without a mark: one byte of a Latin letter is zero.
    return ("utf-16-le",) if first[0] else ("utf-16-be",)


def _workbook_lines(data: bytes) -> Iterator[_Line]:
    """Yield the rows of a workbook's first sheet."""
    for lines in _sheets(data):
        yield from lines
        return


def _sheets(data: bytes) -> Iterator[Iterator[_Line]]:
    """Yield the rows of each sheet of a workbook; the workbook closes after the last sheet."""
    with _readable(), zipfile.ZipFile(io.BytesIO(data)) as book:
        sheets = [name for name in book.namelist() if name.startswith("xl/worksheets/sheet")]
        if not sheets:
            raise SheetError("is not an Excel workbook with a sheet")
        strings = []
        if _STRINGS in book.namelist():
            strings = [_all_text(each) for each in _elements(book, _STRINGS, "si")]
        for sheet in sorted(sheets, key=lambda name: (len(name), name)):
            yield _lines_of(book, sheet, strings)


def _lines_of(book: zipfile.ZipFile, sheet: str, strings: Sequence[str]) -> Iterator[_Line]:
    places = 0
    with _readable():
        for number, row in enumerate(_elements(book, sheet, "row"), 1):
            cells = _cells(row, strings)
            places += len(cells)
            if places > _MOST_CELLS:
                raise SheetError(f"has more than {_MOST_CELLS:,} cells")
            yield int(row.get("r", number)), cells, ""


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise SheetError(f"is not a readable Excel workbook ({error})") from error


def _elements(book: zipfile.ZipFile, name: str, tag: str) -> Iterator["Element"]:
    """Yield the elements of a tag, one at a time: all together take 30 times their bytes."""
    from xml.etree import ElementTree  # noqa: PLC0415 - few starts need it

    if book.getinfo(name).file_size > MOST_BYTES:
        raise SheetError("has a sheet larger than 64 MB")
    text = book.read(name)
    if b"<!DOCTYPE" in text:  # no workbook has one; entities of one may grow without end
        raise SheetError("is not an Excel workbook")
    parents: list[Element] = []
    events = ElementTree.iterparse(io.BytesIO(text), ("start", "end"))  # noqa: S314 - no DOCTYPE
    for event, element in events:
        if event == "start":
            parents.append(element)
            continue
        parents.pop()
        if element.tag == f"{_MAIN}{tag}" and parents:
            yield element
            parents[-1].clear()


def _cells(row: "Element", strings: Sequence[str]) -> list[str]:
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


def _value(cell: "Element", strings: Sequence[str]) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return _all_text(cell)
    text = cell.findtext(f"{_MAIN}v") or ""
    if kind == "s":
        return strings[int(text)]
    if kind == "b":
        return "true" if text == "1" else "false"
    return text


def _all_text(element: "Element") -> str:
    return "".join(each.text or "" for each in element.iter(f"{_MAIN}t"))
