"""Distributions of whole numbers (goals, points, margins) and the price of a line on them."""

import math
from collections.abc import Sequence
from typing import Protocol

_NEGLIGIBLE = 1e-7


class Tally(Protocol):
    """How a whole number X is distributed."""

    mean: float

    def at_least(self, value: int) -> float:
        """Return P(X >= value)."""
        ...


class Table:
    """A distribution given by the probabilities of ``lowest``, ``lowest + 1``, ..."""

    __slots__ = ("_lowest", "_tail", "mean")

    def __init__(self, probabilities: Sequence[float], lowest: int = 0) -> None:
        tail = [0.0]
        for probability in reversed(probabilities):
            tail.append(tail[-1] + probability)
        tail.reverse()
        mass = tail[0]
        self._lowest = lowest
        self._tail = [value / mass for value in tail]
        self.mean = lowest + sum(self._tail[1:])

    def at_least(self, value: int) -> float:
        """Return P(X >= value)."""
        index = value - self._lowest
        if index <= 0:
            return 1.0
        return self._tail[index] if index < len(self._tail) else 0.0


class Bell:
    """A normal distribution read at whole numbers."""

    __slots__ = ("_scale", "mean")

    def __init__(self, mean: float, deviation: float) -> None:
        self.mean = mean
        self._scale = max(deviation, 0.05) * math.sqrt(2)

    def at_least(self, value: int) -> float:
        """Return P(X >= value), with continuity correction."""
        return 0.5 * math.erfc((value - 0.5 - self.mean) / self._scale)


def above(tally: Tally, line: float) -> float:
    """Return P(X > line)."""
    return tally.at_least(math.floor(line) + 1)


def below(tally: Tally, line: float) -> float:
    """Return P(X < line)."""
    return 1 - tally.at_least(math.ceil(line))


def beats(tally: Tally, line: float) -> float:
    """Return the fair probability of a bet that X ends above the line.

    Stakes on a whole line come back when X meets it; a quarter line is two half bets.
    """
    if (line * 4) % 2:
        lower, upper = line - 0.25, line + 0.25
        won = above(tally, lower) + above(tally, upper)
        lost = below(tally, lower) + below(tally, upper)
    else:
        won, lost = above(tally, line), below(tally, line)
    return won / (won + lost) if won + lost > _NEGLIGIBLE else 0.5


def even_line(tally: Tally) -> float:
    """Return the half line that splits the distribution most evenly."""
    line = math.floor(tally.mean) + 0.5
    chance = above(tally, line)
    step = 1 if chance > 0.5 else -1
    while True:
        following = above(tally, line + step)
        if abs(following - 0.5) >= abs(chance - 0.5):
            return line
        line, chance = line + step, following


def poisson(mean: float) -> list[float]:
    """Return the Poisson probabilities of 0, 1, ... up to a negligible rest."""
    probability = math.exp(-mean)
    probabilities = [probability]
    count = 0
    while probability > _NEGLIGIBLE or count < mean:
        count += 1
        probability *= mean / count
        probabilities.append(probability)
    return probabilities
