"""Get live odds: a source chosen, started, and seen running, in one window."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.contract.administration import FeedState
from oddsdesk.desk.local_server.choice_page import ChoicePage
from oddsdesk.desk.local_server.running_page import RunningPage
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.controls.plain import literal
from oddsdesk.desk.ui.controls.scaling import resize_scaled
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, MARGIN, STEP, TextRole

_SIZE: Final = (940, 640)


class LiveDialog(QDialog):
    """Two pages over one row of buttons; ``live_controller`` talks to the server for them."""

    start_requested = Signal()
    feeds_requested = Signal()
    """The user wants to see every feed."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Get live odds")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_scaled(self, theme, *_SIZE)
        self.choice = ChoicePage(theme)
        self.running = RunningPage(theme)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.choice)
        self.pages.addWidget(self.running)
        self.replace = _ticked("")
        self.at_start = _ticked("Go on at the next start of the des&k")
        self.message = MessageBar(theme)
        self.feeds = QPushButton("&All feeds…", autoDefault=False)
        self.feeds.clicked.connect(self.feeds_requested)
        self.close_button = QPushButton("Close", autoDefault=False)
        self.close_button.clicked.connect(self.reject)
        self.start = QPushButton("Star&t", autoDefault=False)
        self.start.setProperty("variant", "primary")
        self.start.clicked.connect(self.start_requested)
        self._lay_out()
        self.show_rival("")
        self.show_choice()

    def show_rival(self, title: str) -> None:
        """Offer to stop what is read of the same source already; empty where nothing is."""
        self.replace.setText(literal(f"Instead of what is read of {title} now"))
        self.replace.setVisible(bool(title))

    def offer_start(self, offered: bool) -> None:
        """Offer to go on at the next start, where the connection can keep it."""
        self.at_start.setVisible(offered)

    def show_choice(self) -> None:
        """Show what can be chosen."""
        self._turn(self.choice)
        self.choice.sources.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_running(self, title: str, feed: FeedState, now_ms: int) -> None:
        """Show how what was begun is."""
        self.running.show_feed(title, feed, now_ms)
        if self.pages.currentWidget() is not self.running:
            self.message.hide()
            self._turn(self.running)
            self.close_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_starting(self, starting: bool) -> None:
        """Say that it is begun, or that it can be."""
        self.start.setEnabled(not starting)
        self.start.setText("Starting…" if starting else "Star&t")

    def say_trouble(self, text: str) -> None:
        """Say what the server refused, and why."""
        self.message.say(text, icon="warning", ink=TextRole.DOWN)

    def _turn(self, page: QWidget) -> None:
        self.pages.setCurrentWidget(page)
        is_choice = page is self.choice
        self.start.setVisible(is_choice)
        self.feeds.setVisible(not is_choice)
        self._offers.setVisible(is_choice)

    def _lay_out(self) -> None:
        self._offers = QWidget()
        offers = QVBoxLayout(self._offers)
        offers.setContentsMargins(0, 0, 0, 0)
        offers.setSpacing(STEP)
        for box in (self.replace, self.at_start):
            offers.addWidget(box)
        foot = QHBoxLayout()
        foot.setContentsMargins(MARGIN, STEP, MARGIN, GAP)
        foot.setSpacing(STEP)
        foot.addWidget(self._offers, 1)
        foot.addStretch()
        for button in (self.feeds, self.close_button, self.start):
            foot.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.pages, 1)
        column.addWidget(self.message)
        column.addLayout(foot)


def _ticked(text: str) -> QCheckBox:
    box = QCheckBox(text)
    box.setChecked(True)
    return box
