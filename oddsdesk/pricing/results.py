"""What became of a bet: its result by the score of a game, its profit, its closing line value."""

import math
from enum import Enum
from typing import Final, NamedTuple

from oddsdesk.pricing.outcomes import AWAY, DRAW, HOME, OVER, read_selection


class Result(Enum):
    """How a bet ended."""

    WON = "won"
    LOST = "lost"
    VOID = "void"
    HALF_WON = "half_won"
    HALF_LOST = "half_lost"
    CASHED_OUT = "cashed_out"
    """All of it was sold back to the bookmaker before its end."""


_SHARES: Final = {
    Result.WON: (1.0, 0.0),
    Result.HALF_WON: (0.5, 0.0),
    Result.VOID: (0.0, 0.0),
    Result.HALF_LOST: (0.0, 0.5),
    Result.LOST: (0.0, 1.0),
    Result.CASHED_OUT: (0.0, 0.0),
}
"""The shares of the stake that are won and lost."""


class Goals(NamedTuple):
    """Goals of both teams."""

    home: int
    away: int


class Score(NamedTuple):
    """How a game of football ended after 90 minutes, and how it stood at half time."""

    end: Goals
    half_time: Goals | None = None

    def of_period(self, period: int) -> Goals | None:
        """Return the goals of a period (0 all, 1 and 2 the halves), None where nobody tells."""
        if period == 0:
            return self.end
        half = self.half_time
        if half is None or period > 2:
            return None
        if period == 1:
            return half
        return Goals(self.end.home - half.home, self.end.away - half.away)


def result_of(
    market_type: str, period: int, match_name: str, selection: str, score: Score
) -> Result | None:
    """Return how a bet on football ended by a score; None where a score does not tell."""
    goals = score.of_period(period)
    read = read_selection(market_type, match_name, selection)
    if goals is None or read is None:
        return None
    return result_at(market_type, read.key, read.side, goals)


def result_at(market_type: str, key: str, side: str, goals: Goals) -> Result | None:
    """Return how a side of a line group (``LineGroup.key``) ends at a score of football.

    None where a score does not tell.
    """
    line = line_of(key)
    if not (line * 4).is_integer():
        return None  # no bet is on such a line: nobody knows what it was meant to be
    margin = goals.home - goals.away
    winner = HOME if margin > 0 else AWAY if margin < 0 else DRAW
    match market_type:
        case "moneyline":
            return _won(side == winner)
        case "draw_no_bet":
            return Result.VOID if winner == DRAW else _won(side == winner)
        case "double_chance":
            return _won({HOME: "1", DRAW: "X", AWAY: "2"}[winner] in side)
        case "btts":
            return _won((side == "yes") == (min(goals) > 0))
        case "3way_handicap":
            moved = margin + line
            return _won(side == (HOME if moved > 0 else AWAY if moved < 0 else DRAW))
        case "spread":
            return _by_line(margin + line, is_above=side == HOME)
        case "total":
            return _by_line(sum(goals) - line, is_above=side == OVER)
        case "team_total":
            scored = goals.home if key.startswith("Home ") else goals.away
            return _by_line(scored - line, is_above=side == OVER)
    return None


def line_of(key: str) -> float:
    """Return the line in the key of a line group; 0 where there is none."""
    try:
        return float(key.rpartition(" ")[2] or 0)
    except ValueError:
        return 0.0


def share_of(result: Result) -> float:
    """Return what of a unit staked is won: 1, 0.5, 0, -0.5 or -1."""
    won, lost = _SHARES[result]
    return won - lost


def profit_of(result: Result, stake: float, net_odds: float) -> float:
    """Return what a settled stake earned at net odds; of what was cashed out, nothing."""
    won, lost = _SHARES[result]
    return stake * (won * (net_odds - 1) - lost)


def decided_share(result: Result) -> float:
    """Return the share of the stake that was won or lost."""
    return sum(_SHARES[result])


def clv_pct(net_odds: float, fair_close: float, decided: float = 1.0) -> float:
    """Return the closing line value: net odds over the fair close, in percent (D57).

    ``decided`` is the share of the stake that is won or lost on average. With it the value is per
    unit staked, as an EV is (D53); without it, of a line that can push, per decided unit.
    """
    return (net_odds / fair_close - 1) * 100 * decided


def _won(is_won: bool) -> Result:
    return Result.WON if is_won else Result.LOST


def _by_line(above: float, *, is_above: bool) -> Result:
    """Return the result of a side of a line by how far the number ended above that line."""
    distance = above if is_above else -above
    if math.isclose(distance, 0.0, abs_tol=1e-9):
        return Result.VOID
    if abs(distance) < 0.5 - 1e-9:
        return Result.HALF_WON if distance > 0 else Result.HALF_LOST
    return _won(distance > 0)
