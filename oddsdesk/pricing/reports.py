"""What bets earned, what they should have earned, and how much of that chance alone explains.

Chance alone is a bettor without edge: each bet is won with the probability ``1/o`` of its net
odds, which earns nothing on average, with a variance of ``s^2 (o-1)`` for a stake ``s``. Bets on
one outcome win and lose together: they are one bet of their stakes, at odds that pay what they pay
together.

Outcomes that one number decides (the goals of a game, or their difference) are one draw. Nested
lines win and lose together: over 3.5 wins only where over 2.5 does, so both win with the smaller of
their two probabilities (the upper bound of Fréchet), not with the product. Outcomes that exclude
each other share the draw: home, draw and away, over 2.5 and under 2.5 (the multinomial
distribution). Where the ``1/o`` of those are more than 1 together, as a margin makes them, all are
divided by their sum: chance alone loses then. What no number can bring about does not happen: over
2.5 and under 2.5 never both lose, whatever their odds, and their ``1/o`` are divided by their sum
also where that is less than 1: chance alone wins then. Draws of one game that no such rule connects
(its winner and its goals) count as independent, which they are not: ``Report.is_exact`` is False.

``z`` is the profit, above the mean of chance alone, in standard deviations of that. What came back
(void, half of a half result) was not decided and counts for neither; what was cashed out counts for
profit and yield alone.

Few bets are far from a normal distribution, long odds above all: up to ``MOST_EXACT`` outcomes
have no ``z``, and how often chance does as well is the tail of the sum of all ways in which they
can end (Wang, On the number of successes in independent trials, Statistica Sinica 3, 1993, here
with what each pays), added up of two halves (Horowitz and Sahni, Computing partitions with
applications to the knapsack problem, JACM 21, 1974).
"""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import accumulate, pairwise
from statistics import NormalDist, fmean
from typing import Final, NamedTuple, TypeVar

K = TypeVar("K")

BAND_SHARE: Final = 0.95
"""How much of what chance alone does lies within the band."""
BAND_Z: Final = NormalDist().inv_cdf((1 + BAND_SHARE) / 2)
MOST_EXACT: Final = 20
"""Of so many draws that may win or lose every way to end is added up, and of fewer where lines of a
game make more ways; of more, profit is taken as normal, which it comes near to the later the longer
the odds are."""
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
    """Equal for bets that one draw decides; None where nobody tells."""
    game: Hashable = None
    """Equal for bets that one game decides, all of them together; None where nobody tells."""
    wins: tuple[float, float] | None = None
    """The least and greatest number of its draw with which it wins, an end infinite for a line:
    over 2.5 goals 3 and more. None: of the outcomes of its draw at most one wins."""
    push: float | None = None
    """The number of its draw with which it comes back, or that never is; None where none is."""
    is_clv_decided: bool = False
    """Whether ``clv_pct`` is per decided unit, since how often the line pushes is not known."""


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
    clv_decided: int
    """Of how many of those it is per decided unit: how often their lines push is not known."""
    beaten_pct: float | None
    """How many of those beat the close."""
    drawdown: Drawdown
    outcomes: int
    """How many outcomes the bets that were decided were on; nested lines of a game are one."""
    z: float | None
    """None where every way to end was added up: it would say little of so few."""
    chance: float | None
    """How often chance alone does as well or better, between 0 and 1; None: nothing was decided."""
    bad_chance: float | None
    """How often it does as badly or worse."""
    is_exact: bool = False
    """Whether both are exact for a bettor without edge: every way to end was added up, and no game
    has several draws, which would depend on each other."""


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
    draws = _draws(bets)
    earned = math.fsum(bet.decided_profit for bet in bets)
    z, chance, bad_chance = _luck(draws, earned)
    return Report(
        bets=len(bets),
        staked=staked,
        profit=profit,
        yield_pct=profit / staked * 100 if staked else None,
        expected=math.fsum(expected),
        expected_bets=len(expected),
        clv_pct=fmean(clv) if clv else None,
        clv_bets=len(clv),
        clv_decided=sum(bet.is_clv_decided for bet in bets),
        beaten_pct=sum(each > 0 for each in clv) / len(clv) * 100 if clv else None,
        drawdown=drawdown(
            [bet.profit for _, bet in together] for together in _decided_together(bets)
        ),
        outcomes=sum(draw.count for draw in draws),
        z=z,
        chance=chance,
        bad_chance=bad_chance,
        is_exact=chance is not None and z is None and _are_independent(draws),
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
    steps, draws = [Step(0, 0.0, 0.0, 0.0)], defaultdict[Hashable, _Draw](_Draw)
    for together in _decided_together(bets):
        for number, bet in together:
            profit += bet.profit
            expected += bet.expected or 0.0
            draw = draws[_draw_of(number, bet)]
            before = draw.variance
            draw.take(number, bet)
            variance += draw.variance - before
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
    wins: tuple[float, float] | None = None
    push: float | None = None

    @property
    def share(self) -> float:
        """How likely it is without an edge."""
        return self.stake / self.pays


class _Draw:
    """All bets that one draw decides."""

    def __init__(self) -> None:
        self.games = set[Hashable]()
        self._outcomes: dict[Hashable, _Outcome] = {}

    def take(self, number: int, bet: SettledBet) -> None:
        """Add a bet to its outcome."""
        key = bet.outcome or ("bet", number)
        before, stake = self._outcomes.get(key, _Outcome()), bet.stake * bet.decided
        pays = before.pays + stake * bet.net_odds
        self._outcomes[key] = _Outcome(before.stake + stake, pays, bet.wins, bet.push)
        self.games.add(bet.game)

    @property
    def outcomes(self) -> list[_Outcome]:
        """Those that chance decides."""
        return [each for each in self._outcomes.values() if each.pays > each.stake > 0]

    @property
    def count(self) -> int:
        """How many outcomes there are, those that are nested being one."""
        outcomes = self.outcomes
        if any(each.wins is None for each in outcomes):
            return len(outcomes)
        return len({_direction(each) for each in outcomes})

    @property
    def profits(self) -> _Profits:
        """Every profit that it can have, with how likely that is without an edge."""
        outcomes = self.outcomes
        spans, possible = _spans(outcomes), _possible(outcomes)
        ends = sorted({0.0, 1.0, *(end for span in spans for end in span)})
        ways = list[tuple[tuple[bool, ...], float]]()
        for begin, end in pairwise(ends):
            if end - begin > _HAIR:
                at = (begin + end) / 2
                ways.append((tuple(first < at < last for first, last in spans), end - begin))
        if possible is not None:
            ways = [way for way in ways if way[0] in possible] or ways
        whole = math.fsum(share for _, share in ways)
        staked = math.fsum(each.stake for each in outcomes)
        paid = math.fsum(each.pays for each in outcomes)
        found = _Profits()
        for wins, share in ways:
            won = math.fsum(
                each.pays for each, is_won in zip(outcomes, wins, strict=True) if is_won
            )
            found.append((won - staked, share / whole))
        return _merged(found, _HAIR * paid)

    @property
    def mean(self) -> float:
        """What chance alone earns: nothing, unless more is bet on than can happen."""
        if len(self._outcomes) < 2:
            return 0.0
        return math.fsum(profit * share for profit, share in self.profits)

    @property
    def variance(self) -> float:
        """How far that scatters; of one outcome, as most draws have, in short."""
        if len(self._outcomes) < 2:
            return sum(max(0.0, e.stake * (e.pays - e.stake)) for e in self._outcomes.values())
        profits = self.profits
        mean = math.fsum(profit * share for profit, share in profits)
        return math.fsum((profit - mean) ** 2 * share for profit, share in profits)


def _merged(profits: _Profits, hair: float) -> _Profits:
    """Return profits with those that are equal but for floats as one."""
    found = _Profits()
    for profit, share in sorted(profits):
        if found and profit - found[-1][0] <= hair:
            found[-1] = (found[-1][0], found[-1][1] + share)
        else:
            found.append((profit, share))
    return found if len(found) > 1 else [(profit, 1.0) for profit, _ in found]


def _possible(outcomes: Sequence[_Outcome]) -> set[tuple[bool, ...]] | None:
    """Return which outcomes can win together, as some number decides; None where nobody tells.

    A number with which one comes back did not happen, since all here were decided, unless another
    wins with it: that one may have been decided in a game of its own.
    """
    spans = [each.wins for each in outcomes if each.wins is not None]
    if len(spans) < len(outcomes):
        return None
    starts = sorted({-math.inf, *(low for low, _ in spans), *(high + 1 for _, high in spans)})
    pushes = {each.push for each in outcomes if each.push is not None}
    found = set[tuple[bool, ...]]()
    for first, after in pairwise([*starts, math.inf] if starts[-1] < math.inf else starts):
        number = first if first > -math.inf else after - 1
        wins = tuple(low <= number <= high for low, high in spans)
        came_back = sum(first <= push < after for push in pushes)
        if any(wins) or came_back < after - first:
            found.add(wins)
    return found


def _spans(outcomes: Sequence[_Outcome]) -> list[tuple[float, float]]:
    """Return where between 0 and 1 a draw has to be for each outcome to win.

    Large numbers are at 0: all that win with them begin there, so that they are nested. What wins
    with small ones ends at 1.
    """
    if any(each.wins is None for each in outcomes):
        ends = [0.0, *accumulate(each.share for each in outcomes)]
        whole = max(1.0, ends[-1])
        return [(begin / whole, end / whole) for begin, end in pairwise(ends)]
    whole = _whole(outcomes)
    spans = []
    for each in outcomes:
        assert each.wins is not None
        (low, high), share = each.wins, each.share / whole
        if high == math.inf:
            begin = 0.0
        elif low == -math.inf:
            begin = 1.0 - share
        else:
            begin = _begin_between(each, outcomes, whole)
        spans.append((begin, min(1.0, begin + share)))
    return spans


def _begin_between(one: _Outcome, outcomes: Sequence[_Outcome], whole: float) -> float:
    """Return where an outcome in the middle, such as a draw, begins.

    Beside those it excludes, else at the edge of one that it is part of: of "home or draw".
    """
    above = [e.share for e in outcomes if _is_above(e, one) and _high(e) == math.inf]
    below = [e.share for e in outcomes if _is_above(one, e) and _low(e) == -math.inf]
    from_it = [e.share for e in outcomes if _low(e) == -math.inf and _high(e) == _high(one)]
    up_to_it = [e.share for e in outcomes if _high(e) == math.inf and _low(e) == _low(one)]
    share = one.share / whole
    if above or from_it:
        return max(above) / whole if above else 1.0 - max(from_it) / whole
    if below or up_to_it:
        end = 1.0 - max(below) / whole if below else max(up_to_it) / whole
        return max(0.0, end - share)
    return (1.0 - share) / 2


def _whole(outcomes: Sequence[_Outcome]) -> float:
    """Return the most that outcomes which exclude each other are likely together, at least 1."""
    ordered = sorted(outcomes, key=_high)
    best = [each.share for each in ordered]
    for place, each in enumerate(ordered):
        below = [best[at] for at, other in enumerate(ordered[:place]) if _is_above(each, other)]
        best[place] += max(below, default=0.0)
    return max(1.0, *best)


def _is_above(one: _Outcome, other: _Outcome) -> bool:
    """Whether one wins only with greater numbers than the other: both never win."""
    return _low(one) > _high(other)


def _low(outcome: _Outcome) -> float:
    return -math.inf if outcome.wins is None else outcome.wins[0]


def _high(outcome: _Outcome) -> float:
    return math.inf if outcome.wins is None else outcome.wins[1]


def _direction(outcome: _Outcome) -> Hashable:
    """Return what nested outcomes share: that they win with large numbers, or with small ones."""
    if _high(outcome) == math.inf:
        return "large"
    return "small" if _low(outcome) == -math.inf else outcome.wins


def _draw_of(number: int, bet: SettledBet) -> Hashable:
    """Return what the bets of a draw share; of a bet that goes with no other, its number."""
    return bet.line or bet.outcome or ("bet", number)


def _draws(bets: Iterable[SettledBet]) -> list[_Draw]:
    """Return the draws that something was decided on."""
    found = defaultdict[Hashable, _Draw](_Draw)
    for number, bet in enumerate(bets):
        found[_draw_of(number, bet)].take(number, bet)
    return [draw for draw in found.values() if draw.outcomes]


def _are_independent(draws: Sequence[_Draw]) -> bool:
    """Whether each draw is of another game."""
    games = [game for draw in draws for game in draw.games]
    return len(draws) < 2 or (None not in games and len(games) == len(set(games)))


def _luck(draws: Sequence[_Draw], earned: float) -> tuple[float | None, float | None, float | None]:
    """Return ``z``, and how often chance does as well or better, and as badly or worse."""
    if not draws:
        return None, None, None
    variances = [each.variance for each in draws]
    variance = math.fsum(variances)
    if sum(each > 0 for each in variances) <= MOST_EXACT:
        ways = [each.profits for each in draws]
        if math.prod(map(len, ways)) <= 2**MOST_EXACT:
            return None, *_exact_tails(ways, earned)
    z = (earned - math.fsum(each.mean for each in draws)) / math.sqrt(variance)
    return z, NormalDist().cdf(-z), NormalDist().cdf(z)


def _exact_tails(draws: Sequence[_Profits], earned: float) -> tuple[float, float]:
    """Return how likely draws earn so much or more, and so much or less."""
    half = len(draws) // 2
    other = sorted(_sums(draws[half:]))
    at, below = [each for each, _ in other], [0.0, *accumulate(share for _, share in other)]
    hair = _HAIR * math.fsum(abs(profit) for profits in draws for profit, _ in profits)
    better = worse = 0.0
    for one, share in _sums(draws[:half]):
        wanted = earned - one
        better += share * (below[-1] - below[bisect_left(at, wanted - hair)])
        worse += share * below[bisect_right(at, wanted + hair)]
    return min(1.0, better), min(1.0, worse)


def _sums(draws: Iterable[_Profits]) -> _Profits:
    """Return every profit that draws can have, with how likely it is without an edge."""
    found = [(0.0, 1.0)]
    for profits in draws:
        found = [
            (each + profit, chance * share) for profit, share in profits for each, chance in found
        ]
    return found
