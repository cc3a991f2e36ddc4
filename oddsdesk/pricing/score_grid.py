"""How likely each score of a football game is, fitted to the reference's fair probabilities.

A grid of scores gives the results of all lines of a game together: which win with which. It is
the model of Dixon and Coles (1997), Modelling Association Football Scores and Inefficiencies in
the Football Betting Market: goals of both teams by Poisson, with 0-0, 1-0, 0-1 and 1-1 made more
or less likely by ``rho``. Where three totals or more are priced a dispersion is fitted as well,
by the distribution of Conway and Maxwell (1962): ``rate^n / (n!)^dispersion``.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import mul
from typing import Final, NamedTuple

from oddsdesk.contract.markets import SCORE_MARKETS, Draw, Form, types_of, types_with
from oddsdesk.pricing.score_models import MOST_GOALS, SCORES, Line, Model, shares_at
from oddsdesk.pricing.selections import Goals
from oddsdesk.pricing.stakes import solve_linear

LARGEST_MISS: Final = 0.02
"""Of a probability: a grid that misses a line by more does not describe the game."""
_FACTORIALS: Final = tuple(math.lgamma(number + 1) for number in range(MOST_GOALS + 1))
_STEPS: Final = 12
_ENOUGH_TOTALS: Final = 3
_NUDGE: Final = 1e-4
_TINY: Final = 1e-12
_THREE_SIDES: Final = types_of(Form.DOUBLE_CHANCE) | types_with(
    lambda market: market.draw in (Draw.MAY_BE_SIDE, Draw.SIDE)
)
_BOUNDS: Final = ((-2.5, 2.0), (-2.5, 2.0), (-0.25, 0.25), (0.6, 1.8))
"""Of the logarithms of both rates, of rho and of the dispersion."""


class ScoreGrid(NamedTuple):
    """The probability of each score up to ``MOST_GOALS`` a side; they add up to 1."""

    chances: Sequence[float]
    """In the order of ``0-0, 0-1, ..., 1-0, ...``; the home team's goals first."""
    home_rate: float
    away_rate: float
    rho: float
    dispersion: float
    misses: Sequence[tuple[Line, float]] = ()
    """By how much the grid misses each line that it was fitted to, in probability."""

    @property
    def miss(self) -> float:
        """The largest miss."""
        return max((abs(miss) for _, miss in self.misses), default=0.0)

    @property
    def parameters(self) -> Mapping[str, float]:
        """The fitted figures, by their names for people."""
        return {
            "home rate": self.home_rate,
            "away rate": self.away_rate,
            "rho": self.rho,
            "dispersion": self.dispersion,
        }

    def chance(self, home: int, away: int) -> float:
        """Return how likely a score is."""
        return self.chances[home * (MOST_GOALS + 1) + away]

    def probability(self, market_type: str, key: str, side: str) -> float | None:
        """Return how likely a decided unit is won; None where no score settles the bet."""
        shares = shares_at(market_type, key, side)
        if shares is None:
            return None
        won = math.fsum(c * s for c, s in zip(self.chances, shares, strict=True) if s > 0)
        lost = -math.fsum(c * s for c, s in zip(self.chances, shares, strict=True) if s < 0)
        return won / (won + lost)

    def push(self, market_type: str, key: str) -> float | None:
        """Return how likely all or half of a stake comes back; None where no score settles it."""
        side = "home" if market_type in _WINNERS else "over"
        shares = shares_at(market_type, key, side)
        if shares is None:
            return None
        return math.fsum(c for c, s in zip(self.chances, shares, strict=True) if abs(s) < 1)


def score_grid(
    home_rate: float, away_rate: float, rho: float = 0.0, dispersion: float = 1.0
) -> ScoreGrid:
    """Return the grid of a model; rates in goals where the dispersion is 1."""
    home, away = _goals(home_rate, dispersion), _goals(away_rate, dispersion)
    chances = [one * other for one in home for other in away]
    size = MOST_GOALS + 1
    chances[0] *= max(0.0, 1 - home_rate * away_rate * rho)
    chances[1] *= max(0.0, 1 + home_rate * rho)
    chances[size] *= max(0.0, 1 + away_rate * rho)
    chances[size + 1] *= max(0.0, 1 - rho)
    whole = math.fsum(chances)
    return ScoreGrid([each / whole for each in chances], home_rate, away_rate, rho, dispersion)


def _goals(rate: float, dispersion: float) -> list[float]:
    """Return how likely a team is to score 0, 1, ... goals."""
    log_rate = math.log(rate)
    weights = [
        math.exp(number * log_rate - dispersion * factorial)
        for number, factorial in enumerate(_FACTORIALS)
    ]
    whole = sum(weights)
    return [each / whole for each in weights]


def fitted(
    lines: Sequence[Line], *, period: int = 0, start: Model | None = None
) -> ScoreGrid | None:
    """Return the grid nearest to the lines; None where they do not suffice."""
    return fitted_grid(lines, largest_miss=1.0)


def fitted_grid(lines: Iterable[Line], largest_miss: float = LARGEST_MISS) -> ScoreGrid | None:
    """Return the grid nearest to the reference's probabilities; None where none is near.

    Least squares over all lines by Levenberg (1944) and Marquardt (1963). Needed are a match result
    or handicap, and a line that tells the number of goals.
    """
    aims = list(_aims(lines))
    told = {aim.line.market_type for aim in aims}
    if not (told & _WINNERS and told & _GOALS):
        return None
    totals = sum(aim.line.market_type == "total" for aim in aims)
    found = _least_squares(aims, 4 if totals >= _ENOUGH_TOTALS else 3)
    grid = score_grid(math.exp(found[0]), math.exp(found[1]), found[2], found[3])
    misses = zip((aim.line for aim in aims), _misses(aims, found), strict=True)
    grid = grid._replace(misses=tuple(misses))
    return grid if grid.miss <= largest_miss else None


class _Aim(NamedTuple):
    """A line to be fitted, as weights of one view of the scores."""

    line: Line
    view: int
    won: Sequence[float]
    decided: Sequence[float]


_WINNERS: Final = SCORE_MARKETS & types_of(Form.WINNER, Form.HANDICAP)
_GOALS: Final = SCORE_MARKETS & types_of(Form.OVER_UNDER, Form.TEAM_OVER_UNDER, Form.YES_NO)
_MARGIN, _TOTAL, _HOME, _AWAY, _BOTH = range(5)
"""Views: numbers that lines are about."""


def _number(view: int, goals: Goals) -> int:
    match view:
        case 0:
            return goals.home - goals.away + MOST_GOALS
        case 1:
            return goals.home + goals.away
        case 2:
            return goals.home
        case 3:
            return goals.away
    return int(min(goals) > 0)


def _view_of(market_type: str, key: str) -> int:
    if market_type == "total":
        return _TOTAL
    if market_type == "btts":
        return _BOTH
    if market_type == "team_total":
        return _HOME if key.startswith("Home ") else _AWAY
    return _MARGIN


def _places(view: int) -> list[list[int]]:
    """Return the places of the scores with each number of a view."""
    found: list[list[int]] = []
    for place, goals in enumerate(SCORES):
        number = _number(view, goals)
        found += [[] for _ in range(number + 1 - len(found))]
        found[number].append(place)
    return found


_PLACES: Final = tuple(_places(view) for view in range(5))


def _views(chances: Sequence[float]) -> list[list[float]]:
    """Return how likely each number is, by view."""
    return [
        [sum([chances[place] for place in places]) for places in of_view] for of_view in _PLACES
    ]


@lru_cache(maxsize=1 << 10)
def _weights(
    market_type: str, key: str, side: str
) -> tuple[int, tuple[float, ...], tuple[float, ...]] | None:
    """Return the view of a line, and what is won and decided by number; None without a score."""
    shares = shares_at(market_type, key, side)
    if shares is None:
        return None
    view = _view_of(market_type, key)
    by_number = [shares[places[0]] for places in _PLACES[view]]
    return view, tuple(max(0.0, each) for each in by_number), tuple(map(abs, by_number))


def _aims(lines: Iterable[Line]) -> Iterator[_Aim]:
    """Yield the lines that a score settles; of two sides the first, as it tells the other."""
    seen = set[tuple[str, str]]()
    for line in lines:
        name = (line.market_type, line.key)
        weights = _weights(line.market_type, line.key, line.side)
        if weights is None or (name in seen and line.market_type not in _THREE_SIDES):
            continue
        seen.add(name)
        yield _Aim(line, *weights)


def _misses(aims: Sequence[_Aim], at: Sequence[float]) -> list[float]:
    """Return by how much a model misses each line."""
    views = _views(score_grid(math.exp(at[0]), math.exp(at[1]), at[2], at[3]).chances)
    return [
        sum(map(mul, aim.won, views[aim.view])) / sum(map(mul, aim.decided, views[aim.view]))
        - aim.line.probability
        for aim in aims
    ]


def _least_squares(aims: Sequence[_Aim], free: int) -> list[float]:
    """Return the parameters that miss least: logarithms of the rates, rho, dispersion."""
    at = [math.log(1.4), math.log(1.2), 0.0, 1.0]
    misses = _misses(aims, at)
    damping = 1e-3
    for _ in range(_STEPS):
        slopes = []
        for place in range(free):
            moved = at.copy()
            moved[place] += _NUDGE
            slopes.append(
                [(b - a) / _NUDGE for a, b in zip(misses, _misses(aims, moved), strict=True)]
            )
        pull = [-sum(map(mul, slope, misses)) for slope in slopes]
        curve = [
            [sum(map(mul, one, other)) for other in slopes[: row + 1]]
            for row, one in enumerate(slopes)
        ]
        before = sum(map(mul, misses, misses))
        for _ in range(_STEPS):
            damped = [
                [each * (1 + damping) + _TINY if i == j else each for j, each in enumerate(row)]
                for i, row in enumerate(curve)
            ]
            step = solve_linear(damped, pull)
            to = [
                min(max(value + change, low), high)
                for value, change, (low, high) in zip(
                    at, [*step, *[0.0] * (4 - free)], _BOUNDS, strict=True
                )
            ]
            found = _misses(aims, to)
            if (now := sum(map(mul, found, found))) <= before:
                break
            damping *= 8
        else:
            return at
        at, misses, damping = to, found, damping / 8
        if before - now <= 1e-6 * before + 1e-14:
            break
    return at
