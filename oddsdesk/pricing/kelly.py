"""Kelly's stakes: the shares of the bankroll whose expected logarithm grows fastest.

A formula for outcomes that exclude each other, and a numeric solution for bets that win and lose
together in any way, with limits on each and on sums of them.
"""

import math
from collections import defaultdict
from collections.abc import Generator, Sequence
from typing import Final, NamedTuple

_PRECISION: Final = 1e-11
"""Of the expected logarithm: no other stakes grow faster by more."""
_FIRST_WEIGHT: Final = 1e-2
_CUT: Final = 0.1
"""How much smaller the barrier's weight is each time."""
_NEWTON_STEPS: Final = 12
"""At most, for each weight."""
_NEAR: Final = 1e-5
"""A share so near to its limit is at it; a tenth of it is none."""
_LEAST_WEALTH: Final = 1e-6


class Game(NamedTuple):
    """What may happen, and what each bet then gains."""

    chances: Sequence[float]
    """Of each result; they add up to 1."""
    gains: Sequence[Sequence[float]]
    """By bet, then by result: what a unit staked gains; -1 where it is lost."""
    held: Sequence[float]
    """By result: what open bets gain, in the same shares of the bankroll."""


class Most(NamedTuple):
    """The most that some bets may take together."""

    bets: frozenset[int]
    share: float


def kelly_exclusive(bets: Sequence[tuple[float, float]]) -> list[float]:
    """Return Kelly's shares of outcomes of which at most one wins: (probability, net odds) each.

    Smoczynski and Tomkins (2010), An explicit solution to the problem of optimizing the
    allocations of a bettor's wealth when wagering on horse races: sorted by ``p*o``, outcomes are
    taken while theirs lies above ``R = (1 - sum p) / (1 - sum 1/o)``; each then gets ``p - R/o``.
    """
    order = sorted(range(len(bets)), key=lambda i: -bets[i][0] * bets[i][1])
    reserve, left, room = 1.0, 1.0, 1.0
    taken: list[int] = []
    for i in order:
        probability, odds = bets[i]
        if probability * odds <= reserve:
            break
        if room - 1 / odds <= 0:  # what is taken covers every outcome: nothing need be kept back
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
    game: Game, limits: Sequence[float], sums: Sequence[Most] = ()
) -> Generator[None, None, list[float]]:
    """Return the shares with the highest expected logarithm of the bankroll; in small steps.

    Kelly (1956) over all results together: maximise ``sum p log(1 + held + sum x gain)`` where
    ``0 <= x <= limit`` and no sum is passed. The function is concave, so Newton's method with a
    logarithmic barrier finds it: Boyd and Vandenberghe (2004), Convex Optimization, chapter 11.
    With ``m`` limits and the weight ``w`` of the barrier the growth is at most ``m w`` from the
    highest, by which it is ended.

    Args:
        game: What may happen.
        limits: The largest share of each bet; infinite where there is none.
        sums: The largest shares of several bets together. All of the bankroll is the most.
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
    """Shares strictly within their limits, and the way to better ones."""

    def __init__(self, game: Game, free: Sequence[int], bounds: Sequence[Most]) -> None:
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
        """Go one step of Newton's method; tell whether nothing is to be gained by another."""
        slope, curve = self._slope(weight)
        way = solved(curve, slope)
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


def solved(lower: list[list[float]], right: Sequence[float]) -> list[float]:
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
