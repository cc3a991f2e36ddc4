"""The probability that a line is hit exactly (a push), by the reference's own prices (D53)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from oddsdesk.pricing.outcomes import HOME, OVER
from oddsdesk.pricing.settlement import HANDICAPS, number_hit, push_probability, threshold
from oddsdesk.pricing.value import ReferenceLine

MAY_BE_DRAWN: Final = frozenset({"spread", "draw_no_bet"})
"""Markets whose stakes may come back where the game is drawn."""


class Pushes:
    """The probability of each whole number of one market, from the half lines around it.

    ``draw`` is the probability of a draw by the three-way moneyline of the same period before
    kick-off, None where it is not known.
    """

    def __init__(self, lines: Iterable[ReferenceLine], draw: float | None) -> None:
        self._draw = draw
        self._ladders = ladders(lines)

    def of(self, line: ReferenceLine, *, in_play: bool) -> float | None:
        """Return the probability of a push; 0 for a half line, None where it is not known.

        In play it is never taken from ``draw``: the score so far counts then.
        """
        draw = None if in_play else self._draw
        if line.market_type == "draw_no_bet":
            return draw
        above = threshold(line.market_type, line.group.line)
        number = None if above is None else number_hit(above)
        if number is None:
            return 0.0
        if number == 0 and line.market_type == "spread" and draw is not None:
            return draw
        return push_probability(self._ladders.get(subject(line.group.key), {}), number)


def ladders(lines: Iterable[ReferenceLine]) -> Mapping[str, Mapping[float, float]]:
    """Return how likely each line of a market is passed, by what it is about."""
    found: defaultdict[str, dict[float, float]] = defaultdict(dict)
    for line in lines:
        above = threshold(line.market_type, line.group.line)
        upper = line.prices.get(HOME if line.market_type in HANDICAPS else OVER)
        if above is not None and upper is not None and upper.fair_odds is not None:
            found[subject(line.group.key)][above] = 1 / upper.fair_odds
    return found


def subject(group: str) -> str:
    """Return what a line group counts, beside its line: a team, a player's shots."""
    return group.rpartition(" ")[0]


def can_push(market_type: str, line: float | None) -> bool:
    """Return whether all or half of a stake may come back; ``line`` as ``LineGroup.line``."""
    above = threshold(market_type, line)
    return market_type == "draw_no_bet" or (above is not None and number_hit(above) is not None)
