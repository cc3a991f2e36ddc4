"""The embedded server's first page: where it answers, its database, and retention."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.desk.dialogs.form_dialog import note, side_by_side
from oddsdesk.desk.local_server import LocalDatabase
from oddsdesk.desk.moments import age_text
from oddsdesk.desk.theme.spacing import GAP, HALF, MARGIN
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.widgets.plain import Label

_MIB = 1024 * 1024
_KEPT = "Keep price history"
_KEPT_HELP = (
    "Older price changes go for good, by the time of the price; imported history that was older "
    "already stays. The database itself keeps this."
)
_DAYS = (0, 1_825, 730, 365, 180, 90, 30, 14, 7, 1)
"""What is offered; 0 is for ever. A step of a wheel or key goes to the next one only."""


class ServerPage(QWidget):
    """Shows what it is given."""

    days_chosen = Signal(int)

    def __init__(self, theme: Theme, address: str) -> None:
        super().__init__()
        self._theme = theme
        self._copy = QPushButton("Copy", autoDefault=False)
        self._copy.setAccessibleName("Copy the address")
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(address))
        self.days = QComboBox()
        self.days.setEnabled(False)
        self.days.setAccessibleName(_KEPT)
        self.days.setAccessibleDescription(_KEPT_HELP)
        self.days.activated.connect(lambda _index: self.days_chosen.emit(self.days.currentData()))
        self.database, self.room, self.reference, self.newest = (_fact() for _ in range(4))
        self._lay_out(address)

    def show_database(self, database: LocalDatabase, now_ms: int) -> None:
        """Show the state of the odds file."""
        self.database.setText(str(database.path))
        self.room.setText(f"{database.size / _MIB:,.1f} MiB")
        self.reference.setText(database.reference)
        seen = database.last_scraped_at
        self.newest.setText("None yet" if seen is None else f"{age_text(now_ms - seen)} ago")
        if not self.days.view().isVisible():
            self._show_days(database.keep_days)

    def _show_days(self, kept: int) -> None:
        """Choose what the database says; a number that is not offered is, from then on."""
        if not self.days.isEnabled() or self.days.findData(kept) < 0:
            self.days.clear()
            for days in sorted({*_DAYS, kept}, key=lambda each: -each or -1_000_000):
                self.days.addItem(_words(days), days)
            self.days.setEnabled(True)
        self.days.setCurrentIndex(self.days.findData(kept))

    def _lay_out(self, address: str) -> None:
        form = QFormLayout(self, labelAlignment=Qt.AlignmentFlag.AlignLeft)
        form.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        form.setHorizontalSpacing(MARGIN)
        form.setVerticalSpacing(GAP)
        shown = _fact()
        shown.setText(address)
        said = "Only programs on this machine reach it, each with a key of its own."
        form.addRow("Address", self._explained(side_by_side(shown, self._copy), said))
        form.addRow("Database", self.database)
        form.addRow("Size", self.room)
        form.addRow("Reference", self.reference)
        form.addRow("Newest price", self.newest)
        form.addRow(_KEPT, self._explained(_leftmost(self.days), _KEPT_HELP))

    def _explained(self, field: QWidget, text: str) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(HALF)
        column.addWidget(field)
        column.addWidget(note(text, self._theme))
        return holder


def _words(days: int) -> str:
    if not days:
        return "For ever"
    return f"For {days:,} day{'s' if days != 1 else ''}"


def _leftmost(field: QWidget) -> QWidget:
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(field)
    row.addStretch()
    return holder


def _fact() -> Label:
    label = Label("…", wordWrap=True)
    flags = Qt.TextInteractionFlag
    label.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
    return label
