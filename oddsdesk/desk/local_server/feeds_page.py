"""The embedded server's feeds: which run, start and stop, and one more."""

from collections import Counter

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import (
    QLineEdit,
    QPushButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.contract.administration import FeedCondition, FeedState
from oddsdesk.desk.ui.controls.feed_fields import LIVE, REPLAY, FeedFields
from oddsdesk.desk.ui.controls.form_dialog import note, plain_table, with_buttons
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import MARGIN, STEP

_WIDTHS = {"Feed": 330, "Speed": 70, "State": 0}
_SAID = (
    "What runs here ends with the server; what it starts with stands in the connection. "
    "Everything is recorded in the same database, simulated odds only until there are real ones."
)

_KEY = "Key of the service, where it needs one; {}"

_STATES = {
    FeedCondition.RUNNING: "Running",
    FeedCondition.WAITING: "Waiting",
    FeedCondition.OUT_OF_CREDITS: "Out of credits",
    FeedCondition.REFUSED: "Refused",
    FeedCondition.FAILING: "Failing",
    FeedCondition.STOPPED: "Stopped",
}


class FeedsPage(QWidget):
    """Shows the feeds it is given; what the user asks for is signalled."""

    start_requested = Signal(int)
    stop_requested = Signal(int)
    remove_requested = Signal(int)
    add_requested = Signal(str, float, str)
    """A feed as on the command line, how fast a replay runs, and the key of its source or none."""
    refused = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.list = plain_table(theme, "Feeds", _WIDTHS)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.currentItemChanged.connect(self._show_selected)
        self.said = note("", theme)
        self.said.setAccessibleName("The selected feed")
        self.start = QPushButton("&Start", autoDefault=False)
        self.start.clicked.connect(lambda: self._wish(self.start_requested))
        self.stop = QPushButton("S&top", autoDefault=False)
        self.stop.clicked.connect(lambda: self._wish(self.stop_requested))
        self.remove = QPushButton("&Remove", autoDefault=False)
        self.remove.setToolTip("Takes it off the list; what it recorded stays")
        self.remove.clicked.connect(lambda: self._wish(self.remove_requested))
        self.fields = FeedFields((LIVE, REPLAY, "simulator"))
        self.key = QLineEdit(
            echoMode=QLineEdit.EchoMode.Password,
            placeholderText=_KEY.format("kept in the system's keyring"),
        )
        self.key.setAccessibleName("Key of the service")
        self.fields.changed.connect(self._show_key)
        self.add = QPushButton("&Add and start", autoDefault=False)
        self.add.clicked.connect(self._on_add_clicked)
        self._lay_out(theme)
        self._show_selected()
        self._show_key()

    def show_no_keyring(self) -> None:
        """Say that this machine has nothing to keep a typed key in."""
        self.key.setPlaceholderText(_KEY.format("no keyring here: key-file=FILE in the feed"))

    def show_feeds(self, feeds: list[FeedState]) -> None:
        """Show the feeds as they are; the selected one stays selected."""
        selected = self._number()
        titles = Counter(map(title, feeds))
        self.list.clear()
        for feed in feeds:
            named = title(feed)
            named = f"{named} ({feed.number})" if titles[named] > 1 else named
            item = QTreeWidgetItem([named, f"{feed.speed:g}×", state(feed)])
            item.setData(0, Qt.ItemDataRole.UserRole, feed)
            item.setToolTip(0, feed.spec)
            item.setToolTip(2, "\n".join(filter(None, (item.text(2), feed.status.plan))))
            self.list.addTopLevelItem(item)
            if feed.number == selected:
                self.list.setCurrentItem(item)
        first = self.list.topLevelItem(0)
        if self.list.currentItem() is None and first is not None:
            self.list.setCurrentItem(first)
        self._show_selected()

    def _lay_out(self, theme: Theme) -> None:
        heading = Label("Add a feed")
        heading.setFont(theme.fonts.strong)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(STEP)
        column.addLayout(with_buttons(self.list, self.start, self.stop, self.remove), 1)
        column.addWidget(self.said)
        column.addWidget(heading)
        column.addWidget(self.fields)
        column.addWidget(self.key)
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

    def _show_selected(self) -> None:
        """Show what may be done with the selected feed, and all that its row has no room for."""
        feed = self._feed()
        self.remove.setEnabled(feed is not None and not feed.is_running)
        self.said.setText("" if feed is None else _whole(feed))
        self.said.setVisible(feed is not None)
        self.start.setEnabled(feed is not None and not feed.is_running)
        self.stop.setEnabled(feed is not None and feed.is_running)

    def _on_add_clicked(self) -> None:
        if trouble := self.fields.trouble():
            self.refused.emit(trouble)
            return
        key = self.key.text().strip() if self._is_live() else ""
        self.key.clear()
        for spec in self.fields.specs():
            self.add_requested.emit(spec, self.fields.speed.value(), key)

    def _is_live(self) -> bool:
        return bool(self.fields.kind.currentData() == LIVE)

    def _show_key(self) -> None:
        self.key.setVisible(self._is_live())


def title(feed: FeedState) -> str:
    """Return a feed as people call it."""
    if feed.simulated:
        return "Simulated odds"
    written = feed.spec.partition("?")[0]
    if written.startswith("replay:"):
        return written.replace("replay:", "Replay of ", 1)
    return written.replace(",", ", ")


def _whole(feed: FeedState) -> str:
    what = f"{title(feed)}: {state(feed)}."
    return " ".join(filter(None, (what, sentence(feed.status.plan) if feed.status.plan else "")))


def state(feed: FeedState) -> str:
    """Return in words how a feed is, and what its source says of credits."""
    said = feed.status
    reason = said.reason or feed.problem
    words = _STATES[said.state] + (f": {reason}" if reason else "")
    left = said.credits_left
    return words if left is None else f"{words} · {left:,} credits left"
