"""How fair odds moved: the reference's line group devigged at each of its moves."""

from collections.abc import Iterator, Mapping

from oddsdesk.board.history import Point, PricePath, odds_at, thin
from oddsdesk.board.matrix import Section
from oddsdesk.board.own_groups import complete_group
from oddsdesk.pricing.value import reference_line

MOST_POINTS = 400
"""About one a pixel of the chart; more would cost time and not be seen."""


def fair_points(
    section: Section, paths: Mapping[str, PricePath], selection: str, method: str
) -> Iterator[Point]:
    """Yield how the fair odds of a selection moved.

    ``paths`` are the reference's prices by selection. A selection without a price at a time
    counts as not offered then; an incomplete line group has no fair odds.
    """
    for at in _times(paths):
        yield Point(at, _fair(section, paths, selection, at, method))


def _fair(
    section: Section, paths: Mapping[str, PricePath], selection: str, at: int, method: str
) -> float | None:
    odds = {row.selection: odds_at(paths.get(row.selection, ()), at) for row in section.rows}
    priced = {name: price for name, price in odds.items() if price is not None}
    if selection not in priced or len(priced) < 2:
        return None
    market_type = section.key.market_type
    group = complete_group(market_type, section.match_name, tuple(priced), section.sport)
    if group is None:
        return None
    prices = [priced[name] for name in group.selections]
    line = reference_line(market_type, group, prices, scraped_at=at, is_live=False, method=method)
    return line.prices[group.sides[group.selections.index(selection)]].fair_odds


def _times(paths: Mapping[str, PricePath]) -> list[int]:
    times = sorted({point.at for path in paths.values() for point in path})
    if len(times) <= MOST_POINTS:
        return times
    step = (times[-1] - times[0]) // (MOST_POINTS // 4) + 1
    return [point.at for point in thin([Point(at, 1.0) for at in times], step)]
