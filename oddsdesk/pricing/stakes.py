"""How much to stake: Kelly's criterion, a share of it, and what bounds it."""

import math
from enum import Enum
from typing import Final, NamedTuple

_DUST: Final = 1e-9


class Bound(Enum):
    """What set a stake."""

    KELLY = "kelly"
    """The chosen share of Kelly's fraction."""
    CAP = "cap"
    """The most of the bankroll that one bet may take."""
    LIMIT = "limit"
    """The reference bookmaker's maximum bet."""
    NO_EDGE = "no_edge"
    """The price is not above the fair price: nothing is staked."""
    TOO_SMALL = "too_small"
    """What would be staked is less than one step."""


class StakePlan(NamedTuple):
    """How the user stakes; amounts in the user's money, shares of 1."""

    bankroll: float = 1_000.0
    kelly_share: float = 0.25
    """Of the full Kelly fraction; a quarter halves growth's cost of a wrong probability."""
    cap: float = 0.02
    """The most of the bankroll that one bet may take."""
    keeps_to_limit: bool = True
    """Whether the reference's maximum bet bounds the stake."""
    step: float = 0.05
    """Stakes are whole multiples of it, rounded down."""


class Stake(NamedTuple):
    """What to stake on a price and why so much."""

    amount: float
    """A whole multiple of the plan's step; 0 where nothing is staked."""
    edge: float
    """Expected profit of a unit at the fair price, p * odds - 1, without the safety floor."""
    full_kelly: float
    """Kelly's fraction of the bankroll, 0 without an edge."""
    bound: Bound


def edge(odds: float, probability: float) -> float:
    """Return the expected profit of one unit: p * odds - 1."""
    return probability * odds - 1


def kelly_fraction(odds: float, probability: float) -> float:
    """Return the share of the bankroll whose logarithm grows fastest; 0 without an edge.

    f = (p * odds - 1) / (odds - 1). Kelly (1956), A New Interpretation of Information
    Rate, Bell System Technical Journal 35.
    """
    return max(0.0, edge(odds, probability) / (odds - 1))


def stake(plan: StakePlan, odds: float, fair_odds: float, limit: float | None) -> Stake:
    """Return the stake on a price; ``limit`` is the reference's maximum bet, None if unknown."""
    probability = 1 / fair_odds
    gain, full = edge(odds, probability), kelly_fraction(odds, probability)
    if full <= 0:
        return Stake(0.0, gain, 0.0, Bound.NO_EDGE)
    bounds = [
        (plan.bankroll * plan.kelly_share * full, Bound.KELLY),
        (plan.bankroll * plan.cap, Bound.CAP),
    ]
    if plan.keeps_to_limit and limit is not None:
        bounds.append((limit, Bound.LIMIT))
    wanted, bound = min(bounds, key=_amount)
    steps = math.floor(wanted / plan.step + _DUST)
    if steps <= 0:
        return Stake(0.0, gain, full, Bound.TOO_SMALL)
    return Stake(round(steps * plan.step, 6), gain, full, bound)


def _amount(bound: tuple[float, Bound]) -> float:
    return bound[0]
