"""The game matrix: every selection of a game by every bookmaker, live."""

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QStackedLayout, QVBoxLayout, QWidget

from oddsdesk.board.board import Board
from oddsdesk.board.history_source import HistorySource
from oddsdesk.board.notices import ConnectionChanged, GamesChanged, Notice
from oddsdesk.clock import Clock
from oddsdesk.desk.export.saving import TableSaver
from oddsdesk.desk.export.tables import Table
from oddsdesk.desk.matrix.bookmakers import BookmakerColumns
from oddsdesk.desk.matrix.column_choice import MatrixColumns
from oddsdesk.desk.matrix.edges import LiveEdges
from oddsdesk.desk.matrix.export import table_of_matrix
from oddsdesk.desk.matrix.header import MatrixHeader
from oddsdesk.desk.matrix.layout import FROZEN
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.matrix.price_finder import PriceFinder
from oddsdesk.desk.matrix.rows import ALL
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.placeholder import Placeholder
from oddsdesk.desk.ui.links import open_link
from oddsdesk.desk.ui.price_actions import PriceActions, PriceFacts
from oddsdesk.desk.ui.states import state_without_rows
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme

_CLOCK_MS = 1_000


class MatrixPanel(QWidget):
    """Shows one game of the board until ``close_panel``."""

    favourite_requested = Signal(str)
    """The user adds this game to the favourites, or removes it."""
    said = Signal(str)
    """One line for the window's message bar."""
    price_selected = Signal(object)
    """The ``RowKey`` of the price that is current, None where the cell is about none."""
    price_added = Signal(object)
    """The ``RowKey`` of a price that is to be looked at beside those before."""

    def __init__(
        self,
        board: Board,
        theme: Theme,
        clock: Clock,
        game_id: str,
        columns: BookmakerColumns,
    ) -> None:
        super().__init__()
        self.setProperty("variant", "panel")
        self._board = board
        self._clock = clock
        self.game_id = game_id
        self._model = MatrixModel(board, game_id, clock, columns.order, columns.names, self)
        self.header = MatrixHeader(theme)
        self.table = LiveTable(theme, self._model, clock, frozen=FROZEN, outlines_current=True)
        self.table.setAccessibleName("Game matrix")
        self.columns = MatrixColumns(columns, self._model, self.table, theme)
        self.edges = LiveEdges(
            self.table,
            self._model.recent_moves,
            self.header,
            self.header.free_room,
            theme.fonts.small,
        )
        self.finder = PriceFinder(self._model, self.table, self.header.chips)
        self.finder.said.connect(self.said)
        self.columns.said.connect(self.said)
        self.saver = TableSaver(self, self._file_name, self._table)
        self.saver.said.connect(self.said)
        self._placeholder = Placeholder(theme)
        self._clock_timer = QTimer(self, interval=_CLOCK_MS)
        self._clock_timer.timeout.connect(self._show_moment)
        self._lay_out()
        self.header.group_chosen.connect(self._model.show_group)
        self._model.laid_out.connect(self._show_layout)
        self._model.columns_shown.connect(self.table.show_columns)
        self.table.opened.connect(self._on_table_opened)
        self.table.current_changed.connect(self._on_table_current_changed)
        self._unsubscribe = board.subscribe(self._on_board_notice, ConnectionChanged, GamesChanged)
        self._attach_actions()
        self._show_layout()

    def choose_columns(self) -> None:
        """Let the user choose which bookmakers are shown."""
        self.columns.choose(self.header.columns)

    def show_favourite(self, is_favourite: bool) -> None:
        """Say whether the game is one of the favourites."""
        self.header.show_favourite(is_favourite)

    def use_history(self, source: HistorySource) -> None:
        """Draw sparklines of what was before this desk was started, too."""
        self._model.sparklines.use(source)

    def show_sparklines(self, shown: bool) -> None:
        """Have the column of sparklines or not."""
        self._model.show_past(shown)
        self.table.show_columns()

    def close_panel(self) -> None:
        """Stop listening to the board."""
        self._clock_timer.stop()
        self.saver.close()
        self._model.close()
        self._unsubscribe()

    def _attach_actions(self) -> None:
        columns = self.columns
        acts: dict[str, Callable[[], object]] = {
            "matrix.fold": lambda: self._model.fold_all(folded=True),
            "matrix.unfold": lambda: self._model.fold_all(folded=False),
            "matrix.add": self._add_current,
            "matrix.markets": self.header.chips.choose_next,
            "matrix.favourite_game": self._ask_for_favourite,
            "matrix.next_change": self.edges.show_nearest,
            "matrix.best": self.finder.go_to_best,
            "matrix.next_value": lambda: self.finder.go_to_value(1),
            "matrix.previous_value": lambda: self.finder.go_to_value(-1),
            "matrix.export": self.saver.ask,
            "matrix.columns": self.choose_columns,
            "matrix.favourite": columns.turn_favourite,
            "matrix.hide_column": columns.hide,
            "matrix.column_left": lambda: columns.shift(-1),
            "matrix.column_right": lambda: columns.shift(1),
            "matrix.by_hold": columns.turn_by_hold,
            "matrix.usual_columns": columns.reset,
        }
        made = {ident: add_action(self, ident, act) for ident, act in acts.items()}
        hide = made["matrix.hide_column"]
        self.price_actions = PriceActions("matrix", self, self.table, self._facts, hide)
        self.header.columns_requested.connect(self.choose_columns)
        self.header.favourite_requested.connect(self._ask_for_favourite)

    def _table(self) -> Table:
        return table_of_matrix(self._model.matrix, self._model.bookmakers)

    def _file_name(self) -> str:
        matrix = self._model.matrix
        words = "game" if matrix is None else matrix.match_name
        return "".join(letter if letter.isalnum() or letter in " .-" else "_" for letter in words)

    def _ask_for_favourite(self) -> None:
        self.favourite_requested.emit(self.game_id)

    def _lay_out(self) -> None:
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._placeholder)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.header)
        whole.addWidget(body, 1)

    def _show_layout(self) -> None:
        matrix = self._model.matrix
        if matrix is not None:
            shown = set(self._model.bookmakers).intersection(matrix.bookmakers)
            self.header.show_markets(matrix, len(shown))
            self._model.show_group(self.header.chips.current or ALL)
        self._show_moment()

    def _show_moment(self) -> None:
        now_ms, connection = self._clock(), self._board.connection
        matrix = self._model.matrix
        game, is_gone = self._board.games.get(self.game_id), self._board.is_gone(self.game_id)
        was_there = connection.as_of_ms is not None  # then there was no price of it
        self.header.show_game(game or matrix, now_ms, is_gone=is_gone and not was_there)
        has_rows = self._model.rowCount() > 0
        if not has_rows:
            if is_gone:
                self.header.show_no_markets()
            state = state_without_rows(matrix, connection, now_ms, is_gone=is_gone)
            self._placeholder.say(state)
        self._stack.setCurrentIndex(0 if has_rows else 1)

    def _on_board_notice(self, _notice: Notice) -> None:
        self._show_moment()

    def _on_table_current_changed(self, index: QModelIndex) -> None:
        key = self._model.key(index.row(), index.column()) if index.isValid() else None
        is_clicked = bool(QApplication.mouseButtons() & Qt.MouseButton.LeftButton)
        adds = QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier
        (self.price_added if is_clicked and adds else self.price_selected).emit(key)

    def _add_current(self) -> None:
        index = self.table.current()
        if index.isValid():
            self.price_added.emit(self._model.key(index.row(), index.column()))

    def _facts(self, index: QModelIndex) -> PriceFacts | None:
        model, row, column = self._model, index.row(), index.column()
        key, price = model.key(row, column), model.price(row, column)
        if key is None:
            return None
        has_bookmaker = model.bookmaker(column) is not None
        if price is None:
            return PriceFacts(key, has_bookmaker=has_bookmaker)
        return PriceFacts(key, price.odds, price.url, has_bookmaker)

    def _on_table_opened(self, index: QModelIndex) -> None:
        price = self._model.price(index.row(), index.column())
        if price is not None and not open_link(price.url):
            name = self._model.name_at(index.row(), index.column())
            self.said.emit(f"{name} gave no web page for this price.")

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_moment()
        self._clock_timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._clock_timer.stop()
