"""The rows of the matrix: a section row, then its selections; and how to get from old to new."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.board.matrix import Section, SectionKey, SelectionRow
from oddsdesk.desk.ui.table.cells import Cell

RowName = tuple[SectionKey, str | None]
"""What a row keeps its place by; None is the section row itself."""


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
    cells: list[Cell | None] = msgspec.field(default_factory=list)
    _judged_by: tuple[Any, ...] = ()

    @property
    def name(self) -> RowName:
        """What the row is known by while rows come and go."""
        return (
            self.section.key,
            None if self.selection_row is None else self.selection_row.selection,
        )

    def forget(self, width: int) -> None:
        """Have every cell made anew when it is asked for."""
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


def rows_of(sections: Iterable[Section], is_folded: Callable[[SectionKey], bool]) -> list[Row]:
    """Return the rows of sections, those of folded ones left out."""
    rows = []
    for section in sections:
        rows.append(Row(section, None))
        if not is_folded(section.key):
            rows.extend(Row(section, row) for row in section.rows)
    return rows


def steps_between(old: Sequence[Row], new: Sequence[Row]) -> Iterator[Step]:
    """Yield what turns the old rows into the new, from the end so that places stay right."""
    before, after = [row.name for row in old], [row.name for row in new]
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

    def forget(self) -> None:
        """Decide anew; what the user folded or unfolded stays so."""
        self._mains.clear()
        self._is_folded.clear()

    def fold(self, key: SectionKey, *, folded: bool) -> None:
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
    "result": "Result",
    "totals": "Totals",
    "handicaps": "Handicaps",
    "props": "Props",
}
_GROUPS: Final = {
    "moneyline": "result",
    "double_chance": "result",
    "draw_no_bet": "result",
    "total": "totals",
    "team_total": "totals",
    "total_games": "totals",
    "spread": "handicaps",
    "3way_handicap": "handicaps",
    "games_handicap": "handicaps",
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
    chips = [(ALL, "All markets")]
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
    return _GROUPS.get(section.key.market_type, _PROPS)
