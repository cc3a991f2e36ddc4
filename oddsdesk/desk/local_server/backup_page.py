"""The embedded server's page of backups: what goes into one, and what restoring one does."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.desk.ui.controls.file_dialog import file_dialog
from oddsdesk.desk.ui.controls.form_dialog import note
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import MARGIN, STEP

_BACK_UP = (
    "One file for its owner's eyes only, made while recording goes on. With keys or bets it is an"
    " archive that Restore opens; without both it is a database that opens by itself."
)
_RESTORE = (
    "The server stops, the backup takes the place of this database, and the server starts again."
    " The present database stays beside it under another name. Keys are replaced if the backup"
    " holds any; bets and presets are added to yours."
)


class BackupPage(QWidget):
    """Asks which file; the work is left to who made it."""

    backup_requested = Signal(str, bool, bool)
    """The file, and whether keys and bets go into it."""
    restore_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._database: Path | None = None
        self._chosen = ""
        self._is_working = False
        self.keys = _ticked("With accounts and &keys")
        self.bets = _ticked("With your &bets and presets")
        self.backup = QPushButton("Back &up now…", autoDefault=False)
        self.backup.clicked.connect(self._on_backup_clicked)
        self.restore = QPushButton("&Restore…", autoDefault=False)
        self.restore.clicked.connect(self._on_restore_clicked)
        self.question = MessageBar(theme, self)
        self.question.action_requested.connect(self._on_question_action_requested)
        self.question.closed.connect(self.restore.setFocus)
        self._lay_out()
        self._show_buttons()

    def show_database(self, path: Path) -> None:
        """Offer to back up and to restore this database."""
        self._database = path
        self._show_buttons()

    def show_working(self, working: bool) -> None:
        """Offer nothing while a backup is made."""
        self._is_working = working
        self._show_buttons()

    def ask_to_restore(self, file: str) -> None:
        """Ask whether a backup is to take the database's place."""
        assert self._database is not None
        self._chosen = file
        text = f"Replace {self._database.name} with {Path(file).name}? The server stops meanwhile."
        self.question.ask(text, action="Restore")

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(STEP)
        column.addWidget(self._heading("Back up"))
        for field in (self.keys, self.bets, note(_BACK_UP, self._theme)):
            column.addWidget(field)
        column.addLayout(_leftmost(self.backup))
        column.addSpacing(MARGIN)
        column.addWidget(self._heading("Restore"))
        column.addWidget(note(_RESTORE, self._theme))
        column.addLayout(_leftmost(self.restore))
        column.addWidget(self.question)
        column.addStretch()

    def _heading(self, text: str) -> Label:
        heading = Label(text)
        heading.setFont(self._theme.fonts.strong)
        return heading

    def _show_buttons(self) -> None:
        for field in (self.keys, self.bets, self.backup, self.restore):
            field.setEnabled(self._database is not None and not self._is_working)

    def _on_backup_clicked(self) -> None:
        assert self._database is not None
        with_more = self.keys.isChecked() or self.bets.isChecked()
        name = f"-backup{'.tar' if with_more else self._database.suffix}"
        wanted = self._database.with_name(self._database.stem + name)
        dialog = file_dialog(self, "Back up to")
        dialog.setDirectory(str(wanted.parent))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(wanted.name)
        dialog.fileSelected.connect(self._on_target_selected)
        dialog.open()

    def _on_target_selected(self, file: str) -> None:
        self.show_working(True)
        self.backup_requested.emit(file, self.keys.isChecked(), self.bets.isChecked())

    def _on_restore_clicked(self) -> None:
        assert self._database is not None
        dialog = file_dialog(self, "Restore from")
        dialog.setDirectory(str(self._database.parent))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.ask_to_restore)
        dialog.open()

    def _on_question_action_requested(self) -> None:
        self.question.hide()
        self.restore_requested.emit(self._chosen)


def _ticked(text: str) -> QCheckBox:
    box = QCheckBox(text)
    box.setChecked(True)
    return box


def _leftmost(field: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addWidget(field)
    row.addStretch()
    return row
