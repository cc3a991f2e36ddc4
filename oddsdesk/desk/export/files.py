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

from oddsdesk.base.files import whole_file
from oddsdesk.base.numbers import num, with_marks
from oddsdesk.base.places import how_to_install
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.text import safe_text
from oddsdesk.base.texts import ENGLISH, _, language, translated
from oddsdesk.contract.times import format_ms, parse_ms
from oddsdesk.desk.ui.table.cells import Exported, Kind, R, Value
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.ledger.bet_tables import BET_COLUMNS, ColumnKind
from oddsdesk.ledger.bets import PlacedBet

Row = Sequence[Value]


class ExportColumn(msgspec.Struct, frozen=True):
    """A column: ``key`` with its unit for programs, ``title`` for people."""

    key: str
    title: str
    kind: Kind = Kind.TEXT
    decimals: int | None = None
    """Decimals in a workbook; None for two to four."""

    @property
    def file_title(self) -> str:
        """Its English title: files are the same in every language of the desk."""
        return self.title if language() == ENGLISH else self.key.replace("_", " ")


class Table(msgspec.Struct, frozen=True):
    """Columns and rows; each row has a value for each column."""

    columns: tuple[ExportColumn, ...]
    rows: Sequence[Row]

    def with_shared(self, **values: Value) -> "Table":
        """Return the table with added columns that have the same value in all rows."""
        more = tuple(ExportColumn(key, key.replace("_", " ")) for key in values)
        rows = [[*row, *values.values()] for row in self.rows]
        return Table((*self.columns, *more), rows)


def table_of(model: StableRowsModel[Any, Any]) -> Table:
    """Return the rows of a list in their order, with the figures that its columns export."""
    figures = [figure for column in model.columns for figure in column.exported]
    return Table(
        tuple(ExportColumn(each.key, each.title, each.kind, each.decimals) for each in figures),
        [[each.value(row) for each in figures] for row in model.standing()],
    )


def plain_text(value: Value) -> str:
    """Return a value as a cell of CSV or TSV: safe, numbers in full, empty for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return safe_text(value) if isinstance(value, str) else repr(value)


_BREAKS = str.maketrans(dict.fromkeys("\t\r\n\v\f\x85\u2028\u2029", " "))


def tsv_text(table: Table) -> str:
    """Return the table as TSV to paste, titles first; cells contain no line breaks.

    Numbers have the user's decimal mark: where that is a comma, a spreadsheet takes 2.10 for a day.
    """
    rows = [[column.title for column in table.columns], *table.rows]
    return "".join("\t".join(map(_cell, row)) + "\n" for row in rows)


def html_text(table: Table) -> str:
    """Return the table as HTML, with numbers right-aligned."""
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


def _cell(value: Value) -> str:
    if isinstance(value, str):
        return safe_text(value.translate(_BREAKS).strip())
    return with_marks(plain_text(value)) if isinstance(value, float) else plain_text(value)


def time_value(at_ms: int | None) -> str | None:
    """Return a time in the format of tables, which is that of the API."""
    return None if at_ms is None else format_ms(at_ms)


GAME: Final = (
    ExportColumn("game_id", "Game id"),
    ExportColumn("match_name", "Game"),
    ExportColumn("competition", "Competition"),
    ExportColumn("sport", "Sport"),
    ExportColumn("kick_off", "Kick-off", Kind.TIME),
)
"""The first columns of rows about a game, so that tables can be joined."""
SELECTION: Final = (
    ExportColumn("market_type", "Market"),
    ExportColumn("period", "Period", Kind.NUMBER),
    ExportColumn("selection", "Selection"),
)


def identified(of: Callable[[R], Row]) -> tuple[Exported[R], ...]:
    """Return the first columns of rows about a price; ``of`` returns game, market and selection."""

    def at(place: int) -> Callable[[R], Value]:
        return lambda row: of(row)[place]

    columns = enumerate((*GAME, *SELECTION))
    return tuple(Exported(each.key, each.title, at(place), each.kind) for place, each in columns)


_MOST_ROWS = 1_048_575
"""The limit of an Excel sheet, without the titles."""
_WIDTHS = (9, 34)
_SAMPLED = 200
_FIRST_YEAR = 1901
"""Excel treats 1900 as a leap year and has no earlier dates."""


_NO_EXCEL: Final = _("Excel export is not installed ({command}). CSV works without it.")


class ExportError(Exception):
    """A table cannot be written; one line with the reason and what to do."""


def write_xlsx(
    table: Table, numbers: Sequence[bool], file: BinaryIO, starts: Iterable[int], step: int
) -> None:
    """Write one sheet; ``numbers`` marks the right-aligned columns.

    Raises:
        ExportError: xlsxwriter is not installed, or there are too many rows.
    """
    try:
        import xlsxwriter  # noqa: PLC0415 - an extra, and 60 ms that only an export needs
    except ImportError as error:
        raise ExportError(_NO_EXCEL.format(command=how_to_install("xlsx"))) from error
    if len(table.rows) > _MOST_ROWS:
        raise ExportError(
            _(
                "There are {rows:,} rows, but an Excel sheet holds {most:,}. Filter them "
                "or choose CSV."
            ).format(rows=num(len(table.rows)), most=num(_MOST_ROWS))
        )
    book = xlsxwriter.Workbook(file, {"constant_memory": True, "in_memory": False})
    try:
        sheet = book.add_worksheet("Odds")
        bold = {side: book.add_format({"bold": True, "align": side}) for side in ("left", "right")}
        sheet.freeze_panes(1, 0)
        sheet.autofilter(0, 0, max(1, len(table.rows)), max(0, len(table.columns) - 1))
        for column, spec in enumerate(table.columns):
            sheet.set_column(column, column, _width(table, column))
            sheet.write_string(
                0, column, spec.file_title, bold["right" if numbers[column] else "left"]
            )
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
    """Return the number format of a column; Excel dates have no zone, so the format names UTC."""
    if column.kind is Kind.TIME:
        return 'yyyy-mm-dd hh:mm:ss" UTC"'
    if column.decimals is None:
        return "0.00##"
    return f"0.{'0' * column.decimals}" if column.decimals else "0"


def _moment(text: str) -> datetime | None:
    """Return an API time for Excel; None for other texts and dates that Excel cannot hold."""
    try:
        moment = datetime.fromtimestamp(parse_ms(text) / 1000, UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return None
    return moment if moment.year >= _FIRST_YEAR else None


def _width(table: Table, column: int) -> int:
    sample = [str(row[column]) for row in table.rows[:_SAMPLED] if row[column] is not None]
    longest = max(map(len, [table.columns[column].file_title, *sample]))
    return max(_WIDTHS[0], min(_WIDTHS[1], longest + 2))


Progress = Callable[[int], None]
"""Called with the number of rows written; may raise to stop."""

STEP: Final = 500
"""Rows between progress reports."""
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
"""Without it, Excel does not read the file as UTF-8."""


class FileFormat(NamedTuple):
    """A file format: its name, suffix and writer."""

    title: str
    suffix: str
    write: Callable[[Table, BinaryIO, Progress], None]


def write_csv(table: Table, file: BinaryIO, progress: Progress) -> None:
    """Write CSV (RFC 4180) in UTF-8, column keys first; texts are safe in a spreadsheet."""
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
    """Write a JSON array of objects by column key, one a line; texts are unchanged."""
    keys = [column.key for column in table.columns]
    encode = msgspec.json.Encoder().encode
    file.write(b"[")
    for start in _steps(table, progress):
        for number, row in enumerate(table.rows[start : start + STEP], start):
            file.write(b",\n" if number else b"\n")
            file.write(encode(dict(zip(keys, row, strict=True))))
    file.write(b"\n]\n")


def write_workbook(table: Table, file: BinaryIO, progress: Progress) -> None:
    """Write XLSX with frozen titles, real numbers and times, and safe texts."""
    numbers = [column.kind is Kind.NUMBER for column in table.columns]
    write_xlsx(table, numbers, file, _steps(table, progress), STEP)


CSV: Final = FileFormat("CSV", ".csv", write_csv)
XLSX: Final = FileFormat(_("Excel workbook"), ".xlsx", write_workbook)
JSON: Final = FileFormat("JSON", ".json", write_json)
FORMATS: Final = (CSV, XLSX, JSON)


def lack_of(file_format: FileFormat) -> str:
    """Return what a format needs that is not installed; empty if nothing is missing."""
    if file_format is not XLSX or find_spec("xlsxwriter") is not None:
        return ""
    return _NO_EXCEL.format(command=how_to_install("xlsx"))


def _steps(table: Table, progress: Progress) -> Iterator[int]:
    for start in range(0, len(table.rows), STEP):
        progress(start)
        yield start
    progress(len(table.rows))


class Stopped(Exception):  # noqa: N818 - no error: the user stopped the writing
    """The writing was stopped."""


def write_whole(table: Table, file_format: FileFormat, path: Path, progress: Progress) -> None:
    """Write a table to a file, whole or not at all.

    Raises:
        ExportError: It cannot be written; one line with the reason.
        Stopped: Raised by ``progress``; no file is left.
    """
    try:
        with whole_file(path) as file:
            file_format.write(table, file, progress)
    except OSError as error:
        reason = translated(error_text(error))
        raise ExportError(
            _("{path} cannot be written: {reason}.").format(path=path, reason=reason)
        ) from error


class Writer:
    """Writes a table in a thread, from which the callbacks come."""

    def __init__(
        self,
        table: Table,
        file_format: FileFormat,
        path: Path,
        on_progress: Progress,
        on_end: Callable[[str | None], None],
    ) -> None:
        """``on_end`` is called with None on success, else with the error."""
        self._arguments = (table, file_format, path)
        self._on_progress = on_progress
        self._on_end = on_end
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="export", daemon=True)

    def start_writing(self) -> None:
        self._thread.start()

    def abort_writing(self) -> None:
        """Stop writing and leave no file; ``on_end`` is not called."""
        self._stopped.set()

    def wait_for_end(self, seconds: float) -> bool:
        """Wait for the thread; return whether it has ended."""
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
            self._end(
                _("The export failed: {error!r}. This is a bug in oddsdesk.").format(error=error)
            )
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


_KINDS: Final = {
    ColumnKind.TEXT: Kind.TEXT,
    ColumnKind.NUMBER: Kind.NUMBER,
    ColumnKind.TIME: Kind.TIME,
    ColumnKind.FLAG: Kind.FLAG,
}


def table_of_bets(bets: Sequence[PlacedBet]) -> Table:
    """Return the bets with all their fields, a row each."""
    columns = tuple(
        ExportColumn(column.key, column.column_title, _KINDS[column.kind]) for column in BET_COLUMNS
    )
    return Table(columns, [[column.written(bet) for column in BET_COLUMNS] for bet in bets])


def write_bets_workbook(bets: Sequence[PlacedBet], file: BinaryIO) -> None:
    """Write bets as XLSX.

    Raises:
        ExportError: xlsxwriter is not installed, or there are too many bets.
    """
    XLSX.write(table_of_bets(bets), file, lambda _rows: None)
