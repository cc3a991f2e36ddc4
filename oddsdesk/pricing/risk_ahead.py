"""What open bets may still win and lose together, and Kelly stakes over several games.

A draw is what one number decides, such as a game's score: its possible results, each with a chance.
Draws are independent. A bet's profit depends on one draw, or on several if it is a multiple.

The distribution of the result is exact while it has at most ``MOST_RESULTS`` different results;
beyond that it is simulated with a seed.
"""

import math
import random
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, product
from typing import Final, NamedTuple

from oddsdesk.base.tasks import returned
from oddsdesk.pricing.stakes import GameBets, kelly_exclusive, most_growth

MOST_RESULTS: Final = 20_000
RUNS: Final = 50_000
_HAIR: Final = 1e-7
"""Results that differ by less, in money, count as equal."""
_MOST_JOINT: Final = 20_000
"""Results of several draws that one bet depends on, up to which they are all tried."""
_SWEEPS: Final = 100
_STILL: Final = 1e-10


class Share(NamedTuple):
    """What is known of a bet's chances on a draw."""

    shares: Sequence[float]
    """By result: the share of its stake that it wins, 1 to -1."""
    chance: float
    """The chance that a decided unit is won."""
    decided: float | None = None
    """The average share of the stake that is won or lost; None if unknown."""


def fitted_chances(prior: Sequence[float], bets: Sequence[Share]) -> list[float]:
    """Return the chances of a draw's results, by those of the bets on it.

    The chances nearest to ``prior`` that give each bet its chance: generalized iterative scaling of
    Darroch and Ratcliff (1972), Generalized Iterative Scaling for Log-Linear Models. Where bets
    contradict each other, such as both sides of a line with fair odds of different moments, it is a
    compromise between them.
    """
    whole = math.fsum(prior)
    chances = [each / whole for each in prior]
    for _ in range(_SWEEPS):
        moved, found = 0.0, list[list[float]]()
        for bet in bets:
            before, chances = chances, _scaled(chances, bet)
            moved = max(moved, *(abs(a - b) for a, b in zip(before, chances, strict=True)))
            found.append(chances)
        if moved < _STILL:
            break
    else:
        chances = [math.fsum(of_one) / len(found) for of_one in zip(*found, strict=True)]
    return chances


def _scaled(chances: Sequence[float], bet: Share) -> list[float]:
    won = math.fsum(c * max(0.0, s) for c, s in zip(chances, bet.shares, strict=True))
    lost = math.fsum(c * max(0.0, -s) for c, s in zip(chances, bet.shares, strict=True))
    decided = won + lost
    wanted = decided if bet.decided is None else min(bet.decided, 1.0)
    if not won or not lost:
        return list(chances)
    back = (1 - wanted) / (1 - decided) if 1 - decided > _STILL else 1.0
    win, loss = bet.chance * wanted / won, (1 - bet.chance) * wanted / lost
    scaled = []
    for chance, share in zip(chances, bet.shares, strict=True):
        factor = (win**share if share > 0 else loss**-share) * back ** (1 - abs(share))
        scaled.append(chance * factor)
    whole = math.fsum(scaled)
    return [each / whole for each in scaled]


class OpenRisk(NamedTuple):
    """A bet: its profit by the results of the draws that decide it."""

    draws: tuple[int, ...]
    """Positions among the draws."""
    profit: Callable[[tuple[int, ...]], float]
    """Returns the profit, given the position of each draw's result."""
    worst: float
    best: float


class Ahead(NamedTuple):
    """The distribution of a result."""

    results: Sequence[tuple[float, float]]
    """Profit and chance, the worst first; the chances add up to 1."""
    worst: float
    """The largest loss, negative. If too many multiples share games, a bound: each bet at worst."""
    best: float
    runs: int = 0
    """How many results were simulated; 0 if the distribution is exact."""

    @property
    def is_exact(self) -> bool:
        """Whether it is exact for the chances of the draws."""
        return not self.runs

    @property
    def expected(self) -> float:
        """The mean result."""
        return math.fsum(profit * chance for profit, chance in self.results)

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        mean = self.expected
        return math.sqrt(math.fsum(c * (p - mean) ** 2 for p, c in self.results))

    def chance_down(self, by: float = 0.0) -> float:
        """Return the chance to lose ``by`` or more; to lose anything if 0."""
        most = -by if by else -2 * _HAIR
        return math.fsum(c for profit, c in self.results if profit <= most + _HAIR)

    def quantile(self, share: float) -> float:
        """Return the result that is not exceeded with this chance."""
        below = list(accumulate(chance for _, chance in self.results))
        place = bisect_left(below, share * (1 - 1e-12))
        return self.results[min(place, len(below) - 1)][0]

    def growth(self, bankroll: float, times: float = 1.0) -> float:
        """Return the expected log growth of a bankroll by ``times`` these bets.

        Minus infinity if they can lose all of it.
        """
        if bankroll + times * self.worst <= 0:
            return -math.inf
        return math.fsum(c * math.log1p(times * p / bankroll) for p, c in self.results)

    def kelly_share(self, bankroll: float) -> float | None:
        """Return which share of Kelly these bets are: 1 if a multiple of them grows no faster.

        None if the bankroll does not grow by any multiple of them, or if they cannot lose.
        """
        if self.expected <= _HAIR or self.worst >= 0:
            return None
        least, most = 0.0, -bankroll / self.worst
        for _ in range(80):
            middle = (least + most) / 2
            slope = math.fsum(c * p / (bankroll + middle * p) for p, c in self.results)
            least, most = (middle, most) if slope > 0 else (least, middle)
        return 1 / least if least else None


def risk_ahead(
    draws: Sequence[Sequence[float]],
    bets: Iterable[OpenRisk],
    *,
    seed: int = 0,
    runs: int = RUNS,
    most_results: int = MOST_RESULTS,
) -> Ahead:
    """Return the distribution of what bets win together.

    Args:
        draws: The chances of each draw's results.
        bets: The bets on them.
        seed: Of the simulation.
        runs: Results of the simulation.
        most_results: The most different results up to which the distribution is exact.
    """
    chooser = random.Random(seed)  # noqa: S311 - a simulation that can be repeated
    apart, sampled = list[list[tuple[float, float]]](), list[list[float]]()
    worst = best = 0.0
    for together, on_them in _connected(bets):
        if math.prod(len(draws[draw]) for draw in together) <= _MOST_JOINT:
            found = _joint(draws, together, on_them)
            worst, best = worst + found[0][0], best + found[-1][0]
            apart.append(found)
        else:
            worst += math.fsum(bet.worst for bet in on_them)
            best += math.fsum(bet.best for bet in on_them)
            sampled.append(_sampled(draws, together, on_them, chooser, runs))
    summed = None if sampled else _summed(apart, most_results)
    if summed is not None:
        return Ahead(summed, worst, best)
    totals = [0.0] * runs
    for found in apart:
        profits, chances = zip(*found, strict=True)
        sampled.append(chooser.choices(profits, cum_weights=list(accumulate(chances)), k=runs))
    for each in sampled:
        totals = list(map(float.__add__, totals, each))
    return Ahead(_merged([(total, 1 / runs) for total in totals]), worst, best, runs)


def _connected(bets: Iterable[OpenRisk]) -> list[tuple[tuple[int, ...], list[OpenRisk]]]:
    """Return the bets in groups that share no draw, with the draws of each."""
    groups = list[tuple[set[int], list[OpenRisk]]]()
    for bet in bets:
        mine, members = set(bet.draws), [bet]
        for group in [each for each in groups if each[0] & mine]:
            groups.remove(group)
            mine |= group[0]
            members = group[1] + members
        groups.append((mine, members))
    return [(tuple(sorted(mine)), members) for mine, members in groups]


def _profits(
    together: tuple[int, ...], bets: Sequence[OpenRisk], results: Sequence[int]
) -> Iterator[float]:
    at = dict(zip(together, results, strict=True))
    for bet in bets:
        yield bet.profit(tuple(at[draw] for draw in bet.draws))


def _joint(
    draws: Sequence[Sequence[float]], together: tuple[int, ...], bets: Sequence[OpenRisk]
) -> list[tuple[float, float]]:
    """Return the distribution of bets by trying every result of their draws."""
    found = []
    for results in product(*(range(len(draws[draw])) for draw in together)):
        chance = math.prod(draws[draw][at] for draw, at in zip(together, results, strict=True))
        found.append((math.fsum(_profits(together, bets, results)), chance))
    return _merged(found)


def _sampled(
    draws: Sequence[Sequence[float]],
    together: tuple[int, ...],
    bets: Sequence[OpenRisk],
    chooser: random.Random,
    runs: int,
) -> list[float]:
    columns = [
        chooser.choices(range(len(draws[draw])), cum_weights=list(accumulate(draws[draw])), k=runs)
        for draw in together
    ]
    place = {draw: at for at, draw in enumerate(together)}
    totals = [0.0] * runs
    for bet in bets:
        known = dict[tuple[int, ...], float]()
        for run, results in enumerate(
            zip(*(columns[place[draw]] for draw in bet.draws), strict=True)
        ):
            if (profit := known.get(results)) is None:
                profit = known[results] = bet.profit(results)
            totals[run] += profit
    return totals


def _summed(
    apart: Sequence[list[tuple[float, float]]], most_results: int
) -> list[tuple[float, float]] | None:
    """Return the distribution of a sum; None if it has too many different results."""
    found = [(0.0, 1.0)]
    for each in sorted(apart, key=len):
        if len(found) * len(each) > most_results * 2:
            return None
        found = _merged([(a + b, p * q) for a, p in found for b, q in each])
        if len(found) > most_results:
            return None
    return found


def _merged(results: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return results in order, those that differ only by rounding as one."""
    found = list[tuple[float, float]]()
    for profit, chance in sorted(results):
        if found and profit - found[-1][0] <= _HAIR:
            found[-1] = (found[-1][0], found[-1][1] + chance)
        elif chance > 0:
            found.append((profit, chance))
    return found or [(0.0, 1.0)]


def chance_ever_down(to: float, kelly_share: float) -> float:
    """Return the chance that a bankroll ever falls to a share ``to`` of itself.

    ``to^(2/c - 1)`` for stakes of ``c`` times Kelly, in the limit of many small bets: Thorp (2006),
    The Kelly Criterion in Blackjack, Sports Betting and the Stock Market, section 3. From twice
    Kelly on it is certain.
    """
    if kelly_share >= 2:
        return 1.0
    return float(to ** (2 / kelly_share - 1))


Outcome = tuple[float, float]
"""Chance and odds after commission."""


class KellyStakes(NamedTuple):
    """Stakes with the highest expected log growth."""

    shares: Sequence[Sequence[float]]
    """By game, then by outcome: shares of the bankroll."""
    growth: float
    """The expected growth of the logarithm of the bankroll."""


def kelly_across(games: Sequence[Sequence[Outcome]]) -> KellyStakes:
    """Return Kelly's stakes on outcomes of several independent games that are bet on at once.

    Of each game at most one outcome wins. Within one game they are those of Smoczynski and Tomkins
    (``kelly_exclusive``); for several games they are found numerically over all combined results.

    Raises:
        ValueError: the games have too many combined results, or chances add up to more than 1.
    """
    alone = [kelly_exclusive(game) for game in games]
    if len(games) == 1:
        return KellyStakes(alone, _growth(games, alone))
    # Independent games do not make a bet worth while that is not so alone.
    staked = [place for place, shares in enumerate(alone) if any(shares)]
    combined = list(_combined([games[place] for place in staked]))
    bets = [(at, bet) for at, place in enumerate(staked) for bet in range(len(games[place]))]
    gains = [
        [games[staked[at]][bet][1] - 1 if won[at] == bet else -1.0 for _, won in combined]
        for at, bet in bets
    ]
    chances = [chance for chance, _ in combined]
    game_bets = GameBets(chances, gains, [0.0] * len(chances))
    found = returned(most_growth(game_bets, [math.inf] * len(bets)))
    shares = [[0.0] * len(game) for game in games]
    for (at, bet), share in zip(bets, found, strict=True):
        shares[staked[at]][bet] = share
    return KellyStakes(shares, _growth(games, shares))


def _combined(games: Sequence[Sequence[Outcome]]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Yield each combined result: its chance, and the winner of each game, -1 for none of them."""
    ways = [_ways(game) for game in games]
    if math.prod(map(len, ways)) > _MOST_JOINT:
        raise ValueError("too many games at once: leave some out")
    for way in product(*ways):
        yield math.prod(chance for chance, _ in way), tuple(winner for _, winner in way)


def _ways(game: Sequence[Outcome]) -> list[tuple[float, int]]:
    none = 1 - math.fsum(chance for chance, _ in game)
    if none < -1e-9:
        raise ValueError("the chances of a game add up to more than 1")
    found = [(chance, at) for at, (chance, _) in enumerate(game)]
    return [*found, (none, -1)] if none > 1e-12 else found


def _growth(games: Sequence[Sequence[Outcome]], shares: Sequence[Sequence[float]]) -> float:
    """Return the expected log growth of stakes on several games at once."""
    growth = 0.0
    for chance, winners in _combined(games):
        wealth = 1 - math.fsum(map(math.fsum, shares))
        for game, winner in enumerate(winners):
            if winner >= 0:
                wealth += shares[game][winner] * games[game][winner][1]
        growth += chance * math.log(wealth) if wealth > 0 else -math.inf
    return growth
