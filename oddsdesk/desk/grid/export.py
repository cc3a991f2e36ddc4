"""Taking rows of the odds grid out: to the clipboard or a file, without holding the window."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
from PySide6.QtCore import QMimeData, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from oddsdesk.base.numbers import num
from oddsdesk.base.tasks import one_slice
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.desk.export import files
from oddsdesk.desk.grid.columns import BY_KEY, COLUMNS, title_in
from oddsdesk.desk.grid.entries import Entry, Shape
from oddsdesk.desk.ui.table.cells import Kind

_STEP = 50
_END_S = 2.0
GAME_ID = files.ExportColumn("game_id", "Game id")
"""In every file: what other tables and the API call the game."""
_EV_COLUMN: Final = BY_KEY["ev_pct"]
_EV = files.ExportColumn("net_ev_pct", "EV %", Kind.NUMBER, 2)
_FLOORED = files.ExportColumn("ev_pct", "EV after safety margin %", Kind.NUMBER, 2)
"""As every file and answer has it under this key; the grid itself shows EV."""
_PER = files.ExportColumn("per", "EV per unit")
"""What the EV is of: a unit staked, or only of a decided one."""
_IS_VALUE = files.ExportColumn("is_value", "Value bet")
"""Whether it is value at one of the user's bookmakers: an edge alone does not say it."""
_CAUTIONS = BY_KEY["cautions"]
_WHICH = [BY_KEY["period"], BY_KEY["is_live"]]
"""What tells one row of a game from another, shown or not."""
_SOURCES = files.ExportColumn("sources", "Sources")
"""Whose odds the service shows: all of them in each row, since it tells none of a single price."""


class _Job(msgspec.Struct):
    """Rows that are to be taken out, and to where; ``target`` names it for people."""

    doing: str
    target: str
    entries: Sequence[Entry]
    columns: Sequence[int]
    shape: Shape
    then: Callable[[files.Table], None]
    sources: str = ""
    is_file: bool = False


class GridExport(QObject):
    """Does one thing after another, each to its end."""

    progressed = Signal(str, int, int)
    """What is done, the rows it is done with, and of how many."""
    ended = Signal(str)
    """What was done, a sentence for people each, once nothing is left to do."""
    failed = Signal(str)
    """The same where something went wrong: what, and what to do."""
    _wrote = Signal(object, int)
    _write_ended = Signal(object, str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._collect)
        self._writer: files.Writer | None = None
        self._job: _Job | None = None
        self._waiting: deque[_Job] = deque()
        self._said: list[str] = []
        self._has_failed = False
        self._wrote.connect(self._on_wrote)
        self._write_ended.connect(self._on_write_ended)

    @property
    def is_busy(self) -> bool:
        """Whether something is being taken out."""
        return self._job is not None

    def copy_rows(self, entries: Sequence[Entry], columns: Sequence[int], shape: Shape) -> None:
        """Put rows on the clipboard as tab-separated text and as HTML."""
        then = self._put_on_clipboard
        self._add(_Job(_("Copying"), _("the clipboard"), list(entries), columns, shape, then))

    def write_rows(
        self,
        entries: Sequence[Entry],
        columns: Sequence[int],
        shape: Shape,
        file_format: files.FileFormat,
        path: Path,
        sources: Sequence[str] = (),
    ) -> None:
        """Write rows to a file, whole or not at all; ``sources`` stand in each."""
        self._add(
            _Job(
                _("Writing {file}").format(file=path.name),
                path.name,
                list(entries),
                columns,
                shape,
                lambda table: self._write(table, file_format, path),
                ", ".join(sources),
                is_file=True,
            )
        )

    def stop_export(self) -> list[str]:
        """Stop what is being done and what waits, and name it; no file of it is left."""
        stopped = [job.target for job in (self._job, *self._waiting) if job is not None]
        self._timer.stop()
        if self._writer is not None:
            self._writer.abort_writing()
            self._writer = None
        self._job = None
        self._waiting.clear()
        self._said, self._has_failed = [], False
        return stopped

    def end_export(self) -> None:
        """Stop, and wait a moment so that nothing half-written stays."""
        writer = self._writer
        self.stop_export()
        if writer is not None:
            writer.wait_for_end(_END_S)

    def _add(self, job: _Job) -> None:
        self._waiting.append(job)
        if self._job is None:
            self._begin_next()

    def _begin_next(self) -> None:
        """Begin what waits longest; where nothing does, say what was done."""
        if not self._waiting:
            said, changed = " ".join(self._said), self.failed if self._has_failed else self.ended
            self._job, self._said, self._has_failed = None, [], False
            changed.emit(said)
            return
        job = self._job = self._waiting.popleft()
        columns, has_ev = list(job.columns), _EV_COLUMN in job.columns
        if job.is_file:
            # On the screen a mark shows that there are cautions, and the market its period.
            wanted = [*_WHICH, _CAUTIONS] if has_ev else _WHICH
            columns += [column for column in wanted if column not in columns]
        has_mine = any(row.selection.comparison.has_mine for row in job.entries[:1])
        self._values = [
            _floored if job.is_file and column == _EV_COLUMN else COLUMNS[column].export_value
            for column in columns
        ]
        self._columns = tuple(
            files.ExportColumn(
                spec.key, title_in(spec, job.shape, has_mine=has_mine), spec.kind, spec.decimals
            )
            for spec in (COLUMNS[column] for column in columns)
        )
        if job.is_file:
            self._columns = tuple(
                _FLOORED if each.key == "ev_pct" else each for each in self._columns
            )
        if job.is_file:
            self._values.append(lambda row: row.selection.key.game_id)
            self._columns += (GAME_ID,)
            if has_ev:
                self._values += [_ev, _per, lambda row: row.is_value]
                self._columns += (_EV, _PER, _IS_VALUE)
        if job.sources:
            self._values.append(lambda row: job.sources)
            self._columns += (_SOURCES,)
        self._rows: list[files.Row] = []
        self._timer.start()

    def _end(self, said: str, *, failed: bool = False) -> None:
        self._said.append(said)
        self._has_failed |= failed
        self._begin_next()

    def _collect(self) -> None:
        """Take values out some rows at a time; the board's own thread must do it."""
        assert self._job is not None
        entries, rows = self._job.entries, self._rows
        if one_slice(self._rows_to_come(entries)) and len(rows) < len(entries):
            self.progressed.emit(self._job.doing, len(rows) // 2, len(entries))
            return
        self._timer.stop()
        self._job.then(files.Table(self._columns, rows))

    def _rows_to_come(self, entries: Sequence[Entry]) -> Iterator[None]:
        rows, values = self._rows, self._values
        while len(rows) < len(entries):
            part = entries[len(rows) : len(rows) + _STEP]
            rows += [[value(entry) for value in values] for entry in part]
            yield

    def _put_on_clipboard(self, table: files.Table) -> None:
        data = QMimeData()
        data.setText(files.tsv_text(table))
        data.setHtml(files.html_text(table))
        QGuiApplication.clipboard().setMimeData(data)
        self._end(_("{rows} copied.").format(rows=_rows(len(table.rows))))

    def _write(self, table: files.Table, file_format: files.FileFormat, path: Path) -> None:
        self._total, self._path = len(table.rows), path
        self._writer = writer = files.Writer(
            table,
            file_format,
            path,
            lambda rows: self._wrote.emit(writer, rows),
            lambda trouble: self._write_ended.emit(writer, trouble or ""),
        )
        writer.start_writing()

    def _on_wrote(self, writer: files.Writer, rows: int) -> None:
        if self._writer is writer and self._job is not None:
            self.progressed.emit(self._job.doing, (self._total + rows) // 2, self._total)

    def _on_write_ended(self, writer: files.Writer, trouble: str) -> None:
        if self._writer is not writer:
            return
        self._writer = None
        if trouble:
            self._end(translated(trouble), failed=True)
        else:
            self._end(_("Saved {rows} to {path}.").format(rows=_rows(self._total), path=self._path))


def _floored(row: Entry) -> float | None:
    return None if row.ev_pct is None else round(row.ev_pct, 2)


def _ev(row: Entry) -> float | None:
    return None if row.ev is None else round(row.ev, 2)


def _per(row: Entry) -> str | None:
    if row.ev is None:
        return None
    return "staked" if row.is_per_staked else "decided"


def _rows(count: int) -> str:
    return ngettext("{count:,} row", "{count:,} rows", count).format(count=num(count))
