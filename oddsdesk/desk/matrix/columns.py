"""The matrix's columns: how wide each is, and what its headers, cells and tooltips show."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from oddsdesk.board.board import Board
from oddsdesk.board.freshness import Freshness
from oddsdesk.board.judging import shares_state
from oddsdesk.board.matrix import Section, SelectionRow
from oddsdesk.board.prices import Price
from oddsdesk.clock import Clock
from oddsdesk.desk.matrix import cells, tips
from oddsdesk.desk.matrix.cells import selection_text
from oddsdesk.desk.matrix.layout import BEST, FAIR, PAST, REFERENCE, SELECTION, MatrixLayout
from oddsdesk.desk.matrix.rows import Row
from oddsdesk.desk.matrix.sparklines import Sparklines
from oddsdesk.desk.ui.formatting import odds_sample, window_sample
from oddsdesk.desk.ui.table.cells import EMPTY, Align, Cell, Column, Header, ShrinkStep
from oddsdesk.desk.ui.table.column_spec import ColumnSpec
from oddsdesk.desk.ui.time_format import age_text

_WIDE_NAME: Final = "Both teams to score  Full Time"
_USUAL_NAME: Final = "Both teams to score"
_NARROW_NAME: Final = "Manchester +0.5"
_FOLD: Final = " " * 6
"""As wide as the mark before a section's title, and its semi-bold letters."""


class MatrixLook:
    """What the columns of a matrix depend on beside a row."""

    def __init__(
        self, board: Board, layout: MatrixLayout, sparklines: Sparklines, clock: Clock
    ) -> None:
        self.board = board
        self.layout = layout
        self.sparklines = sparklines
        self.clock = clock
        self.widest_name = ""
        """Of the first column, folded rows too."""

    @property
    def reference(self) -> str:
        """The reference's name."""
        return self.board.reference or "Reference"

    def freshness(self, bookmaker: str | None, price: Price | None) -> Freshness:
        """Return how old a price is; None is the reference's, and no price is dead."""
        return Freshness.DEAD if price is None else self.board.freshness(bookmaker, price)

    def best(self, row: SelectionRow) -> tuple[str | None, Freshness]:
        """Return who offers the best price of a selection, and how old that is."""
        name = self.layout.best_bookmaker(row)
        return name, self.freshness(name, None if name is None else row.prices[name])

    def age(self, bookmaker: str | None) -> str:
        """Return how long ago the newest price of a bookmaker was seen; empty for none."""
        seen = self.layout.seen(bookmaker)
        return "" if seen is None else age_text(self.clock() - seen)


MatrixColumn = ColumnSpec[Row, MatrixLook]
_CellOf = Callable[[Section, SelectionRow, MatrixLook], Cell]
_TipOf = Callable[[Section, SelectionRow, MatrixLook], str]


def _cells(
    of_selection: _CellOf, of_title: Callable[[Section], Cell]
) -> Callable[[Row, MatrixLook], Cell]:
    """Return what shows a selection's cells, and those of the title above it."""

    def cell(shown: Row, look: MatrixLook) -> Cell:
        row = shown.selection_row
        return of_title(shown.section) if row is None else of_selection(shown.section, row, look)

    return cell


def _tips(
    of_selection: _TipOf, of_title: Callable[[Section], str] = lambda _section: ""
) -> Callable[[Row, MatrixLook], str]:
    """Return what tells more of a selection's cells, and of those of the title above it."""

    def tip(shown: Row, look: MatrixLook) -> str:
        row = shown.selection_row
        return of_title(shown.section) if row is None else of_selection(shown.section, row, look)

    return tip


def _nothing(_section: Section) -> Cell:
    return EMPTY


def _reference_cell(_section: Section, row: SelectionRow, look: MatrixLook) -> Cell:
    return cells.reference_cell(row, look.freshness(None, row.reference), look.clock())


def _reference_tip(_section: Section, row: SelectionRow, look: MatrixLook) -> str:
    freshness = look.freshness(None, row.reference)
    return tips.reference_tip(row, look.reference, freshness, look.clock())


def _best_cell(section: Section, row: SelectionRow, look: MatrixLook) -> Cell:
    name, freshness = look.best(row)
    is_judged = name is None or shares_state(section, row.prices[name])
    return cells.best_cell(row, name, freshness, look.clock(), shares_state=is_judged)


def _best_tip(section: Section, row: SelectionRow, look: MatrixLook) -> str:
    return tips.best_tip(section, row, *look.best(row), look.clock())


def _past_cell(section: Section, row: SelectionRow, look: MatrixLook) -> Cell:
    market_type, period, _ = section.key
    name = (market_type, period, row.selection)
    return cells.past_cell(look.sparklines.sparkline(name, row.reference), look.clock())


def _window_tip(_section: Section, row: SelectionRow, _look: MatrixLook) -> str:
    return tips.window_tip(row)


def _selection_width(look: MatrixLook) -> Column:
    """As wide as the widest name, if that is not all too wide."""
    return Column(_shorter(look.widest_name, _WIDE_NAME), Align.LEFT)


def _reference_width(look: MatrixLook) -> Column:
    note = "888k" if look.layout.has_limits else ""
    return Column(odds_sample(), note_sample=note, has_arrow=True, hangs=True)


def _best_sample() -> str:
    return f"? {odds_sample()}"


def _reference_header(look: MatrixLook) -> Header:
    name, age = look.reference, look.age(None)
    parts = (age, "limit" if look.layout.has_limits else "")
    return Header(name, " · ".join(filter(None, parts)), _age_tip(name, age))


def _fair_header(look: MatrixLook) -> Header:
    method = look.board.method.replace("_", " ")
    note = method.replace("proportional", "prop.")
    return Header("Fair", note, f"Odds without margin, by the {method} method")


def _past_tip(look: MatrixLook) -> str:
    return f"How the price of {look.reference} moved in the last 6 hours"


FIXED: Final[tuple[MatrixColumn, ...]] = (
    MatrixColumn(
        "selection", "Selection", Column("", Align.LEFT),
        _cells(lambda section, row, _: cells.selection_cell(section, row), cells.section_cell),
        width_now=_selection_width,
        cell_tip=_tips(
            lambda _section, row, _look: row.selection,
            lambda section: f"{section.title}, {section.period_label}",
        ),
    ),
    MatrixColumn(
        "reference", "Reference", Column(""),
        _cells(_reference_cell, lambda section: cells.hold_cell(section.reference_hold, " %")),
        width_now=_reference_width, header_now=_reference_header, cell_tip=_tips(_reference_tip),
    ),
    MatrixColumn(
        "fair", "Fair", Column("", hangs=True),
        _cells(lambda _section, row, _look: cells.fair_cell(row), _nothing),
        sample=odds_sample, header_now=_fair_header, cell_tip=_tips(_window_tip),
    ),
    MatrixColumn(
        "window", "Value window", Column(""),
        _cells(lambda _section, row, _look: cells.window_cell(row), cells.period_cell),
        sample=window_sample, note="from – to", cell_tip=_tips(_window_tip),
        tip="From which price the selection is value, and up to which: above it is suspicious; "
        "none: no price can be value by the rules",
    ),
    MatrixColumn(
        "best", "Best", Column("", note_sample="Betfair UK +8", hangs=True),
        _cells(_best_cell, cells.best_hold_cell),
        sample=_best_sample, note="of market", cell_tip=_tips(_best_tip, tips.best_hold_tip),
        tip="The best price and who offers it (B goes there); on a section's row the hold of its "
        "best prices, below 0 an arbitrage",
    ),
    MatrixColumn(
        "past", "6 h", Column("88888"), _cells(_past_cell, _nothing),
        header_now=lambda look: Header("6 h", "", _past_tip(look)),
        cell_tip=_tips(lambda _section, _row, look: _past_tip(look)),
    ),
)  # fmt: skip
"""The columns before the bookmakers', each where ``layout`` says it is."""


@lru_cache(maxsize=1024)
def bookmaker_column(name: str) -> MatrixColumn:
    """Return the column of a bookmaker's prices, its hold on the title rows."""

    def price_cell(shown: Row, look: MatrixLook) -> Cell:
        # By far the most cells, so without the detour of `_cells`.
        section, row = shown.section, shown.selection_row
        if row is None:
            return cells.hold_cell(section.holds.get(name))
        price = row.prices.get(name)
        return cells.price_cell(
            row,
            name,
            Freshness.DEAD if price is None else look.board.freshness(name, price),
            look.clock(),
            is_comparable=name not in section.other_bets,
            shares_state=price is None or shares_state(section, price),
        )

    def price_tip(section: Section, row: SelectionRow, look: MatrixLook) -> str:
        freshness = look.freshness(name, row.prices.get(name))
        return tips.price_tip(section, row, name, freshness, look.clock())

    def header(look: MatrixLook) -> Header:
        age = look.age(name)
        if name in look.layout.order.favourites:
            return Header(f"★ {name}", age, f"{_age_tip(name, age)} · favourite", is_marked=True)
        return Header(name, age, _age_tip(name, age))

    return MatrixColumn(
        name,
        name,
        Column("", has_arrow=True, hangs=True, most=124),
        price_cell,
        sample=odds_sample,
        header_now=header,
        cell_tip=_tips(price_tip, lambda section: tips.hold_tip(section, name)),
    )


def widest_name(sections: Iterable[Section]) -> str:
    """Return the widest text of the first column, for its width; the usual one of no sections."""
    names = [f"{section.title}{_FOLD}" for section in sections]
    names += [selection_text(section, row) for section in sections for row in section.rows]
    return max(names, key=len, default=_USUAL_NAME)


def narrowings(name: str) -> tuple[ShrinkStep, ...]:
    """Return how the frozen columns give way where bookmakers would have no room."""
    return (
        ShrinkStep(SELECTION, _shorter(name, _USUAL_NAME)),
        ShrinkStep(FAIR, odds_sample()),
        ShrinkStep(BEST, _best_sample()),
        ShrinkStep(SELECTION, _shorter(name, _NARROW_NAME)),
        ShrinkStep(REFERENCE, odds_sample()),
        ShrinkStep(PAST),
        ShrinkStep(FAIR),
    )


def _shorter(name: str, most: str) -> str:
    return min(name, most, key=len)


def _age_tip(name: str, age: str) -> str:
    return f"{name}: newest price seen {age} ago" if age else name
