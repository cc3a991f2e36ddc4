"""Writing what is shown to a file, on a thread of its own."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QStandardPaths, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from oddsdesk.desk.export.files import FileFormat, Writer
from oddsdesk.desk.export.tables import Table

_END_S: Final = 2.0


class Exporter(QObject):
    """Asks where a table is to be written, and writes it whole or not at all."""

    said = Signal(str)
    """What was written, one line."""
    failed = Signal(str)
    """What went wrong, one line."""
    _ended = Signal(str)

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self._writer: Writer | None = None
        self._wrote = ""
        self._ended.connect(self._on_ended)

    def close(self) -> None:
        """Stop writing, and wait a moment so that nothing half-written stays."""
        if self._writer is not None:
            self._writer.stop()
            self._writer.wait(_END_S)

    def ask(self, table: Table, file_format: FileFormat, name: str) -> None:
        """Ask where a table is to be written."""
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        dialog = QFileDialog(self._owner.window(), f"Export as {file_format.title}", folder)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(f"{file_format.title} (*{file_format.suffix})")
        dialog.setDefaultSuffix(file_format.suffix[1:])
        dialog.selectFile(f"{name}{file_format.suffix}")
        dialog.fileSelected.connect(lambda path: self.write(table, file_format, Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def write(self, table: Table, file_format: FileFormat, path: Path) -> None:
        """Write a table to a file."""
        rows = len(table.rows)
        self._wrote = f"{rows} row{'' if rows == 1 else 's'} written to {path}."
        self._writer = Writer(
            table,
            file_format,
            path,
            lambda _rows: None,
            lambda trouble: self._ended.emit(trouble or ""),
        )
        self._writer.start()

    def _on_ended(self, trouble: str) -> None:
        if trouble:
            self.failed.emit(trouble)
        else:
            self.said.emit(self._wrote)
