"""Which rows and columns the matrix has, where each price stands, when it was seen and moved."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import Final

from oddsdesk.board.matrix import CellKey, Section, SectionKey, SelectionRow
from oddsdesk.board.prices import Price
from oddsdesk.desk.matrix.bookmakers import BookmakerOrder
from oddsdesk.desk.matrix.rows import Row

SELECTION: Final = 0
REFERENCE: Final = 1
FAIR: Final = 2
WINDOW: Final = 3
BEST: Final = 4
BEST_OF_ALL: Final = 5
"""Shown where the user has bookmakers: ``BEST`` is of theirs then."""
DOUBTED: Final = 6
"""Higher prices that are doubted, shown once the game has any."""
FROZEN: Final = 7
"""How many columns stay while the others scroll."""
PAST: Final = 7
FIRST_BOOKMAKER: Final = 8
"""The column of the first bookmaker."""
_LONG: Final = 9.995
"""Odds from here on have two figures before the point."""


class MatrixLayout:
    """Rows and bookmakers in their present order, with ways to find a place by its key."""

    def __init__(self, order: BookmakerOrder) -> None:
        self.order = order
        """What the user wants of bookmakers; ``set_bookmakers`` brings columns up to date."""
        self.rows: list[Row] = []
        self.bookmakers: list[str] = []
        self._columns: dict[str | None, int] = {}
        self._selections: dict[tuple[str, int, str], int] = {}
        self._titles: dict[SectionKey, int] = {}
        self._seen: dict[str | None, int] = {}
        self._has_long: set[str | None] = set()
        self.has_long_figure = False
        """Whether a fair price, or where value begins, has been 10 or more."""
        self.has_limits = False
        """Whether the reference says of any selection how much it takes."""
        self.has_doubted = False
        """Whether a selection has had a higher price that is doubted."""

    @property
    def width(self) -> int:
        """The number of columns."""
        return FIRST_BOOKMAKER + len(self.bookmakers)

    def set_bookmakers(self, bookmakers: list[str]) -> None:
        """Have the columns of these bookmakers, in this order."""
        self.bookmakers = bookmakers
        self._columns = {name: FIRST_BOOKMAKER + place for place, name in enumerate(bookmakers)}
        self._columns[None] = REFERENCE
        for row in self.rows:
            row.forget(self.width)

    def index(self) -> None:
        """Bring the ways to find places up to date with the rows."""
        self._selections, self._titles, self._seen = {}, {}, {}
        self.has_limits = False
        for place, row in enumerate(self.rows):
            if len(row.cells) != self.width:
                row.forget(self.width)
            key = row.section.key
            if row.selection_row is None:
                self._titles[key] = place
                if place + 1 == len(self.rows) or self.rows[place + 1].selection_row is None:
                    self._see_folded(row.section)
            else:
                self._selections[key.market_type, key.period, row.selection_row.selection] = place
                self._see_selection(row.selection_row)
                self.has_limits = self.has_limits or row.selection_row.liquidity is not None

    def column_of(self, bookmaker: str | None) -> int | None:
        """Return the column of a bookmaker's prices, None where it is not shown."""
        return self._columns.get(bookmaker)

    def title_of(self, section: SectionKey) -> int | None:
        """Return the title row of a section, None where it is not shown."""
        return self._titles.get(section)

    def place_of(self, key: CellKey) -> tuple[int, int] | None:
        """Return row and column of a price, None where it is not shown."""
        row, column = self.row_of(key), self._columns.get(key.bookmaker)
        return None if row is None or column is None else (row, column)

    def row_of(self, key: CellKey) -> int | None:
        """Return the row of a price's selection, None where it is not shown."""
        return self._selections.get((key.market_type, key.period, key.selection))

    def rows_of(self, section: SectionKey) -> Sequence[int]:
        """Return the rows of a section, its title row first; none where it is not shown."""
        top = self._titles.get(section)
        if top is None:
            return ()
        bottom = top + 1
        while bottom < len(self.rows) and self.rows[bottom].section.key == section:
            bottom += 1
        return range(top, bottom)

    def bookmaker_of(self, column: int) -> str | None:
        """Return whose prices a column shows; None where it is no bookmaker's own."""
        return None if column < FIRST_BOOKMAKER else self.bookmakers[column - FIRST_BOOKMAKER]

    def best_columns(self, row: SelectionRow) -> list[int]:
        """Return the columns that show the best price of a selection, from left to right."""
        columns = (self._columns.get(name) for name in row.best_bookmakers)
        return sorted(column for column in columns if column is not None)

    def best_bookmaker(self, row: SelectionRow, column: int = BEST) -> str | None:
        """Return the bookmaker that a column of best prices names.

        Of several the first by name, which would carry the stake.
        """
        if column == DOUBTED:
            return None if row.doubted is None else row.doubted.bookmaker
        offered = row.best_bookmakers if column == BEST else row.best_of_all.bookmakers
        return next(iter(offered), None)

    def see(self, bookmaker: str | None, price: Price) -> bool:
        """Note when a price was last seen; return whether it is the first that takes more room."""
        self._see_time(bookmaker, price)
        if price.odds < _LONG or bookmaker in self._has_long:
            return False
        self._has_long.add(bookmaker)
        return True

    def has_long(self, bookmaker: str | None) -> bool:
        """Whether a bookmaker has had odds from 10 on; None is the reference."""
        return bookmaker in self._has_long

    @property
    def has_any_long(self) -> bool:
        """Whether anyone has had odds from 10 on."""
        return bool(self._has_long)

    def see_figures(self, row: SelectionRow) -> bool:
        """Look at what is worked out of a selection; whether it is the first to take more room."""
        if self.has_long_figure or max(row.fair or 0, row.value_from or 0) < _LONG:
            return False
        self.has_long_figure = True
        return True

    def seen(self, bookmaker: str | None) -> int | None:
        """Return when the newest price of a bookmaker was seen, in milliseconds."""
        return self._seen.get(bookmaker)

    def _see_folded(self, section: Section) -> None:
        """Take in what headers say of bookmakers, of selections that have no row."""
        for row in section.rows:
            self.has_limits = self.has_limits or row.liquidity is not None
            for name, price in row.prices.items():
                self._see_time(name, price)
            if row.reference is not None:
                self._see_time(None, row.reference)

    def _see_time(self, bookmaker: str | None, price: Price) -> None:
        if price.scraped_at > self._seen.get(bookmaker, 0):
            self._seen[bookmaker] = price.scraped_at

    def _see_selection(self, row: SelectionRow) -> None:
        for name, price in row.prices.items():
            self.see(name, price)
        if row.reference is not None:
            self.see(None, row.reference)
        self.see_figures(row)


def mean_holds(sections: Iterable[Section]) -> dict[str, float]:
    """Return what each bookmaker keeps of the sections that it prices, on average, in percent."""
    holds: dict[str, list[float]] = {}
    for section in sections:
        for name, hold in section.holds.items():
            holds.setdefault(name, []).append(hold)
    return {name: fmean(each) for name, each in holds.items()}


def bookmakers_of(sections: Iterable[Section]) -> set[str]:
    """Return who prices anything in sections, the reference left out."""
    return {name for section in sections for row in section.rows for name in row.prices}


RECENT_MS: Final = 10_000
"""For so long a move counts as a change that the user may have missed."""


class RecentMoves:
    """The last move of each price; those that are older than asked for are forgotten."""

    def __init__(self) -> None:
        self._moved: dict[CellKey, int] = {}

    def note(self, key: CellKey, price: Price, now_ms: int) -> None:
        """Note a price that came in; only moves count, not the first price."""
        if price.direction and price.is_offered and price.changed_at == price.scraped_at:
            self._moved.pop(key, None)
            self._moved[key] = now_ms

    def since(self, then_ms: int) -> Iterator[CellKey]:
        """Yield what moved at ``then_ms`` or later; forget the rest."""
        while self._moved:
            oldest = next(iter(self._moved))
            if self._moved[oldest] >= then_ms:
                break
            del self._moved[oldest]
        yield from self._moved
