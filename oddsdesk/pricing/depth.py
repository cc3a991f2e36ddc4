"""What a stake is paid where prices are for sale in limited amounts (D104).

An exchange or prediction market offers each of its odds for an amount of money. A stake eats the
best level first, then the next: its price is the average over what it eats. A ladder here is a
selection's levels as net odds and the money that they take, fees included; best first.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from oddsdesk.pricing.settlement import Settlement

_HALVINGS: Final = 60
"""Of bisection: the stake is then exact to the last digits of a float."""
_HAIR: Final = 1e-9


class Depth(NamedTuple):
    """What is for sale of a selection: gross odds and money before fees, best odds first."""

    levels: tuple[tuple[float, float], ...]
    currency: str = ""
    """ISO 4217; empty where nobody tells."""


class Rung(NamedTuple):
    """A level as a bettor meets it."""

    net_odds: float
    most: float
    """The largest stake at these net odds, fees included."""


Ladder = tuple[Rung, ...]


def stakeable(ladder: Ladder) -> float:
    """Return the largest stake that all levels together take."""
    return math.fsum(rung.most for rung in ladder)


def acceptable(ladder: Ladder, is_acceptable: Callable[[float], bool]) -> Ladder:
    """Return the levels up to the first whose own net odds are not acceptable."""
    for place, rung in enumerate(ladder):
        if not is_acceptable(rung.net_odds):
            return ladder[:place]
    return ladder


def at_average(ladder: Ladder, net_odds: float) -> Ladder | None:
    """Return what can be had at these odds on average, as one level; None for nothing."""
    staked = surplus = 0.0
    for rung in ladder:
        gain = rung.net_odds - net_odds
        taken = rung.most if gain >= -net_odds * _HAIR else min(rung.most, surplus / -gain)
        staked, surplus = staked + taken, max(0.0, surplus + taken * gain)
        if taken < rung.most:
            break
    return (Rung(net_odds, staked),) if staked else None


def payout(ladder: Ladder, stake: float) -> float:
    """Return what a stake pays back if it wins; what no level takes is paid nothing."""
    paid = 0.0
    for net_odds, most in ladder:
        taken = min(stake, most)
        paid += taken * net_odds
        stake -= taken
        if stake <= 0:
            break
    return paid


def net_at(ladder: Ladder, stake: float) -> float:
    """Return the net odds of a stake: the average over the levels that it eats.

    Those of the first level where nothing is staked.

    Raises:
        ValueError: there is no level.
    """
    if not ladder:
        raise ValueError("a ladder without levels has no odds")
    if stake <= ladder[0].most * (1 + _HAIR):
        return ladder[0].net_odds
    return payout(ladder, stake) / stake


def net_paying(ladder: Ladder, paid: float) -> float:
    """Return the average net odds of the stake that pays back an amount, or of all there is.

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
    """Return the stake with which the expected logarithm of a bankroll grows fastest.

    Kelly (1956), level by level: a level is eaten while its own odds still add to the growth, what
    was taken before included. Within the first level this is ``bankroll * ends.kelly(net_odds)``.
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
    """Return how fast the expected logarithm grows with what is staked at ``odds``."""
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
    """What a leg of several takes so that all pay the same."""

    stake: float
    net_odds: float
    """The average over what the stake eats."""


def shares_of_equal_payout(ladders: Sequence[Ladder], total: float) -> list[Share]:
    """Return the stakes, of at most ``total`` together, with which every leg pays the same.

    The payout is raised level by level: first as far as each leg's best level reaches, then on
    while one more unit of it costs less than a unit, so that no further level lowers what is won.
    A leg that is not limited has one level of infinite size. Stakes are 0 where a leg has no level.
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
    """Go on to the next level of each leg whose level is eaten; False where one has no more."""
    for leg, ladder in enumerate(ladders):
        while math.isfinite(left[leg]) and left[leg] <= _HAIR * ladder[places[leg]].most:
            places[leg] += 1
            if places[leg] == len(ladder):
                return False
            left[leg] = ladder[places[leg]].most
    return True
