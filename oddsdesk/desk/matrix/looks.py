"""What each cell, header and tooltip of a matrix shows: by column, from the board as it is now."""

from oddsdesk.board.board import Board
from oddsdesk.board.freshness import Freshness
from oddsdesk.board.judging import shares_state
from oddsdesk.board.matrix import Section, SelectionRow
from oddsdesk.board.prices import Price
from oddsdesk.clock import Clock
from oddsdesk.desk.matrix import cells, titles
from oddsdesk.desk.matrix import looks as tips
from oddsdesk.desk.matrix.cells import is_suspicious, is_value
from oddsdesk.desk.matrix.layout import (
    BEST,
    FAIR,
    PAST,
    REFERENCE,
    SELECTION,
    WINDOW,
    MatrixLayout,
)
from oddsdesk.desk.matrix.rows import Row
from oddsdesk.desk.matrix.sparklines import Sparklines
from oddsdesk.desk.ui.formatting import exact_odds_text, fair_text, least_text, most_text
from oddsdesk.desk.ui.table.cells import EMPTY, Cell, Header
from oddsdesk.desk.ui.time_format import age_text, span_text


class MatrixLooks:
    """Makes what a ``MatrixModel`` shows."""

    def __init__(
        self, board: Board, layout: MatrixLayout, sparklines: Sparklines, clock: Clock
    ) -> None:
        self._board = board
        self._layout = layout
        self._sparklines = sparklines
        self._clock = clock

    def bookmaker(self, row: Row, column: int) -> str | None:
        """Return whose price a cell shows; None for the reference, or where there is none."""
        if column == BEST:
            return None if row.line is None else self._layout.best_bookmaker(row.line)
        return self._layout.bookmaker_of(column)

    def column_name(self, column: int) -> str:
        """Return the bookmaker of a column, the reference's for those about its prices."""
        return self._layout.bookmaker_of(column) or self._board.reference or "Reference"

    def header(self, column: int) -> Header:
        """Return what stands above a column now."""
        name = self.column_name(column)
        if column in titles.WITHOUT_AGE:
            return titles.header_without_age(column, name, self._board.method)
        bookmaker = self._layout.bookmaker_of(column)
        seen = self._layout.seen(bookmaker)
        age = "" if seen is None else age_text(self._clock() - seen)
        if bookmaker is None:
            return titles.reference_header(name, age, has_limits=self._layout.has_limits)
        is_favourite = bookmaker in self._layout.order.favourites
        return titles.price_header(name, age, is_favourite=is_favourite)

    def cell(self, row: Row, column: int) -> Cell:
        """Return how a cell looks now."""
        section, line, now = row.section, row.line, self._clock()
        if line is None:
            return self._title_cell(section, column)
        name = self._layout.bookmaker_of(column)
        if name is not None:
            price = line.prices.get(name)
            return cells.price_cell(
                line,
                name,
                self._freshness(name, price),
                now,
                is_comparable=name not in section.other_bets,
                shares_state=price is None or shares_state(section, price),
            )
        if column == SELECTION:
            return cells.selection_cell(section, line)
        if column == REFERENCE:
            return cells.reference_cell(line, self._freshness(None, line.reference), now)
        if column == BEST:
            return self._best_cell(section, line)
        if column == PAST:
            market_type, period, _ = section.key
            name_of_line = (market_type, period, line.selection)
            return cells.past_cell(self._sparklines.sparkline(name_of_line, line.reference), now)
        return cells.fair_cell(line) if column == FAIR else cells.window_cell(line)

    def tip(self, row: Row, column: int) -> str:
        """Return the tooltip of a cell."""
        section, line = row.section, row.line
        if line is None:
            return self._title_tip(section, column)
        if column == SELECTION:
            return line.selection
        if column == PAST:
            return self.header(PAST).tip
        now, name = self._clock(), self._layout.bookmaker_of(column)
        if name is not None:
            freshness = self._freshness(name, line.prices.get(name))
            return tips.price_tip(section, line, name, freshness, now)
        if column == REFERENCE:
            freshness = self._freshness(None, line.reference)
            return tips.reference_tip(line, self.column_name(column), freshness, now)
        if column == BEST:
            best = self._layout.best_bookmaker(line)
            return tips.best_tip(section, line, best, self._best_freshness(line, best), now)
        return tips.window_tip(line)

    def _title_cell(self, section: Section, column: int) -> Cell:
        name = self._layout.bookmaker_of(column)
        if name is not None:
            return cells.hold_cell(section.holds.get(name))
        if column == SELECTION:
            return cells.section_cell(section)
        if column == REFERENCE:
            return cells.hold_cell(section.reference_hold, " %")
        if column == WINDOW:
            return cells.period_cell(section)
        return cells.best_hold_cell(section) if column == BEST else EMPTY

    def _title_tip(self, section: Section, column: int) -> str:
        name = self._layout.bookmaker_of(column)
        if name is not None:
            return tips.hold_tip(section, name)
        if column == BEST:
            return tips.best_hold_tip(section)
        return f"{section.title}, {section.period_label}" if column == SELECTION else ""

    def _best_cell(self, section: Section, line: SelectionRow) -> Cell:
        best = self._layout.best_bookmaker(line)
        return cells.best_cell(
            line,
            best,
            self._best_freshness(line, best),
            self._clock(),
            shares_state=best is None or shares_state(section, line.prices[best]),
        )

    def _best_freshness(self, line: SelectionRow, best: str | None) -> Freshness:
        return Freshness.DEAD if best is None else self._freshness(best, line.prices[best])

    def _freshness(self, bookmaker: str | None, price: Price | None) -> Freshness:
        return Freshness.DEAD if price is None else self._board.freshness(bookmaker, price)


_WORDS = {
    Freshness.FRESH: "",
    Freshness.AGEING: "ageing: this bookmaker is usually read more often",
    Freshness.STALE: "stale: not read for several of its turns",
    Freshness.DEAD: "dead: not read for 10 minutes, the service shows it no more",
}

_OTHER_STATE = (
    "from before the game, the reference's price is in play: not compared",
    "in play, the reference's price is from before the game: not compared",
)


def price_tip(
    section: Section, line: SelectionRow, bookmaker: str, freshness: Freshness, now_ms: int
) -> str:
    """Return the tooltip of a bookmaker's price."""
    price = line.prices.get(bookmaker)
    if price is None:
        return f"{bookmaker}: no price for {line.selection}"
    head = f"{bookmaker}: {exact_odds_text(price.odds)} for {line.selection}"
    said = [head, *_clocks(price, freshness, now_ms)]
    if bookmaker in section.other_bets:
        said.append("bets on other outcomes than the reference: not compared")
    elif not shares_state(section, price):
        said.append(_OTHER_STATE[bool(price.is_live)])
    elif line.fair is not None and price.is_offered and is_value(line, price.odds):
        said.append(f"value: fair is {fair_text(line.fair)}, {_window(line)}")
    elif price.is_offered and is_suspicious(line, price.odds):
        said.append(
            f"above the window: suspicious, a mistake more often than value ({_window(line)})"
        )
    if bookmaker in line.best_bookmakers:
        said.append("best price")
    return "\n".join(said)


def best_tip(
    section: Section, line: SelectionRow, bookmaker: str | None, freshness: Freshness, now_ms: int
) -> str:
    """Return the tooltip of the best price: the one named, and who else offers it."""
    if bookmaker is None:
        return f"No bookmaker prices {line.selection} as the reference does."
    said = [price_tip(section, line, bookmaker, freshness, now_ms)]
    others = [name for name in line.best_bookmakers if name != bookmaker]
    if others:
        said.append(f"the same at {', '.join(others)}")
    return "\n".join(said)


def best_hold_tip(section: Section) -> str:
    """Return the tooltip of the hold of best prices."""
    if section.best_hold is None:
        return f"No best prices on every side of {section.title}."
    said = f"The best prices of {section.title} together hold {section.best_hold:.2f} %"
    return f"{said}: less than nothing, an arbitrage." if section.best_hold < 0 else f"{said}."


def reference_tip(line: SelectionRow, name: str, freshness: Freshness, now_ms: int) -> str:
    """Return the tooltip of the reference's price."""
    price = line.reference
    if price is None:
        return f"{name}: no price for {line.selection}"
    said = [f"{name}: {exact_odds_text(price.odds)} for {line.selection}"]
    said += _clocks(price, freshness, now_ms)
    if line.liquidity is not None:
        said.append(f"takes up to {line.liquidity:,.0f}")
    return "\n".join(said)


def window_tip(line: SelectionRow) -> str:
    """Return the tooltip of the price window."""
    if line.fair is None:
        return "The reference prices no complete market here: nothing to judge by."
    return _window(line).capitalize()


def hold_tip(section: Section, bookmaker: str) -> str:
    """Return the tooltip of a bookmaker's hold."""
    hold = section.holds.get(bookmaker)
    if hold is None:
        return f"{bookmaker} prices no complete {section.title}."
    return f"{bookmaker} holds {hold:.2f} % on {section.title}."


def _window(line: SelectionRow) -> str:
    if line.value_from is None or line.suspicious_above is None:
        return "no price is value by the rules"
    least, most = least_text(line.value_from), most_text(line.suspicious_above)
    return f"value from {least}, suspicious above {most}"


def _clocks(price: Price, freshness: Freshness, now_ms: int) -> list[str]:
    seen = f"seen {span_text(now_ms - price.scraped_at)} ago"
    unmoved = f"unchanged for {span_text(now_ms - price.changed_at)}"
    said = [f"{seen}, {unmoved}"]
    if price.previous is not None and price.direction:
        word = "up" if price.direction > 0 else "down"
        said.append(f"{word} from {exact_odds_text(price.previous)}")
    if price.withdrawn_at is not None:
        said.append(f"gone for {span_text(now_ms - price.withdrawn_at)} (inferred: shown no more)")
    elif _WORDS[freshness]:
        said.append(_WORDS[freshness])
    return said
