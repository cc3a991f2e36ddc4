"""How a bet may end, half results and pushes included: EV per unit staked, and Kelly (D53).

Lines are thresholds: a side wins where a number (goals of both, the margin of a team) lies above
its line, the other side where it lies below. A whole line can be hit exactly, and the stake comes
back; a quarter line is half a bet on each of its neighbours, one of which can be hit.
"""

import math
from collections.abc import Mapping
from typing import Final

import msgspec

HANDICAPS: Final = frozenset({"spread", "games_handicap"})
"""Markets whose lines are the home team's handicap."""
TOTALS: Final = frozenset({"total", "total_games", "team_total", "player_prop"})
"""Markets whose lines are a number to be passed."""
_ROUNDS: Final = 80
"""Of bisection: the stake is then exact to the last digits of a float."""


class Settlement(msgspec.Struct, frozen=True, gc=False):
    """The probabilities of each way a bet may end; they add up to 1."""

    win: float
    half_win: float
    push: float
    half_loss: float
    loss: float

    @property
    def decided(self) -> float:
        """The share of the stake that is won or lost, on average."""
        return 1 - self.push - (self.half_win + self.half_loss) / 2

    @property
    def has_halves(self) -> bool:
        """Whether half of the stake may be won or lost alone."""
        return bool(self.half_win or self.half_loss)

    @property
    def chance(self) -> float:
        """That it is won where it is won or lost; of bets without halves."""
        return self.win / (self.win + self.loss)

    def gain(self, odds: float) -> float:
        """Return the expected profit of a unit staked at net decimal odds."""
        won, lost = self.win + self.half_win / 2, self.loss + self.half_loss / 2
        return won * (odds - 1) - lost

    def kelly(self, odds: float) -> float:
        """Return the share of the bankroll whose expected logarithm grows fastest, 0 without gain.

        Kelly (1956), over all five ways; on a line that cannot be hit it is
        ``(p o - 1) / (o - 1)``.
        """
        if self.gain(odds) <= 0:
            return 0.0
        if not self.has_halves:
            return (self.chance * odds - 1) / (odds - 1)
        least, most = 0.0, 1.0
        for _ in range(_ROUNDS):
            middle = (least + most) / 2
            if self._slope(middle, odds) > 0:
                least = middle
            else:
                most = middle
        return least

    def growth(self, share: float, odds: float) -> float:
        """Return the expected growth of the logarithm of the bankroll for a share staked."""
        return math.fsum(
            probability * math.log1p(share * result)
            for probability, result in self._results(odds)
            if probability
        )

    def _slope(self, share: float, odds: float) -> float:
        return math.fsum(
            probability * result / (1 + share * result)
            for probability, result in self._results(odds)
            if probability and 1 + share * result > 0
        ) - (math.inf if share >= 1 and self.loss else 0.0)

    def _results(self, odds: float) -> tuple[tuple[float, float], ...]:
        """Each way, with what a unit staked then gains."""
        return (
            (self.win, odds - 1),
            (self.half_win, (odds - 1) / 2),
            (self.half_loss, -0.5),
            (self.loss, -1.0),
        )


def settlement(
    probability: float, push: float, line: float | None, *, is_above: bool
) -> Settlement:
    """Return how a bet may end.

    Args:
        probability: That a decided unit is won, as devigged odds give it: between 0 and 1.
        push: The probability that the whole number in or beside the line is hit; 0 on half lines.
        line: The threshold; None where there is none (the stake is always decided, or, with a
            ``push``, comes back as a whole: draw no bet).
        is_above: Whether the bet wins above the line (Over, or the team itself) or below it.
    """
    quarter = line is not None and not (line * 2).is_integer()
    if not quarter:
        decided = 1 - push
        return Settlement(probability * decided, 0.0, push, 0.0, (1 - probability) * decided)
    assert line is not None
    half_wins = (line % 1 > 0.5) == is_above  # half 2.5, half 3: hit at 3
    decided = 1 - push / 2
    if half_wins:
        loss = (1 - probability) * decided
        return Settlement(1 - loss - push, push, 0.0, 0.0, loss)
    win = probability * decided
    return Settlement(win, 0.0, 0.0, push, 1 - win - push)


def threshold(market_type: str, line: float | None) -> float | None:
    """Return the number that over, or the home team's margin, has to lie above; None for none."""
    if line is None or market_type in TOTALS:
        return line
    return -line if market_type in HANDICAPS else None


def number_hit(line: float) -> int | None:
    """Return the whole number that a line can be hit at, None for half lines.

    A quarter line is hit at its whole neighbour: 2.25 at 2, 2.75 at 3, -0.25 at 0.
    """
    if (line * 2).is_integer():
        return int(line) if line.is_integer() else None
    return math.floor(line + 0.5)


def push_probability(above: Mapping[float, float], number: int) -> float | None:
    """Return ``P(X = k) = P(X > k - 0.5) - P(X > k + 0.5)``, None where that is not known.

    ``above``: the probability that the number ends above a line, by half line. Neighbours that
    contradict each other give none.
    """
    below, beyond = above.get(number - 0.5), above.get(number + 0.5)
    if below is None or beyond is None or below < beyond:
        return None
    return below - beyond
