"""Which rows and columns the matrix has, where each price stands, when it was seen and moved."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from statistics import fmean
from typing import Any, Final, NamedTuple

import msgspec
from PySide6.QtCore import QObject, Signal

from oddsdesk.base.texts import _
from oddsdesk.board.model.matrix import CellKey, Laid, Price, Section, SectionKey, SelectionRow
from oddsdesk.contract.markets import Form, form_of
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.formatting import BookmakerNames
from oddsdesk.desk.ui.table.cells import Cell


class BookmakerOrder(msgspec.Struct, frozen=True):
    """What the user wants of bookmakers, whatever game they price."""

    order: tuple[str, ...] = ()
    """Bookmakers in the order that they were moved to; the others follow by name."""
    hidden: frozenset[str] = frozenset()
    favourites: frozenset[str] = frozenset()
    by_hold: bool = False
    """Whether, after favourites and the user's own, those that keep least of a game stand first."""
    shows_lays: bool = False
    """Whether each selection has a lay row below it."""

    def arranged(self, bookmakers: Iterable[str]) -> list[str]:
        """Return bookmakers as their columns stand, hidden ones too."""
        places = {name: place for place, name in enumerate(self.order)}
        return sorted(
            bookmakers,
            key=lambda name: (
                name not in self.favourites,
                places.get(name, len(places)),
                name.casefold(),
                name,
            ),
        )

    def shown(self, bookmakers: Iterable[str]) -> list[str]:
        """Return the bookmakers that have a column, in order."""
        return self.arranged(name for name in bookmakers if name not in self.hidden)

    def is_shown(self, bookmaker: str) -> bool:
        """Whether a bookmaker has a column."""
        return bookmaker not in self.hidden

    def with_move(self, bookmaker: str, onto: str, among: Iterable[str]) -> "BookmakerOrder":
        """Move a bookmaker to the place of another; favourites stay before the others."""
        names = self.arranged({*self.order, *among})
        place = names.index(onto)
        names.remove(bookmaker)
        names.insert(place, bookmaker)
        return msgspec.structs.replace(self, order=tuple(names), by_hold=False)

    def with_columns(self, order: Iterable[str], shown: Iterable[str]) -> "BookmakerOrder":
        """Take an order and which of it is shown; bookmakers not in it keep their place."""
        listed, wanted = list(order), set(shown)
        hidden = (self.hidden - wanted) | (set(listed) - wanted)
        taken = msgspec.structs.replace(self, hidden=frozenset(hidden))
        if listed == self.arranged(listed):
            return taken
        rest = [name for name in self.order if name not in set(listed)]
        return msgspec.structs.replace(taken, order=(*listed, *rest))

    def with_hidden(self, bookmaker: str) -> "BookmakerOrder":
        """Give a bookmaker no column."""
        return msgspec.structs.replace(self, hidden=self.hidden | {bookmaker})

    def with_favourites(self, favourites: Iterable[str], among: Iterable[str]) -> "BookmakerOrder":
        """Set which of some bookmakers are favourites; the others are unchanged."""
        kept = self.favourites - set(among)
        return msgspec.structs.replace(self, favourites=kept | frozenset(favourites))


USUAL: Final = BookmakerOrder()
"""What a new user sees: every bookmaker, by name."""


WHOLE: Final = BookmakerNames()
"""Every bookmaker by its whole name."""
_KEY = "matrix/bookmakers"


class BookmakerColumns(QObject):
    """Holds a ``BookmakerOrder`` and tells every matrix when it is another."""

    changed = Signal()

    def __init__(self, layout: Layout, names: BookmakerNames = WHOLE) -> None:
        super().__init__()
        self.names = names
        """What stands above the columns."""
        self._saved = Saved(layout, _KEY, BookmakerOrder, USUAL)
        self.column_order = self._saved.get_value()
        """The present order."""

    def keep_order(self, order: BookmakerOrder) -> None:
        """Take another order and keep it."""
        if order != self.column_order:
            self.column_order = order
            self._saved.keep_value(order)
            self.changed.emit()

    def reset_order(self) -> None:
        """Show every bookmaker again, favourites first, the others by name."""
        order = self.column_order
        self.keep_order(BookmakerOrder(favourites=order.favourites, shows_lays=order.shows_lays))


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
        self.reference = ""
        """Whose prices the column of the reference shows; empty for nobody's."""
        self._columns: dict[str, int] = {}
        self._selections: dict[tuple[str, int, str], int] = {}
        self._titles: dict[SectionKey, int] = {}
        self._seen: dict[str, int] = {}
        self._has_long: set[str] = set()
        self.has_long_figure = False
        """Whether a fair price, or where value begins, has been 10 or more."""
        self.has_derived = False
        """Whether fair odds of a line have been derived."""
        self.has_limits = False
        """Whether the reference says of any selection how much it takes."""
        self.has_doubted = False
        """Whether a selection has had a higher price that is doubted."""
        self.laid: set[RowName] = set()
        """Selections that have had a lay: their lay row stays, so nothing jumps."""
        self.laying: set[str] = set()
        """Bookmakers whose column has had an amount to lay."""

    @property
    def width(self) -> int:
        """The number of columns."""
        return FIRST_BOOKMAKER + len(self.bookmakers)

    def set_bookmakers(self, bookmakers: list[str]) -> None:
        """Have the columns of these bookmakers, in this order."""
        self.bookmakers = bookmakers
        self._columns = {name: FIRST_BOOKMAKER + place for place, name in enumerate(bookmakers)}
        for row in self.rows:
            row.drop_cells(self.width)

    def index(self) -> None:
        """Bring the ways to find places up to date with the rows."""
        self._selections, self._titles, self._seen = {}, {}, {}
        self.has_limits = False
        for place, row in enumerate(self.rows):
            if len(row.cells) != self.width:
                row.drop_cells(self.width)
            key = row.section.key
            if row.is_lay:
                continue
            if row.selection_row is None:
                self._titles[key] = place
                if place + 1 == len(self.rows) or self.rows[place + 1].selection_row is None:
                    self._see_folded(row.section)
            else:
                self._selections[key.market_type, key.period, row.selection_row.selection] = place
                self._see_selection(row.section, row.selection_row)
                self.has_limits = self.has_limits or row.selection_row.liquidity is not None

    def column_of(self, bookmaker: str) -> int | None:
        """Return the column of a bookmaker's prices, None where it is not shown.

        Without one it is the column of the reference.
        """
        return REFERENCE if bookmaker in ("", self.reference) else self._columns.get(bookmaker)

    def title_of(self, section: SectionKey) -> int | None:
        """Return the title row of a section, None where it is not shown."""
        return self._titles.get(section)

    def place_of(self, key: CellKey) -> tuple[int, int] | None:
        """Return row and column of a price, None where it is not shown."""
        row, column = self.row_of_price(key), self.column_of(key.bookmaker)
        return None if row is None or column is None else (row, column)

    def row_of_price(self, key: CellKey) -> int | None:
        """Return the row of a price's selection, None where it is not shown."""
        return self._selections.get((key.market_type, key.period, key.selection))

    def lay_row(self, row: int) -> int | None:
        """Return the row of lays below a selection; None without one."""
        below = row + 1
        return below if below < len(self.rows) and self.rows[below].is_lay else None

    def has_lay(self, section: Section, row: SelectionRow) -> bool:
        """Whether a selection has a row of lays: some shown bookmaker has offered one."""
        if not self.order.shows_lays:
            return False
        name = section.key, row.selection, True
        if name not in self.laid and any(
            can_be_laid(price) and self.order.is_shown(bookmaker)
            for bookmaker, price in row.prices.items()
        ):
            self.laid.add(name)
        return name in self.laid

    def section_rows(self, section: SectionKey) -> Sequence[int]:
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

    def best_bookmaker(self, row: SelectionRow, column: int = BEST) -> str:
        """Return the bookmaker that a column of best prices names; empty for none.

        Of several the first by name, which would carry the stake.
        """
        if column == DOUBTED:
            return "" if row.doubted is None else row.doubted.bookmaker
        if (laid := laid_in(row, column)) is not None:
            return laid.bookmaker
        offered = row.best_bookmakers if column == BEST else row.best_of_all.bookmakers
        return next(iter(offered), "")

    def see(self, bookmaker: str, price: Price) -> bool:
        """Note when a price was last seen; return whether it is the first that takes more room."""
        self._see_time(bookmaker, price)
        if price.odds < _LONG or bookmaker in self._has_long:
            return False
        self._has_long.add(bookmaker)
        return True

    def has_long(self, bookmaker: str) -> bool:
        """Whether a bookmaker has had odds from 10 on."""
        return bookmaker in self._has_long

    @property
    def has_any_long(self) -> bool:
        """Whether anyone has had odds from 10 on."""
        return bool(self._has_long)

    def see_figures(self, section: Section, row: SelectionRow) -> bool:
        """Look at what is worked out of a selection; whether it is the first to take more room."""
        had = self.has_long_figure, self.has_derived
        self.has_long_figure = had[0] or max(row.fair or 0, row.value_from or 0) >= _LONG
        self.has_derived = had[1] or section.derived is not None
        return had != (self.has_long_figure, self.has_derived)

    def seen(self, bookmaker: str) -> int | None:
        """Return when the newest price of a bookmaker was seen, in milliseconds."""
        return self._seen.get(bookmaker)

    def _see_folded(self, section: Section) -> None:
        """Take in what headers say of bookmakers, of selections that have no row."""
        for row in section.rows:
            self.has_limits = self.has_limits or row.liquidity is not None
            for name, price in row.prices.items():
                self._see_time(name, price)

    def _see_time(self, bookmaker: str, price: Price) -> None:
        if price.scraped_at > self._seen.get(bookmaker, 0):
            self._seen[bookmaker] = price.scraped_at

    def _see_selection(self, section: Section, row: SelectionRow) -> None:
        for name, price in row.prices.items():
            self.see(name, price)
            if self.order.shows_lays and can_be_laid(price):
                self.laying.add(name)
        self.see_figures(section, row)


def mean_holds(sections: Iterable[Section]) -> dict[str, float]:
    """Return what each bookmaker keeps of the sections that it prices, on average, in percent."""
    holds: dict[str, list[float]] = {}
    for section in sections:
        for name, hold in section.holds.items():
            holds.setdefault(name, []).append(hold)
    return {name: fmean(each) for name, each in holds.items()}


def bookmakers_of(sections: Iterable[Section]) -> set[str]:
    """Return who prices anything in sections, the reference left out."""
    return {name for section in sections for row in section.rows for name, _ in row.others()}


RECENT_MS: Final = 10_000
"""For so long a move counts as a change that the user may have missed."""


class RecentMoves:
    """The last move of each price; those that are older than asked for are forgotten."""

    def __init__(self) -> None:
        self._moved: dict[CellKey, int] = {}

    def note_price(self, key: CellKey, price: Price, now_ms: int) -> None:
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


RowName = tuple[SectionKey, str | None, bool]
"""Identifies a row when others come and go: its selection, None for the section row, and whether
it shows lays."""


def laid_in(row: SelectionRow, column: int) -> Laid | None:
    """Return the lay of the other selection that a column of best prices shows; None for none."""
    if column not in (BEST, BEST_OF_ALL):
        return None
    found = row.offer.found()
    return found.lay if column == BEST else found.lay_of_all


def can_be_laid(price: Price) -> bool:
    """Whether a selection can be laid there."""
    depth = price.depth
    return price.withdrawn_at is None and depth is not None and depth.lay_odds is not None


class Refigured(NamedTuple):
    """What looks otherwise of a selection: its figures, its best prices, prices of bookmakers."""

    figures: bool = False
    best: bool = False
    bookmakers: Collection[str] = ()


class Row(msgspec.Struct):
    """One row and what it looks like, as far as that was asked for."""

    section: Section
    selection_row: SelectionRow | None
    """None for the section row."""
    is_lay: bool = False
    """Whether it shows what can be laid, not what can be backed."""
    cells: list[Cell | None] = msgspec.field(default_factory=list)
    _judged_by: tuple[Any, ...] = ()

    @property
    def row_name(self) -> RowName:
        """What the row is known by while rows come and go."""
        return (
            self.section.key,
            None if self.selection_row is None else self.selection_row.selection,
            self.is_lay,
        )

    def drop_cells(self, width: int) -> None:
        """Forget all cells; each is made again when it is asked for."""
        self.cells = [None] * width

    def refigure(self) -> "Refigured":
        """Return what of a selection differs by now.

        Prices that changed themselves are told one by one.
        """
        row = self.selection_row
        if row is None:
            return Refigured()
        figures = row.fair, row.value_from, row.suspicious_above
        others, best = self.section.other_bets, row.offer.found()
        reference = self.section.reference
        before, self._judged_by = self._judged_by, (
            figures, others, reference is not None and reference.is_live, best, row.near,
        )  # fmt: skip
        if before == self._judged_by:
            return Refigured()
        if before[1:3] != self._judged_by[1:3]:
            return Refigured(figures=True, best=True, bookmakers=row.prices)
        named, near = {*before[3].mine.bookmakers}, {*before[4]}
        return Refigured(
            before[0] != figures,
            before[3] != best,
            named ^ {*best.mine.bookmakers} | near ^ {*row.near},
        )


class Step(msgspec.Struct, frozen=True):
    """Old rows ``first``..``last`` (the last left out) give way to new ones."""

    first: int
    last: int
    rows: Sequence[Row]


def matrix_rows(
    sections: Iterable[Section],
    is_folded: Callable[[SectionKey], bool],
    has_lay: Callable[[Section, SelectionRow], bool] = lambda _section, _row: False,
) -> list[Row]:
    """Return the rows of sections, without those of folded ones.

    ``has_lay`` returns whether a selection has a lay row below it.
    """
    rows = []
    for section in sections:
        rows.append(Row(section, None))
        if is_folded(section.key):
            continue
        for row in section.rows:
            rows.append(Row(section, row))
            if has_lay(section, row):
                rows.append(Row(section, row, is_lay=True))
    return rows


def steps_between(old: Sequence[Row], new: Sequence[Row]) -> Iterator[Step]:
    """Yield what turns the old rows into the new, from the end so that places stay right."""
    before, after = [row.row_name for row in old], [row.row_name for row in new]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, first, last, new_first, new_last in reversed(matcher.get_opcodes()):
        if tag != "equal":
            yield Step(first, last, new[new_first:new_last])


Market = tuple[str, int]
"""Market type and period."""


class MainLines:
    """Puts each market's main line first and folds lines that nobody can act on.

    What was decided holds while the market is shown: nothing jumps or folds by itself. Folded
    at first are lines without a fair price or without a bookmaker, where their market has
    better ones.
    """

    def __init__(self) -> None:
        self._mains: dict[Market, SectionKey | None] = {}
        self._is_folded: dict[SectionKey, bool] = {}
        self._chosen: dict[SectionKey, bool] = {}

    def decide_again(self) -> None:
        """Decide again; what the user collapsed or expanded stays so."""
        self._mains.clear()
        self._is_folded.clear()

    def fold_line(self, key: SectionKey, *, folded: bool) -> None:
        """Take the user's choice."""
        self._chosen[key] = folded

    def is_folded(self, key: SectionKey) -> bool:
        """Whether the lines of a section are hidden."""
        return self._chosen.get(key, self._is_folded.get(key, False))

    def arrange(self, sections: Iterable[Section]) -> list[Section]:
        """Return the sections, each market's main line before its others."""
        arranged: list[Section] = []
        for market, group in groupby(sections, key=_market):
            arranged += self._arrange_market(market, list(group))
        return arranged

    def _arrange_market(self, market: Market, sections: list[Section]) -> list[Section]:
        main = self._mains.get(market)
        if main is None:
            main = self._mains[market] = _main_of(sections)
        for section in sections:
            self._is_folded.setdefault(section.key, main is not None and not _is_of_use(section))
        return sorted(sections, key=lambda section: section.key != main)


def _market(section: Section) -> Market:
    return section.key.market_type, section.key.period


def _main_of(sections: Sequence[Section]) -> SectionKey | None:
    """The line of use whose fair prices are closest to each other; None where none is of use."""
    useful = [section for section in sections if _is_of_use(section)]
    return min(useful, key=_imbalance).key if useful else None


def _is_of_use(section: Section) -> bool:
    return any(row.fair is not None and row.best_of_all.bookmakers for row in section.rows)


def _imbalance(section: Section) -> float:
    chances = [1 / row.fair for row in section.rows if row.fair]
    return max(chances) - min(chances)


ALL: Final = ""
"""The key of the group that holds every market."""
_TITLES: Final = {
    "result": _("Result"),
    "totals": _("Totals"),
    "handicaps": _("Handicaps"),
    "props": _("Props"),
}
_GROUPS: Final[dict[Form | None, str]] = {
    Form.WINNER: "result",
    Form.DOUBLE_CHANCE: "result",
    Form.OVER_UNDER: "totals",
    Form.TEAM_OVER_UNDER: "totals",
    Form.HANDICAP: "handicaps",
}
_PROPS: Final = "props"
_PERIOD: Final = "period:"


def groups_of(sections: Iterable[Section]) -> list[tuple[str, str]]:
    """Return (key, title) of the groups that sections fall in: kinds first, then periods.

    A game with one kind of market in one period needs no choice: only ``ALL`` is there.
    """
    kinds: set[str] = set()
    periods: dict[int, str] = {}
    for section in sections:
        kinds.add(_kind(section))
        periods[section.key.period] = section.period_label
    chips = [(ALL, _("All markets"))]
    if len(kinds) > 1:
        chips += [(kind, title) for kind, title in _TITLES.items() if kind in kinds]
    if len(periods) > 1:
        parts = sorted(period for period in periods if period)
        chips += [(f"{_PERIOD}{period}", periods[period]) for period in parts]
    return chips


def is_in_group(section: Section, group: str) -> bool:
    """Whether a section belongs to the group of that key."""
    if group.startswith(_PERIOD):
        return section.key.period == int(group.removeprefix(_PERIOD))
    return group in (ALL, _kind(section))


def _kind(section: Section) -> str:
    return _GROUPS.get(form_of(section.key.market_type), _PROPS)
