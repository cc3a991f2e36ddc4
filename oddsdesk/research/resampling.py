"""Confidence intervals of a backtest's figures, 95 %, by drawing its games again.

The seed is fixed: the same data gives the same interval. Imports numpy; import this where it is
used.
"""

import math
from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from oddsdesk.research.intervals import Ratio, student

Ends: TypeAlias = tuple[float | None, float | None]
Floats: TypeAlias = npt.NDArray[np.float64]

_SEED: Final = 57
_MOST_DRAWS: Final = 2_000
_LEAST_DRAWS: Final = 200
_LEAST_GAMES: Final = 10
"""With fewer, a resample may be the same winner again and again."""
_MOST_WORK: Final = 10_000_000
"""Resamples times games; takes some tenths of a second."""
_AT_ONCE: Final = 1_000_000
"""Games drawn at once, which bounds the memory."""


def bootstrapped(games: Sequence[Hashable], ratios: Sequence[Ratio]) -> list[Ends]:
    """Return the interval of each figure of bets, by drawing their games again.

    ``games`` has the game of each bet. Efron (1979). Bets on one game end together: drawing single
    bets would make the figures look more certain than they are. The percentiles are those of the
    expanded interval (Hesterberg, "What teachers should know about the bootstrap", arXiv
    1411.5279, 2014): as wide as Student's interval for as many games as contribute to the figure,
    since plain percentiles are too narrow for few games. A figure with fewer than ten contributing
    games has no interval.
    """
    numbers: dict[Hashable, int] = {}
    places = [numbers.setdefault(game, len(numbers)) for game in games]
    if len(numbers) < _LEAST_GAMES:
        return [(None, None)] * len(ratios)
    drawn = _drawn(_sums_by_game(places, len(numbers), ratios))
    found: list[Ends] = []
    for column, ratio in enumerate(ratios):
        told = zip(places, ratio.parts, strict=True)
        behind = len({place for place, part in told if part is not None})
        figures = _figures(drawn, column, ratio)
        found.append(_ends(figures, behind) if behind >= _LEAST_GAMES else (None, None))
    return found


def _sums_by_game(places: Sequence[int], games: int, ratios: Sequence[Ratio]) -> Floats:
    """Return a row for each game: the sums of parts and of divisors, of each ratio in turn."""
    columns = []
    for parts, divisors in ratios:
        of = [0.0] * len(parts) if divisors is None else divisors
        under = [0.0 if part is None else each for part, each in zip(parts, of, strict=True)]
        columns += [[part or 0.0 for part in parts], under]
    return np.stack([np.bincount(places, column, games) for column in columns], axis=1)


def _drawn(sums: Floats) -> Floats:
    """Return the sums over games that are drawn with replacement, a row for each resample."""
    games = len(sums)
    draws = min(max(_MOST_WORK // games, _LEAST_DRAWS), _MOST_DRAWS)
    chance = np.random.default_rng(_SEED)
    found = np.empty((draws, sums.shape[1]))
    for first in range(0, draws, step := max(_AT_ONCE // games, 1)):
        rows = min(step, draws - first)
        picked = chance.integers(games, size=(rows, games))
        picked += np.arange(0, rows * games, games)[:, None]
        times = np.bincount(picked.ravel(), minlength=rows * games).reshape(rows, games)
        found[first : first + rows] = times @ sums
    return found


def _figures(drawn: Floats, column: int, ratio: Ratio) -> Floats:
    """Return a figure of each resample that has it."""
    over, under = drawn[:, 2 * column], drawn[:, 2 * column + 1]
    if ratio.divisors is None:
        return over
    has_it = under > 0
    return over[has_it] / under[has_it]


def _ends(figures: Floats, games: int) -> Ends:
    if not len(figures):
        return None, None
    reach = student(games - 1) * math.sqrt(games / (games - 1))
    ordered, tail = np.sort(figures), NormalDist().cdf(-reach)
    last = len(ordered) - 1
    return float(ordered[math.floor(tail * last)]), float(ordered[math.ceil((1 - tail) * last)])
