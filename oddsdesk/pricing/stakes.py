"""Stakes at limited prices, and Kelly stakes for several bets.

An exchange or prediction market offers each of its odds for a limited amount. A stake takes the
best level first, then the next; its odds are the average over what it takes. A ladder is a
selection's levels, best first: odds after commission, and the stake that each takes, fees included.

There is a formula for outcomes that exclude each other, and a numeric solution for bets that win
and lose together in any way, with limits on each and on sums of them.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from typing import Final, NamedTuple

from oddsdesk.pricing.selections import Settlement

MOST_SPREAD: Final = 0.05
"""The most that lay odds may be above back odds, as a share, for a usable middle."""
_HALVINGS: Final = 60
"""Bisection steps; the stake is then exact to the last digits of a float."""
_HAIR: Final = 1e-9


class Depth(NamedTuple):
    """What is for sale on a selection: gross odds and amounts before fees, best odds first."""

    levels: tuple[tuple[float, float], ...]
    currency: str = ""
    """ISO 4217; empty if unknown."""
    lay: tuple[tuple[float, float], ...] = ()
    """What can be laid, lowest odds first, in backer's stakes; 0 is an unknown amount."""
    rate: float | None = None
    """The rate by which amounts were converted into ``currency``; None if they were not."""
    sold_in: str = ""
    """The currency that they were converted from."""

    @property
    def lay_odds(self) -> float | None:
        """The lowest odds that can be laid; None if nothing can."""
        return self.lay[0][0] if self.lay else None


class Rung(NamedTuple):
    """A level after commission and fees."""

    net_odds: float
    most: float
    """The largest stake at these odds, fees included."""


Ladder = tuple[Rung, ...]


def net_lay_odds(odds: float, commission: float) -> float:
    """Return the odds of a lay bet per unit of its liability: ``1 + (1 - c) / (L - 1)``.

    ``commission`` is a share of the winnings, at most 1.
    """
    return 1 + (1 - commission) / (odds - 1)


def odds_against(lay_odds: float) -> float:
    """Return the odds, before commission, at which a lay is a back of the other side."""
    return lay_odds / (lay_odds - 1)


def middle_odds(odds: float, depth: Depth | None) -> float | None:
    """Return an exchange's odds between back and lay; None without a lay, or if it is too far off.

    The middle of both probabilities, each weighted by what is offered on the other side, counted in
    payouts: Stoikov (2018), The micro-price. With an unknown amount, the plain middle.
    """
    lay_odds = None if depth is None else depth.lay_odds
    if depth is None or lay_odds is None or lay_odds > odds * (1 + MOST_SPREAD):
        return None
    backed = depth.levels[0][1] * odds if depth.levels else 0.0
    laid = depth.lay[0][1] * lay_odds
    if not backed or not laid:
        backed = laid = 1.0
    return (backed + laid) / (laid / odds + backed / lay_odds)


def backers_stake(depth: Depth, ladder: Ladder, liability: float) -> float:
    """Return what the backers stake against a liability that takes the best lays first.

    ``ladder``: what can be laid as ``Profile.lay_ladder`` returns it.
    """
    staked = 0.0
    for (_, size), rung in zip((each for each in depth.lay if each[1] > 0), ladder, strict=True):
        taken = min(liability, rung.most)
        staked, liability = staked + size * taken / rung.most, liability - taken
    return staked


def stakeable(ladder: Ladder) -> float:
    """Return the largest stake that all levels take together."""
    return math.fsum(rung.most for rung in ladder)


def acceptable(ladder: Ladder, is_acceptable: Callable[[float], bool]) -> Ladder:
    """Return the levels before the first one whose own odds are not acceptable."""
    for place, rung in enumerate(ladder):
        if not is_acceptable(rung.net_odds):
            return ladder[:place]
    return ladder


def at_average(ladder: Ladder, net_odds: float) -> Ladder | None:
    """Return what can be had at these average odds, as one level; None if nothing."""
    staked = surplus = 0.0
    for rung in ladder:
        gain = rung.net_odds - net_odds
        taken = rung.most if gain >= -net_odds * _HAIR else min(rung.most, surplus / -gain)
        staked, surplus = staked + taken, max(0.0, surplus + taken * gain)
        if taken < rung.most:
            break
    return (Rung(net_odds, staked),) if staked else None


def payout(ladder: Ladder, stake: float) -> float:
    """Return the payout of a winning stake; the part that no level takes pays nothing."""
    paid = 0.0
    for net_odds, most in ladder:
        taken = min(stake, most)
        paid += taken * net_odds
        stake -= taken
        if stake <= 0:
            break
    return paid


def net_at(ladder: Ladder, stake: float) -> float:
    """Return the odds of a stake after commission: the average over the levels that it takes.

    For a stake of 0, those of the first level.

    Raises:
        ValueError: there is no level.
    """
    if not ladder:
        raise ValueError("a ladder without levels has no odds")
    if stake <= ladder[0].most * (1 + _HAIR):
        return ladder[0].net_odds
    return payout(ladder, stake) / stake


def net_paying(ladder: Ladder, paid: float) -> float:
    """Return the average odds of the stake with a given payout, or of all there is.

    Raises:
        ValueError: there is no level.
    """
    stake = left = 0.0
    for net_odds, most in ladder:
        taken = min(most, (paid - left) / net_odds)
        stake, left = stake + taken, left + taken * net_odds
        if taken < most:
            break
    return net_at(ladder, stake)


def kelly_stake(ends: Settlement, bankroll: float, ladder: Ladder) -> float:
    """Return the stake with the highest expected log growth of a bankroll.

    Kelly (1956), level by level: a level is taken while its own odds still add to the growth, given
    what was taken before. Within the first level this is ``bankroll * ends.kelly(net_odds)``.
    """
    staked = paid = 0.0
    for net_odds, most in ladder:
        least, more = 0.0, min(most, bankroll - staked)
        if _slope(ends, bankroll, staked + more, paid + more * net_odds, net_odds) <= 0:
            for _ in range(_HALVINGS):
                middle = (least + more) / 2
                at = staked + middle, paid + middle * net_odds
                if _slope(ends, bankroll, *at, net_odds) > 0:
                    least = middle
                else:
                    more = middle
            return staked + least
        staked, paid = staked + more, paid + more * net_odds
    return staked


def _slope(ends: Settlement, bankroll: float, staked: float, paid: float, odds: float) -> float:
    """Return the slope of the expected logarithm in the amount staked at ``odds``."""
    slope = 0.0
    for probability, gain, wealth in (
        (ends.win, odds - 1, bankroll - staked + paid),
        (ends.half_win, (odds - 1) / 2, bankroll + (paid - staked) / 2),
        (ends.half_loss, -0.5, bankroll - staked / 2),
        (ends.loss, -1.0, bankroll - staked),
    ):
        if probability:
            slope += probability * gain / wealth if wealth > 0 else math.copysign(math.inf, gain)
    return slope


class Share(NamedTuple):
    """The stake of one leg when all legs pay the same."""

    stake: float
    net_odds: float
    """The average over the levels that the stake takes."""


def shares_of_equal_payout(ladders: Sequence[Ladder], total: float) -> list[Share]:
    """Return the stakes, of at most ``total`` together, with which every leg pays the same.

    The payout is raised level by level: first as far as each leg's best level reaches, then on
    while one more unit of it costs less than a unit, so that no further level lowers the profit. A
    leg without limit has one level of infinite size. Stakes are 0 if a leg has no level.
    """
    if not all(ladders):
        return [Share(0.0, 0.0) for _ in ladders]
    places, left = [0] * len(ladders), [ladder[0].most for ladder in ladders]
    stakes, paid, spent = [0.0] * len(ladders), 0.0, 0.0
    while True:
        odds = [ladder[place].net_odds for ladder, place in zip(ladders, places, strict=True)]
        cost = math.fsum(1 / each for each in odds)
        if any(places) and cost >= 1:
            break
        more = min((total - spent) / cost, *(room * o for room, o in zip(left, odds, strict=True)))
        paid, spent = paid + more, spent + more * cost
        for leg, net_odds in enumerate(odds):
            stakes[leg] += more / net_odds
            left[leg] -= more / net_odds
        if spent >= total * (1 - _HAIR) or not _climb(ladders, places, left):
            break
    return [
        Share(stake, paid / stake if stake else ladder[0].net_odds)
        for stake, ladder in zip(stakes, ladders, strict=True)
    ]


def _climb(ladders: Sequence[Ladder], places: list[int], left: list[float]) -> bool:
    """Go to the next level of each leg whose level is used up; False if a leg has none left."""
    for leg, ladder in enumerate(ladders):
        while math.isfinite(left[leg]) and left[leg] <= _HAIR * ladder[places[leg]].most:
            places[leg] += 1
            if places[leg] == len(ladder):
                return False
            left[leg] = ladder[places[leg]].most
    return True


_PRECISION: Final = 1e-11
"""Precision of the expected logarithm: no other stakes are better by more."""
_FIRST_WEIGHT: Final = 1e-2
_CUT: Final = 0.1
"""Factor by which the barrier's weight shrinks each time."""
_NEWTON_STEPS: Final = 12
"""Most steps for each weight."""
_NEAR: Final = 1e-5
"""A share this close to its limit counts as the limit; a tenth of it counts as 0."""
_LEAST_WEALTH: Final = 1e-6


class GameBets(NamedTuple):
    """The possible results of a game, and the profit of each bet in them."""

    chances: Sequence[float]
    """Probability of each result; they add up to 1."""
    gains: Sequence[Sequence[float]]
    """By bet, then by result: profit of a unit staked; -1 if it is lost."""
    held: Sequence[float]
    """By result: profit of open bets, as shares of the bankroll."""


class Most(NamedTuple):
    """The limit of several bets together."""

    bets: frozenset[int]
    share: float


def kelly_exclusive(bets: Sequence[tuple[float, float]]) -> list[float]:
    """Return Kelly's shares of outcomes of which at most one wins: (probability, odds) each.

    Smoczynski and Tomkins (2010), An explicit solution to the problem of optimizing the
    allocations of a bettor's wealth when wagering on horse races: sorted by ``p*o``, outcomes are
    taken while theirs is above ``R = (1 - sum p) / (1 - sum 1/o)``; each then gets ``p - R/o``.
    """
    order = sorted(range(len(bets)), key=lambda i: -bets[i][0] * bets[i][1])
    reserve, left, room = 1.0, 1.0, 1.0
    taken: list[int] = []
    for i in order:
        probability, odds = bets[i]
        if probability * odds <= reserve:
            break
        if room - 1 / odds <= 0:  # all outcomes are covered: no reserve is needed
            reserve = 0.0
            taken.append(i)
            break
        taken.append(i)
        left, room = left - probability, room - 1 / odds
        reserve = max(left, 0.0) / room
    shares = [0.0] * len(bets)
    for i in taken:
        probability, odds = bets[i]
        shares[i] = max(0.0, probability - reserve / odds)
    return shares


def most_growth(
    game: GameBets, limits: Sequence[float], sums: Sequence[Most] = ()
) -> Generator[None, None, list[float]]:
    """Return the shares with the highest expected log growth of the bankroll; in small steps.

    Kelly (1956) over all results together: maximise ``sum p log(1 + held + sum x gain)`` where
    ``0 <= x <= limit`` and no sum is exceeded. The function is concave, so Newton's method with a
    logarithmic barrier finds it: Boyd and Vandenberghe (2004), Convex Optimization, chapter 11.
    With ``m`` limits and barrier weight ``w``, the growth is within ``m w`` of the best, which is
    when the search stops.

    Args:
        game: The possible results.
        limits: The largest share of each bet; infinite if there is none.
        sums: The largest shares of several bets together. The whole bankroll is the maximum.
    """
    count = len(game.gains)
    bounds = [Most(frozenset(range(count)), 1.0), *sums]
    bounds += [Most(frozenset({bet}), limit) for bet, limit in enumerate(limits) if limit < 1]
    free = [
        bet
        for bet in range(count)
        if all(each.share > _NEAR for each in bounds if bet in each.bets)
    ]
    shares = [0.0] * count
    found = _Barrier(game, free, bounds)
    if not free or found.is_ruined:
        return shares
    weight = _FIRST_WEIGHT
    while weight * found.limits > _PRECISION:
        weight *= _CUT
        for _ in range(_NEWTON_STEPS):
            yield
            if found.step(weight):
                break
    for bet, share in zip(free, found.shares, strict=True):
        limit = limits[bet]
        shares[bet] = limit if limit - share < _NEAR else 0.0 if share < _NEAR / 10 else share
    return shares


class _Barrier:
    """Shares strictly within their limits, and the step to better ones."""

    def __init__(self, game: GameBets, free: Sequence[int], bounds: Sequence[Most]) -> None:
        merged = defaultdict[tuple[float, ...], float](float)
        rows = zip(game.chances, game.held, *(game.gains[bet] for bet in free), strict=True)
        for chance, *row in rows:
            if chance > 0:
                merged[tuple(row)] += chance
        self._results = [(chance, 1 + row[0], row[1:]) for row, chance in merged.items()]
        place = {bet: at for at, bet in enumerate(free)}
        self._bounds = [
            ([place[bet] for bet in each.bets if bet in place], each.share) for each in bounds
        ]
        self._bounds = [each for each in self._bounds if each[0]]
        least = min((wealth for _, wealth, _ in self._results), default=0.0)
        self.is_ruined = least <= _LEAST_WEALTH
        room = min([least, *(share for _, share in self._bounds)])
        self.shares = [room / (4 * max(1, len(free)))] * len(free)
        self.limits = len(free) + len(self._bounds)

    def step(self, weight: float) -> bool:
        """Take one step of Newton's method; return whether another would gain nothing."""
        slope, curve = self._slope(weight)
        way = solve_linear(curve, slope)
        gain = math.fsum(a * b for a, b in zip(slope, way, strict=True))
        if gain < weight * 1e-3:
            return True
        before, length = self._value(self.shares, weight), 1.0
        for _ in range(60):
            to = [share + length * each for share, each in zip(self.shares, way, strict=True)]
            if self._value(to, weight) >= before + 0.1 * length * gain:
                self.shares = to
                return False
            length /= 2
        return True

    def _value(self, shares: Sequence[float], weight: float) -> float:
        slacks = [most - sum([shares[at] for at in bets]) for bets, most in self._bounds]
        if min(shares) <= 0 or min(slacks) <= 0:
            return -math.inf
        grown = 0.0
        for chance, wealth, gains in self._results:
            wealth += sum(map(float.__mul__, shares, gains))
            if wealth <= 0:
                return -math.inf
            grown += chance * math.log(wealth)
        return grown + weight * (sum(map(math.log, shares)) + sum(map(math.log, slacks)))

    def _slope(self, weight: float) -> tuple[list[float], list[list[float]]]:
        """Return the gradient, and the Hessian with its sign changed."""
        shares, places = self.shares, range(len(self.shares))
        slope = [weight / share for share in shares]
        curve = [[0.0] * len(shares) for _ in places]
        for chance, wealth, gains in self._results:
            wealth += sum(map(float.__mul__, shares, gains))
            scaled = [gain / wealth for gain in gains]
            for i in places:
                if scaled[i]:
                    part, row = chance * scaled[i], curve[i]
                    slope[i] += part
                    for j in range(i + 1):
                        row[j] += part * scaled[j]
        for i in places:
            curve[i][i] += weight / shares[i] ** 2
        for bets, most in self._bounds:
            slack = most - sum([shares[at] for at in bets])
            for i in bets:
                slope[i] -= weight / slack
                for j in bets:
                    if j <= i:
                        curve[i][j] += weight / slack**2
        return slope, curve


def solve_linear(lower: list[list[float]], right: Sequence[float]) -> list[float]:
    """Solve a symmetric, positive definite system by its lower half (Cholesky)."""
    size = len(right)
    root = [row[:] for row in lower]
    for i in range(size):
        row = root[i]
        for j in range(i + 1):
            rest = row[j] - sum(map(float.__mul__, row[:j], root[j][:j]))
            row[j] = math.sqrt(max(rest, 1e-300)) if i == j else rest / root[j][j]
    found = list(right)
    for i in range(size):
        found[i] = (found[i] - sum(map(float.__mul__, root[i][:i], found[:i]))) / root[i][i]
    for i in reversed(range(size)):
        found[i] -= sum(root[k][i] * found[k] for k in range(i + 1, size))
        found[i] /= root[i][i]
    return found
