"""A game's matrix as a live model: frozen columns of the reference, then a column a bookmaker."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from PySide6.QtCore import QModelIndex, QObject, Qt, QTimer, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import CellKey, Laid, Matrix, Price, RowKey, Section, SectionKey
from oddsdesk.board.model.notices import MatrixLoaded, Notice, PricesChanged, ValueBetsChanged
from oddsdesk.desk.matrix.columns import (
    FIXED,
    MatrixColumn,
    MatrixContext,
    bookmaker_column,
    shrink_steps,
    widest_period,
)
from oddsdesk.desk.matrix.layout import (
    ALL,
    BEST,
    BEST_OF_ALL,
    DOUBTED,
    FAIR,
    FIRST_BOOKMAKER,
    FROZEN,
    PAST,
    RECENT_MS,
    REFERENCE,
    SELECTION,
    USUAL,
    WHOLE,
    WINDOW,
    BookmakerOrder,
    MainLines,
    MatrixLayout,
    RecentMoves,
    Row,
    RowName,
    Step,
    bookmakers_of,
    can_be_laid,
    is_in_group,
    laid_in,
    matrix_rows,
    mean_holds,
    steps_between,
)
from oddsdesk.desk.matrix.sparklines import Sparklines
from oddsdesk.desk.ui.formatting import BookmakerNames
from oddsdesk.desk.ui.table.cells import EMPTY, Cell, Column, Header, ShrinkStep
from oddsdesk.desk.ui.table.live_model import Index, LiveModel
from oddsdesk.desk.ui.theme.tokens import SurfaceRole

_BESTS: Final = (BEST, BEST_OF_ALL, DOUBTED)
_FEW_STEPS: Final = 8
"""More groups of rows than this seldom come or go at a time."""


class MatrixModel(LiveModel):
    """Shows a game of the board; cells are made when they are first asked for.

    Bookmakers that the user hides, or that price none of the markets shown, have no column.
    Later ones are appended; columns are reordered only when the user chooses
    markets or columns, and once when the whole picture is first read.
    """

    has_sections = True
    headers_age = True
    laid_out = Signal()
    """Rows, columns or the matrix itself came or went."""
    columns_shown = Signal()
    """Columns of best prices are shown or hidden now."""

    def __init__(
        self,
        board: Board,
        game_id: str,
        clock: Clock,
        order: BookmakerOrder = USUAL,
        names: BookmakerNames = WHOLE,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._board = board
        self.game_id = game_id
        self._clock = clock
        self._layout = MatrixLayout(order)
        self._group = ALL
        self._lines = MainLines()
        self._moves = RecentMoves()
        self._changed: dict[CellKey, None] = {}
        self._rejudged: dict[CellKey, None] = {}
        self._refigured: dict[SectionKey, None] = {}
        """Prices that changed, or are worth something else, and lines, since the last flush."""
        self._is_outdated = False
        self._is_provisional = True
        self._shows_past = True
        self._has_mine = board.basis.mine is not None
        self.sparklines = Sparklines(board, game_id, clock)
        self.sparklines.changed.connect(self._on_sparklines_changed)
        self._context = MatrixContext(board, game_id, self._layout, self.sparklines, clock, names)
        self._unsubscribe = board.subscribe(
            self._on_board_notice, PricesChanged, ValueBetsChanged, MatrixLoaded
        )
        self._start_over()

    @property
    def matrix(self) -> Matrix | None:
        """The board's matrix, None while no price of the game is known."""
        return self._board.matrix(self.game_id)

    @property
    def shown_bookmakers(self) -> tuple[str, ...]:
        """The bookmakers that have a column, in order."""
        return tuple(self._layout.bookmakers)

    def stop_listening(self) -> None:
        self.sparklines.stop_reading()
        self._unsubscribe()

    def show_group(self, group: str) -> None:
        """Show the markets of a group (``layout.groups_of``) and the bookmakers that price them."""
        if group != self._group:
            self._group = group
            self._start_over()

    def show_bookmakers(self, order: BookmakerOrder) -> None:
        """Show the columns of an order, and rows of lays if it has them.

        The table sizes new columns in ``show_columns``.
        """
        has_other_lays = order.shows_lays is not self._layout.order.shows_lays
        self._layout.order = order
        self._arrange_columns(self._shown_bookmakers(bookmakers_of(self._shown_sections())))
        if has_other_lays:
            self._bring_rows_up_to_date()
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)
        self.laid_out.emit()

    def bookmaker_of(self, column: int) -> str | None:
        """Return whose prices a column shows; None in the frozen part."""
        return self._layout.bookmaker_of(column)

    def is_lay(self, row: int, column: int | None = None) -> bool:
        """Whether a row shows what can be laid, or a cell a lay that is the best price."""
        shown = self._layout.rows[row]
        return shown.is_lay or self._laid(shown, column) is not None

    def _laid(self, row: Row, column: int | None) -> Laid | None:
        if row.is_lay or row.selection_row is None or column is None:
            return None
        return laid_in(row.selection_row, column)

    def place_of_laid(self, row: int) -> tuple[int, int] | None:
        """Return row and column of the lay that is a row's best price.

        None where the best price is a back, or where the lay is not shown.
        """
        key = self.price_key(row, BEST)
        if key is None or self._laid(self._layout.rows[row], BEST) is None:
            return None
        place = self._layout.place_of(CellKey(*key[1:]))
        below = None if place is None else self._layout.lay_row(place[0])
        return place if place is None or below is None else (below, place[1])

    @property
    def has_lays(self) -> bool:
        """Whether any row shows what can be laid."""
        return any(row.is_lay for row in self._layout.rows)

    def show_past(self, shown: bool) -> None:
        """Show or hide the sparkline column; the table reads it in ``show_columns``."""
        self._shows_past = shown

    def shown_price(self, row: int, column: int) -> Price | None:
        """Return the price that a cell shows; None where it shows none."""
        shown = self._layout.rows[row]
        if shown.selection_row is None or column in (SELECTION, FAIR, WINDOW, PAST):
            return None
        name, laid = self._bookmaker(shown, column), self._laid(shown, column)
        if laid is not None:
            return shown.section.selection_row(laid.selection).prices.get(name)
        if name:
            price = shown.selection_row.prices.get(name)
        else:
            price = None if column in _BESTS else shown.selection_row.reference
        if shown.is_lay and (price is None or not can_be_laid(price)):
            return None
        return price

    def price_key(self, row: int, column: int) -> RowKey | None:
        """Return the price that a cell is about: the reference's own left of the best."""
        shown = self._layout.rows[row]
        if shown.selection_row is None:
            return None
        market_type, period, _ = shown.section.key
        bookmaker = self._bookmaker(shown, column) or shown.section.market.reference
        laid = self._laid(shown, column)
        selection = shown.selection_row.selection if laid is None else laid.selection
        return RowKey(self.game_id, market_type, period, selection, bookmaker)

    def place_of(self, key: RowKey) -> tuple[int, int] | None:
        """Return row and column of a price, None where its selection is not shown.

        It is the column of the best price where the bookmaker has none.
        """
        cell = CellKey(*key[1:])
        row, column = self._layout.row_of_price(cell), self._layout.column_of(cell.bookmaker)
        return None if row is None else (row, BEST if column is None else column)

    def has_no_column(self, bookmaker: str) -> bool:
        """Whether a bookmaker's prices are not shown."""
        return self._layout.column_of(bookmaker) is None

    def section_of(self, key: RowKey) -> Section | None:
        """Return the section of a price, shown or not; None where the board has none."""
        return self._board.section(self.game_id, key.market_type, key.period, key.selection)

    def has_title(self, section: SectionKey) -> bool:
        """Whether a section is shown, folded or not."""
        return self._layout.title_of(section) is not None

    def unfold(self, section: SectionKey) -> None:
        """Show the selections of a section."""
        title = self._layout.title_of(section)
        if title is not None and self.is_folded(title):
            self.set_folded(title, False)

    def every_row(self) -> list[Row]:
        """Return the rows of the markets shown, those of folded sections too."""
        return matrix_rows(self._shown_sections(), lambda _section: False)

    def row_name(self, row: int) -> RowName:
        """Return what a row is known by."""
        return self._layout.rows[row].row_name

    def is_value_in(self, row: Row, bookmaker: str) -> bool:
        """Whether a bookmaker's price is shown as value."""
        shown = row.selection_row
        if shown is None or bookmaker not in shown.prices:
            return False
        return bookmaker_column(bookmaker).cell(row, self._context).ground is SurfaceRole.VALUE

    def recent_moves(self) -> list[tuple[int, int]]:
        """Return row and column of each price shown that moved within ``RECENT_MS``."""
        places = map(self._layout.place_of, self._moves.since(self._clock() - RECENT_MS))
        return [place for place in places if place is not None]

    def name_at(self, row: int, column: int) -> str:
        """Return who offers the price of a cell."""
        return self._bookmaker(self._layout.rows[row], column) or self._board.reference_name

    def best_columns(self, row: int) -> list[int]:
        """Return the columns that show a row's best price, from left to right."""
        shown = self._layout.rows[row]
        if shown.is_lay:
            column = self._layout.column_of(self._bookmaker(shown, BEST) or "")
            return [] if column is None or column < FIRST_BOOKMAKER else [column]
        return [] if shown.selection_row is None else self._layout.best_columns(shown.selection_row)

    def _spec(self, column: int) -> MatrixColumn:
        name = self._layout.bookmaker_of(column)
        return FIXED[column] if name is None else bookmaker_column(name)

    def _bookmaker(self, row: Row, column: int) -> str:
        """Whose price a cell shows; empty for the reference, or where there is none."""
        if row.is_lay and row.selection_row is not None and column in _BESTS:
            return self._context.best_lay(row.selection_row) if column == BEST else ""
        if column in _BESTS:
            selection = row.selection_row
            return "" if selection is None else self._layout.best_bookmaker(selection, column)
        return self._layout.bookmaker_of(column) or ""

    # What the table asks for

    def column(self, column: int) -> Column:
        spec = self._spec(column)
        return spec.sized if spec.width_now is None else spec.width_now(self._context)

    def is_hidden(self, column: int) -> bool:
        """Whether a column is hidden, by choice or because it would repeat another one."""
        if column == BEST_OF_ALL:
            return not self._has_mine
        if column == DOUBTED:
            return not self._layout.has_doubted
        return column == PAST and not self._shows_past

    def shrink_steps(self) -> Sequence[ShrinkStep]:
        """Return how the frozen columns give way."""
        return shrink_steps(self._context)

    def header(self, column: int) -> Header:
        spec = self._spec(column)
        if spec.header_now is None:
            return spec.header(spec.title, None)
        return spec.header_now(self._context)

    def cell(self, row: int, column: int) -> Cell:
        """Return how a cell looks now."""
        shown = self._layout.rows[row]
        cell = shown.cells[column]
        if cell is None or cell.repaint_at_ms <= self._clock():
            cell = shown.cells[column] = self._spec(column).cell(shown, self._context)
            if column == BEST and not self._layout.has_doubted:
                self._look_for_doubted(shown)
        return cell

    def _look_for_doubted(self, row: Row) -> None:
        """Have the column of doubted prices from the first one on: it does not come and go."""
        if row.is_lay:
            return
        if row.selection_row is not None and row.selection_row.doubted is not None:
            self._layout.has_doubted = True
            QTimer.singleShot(0, self, self.columns_shown.emit)

    def tip(self, row: int, column: int) -> str:
        """Return the tooltip of a cell."""
        return self._spec(column).cell_tip(self._layout.rows[row], self._context)

    def is_section(self, row: int) -> bool:
        return self._layout.rows[row].selection_row is None

    def is_folded(self, row: int) -> bool:
        return self._lines.is_folded(self._layout.rows[row].section.key)

    def set_folded(self, row: int, folded: bool) -> None:
        """Fold or unfold the section of a row."""
        key = self._layout.rows[row].section.key
        self._lines.fold_line(key, folded=folded)
        self._bring_rows_up_to_date()
        title = self._layout.section_rows(key)[0]
        self.touch(title, 0, title, self.columnCount() - 1)

    def fold_all(self, *, folded: bool) -> None:
        """Fold or unfold every section shown."""
        for section in self._shown_sections():
            self._lines.fold_line(section.key, folded=folded)
        self._bring_rows_up_to_date()
        self.touch(0, 0, self.rowCount() - 1, self.columnCount() - 1)

    def refresh_all(self) -> None:
        """Rebuild every cell and header."""
        for row in self._layout.rows:
            row.drop_cells(self._layout.width)
        super().refresh_all()

    def _is_changing(self) -> bool:
        return self._board.is_taking_in

    def flush_touched(self) -> None:
        """Take in the board's changes since the last flush, and emit what was touched."""
        if self._is_outdated:
            self._is_outdated = False
            self._lay_out_again()
        self._take_changes()
        self._show_mine()
        super().flush_touched()

    # How it is kept up to date

    def _show_mine(self) -> None:
        has_mine = self._board.basis.mine is not None
        if has_mine != self._has_mine:
            self._has_mine = has_mine
            self.columns_shown.emit()

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, PricesChanged) and notice.game_id == self.game_id:
            self._refigured |= dict.fromkeys(notice.sections)
            self._changed |= dict.fromkeys(notice.cells)
            self._flush_soon()
        elif isinstance(notice, ValueBetsChanged):
            self._note_values(notice)
        elif isinstance(notice, MatrixLoaded) and notice.game_id == self.game_id:
            self._is_outdated = True
            self.touch(0, 0, 0, 0)
            if self._is_awaited():
                self.flush_touched()

    def _note_values(self, notice: ValueBetsChanged) -> None:
        if not notice.moved:
            self.refresh_all()
        moved = [CellKey(*key[1:]) for key in notice.moved if key.game_id == self.game_id]
        if moved:
            self._rejudged |= dict.fromkeys(moved)
            self._flush_soon()

    def _take_changes(self) -> None:
        """Rebuild what changed, once for prices that move oftener than they are painted."""
        layout, now = self._layout, self._clock()
        changed, rejudged, refigured = self._changed, self._rejudged, self._refigured
        self._changed, self._rejudged, self._refigured = {}, {}, {}
        for section in refigured:
            for row in layout.section_rows(section):
                self._refigure(row)
        has_new_lay = False
        for key in changed:
            price = self._board.price(self.game_id, key)
            if price is not None:
                if layout.see(key.bookmaker, price):
                    self._widen(key.bookmaker)
                self._moves.note_price(key, price, now)
                if layout.order.shows_lays and can_be_laid(price):
                    has_new_lay |= self._is_first_lay(key)
        if has_new_lay:
            self._bring_rows_up_to_date()
        for key in changed | rejudged:
            self._renew_about(key)

    def _is_first_lay(self, key: CellKey) -> bool:
        """Whether a selection that can be laid now has no row of lays yet."""
        if not self._layout.order.is_shown(key.bookmaker):
            return False
        if key.bookmaker not in self._layout.laying:
            self._layout.laying.add(key.bookmaker)
            self._widen(key.bookmaker)
        row = self._layout.row_of_price(key)
        return row is not None and self._layout.lay_row(row) is None

    def _refigure(self, row: int) -> None:
        """Rebuild what depends on all prices of a line."""
        layout = self._layout
        shown = layout.rows[row]
        if shown.is_lay:
            return
        if shown.selection_row is None:
            self._renew_best(row)
            return
        has_figures, has_best, bookmakers = shown.refigure()
        if has_figures:
            if layout.see_figures(shown.section, shown.selection_row):
                self._widen(layout.reference)
            for column in range(REFERENCE, FIRST_BOOKMAKER):
                self._renew(row, column)
        elif has_best or bookmakers:
            self._renew_best(row)
        for bookmaker in bookmakers:
            own = layout.column_of(bookmaker)
            if own is not None:
                self._renew(row, own)

    def _renew_about(self, key: CellKey) -> None:
        """Rebuild a price and what depends on it: hold, best price, sparkline."""
        layout = self._layout
        row, column = layout.row_of_price(key), layout.column_of(key.bookmaker)
        section = (
            self._board.section(self.game_id, *key[:3]) if row is None else layout.rows[row].section
        )
        title = None if section is None else layout.title_of(section.key)
        if title is not None and column is not None:
            self._renew(title, column)
        if row is None:
            return
        if column is not None:
            self._renew(row, column)
        lay_row = layout.lay_row(row) if layout.order.shows_lays else None
        if lay_row is not None:
            self._renew_lay(lay_row, column)
        selection = layout.rows[row].selection_row
        if key.bookmaker == layout.reference:
            self._renew(row, PAST)
        elif selection is not None and key.bookmaker in selection.offer.found().named_bookmakers:
            self._renew_best(row)
        if key.bookmaker in layout.rows[row].section.market.laying:
            self._renew_laid(layout.rows[row], key)

    def _renew_laid(self, row: Row, key: CellKey) -> None:
        """Rebuild the best price of the other selection where it is a lay of this price."""
        for other in row.section.rows:
            found = other.offer.found()
            of = [
                (each.selection, each.bookmaker) for each in (found.lay, found.lay_of_all) if each
            ]
            if key[2:] in of:
                place = self._layout.row_of_price(key._replace(selection=other.selection))
                if place is not None:
                    self._renew_best(place)

    def _renew_lay(self, row: int, column: int | None) -> None:
        """Rebuild a bookmaker's lay cells, unless it neither had nor has lays."""
        if column is None:
            return
        shown = self._layout.rows[row]
        price = self.shown_price(row, column)
        if price is None and shown.cells[column] is EMPTY:
            return
        self._renew(row, column)
        self._renew(row, BEST)

    def _widen(self, bookmaker: str) -> None:
        """Resize columns for a first long price: its own, and those drawn from it."""
        column = self._layout.column_of(bookmaker)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, FROZEN - 1)
        if column is not None and column >= FROZEN:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, column, column)

    def _renew_best(self, row: int) -> None:
        for column in _BESTS:
            if self.is_hidden(column):
                self._layout.rows[row].cells[column] = None
            else:
                self._renew(row, column)

    def _renew(self, row: int, column: int) -> None:
        self._layout.rows[row].cells[column] = None
        self.touch(row, column, row, column)

    def _on_sparklines_changed(self) -> None:
        for row in self._layout.rows:
            row.cells[PAST] = None
        self.touch(0, PAST, self.rowCount() - 1, PAST)

    def _shown_sections(self) -> list[Section]:
        sections = () if self.matrix is None else self.matrix.sections
        return self._lines.arrange(s for s in sections if is_in_group(s, self._group))

    @property
    def is_read(self) -> bool:
        """Whether the whole matrix was read; else only streamed prices are known."""
        return self.matrix is not None and self.matrix.read_at is not None

    def _shown_bookmakers(self, bookmakers: Iterable[str]) -> list[str]:
        """Return the bookmakers that have a column, those where the user bets first."""
        is_mine = self._board.basis.is_mine
        order = self._layout.order
        shown = order.shown(bookmakers)
        if order.by_hold:
            holds = mean_holds(self._shown_sections())
            shown.sort(key=lambda name: (name not in order.favourites, holds.get(name, math.inf)))
        return sorted(shown, key=lambda name: not is_mine(name))

    def _is_awaited(self) -> bool:
        """Whether the whole picture is not shown yet: who opened the game waits for it."""
        return not self._layout.rows or (self._is_provisional and self.is_read)

    def _start_over(self) -> None:
        self.beginResetModel()
        self._lines.decide_again()
        sections = self._shown_sections()
        self._context.take_names(sections)
        self._context.widest_period = widest_period(sections)
        self._layout.rows = matrix_rows(sections, self._lines.is_folded, self._layout.has_lay)
        self._layout.reference = self._board.desk_reference.bookmaker
        self._layout.set_bookmakers(self._shown_bookmakers(bookmakers_of(sections)))
        self._layout.index()
        self._is_provisional = not self.is_read
        self.endResetModel()
        self.sparklines.look_for_selections()
        self.laid_out.emit()

    def _lay_out_again(self) -> None:
        if self._is_awaited():
            self._start_over()
            return
        sections = self._shown_sections()
        self._context.take_names(sections)
        self._context.widest_period = widest_period(sections)
        before, layout = self._layout.reference, self._layout
        layout.reference = self._board.desk_reference.bookmaker
        if before != layout.reference:  # whose prices have another column now
            self._arrange_columns(self._shown_bookmakers(bookmakers_of(sections)))
        found = bookmakers_of(sections) - set(layout.bookmakers)
        self._append_columns(self._shown_bookmakers(found))
        self._bring_rows_up_to_date()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)
        self.touch(0, 0, self.rowCount() - 1, self.columnCount() - 1)
        self.sparklines.look_for_selections()
        self.laid_out.emit()

    def _append_columns(self, bookmakers: list[str]) -> None:
        if bookmakers:
            first = self.columnCount()
            self.beginInsertColumns(QModelIndex(), first, first + len(bookmakers) - 1)
            self._layout.set_bookmakers([*self._layout.bookmakers, *bookmakers])
            self.endInsertColumns()

    def _arrange_columns(self, wanted: list[str]) -> None:
        """Have columns for these bookmakers; a current cell stays with its bookmaker."""
        layout = self._layout
        for place in reversed(range(len(layout.bookmakers))):
            if layout.bookmakers[place] not in wanted:
                column = FIRST_BOOKMAKER + place
                self.beginRemoveColumns(QModelIndex(), column, column)
                layout.set_bookmakers([*layout.bookmakers[:place], *layout.bookmakers[place + 1 :]])
                self.endRemoveColumns()
        self._append_columns([name for name in wanted if name not in layout.bookmakers])
        if layout.bookmakers != wanted:
            self._put_columns_in_order(wanted)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)

    def _put_columns_in_order(self, wanted: list[str]) -> None:
        with self.relayout(
            lambda index: self._layout.bookmaker_of(index.column()),
            lambda name, index: (
                index
                if name is None
                else self.index(index.row(), FIRST_BOOKMAKER + wanted.index(name))
            ),
        ):
            self._layout.set_bookmakers(wanted)

    def _bring_rows_up_to_date(self) -> None:
        layout = self._layout
        new = matrix_rows(self._shown_sections(), self._lines.is_folded, layout.has_lay)
        steps = list(steps_between(layout.rows, new))
        for step in steps:
            if step.last > step.first:
                self.beginRemoveRows(QModelIndex(), step.first, step.last - 1)
                del layout.rows[step.first : step.last]
                self._find_places(steps, step)
                self.endRemoveRows()
            if step.rows:
                last = step.first + len(step.rows) - 1
                self.beginInsertRows(QModelIndex(), step.first, last)
                layout.rows[step.first : step.first] = step.rows
                self._find_places(steps, step)
                self.endInsertRows()
        layout.rows = new
        layout.index()

    def _find_places(self, steps: Sequence[Step], step: Step) -> None:
        """Index all places again, once after the last of several steps, as it takes a while."""
        if len(steps) <= _FEW_STEPS:
            self._layout.index()
        for row in step.rows:
            row.drop_cells(self._layout.width)

    # Qt's virtuals

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._layout.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else self._layout.width
