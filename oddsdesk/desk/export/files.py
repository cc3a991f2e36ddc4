"""The file formats a table can be written in."""

import csv
import io
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import msgspec

from oddsdesk.contract.times import parse_ms
from oddsdesk.desk.export.tables import ExportColumn, Row, Table, plain_text
from oddsdesk.desk.ui.table.column_spec import Kind
from oddsdesk.formula_texts import safe_text
from oddsdesk.installed import how_to_install
from oddsdesk.whole_files import whole_file

_MOST_ROWS = 1_048_575
"""An Excel sheet's, below its titles."""
_WIDTHS = (9, 34)
_SAMPLED = 200
_FIRST_YEAR = 1901
"""Excel takes 1900 for a leap year, and knows nothing before it."""


_NO_EXCEL: Final = "Excel files need the extra: {}; CSV works without."


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
        raise ExportError(_NO_EXCEL.format(how_to_install("xlsx"))) from error
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
        formats = [book.add_format({"num_format": _shown(column)}) for column in table.columns]
        times = [column.kind is Kind.TIME for column in table.columns]
        for start in starts:
            for number, row in enumerate(table.rows[start : start + step], start + 1):
                _write_row(sheet, number, row, times, formats)
    finally:
        book.close()


def _write_row(
    sheet: Any, number: int, row: Row, times: Sequence[bool], formats: Sequence[object]
) -> None:
    for column, value in enumerate(row):
        if isinstance(value, bool):
            sheet.write_boolean(number, column, value)
        elif isinstance(value, str):
            moment = _moment(value) if times[column] else None
            if moment is None:
                sheet.write_string(number, column, safe_text(value))
            else:
                sheet.write_datetime(number, column, moment, formats[column])
        elif isinstance(value, float):
            sheet.write_number(number, column, value, formats[column])
        elif value is not None:
            sheet.write_number(number, column, value)


def _shown(column: ExportColumn) -> str:
    """Return how Excel writes a column: its dates know no offset, so the format says it."""
    if column.kind is Kind.TIME:
        return 'yyyy-mm-dd hh:mm:ss" UTC"'
    if column.decimals is None:
        return "0.00##"
    return f"0.{'0' * column.decimals}" if column.decimals else "0"


def _moment(text: str) -> datetime | None:
    """Return a wire time as Excel counts, None for another text and what Excel cannot hold."""
    try:
        moment = datetime.fromtimestamp(parse_ms(text) / 1000, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return None
    return moment if moment.year >= _FIRST_YEAR else None


def _width(table: Table, column: int) -> int:
    sample = [str(row[column]) for row in table.rows[:_SAMPLED] if row[column] is not None]
    longest = max(map(len, [table.columns[column].title, *sample]))
    return max(_WIDTHS[0], min(_WIDTHS[1], longest + 2))


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
    """Write XLSX: titles frozen above, numbers and times as such, texts safe."""
    numbers = [column.kind is Kind.NUMBER for column in table.columns]
    write_xlsx(table, numbers, file, _steps(table, progress), STEP)


CSV: Final = FileFormat("CSV", ".csv", write_csv)
XLSX: Final = FileFormat("Excel workbook", ".xlsx", write_workbook)
JSON: Final = FileFormat("JSON", ".json", write_json)
FORMATS: Final = (CSV, XLSX, JSON)


def lack_of(file_format: FileFormat) -> str:
    """Say what a format needs that is not installed, before a file is asked for; empty for none."""
    if file_format is not XLSX or find_spec("xlsxwriter") is not None:
        return ""
    return _NO_EXCEL.format(how_to_install("xlsx"))


def _steps(table: Table, progress: Progress) -> Iterator[int]:
    for start in range(0, len(table.rows), STEP):
        progress(start)
        yield start
    progress(len(table.rows))


class Stopped(Exception):  # noqa: N818 - no error: the user stopped the writing
    """The writing was stopped."""


def write_whole(table: Table, file_format: FileFormat, path: Path, progress: Progress) -> None:
    """Write a table to a file, which takes its place when it is whole.

    Raises:
        ExportError: one line that says why it cannot be written.
        Stopped: what ``progress`` raised; nothing is left behind.
    """
    try:
        with whole_file(path) as file:
            file_format.write(table, file, progress)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExportError(f"{path} cannot be written: {reason}.") from error


class Writer:
    """Writes one table in a thread; callbacks come from there."""

    def __init__(
        self,
        table: Table,
        file_format: FileFormat,
        path: Path,
        on_progress: Progress,
        on_end: Callable[[str | None], None],
    ) -> None:
        """``on_end`` is called with None when the file is whole, else with what went wrong."""
        self._arguments = (table, file_format, path)
        self._on_progress = on_progress
        self._on_end = on_end
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="export", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def stop(self) -> None:
        """Stop writing and leave nothing behind; ``on_end`` is not called."""
        self._stopped.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the thread; whether it came."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            write_whole(*self._arguments, self._progress)
        except Stopped:
            return
        except ExportError as error:
            self._end(str(error))
        except Exception as error:
            self._end(f"The export failed: {error!r}. This is a bug of oddsdesk.")
            raise
        else:
            self._end(None)

    def _end(self, trouble: str | None) -> None:
        if not self._stopped.is_set():
            self._on_end(trouble)

    def _progress(self, rows: int) -> None:
        if self._stopped.is_set():
            raise Stopped
        self._on_progress(rows)
