"""Lines of a reference with given fair probabilities, and what is derived from them."""

from collections.abc import Iterable

from oddsdesk.pricing.derived import FairGame, selection_text
from oddsdesk.pricing.score_grid import ScoreGrid
from oddsdesk.pricing.selections import LineGroup, complete_forms, line_of
from oddsdesk.pricing.value import ReferenceLine, ReferencePrice

Name = tuple[str, str]


def priced(
    market_type: str,
    key: str,
    chances: dict[str, float],
    *,
    at: int = 1_000,
    is_live: bool | None = False,
    overround: float = 1.02,
) -> ReferenceLine:
    """Return a line of the reference with these fair probabilities."""
    return ReferenceLine(
        market_type,
        group_of(market_type, key, tuple(chances)),
        {side: ReferencePrice(1 / p, 1 - p, 1 / p) for side, p in chances.items()},
        overround,
        at,
        is_live,
    )


def group_of(market_type: str, key: str, sides: tuple[str, ...] = ()) -> LineGroup:
    has_line = market_type not in {"moneyline", "draw_no_bet", "double_chance", "btts"}
    texts = tuple(selection_text(market_type, key, side) for side in sides)
    return LineGroup(key, line_of(key) if has_line else None, texts, sides, bool(sides))


def of_grid(grid: ScoreGrid, market_type: str, key: str) -> ReferenceLine:
    sides = complete_forms(market_type, "Football")[-1]
    chances = {side: grid.probability(market_type, key, side) or 0.0 for side in sides}
    return priced(market_type, key, chances)


def derived(
    lines: Iterable[ReferenceLine], wanted: Name, sport: str = "Football", *, in_play: bool = False
) -> ReferenceLine | None:
    return FairGame(sport, lines, {}, in_play=in_play).line(wanted[0], group_of(*wanted))


def chances_of(line: ReferenceLine | None) -> dict[str, float]:
    assert line is not None
    return {side: 1 / (price.fair_odds or 0.0) for side, price in line.prices.items()}
