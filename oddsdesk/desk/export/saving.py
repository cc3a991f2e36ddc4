"""Asks where to save a panel's table, and writes it in a thread."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, ngettext
from oddsdesk.desk.export.files import CSV, FORMATS, FileFormat, Table, Writer, lack_of
from oddsdesk.desk.ui.controls.file_dialog import file_dialog

_END_S: Final = 2.0
_FILTERS: Final = {f"{each.title} (*{each.suffix})": each for each in FORMATS}


class TableSaver(QObject):
    """Writes what ``table`` returns to a file that the user chooses."""

    said = Signal(str)
    """What was written, or why not, in one line."""
    _ended = Signal(object, str)

    def __init__(self, owner: QWidget, name: Callable[[], str], table: Callable[[], Table]) -> None:
        """``name`` returns the suggested file name."""
        super().__init__(owner)
        self._owner = owner
        self._name = name
        self._table = table
        self._writers: dict[Writer, str] = {}
        self._ended.connect(self._on_ended)

    def ask_for_file(self) -> None:
        """Ask for the file; its suffix sets the format."""
        dialog = file_dialog(self._owner, _("Export"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(list(_FILTERS))
        dialog.setDefaultSuffix(CSV.suffix[1:])
        dialog.filterSelected.connect(
            lambda chosen: dialog.setDefaultSuffix(_FILTERS[chosen].suffix[1:])
        )
        dialog.selectFile(self._name())
        dialog.fileSelected.connect(lambda path: self.write_table(Path(path)))
        dialog.open()

    def write_table(self, path: Path) -> None:
        """Write the table, whole or not at all."""
        found = format_of(path)
        if found is None:
            endings = ", ".join(each.suffix for each in FORMATS)
            self.said.emit(
                _("{name}: unknown format. Use a name that ends in {endings}.").format(
                    name=path.name, endings=endings
                )
            )
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
        self._writers[writer] = ngettext(
            "{count:,} row written to {name}.", "{count:,} rows written to {name}.", rows
        ).format(count=num(rows), name=path.name)
        writer.start_writing()

    def abort_saving(self) -> None:
        """Stop writing, and wait a moment so that no partial file is left."""
        for writer in self._writers:
            writer.abort_writing()
        for writer in self._writers:
            writer.wait_for_end(_END_S)

    def _on_ended(self, writer: Writer, trouble: str) -> None:
        done = self._writers.pop(writer, "")
        self.said.emit(trouble or done)


def format_of(path: Path) -> FileFormat | None:
    """Return the format of a file's suffix."""
    return next((each for each in FORMATS if path.suffix.lower() == each.suffix), None)
