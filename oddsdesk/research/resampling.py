"""Confidence intervals of a backtest's figures, 95 %, by drawing its games again.

The seed is fixed: the same data gives the same interval. Imports numpy; import this where it is
used.
"""

import math
from collections.abc import Hashable, Iterator, Sequence
from statistics import NormalDist
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from oddsdesk.research.intervals import LEAST_GAMES, SHARE, Ends, Ratio, student

Floats: TypeAlias = npt.NDArray[np.float64]

_SEED: Final = 57
_MOST_DRAWS: Final = 2_000
_LEAST_DRAWS: Final = 200
_MOST_WORK: Final = 10_000_000
"""Resamples times games; takes some tenths of a second."""
_AT_ONCE: Final = 1_000_000
"""Games drawn at once, which bounds the memory."""
_STILL: Final = 1e-9
"""A standard error below this is rounding: all games ended alike."""
_NORMAL: Final = np.linspace(0, 8, 81)
"""Rises that are compared, in standard errors of a normal distribution; none counts for more."""


def bootstrapped(games: Sequence[Hashable], ratios: Sequence[Ratio]) -> list[Ends]:
    """Return the interval of each figure of bets, by drawing their games again.

    ``games`` has the game of each bet. Efron (1979). Bets on one game end together: drawing single
    bets would make the figures look more certain than they are. The percentiles are those of the
    expanded interval (Hesterberg, "What teachers should know about the bootstrap", arXiv
    1411.5279, 2014): as wide as Student's interval for as many games as contribute to the figure,
    since plain percentiles are too narrow for few games. A figure with fewer than ten contributing
    games has no interval.
    """
    (places,), count = _numbered([games])
    if count < LEAST_GAMES:
        return [(None, None)] * len(ratios)
    sums = np.hstack([_sums_by_game(places, count, ratio) for ratio in ratios])
    drawn = np.vstack([times @ sums for times in _times_drawn(count)])
    found: list[Ends] = []
    for column, ratio in enumerate(ratios):
        behind = _games_behind(places, ratio)
        over, under = drawn[:, 2 * column], drawn[:, 2 * column + 1]
        has_it = under > 0
        figures = over if ratio.divisors is None else over[has_it] / under[has_it]
        found.append(_ends(figures, behind) if behind >= LEAST_GAMES else (None, None))
    return found


def best_of(figures: Sequence[tuple[Sequence[Hashable], Ratio]]) -> tuple[int, float] | None:
    """Return which of several figures is the highest, and a lower end that allows for the choice.

    Each figure comes with the game of each of its bets. The highest of many figures owes something
    to luck, so the lower end of its own interval is too high. Here all lower ends are so low that
    in 97.5 % of cases all of them hold at once. So the chosen one holds at least as often, however
    it was chosen. The upper end needs no correction: choosing the highest figure cannot make it
    look too low.

    This is the studentized maximum of Romano and Wolf, "Stepwise multiple testing as formalized
    data snooping", Econometrica 73 (2005). The same games are drawn again for all figures, and of
    each resample only the figure counts that rose most, in its own standard errors. Figures that
    share most of their bets rise together, so they need less correction than Bonferroni's. A rise
    is compared by its chance in Student's distribution for the number of games, so that a figure of
    few games does not set the correction of all.

    Figures of fewer than ten games, or whose games all ended alike, are not chosen from. None if
    there are no others.
    """
    places, count = _numbered([games for games, _ in figures])
    usable = {}
    for place, (of, (_, ratio)) in enumerate(zip(places, figures, strict=True)):
        if _games_behind(of, ratio) >= LEAST_GAMES:
            estimate = _Estimate(of, count, ratio)
            if estimate.error > _STILL:
                usable[place] = estimate
    if not usable:
        return None
    moments = np.hstack([each.moments for each in usable.values()])
    most = []
    for times in _times_drawn(count):
        drawn = (times @ moments).reshape(len(times), len(usable), -1)
        rises = [each.rises(drawn[:, number]) for number, each in enumerate(usable.values())]
        most.append(np.max(rises, axis=0))
    best = max(usable, key=lambda place: usable[place].figure)
    rise = float(np.quantile(np.concatenate(most), (1 + SHARE) / 2, method="higher"))
    return best, usable[best].low(rise)


class _Estimate:
    """A ratio with its standard error by game: that of Taylor's expansion."""

    def __init__(self, places: Sequence[int], count: int, ratio: Ratio) -> None:
        sums = _sums_by_game(places, count, ratio)
        over, under = sums[:, 0], sums[:, 1]
        self.figure = float(over.sum() / under.sum())
        strays = over - self.figure * under
        self.error = float(np.sqrt(np.square(strays).sum()) / under.sum())
        self._games = _games_behind(places, ratio)
        self.moments = np.stack([strays, under, strays**2, strays * under, under**2], axis=1)
        self._student = np.array([student(self._games - 1, float(each)) for each in _NORMAL])

    def rises(self, moments: Floats) -> Floats:
        """Return by how many standard errors the figure rises, by the moments of each resample.

        At least half of the error of all games counts: those that lost may all be missing.
        """
        strays, under, squares, products, divisors = moments.T
        with np.errstate(invalid="ignore"):
            rise = strays / under
            error = np.sqrt(squares - 2 * rise * products + rise**2 * divisors) / under
        scaled = rise / np.fmax(error, self.error / 2)
        rises: Floats = np.interp(np.nan_to_num(scaled), self._student, _NORMAL)
        return rises

    def low(self, rise: float) -> float:
        """Return the lower end for a rise, which is in errors of a normal distribution."""
        wider = math.sqrt(self._games / (self._games - 1))
        return self.figure - student(self._games - 1, rise) * wider * self.error


def _numbered(samples: Sequence[Sequence[Hashable]]) -> tuple[list[list[int]], int]:
    """Return games as numbers, the same in all samples, and how many there are."""
    numbers: dict[Hashable, int] = {}
    places = [[numbers.setdefault(game, len(numbers)) for game in games] for games in samples]
    return places, len(numbers)


def _games_behind(places: Sequence[int], ratio: Ratio) -> int:
    """Return how many games contribute to a figure."""
    parts = zip(places, ratio.parts, strict=True)
    return len({place for place, part in parts if part is not None})


def _sums_by_game(places: Sequence[int], count: int, ratio: Ratio) -> Floats:
    """Return a row for each game: the sum of its parts, and that of their divisors."""
    divisors = [1.0] * len(places) if ratio.divisors is None else ratio.divisors
    told = [0.0 if part is None else it for part, it in zip(ratio.parts, divisors, strict=True)]
    sums = np.zeros((count, 2))
    np.add.at(sums, places, np.array([[part or 0.0 for part in ratio.parts], told]).T)
    return sums


def _times_drawn(games: int) -> Iterator[Floats]:
    """Yield how often each game is drawn, a row for each resample, some resamples at a time."""
    left = min(max(_MOST_WORK // games, _LEAST_DRAWS), _MOST_DRAWS)
    chance = np.random.default_rng(_SEED)
    while left:
        rows = min(max(_AT_ONCE // games, 1), left)
        drawn = chance.integers(games, size=(rows, games))
        drawn += np.arange(0, rows * games, games)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * games)
        yield times.reshape(rows, games).astype(np.float64)
        left -= rows


def _ends(figures: Floats, games: int) -> Ends:
    if not len(figures):
        return None, None
    reach = student(games - 1) * math.sqrt(games / (games - 1))
    ordered, tail = np.sort(figures), NormalDist().cdf(-reach)
    last = len(ordered) - 1
    return float(ordered[math.floor(tail * last)]), float(ordered[math.ceil((1 - tail) * last)])
