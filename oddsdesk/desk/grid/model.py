"""The rows of the odds grid; the model filters and sorts an index itself, without a proxy."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from functools import cache, partial
from importlib import import_module
from itertools import islice
from operator import itemgetter
from types import ModuleType

import msgspec
from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import competition_text, selection_text
from oddsdesk.base.numbers import hour_text, num
from oddsdesk.base.tasks import SLICE_S, in_background, one_slice
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import (
    GamesChanged,
    Notice,
    RowsChanged,
    RowsWanted,
    ValueBetsChanged,
)
from oddsdesk.board.valuation.verdict_words import (
    PER_DECIDED,
    PER_DECIDED_TEXT,
    caution_text,
    laid_text,
    origin_text,
    sides_in_words,
)
from oddsdesk.desk.grid import book
from oddsdesk.desk.grid.columns import (
    BY_KEY,
    COLUMNS,
    TITLE_WIDTH,
    CellContext,
    KeptCells,
    is_for,
    title_in,
)
from oddsdesk.desk.grid.entries import Entry, SelectionEntry, Shape
from oddsdesk.desk.grid.filter import CompiledFilter, GridFilter
from oddsdesk.desk.ui import formatting
from oddsdesk.desk.ui.table.cells import Cell, Column, Header, ShrinkStep
from oddsdesk.desk.ui.table.live_model import GATHER_MS, Index, LiveModel
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole

_COUNT_MS, _COUNT_AGAIN_S = 250, 1.0
"""How long prices come in before they are counted, and between two counts but for the first rows:
each count lays the panel out again."""
_MOST_REST_S = 2.0
"""The longest that prices out of sight wait for others of their selections, to be taken with."""
_RESTS = 100
"""They wait as many times as long as it took to take the last ones: hardly, where few move."""
_GAME, _SELECTION = BY_KEY["game"], BY_KEY["selection"]
_STEP = 40
"""Selections whose prices are taken from the board between two looks at the clock."""


class GridModel(LiveModel):
    """What the board holds of all games; rows keep their place until ``arrange``."""

    counts_changed = Signal()
    """The number of rows, or of rows that would move, may be another."""
    columns_changed = Signal()
    """Columns of best prices make sense now, or no longer."""
    release_begun = Signal()
    """Every row is about to go: what comes next is another moment's, or service's."""

    def __init__(
        self, board: Board, clock: Clock, names: formatting.BookmakerNames | None = None
    ) -> None:
        super().__init__()
        self._names = names or formatting.BookmakerNames()
        self.book = book.GridBook(board)
        self.filter = GridFilter()
        self.columns = frozenset(place for place, shown in enumerate(COLUMNS) if shown.is_usual)
        """The columns that the user wants; ``is_hidden`` leaves out those without a point."""
        self.rows_in_view: Callable[[], range] | None = None
        """The rows that a table shows: others need no repaint. None is all of them."""
        self._board = board
        self._clock = clock
        self._had_mine = self.has_mine
        self._arrangement = book.Arrangement(self.book.selection_rows, self.book.price_rows)
        self._waiting: book.Marks = {}
        self._due: book.Marks = {}
        """Of what waited, what is being taken."""
        self._games: dict[str, None] = {}
        """Games of which every price that the board holds is to be taken after that."""
        self._held: list[SelectionEntry] = []
        """Selections whose prices the board may have dropped while nobody listened."""
        self._due_at = self._took_s = self._count_at = 0.0
        self._is_filling = self._is_told = False
        self._cells = KeptCells(self._context)
        self._take_timer = QTimer(self, singleShot=True, interval=GATHER_MS)
        self._take_timer.timeout.connect(self._take_some)
        self._count_timer = QTimer(self, singleShot=True)
        self._count_timer.timeout.connect(self._tell_counts)
        self._unsubscribe = board.subscribe(
            self._on_board_notice, RowsChanged, RowsWanted, ValueBetsChanged, GamesChanged
        )

    def stop_listening(self) -> None:
        """Stop listening to the board and drop its prices; the model is not used again."""
        for timer in (self._take_timer, self._count_timer, self._flush_timer):
            timer.stop()
        self._unsubscribe()
        self._board.in_grid = ()
        self._cells.drop_cells()
        self._arrangement.drop_rows()
        self.book.drop_prices()

    # What is shown

    @property
    def shape(self) -> Shape:
        """What one row is."""
        return self._arrangement.shape

    @property
    def has_mine(self) -> bool:
        """Whether the user has chosen bookmakers: best prices are of these and of all then."""
        return self._board.basis.mine is not None

    @property
    def is_grouped(self) -> bool:
        """Whether rows stand below their game."""
        return self._arrangement.is_grouped

    @property
    def sorted_by(self) -> tuple[int, bool]:
        """The column sorted by, and whether descending."""
        return self._arrangement.column, self._arrangement.descending

    @property
    def sorted_second_by(self) -> tuple[int, bool] | None:
        """The column that equal rows are sorted by, and whether descending."""
        return self._arrangement.second

    @property
    def total(self) -> int:
        """How many rows there are, shown or not; one that is gone is shown until it is arranged."""
        is_prices = self.shape is Shape.PRICES
        return max(
            self.kept_count,
            (self.book.price_rows if is_prices else self.book.selection_rows).count_present,
        )

    @property
    def kept_count(self) -> int:
        """How many rows the filter keeps, folded ones too."""
        return self._arrangement.arranged_count

    @property
    def misplaced(self) -> int:
        """How many rows would move, come or go after ``arrange``."""
        return self._arrangement.misplaced(self._compiled_filter())

    def entry(self, row: int) -> Entry | None:
        """Return what a row shows; None for the title of a game."""
        shown = self._arrangement[row]
        return None if isinstance(shown, book.GameGroup) else shown

    def key_at(self, row: int) -> RowKey | None:
        """Return which price a row is about, None for the title of a game.

        A selection that nobody offers a best price of is about the reference's.
        """
        if (entry := self.entry(row)) is None:
            return None
        bookmaker = entry.bookmaker or self._board.desk_reference.bookmaker
        return RowKey(*entry.selection.key, bookmaker)

    def row_of_price(self, key: RowKey) -> int:
        """Return which row shows a price, or its selection where rows are those; below 0: none."""
        selection = self.book.held_selection(key[:4])
        if selection is None or self.shape is Shape.SELECTIONS:
            shown: Entry | None = selection
        else:
            shown = selection.prices.get(key.bookmaker)
        return -1 if shown is None else self._arrangement.place_of(shown)

    def entries_at(self, rows: Iterable[int]) -> list[Entry]:
        """Return what rows show, each once; the title of a game stands for all of its rows."""
        found: dict[Entry, None] = {}
        for row in rows:
            shown = self._arrangement[row]
            of = shown.entries if isinstance(shown, book.GameGroup) else (shown,)
            found.update(dict.fromkeys(of))
        return list(found)

    def is_value_row(self, row: int) -> bool:
        """Whether the price of a row is shown as value."""
        return self.cell(row, BY_KEY["odds"]).ground is SurfaceRole.VALUE

    def entries(self) -> Sequence[Entry]:
        """Return what is shown, in order, folded rows too."""
        return self._arrangement.entries()

    # What is asked of it

    def show(self, chosen: GridFilter) -> None:
        """Show the rows of a filter, at once."""
        self.filter = chosen
        self.book.compare(chosen.bookmakers or None)
        self._arrange_as_asked()

    def show_as(self, shape: Shape, *, grouped: bool) -> None:
        """Show prices or selections, below their games or not."""
        self._arrangement.shape, self._arrangement.is_grouped = shape, grouped
        self._tell_headers()
        self._arrange_as_asked()

    def sort_by(self, column: int) -> None:
        sorted_by, descending = self.sorted_by
        if column == sorted_by:
            self.sort_as(column, not descending, self.sorted_second_by)
        else:
            self.sort_as(column, COLUMNS[column].descending_first)

    def sort_second_by(self, column: int) -> None:
        """Sort rows that are equal by another column; a second time the other way, then not."""
        first, descending = self.sorted_by
        usual = COLUMNS[column].descending_first
        wanted = {None: (column, usual), (column, usual): (column, not usual)}
        second = self.sorted_second_by
        kept = second if second is not None and second[0] == column else None
        self.sort_as(first, descending, wanted.get(kept))

    def sort_as(
        self, column: int, descending: bool, second: tuple[int, bool] | None = None
    ) -> None:
        """Sort by a column in an order; rows that are equal by ``second``, else as they stand."""
        self._arrangement.sort_by(column, descending=descending, second=second)
        self._tell_headers()
        self._arrange_as_asked()

    def arrange(self) -> None:
        """Filter and sort again; the selection stays with its rows."""
        self._cells.drop_cells()
        self.book.note_lines(are_read=self._arrangement.reads_columns)
        with self._relayout():
            self._arrangement.arrange(self.book.selections(), self._compiled_filter())
        self.counts_changed.emit()

    def _arrange_as_asked(self) -> None:
        """Arrange for the user, and take next what waits out of sight."""
        self.arrange()
        self._due_at = 0.0
        self._take_timer.stop()
        self._take_soon()

    def fold_all(self, *, folded: bool) -> None:
        """Fold or unfold every game."""
        with self._relayout():
            self._arrangement.fold_games(self._arrangement.groups, folded=folded)

    # How it is kept up to date

    def _relayout(self) -> AbstractContextManager[None]:
        """Have a block change the places of rows; indexes held elsewhere follow their rows."""
        arrangement = self._arrangement

        def index_of(row: book.GridRow, index: QModelIndex) -> QModelIndex:
            place = arrangement.place_of(row)
            return self.index(place, index.column()) if place >= 0 else QModelIndex()

        return self.relayout(lambda index: arrangement[index.row()], index_of)

    def _compiled_filter(self) -> CompiledFilter:
        return CompiledFilter(self.filter, self.shape, self._clock(), self._board.freshness)

    @property
    def is_filling(self) -> bool:
        """Whether more prices are being taken than there were rows: the first ones come in."""
        return self._is_filling and bool(self._due or self._games)

    @property
    def is_ready(self) -> bool:
        """Whether rows can be put in order at once: else the window would wait for an import."""
        return _importing_arrays().done()

    @property
    def is_behind(self) -> bool:
        """Whether there are prices that were not taken from the board yet."""
        return bool(self._waiting or self._is_taking)

    @property
    def _is_taking(self) -> bool:
        return bool(self._due or self._games or self._held)

    def _take_some(self) -> None:
        """Take waiting prices from the board, some at a time, so that the window stays awake."""
        began = time.perf_counter()
        if not self._due and began >= self._due_at:
            self._due, self._waiting, self._took_s = self._waiting, {}, 0.0
            if not self._games:
                self._is_filling = sum(map(len, self._due.values())) > self.total
        one_slice(self._take_all(), SLICE_S)
        if not self.kept_count and self.is_ready and self.misplaced:
            self.counts_changed.emit()  # the first rows wait for no others
        ended = time.perf_counter()
        self._took_s += ended - began
        if not self._due:
            self._due = {}  # one that was emptied keeps its table, as large as it ever was
            if ended >= self._due_at:
                self._due_at = ended + min(_MOST_REST_S, self._took_s * _RESTS)
        if self._is_taking:
            self._take_timer.start(0)
        else:
            self._take_soon()

    def _take_all(self) -> Iterator[None]:
        while self._held:
            self._leave_gone(self._held.pop())
            yield
        if self.rows_in_view is not None and self._take_in_view(self._entries_in_view()):
            yield
        while self._is_taking:
            if not self._due:
                self._look_at(next(iter(self._games)))
            self._take(list(islice(self._due, _STEP)))
            yield

    def _take_in_view(self, shown: Iterable[tuple[int, Entry]]) -> bool:
        """Take what is marked of the rows in sight, as that is not to wait; whether any was."""
        in_view = dict.fromkeys([one.selection.key for _, one in shown])
        for game in {key[0] for key in in_view} & self._games.keys():
            self._look_at(game)
        if seen := [key for key in in_view if key in self._waiting or key in self._due]:
            self._take(seen)
        return bool(seen)

    def _look_at(self, game: str) -> None:
        """Have every price of a game taken next."""
        del self._games[game]
        book.mark(self._due, self._board.row_keys_of(game))

    def _leave_gone(self, selection: SelectionEntry) -> None:
        """Drop the prices of a selection that the board no longer holds."""
        row = self._board.row(*selection.key)
        held = () if row is None else row.prices.keys()
        if gone := selection.prices.keys() - held:
            book.mark(self._due, [RowKey(*selection.key, bookmaker) for bookmaker in gone])
            self._take([selection.key])

    def _take(self, selections: Iterable[book.SelectionKey]) -> None:
        """Take what is marked of some selections."""
        marks: book.Marks = {}
        for of in selections:
            marks[of] = self._due.pop(of, {})
            if of in self._waiting:
                marks[of] |= self._waiting.pop(of)
        changed, refreshed = self.book.take_prices(marks)
        self._arrangement.note_moved(changed if self.shape is Shape.PRICES else refreshed)
        self._cells.note_changes(refreshed)
        self._flush_soon()
        self._count_soon()

    def _count_soon(self) -> None:
        if not self._count_timer.isActive():
            left_s = 0.0 if self._is_filling else self._count_at - time.perf_counter()
            self._count_timer.start(max(_COUNT_MS, math.ceil(left_s * 1_000)))

    def _tell_counts(self) -> None:
        self._count_at = time.perf_counter() + _COUNT_AGAIN_S
        self.counts_changed.emit()

    def _is_changing(self) -> bool:
        return self._board.is_taking_in

    def flush_touched(self) -> None:
        """Repaint the visible cells whose look changed, and report them."""
        self._is_told = False
        in_view: list[tuple[int, Entry]] = []
        if self.is_behind and self.rows_in_view is not None:
            in_view += self._entries_in_view()
            self._board.in_grid = {entry.selection.key[0] for _, entry in in_view}
            self._take_in_view(in_view)
        self._take_soon()
        if self._cells.has_changed:
            in_view = in_view or list(self._entries_in_view())
            for place, columns in self._cells.renewed(in_view):
                self.touch(place, columns[0], place, columns[-1])
        super().flush_touched()

    def _entries_in_view(self) -> Iterator[tuple[int, Entry]]:
        rows = self._arrangement
        there = range(len(rows))
        for place in there if self.rows_in_view is None else self.rows_in_view():
            if place not in there:  # the table learns of it in its turn
                break
            if not isinstance(shown := rows[place], book.GameGroup):
                yield place, shown

    def _wait_for(self, keys: Iterable[RowKey]) -> None:
        book.mark(self._waiting, keys)
        if not self._is_told:
            self._is_told = True
            self._flush_soon()
            self._take_soon()

    def _take_soon(self) -> None:
        if self.is_behind and not self._take_timer.isActive():
            _importing_arrays()
            rest_s = 0.0 if self._is_taking else self._due_at - time.perf_counter()
            rest_ms = math.ceil(min(_MOST_REST_S, rest_s) * 1_000)
            self._take_timer.start(max(GATHER_MS, rest_ms))

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, RowsChanged) and notice.removed and not self._board.held_games():
            self._release()
        elif isinstance(notice, RowsChanged):
            self._wait_for(notice.changed)
            if notice.removed:
                self._wait_for(notice.removed)
        elif isinstance(notice, RowsWanted):
            self._look_at_all()
        elif isinstance(notice, ValueBetsChanged):
            if not notice.moved and self.has_mine != self._had_mine:
                self._had_mine = self.has_mine
                self.columns_changed.emit()
            if self._board.rows_wanted:
                self._wait_for(notice.moved)
        elif isinstance(notice, GamesChanged):
            self._show_games()

    def _release(self) -> None:
        """Show nothing, at once: what the board holds next is another moment's, or service's."""
        self.release_begun.emit()
        self._waiting, self._due, self._games, self._held = {}, {}, {}, []
        self._cells.drop_cells()
        with self._relayout():
            self._arrangement.drop_rows()
        self.book.drop_prices()
        self.counts_changed.emit()

    def _look_at_all(self) -> None:
        """Drop all prices as the board did, then take those of every game that it holds."""
        self._held = list(self.book.selections())
        self._games |= dict.fromkeys(self._board.held_games())
        self._is_filling = self._board.count_of(self._games) > self.total
        self._take_soon()

    def _show_games(self) -> None:
        if self.book.show_games() and self.rowCount():
            self._cells.drop_cells()
            self.touch(0, 0, self.rowCount() - 1, len(COLUMNS) - 1)

    def _tell_headers(self) -> None:
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    # What the table asks for

    def column(self, column: int) -> Column:
        if column == _SELECTION and self.is_grouped:
            return TITLE_WIDTH
        return COLUMNS[column].sized

    def shrink_steps(self) -> Sequence[ShrinkStep]:
        return (ShrinkStep(_SELECTION, COLUMNS[_SELECTION].width.sample),)

    def header(self, column: int) -> Header:
        shown, (sorted_by, descending) = COLUMNS[column], self.sorted_by
        title = title_in(shown, self.shape, has_mine=self.has_mine)
        second = self.sorted_second_by
        if second is not None and second[0] == column:
            made = shown.header(title, second[1])
            return msgspec.structs.replace(made, title=f"{made.title}²")
        return shown.header(title, descending if column == sorted_by else None)

    def cell(self, row: int, column: int) -> Cell:
        shown, now = self._arrangement[row], self._clock()
        if isinstance(shown, book.GameGroup):
            return group_cell(shown, column, now)
        return self._cells.kept_cell(shown, column, now)

    def _context(self) -> CellContext:
        board = self._board
        reference = board.reference_name
        return CellContext(self._clock(), board.freshness, reference, self._names.short)

    def refresh_all(self) -> None:
        """Rebuild every cell and header."""
        self._cells.drop_cells()
        super().refresh_all()

    def tip(self, row: int, column: int) -> str:
        shown = self._arrangement[row]
        if isinstance(shown, book.GameGroup):
            return group_tip(shown, self._clock())
        return tip(shown, self._board.reference_name, self._clock())

    def is_hidden(self, column: int) -> bool:
        if column == _GAME and self.is_grouped:
            return True
        return column not in self.columns or not is_for(
            COLUMNS[column], self.shape, has_mine=self.has_mine
        )

    def is_section(self, row: int) -> bool:
        return isinstance(self._arrangement[row], book.GameGroup)

    def is_folded(self, row: int) -> bool:
        shown = self._arrangement[row]
        return isinstance(shown, book.GameGroup) and shown.is_folded

    def set_folded(self, row: int, folded: bool) -> None:
        shown = self._arrangement[row]
        if isinstance(shown, book.GameGroup):
            with self._relayout():
                self._arrangement.fold_games([shown], folded=folded)

    # Qt's virtuals

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._arrangement)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.sort_as(column, order is Qt.SortOrder.DescendingOrder)


@cache
def _importing_arrays() -> Future[ModuleType]:
    """Import the row sorting on a thread: it would block the window for 0.1 s."""
    return in_background("arrays", partial(import_module, "oddsdesk.desk.grid.arrays"))


_RAISED = Cell("", ground=SurfaceRole.RAISED)
_SELECTION_COLUMN, _COMPETITION_COLUMN, _KICK_OFF_COLUMN, _COUNT_COLUMN, _EV_COLUMN = (
    BY_KEY[key] for key in ("selection", "competition", "kick_off", "market_type", "ev_pct")
)


def group_cell(group: book.GameGroup, column: int, now_ms: int) -> Cell:
    """Return a cell of a game's title row."""
    selection = group.first
    if column == _SELECTION_COLUMN:
        return Cell(selection.game, TextRole.STRONG, SurfaceRole.RAISED, is_strong=True)
    if column == _COMPETITION_COLUMN:
        return Cell(competition_text(selection.competition), TextRole.SOFT, SurfaceRole.RAISED)
    if column == _KICK_OFF_COLUMN:
        if selection.is_live:
            return Cell(_("live"), TextRole.LIVE, SurfaceRole.RAISED)
        return Cell(
            formatting.kick_off_text(selection.kick_off, now_ms), TextRole.SOFT, SurfaceRole.RAISED
        )
    if column == _COUNT_COLUMN:
        rows = len(group.entries)
        return Cell(
            ngettext("{count:,} row", "{count:,} rows", rows).format(count=num(rows)),
            TextRole.NOTE,
            SurfaceRole.RAISED,
        )
    if column == _EV_COLUMN:
        sure = ((entry.ev, entry) for entry in group.entries if not entry.is_doubtful)
        known = ((ev, entry) for ev, entry in sure if ev is not None)
        if (best := max(known, key=itemgetter(0), default=None)) is not None:
            unit = "" if best[1].is_per_staked else PER_DECIDED
            return Cell(formatting.edge_text(best[0]), TextRole.NOTE, SurfaceRole.RAISED, note=unit)
    return _RAISED


def group_tip(group: book.GameGroup, now_ms: int) -> str:
    """Return what a game's title row says whole."""
    selection = group.first
    when = (
        _("in play") if selection.is_live else formatting.kick_off_text(selection.kick_off, now_ms)
    )
    competition = competition_text(selection.competition)
    return "\n".join((selection.game, f"{competition}, {when}", _("Best EV of its rows")))


def tip(entry: Entry, reference: str, now_ms: int) -> str:
    """Return what a row says whole: the price with both clocks, and what it is compared with."""
    selection, price, figures = entry.selection, entry.price, entry.selection.figures
    lines = [f"{selection.game}: {selection_text(selection.key.selection)}"]
    if figures.laid is not None:
        lines.append(laid_text(figures.laid, formatting.odds_text))
    if price is not None:
        seen = formatting.clock_text(price.scraped_at, now_ms)
        unmoved = formatting.unmoved_text(
            price.changed_at, now_ms, has_moved=price.previous is not None
        )
        lines += [
            _("{odds} at {bookmaker}").format(
                odds=formatting.exact_odds_text(price.odds), bookmaker=_names(entry)
            ),
            _("Seen at {time}, {unmoved}").format(time=seen, unmoved=unmoved),
        ]
        if price.withdrawn_at is not None:
            since = hour_text(formatting.local_time(price.withdrawn_at), seconds=True)
            lines.append(_("No longer offered since {time}").format(time=since))
        profiles = selection.comparison.board.basis.profiles
        lines += sides_in_words(profiles.profile_of(entry.bookmaker), price.depth)
    if figures.best_lay is not None:
        lay = formatting.exact_odds_text(figures.best_lay)
        lines.append(
            _("Best lay {odds} at {bookmaker}").format(odds=lay, bookmaker=figures.best_lay_at)
        )
    lines += [
        _("No value: {reason}").format(reason=caution_text(caution, reference))
        for caution in entry.cautions
    ]
    if entry.has_no_window:
        lines.append(
            _("No value: {sharp_book}'s margin is too large here for any price to be value").format(
                sharp_book=reference
            )
        )
    if entry.ev is not None and not entry.is_per_staked:
        lines.append(_("EV {meaning}").format(meaning=translated(PER_DECIDED_TEXT)))
    if figures.fair_odds is not None:
        lines.append(_("Fair {odds}").format(odds=formatting.fair_text(figures.fair_odds)))
    if (section := selection.section) is not None:
        side = section.side_of(selection.key.selection)
        lines += filter(None, [origin_text(section.reference, side)])
    if figures.best is not None and figures.worst is not None and figures.median is not None:
        lines.append(
            ngettext(
                "{count} bookmaker: {worst} to {best}, median {median}",
                "{count} bookmakers: {worst} to {best}, median {median}",
                figures.count,
            ).format(
                count=figures.count,
                worst=formatting.odds_text(figures.worst),
                best=formatting.odds_text(figures.best),
                median=formatting.odds_text(figures.median),
            )
        )
    if figures.laid_of_all not in (None, figures.laid):
        lines.append(
            _("Of all: {lay}").format(lay=laid_text(figures.laid_of_all, formatting.odds_text))
        )
    elif figures.best_of_all is not None and figures.best_of_all != figures.best:
        lines.append(_("Best of all {odds}").format(odds=formatting.odds_text(figures.best_of_all)))
    if figures.doubted is not None:
        name, odds, _keeper, caution = figures.doubted
        why = caution_text(caution, reference)
        lines.append(
            _("Doubtful: {odds} at {bookmaker}: {reason}").format(
                odds=formatting.exact_odds_text(odds), bookmaker=name, reason=why
            )
        )
    return "\n".join(lines)


def _names(entry: Entry) -> str:
    return (
        ", ".join(entry.figures.best_names)
        if isinstance(entry, SelectionEntry)
        else entry.bookmaker
    )
