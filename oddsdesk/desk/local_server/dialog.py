"""The embedded server's dialog: six pages over one line for what went wrong."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.contract.administration import DatabaseState
from oddsdesk.contract.game_pairs import GamePair
from oddsdesk.desk.local_server.backup_page import BackupPage
from oddsdesk.desk.local_server.feeds_page import FeedsPage
from oddsdesk.desk.local_server.games_page import GamesPage
from oddsdesk.desk.local_server.import_page import ImportPage
from oddsdesk.desk.local_server.keys_page import KeysPage
from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import note, side_by_side
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.controls.scaling import resize_scaled
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, HALF, MARGIN, STEP, TextRole
from oddsdesk.desk.ui.time_format import age_text

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
        self.days = ChoiceBox()
        self.days.setEnabled(False)
        self.days.setAccessibleName(_KEPT)
        self.days.setAccessibleDescription(_KEPT_HELP)
        self.days.activated.connect(lambda _index: self.days_chosen.emit(self.days.currentData()))
        self.database, self.room, self.reference, self.newest = (_fact() for _ in range(4))
        self._lay_out(address)

    def show_database(self, database: DatabaseState, now_ms: int) -> None:
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


_SIZE = (880, 560)
_GAMES = "Games"


class ServerDialog(QDialog):
    """Pages that show what they are given; ``server_work`` talks to the server for them."""

    def __init__(self, theme: Theme, address: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Embedded server")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_scaled(self, theme, *_SIZE)
        self.server = ServerPage(theme, address)
        self.feeds = FeedsPage(theme)
        self.imports = ImportPage(theme)
        self.games = GamesPage(theme)
        self.keys = KeysPage(theme, address)
        self.backup = BackupPage(theme)
        self.pages = QTabWidget(documentMode=True)
        self.pages.addTab(self.server, "Server")
        self.pages.addTab(self.feeds, "Feeds")
        self.pages.addTab(self.imports, "Import")
        self.pages.addTab(self.games, _GAMES)
        self.pages.addTab(self.keys, "Keys")
        self.pages.addTab(self.backup, "Backup")
        self.message = MessageBar(theme, self)
        self._reserve_message_room()
        self.message.action_requested.connect(self._on_message_action_requested)
        self.keys.account_selected.connect(self.message.hide)
        for page in (self.feeds, self.keys):
            page.refused.connect(self.say_trouble)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        foot = QVBoxLayout()
        foot.setContentsMargins(MARGIN, STEP, MARGIN, GAP)
        foot.addWidget(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.pages, 1)
        column.addWidget(self.message)
        column.addLayout(foot)

    def _on_message_action_requested(self) -> None:
        self.keys.made.forget()
        self.reject()

    def _reserve_message_room(self) -> None:
        """Keep room for two lines, so that no button moves when a message comes or goes."""
        policy = self.message.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.message.setSizePolicy(policy)
        self.message.setMinimumHeight(2 * self.fontMetrics().lineSpacing() + STEP)

    def show_pairs(self, pairs: Sequence[GamePair], now_ms: int) -> None:
        """Show games that may be one; the page's tab says how many wait."""
        self.games.show_pairs(pairs, now_ms)
        waiting = self.games.waiting
        title = f"{_GAMES} ({waiting})" if waiting else _GAMES
        self.pages.setTabText(self.pages.indexOf(self.games), title)

    def reject(self) -> None:
        """Close; where a new key was not copied, only when the question is answered."""
        if not self.keys.made.is_at_risk:
            super().reject()
            return
        self.pages.setCurrentWidget(self.keys)
        self.message.ask(
            "The new key was not copied, and it is not shown again.",
            action="Close without copying",
            is_grave=True,
        )

    def say_trouble(self, text: str) -> None:
        """Say what the server refused, and why."""
        self.message.say(text, icon="warning", ink=TextRole.DOWN)

    def say_done(self, text: str) -> None:
        """Say what was done."""
        self.message.say(text, icon="check", ink=TextRole.UP)
