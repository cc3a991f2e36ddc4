"""Reports on settled bets: profit, expected profit, and how much chance alone explains.

"Chance alone" is a bettor without an edge: each bet wins with probability ``1/o`` of its odds after
commission, which gives an expected profit of 0 and a variance of ``s^2 (o-1)`` for a stake ``s``.
Promotions are no luck: the same bettor has the same free bets, refunds and boosts (a boosted bet
wins with ``1/o`` of the price without the boost), so chance alone earns what they are worth.
Bets on one outcome win and lose together: they count as one bet with the summed profits. A lay bet
is on the same outcome, with profit and loss the other way round.

Outcomes that one number decides (a game's goals, or their difference) are one draw. Nested lines
win and lose together: over 3.5 wins only if over 2.5 does, so both win with the smaller of their
two probabilities (the upper bound of Fréchet), not with the product. Outcomes that exclude each
other share the draw: home, draw and away, over 2.5 and under 2.5 (the multinomial distribution). If
their ``1/o`` add up to more than 1, as a margin makes them, they are divided by their sum, and
chance alone loses. Impossible results have no chance: over 2.5 and under 2.5 never both lose,
whatever their odds, so their ``1/o`` are divided by their sum even if it is below 1, and chance
alone wins. Draws of one game that no such rule connects (its winner and its goals) count as
independent, which they are not: ``Report.is_exact`` is then False.

``z`` is the profit above the mean of chance alone, in standard deviations. Returned stakes (void,
half of a half result) were not decided and do not count for it; cashed-out stakes only count for
profit and yield.

Few bets, above all at long odds, are far from a normal distribution: up to ``MOST_EXACT`` outcomes
have no ``z``, and the chance of doing as well is the tail of the exact distribution of their sum
(Wang, On the number of successes in independent trials, Statistica Sinica 3, 1993, here with
payouts), computed from two halves (Horowitz and Sahni, Computing partitions with applications to
the knapsack problem, JACM 21, 1974).
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
"""Share of chance results inside the band."""
BAND_Z: Final = NormalDist().inv_cdf((1 + BAND_SHARE) / 2)
MOST_EXACT: Final = 20
"""Up to this many undecided draws, the chances of all results are summed exactly; the limit is
lower if the lines of a game have more results. Above it, profit counts as normal, an approximation
that needs more bets the longer the odds are."""
_HAIR: Final = 1e-9
"""Share of all that can be won and lost: profits that differ by less count as equal."""


_Profits = list[tuple[float, float]]
"""Possible profits, with their probabilities without an edge."""


class Chance(NamedTuple):
    """The part of a bet that one outcome decides."""

    if_happens: float
    """Profit if the outcome happens."""
    otherwise: float
    share: float
    """How likely the outcome is without an edge."""
    wins: tuple[float, float] | None = None
    """As ``SettledBet.wins``, if it is not that of the bet."""


class SettledBet(NamedTuple):
    """A settled bet in one currency, with its position in time."""

    stake: float
    """Money that was at risk: 0 for a free bet, the liability of a lay bet."""
    net_odds: float
    """Per unit of the stake; of bets with ``chances`` not used."""
    profit: float
    decided: float
    """Share of the stake that was won or lost; 0 if it was returned or cashed out."""
    decided_profit: float
    """Profit of that share."""
    expected: float | None
    """Expected profit by the EV at placing; None if unknown."""
    clv_pct: float | None
    """None without a closing line."""
    outcome: Hashable = None
    """Equal for bets that win and lose together; None if it is alone."""
    line: Hashable = None
    """Equal for bets that one draw decides; None if unknown."""
    game: Hashable = None
    """Equal for bets that one game decides; None if unknown."""
    wins: tuple[float, float] | None = None
    """Smallest and largest number of its draw with which it wins, infinite at an open end: over 2.5
    goals wins with 3 and more. None: at most one outcome of its draw wins."""
    push: float | None = None
    """The number of its draw at which it pushes, or an impossible one; None if it cannot push."""
    is_clv_decided: bool = False
    """Whether ``clv_pct`` is per decided unit, since the chance of a push is unknown."""
    floored_expected: float | None = None
    """``expected`` after the safety floor."""
    free_staked: float = 0.0
    """The size of a free bet."""
    chances: tuple[Chance, ...] = ()
    """The chances that decided it. Empty: the decided stake, by ``net_odds``. The first is on the
    bet's ``outcome``; others, such as a place, are on separate outcomes."""


class Drawdown(NamedTuple):
    """The deepest fall of the profit from an earlier peak."""

    depth: float
    """0 or negative."""
    bets: int
    """Number of bets from the peak to the lowest point."""


class Report(NamedTuple):
    """The report on bets in one currency. Percentages are None without a base."""

    bets: int
    staked: float
    """Money at risk: lay bets by their liability, free bets not at all."""
    profit: float
    yield_pct: float | None
    """Profit over all stakes, including returned ones and the profit of free bets."""
    expected: float
    """Over the bets whose EV was known when they were placed."""
    expected_bets: int
    clv_pct: float | None
    """Mean over the bets with a closing line, each counted once."""
    clv_bets: int
    clv_decided: int
    """How many of those are per decided unit, because the chance of a push is unknown."""
    beaten_pct: float | None
    """How many of those beat the close."""
    drawdown: Drawdown
    outcomes: int
    """Number of outcomes behind the decided bets; nested lines of a game count as one."""
    z: float | None
    """None if all results were summed exactly: it would mean little for so few bets."""
    chance: float | None
    """Chance of doing as well or better by luck, from 0 to 1; None if nothing was decided."""
    bad_chance: float | None
    """Chance of doing as badly or worse by luck."""
    is_exact: bool = False
    """Whether both are exact for a bettor without an edge: all results were summed, and no game has
    several draws, which would depend on each other."""
    floored_expected: float = 0.0
    """``expected`` after the safety floor, as JSON has it."""
    free_staked: float = 0.0
    """The sizes of free bets, which are not in ``staked``."""


class Step(NamedTuple):
    """The bettor's result after a game, whose bets are decided together."""

    bets: int
    """Number of bets decided by then."""
    profit: float
    expected: float
    band: float
    """``BAND_SHARE`` of chance results lie within plus and minus this."""


def report(bets: Sequence[SettledBet]) -> Report:
    """Sum up bets, in the order in which they were decided."""
    staked = math.fsum(bet.stake for bet in bets)
    profit = math.fsum(bet.profit for bet in bets)
    expected = [bet.expected for bet in bets if bet.expected is not None]
    clv = [bet.clv_pct for bet in bets if bet.clv_pct is not None]
    draws = _draws(bets)
    earned = math.fsum(bet.decided_profit for bet in bets)
    z, chance, bad_chance = _luck(draws, earned)
    decided = [draw for draw in draws if draw.outcomes]
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
        outcomes=sum(draw.outcome_count for draw in decided),
        z=z,
        chance=chance,
        bad_chance=bad_chance,
        is_exact=chance is not None and z is None and _are_independent(decided),
        floored_expected=math.fsum(bet.floored_expected or 0.0 for bet in bets),
        free_staked=math.fsum(bet.free_staked for bet in bets),
    )


def reports_by(bets: Iterable[SettledBet], keys: Iterable[K]) -> dict[K, Report]:
    """Sum up bets by a key given for each, in the order in which keys first appear."""
    groups: dict[K, list[SettledBet]] = {}
    for bet, key in zip(bets, keys, strict=True):
        groups.setdefault(key, []).append(bet)
    return {key: report(members) for key, members in groups.items()}


def drawdown(profits: Iterable[Sequence[float]]) -> Drawdown:
    """Return the deepest fall of the summed profit from a peak, which may be the start.

    Profits made together are one step, so that a bet on both sides of a game is never down by the
    side that had to lose.
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
    """Return the bettor's result after each game, from the start on."""
    profit = expected = variance = 0.0
    steps, draws = [Step(0, 0.0, 0.0, 0.0)], defaultdict[Hashable, _Draw](_Draw)
    for together in _decided_together(bets):
        for number, bet in together:
            profit += bet.profit
            expected += bet.expected or 0.0
            draw = draws[_draw_of(number, bet)]
            before = draw.variance
            draw.add_bet(number, bet)
            variance += draw.variance - before
        decided = steps[-1].bets + len(together)
        steps.append(Step(decided, profit, expected, BAND_Z * math.sqrt(max(0.0, variance))))
    return steps


def _decided_together(bets: Iterable[SettledBet]) -> Iterable[list[tuple[int, SettledBet]]]:
    """Return bets with their numbers by game, each game at the position of its first bet."""
    found = defaultdict[Hashable, list[tuple[int, SettledBet]]](list)
    for number, bet in enumerate(bets):
        found[("bet", number) if bet.game is None else bet.game].append((number, bet))
    return found.values()


class _Outcome(NamedTuple):
    """All bets on one outcome."""

    if_happens: float = 0.0
    """Profit of them all if it happens."""
    otherwise: float = 0.0
    weight: float = 0.0
    """How much depends on it."""
    weighed: float = 0.0
    """Its likelihoods by the odds of each bet, by that weight."""
    wins: tuple[float, float] | None = None
    push: float | None = None

    @property
    def share(self) -> float:
        """How likely it is without an edge."""
        return self.weighed / self.weight if self.weight else 0.0

    @property
    def swing(self) -> float:
        """What depends on it; negative if it should not happen."""
        return self.if_happens - self.otherwise


class _Draw:
    """All bets that one draw decides."""

    def __init__(self) -> None:
        self.games = set[Hashable]()
        self._outcomes: dict[Hashable, _Outcome] = {}

    def add_bet(self, number: int, bet: SettledBet) -> None:
        """Add a bet to its outcome."""
        key = bet.outcome or ("bet", number)
        for place, each in enumerate(bet.chances or _plain(bet)):
            before = self._outcomes.get((key, place), _Outcome())
            weight = abs(each.if_happens - each.otherwise)
            self._outcomes[key, place] = _Outcome(
                before.if_happens + each.if_happens,
                before.otherwise + each.otherwise,
                before.weight + weight,
                before.weighed + weight * each.share,
                each.wins or bet.wins or before.wins,
                bet.push,
            )
        self.games.add(bet.game)

    @property
    def outcomes(self) -> list[_Outcome]:
        """Those that chance decides."""
        return [each for each in self._outcomes.values() if each.swing and 0 < each.share < 1]

    @property
    def outcome_count(self) -> int:
        """How many outcomes there are, those that are nested being one."""
        outcomes = self.outcomes
        if any(each.wins is None for each in outcomes):
            return len(outcomes)
        return len({_direction(each) for each in outcomes})

    @property
    def profits(self) -> _Profits:
        """Every profit that it can have, with how likely that is without an edge."""
        outcomes = self.outcomes
        if not outcomes:
            return [(self._fixed, 1.0)]
        spans, possible = _spans(outcomes), _possible(outcomes)
        ends = sorted({0.0, 1.0, *(end for span in spans for end in span)})
        ways = list[tuple[tuple[bool, ...], float]]()
        for begin, end in pairwise(ends):
            if end - begin > _HAIR:
                at = (begin + end) / 2
                ways.append((tuple(first < at < last for first, last in spans), end - begin))
        if possible is not None:
            ways = [way for way in ways if way[0] in possible] or ways
        whole, fixed = math.fsum(share for _, share in ways), self._fixed
        found, weight = _Profits(), math.fsum(each.weight for each in outcomes)
        for wins, share in ways:
            profit = math.fsum(
                each.if_happens if is_won else each.otherwise
                for each, is_won in zip(outcomes, wins, strict=True)
            )
            found.append((fixed + profit, share / whole))
        return _merged(found, _HAIR * weight)

    @property
    def _fixed(self) -> float:
        """Profit that no outcome changes, such as that of a bet and a lay that cover each other."""
        return math.fsum(
            each.if_happens if each.share >= 1 else each.otherwise
            for each in self._outcomes.values()
            if not (each.swing and 0 < each.share < 1)
        )

    @property
    def mean(self) -> float:
        """What chance alone earns: promotions, and what more is bet on than can happen."""
        if len(self._outcomes) < 2:
            return self._fixed + math.fsum(e.otherwise + e.share * e.swing for e in self.outcomes)
        return math.fsum(profit * share for profit, share in self.profits)

    @property
    def variance(self) -> float:
        """How far that scatters; of one outcome, as most draws have, in short."""
        if len(self._outcomes) < 2:
            return sum(e.share * (1 - e.share) * e.swing**2 for e in self.outcomes)
        profits = self.profits
        mean = math.fsum(profit * share for profit, share in profits)
        return math.fsum((profit - mean) ** 2 * share for profit, share in profits)


def _plain(bet: SettledBet) -> tuple[Chance, ...]:
    """Return what chance decides of a plain bet."""
    stake = bet.stake * bet.decided
    return (Chance(stake * (bet.net_odds - 1), -stake, 1 / bet.net_odds),) if stake else ()


def _merged(profits: _Profits, hair: float) -> _Profits:
    """Return profits, merging those that differ only by rounding."""
    found = _Profits()
    for profit, share in sorted(profits):
        if found and profit - found[-1][0] <= hair:
            found[-1] = (found[-1][0], found[-1][1] + share)
        else:
            found.append((profit, share))
    return found if len(found) > 1 else [(profit, 1.0) for profit, _ in found]


def _possible(outcomes: Sequence[_Outcome]) -> set[tuple[bool, ...]] | None:
    """Return the sets of outcomes that some number makes win together; None if unknown.

    A number at which one pushes did not happen, since all outcomes here were decided, unless
    another wins with it: that one may have been decided in a separate game.
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

    Next to those it excludes, else at the edge of one that it is part of: of "home or draw".
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
    """Return the draws of the bets."""
    found = defaultdict[Hashable, _Draw](_Draw)
    for number, bet in enumerate(bets):
        found[_draw_of(number, bet)].add_bet(number, bet)
    return list(found.values())


def _are_independent(draws: Sequence[_Draw]) -> bool:
    """Whether each draw is of another game."""
    games = [game for draw in draws for game in draw.games]
    return len(draws) < 2 or (None not in games and len(games) == len(set(games)))


def _luck(draws: Sequence[_Draw], earned: float) -> tuple[float | None, float | None, float | None]:
    """Return ``z``, and how often chance does as well or better, and as badly or worse."""
    if not any(each.outcomes for each in draws):
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
