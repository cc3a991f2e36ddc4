"""The odds grid: every price of the service in one table, for those who compare."""

from PySide6.QtCore import QModelIndex, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Gathering, Link
from oddsdesk.board.notices import ConnectionChanged, GatheringChanged, Notice
from oddsdesk.clock import Clock
from oddsdesk.desk.links import open_link
from oddsdesk.desk.models.grid import GridModel
from oddsdesk.desk.theme import spacing
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.widgets.filter_edit import FilterEdit
from oddsdesk.desk.widgets.live_table import LiveTable
from oddsdesk.desk.widgets.message_bar import MessageBar
from oddsdesk.desk.widgets.placeholder import Placeholder

_IDLE_MS = 1_000
_TYPING_MS = 60
_FILTER_WIDTH = 320


class GridPanel(QWidget):
    """Shows what the board gathers while the panel is in sight."""

    def __init__(self, board: Board, theme: Theme, clock: Clock) -> None:
        super().__init__()
        self.setProperty("look", "panel")
        self._board = board
        self.model = GridModel(board, clock)
        self.table = LiveTable(theme, self.model, clock, frozen=1)
        self.table.setAccessibleName("Odds grid")
        self.filter = FilterEdit(theme, "Filter prices: team, market, bookmaker, live…")
        self.filter.setFixedWidth(_FILTER_WIDTH)
        self._title = QLabel("Odds grid")
        self._title.setFont(theme.fonts.title)
        self._count = QLabel()
        self._count.setProperty("look", "soft")
        self._sort = QToolButton()
        self._sort.setProperty("look", "plain")
        self._sort.setToolTip("Put new prices in their place and drop those that are gone")
        self._placeholder = Placeholder(theme)
        self._messages = MessageBar(theme)
        self._lay_out()
        self._idle = QTimer(self, interval=_IDLE_MS)
        self._idle.timeout.connect(self._on_idle_timeout)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._typing.timeout.connect(lambda: self.model.filter_by(self.filter.text()))
        self._connect()
        self._show_counts()

    def close_panel(self) -> None:
        """Hear no more of the board."""
        self._idle.stop()
        self.model.close()
        self._unsubscribe()

    def _lay_out(self) -> None:
        header = QWidget()
        header.setProperty("look", "bar")
        header.setFixedHeight(spacing.BAR)
        line = QHBoxLayout(header)
        line.setContentsMargins(spacing.LEAD, 0, spacing.LEAD, 0)
        line.setSpacing(spacing.GAP)
        line.addWidget(self._title)
        line.addWidget(self._count)
        line.addStretch()
        line.addWidget(self._sort)
        line.addWidget(self.filter)
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._placeholder)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(header)
        whole.addWidget(body, 1)
        whole.addWidget(self._messages)

    def _connect(self) -> None:
        self.filter.textChanged.connect(lambda _text: self._typing.start())
        self.table.header_clicked.connect(self.model.sort_by)
        self.table.opened.connect(self._on_table_opened)
        self.model.counts_changed.connect(self._show_counts)
        self._sort.clicked.connect(self.model.arrange)
        self._placeholder.action_requested.connect(self.filter.clear)
        self._unsubscribe = self._board.subscribe(self._on_board_notice)
        self._idle.start()

    def _show_counts(self) -> None:
        shown, total = self.model.rowCount(), self.model.total
        prices = f"{total:,} prices" if shown == total else f"{shown:,} of {total:,} prices"
        self._count.setText(f"{prices}{gathering_text(self._board.gathering)}")
        waiting = self.model.unplaced
        self._sort.setText(f"{waiting:,} row{'s' if waiting != 1 else ''} would move")
        self._sort.setVisible(waiting > 0)
        self._stack.setCurrentIndex(0 if shown else 1)
        if not shown:
            is_filtered = total > 0 and bool(self.filter.text().strip())
            self._placeholder.say(*_state(self._board.connection, is_filtered=is_filtered))

    def _is_pointed_at(self) -> bool:
        return self.model.rowCount() > 0 and (
            self.table.underMouse() or self.table.scrolling.hasFocus()
        )

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, GatheringChanged | ConnectionChanged):
            self._show_counts()

    def _on_idle_timeout(self) -> None:
        if self.model.unplaced and self.isVisible() and not self._is_pointed_at():
            self.model.arrange()

    def _on_table_opened(self, index: QModelIndex) -> None:
        row = self.model.row(index.row())
        if not open_link(row.url):
            self._messages.say(f"{row.bookmaker} gave no web page for this price.")


def gathering_text(gathering: Gathering) -> str:
    """Return how far the reading of all prices is; empty once it is whole."""
    if gathering.cut:
        return f" · {len(gathering.cut)} slices cut short by the service"
    if gathering.finished_at is not None or gathering.slices_done == 0:
        return ""
    of = f" of {gathering.slices_total}" if gathering.slices_total else ""
    return f" · reading slice {gathering.slices_done}{of}"


def _state(connection: Connection, *, is_filtered: bool) -> tuple[str, str, str, str]:
    if is_filtered:
        return "filter", "No price matches the filter.", "", "Clear the filter"
    if connection.link is Link.REFUSED:
        return "lock", "The service does not let this key in.", connection.reason or "", ""
    if connection.link is Link.WAITING:
        return "offline", "Not connected.", connection.reason or "", ""
    return "loading", "Reading all prices…", "They show up here slice by slice.", ""
