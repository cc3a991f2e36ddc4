"""Models that know how likely each margin, total and number of points of a team is.

A sport's module gives a ``Family``: parameters, and the distributions that follow from them. Here a
family is fitted to the reference's lines, and lines are read off its distributions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oddsdesk.contract.markets import MARKETS, Draw, Form
from oddsdesk.pricing.score_models import Line, Model
from oddsdesk.pricing.selections import DRAW, HOME, OVER, Goals, result_at, share_of

Vector = NDArray[np.float64]

_NOISE: Final = 0.004
"""The usual error of a line in probability: what a parameter's distance from its usual value is
weighed against."""
_NUDGE: Final = 1e-4
_STEPS: Final = 15
_ENOUGH: Final = 1e-4
_NEAR: Final = 1e-9
"""A fit ends when a step improves the sum of squares by less."""
_TINY: Final = 1e-12


class Meaning(NamedTuple):
    """Which number decides a market in a sport, and by which rules it settles."""

    view: str
    """The name of the ``View`` that decides them."""
    settles_as: str
    """The market type whose settlement rules apply."""


Meanings = Callable[[str, str], Meaning | None]
"""Takes market type and line key; returns None if the meaning is uncertain."""


class View(NamedTuple):
    """A number that bets are about, for each case of a distribution."""

    distribution: str
    lowest: int
    """The lowest of its numbers."""
    places: NDArray[np.intp] | None = None
    """The number at each case, counted from the lowest; None if each case is a number."""


class Parameter(NamedTuple):
    """A figure of a model that is fitted."""

    usual: float
    """Where the fit starts."""
    lowest: float
    highest: float
    spread: float = 0.0
    """How much the value varies between games (a standard deviation). Only lines that contradict
    the usual value move it away. 0 leaves the parameter free."""
    is_fixed: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """A model whose parameters are not fitted yet."""

    parameters: Sequence[Parameter]
    chances: Callable[[Sequence[float]], Mapping[str, Vector]]
    """Takes the parameters' values; returns the distributions by name: how likely each case is."""
    views: Mapping[str, View]
    described: Callable[[Sequence[float]], Mapping[str, float]]
    """Takes the parameters' values; returns them by their names for people."""
    meaning: Meanings


class NumberModel(NamedTuple):
    """A fitted family."""

    family: Family
    at: tuple[float, ...]
    """The values of its parameters."""
    chances: Mapping[str, Vector]
    misses: Sequence[tuple[Line, float]]

    @property
    def parameters(self) -> Mapping[str, float]:
        """The fitted figures, by their names for people."""
        return self.family.described(self.at)

    def probability(self, market_type: str, key: str, side: str) -> float | None:
        """Return how likely a decided unit is won; None if the model does not cover it."""
        aim = self._aim(market_type, key, side)
        if aim is None:
            return None
        chances = self.chances[aim.distribution]
        decided = float(chances @ aim.decided)
        return float(chances @ aim.won) / decided if decided > _TINY else None

    def push(self, market_type: str, key: str) -> float | None:
        """Return how likely all or half of a stake comes back; None if not covered."""
        side = OVER if "total" in market_type else HOME
        aim = self._aim(market_type, key, side)
        return None if aim is None else float(self.chances[aim.distribution] @ (aim.decided < 1))

    def _aim(self, market_type: str, key: str, side: str) -> "_Aim | None":
        return _aim(self.family, Line(market_type, key, side, 0.0), self.chances)


def fit_family(
    family: Family, lines: Iterable[Line], start: Model | None = None
) -> NumberModel | None:
    """Return the member of a family that is nearest to the lines.

    None without a line on the winner or margin and one on the total or a team's points. Least
    squares by Levenberg (1944) and Marquardt (1963); parameters with a usual value are drawn to it,
    which is the most probable value if it and the lines' errors are normally distributed.
    """
    usual = tuple(parameter.usual for parameter in family.parameters)
    at = start.at if isinstance(start, NumberModel) and len(start.at) == len(usual) else usual
    chances = family.chances(at)
    aims = sorted(_aims(family, lines, chances), key=lambda aim: aim.distribution)
    forms = {MARKETS[aim.settles_as].form for aim in aims}
    if not (forms & _ON_MARGIN and forms - _ON_MARGIN):
        return None
    fit = _Fit(family, aims)
    found = tuple(fit.least(at))
    chances = family.chances(found)
    misses = map(float, fit.misses(chances))
    return NumberModel(
        family, found, chances, tuple(zip((aim.line for aim in aims), misses, strict=True))
    )


_ON_MARGIN: Final = frozenset({Form.WINNER, Form.HANDICAP, Form.DOUBLE_CHANCE})


def without_draw(lines: Iterable[Line]) -> bool | None:
    """Return whether the reference's match result is two-way; None if it prices none."""
    sides = {line.side for line in lines if line.market_type == "moneyline"}
    return DRAW not in sides if sides else None


def team_of(key: str) -> str:
    """Return the team in the key of a team total: ``home`` or ``away``."""
    return key.partition(" ")[0].lower()


class _Aim(NamedTuple):
    """A line as weights of the cases of a distribution."""

    line: Line
    distribution: str
    settles_as: str
    won: Vector
    decided: Vector


def _aim(family: Family, line: Line, chances: Mapping[str, Vector]) -> _Aim | None:
    meaning = family.meaning(line.market_type, line.key)
    if meaning is None:
        return None
    view = family.views[meaning.view]
    size = len(chances[view.distribution]) if view.places is None else int(view.places.max()) + 1
    weights = _weights(meaning.settles_as, line.key, line.side, view.lowest, size)
    if weights is None:
        return None
    if view.places is not None:
        weights = weights[0][view.places], weights[1][view.places]
    return _Aim(line, view.distribution, meaning.settles_as, *weights)


@lru_cache(maxsize=1 << 12)
def _weights(
    market_type: str, key: str, side: str, lowest: int, size: int
) -> tuple[Vector, Vector] | None:
    """Return the shares of a stake that are won and decided at each number."""
    results = [
        result_at(market_type, key, side, _score(market_type, key, number))
        for number in range(lowest, lowest + size)
    ]
    if None in results:
        return None
    shares = np.array([share_of(result) for result in results if result is not None])
    return np.maximum(shares, 0.0), np.abs(shares)


def _score(market_type: str, key: str, number: int) -> Goals:
    """Return a score at which the number that a market counts is this."""
    match MARKETS[market_type].form:
        case Form.OVER_UNDER:
            return Goals(number, 0)
        case Form.TEAM_OVER_UNDER:
            return Goals(number, 0) if key.startswith("Home ") else Goals(0, number)
    return Goals(max(number, 0), max(-number, 0))


def _aims(family: Family, lines: Iterable[Line], chances: Mapping[str, Vector]) -> Iterator[_Aim]:
    """Yield the lines that the family knows; of two sides only the first, as the other follows."""
    seen = set[tuple[str, str]]()
    for line in lines:
        aim = _aim(family, line, chances)
        name = (line.market_type, line.key)
        if aim is None or (name in seen and MARKETS[aim.settles_as].draw not in _THREE_SIDES):
            continue
        seen.add(name)
        yield aim


_THREE_SIDES: Final = (Draw.MAY_BE_SIDE, Draw.SIDE)


class _Fit:
    """The sum of squares of a family's misses."""

    def __init__(self, family: Family, aims: Sequence[_Aim]) -> None:
        self._family = family
        self._targets = np.array([aim.line.probability for aim in aims])
        self._weights = [
            (name, np.array([aim.won for aim in of_it]), np.array([aim.decided for aim in of_it]))
            for name, of_it in (
                (name, list(group)) for name, group in groupby(aims, lambda aim: aim.distribution)
            )
        ]
        self._free = [place for place, each in enumerate(family.parameters) if not each.is_fixed]
        self._drawn = [
            (place, each.usual, _NOISE / each.spread)
            for place, each in enumerate(family.parameters)
            if each.spread and not each.is_fixed
        ]

    def misses(self, chances: Mapping[str, Vector]) -> Vector:
        """Return the model's probability of each line minus the line's."""
        found = [
            (won @ chances[name]) / np.maximum(decided @ chances[name], _TINY)
            for name, won, decided in self._weights
        ]
        misses: Vector = np.concatenate(found) - self._targets
        return misses

    def _errors(self, at: Sequence[float]) -> Vector:
        """Return the misses of the lines, then those of the usual values."""
        drawn = [(at[place] - usual) * weight for place, usual, weight in self._drawn]
        return np.concatenate([self.misses(self._family.chances(at)), drawn])

    def least(self, start: Sequence[float]) -> list[float]:
        """Return the parameters whose squared errors add up to least."""
        at, errors, damping = list(start), self._errors(start), 1e-3
        before = float(errors @ errors)
        for _ in range(_STEPS):
            slopes = np.array([self._slope(at, errors, place) for place in self._free])
            curve, pull = slopes @ slopes.T, -slopes @ errors
            for _ in range(_STEPS):
                step = np.linalg.solve(curve + np.diag(np.diag(curve) * damping + _TINY), pull)
                to = self._moved(at, step)
                found = self._errors(to)
                now = float(found @ found)
                if now <= before:
                    break
                damping *= 8
            else:
                return at
            gained, at, errors, before, damping = before - now, to, found, now, damping / 8
            if gained <= _ENOUGH * before + _NEAR:
                break
        return at

    def _slope(self, at: list[float], errors: Vector, place: int) -> Vector:
        moved = at.copy()
        moved[place] += _NUDGE
        return (self._errors(moved) - errors) / _NUDGE

    def _moved(self, at: list[float], step: Vector) -> list[float]:
        to = at.copy()
        for place, change in zip(self._free, step, strict=True):
            bounds = self._family.parameters[place]
            to[place] = min(max(to[place] + float(change), bounds.lowest), bounds.highest)
        return to
