"""The embedded server's feeds: which run, start and stop, and one more."""

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.contract.administration import FeedState
from oddsdesk.desk.ui.controls.feed_fields import REPLAY, FeedFields
from oddsdesk.desk.ui.controls.form_dialog import note, plain_table
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import MARGIN, STEP

_WIDTHS = {"Feed": 330, "Speed": 70, "State": 0}
_SAID = (
    "What runs here ends with the server; what it starts with stands in the connection. "
    "Everything is recorded in the same database, simulated odds too."
)


class FeedsPage(QWidget):
    """Shows the feeds it is given; what the user wishes is left to who made it."""

    start_requested = Signal(int)
    stop_requested = Signal(int)
    add_requested = Signal(str, float)
    refused = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.list = plain_table(theme, "Feeds", _WIDTHS)
        self.list.currentItemChanged.connect(self._show_buttons)
        self.start = QPushButton("&Start", autoDefault=False)
        self.start.clicked.connect(lambda: self._wish(self.start_requested))
        self.stop = QPushButton("S&top", autoDefault=False)
        self.stop.clicked.connect(lambda: self._wish(self.stop_requested))
        self.fields = FeedFields((REPLAY, "simulator"))
        self.add = QPushButton("&Add and start", autoDefault=False)
        self.add.clicked.connect(self._on_add_clicked)
        self._lay_out(theme)
        self._show_buttons()

    def show_feeds(self, feeds: list[FeedState]) -> None:
        """Show the feeds as they are; the selected one stays selected."""
        selected = self._number()
        self.list.clear()
        for feed in feeds:
            item = QTreeWidgetItem([title(feed), f"{feed.speed:g}×", state(feed)])
            item.setData(0, Qt.ItemDataRole.UserRole, feed)
            item.setToolTip(0, feed.spec)
            self.list.addTopLevelItem(item)
            if feed.number == selected or selected is None:
                self.list.setCurrentItem(item)
                selected = feed.number
        self._show_buttons()

    def _lay_out(self, theme: Theme) -> None:
        side = QVBoxLayout()
        side.setSpacing(STEP)
        side.addWidget(self.start)
        side.addWidget(self.stop)
        side.addStretch()
        row = QHBoxLayout()
        row.setSpacing(STEP)
        row.addWidget(self.list, 1)
        row.addLayout(side)
        heading = Label("One more")
        heading.setFont(theme.fonts.strong)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(STEP)
        column.addLayout(row, 1)
        column.addWidget(heading)
        column.addWidget(self.fields)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(note(_SAID, theme))

    def _feed(self) -> FeedState | None:
        item = self.list.currentItem()
        return None if item is None else item.data(0, Qt.ItemDataRole.UserRole)

    def _number(self) -> int | None:
        feed = self._feed()
        return None if feed is None else feed.number

    def _wish(self, signal: SignalInstance) -> None:
        if (number := self._number()) is not None:
            signal.emit(number)

    def _show_buttons(self) -> None:
        feed = self._feed()
        self.start.setEnabled(feed is not None and not feed.is_running)
        self.stop.setEnabled(feed is not None and feed.is_running)

    def _on_add_clicked(self) -> None:
        if trouble := self.fields.trouble():
            self.refused.emit(trouble)
            return
        for spec in self.fields.specs():
            self.add_requested.emit(spec, self.fields.speed.value())


def title(feed: FeedState) -> str:
    """Return a feed as people call it."""
    return "Simulated odds" if feed.simulated else feed.spec.replace("replay:", "Replay of ", 1)


def state(feed: FeedState) -> str:
    """Return in words whether a feed runs."""
    word = "Running" if feed.is_running else "Stopped"
    return f"{word}: {feed.problem}" if feed.problem else word
