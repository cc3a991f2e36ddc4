"""The value-bet panel: prices better than fair, the best first, calm under the pointer."""

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.notices import ConnectionChanged, Notice, ValueBetsChanged
from oddsdesk.clock import Clock
from oddsdesk.desk.links import open_link
from oddsdesk.desk.models.values import ValuesModel
from oddsdesk.desk.theme.spacing import GAP, STEP
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.widgets.live_table import LiveTable

_IDLE_MS = 1_000


class ValuesPanel(QWidget):
    """Lists the value bets by true EV; rows move only when nobody points at them."""

    game_requested = Signal(str)
    """The game of a bet that was opened where its bookmaker has no page."""

    def __init__(self, board: Board, theme: Theme, clock: Clock) -> None:
        super().__init__()
        self.setProperty("look", "panel")
        self._board = board
        self._model = ValuesModel(clock)
        self.table = LiveTable(theme, self._model, clock)
        self.table.setAccessibleName("Value bets")
        self._title = QLabel("Value bets")
        self._title.setFont(theme.fonts.strong)
        self._count = QLabel()
        self._count.setProperty("look", "note")
        self._sort = QToolButton()
        self._sort.setShortcut("S")
        self._sort.setToolTip("Sort by true EV and drop what is gone (S)")
        self._sort.setProperty("look", "plain")
        self._state = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._state.setProperty("look", "note")
        self._lay_out()
        self._idle = QTimer(self, interval=_IDLE_MS)
        self._idle.timeout.connect(self._on_idle_timeout)
        self._idle.start()
        self._sort.clicked.connect(self._model.sort_now)
        self._model.order_changed.connect(self._show_counts)
        self.table.opened.connect(self._on_table_opened)
        self._unsubscribe = board.subscribe(self._on_board_notice)
        self._show_bets()

    def close_panel(self) -> None:
        """Hear no more of the board."""
        self._idle.stop()
        self._unsubscribe()

    def _lay_out(self) -> None:
        header = QFrame()
        header.setProperty("look", "bar")
        line = QHBoxLayout(header)
        line.setContentsMargins(GAP, STEP, GAP, STEP)
        line.setSpacing(STEP)
        line.addWidget(self._title)
        line.addWidget(self._count)
        line.addStretch()
        line.addWidget(self._sort)
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._state)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(header)
        whole.addWidget(body, 1)

    def _show_bets(self) -> None:
        self._model.show_bets(self._board.value_bets.values(), may_move=not self._is_pointed_at())
        self._show_counts()

    def _show_counts(self) -> None:
        self._count.setText(f"{self._model.count} · true EV by {_words(self._board.method)}")
        moving = self._model.rows_that_would_move
        self._sort.setText(f"{moving} row{'s' if moving != 1 else ''} would move · S to sort")
        self._sort.setVisible(moving > 0)
        self._state.setText(state_text(self._board.connection))
        self._stack.setCurrentIndex(0 if self._model.rowCount() else 1)

    def _is_pointed_at(self) -> bool:
        return self.table.underMouse() or self.table.scrolling.hasFocus()

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, ValueBetsChanged):
            self._show_bets()
        elif isinstance(notice, ConnectionChanged):
            self._show_counts()

    def _on_idle_timeout(self) -> None:
        if self._model.rows_that_would_move and not self._is_pointed_at():
            self._model.sort_now()

    def _on_table_opened(self, index: QModelIndex) -> None:
        entry = self._model.entry(index.row())
        if not open_link(entry.url):
            self.game_requested.emit(entry.key.game_id)


def state_text(connection: Connection) -> str:
    """Return why no value bet is shown, and what to do about it."""
    if connection.has_value_bets is False:
        return "Value bets are not in your plan; Pro and higher have them."
    if connection.link in (Link.CONNECTING, Link.STOPPED):
        return "Looking for value bets…"
    if connection.link in (Link.WAITING, Link.REFUSED):
        return "Not connected: value bets come back with the connection."
    return "No value bets now. A bet is listed here while every rule of the service holds."


def _words(method: str) -> str:
    return method.replace("_", " ")
