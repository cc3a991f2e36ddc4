"""The game matrix: every selection of a game by every bookmaker, live."""

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QHideEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMenu, QStackedLayout, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.texts import _, ngettext
from oddsdesk.board.board import Board
from oddsdesk.board.history.sources import HistorySource
from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import BestPrice, CellKey, Laid, Matrix, RowKey, SelectionRow
from oddsdesk.board.model.notices import ConnectionChanged, GamesChanged, Notice, ResultsChanged
from oddsdesk.board.valuation.figures import best_lay
from oddsdesk.desk.export.files import GAME, SELECTION, ExportColumn, Row, Table, time_value
from oddsdesk.desk.export.saving import TableSaver
from oddsdesk.desk.matrix.header import MatrixHeader
from oddsdesk.desk.matrix.layout import (
    ALL,
    BEST,
    BEST_OF_ALL,
    FIRST_BOOKMAKER,
    FROZEN,
    BookmakerColumns,
    BookmakerOrder,
)
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.buttons import ChipRow
from oddsdesk.desk.ui.controls.labels import SteadyButton, literal
from oddsdesk.desk.ui.controls.messages import Placeholder
from oddsdesk.desk.ui.price_actions import PriceActions, PriceFacts, open_link
from oddsdesk.desk.ui.spacing import vertical
from oddsdesk.desk.ui.states import state_without_rows
from oddsdesk.desk.ui.table.cells import Kind
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme

if TYPE_CHECKING:
    from oddsdesk.desk.ui.table.column_chooser import ColumnChooser

_CLOCK_MS = 1_000


class MatrixPanel(QWidget):
    """Shows one game of the board until ``close_panel``."""

    favourite_requested = Signal(str)
    """The user adds this game to the favourites, or removes it."""
    said = Signal(str)
    """One line for the window's message bar."""
    price_selected = Signal(object)
    """The ``RowKey`` of the price that is current, None where the cell is about none."""
    lay_selected = Signal(object)
    """The same, where it is a lay."""
    price_added = Signal(object)
    """The ``RowKey`` of a price to add to the chart."""

    def __init__(
        self, board: Board, theme: Theme, clock: Clock, game_id: str, columns: BookmakerColumns
    ) -> None:
        super().__init__()
        self.setProperty("variant", "panel")
        self._board = board
        self._clock = clock
        self.game_id = game_id
        self._model = MatrixModel(board, game_id, clock, columns.column_order, columns.names, self)
        self.header = MatrixHeader(theme)
        self.table = LiveTable(theme, self._model, clock, frozen=FROZEN, outlines_current=True)
        self.table.setAccessibleName(_("Game matrix"))
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
        self._unsubscribe = board.subscribe(
            self._on_board_notice, ConnectionChanged, GamesChanged, ResultsChanged
        )
        self._attach_actions()
        self._show_layout()

    def choose_columns(self) -> None:
        """Let the user choose which bookmakers are shown."""
        self.columns.open_chooser(self.header.columns)

    def show_favourite(self, is_favourite: bool) -> None:
        """Say whether the game is one of the favourites."""
        self.header.show_favourite(is_favourite)

    def use_history(self, source: HistorySource) -> None:
        """Draw sparklines of what was before this desk was started, too."""
        self._model.sparklines.use_source(source)

    def show_sparklines(self, shown: bool) -> None:
        """Have the column of sparklines or not."""
        self._model.show_past(shown)
        self.table.show_columns()

    def close_panel(self) -> None:
        self._clock_timer.stop()
        self.saver.abort_saving()
        self._model.stop_listening()
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
            "matrix.export": self.saver.ask_for_file,
            "matrix.columns": self.choose_columns,
            "matrix.favourite": columns.turn_favourite,
            "matrix.hide_column": columns.hide,
            "matrix.column_left": lambda: columns.shift(-1),
            "matrix.column_right": lambda: columns.shift(1),
            "matrix.by_hold": columns.turn_by_hold,
            "matrix.lays": columns.turn_lays,
            "matrix.usual_columns": columns.show_all,
        }
        made = {ident: add_action(self, ident, act) for ident, act in acts.items()}
        hide = made["matrix.hide_column"]
        self.price_actions = PriceActions("matrix", self, self.table, self._facts, hide)
        self.header.columns_requested.connect(self.choose_columns)
        self.header.favourite_requested.connect(self._ask_for_favourite)

    def _table(self) -> Table:
        basis = self._board.basis
        return table_of_matrix(self._model.matrix, self._model.shown_bookmakers, basis)

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
        whole = vertical(self, spacing=0)
        whole.addWidget(self.header)
        whole.addWidget(body, 1)

    def _show_layout(self) -> None:
        matrix = self._model.matrix
        if matrix is not None:
            shown = set(self._model.shown_bookmakers).intersection(matrix.bookmakers)
            self.header.show_markets(matrix, len(shown))
            self._model.show_group(self.header.chips.chosen_chip or ALL)
        self._show_moment()

    def _show_moment(self) -> None:
        now_ms, connection = self._clock(), self._board.connection
        matrix = self._model.matrix
        game, is_gone = self._board.games.get(self.game_id), self._board.is_gone(self.game_id)
        was_there = connection.as_of_ms is not None  # then there was no price of it
        shown = game or matrix
        score = None if shown is None else self._board.score_of(shown)
        self.header.show_game(shown, now_ms, score, is_gone=is_gone and not was_there)
        has_rows = self._model.rowCount() > 0
        if not has_rows:
            if is_gone:
                self.header.show_no_markets()
            state = state_without_rows(matrix, connection, now_ms, is_gone=is_gone)
            self._placeholder.show_state(state)
        self._stack.setCurrentIndex(0 if has_rows else 1)

    def _on_board_notice(self, _notice: Notice) -> None:
        self._show_moment()

    def _on_table_current_changed(self, index: QModelIndex) -> None:
        key = self._model.price_key(index.row(), index.column()) if index.isValid() else None
        is_clicked = bool(QApplication.mouseButtons() & Qt.MouseButton.LeftButton)
        adds = QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier
        is_lay = key is not None and self._model.is_lay(index.row(), index.column())
        chosen = self.lay_selected if is_lay else self.price_selected
        if is_clicked and adds:
            self._add_current()
        else:
            chosen.emit(key)

    def _add_current(self) -> None:
        index = self.table.current_cell()
        if not index.isValid():
            return
        row, column = index.row(), index.column()
        if column in (BEST, BEST_OF_ALL) and self._model.is_lay(row, column):
            self.said.emit(_("The best price is a lay, and a slip takes backs only."))
        else:
            self.price_added.emit(self._model.price_key(row, column))

    def _facts(self, index: QModelIndex) -> PriceFacts | None:
        model, row, column = self._model, index.row(), index.column()
        key, price = model.price_key(row, column), model.shown_price(row, column)
        if key is None:
            return None
        has_bookmaker = model.bookmaker_of(column) is not None
        if price is None:
            return PriceFacts(key, has_bookmaker=has_bookmaker)
        is_lay = model.is_lay(row, column)
        odds = price.depth.lay_odds if is_lay and price.depth is not None else price.odds
        return PriceFacts(key, odds, price.url, has_bookmaker, is_lay)

    def _on_table_opened(self, index: QModelIndex) -> None:
        price = self._model.shown_price(index.row(), index.column())
        if price is not None and not open_link(price.url):
            name = self._model.name_at(index.row(), index.column())
            self.said.emit(_("{name} has no link for this price.").format(name=name))

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_moment()
        self._clock_timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._clock_timer.stop()


_FIXED: Final = (
    *GAME,
    *SELECTION,
    ExportColumn("reference_odds", "Sharp odds", Kind.NUMBER),
    ExportColumn("reference_scraped_at", "Sharp odds seen", Kind.TIME),
    ExportColumn("liquidity", "Limit", Kind.NUMBER, 0),
    ExportColumn("fair_odds", "Fair", Kind.NUMBER, 4),
    ExportColumn("value_from", "Value from", Kind.NUMBER, 4),
    ExportColumn("suspicious_above", "Value up to", Kind.NUMBER, 4),
    ExportColumn("best_net_odds", "Best of all, net", Kind.NUMBER, 4),
    ExportColumn("best_at", "Best of all, bookmaker"),
    ExportColumn("best_lays", "Best of all, a lay of"),
    ExportColumn("best_of_mine_net_odds", "Best of mine, net", Kind.NUMBER, 4),
    ExportColumn("best_of_mine_at", "Best of mine, bookmaker"),
    ExportColumn("best_of_mine_lays", "Best of mine, a lay of"),
    ExportColumn("best_lay_odds", "Best lay", Kind.NUMBER),
    ExportColumn("best_lay_net_odds", "Best lay, net", Kind.NUMBER, 4),
    ExportColumn("best_lay_at", "Best lay, bookmaker"),
    ExportColumn("doubted_odds", "Doubtful", Kind.NUMBER),
    ExportColumn("doubted_at", "Doubtful, bookmaker"),
    ExportColumn("doubted_because", "Doubtful, reason"),
)


def table_of_matrix(matrix: Matrix | None, bookmakers: Sequence[str], basis: Basis) -> Table:
    """Return every market of a game that is held, and the prices offered now."""
    columns = (*_FIXED, *(ExportColumn(name, name, Kind.NUMBER) for name in bookmakers))
    return Table(columns, [] if matrix is None else list(_rows(matrix, bookmakers, basis)))


def _rows(matrix: Matrix, bookmakers: Sequence[str], basis: Basis) -> Iterable[Row]:
    game = (
        matrix.game_id,
        matrix.match_name,
        matrix.competition,
        matrix.sport,
        time_value(matrix.kick_off),
    )
    for section in matrix.sections:
        for row in section.rows:
            market = (section.key.market_type, section.key.period, row.selection)
            yield (
                *game,
                *market,
                *_figures(row, basis),
                *(_odds(row, name) for name in bookmakers),
            )


def _figures(row: SelectionRow, basis: Basis) -> Row:
    reference, best = row.reference, row.offer.found()
    lay = best_lay(row, basis)
    doubted = best.doubted
    is_offered = reference is not None and reference.is_offered
    return (
        reference.odds if reference is not None and is_offered else None,
        time_value(reference.scraped_at) if reference is not None and is_offered else None,
        row.liquidity,
        row.fair,
        row.value_from,
        row.suspicious_above,
        *_best(best.of_all, best.lay_of_all),
        *_best(best.mine, best.lay),
        *((None, None, "") if lay is None else (lay.odds, lay.net_odds, lay.bookmaker)),
        *((None, "", "") if doubted is None else (doubted.odds, doubted[0], doubted.caution.value)),
    )


def _best(back: BestPrice, lay: Laid | None) -> Row:
    """Return net odds, bookmakers, and what is laid there."""
    if lay is not None:
        return lay.net, lay.bookmaker, lay.selection
    return back.net, ", ".join(back.bookmakers), ""


def _odds(row: SelectionRow, bookmaker: str) -> float | None:
    price = row.prices.get(bookmaker)
    return price.odds if price is not None and price.is_offered else None


class PriceFinder(QObject):
    """Makes cells current and brings them into sight, in folded sections and other markets too."""

    said = Signal(str)
    """One line for the window's message bar."""

    def __init__(self, model: MatrixModel, table: LiveTable, chips: ChipRow) -> None:
        super().__init__(table)
        self._model = model
        self._table = table
        self._chips = chips
        self._awaited: RowKey | None = None
        self._is_quiet = False
        model.laid_out.connect(self._look)
        table.current_changed.connect(self._on_table_current_changed)

    def go_to(self, key: RowKey, *, quietly: bool = False) -> None:
        """Go to a price, as soon as the game is read; nowhere once the user goes elsewhere.

        ``quietly``: where it is not there nothing is said, and no other price is gone to.
        """
        self._awaited, self._is_quiet = key, quietly
        self._look()

    def go_to_best(self) -> None:
        """Go to the best price of the current row; to the next one where several are."""
        current = self._table.current_cell()
        if not current.isValid():
            return
        row, columns = current.row(), self._model.best_columns(current.row())
        if (place := self._model.place_of_laid(row)) is not None:
            self._table.set_current(*place)
        elif columns and not self._model.is_lay(row, BEST):
            later = (column for column in columns if column > current.column())
            self._table.set_current(row, next(later, columns[0]))
        elif self._model.shown_price(row, BEST) is not None:
            name = self._model.name_at(row, BEST)
            self.said.emit(
                _("The best price is at {name}. Its column is hidden (C to show it).").format(
                    name=name
                )
            )

    def go_to_value(self, step: int) -> None:
        """Go to the next price shown as value, or with -1 to the one before; round the ends."""
        before, after = self._values()
        ring = [*after, *before] if step > 0 else [*reversed(before), *reversed(after)]
        if ring:
            self.go_to(RowKey(self._model.game_id, *ring[0]))
        else:
            self.said.emit(_("No other value price in the markets and columns shown."))

    def _values(self) -> tuple[list[CellKey], list[CellKey]]:
        """Return the prices shown as value before the current cell and after it, as one reads."""
        model, current = self._model, self._table.current_cell()
        here = model.row_name(current.row())[:2] if current.isValid() else None
        before: list[CellKey] = []
        after: list[CellKey] = []
        is_past = here is None
        for row in model.every_row():
            is_here = row.row_name[:2] == here
            for column, bookmaker in enumerate(model.shown_bookmakers, FIRST_BOOKMAKER):
                if not model.is_value_in(row, bookmaker) or (
                    is_here and column == current.column()
                ):
                    continue
                (section, selection, _), is_after = (
                    row.row_name,
                    is_here and column > current.column(),
                )
                key = CellKey(section.market_type, section.period, selection or "", bookmaker)
                (after if is_past or is_after else before).append(key)
            is_past = is_past or is_here
        return before, after

    def _look(self) -> None:
        # Forgotten while it looks: what it unfolds is laid out, which has it look again.
        key, self._awaited = self._awaited, None
        if key is None:
            return
        self._show_section(key)
        place = self._model.place_of(key)
        if self._is_quiet and place is not None and self._model.price_key(*place) != key:
            self._awaited = key
        elif place is not None:
            self._table.set_current(*place)
            # Once more when the table has its size: it may not have been shown yet.
            QTimer.singleShot(0, self, self._bring_into_sight)
        if not self._model.is_read:
            self._awaited = key
        elif self._is_quiet:
            return
        elif place is None:
            self.said.emit(
                _("{selection} is no longer priced here.").format(
                    selection=selection_text(key.selection)
                )
            )
        elif self._model.has_no_column(key.bookmaker):
            self.said.emit(
                _("The column of {bookmaker} is hidden (C to show it).").format(
                    bookmaker=key.bookmaker
                )
            )

    def _show_section(self, key: RowKey) -> None:
        section = self._model.section_of(key)
        if section is None:
            return
        if not self._model.has_title(section.key) and self._chips.chosen_chip != ALL:
            self._chips.choose_chip(ALL)
        self._model.unfold(section.key)

    def _bring_into_sight(self) -> None:
        current = self._table.current_cell()
        if current.isValid():
            self._table.scrolling.scrollTo(current)

    def _on_table_current_changed(self, index: QModelIndex) -> None:
        if index.isValid():
            self._awaited = None


_SOON_MS, _AGE_MS = 500, 1_000
T = TypeVar("T")


class Edge(Enum):
    """A side of the table; the value is what its label says, and in how few signs.

    That below says "changes" as well, in the form for their number.
    """

    ABOVE = _("{count} above ▴"), _("{count} ▴")
    BELOW = "", _("{count} ▾")
    LEFT = _("◂ {count} left"), _("◂ {count}")
    RIGHT = _("{count} right ▸"), _("{count} ▸")


_NEAREST: Final = (Edge.BELOW, Edge.ABOVE, Edge.RIGHT, Edge.LEFT)
"""Where one is led first; labels of the last ones are left out first."""


class LiveEdges(QObject):
    """Counts changed cells out of sight; a click brings the nearest ones into it.

    ``changes`` gives row and column of each cell that changed a moment ago. The labels stand in
    ``room``, what ``holder`` has free: over the cells they would hide prices. Those that have no
    room are left out.
    """

    def __init__(
        self,
        table: LiveTable,
        changes: Callable[[], Iterable[tuple[int, int]]],
        holder: QWidget,
        room: Callable[[], QRect],
        font: QFont,
    ) -> None:
        super().__init__(table)
        self._holder, self._room = holder, room
        self._pane = table.scrolling
        self._frozen_count = table.frozen_count
        self._changes = changes
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.count_changes)
        self._counts = dict.fromkeys(Edge, 0)
        self.labels = {edge: self._label(edge, font) for edge in Edge}
        for bar in (self._pane.verticalScrollBar(), self._pane.horizontalScrollBar()):
            bar.valueChanged.connect(self._count_soon)
        for event in (table.model.dataChanged, table.model.modelReset, table.model.rowsInserted):
            event.connect(self._count_soon)
        for watched in (self._pane.viewport(), holder):
            watched.installEventFilter(self)

    def count_changes(self) -> None:
        """Say how many changes are out of sight at each edge now."""
        places = list(self._changes())
        beyond = self._beyond(places)
        self._counts = {edge: len(found) for edge, found in beyond.items()}
        for edge, label in self.labels.items():
            named = _text(edge, self._counts[edge], False).strip("◂▸▴▾ ")
            label.setAccessibleName(_("{named}, off screen").format(named=named))
        self._place()
        if places:
            self._timer.start(_AGE_MS)

    def show_nearest(self) -> None:
        """Bring a change into sight: below first, then above, right and left."""
        beyond = self._beyond(self._changes())
        for edge in _NEAREST:
            if beyond[edge]:
                self._show(edge)
                return

    def _label(self, edge: Edge, font: QFont) -> SteadyButton:
        label = SteadyButton()
        label.setParent(self._holder)
        label.setFont(font)
        label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        label.setCursor(Qt.CursorShape.PointingHandCursor)
        label.setToolTip(_("Prices off screen that moved in the last 10 s; click to go there (J)"))
        label.clicked.connect(partial(self._show, edge))
        label.hide()
        return label

    def _beyond(self, places: Iterable[tuple[int, int]]) -> dict[Edge, list[tuple[int, int]]]:
        """The places beyond each edge, by their cells' middles; rows count before columns."""
        pane, port, frozen = self._pane, self._pane.viewport(), self._frozen_count
        beyond: dict[Edge, list[tuple[int, int]]] = {edge: [] for edge in Edge}
        where_row: dict[int, list[tuple[int, int]] | None] = {}
        where_column: dict[int, list[tuple[int, int]] | None] = {}
        above, below, left, right = (beyond[edge] for edge in Edge)
        for place in places:
            row, column = place
            if row not in where_row:
                middle = pane.rowViewportPosition(row) + pane.rowHeight(row) // 2
                where_row[row] = _side(middle, port.height(), above, below)
            if column not in where_column:
                middle = pane.columnViewportPosition(column) + pane.columnWidth(column) // 2
                side = _side(middle, port.width(), left, right)
                where_column[column] = None if column < frozen else side
            found = where_row[row]
            if found is None:
                found = where_column[column]
            if found is not None:
                found.append(place)
        return beyond

    def _show(self, edge: Edge) -> None:
        """Scroll along one direction only, to the change that is nearest beyond an edge."""
        places = self._beyond(self._changes())[edge]
        if not places:
            return
        if edge in (Edge.ABOVE, Edge.BELOW):
            rows = [row for row, _ in places]
            self._show_row(max(rows) if edge is Edge.ABOVE else min(rows))
        else:
            columns = [column for _, column in places]
            self._show_column(max(columns) if edge is Edge.LEFT else min(columns))
        self.count_changes()

    def _show_row(self, row: int) -> None:
        pane, bar = self._pane, self._pane.verticalScrollBar()
        top, height = pane.rowViewportPosition(row), pane.rowHeight(row)
        bar.setValue(bar.value() + _step(top, height, pane.viewport().height()))

    def _show_column(self, column: int) -> None:
        pane, bar = self._pane, self._pane.horizontalScrollBar()
        left, width = pane.columnViewportPosition(column), pane.columnWidth(column)
        bar.setValue(bar.value() + _step(left, width, pane.viewport().width()))

    def _place(self) -> None:
        """Show what there is room for: all in words, else in signs, else the first ones of them."""
        room = self._room()
        shown = [edge for edge in _NEAREST if self._counts[edge]]
        for is_short in (False, True):
            for edge in shown:
                self.labels[edge].show_text(_text(edge, self._counts[edge], is_short))
            if self._width(shown) <= room.width():
                break
        while shown and self._width(shown) > room.width():
            shown.pop()
        right = room.right() + 1
        for edge in reversed(Edge):
            label = self.labels[edge]
            label.setVisible(edge in shown)
            if edge in shown:
                right -= label.width()
                label.move(right, room.top() + (room.height() - label.height()) // 2)

    def _width(self, edges: Iterable[Edge]) -> int:
        return sum(self.labels[edge].width() for edge in edges)

    def _count_soon(self) -> None:
        if not self._timer.isActive() or self._timer.remainingTime() > _SOON_MS:
            self._timer.start(_SOON_MS)

    # Qt's virtuals

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._count_soon()
        return super().eventFilter(watched, event)


def _text(edge: Edge, count: int, is_short: bool) -> str:
    text = edge.value[is_short] or ngettext(
        "{count} change below ▾", "{count} changes below ▾", count
    )
    return text.format(count=count)


def _side(middle: int, room: int, before: T, behind: T) -> T | None:
    if middle < 0:
        return before
    return behind if middle >= room else None


def _step(start: int, size: int, room: int) -> int:
    """How far to scroll to show what begins at ``start`` with some room around it."""
    margin = min(2 * size, max(0, (room - size) // 2))
    return start - margin if start < 0 else start + size + margin - room


class MatrixColumns(QObject):
    """Turns what the user does with columns into a ``BookmakerOrder``, and shows that."""

    said = Signal(str)
    """One line for the message bar."""

    def __init__(
        self, columns: BookmakerColumns, model: MatrixModel, table: LiveTable, theme: Theme
    ) -> None:
        super().__init__(table)
        self._columns = columns
        self._model = model
        self._table = table
        self._theme = theme
        self._header = table.scrolling.header
        self._header.setSectionsMovable(True)
        self._header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._is_putting_back = False
        self._menu: QMenu | None = None
        columns.changed.connect(self._show)
        # Queued: the header is still in its own release of the mouse.
        self._header.sectionMoved.connect(
            self._on_header_section_moved, Qt.ConnectionType.QueuedConnection
        )
        self._header.customContextMenuRequested.connect(self._on_header_menu_requested)

    def open_chooser(self, below: QWidget) -> "ColumnChooser":
        from oddsdesk.desk.ui.table.column_chooser import ColumnChoice, ColumnChooser  # noqa: PLC0415 - late

        order, names = self._columns.column_order, self._names()
        choices = [
            ColumnChoice(
                name, name, name not in order.hidden, is_favourite=name in order.favourites
            )
            for name in order.arranged(names)
        ]
        chooser = ColumnChooser(below, self._theme, choices, has_favourites=True)
        chooser.columns_changed.connect(
            lambda listed, shown: self._columns.keep_order(
                self._columns.column_order.with_columns(listed, shown)
            )
        )
        chooser.favourites_changed.connect(
            lambda chosen: self._columns.keep_order(
                self._columns.column_order.with_favourites(chosen, names)
            )
        )
        chooser.reset_requested.connect(self._columns.reset_order)
        chooser.open_below(below)
        return chooser

    def turn_favourite(self) -> None:
        """Make the bookmaker of the current column a favourite, or no longer."""
        name = self._current()
        if name is not None:
            self._turn_favourite(name)

    def hide(self) -> None:
        """Hide the current column; the one that takes its place is current then."""
        name, at = self._current(), self._table.current_cell()
        if name is not None:
            row, column = at.row(), at.column()
            self._columns.keep_order(self._columns.column_order.with_hidden(name))
            self._table.set_current(row, min(column, self._model.columnCount() - 1))
            self.said.emit(
                _(
                    "{name}'s column is hidden (C to show it). Its prices still count; "
                    "to leave it out everywhere, use Bookmakers (Ctrl+B)."
                ).format(name=name)
            )

    def shift(self, step: int) -> None:
        """Move the current column by ``step`` places, among favourites or among the others."""
        names, name = self._model.shown_bookmakers, self._current()
        if name is None:
            return
        place = names.index(name) + step
        if 0 <= place < len(names):
            self._put(self._columns.column_order.with_move(name, names[place], self._names()))
            self._table.set_current(
                self._table.current_cell().row(), self._table.current_cell().column()
            )

    def turn_by_hold(self) -> None:
        """Have those that keep least first, or the usual order again."""
        order = self._columns.column_order
        self._columns.keep_order(msgspec.structs.replace(order, by_hold=not order.by_hold))

    def turn_lays(self) -> None:
        """Show or hide the lay rows."""
        order = self._columns.column_order
        shows = not order.shows_lays
        self._columns.keep_order(msgspec.structs.replace(order, shows_lays=shows))
        if shows and not self._model.has_lays:
            self.said.emit(_("No lay odds in this game: no exchange lists any."))

    def show_all(self) -> None:
        """Show every bookmaker in the usual order."""
        self._columns.reset_order()

    def _names(self) -> list[str]:
        matrix = self._model.matrix
        return [] if matrix is None else list(matrix.bookmakers)

    def _current(self) -> str | None:
        index = self._table.current_cell()
        return self._model.bookmaker_of(index.column()) if index.isValid() else None

    def _put(self, order: BookmakerOrder) -> None:
        """Take an order; apply it again even if it changes nothing."""
        if order == self._columns.column_order:
            self._show()
        else:
            self._columns.keep_order(order)

    def _turn_favourite(self, name: str) -> None:
        order = self._columns.column_order
        chosen = set() if name in order.favourites else {name}
        self._columns.keep_order(order.with_favourites(chosen, [name]))

    def _show(self) -> None:
        self._model.show_bookmakers(self._columns.column_order)
        self._table.show_columns()

    def _on_header_section_moved(self, column: int, _before: int, place: int) -> None:
        """Let the model move the column instead: places on screen are the model's own."""
        if self._is_putting_back:
            return
        header = self._header
        landed = max(place, FIRST_BOOKMAKER)
        if header.visualIndex(column) == column:
            return
        self._is_putting_back = True
        header.moveSection(header.visualIndex(column), column)
        self._is_putting_back = False
        name, onto = self._model.bookmaker_of(column), self._model.bookmaker_of(landed)
        if name is not None and onto is not None:
            self._put(self._columns.column_order.with_move(name, onto, self._names()))

    def _on_header_menu_requested(self, spot: QPoint) -> None:
        name = self._model.bookmaker_of(self._header.logicalIndexAt(spot))
        if name is None:
            return
        menu = self._menu = QMenu(self._header)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        favourite = menu.addAction(_("Favourite"), lambda: self._turn_favourite(name))
        favourite.setCheckable(True)
        favourite.setChecked(name in self._columns.column_order.favourites)
        hide = self._columns.column_order.with_hidden(name)
        menu.addAction(
            literal(_("Hide {name}").format(name=name)), lambda: self._columns.keep_order(hide)
        )
        menu.addSeparator()
        by_hold = menu.addAction(_("Lowest hold first"), self.turn_by_hold)
        by_hold.setCheckable(True)
        by_hold.setChecked(self._columns.column_order.by_hold)
        lays = menu.addAction(_("Lay rows"), self.turn_lays)
        lays.setCheckable(True)
        lays.setChecked(self._columns.column_order.shows_lays)
        menu.addAction(_("Reset columns"), self.show_all)
        menu.popup(self._header.mapToGlobal(spot))
