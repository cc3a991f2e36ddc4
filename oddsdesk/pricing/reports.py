"""What bets earned, what they should have earned, and how much of that chance alone explains.

Chance alone is a bettor without edge: each bet is won with the probability ``1/o`` of its net
odds, which earns nothing on average, with a variance of ``s^2 (o-1)`` for a stake ``s``. Bets on
one outcome win and lose together: they are one bet of their stakes, at odds that pay what they pay
together. Of the outcomes of a line at most one wins: together they have the variance of one draw
among them, ``sum(s_i^2 o_i) - (sum s_i)^2`` (the multinomial distribution; alone or apart they
would have ``sum(s_i^2 (o_i-1))``). Where the ``1/o`` of those that were bet on are more than 1
together, as a margin makes them, they are divided by their sum ``R``: chance alone loses then, and
the variance is that divided by ``R``, less the square of the mean. Outcomes of different lines
count as independent. ``z`` is the profit, above the mean of chance alone, in standard deviations
of that. What came back (void, half of a half
result) was not decided and counts for neither; what was cashed out counts for profit and yield
alone.

Few bets are far from a normal distribution, long odds above all: up to ``MOST_EXACT`` outcomes
have no ``z``, and how often chance does as well is the exact tail of the sum of independent trials
(Wang, On the number of successes in independent trials, Statistica Sinica 3, 1993, here with what
each pays), added up of two halves (Horowitz and Sahni, Computing partitions with applications to
the knapsack problem, JACM 21, 1974).
"""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import accumulate
from statistics import NormalDist, fmean
from typing import Final, NamedTuple, TypeVar

K = TypeVar("K")

BAND_SHARE: Final = 0.95
"""How much of what chance alone does lies within the band."""
BAND_Z: Final = NormalDist().inv_cdf((1 + BAND_SHARE) / 2)
MOST_EXACT: Final = 20
"""Of so many outcomes the distribution of profit is exact; of more it is taken as normal, which it
comes near to the later the longer the odds are."""
_HAIR: Final = 1e-9
"""Of all that may be won and lost: profits that differ by less are equal."""


_Profits = list[tuple[float, float]]
"""What may be earned, with how likely that is without an edge."""


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
    outcome: Hashable = None
    """Equal for bets that win and lose together; None where it goes with no other."""
    line: Hashable = None
    """Equal for bets on outcomes of which at most one wins; None where nobody tells."""
    game: Hashable = None
    """Equal for bets that one game decides, all of them together; None where nobody tells."""


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
    outcomes: int
    """How many outcomes the bets that were decided were on."""
    z: float | None
    """None up to ``MOST_EXACT`` outcomes: it would say little of them."""
    chance: float | None
    """How often chance alone does as well or better, between 0 and 1; None: nothing was decided."""
    bad_chance: float | None
    """How often it does as badly or worse."""


class Step(NamedTuple):
    """Where a bettor stands after a game, whose bets are decided together."""

    bets: int
    """How many have been decided by then."""
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
    lines = _lines(bets)
    earned = math.fsum(bet.decided_profit for bet in bets)
    z, chance, bad_chance = _luck(lines, earned)
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
        drawdown=drawdown(
            [bet.profit for _, bet in together] for together in _decided_together(bets)
        ),
        outcomes=sum(len(line.outcomes) for line in lines),
        z=z,
        chance=chance,
        bad_chance=bad_chance,
    )


def reports_by(bets: Iterable[SettledBet], keys: Iterable[K]) -> dict[K, Report]:
    """Sum up bets by a key that is given for each, in the order in which keys first come."""
    groups: dict[K, list[SettledBet]] = {}
    for bet, key in zip(bets, keys, strict=True):
        groups.setdefault(key, []).append(bet)
    return {key: report(members) for key, members in groups.items()}


def drawdown(profits: Iterable[Sequence[float]]) -> Drawdown:
    """Return the deepest fall of summed profits below a peak, the beginning being one.

    Profits that were made together are one step: who bets on both sides was never down by the one
    that had to lose.
    """
    total = peak = deepest = 0.0
    number, since, longest = 0, 0, 0
    for together in profits:
        total, number = total + math.fsum(together), number + len(together)
        if total >= peak:
            peak, since = total, number
        elif total - peak < deepest:
            deepest, longest = total - peak, number - since
    return Drawdown(deepest, longest)


def course(bets: Iterable[SettledBet]) -> list[Step]:
    """Return where the bettor stood after each game, from the beginning on."""
    profit = expected = variance = 0.0
    steps, lines = [Step(0, 0.0, 0.0, 0.0)], defaultdict[Hashable, _Line](_Line)
    for together in _decided_together(bets):
        for number, bet in together:
            profit += bet.profit
            expected += bet.expected or 0.0
            line = lines[_line_of(number, bet)]
            before = line.variance
            line.take(number, bet)
            variance += line.variance - before
        decided = steps[-1].bets + len(together)
        steps.append(Step(decided, profit, expected, BAND_Z * math.sqrt(max(0.0, variance))))
    return steps


def _decided_together(bets: Iterable[SettledBet]) -> Iterable[list[tuple[int, SettledBet]]]:
    """Return bets with their numbers by game, each game at the place of its first bet."""
    found = defaultdict[Hashable, list[tuple[int, SettledBet]]](list)
    for number, bet in enumerate(bets):
        found[("bet", number) if bet.game is None else bet.game].append((number, bet))
    return found.values()


class _Outcome(NamedTuple):
    """All bets on one outcome."""

    stake: float = 0.0
    """What of them was decided."""
    pays: float = 0.0
    """What that pays when it wins."""


class _Line:
    """All bets on outcomes of which at most one wins."""

    def __init__(self) -> None:
        self._outcomes: dict[Hashable, _Outcome] = {}

    def take(self, number: int, bet: SettledBet) -> None:
        """Add a bet to its outcome."""
        key = bet.outcome or ("bet", number)
        before, stake = self._outcomes.get(key, _Outcome()), bet.stake * bet.decided
        after = _Outcome(before.stake + stake, before.pays + stake * bet.net_odds)
        self._outcomes[key] = after

    @property
    def outcomes(self) -> list[_Outcome]:
        """Those that chance decides."""
        return [each for each in self._outcomes.values() if each.pays > each.stake > 0]

    @property
    def profits(self) -> _Profits:
        """Every profit that it can have, with how likely that is without an edge."""
        outcomes = self.outcomes
        staked = math.fsum(each.stake for each in outcomes)
        shares = [each.stake / each.pays for each in outcomes]
        whole = max(1.0, math.fsum(shares))
        won = [(e.pays - staked, s / whole) for e, s in zip(outcomes, shares, strict=True)]
        lost = 1.0 - math.fsum(share for _, share in won)
        return [*won, (-staked, lost)] if lost > _HAIR else won

    @property
    def mean(self) -> float:
        """What chance alone earns: nothing, unless more is bet on than can happen."""
        if len(self._outcomes) < 2:
            return 0.0
        return math.fsum(profit * share for profit, share in self.profits)

    @property
    def variance(self) -> float:
        """How far that scatters; of one outcome, as most lines have, in short."""
        if len(self._outcomes) < 2:
            return sum(max(0.0, e.stake * (e.pays - e.stake)) for e in self._outcomes.values())
        mean = self.mean
        return math.fsum((profit - mean) ** 2 * share for profit, share in self.profits)


def _line_of(number: int, bet: SettledBet) -> Hashable:
    """Return what the bets of a line share; of a bet that goes with no other, its number."""
    return bet.line or bet.outcome or ("bet", number)


def _lines(bets: Iterable[SettledBet]) -> list[_Line]:
    """Return the lines that something was decided on."""
    found = defaultdict[Hashable, _Line](_Line)
    for number, bet in enumerate(bets):
        found[_line_of(number, bet)].take(number, bet)
    return [line for line in found.values() if line.outcomes]


def _luck(lines: Sequence[_Line], earned: float) -> tuple[float | None, float | None, float | None]:
    """Return ``z``, and how often chance does as well or better, and as badly or worse."""
    if not lines:
        return None, None, None
    variance = math.fsum(each.variance for each in lines)
    if sum(len(each.outcomes) for each in lines) <= MOST_EXACT or variance <= 0:
        return None, *_exact_tails([each.profits for each in lines], earned)
    z = (earned - math.fsum(each.mean for each in lines)) / math.sqrt(variance)
    return z, NormalDist().cdf(-z), NormalDist().cdf(z)


def _exact_tails(lines: Sequence[_Profits], earned: float) -> tuple[float, float]:
    """Return how likely lines earn so much or more, and so much or less."""
    half = len(lines) // 2
    other = sorted(_sums(lines[half:]))
    at, below = [each for each, _ in other], [0.0, *accumulate(share for _, share in other)]
    hair = _HAIR * math.fsum(abs(profit) for profits in lines for profit, _ in profits)
    better = worse = 0.0
    for one, share in _sums(lines[:half]):
        wanted = earned - one
        better += share * (below[-1] - below[bisect_left(at, wanted - hair)])
        worse += share * below[bisect_right(at, wanted + hair)]
    return min(1.0, better), min(1.0, worse)


def _sums(lines: Iterable[_Profits]) -> _Profits:
    """Return every profit that lines can have, with how likely it is without an edge."""
    found = [(0.0, 1.0)]
    for profits in lines:
        found = [
            (each + profit, chance * share) for profit, share in profits for each, chance in found
        ]
    return found
