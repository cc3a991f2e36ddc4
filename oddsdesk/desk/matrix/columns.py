"""The matrix's columns: how wide each is, and what its headers, cells and tooltips show."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Final

import msgspec

from oddsdesk.board.assessed import AssessedPrice
from oddsdesk.board.board import Board
from oddsdesk.board.freshness import Freshness
from oddsdesk.board.matrix import RowKey, Section, SelectionRow
from oddsdesk.board.prices import Price
from oddsdesk.clock import Clock
from oddsdesk.desk.matrix import cells, tips
from oddsdesk.desk.matrix.cells import selection_text
from oddsdesk.desk.matrix.layout import (
    BEST,
    BEST_OF_ALL,
    DOUBTED,
    FAIR,
    PAST,
    REFERENCE,
    SELECTION,
    WINDOW,
    MatrixLayout,
)
from oddsdesk.desk.matrix.rows import Row
from oddsdesk.desk.matrix.sparklines import Sparklines
from oddsdesk.desk.ui.bookmaker_names import BookmakerNames
from oddsdesk.desk.ui.formatting import odds_sample
from oddsdesk.desk.ui.table.cells import EMPTY, Align, Cell, Column, Header, ShrinkStep
from oddsdesk.desk.ui.table.column_spec import ColumnSpec
from oddsdesk.desk.ui.time_format import age_text
from oddsdesk.pricing.profiles import Profile

_WIDE_NAME: Final = "Both teams to score  Full Time"
_USUAL_NAME: Final = "Both teams to score"
_NARROW_NAME: Final = "Manchester +0.5"
_MOST: Final = 84
"""Pixels that a title may take of a column that figures alone would make narrower."""
_FOLD: Final = " " * 6
"""As wide as the mark before a section's title, and its semi-bold letters."""


class MatrixContext:
    """What the columns of a matrix depend on beside a row."""

    def __init__(
        self,
        board: Board,
        game_id: str,
        layout: MatrixLayout,
        sparklines: Sparklines,
        clock: Clock,
        names: BookmakerNames,
    ) -> None:
        self.game_id = game_id
        self.board = board
        self.layout = layout
        self.sparklines = sparklines
        self.clock = clock
        self.names = names
        self._titled: tuple[int, Sequence[str]] = (0, ())
        self._titles: dict[str, str] = {}
        self.widest_name = ""
        """Of the first column, folded rows too."""
        self.widest_period = ""

    @property
    def reference(self) -> str:
        """The reference's name."""
        return self.board.reference or "Reference"

    def freshness(self, bookmaker: str | None, price: Price | None) -> Freshness:
        """Return how old a price is; None is the reference's, and no price is dead."""
        return Freshness.DEAD if price is None else self.board.freshness(bookmaker, price)

    def figures_freshness(self, row: SelectionRow) -> Freshness:
        """Return how old the price is that fair odds and window rest on; a consensus has none."""
        if self.board.basis.is_pooled:
            return Freshness.FRESH
        return self.freshness(None, row.reference)

    def judged(
        self, section: Section, row: SelectionRow, bookmaker: str | None
    ) -> AssessedPrice | None:
        """Return what the board says of a price that has the least edge, None of others."""
        if bookmaker not in row.near:
            return None
        market_type, period, _ = section.key
        key = RowKey(self.game_id, market_type, period, row.selection, bookmaker)
        return self.board.value_bets.get(key)

    @property
    def has_mine(self) -> bool:
        """Whether the user has chosen bookmakers."""
        return self.board.basis.mine is not None

    def best(self, row: SelectionRow, column: int = BEST) -> tuple[str | None, Freshness]:
        """Return the bookmaker that a column of best prices names, and how old its price is."""
        name = self.layout.best_bookmaker(row, column)
        price = None if name is None else row.prices.get(name)
        # It may be the reference by now, and figures follow in steps.
        return (None if price is None else name), self.freshness(name, price)

    def title(self, bookmaker: str) -> str:
        """Return what stands above the column of a bookmaker."""
        revision, bookmakers = self.names.revision, self.layout.bookmakers
        if self._titled[1] is not bookmakers or self._titled[0] != revision:
            self._titled = revision, bookmakers
            self._titles = self.names.told_apart(bookmakers)
        return self._titles.get(bookmaker, bookmaker)

    def keeper(self, bookmaker: str) -> Profile | None:
        """Return the profile of a bookmaker that keeps a part of a win; None of others."""
        return self.board.basis.profiles.charging(bookmaker)

    def is_favourite(self, bookmaker: str) -> bool:
        """Whether the user wants the bookmaker first."""
        return bookmaker in self.layout.order.favourites

    def age(self, bookmaker: str | None) -> str:
        """Return how long ago the newest price of a bookmaker was seen; empty for none."""
        seen = self.layout.seen(bookmaker)
        return "" if seen is None else age_text(self.clock() - seen)


MatrixColumn = ColumnSpec[Row, MatrixContext]
_CellOf = Callable[[Section, SelectionRow, MatrixContext], Cell]
_TipOf = Callable[[Section, SelectionRow, MatrixContext], str]


def _cells(
    of_selection: _CellOf, of_title: Callable[[Section], Cell]
) -> Callable[[Row, MatrixContext], Cell]:
    """Return what shows a selection's cells, and those of the title above it."""

    def cell(shown: Row, context: MatrixContext) -> Cell:
        row = shown.selection_row
        return of_title(shown.section) if row is None else of_selection(shown.section, row, context)

    return cell


def _tips(
    of_selection: _TipOf, of_title: Callable[[Section], str] = lambda _section: ""
) -> Callable[[Row, MatrixContext], str]:
    """Return what tells more of a selection's cells, and of those of the title above it."""

    def tip(shown: Row, context: MatrixContext) -> str:
        row = shown.selection_row
        return of_title(shown.section) if row is None else of_selection(shown.section, row, context)

    return tip


def _nothing(_section: Section) -> Cell:
    return EMPTY


def _reference_cell(section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
    if context.board.basis.is_pooled:
        pooled = None if section.pool is None else section.pool.of(None)
        return cells.voters_cell(None if pooled is None else pooled.votes)
    return cells.reference_cell(row, context.freshness(None, row.reference), context.clock())


def _reference_tip(section: Section, row: SelectionRow, context: MatrixContext) -> str:
    if context.board.basis.is_pooled:
        pooled = None if section.pool is None else section.pool.of(None)
        if pooled is None:
            return tips.no_reference_text(context.reference)
        return tips.voters_tip(section, row, pooled)
    freshness = context.freshness(None, row.reference)
    return tips.reference_tip(row, context.reference, freshness, context.clock())


def _fair_cell(_section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
    return cells.fair_cell(row, context.figures_freshness(row), context.clock())


def _window_cell(_section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
    return cells.window_cell(row, context.figures_freshness(row), context.clock())


def _best_cell_in(column: int) -> _CellOf:
    def cell(section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
        name, freshness = context.best(row, column)
        judged = context.judged(section, row, name)
        offered = row.best_bookmakers if column == BEST else row.best_of_all.bookmakers
        return cells.best_cell(
            row,
            name,
            "" if name is None else context.names.code(name),
            freshness,
            context.clock(),
            None if name is None else context.keeper(name),
            is_value=judged is not None and judged.is_value,
            others=len(offered) - 1,
            is_second=column == BEST_OF_ALL,
        )

    return cell


def _doubted_cell(_section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
    name, freshness = context.best(row, DOUBTED)
    code = "" if name is None else context.names.code(name)
    return cells.doubted_cell(row, code, freshness, context.clock())


def _best_tip(section: Section, row: SelectionRow, context: MatrixContext) -> str:
    return tips.best_tip(section, row, row.best_bookmakers, context)


def _best_of_all_tip(section: Section, row: SelectionRow, context: MatrixContext) -> str:
    return tips.best_tip(section, row, row.best_of_all.bookmakers, context)


def _doubted_tip(section: Section, row: SelectionRow, context: MatrixContext) -> str:
    if row.doubted is None:
        return f"No price of {row.selection} above the best is doubted."
    return tips.price_tip(section, row, row.doubted.bookmaker, context)


def _past_cell(section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
    market_type, period, _ = section.key
    name = (market_type, period, row.selection)
    return cells.past_cell(context.sparklines.sparkline(name, row.reference), context.clock())


def _window_tip(section: Section, row: SelectionRow, context: MatrixContext) -> str:
    said = tips.window_tip(row, context.reference)
    if section.pool is None:
        return said
    return f"{said}\n{tips.window_beside_tip(section, row, context.best(row)[0])}".rstrip()


def _selection_width(context: MatrixContext) -> Column:
    """As wide as the widest name, if that is not all too wide, or nobody else needs the room."""
    name = context.widest_name
    return Column(_shorter(name, _WIDE_NAME), Align.LEFT, likes=name)


def _reference_width(context: MatrixContext) -> Column:
    note = "888k" if context.layout.has_limits else ""
    is_pooled = context.board.basis.is_pooled
    sample = context.reference if is_pooled else odds_sample(has_long=context.layout.has_long(None))
    return Column(sample, note_sample=note, has_arrow=True, hangs=True, most=_MOST)


def _fair_width(context: MatrixContext) -> Column:
    return Column(odds_sample(has_long=context.layout.has_long_figure), hangs=True, most=0)


def _least_width(context: MatrixContext) -> Column:
    """As wide as a price, or the period in the rows of sections."""
    fair = _fair_width(context)
    sample = max(fair.sample, context.widest_period, key=len)
    return msgspec.structs.replace(fair, sample=sample, most=_MOST)


def _best_width(context: MatrixContext) -> Column:
    is_net = any(context.keeper(name) is not None for name in context.layout.bookmakers)
    note = "8.88 888 +8" if is_net else "888 +88"
    return Column(_best_sample(context.layout), note_sample=note, hangs=True, most=_MOST)


def _doubted_width(context: MatrixContext) -> Column:
    return Column(_doubted_sample(context.layout), note_sample="888", hangs=True, most=_MOST)


def _doubted_sample(layout: MatrixLayout) -> str:
    return f"{cells.SUSPICIOUS}{odds_sample(has_long=layout.has_any_long)}"


def _best_sample(layout: MatrixLayout) -> str:
    """As wide as a price, or the hold in the rows of sections."""
    return max("+8.8 %", odds_sample(has_long=layout.has_any_long), key=len)


def _reference_header(context: MatrixContext) -> Header:
    name, age = context.reference, context.age(None)
    parts = (age, "limit" if context.layout.has_limits else "")
    note, code = " · ".join(filter(None, parts)), context.names.code(name)
    return Header(context.names.short(name), note, _age_tip(name, age), code=code, name=name)


def _fair_header(context: MatrixContext) -> Header:
    method = context.board.method.replace("_", " ")
    note = method.replace("proportional", "prop.")
    tip = f"Odds of {context.reference} without margin, by the {method} method"
    return Header("Fair", note, tip)


_BEST: Final = (
    "The best price{whose} and the code of the bookmaker (B goes there), before that what it pays "
    "net where the bookmaker keeps a part. A price that is doubted is never best. On a section's "
    "row: the hold of these prices together, below 0 an arbitrage. The reference's own price is "
    "not compared: it has its own column"
)
_BEST_OF_ALL: Final = (
    "The best price of all bookmakers other than the reference, those that are not yours among them"
)


def _best_header(context: MatrixContext) -> Header:
    if not context.has_mine:
        return Header(
            "Best", "of all", _BEST.format(whose=" of all bookmakers other than the reference")
        )
    return Header("Best", "of mine", _BEST.format(whose=" of your bookmakers"))


def _past_tip(context: MatrixContext) -> str:
    return f"How the price of {context.reference} moved in the last 6 hours"


FIXED: Final[tuple[MatrixColumn, ...]] = (
    MatrixColumn(
        "selection", "Selection", Column("", Align.LEFT),
        _cells(lambda section, row, _: cells.selection_cell(section, row), cells.section_cell),
        width_now=_selection_width,
        cell_tip=_tips(
            lambda _section, row, _context: row.selection,
            lambda section: f"{section.title}, {section.period_label}",
        ),
    ),
    MatrixColumn(
        "reference", "Reference", Column(""),
        _cells(_reference_cell, lambda section: cells.hold_cell(section.reference_hold, " %")),
        width_now=_reference_width, header_now=_reference_header, cell_tip=_tips(_reference_tip),
    ),
    MatrixColumn(
        "fair", "Fair", Column(""),
        _cells(_fair_cell, _nothing),
        width_now=_fair_width, header_now=_fair_header, cell_tip=_tips(_window_tip),
    ),
    MatrixColumn(
        "window", "Value from", Column(""),
        _cells(_window_cell, cells.period_cell),
        width_now=_least_width, cell_tip=_tips(_window_tip),
        tip="From which price on the selection is value; the tooltip of a cell tells above which "
        "one it is suspicious; none: no price can be value by the rules",
    ),
    MatrixColumn(
        "best", "Best", Column(""), _cells(_best_cell_in(BEST), cells.best_hold_cell),
        width_now=_best_width, header_now=_best_header,
        cell_tip=_tips(_best_tip, tips.best_hold_tip),
    ),
    MatrixColumn(
        "best_of_all", "Best of all", Column(""), _cells(_best_cell_in(BEST_OF_ALL), _nothing),
        width_now=_best_width, cell_tip=_tips(_best_of_all_tip),
        header_now=lambda _: Header("Best", "of all", _BEST_OF_ALL),
    ),
    MatrixColumn(
        "doubted", "Doubted", Column(""), _cells(_doubted_cell, _nothing),
        width_now=_doubted_width, cell_tip=_tips(_doubted_tip),
        tip="The highest price above the best that is not to be relied upon: suspicious, stale, or "
        "in play where the reference is not",
    ),
    MatrixColumn(
        "past", "6 h", Column("88888"), _cells(_past_cell, _nothing),
        header_now=lambda context: Header("6 h", "", _past_tip(context)),
        cell_tip=_tips(lambda _section, _row, context: _past_tip(context)),
    ),
)  # fmt: skip
"""The columns before the bookmakers', each where ``layout`` says it is."""


@lru_cache(maxsize=1024)
def bookmaker_column(name: str) -> MatrixColumn:
    """Return the column of a bookmaker's prices, its hold on the title rows."""

    def price_cell(shown: Row, context: MatrixContext) -> Cell:
        # By far the most cells, so without the detour of `_cells`.
        section, row = shown.section, shown.selection_row
        if row is None:
            return cells.hold_cell(section.holds.get(name))
        price = row.prices.get(name)
        return cells.price_cell(
            section,
            row,
            name,
            context.judged(section, row, name),
            Freshness.DEAD if price is None else context.board.freshness(name, price),
            context.clock(),
            is_mine=context.board.basis.is_mine(name),
            keeper=context.keeper(name),
        )

    def price_tip(section: Section, row: SelectionRow, context: MatrixContext) -> str:
        return tips.price_tip(section, row, name, context)

    def width(context: MatrixContext) -> Column:
        sample = odds_sample(has_long=context.layout.has_long(name))
        return _price_width(sample, has_net=context.keeper(name) is not None)

    return MatrixColumn(
        name,
        name,
        Column(""),
        price_cell,
        width_now=width,
        header_now=lambda context: _bookmaker_header(name, context),
        cell_tip=_tips(price_tip, lambda section: tips.hold_tip(section, name)),
    )


def _bookmaker_header(name: str, context: MatrixContext) -> Header:
    """Its name, and the age of its newest price, or what it keeps of a win."""
    age, code, keeper = context.age(name), context.names.code(name), context.keeper(name)
    title, tip = context.title(name), _age_tip(name, age)
    if keeper is not None:
        age = f"net {keeper.commission * 100:g} %" if keeper.commission else "net"
        tip = f"{tip} · the small price is what is left of a win"
    if not context.is_favourite(name):
        return Header(title, age, tip, False, code, name)
    return Header(f"★ {title}", age, f"{tip} · favourite", True, f"★ {code}", name)


@cache
def _price_width(sample: str, *, has_net: bool) -> Column:
    return Column(
        sample, note_sample=sample if has_net else "", has_arrow=True, hangs=True, most=_MOST
    )


def widest_name(sections: Iterable[Section]) -> str:
    """Return the widest text of the first column, for its width; the usual one of no sections."""
    names = [f"{section.title}{_FOLD}" for section in sections]
    names += [selection_text(section, row) for section in sections for row in section.rows]
    return max(names, key=len, default=_USUAL_NAME)


def widest_period(sections: Iterable[Section]) -> str:
    """Return the widest period of all, for the column that says it."""
    return max((section.period_label for section in sections), key=len, default="")


def shrink_steps(context: MatrixContext) -> tuple[ShrinkStep, ...]:
    """Return how the frozen columns give way where bookmakers would have no room."""
    name, layout = context.widest_name, context.layout
    steps = [
        ShrinkStep(SELECTION, _shorter(name, _USUAL_NAME)),
        ShrinkStep(REFERENCE, odds_sample(has_long=layout.has_long(None))),
        ShrinkStep(SELECTION, _shorter(name, _NARROW_NAME)),
        ShrinkStep(PAST),
        ShrinkStep(BEST, _best_sample(layout)),
        ShrinkStep(FAIR),
    ]
    if context.has_mine:
        steps[4:4] = [ShrinkStep(BEST_OF_ALL, _best_sample(layout))]
    if layout.has_doubted:
        steps[4:4] = [ShrinkStep(DOUBTED, _doubted_sample(layout))]
    if context.has_mine or layout.has_doubted:
        steps.append(ShrinkStep(WINDOW))
    return tuple(steps)


def _shorter(name: str, most: str) -> str:
    return min(name, most, key=len)


def _age_tip(name: str, age: str) -> str:
    return f"{name}: newest price seen {age} ago" if age else name
