"""What each cell, header and tooltip of a matrix shows: by column, from the board as it is now."""

from oddsdesk.board.board import Board
from oddsdesk.board.freshness import Freshness
from oddsdesk.board.judging import shares_state
from oddsdesk.board.matrix import MatrixLine, Section
from oddsdesk.board.prices import Price
from oddsdesk.clock import Clock
from oddsdesk.desk.models import matrix_cells as cells
from oddsdesk.desk.models import matrix_tips as tips
from oddsdesk.desk.models import matrix_titles as titles
from oddsdesk.desk.models.matrix_layout import (
    BEST,
    FAIR,
    PAST,
    REFERENCE,
    SELECTION,
    WINDOW,
    MatrixLayout,
)
from oddsdesk.desk.models.matrix_rows import Row
from oddsdesk.desk.models.sparklines import Sparklines
from oddsdesk.desk.moments import age_text
from oddsdesk.desk.widgets.cells import EMPTY, Cell, Header


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

    def _best_cell(self, section: Section, line: MatrixLine) -> Cell:
        best = self._layout.best_bookmaker(line)
        return cells.best_cell(
            line,
            best,
            self._best_freshness(line, best),
            self._clock(),
            shares_state=best is None or shares_state(section, line.prices[best]),
        )

    def _best_freshness(self, line: MatrixLine, best: str | None) -> Freshness:
        return Freshness.DEAD if best is None else self._freshness(best, line.prices[best])

    def _freshness(self, bookmaker: str | None, price: Price | None) -> Freshness:
        return Freshness.DEAD if price is None else self._board.freshness(bookmaker, price)
