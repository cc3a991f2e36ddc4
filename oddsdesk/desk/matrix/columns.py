"""The matrix's columns: how wide each is, and what its headers, cells and tooltips show."""

import heapq
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, lru_cache
from typing import Final

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, pgettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import Freshness
from oddsdesk.board.model.matrix import Laid, Price, RowKey, Section, SelectionRow
from oddsdesk.board.valuation.figures import best_lay
from oddsdesk.board.valuation.judging import AssessedPrice
from oddsdesk.board.valuation.pool import PooledLine
from oddsdesk.board.valuation.verdict_words import origin_text
from oddsdesk.desk.matrix import tips
from oddsdesk.desk.matrix.cells import (
    NO_LAY,
    SUSPICIOUS,
    best_cell,
    best_hold_cell,
    bookmaker_price_cell,
    doubted_cell,
    fair_cell,
    hold_cell,
    laid_cell,
    lay_cell,
    past_cell,
    period_cell,
    reference_cell,
    row_text,
    section_cell,
    selection_cell,
    voters_cell,
    window_cell,
)
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
    Row,
    laid_in,
)
from oddsdesk.desk.matrix.sparklines import Sparklines
from oddsdesk.desk.ui.formatting import DERIVED_MARK, BookmakerNames, age_text, odds_sample
from oddsdesk.desk.ui.table.cells import EMPTY, Align, Cell, Column, ColumnSpec, Header, ShrinkStep
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole
from oddsdesk.pricing.profiles import Profile

_WIDE_NAME: Final = "Both teams to score  Full Time"
_USUAL_NAME: Final = "Both teams to score"
_NARROW_NAME: Final = "Manchester Un +0.5"
_MOST: Final = 84
"""Pixels that a title may take of a column that figures alone would make narrower."""
_MOST_OF_WINDOW: Final = 104
"""The same of "Value from", which is longer in other languages."""
_FOLD: Final = " " * 6
"""As wide as the mark before a section's title, and its semi-bold letters."""
_MOST_WIDE: Final = 12
"""How many of the longest texts are measured, as the longest need not be the widest."""
_LAY: Final = Cell(_("   Lay"), TextRole.LAY)


class MatrixContext:
    """What the columns of a matrix depend on, apart from a row."""

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
        self.wide_names = ""
        """The longest of them, one a line; the font decides which is widest."""
        self.widest_period = ""

    def shows_lays_of(self, bookmaker: str) -> bool:
        """Whether a bookmaker's column shows lays."""
        return self.layout.order.shows_lays and bookmaker in self.layout.laying

    def best_lay(self, row: SelectionRow) -> str:
        """Return the bookmaker with the best lay after commission; empty for none.

        Only the user's bookmakers with current prices count.
        """
        freshness = self.board.freshness
        found = best_lay(
            row, self.board.basis, lambda name, price: freshness(name, price) is not Freshness.DEAD
        )
        return "" if found is None else found.bookmaker

    def freshness(self, bookmaker: str, price: Price | None) -> Freshness:
        """Return how old a bookmaker's price is; no price is dead."""
        return Freshness.DEAD if price is None else self.board.freshness(bookmaker, price)

    def figures_freshness(self, section: Section, row: SelectionRow) -> Freshness:
        """Return how old the price is that fair odds and window rest on; a consensus has none."""
        if self.board.basis.is_pooled:
            return Freshness.FRESH
        if section.sources:
            return max(map(self._line_freshness, section.sources))
        return self.freshness(row.market.reference, row.reference)

    def _line_freshness(self, section: Section) -> Freshness:
        """Return how old the first price of the reference's own line is."""
        name = section.market.reference
        priced = (price for row in section.rows if (price := row.reference) is not None)
        return self.freshness(name, next(priced, None))

    def judged(self, section: Section, row: SelectionRow, bookmaker: str) -> AssessedPrice | None:
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

    def best(self, row: SelectionRow, column: int = BEST) -> tuple[str, Freshness]:
        """Return the bookmaker that a column of best prices names, and how old its price is."""
        name = self.layout.best_bookmaker(row, column)
        return name, self.freshness(name, row.prices.get(name))

    def laid_freshness(self, section: Section, laid: Laid) -> Freshness:
        """Return how old the price of a lay is."""
        price = section.selection_row(laid.selection).prices.get(laid.bookmaker)
        return self.freshness(laid.bookmaker, price)

    def take_names(self, sections: Collection[Section]) -> None:
        """Measure the names in the first column, for its width."""
        names = wide_names(sections)
        self.widest_name, self.wide_names = names[0], "\n".join(names)

    def column_title(self, bookmaker: str) -> str:
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

    def age(self, bookmaker: str) -> str:
        """Return how long ago the newest price of a bookmaker was seen; empty for none."""
        seen = self.layout.seen(bookmaker)
        return "" if seen is None else age_text(self.clock() - seen)


MatrixColumn = ColumnSpec[Row, MatrixContext]
_CellOf = Callable[[Section, SelectionRow, MatrixContext], Cell]
_TipOf = Callable[[Section, SelectionRow, MatrixContext], str]


def _cells(
    of_selection: _CellOf,
    of_title: Callable[[Section], Cell],
    of_lay: _CellOf = lambda _section, _row, _context: EMPTY,
) -> Callable[[Row, MatrixContext], Cell]:
    """Return the function for a column's cells: selections, section titles and lays."""

    def cell(shown: Row, context: MatrixContext) -> Cell:
        row = shown.selection_row
        if row is None:
            return of_title(shown.section)
        return (of_lay if shown.is_lay else of_selection)(shown.section, row, context)

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


def _pooled_line(section: Section) -> PooledLine | None:
    """Return the line of a consensus; None for a derived line, which has no votes."""
    if section.pool is None or section.derived is not None:
        return None
    return section.pool.pooled_without("")


def _reference_cell(section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
    if context.board.basis.is_pooled:
        pooled = _pooled_line(section)
        return voters_cell(None if pooled is None else pooled.votes)
    return reference_cell(
        row, context.freshness(row.market.reference, row.reference), context.clock()
    )


def _reference_tip(section: Section, row: SelectionRow, context: MatrixContext) -> str:
    if context.board.basis.is_pooled:
        pooled = _pooled_line(section)
        if pooled is None:
            origin = origin_text(section.reference, section.side_of(row.selection))
            return origin or tips.no_reference_text(context.board.reference_name)
        return tips.voters_tip(section, row, pooled)
    freshness = context.freshness(row.market.reference, row.reference)
    return tips.reference_tip(row, context.board.reference_name, freshness, context.clock())


def _no_lay(_section: Section, _row: SelectionRow, _context: MatrixContext) -> Cell:
    return NO_LAY


def _reference_lay(_section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
    if context.board.basis.is_pooled:
        return NO_LAY
    freshness = context.freshness(row.market.reference, row.reference)
    return lay_cell(row.reference, freshness, context.clock(), SurfaceRole.REFERENCE)


def _best_lay_cell(_section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
    name = context.best_lay(row)
    if not name:
        return EMPTY
    price = row.prices[name]
    cell = lay_cell(price, context.freshness(name, price), context.clock())
    return cell._replace(note=context.names.code(name))


def _fair_cell(section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
    freshness, is_derived = context.figures_freshness(section, row), section.derived is not None
    return fair_cell(row, freshness, context.clock(), is_derived=is_derived)


def _window_cell(section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
    freshness, is_derived = context.figures_freshness(section, row), section.derived is not None
    return window_cell(row, freshness, context.clock(), is_derived=is_derived)


def _best_cell_in(column: int) -> _CellOf:
    def cell(section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
        if (laid := laid_in(row, column)) is not None:
            return laid_cell(
                laid,
                context.names.code(laid.bookmaker),
                context.laid_freshness(section, laid),
                context.clock(),
                is_charged=context.keeper(laid.bookmaker) is not None,
            )
        name, freshness = context.best(row, column)
        judged = context.judged(section, row, name)
        offered = row.best_bookmakers if column == BEST else row.best_of_all.bookmakers
        return best_cell(
            row,
            name,
            context.names.code(name) if name else "",
            freshness,
            context.clock(),
            context.keeper(name) if name else None,
            is_value=judged is not None and judged.is_value,
            others=len(offered) - 1,
            is_second=column == BEST_OF_ALL,
        )

    return cell


def _doubted_cell(_section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
    name, freshness = context.best(row, DOUBTED)
    code = context.names.code(name) if name else ""
    return doubted_cell(row, code, freshness, context.clock())


def _best_tip(section: Section, row: SelectionRow, context: MatrixContext) -> str:
    laid = laid_in(row, BEST)
    return tips.best_tip(section, row, row.best_bookmakers, context, laid)


def _best_of_all_tip(section: Section, row: SelectionRow, context: MatrixContext) -> str:
    laid = laid_in(row, BEST_OF_ALL)
    return tips.best_tip(section, row, row.best_of_all.bookmakers, context, laid)


def _doubted_tip(section: Section, row: SelectionRow, context: MatrixContext) -> str:
    if row.doubted is None:
        return _("{selection}: no doubtful price above the best.").format(
            selection=selection_text(row.selection)
        )
    return tips.price_tip(section, row, row.doubted.bookmaker, context)


def _past_cell(section: Section, row: SelectionRow, context: MatrixContext) -> Cell:
    market_type, period, _ = section.key
    name = (market_type, period, row.selection)
    return past_cell(context.sparklines.sparkline(name, row.reference), context.clock())


def _window_tip(section: Section, row: SelectionRow, context: MatrixContext) -> str:
    said = [
        origin_text(section.reference, section.side_of(row.selection)),
        tips.window_tip(row, context.board.reference_name),
    ]
    if section.pool is not None:
        said.append(tips.window_without_tip(section, row, context.best(row)[0]))
    return "\n".join(filter(None, said))


def _selection_width(context: MatrixContext) -> Column:
    """As wide as the widest name, if that is not all too wide, or nobody else needs the room."""
    name = context.widest_name
    return Column(_shorter(name, _WIDE_NAME), Align.LEFT, likes=context.wide_names)


def _reference_width(context: MatrixContext) -> Column:
    note = "888k" if context.layout.has_limits else ""
    is_pooled = context.board.basis.is_pooled
    sample = (
        context.board.reference_name
        if is_pooled
        else odds_sample(has_long=context.layout.has_long(context.layout.reference))
    )
    return Column(sample, note_sample=note, has_arrow=True, hangs=True, most=_MOST)


def _fair_width(context: MatrixContext) -> Column:
    mark = DERIVED_MARK if context.layout.has_derived else ""
    sample = odds_sample(has_long=context.layout.has_long_figure)
    return Column(f"{mark}{sample}", hangs=True, most=0)


def _least_width(context: MatrixContext) -> Column:
    """As wide as a price, or the period in the rows of sections."""
    fair = _fair_width(context)
    sample = max(fair.sample, context.widest_period, key=len)
    return msgspec.structs.replace(fair, sample=sample, most=_MOST_OF_WINDOW)


def _best_width(context: MatrixContext) -> Column:
    is_net = any(context.keeper(name) is not None for name in context.layout.bookmakers)
    note = "8.88 888 +8" if is_net else "888 +88"
    sample = _best_sample(context.layout)
    likes = f"{sample} 88.888 888 +88" if is_net else ""
    return Column(sample, note_sample=note, hangs=True, most=_MOST, likes=likes)


def _doubted_width(context: MatrixContext) -> Column:
    return Column(_doubted_sample(context.layout), note_sample="888", hangs=True, most=_MOST)


def _doubted_sample(layout: MatrixLayout) -> str:
    return f"{SUSPICIOUS}{odds_sample(has_long=layout.has_any_long)}"


def _best_sample(layout: MatrixLayout) -> str:
    """As wide as a price, or the hold in the rows of sections."""
    return max("+8.8 %", odds_sample(has_long=layout.has_any_long), key=len)


def _reference_header(context: MatrixContext) -> Header:
    name, age = context.board.reference_name, context.age(context.layout.reference)
    parts = (age, pgettext("a price", "limit") if context.layout.has_limits else "")
    note, code = " · ".join(filter(None, parts)), context.names.code(name)
    return Header(context.names.short(name), note, _age_tip(name, age), code=code, name=name)


def _fair_header(context: MatrixContext) -> Header:
    method = translated(context.board.method.replace("_", " "))
    note = method.replace("proportional", "prop.")
    tip = _("{reference_name}'s odds without the margin, {method} method").format(
        reference_name=context.board.reference_name, method=method
    )
    if context.layout.has_derived:
        tip = _("{tip}. {derived_mark}: derived from its other lines").format(
            tip=tip, derived_mark=DERIVED_MARK
        )
    return Header(_("Fair"), note, tip)


_BEST: Final = _(
    "Best price{whose} and who has it (B goes there); the small figure is after "
    "commission. Header row: market hold, below 0 is an arb. L: a lay of the other "
    "side pays more than any back. Doubtful prices and the sharp book's own do not "
    "count"
)
_BEST_OF_ALL: Final = _(
    "Best price of all bookmakers but the sharp book, those you did not tick included"
)


def _best_header(context: MatrixContext) -> Header:
    if not context.has_mine:
        return Header(_("Best"), _("of all"), _BEST.format(whose=""))
    return Header(_("Best"), _("of mine"), _BEST.format(whose=_(" of your bookmakers")))


def _past_tip(context: MatrixContext) -> str:
    return _("{reference_name}'s price over the last 6 hours").format(
        reference_name=context.board.reference_name
    )


FIXED: Final[tuple[MatrixColumn, ...]] = (
    MatrixColumn(
        "selection", _("Selection"), Column("", Align.LEFT),
        _cells(
            lambda section, row, _: selection_cell(section, row),
            section_cell,
            lambda _section, _row, _context: _LAY,
        ),
        width_now=_selection_width,
        cell_tip=_tips(
            lambda _section, row, _context: selection_text(row.selection),
            lambda section: f"{section.line_title}, {section.period_label}",
        ),
    ),
    MatrixColumn(
        "reference", _("Sharp book"), Column(""),
        _cells(
            _reference_cell,
            lambda section: hold_cell(section.reference_hold, " %"),
            _reference_lay,
        ),
        width_now=_reference_width, header_now=_reference_header, cell_tip=_tips(_reference_tip),
    ),
    MatrixColumn(
        "fair", _("Fair"), Column(""),
        _cells(_fair_cell, _nothing, _no_lay),
        width_now=_fair_width, header_now=_fair_header, cell_tip=_tips(_window_tip),
    ),
    MatrixColumn(
        "window", _("Value from"), Column(""),
        _cells(_window_cell, period_cell, _no_lay),
        width_now=_least_width, cell_tip=_tips(_window_tip),
        tip=_("Lowest odds worth taking; the tooltip of a cell says above which odds a "
"price is probably an error. None: no odds can be value"),
    ),
    MatrixColumn(
        "best", _("Best"), Column(""), _cells(_best_cell_in(BEST), best_hold_cell, _best_lay_cell),
        width_now=_best_width, header_now=_best_header,
        cell_tip=_tips(_best_tip, tips.best_hold_tip),
    ),
    MatrixColumn(
        "best_of_all", _("Best of all"), Column(""), _cells(_best_cell_in(BEST_OF_ALL), _nothing),
        width_now=_best_width, cell_tip=_tips(_best_of_all_tip),
        header_now=lambda _context: Header(_("Best"), _("of all"), _BEST_OF_ALL),
    ),
    MatrixColumn(
        "doubted", _("Doubtful"), Column(""), _cells(_doubted_cell, _nothing),
        width_now=_doubted_width, cell_tip=_tips(_doubted_tip),
        tip=_("A higher price that you should not rely on: probably an error, stale, "
"or in play when the sharp book is not"),
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
            return hold_cell(section.holds.get(name))
        price = row.prices.get(name)
        if shown.is_lay:
            return lay_cell(price, context.freshness(name, price), context.clock())
        return bookmaker_price_cell(
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
        note = sample if context.keeper(name) is not None else ""
        if context.shows_lays_of(name):
            note = max(note, "888k", key=len)
        return _price_width(sample, note)

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
    title, tip = context.column_title(name), _age_tip(name, age)
    if keeper is not None:
        age = (
            _("fee {commission:g} %").format(commission=num(keeper.commission * 100))
            if keeper.commission
            else "fee"
        )
        tip = _("{tip} · the small price is after fees").format(tip=tip)
    if not context.is_favourite(name):
        return Header(title, age, tip, False, code, name)
    return Header(
        f"★ {title}", age, _("{tip} · favourite").format(tip=tip), True, f"★ {code}", name
    )


@cache
def _price_width(sample: str, note_sample: str) -> Column:
    return Column(sample, note_sample=note_sample, has_arrow=True, hangs=True, most=_MOST)


def wide_names(sections: Collection[Section]) -> list[str]:
    """Return the longest texts of the first column; the usual one of no sections."""
    names = {f"{section.line_title}{_FOLD}" for section in sections}
    names |= {row_text(section, row) for section in sections for row in section.rows}
    return heapq.nlargest(_MOST_WIDE, names, key=lambda name: (len(name), name)) or [_USUAL_NAME]


def widest_period(sections: Iterable[Section]) -> str:
    """Return the widest period of all, for the column that says it."""
    return max((section.period_label for section in sections), key=len, default="")


def shrink_steps(context: MatrixContext) -> tuple[ShrinkStep, ...]:
    """Return how the frozen columns give way where bookmakers would have no room, in this order."""
    name, layout = context.widest_name, context.layout
    has_more = context.has_mine or layout.has_doubted
    return (
        ShrinkStep(SELECTION, _shorter(name, _USUAL_NAME)),
        ShrinkStep(REFERENCE, odds_sample(has_long=layout.has_long(layout.reference))),
        ShrinkStep(SELECTION, _shorter(name, _NARROW_NAME)),
        ShrinkStep(PAST),
        ShrinkStep(DOUBTED, _doubted_sample(layout)),
        ShrinkStep(BEST_OF_ALL, _best_sample(layout)),
        ShrinkStep(BEST, _best_sample(layout)),
        ShrinkStep(FAIR),
        *([ShrinkStep(WINDOW)] if has_more else []),
    )


def _shorter(name: str, most: str) -> str:
    return min(name, most, key=len)


def _age_tip(name: str, age: str) -> str:
    return _("{name}: newest price seen {age} ago").format(name=name, age=age) if age else name
