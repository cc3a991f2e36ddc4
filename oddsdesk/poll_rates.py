"""How often to read each of several things whose prices change, where reading costs (D68).

Prices that change ``l`` times an hour, read ``f`` times an hour, have changed ``l / 2f`` times
unseen on the average. Summed with weights ``w`` that is least, for a budget ``B`` of credits an
hour and costs ``c``, where ``f = B * sqrt(w*l/c) / sum(sqrt(w*l*c))``.
"""

import math
from collections.abc import Iterable, Sequence

import msgspec


class Reading(msgspec.Struct, frozen=True):
    """One thing to read again and again."""

    cost: float
    """Credits a time; above 0."""
    weight: float
    """How much depends on it: watched games times markets."""
    change_rate: float
    """Changes an hour."""
    most: float = math.inf
    """The most readings an hour that can find anything new; above 0."""

    @property
    def pull(self) -> float:
        """Its share of readings, relative to others below their ``most``."""
        return math.sqrt(self.weight * self.change_rate / self.cost)


def poll_rates(readings: Sequence[Reading], budget: float) -> list[float]:
    """Return how many times an hour to read each; together that costs at most the budget.

    What those at their ``most`` leave over is shared among the others.

    Args:
        readings: What there is to read.
        budget: Credits an hour.
    """
    level = _level(readings, max(budget, 0.0))
    return [min(each.most, level * each.pull) if each.pull > 0 else 0.0 for each in readings]


def need(readings: Iterable[Reading]) -> float:
    """Return what a budget that follows the need is in proportion to: ``sum(sqrt(w*l*c))``.

    Changes unseen, summed over times with more and with less to read, are least where that is so.
    """
    return math.fsum(each.pull * each.cost for each in readings)


def _level(readings: Iterable[Reading], budget: float) -> float:
    """Return the factor of all pulls that spends the budget; inf where all are at their most."""
    waiting = sorted((each for each in readings if each.pull > 0), key=_full_at)
    costs = [each.pull * each.cost for each in waiting]
    left = budget
    for number, each in enumerate(waiting):
        level = left / math.fsum(costs[number:])
        if level <= _full_at(each):
            return level
        left -= each.cost * each.most
    return math.inf


def _full_at(reading: Reading) -> float:
    return reading.most / reading.pull
