"""What bets earned, what they should have earned, and how much of that chance alone explains.

Chance alone is a bettor without edge: each bet is won with the probability ``1/o`` of its net
odds, which earns nothing on average, with a variance of ``s^2 (o-1)`` for a stake ``s``. ``z`` is
the profit in standard deviations of that. What came back (void, half of a half result) was not
decided and counts for neither; what was cashed out counts for profit and yield alone.
"""

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist, fmean
from typing import Final, NamedTuple, TypeVar

K = TypeVar("K")

BAND_SHARE: Final = 0.95
"""How much of what chance alone does lies within the band."""
BAND_Z: Final = NormalDist().inv_cdf((1 + BAND_SHARE) / 2)


class SettledBet(NamedTuple):
    """A settled bet, in one currency; at the place in time where it stands."""

    stake: float
    net_odds: float
    profit: float
    decided: float
    """The share of the stake that was won or lost; 0 where it came back or was cashed out."""
    decided_profit: float
    """What that share earned."""
    expected: float | None
    """What its EV promised when it was placed; None where that was not known."""
    clv_pct: float | None
    """None without a closing line."""


class Drawdown(NamedTuple):
    """The deepest fall of the profit below a peak before it."""

    depth: float
    """0 or below."""
    bets: int
    """How many bets it took from the peak to the deepest point."""


class Report(NamedTuple):
    """What came of bets in one currency. Percentages are None where nothing is to divide by."""

    bets: int
    staked: float
    profit: float
    yield_pct: float | None
    """Profit of what was staked, stakes that came back included."""
    expected: float
    """Of the bets whose EV was known when they were placed."""
    expected_bets: int
    clv_pct: float | None
    """The mean of the bets that have a closing line, each counted once."""
    clv_bets: int
    beaten_pct: float | None
    """How many of those beat the close."""
    drawdown: Drawdown
    z: float | None
    """None where nothing was decided."""

    @property
    def chance(self) -> float | None:
        """Return how often chance alone does as well or better, between 0 and 1."""
        return None if self.z is None else NormalDist().cdf(-self.z)


class Step(NamedTuple):
    """Where a bettor stands after a bet."""

    profit: float
    expected: float
    band: float
    """Within plus and minus this, ``BAND_SHARE`` of what chance alone does."""


def report(bets: Sequence[SettledBet]) -> Report:
    """Sum up bets, given in the order in which they were decided."""
    staked = math.fsum(bet.stake for bet in bets)
    profit = math.fsum(bet.profit for bet in bets)
    expected = [bet.expected for bet in bets if bet.expected is not None]
    clv = [bet.clv_pct for bet in bets if bet.clv_pct is not None]
    spread = math.sqrt(math.fsum(map(_variance, bets)))
    return Report(
        bets=len(bets),
        staked=staked,
        profit=profit,
        yield_pct=profit / staked * 100 if staked else None,
        expected=math.fsum(expected),
        expected_bets=len(expected),
        clv_pct=fmean(clv) if clv else None,
        clv_bets=len(clv),
        beaten_pct=sum(each > 0 for each in clv) / len(clv) * 100 if clv else None,
        drawdown=drawdown([bet.profit for bet in bets]),
        z=math.fsum(bet.decided_profit for bet in bets) / spread if spread else None,
    )


def reports_by(bets: Iterable[SettledBet], keys: Iterable[K]) -> dict[K, Report]:
    """Sum up bets by a key that is given for each, in the order in which keys first come."""
    groups: dict[K, list[SettledBet]] = {}
    for bet, key in zip(bets, keys, strict=True):
        groups.setdefault(key, []).append(bet)
    return {key: report(members) for key, members in groups.items()}


def drawdown(profits: Iterable[float]) -> Drawdown:
    """Return the deepest fall of summed profits below a peak, the beginning being one."""
    total = peak = deepest = 0.0
    since, longest = 0, 0
    for number, profit in enumerate(profits, 1):
        total += profit
        if total >= peak:
            peak, since = total, number
        elif total - peak < deepest:
            deepest, longest = total - peak, number - since
    return Drawdown(deepest, longest)


def course(bets: Iterable[SettledBet]) -> list[Step]:
    """Return where the bettor stood after each bet, from the beginning on."""
    profit = expected = variance = 0.0
    steps = [Step(0.0, 0.0, 0.0)]
    for bet in bets:
        profit += bet.profit
        expected += bet.expected or 0.0
        variance += _variance(bet)
        steps.append(Step(profit, expected, BAND_Z * math.sqrt(variance)))
    return steps


def _variance(bet: SettledBet) -> float:
    return (bet.stake * bet.decided) ** 2 * (bet.net_odds - 1)
