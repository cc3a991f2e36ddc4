"""Line groups with their true probabilities, built from distributions of the score."""

import math
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, Protocol

_NEGLIGIBLE = 1e-7


class Tally(Protocol):
    """How a whole number X is distributed."""

    mean: float

    def at_least(self, value: int) -> float:
        """Return P(X >= value)."""


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


LEAST_OFFERED = 0.02
MOST_OFFERED = 0.95
"""No bookmaker prices an outcome less or more probable than this."""


class Axis(Enum):
    """Which of a bookmaker's opinions bears on a group."""

    SIDE = "side"
    SIZE = "size"


class Group(NamedTuple):
    """Selections that settle against each other.

    ``tilts`` says which way an opinion moves each probability; ``rank`` is 0 for the main
    line and grows with the distance from it; ``asian`` lines are whole or quarter lines.
    """

    selections: tuple[str, ...]
    probabilities: tuple[float, ...]
    tilts: tuple[float, ...]
    axis: Axis
    rank: int = 0
    asian: bool = False


class MarketKey(NamedTuple):
    """A market of a game; ``variant`` tells apart those that only some bookmakers have."""

    market_type: str
    period: int
    variant: str = ""


class Step(NamedTuple):
    """A line's place around the main one."""

    offset: float
    rank: int
    asian: bool = False


Markets = dict[MarketKey, tuple[Group, ...]]

_TWO = (1.0, -1.0)
_THREE = (1.0, 0.0, -1.0)


def two_way(
    first: str, second: str, probability: float, axis: Axis, step: Step | None = None
) -> Group:
    """Return a group of two outcomes, of which the first has the probability."""
    rank, asian = (0, False) if step is None else (step.rank, step.asian)
    return Group((first, second), (probability, 1 - probability), _TWO, axis, rank, asian)


def three_way(selections: tuple[str, str, str], margin: Tally, line: int, rank: int = 0) -> Group:
    """Return home, draw and away once the line is added to the home side's margin."""
    home = margin.at_least(1 - line)
    away = 1 - margin.at_least(-line)
    draw = max(0.0, 1 - home - away)
    return Group(selections, (home, draw, away), _THREE, Axis.SIDE, rank)


def double_chance(margin: Tally) -> Group:
    """Return ``1X``, ``X2`` and ``12``, of which two win together."""
    home, away = above(margin, 0), below(margin, 0)
    chances = (1 - away, 1 - home, home + away)
    return Group(("1X", "X2", "12"), chances, (0.3, -0.3, 0.0), Axis.SIDE)


def over_under(
    tally: Tally, centre: float, steps: tuple[Step, ...], subject: str = ""
) -> tuple[Group, ...]:
    """Return totals around a centre; ``subject`` stands before ``Over`` and ``Under``."""
    prefix = f"{subject} " if subject else ""
    groups = []
    for step in steps:
        line = centre + step.offset
        if line <= 0:
            continue
        over, under = f"{prefix}Over {line:g}", f"{prefix}Under {line:g}"
        groups.append(two_way(over, under, beats(tally, line), Axis.SIZE, step))
    return offered(groups)


def handicaps(
    home: str, away: str, margin: Tally, centre: float, steps: tuple[Step, ...]
) -> tuple[Group, ...]:
    """Return handicaps around a centre, which is the line of the home side."""
    groups = []
    for step in steps:
        line = centre + step.offset
        sides = f"{home} {signed(line)}", f"{away} {signed(-line)}"
        groups.append(two_way(*sides, beats(margin, -line), Axis.SIDE, step))
    return offered(groups)


def signed(line: float) -> str:
    """Return a line with its sign; zero is ``+0``."""
    return f"{line + 0.0:+g}"


def offered(groups: list[Group]) -> tuple[Group, ...]:
    """Return the groups that a bookmaker would price, neither certain nor hopeless."""
    return tuple(
        group
        for group in groups
        if min(group.probabilities) >= LEAST_OFFERED and max(group.probabilities) <= MOST_OFFERED
    )
