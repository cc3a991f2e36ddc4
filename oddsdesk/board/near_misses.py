"""Nearest misses: prices that are almost value, and the rules that stop each."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from oddsdesk.board.judging import Judge
from oddsdesk.board.matrix import Matrix, RowKey, Section, SelectionRow
from oddsdesk.board.prices import Price
from oddsdesk.board.valuation import fair_beside, window_beside
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.assessment import Assessment
from oddsdesk.pricing.rules import (
    MAX_OVERROUND,
    MIN_EV,
    Rule,
    RuleCheck,
    safety_floor,
)

MOST_DISTANCE: Final = 1.0
"""Prices farther off than this are no near misses."""
_ONE_AWAY: Final[Mapping[Rule, float]] = {
    Rule.MIN_EDGE: 1.0,
    Rule.MAX_EDGE: 1.0,
    Rule.EDGE_CAP: 1.0,
    Rule.PAYOUT: 0.01,
    Rule.RATIO: 0.01,
    Rule.OVERROUND: 0.01,
    Rule.BOOK_AGE: 5 * MINUTE_MS,
    Rule.REFERENCE_AGE: 5 * MINUTE_MS,
}
"""What counts as a distance of 1 from each threshold: about one percent of the price."""
_ROOM: Final = MAX_OVERROUND + MOST_DISTANCE * _ONE_AWAY[Rule.OVERROUND]
_LEAST_EV: Final = MIN_EV - MOST_DISTANCE * _ONE_AWAY[Rule.MIN_EDGE]


class NearMiss(NamedTuple):
    """A price that is almost value, and that nothing else speaks against; times in milliseconds."""

    key: RowKey
    match_name: str
    section: Section
    price: Price
    is_live: bool
    assessment: Assessment
    distance: float
    """How far all rules that stop it are off together, in ``_ONE_AWAY``."""
    others: tuple["NearMiss", ...] = ()
    """The same selection at other bookmakers, the nearest first."""

    @property
    def selection_key(self) -> RowKey:
        """Its selection: the same for every bookmaker, whose name is left out."""
        return self.key._replace(bookmaker=None)

    @property
    def stopped_by(self) -> RuleCheck:
        """The rule that is farthest off."""
        return max(self.assessment.stopped_by, key=_distance)

    @property
    def window(self) -> tuple[float | None, float | None]:
        """From which net odds the selection is value, and above which it is suspicious."""
        row = self.section.row_of(self.key.selection)
        return window_beside(self.section, row, self.key.bookmaker)


def near_misses(matrix: Matrix, by: Judge) -> Iterator[NearMiss]:
    """Yield the prices of a game that are almost value, at the user's bookmakers."""
    for section in matrix.sections:
        reference = section.reference
        if reference is None or (section.overround or _ROOM) > _ROOM:
            continue
        for row in section.rows:
            if row.fair is not None:
                yield from _of_row(matrix, section, row, by)


def by_selection(misses: Iterable[NearMiss]) -> list[NearMiss]:
    """Return the nearest miss of each selection with the others of it, the nearest first."""
    groups: dict[RowKey, list[NearMiss]] = {}
    for miss in sorted(misses, key=lambda miss: miss.distance):
        groups.setdefault(miss.selection_key, []).append(miss)
    return [nearest._replace(others=tuple(others)) for nearest, *others in groups.values()]


def _of_row(matrix: Matrix, section: Section, row: SelectionRow, by: Judge) -> Iterator[NearMiss]:
    factor = safety_floor(section.key.market_type) * (1 + _LEAST_EV / 100)
    for bookmaker, price in row.prices.items():
        if not by.is_mine(bookmaker):
            continue
        fair = fair_beside(section, row, bookmaker)
        if fair is None or price.odds < fair * factor or not price.is_offered:
            continue
        found = by.assess(section, row.selection, bookmaker)
        if found.is_value or found.cautions:
            continue
        distance = sum(_distance(check) for check in found.stopped_by)
        if distance <= MOST_DISTANCE:
            key = RowKey(matrix.game_id, *section.key[:2], row.selection, bookmaker)
            is_live = matrix.is_live
            yield NearMiss(key, matrix.match_name, section, price, is_live, found, distance)


def _distance(check: RuleCheck) -> float:
    """How far a rule that does not hold is off; out of reach where it has no figure."""
    unit = _ONE_AWAY.get(check.rule)
    if unit is None or check.margin is None:
        return 2 * MOST_DISTANCE
    return -check.margin / unit
