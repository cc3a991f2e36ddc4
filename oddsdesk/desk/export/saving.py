"""Asks where a panel's table is to go, and writes it there without holding the window."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from oddsdesk.desk.export.files import CSV, FORMATS, FileFormat, Writer, lack_of
from oddsdesk.desk.export.tables import Table
from oddsdesk.desk.ui.controls.file_dialog import file_dialog

_END_S: Final = 2.0
_FILTERS: Final = {f"{each.title} (*{each.suffix})": each for each in FORMATS}


class TableSaver(QObject):
    """Writes what ``table`` returns at that moment, one file after the other."""

    said = Signal(str)
    """What was written, or why not: one line."""
    _ended = Signal(object, str)

    def __init__(self, owner: QWidget, name: Callable[[], str], table: Callable[[], Table]) -> None:
        """``name`` is what the file is called unless the user says otherwise."""
        super().__init__(owner)
        self._owner = owner
        self._name = name
        self._table = table
        self._writers: dict[Writer, str] = {}
        self._ended.connect(self._on_ended)

    def ask(self) -> None:
        """Ask for the file; its ending says in which format it is written."""
        dialog = file_dialog(self._owner, "Export")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(list(_FILTERS))
        dialog.setDefaultSuffix(CSV.suffix[1:])
        dialog.filterSelected.connect(
            lambda chosen: dialog.setDefaultSuffix(_FILTERS[chosen].suffix[1:])
        )
        dialog.selectFile(self._name())
        dialog.fileSelected.connect(lambda path: self.write(Path(path)))
        dialog.open()

    def write(self, path: Path) -> None:
        """Write the table, whole or not at all."""
        found = format_of(path)
        if found is None:
            endings = ", ".join(each.suffix for each in FORMATS)
            self.said.emit(f"{path.name}: no such format; a file ends in {endings}.")
            return
        if lack := lack_of(found):
            self.said.emit(lack)
            return
        table = self._table()
        writer = Writer(
            table,
            found,
            path,
            lambda _rows: None,
            lambda trouble: self._ended.emit(writer, trouble or ""),
        )
        rows = len(table.rows)
        self._writers[writer] = f"{rows:,} row{'' if rows == 1 else 's'} written to {path.name}."
        writer.start()

    def close(self) -> None:
        """Stop writing, and wait a moment so that nothing half-written stays."""
        for writer in self._writers:
            writer.stop()
        for writer in self._writers:
            writer.wait(_END_S)

    def _on_ended(self, writer: Writer, trouble: str) -> None:
        done = self._writers.pop(writer, "")
        self.said.emit(trouble or done)


def format_of(path: Path) -> FileFormat | None:
    """Return the format that a file's ending names."""
    return next((each for each in FORMATS if path.suffix.lower() == each.suffix), None)
