"""The probability that a line is hit exactly (a push), by the reference's own prices (D53)."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from oddsdesk.pricing.outcomes import HOME, OVER
from oddsdesk.pricing.settlement import number_hit, push_probability
from oddsdesk.pricing.value import ReferenceLine

_HANDICAPS: Final = frozenset({"spread", "games_handicap"})
_TOTALS: Final = frozenset({"total", "total_games", "team_total", "player_prop"})


class Pushes:
    """The probability of each whole number of one market, from the half lines around it.

    ``draw`` is the probability of a draw by the three-way moneyline of the same period before
    kick-off, None where it is not known.
    """

    def __init__(self, lines: Iterable[ReferenceLine], draw: float | None) -> None:
        self._draw = draw
        self._above: defaultdict[str, dict[float, float]] = defaultdict(dict)
        for line in lines:
            threshold = _threshold(line)
            upper = line.prices.get(HOME if line.market_type in _HANDICAPS else OVER)
            if threshold is not None and upper is not None and upper.fair_odds is not None:
                self._above[_subject(line)][threshold] = 1 / upper.fair_odds

    def of(self, line: ReferenceLine, *, in_play: bool) -> float | None:
        """Return the probability of a push; 0 for a half line, None where it is not known.

        In play it is never taken from ``draw``: the score so far counts then.
        """
        draw = None if in_play else self._draw
        if line.market_type == "draw_no_bet":
            return draw
        threshold = _threshold(line)
        number = None if threshold is None else number_hit(threshold)
        if number is None:
            return 0.0
        if number == 0 and line.market_type == "spread" and draw is not None:
            return draw
        return push_probability(self._above[_subject(line)], number)


def _threshold(line: ReferenceLine) -> float | None:
    """Return the number that over, or the home team's margin, has to lie above."""
    number = line.group.line
    if number is None or line.market_type in _TOTALS:
        return number
    return -number if line.market_type in _HANDICAPS else None


def _subject(line: ReferenceLine) -> str:
    """Return what a line group counts, beside its line: a team, a player's shots."""
    return line.group.key.rpartition(" ")[0]
