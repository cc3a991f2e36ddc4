"""Importing other people's files once, and what came of them."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.contract.administration import ImportOutcome
from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.feed_fields import FORMATS
from oddsdesk.desk.ui.controls.file_dialog import file_dialog
from oddsdesk.desk.ui.controls.form_dialog import note
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import MARGIN, STEP
from oddsdesk.desk.ui.time_format import day_text, local_time

_SAID: Final = (
    "Files are read once and recorded beside what is there, plain or gzip. Each price is kept, or "
    "counted by why it was not. Simulated odds end with the first of them, and are withdrawn."
)
_SHIFT_HELP: Final = (
    "Old prices are not shown as offered. Moved to now they are, as if they had been read just "
    "now: for a look at what a file holds. Later files are moved as the first were."
)
_PAST: Final = "All of them are past: Games of a date (Ctrl+J) shows them."
_INFERRED: Final = (
    "Times of scrape were inferred from the kick-offs: the files name none before them."
)


class ImportPage(QWidget):
    """Asks for files and shows the outcome; importing is left to who made the page."""

    import_requested = Signal(str, list, bool)
    """The format's word, the files' paths, and whether all times are moved to now."""
    day_requested = Signal(object)
    """The ``date`` of the newest of the imported prices, which the user wants to see."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._folder = ""
        self.format = ChoiceBox()
        self.format.setAccessibleName("Format of the files")
        for word, label in FORMATS:
            if word:
                self.format.addItem(label, word)
        self.shift = QCheckBox("Move all times, so that the newest price is of now")
        self.choose = QPushButton("&Import files…", autoDefault=False)
        self.choose.clicked.connect(self._on_choose_clicked)
        self.state = Label(wordWrap=True)
        self.state.setFont(theme.fonts.strong)
        self.show_games = QPushButton(autoDefault=False)
        self.show_games.clicked.connect(self._on_show_games_clicked)
        self._newest_ms: int | None = None
        self.outcome = QPlainTextEdit(readOnly=True)
        self.outcome.setAccessibleName("What came of the files")
        self.outcome.setTabChangesFocus(True)
        self._lay_out(theme)
        self.show_ready()

    def take(self, places: list[str]) -> None:
        """Ask for files to be imported; until they are, no others are taken."""
        self._folder = str(Path(places[0]).parent)
        self.show_busy(len(places))
        self.import_requested.emit(self.format.currentData(), places, self.shift.isChecked())

    def show_busy(self, files: int) -> None:
        """Say that so many files are being imported; no others are taken."""
        self.choose.setEnabled(False)
        self.state.setText(f"Importing {files} file{'s' if files != 1 else ''}…")
        self.state.show()
        self.show_games.hide()
        self.outcome.hide()

    def show_ready(self) -> None:
        """Take files; say nothing of any."""
        self.choose.setEnabled(True)
        self.show_games.hide()
        self.state.hide()
        self.outcome.hide()

    def show_outcome(self, outcome: ImportOutcome) -> None:
        """Say what came of the files; others are taken again."""
        self.choose.setEnabled(True)
        self.state.setText(summary(outcome))
        self._newest_ms = outcome.newest_ms if outcome.is_past else None
        if self._newest_ms is not None:
            self.show_games.setText(f"Show games of {day_text(self._newest_ms)}")
        self.show_games.setVisible(self._newest_ms is not None)
        text = details(outcome)
        self.outcome.setPlainText(text)
        self.outcome.setVisible(bool(text))

    def _lay_out(self, theme: Theme) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(STEP)
        column.addWidget(note(_SAID, theme))
        column.addWidget(self.format)
        column.addWidget(self.shift)
        column.addWidget(note(_SHIFT_HELP, theme))
        column.addWidget(self.choose, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.state)
        column.addWidget(self.show_games, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.outcome, 1)
        column.addStretch()

    def _on_show_games_clicked(self) -> None:
        if self._newest_ms is not None:
            self.day_requested.emit(local_time(self._newest_ms).date())

    def _on_choose_clicked(self) -> None:
        dialog = file_dialog(self, f"Import: {self.format.currentText()}")
        dialog.setDirectory(self._folder)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(self.take)
        dialog.open()


def summary(outcome: ImportOutcome) -> str:
    """Return in a line how many prices were kept and how many were new."""
    skipped = sum(outcome.skipped.values())
    read = outcome.kept + skipped
    if not read:
        return "No price was found."
    return (
        f"{read:,} prices read: {outcome.kept:,} kept, {skipped:,} skipped. "
        f"{outcome.changes:,} price changes recorded."
    )


def details(outcome: ImportOutcome) -> str:
    """Return why prices were skipped and what made no sense, a line each; empty for nothing."""
    lines = [f"Skipped {count:,}: {reason}" for reason, count in outcome.skipped.items()]
    lines += [f"Problem: {problem}" for problem in outcome.problems]
    lines += [f"Note: {note}" for note in outcome.notes]
    if outcome.is_past:
        lines.append(_PAST)
    if outcome.inferred_times:
        lines.append(_INFERRED)
    return "\n".join(lines)
