"""Taking rows of the odds grid out: to the clipboard or a file, without holding the window."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from oddsdesk.desk.export.clipboard import html_text, tsv_text
from oddsdesk.desk.export.files import Writer
from oddsdesk.desk.export.formats import FileFormat
from oddsdesk.desk.export.table import Row, Table
from oddsdesk.desk.models.grid_columns import COLUMNS
from oddsdesk.desk.models.grid_entries import Entry, Shape

_SLICE_S = 0.004
_STEP = 50
_END_S = 2.0


class GridExport(QObject):
    """Does one thing at a time; a new one takes the place of the one before."""

    progressed = Signal(str, int, int)
    """What is done, the rows it is done with, and of how many."""
    ended = Signal(str)
    """One sentence for people: what was done."""
    failed = Signal(str)
    """One sentence for people: what went wrong, and what to do."""
    _wrote = Signal(int)
    _write_ended = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._collect)
        self._writer: Writer | None = None
        self._wrote.connect(self._on_wrote)
        self._write_ended.connect(self._on_write_ended)

    @property
    def is_busy(self) -> bool:
        """Whether something is being taken out."""
        return self._timer.isActive() or self._writer is not None

    def copy(self, entries: Sequence[Entry], columns: Sequence[int], shape: Shape) -> None:
        """Put rows on the clipboard as tab-separated text and as HTML."""
        self._begin("Copying", entries, columns, shape, self._put_on_clipboard)

    def write(
        self,
        entries: Sequence[Entry],
        columns: Sequence[int],
        shape: Shape,
        file_format: FileFormat,
        path: Path,
    ) -> None:
        """Write rows to a file, whole or not at all."""
        doing = f"Writing {path.name}"
        self._path = path
        self._begin(
            doing, entries, columns, shape, lambda table: self._write(table, file_format, path)
        )

    def stop(self) -> None:
        """Stop what is being done; no file is left."""
        self._timer.stop()
        if self._writer is not None:
            self._writer.stop()
            self._writer = None

    def close(self) -> None:
        """Stop, and wait a moment so that nothing half-written stays."""
        writer = self._writer
        self.stop()
        if writer is not None:
            writer.wait(_END_S)

    def _begin(
        self,
        doing: str,
        entries: Sequence[Entry],
        columns: Sequence[int],
        shape: Shape,
        then: Callable[[Table], None],
    ) -> None:
        self.stop()
        self._doing, self._then = doing, then
        self._entries = list(entries)
        self._values = [COLUMNS[column].export_value for column in columns]
        self._columns = tuple(COLUMNS[column].export_column(shape) for column in columns)
        self._rows: list[Row] = []
        self._timer.start()

    def _collect(self) -> None:
        """Take values out some rows at a time; the board's own thread must do it."""
        ends = time.perf_counter() + _SLICE_S
        entries, rows, values = self._entries, self._rows, self._values
        while len(rows) < len(entries) and time.perf_counter() < ends:
            part = entries[len(rows) : len(rows) + _STEP]
            rows += [[value(entry) for value in values] for entry in part]
        if len(rows) < len(entries):
            self.progressed.emit(self._doing, len(rows) // 2, len(entries))
            return
        self._timer.stop()
        self._entries = []
        self._then(Table(self._columns, rows))

    def _put_on_clipboard(self, table: Table) -> None:
        data = QMimeData()
        data.setText(tsv_text(table))
        data.setHtml(html_text(table))
        QGuiApplication.clipboard().setMimeData(data)
        self.ended.emit(f"{_rows(len(table.rows))} copied.")

    def _write(self, table: Table, file_format: FileFormat, path: Path) -> None:
        self._total = len(table.rows)
        self._writer = Writer(
            table,
            file_format,
            path,
            self._wrote.emit,
            lambda trouble: self._write_ended.emit(trouble or ""),
        )
        self._writer.start()

    def _on_wrote(self, rows: int) -> None:
        if self._writer is not None:
            self.progressed.emit(self._doing, (self._total + rows) // 2, self._total)

    def _on_write_ended(self, trouble: str) -> None:
        if self._writer is None:
            return
        self._writer = None
        if trouble:
            self.failed.emit(trouble)
        else:
            self.ended.emit(f"{_rows(self._total)} written to {self._path}.")


def _rows(count: int) -> str:
    return f"{count:,} row{'s' if count != 1 else ''}"
