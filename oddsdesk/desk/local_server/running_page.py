"""Live odds that were begun: how they are, and what to do where they are not well."""

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from oddsdesk.contract.administration import FeedCondition, FeedState
from oddsdesk.desk.ui.controls.dot import Dot
from oddsdesk.desk.ui.controls.form_dialog import note
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, MARGIN, STEP, TextRole
from oddsdesk.desk.ui.time_format import age_text, local_time, moment_text

_STATES: Final = {
    FeedCondition.RUNNING: ("Running", TextRole.UP),
    FeedCondition.WAITING: ("Waiting", TextRole.VALUE),
    FeedCondition.OUT_OF_CREDITS: ("Out of credits", TextRole.VALUE),
    FeedCondition.REFUSED: ("Refused", TextRole.DOWN),
    FeedCondition.FAILING: ("Failing", TextRole.DOWN),
    FeedCondition.STOPPED: ("Stopped", TextRole.NOTE),
}
_BEGUN: Final = (FeedCondition.RUNNING, FeedCondition.WAITING)
_ADVICE: Final = {
    FeedCondition.RUNNING: "Close this to see prices; they go on coming.",
    FeedCondition.WAITING: "Nothing is to be done: it goes on by itself.",
    FeedCondition.OUT_OF_CREDITS: "Fewer competitions, regions or markets last longer; more "
    "credits or another key help at once.",
    FeedCondition.REFUSED: "Change it to give another key; it is tried at once.",
    FeedCondition.FAILING: "It is tried again by itself; what was recorded stays.",
    FeedCondition.STOPPED: "Nothing is read any more; what was recorded stays.",
}


class RunningPage(QWidget):
    """Shows the feed it is given."""

    change_requested = Signal()
    stop_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._dot = Dot(theme)
        self.title, self.state = Label(wordWrap=True), Label(wordWrap=True)
        self.title.setFont(theme.fonts.title)
        self.state.setFont(theme.fonts.strong)
        self.reason, self.plan, self.read = (Label(wordWrap=True) for _ in range(3))
        self.advice = note("", theme)
        self.change = QPushButton("&Change or add…", autoDefault=False)
        self.change.clicked.connect(self.change_requested)
        self.stop = QPushButton("S&top", autoDefault=False)
        self.stop.clicked.connect(self.stop_requested)
        self._lay_out()

    def show_feed(self, title: str, feed: FeedState, now_ms: int) -> None:
        """Show how a feed is."""
        said = feed.status
        word, ink = _STATES[said.state]
        is_first = said.state in _BEGUN and said.read_at is None and said.until is None
        self._dot.show_ink(TextRole.NOTE if is_first else ink)
        self.title.setText(title)
        self.state.setText(
            "Reading for the first time…" if is_first else word + _until(feed, now_ms)
        )
        reason = said.reason or feed.problem
        self.reason.setText(sentence(reason) if reason else "")
        self.reason.setVisible(bool(reason))
        self.plan.setText(sentence(said.plan) if said.plan else "")
        self.plan.setVisible(bool(said.plan))
        self.read.setText(_figures(feed, now_ms))
        self.read.setVisible(bool(self.read.text()))
        self.advice.setText(_ADVICE[said.state])
        self.stop.setEnabled(feed.is_running)

    def _lay_out(self) -> None:
        state = QHBoxLayout()
        state.setSpacing(STEP)
        state.addWidget(self._dot)
        state.addWidget(self.state, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(STEP)
        buttons.addWidget(self.change)
        buttons.addWidget(self.stop)
        buttons.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(GAP)
        column.addWidget(self.title)
        column.addLayout(state)
        for label in (self.reason, self.plan, self.read, self.advice):
            column.addWidget(label)
        column.addSpacing(STEP)
        column.addLayout(buttons)
        column.addStretch()


def _until(feed: FeedState, now_ms: int) -> str:
    until = feed.status.until
    if until is None:
        return ""
    moment = local_time(until)
    if moment.date() == local_time(now_ms).date():
        return f", asked again at {moment:%H:%M:%S}"
    return f", asked again on {moment_text(until)}"


def _moment(at_ms: int, now_ms: int) -> str:
    """Return a time to come, with its day where that is not today."""
    at, now = local_time(at_ms), local_time(now_ms)
    return f"at {at:%H:%M}" if at.date() == now.date() else f"on {at:%A} at {at:%H:%M}"


def _figures(feed: FeedState, now_ms: int) -> str:
    said = feed.status
    words = []
    if said.credits_left is not None:
        used = "" if said.credits_used is None else f", {said.credits_used:,} used"
        words.append(f"{said.credits_left:,} credits left{used}.")
    if said.read_at is not None:
        words.append(f"Last good answer {age_text(max(now_ms - said.read_at, 0))} ago.")
    if said.state is FeedCondition.RUNNING and said.next_at is not None and said.next_at > now_ms:
        words.append(f"Next reading {_moment(said.next_at, now_ms)}.")
    return " ".join(words)
