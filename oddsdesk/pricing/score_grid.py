"""How likely each score of a football game is, fitted to the reference's fair probabilities.

A grid of scores gives the results of all lines of a game together: which win with which. It is
the model of Dixon and Coles (1997), Modelling Association Football Scores and Inefficiencies in
the Football Betting Market: goals of both teams by Poisson, with 0-0, 1-0, 0-1 and 1-1 made more
or less likely by ``rho``. Where three totals or more are priced a dispersion of the goals of both
teams together is fitted as well, by the distribution of Conway and Maxwell (1962):
``rate^n / (n!)^dispersion`` for n goals, shared out between the teams by their rates. Each
half has a separate grid.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oddsdesk.base.texts import N_
from oddsdesk.contract.markets import HANDICAPS, SCORE_MARKETS, Draw, Form, types_of, types_with
from oddsdesk.pricing.score_models import MOST_GOALS, SCORES, Line, Model, shares_at, tells_draw
from oddsdesk.pricing.selections import HOME, OVER

LARGEST_MISS: Final = 0.02
"""Of a probability: a grid that misses a line by more does not describe the game."""
Array = NDArray[np.float64]
_HOME_GOALS, _AWAY_GOALS = np.array(SCORES, dtype=np.float64).T
_FACTORIALS: Final = np.array([math.lgamma(h + 1) + math.lgamma(a + 1) for h, a in SCORES])
_OF_TOTAL: Final = np.array([math.lgamma(h + a + 1) for h, a in SCORES])
_FACTORS: Final = np.array([_HOME_GOALS, _AWAY_GOALS, np.zeros(len(SCORES)), -_OF_TOTAL])
"""How the logarithm of each score's chance changes with the parameters, apart from ``rho``."""
_SHARED_OUT: Final = _OF_TOTAL - _FACTORIALS
"""The logarithm of the number of ways in which the teams can share each score's goals."""
_ALL_SCORES: Final = np.ones((1, len(SCORES)))
_LOW: Final = np.array([0, 1, MOST_GOALS + 1, MOST_GOALS + 2])
"""The places of 0-0, 0-1, 1-0 and 1-1."""
_STEPS: Final = 12
_ENOUGH_TOTALS: Final = 3
_SETTLED: Final = 3e-7
_NEARLY: Final = 5e-5
"""After a step below this, the next one would be below ``_SETTLED``."""
_TINY: Final = 1e-12
_THREE_SIDES: Final = types_of(Form.DOUBLE_CHANCE) | types_with(
    lambda market: market.draw in (Draw.MAY_BE_SIDE, Draw.SIDE)
)
_USUAL_RHO: Final = -0.06
"""The median of 100 games of Pinnacle; used if no line depends on the draw."""
_START: Final = (math.log(1.4), math.log(1.2), _USUAL_RHO, 1.0)
_OTHER_STARTS: Final = tuple(
    (math.log(home), math.log(away), _USUAL_RHO, 1.0) for home, away in ((2.5, 2.5), (0.6, 0.6))
)
"""Tried if the first start gives a model that misses a line: another may give a closer one."""
_WELL: Final = 0.005
"""Other starts are tried if a miss is larger than this."""
_RHO: Final = 2
_DISPERSION: Final = 3
_BOUNDS: Final = ((-2.5, 2.0), (-2.5, 2.0), (-0.25, 0.25), (0.6, 1.8))
"""Bounds of the logarithms of both rates, of rho and of the dispersion."""
_WINNERS: Final = SCORE_MARKETS & types_of(Form.WINNER, Form.HANDICAP)
_GOALS: Final = SCORE_MARKETS & types_of(Form.OVER_UNDER, Form.TEAM_OVER_UNDER, Form.YES_NO)


@dataclass(frozen=True, eq=False)
class ScoreGrid:
    """The probability of each score up to ``MOST_GOALS`` a side; they add up to 1."""

    at: Array
    """In the order of ``0-0, 0-1, ..., 1-0, ...``; the home team's goals first."""
    home_rate: float
    away_rate: float
    rho: float
    dispersion: float
    misses: Sequence[tuple[Line, float]] = ()
    """By how much the grid misses each line that it was fitted to, in probability."""

    @cached_property
    def chances(self) -> list[float]:
        """The same as plain numbers."""
        return [float(chance) for chance in self.at]

    @property
    def miss(self) -> float:
        """The largest miss."""
        return max((abs(miss) for _, miss in self.misses), default=0.0)

    @property
    def parameters(self) -> Mapping[str, float]:
        """The fitted figures, by their names for people."""
        return {
            N_("home rate"): self.home_rate,
            N_("away rate"): self.away_rate,
            "rho": self.rho,
            N_("dispersion"): self.dispersion,
        }

    def chance(self, home: int, away: int) -> float:
        """Return how likely a score is."""
        return self.chances[home * (MOST_GOALS + 1) + away]

    def probability(self, market_type: str, key: str, side: str) -> float | None:
        """Return how likely a decided unit is won; None where no score settles the bet."""
        weights = _weights(market_type, key, side)
        if weights is None:
            return None
        won, decided = (weights.ends @ self.at).tolist()
        return float(won / decided)

    def push(self, market_type: str, key: str) -> float | None:
        """Return how likely all or half of a stake comes back; None if no score settles the bet."""
        weights = _weights(market_type, key, _FIRST_SIDES.get(market_type, OVER))
        if weights is None:
            return None
        return float(weights.returned @ self.at) if weights.can_push else 0.0


_FIRST_SIDES: Final = dict.fromkeys(HANDICAPS | _WINNERS, HOME) | {
    "double_chance": "1X",
    "btts": "yes",
}


def score_grid(
    home_rate: float, away_rate: float, rho: float = 0.0, dispersion: float = 1.0
) -> ScoreGrid:
    """Return the grid of a model; rates in goals where the dispersion is 1."""
    weights = _grid([math.log(home_rate), math.log(away_rate), rho, dispersion])[0]
    return ScoreGrid(weights / weights.sum(), home_rate, away_rate, rho, dispersion)


def fitted(
    lines: Sequence[Line], *, period: int = 0, start: Model | None = None
) -> ScoreGrid | None:
    """Return the grid nearest to the lines; None if there are too few.

    Least squares over all lines by Levenberg (1944) and Marquardt (1963). It needs a match
    result or handicap, and a line on the number of goals. ``rho`` is fitted if some line depends on
    the draw. A fit that ends at a bound of ``rho`` or the dispersion is refused.
    """
    aims = _aims(lines)
    told = {aim.market_type for aim, _ in aims}
    if not (told & _WINNERS and told & _GOALS):
        return None
    free = [0, 1]
    if tells_draw(aim for aim, _ in aims):
        free.append(_RHO)
    if sum(aim.market_type == "total" for aim, _ in aims) >= _ENOUGH_TOTALS:
        free.append(_DISPERSION)
    begin = list(_START)
    if isinstance(start, ScoreGrid):
        last = [math.log(start.home_rate), math.log(start.away_rate), start.rho, start.dispersion]
        for place in free:
            begin[place] = last[place]
    ends = np.concatenate([*(weights.ends for _, weights in aims), _ALL_SCORES])
    wanted = np.array([aim.probability for aim, _ in aims])
    found = _least_squares(ends, wanted, begin, free)
    for other in _OTHER_STARTS if start is None else ():
        if np.abs(found.misses).max() > _WELL or _is_at_bound(found, free):
            again = _least_squares(ends, wanted, list(other), free)
            found = min(found, again, key=lambda each: each.size)
    if _is_at_bound(found, free):
        return None
    log_home, log_away, rho, dispersion = found.parameters
    return ScoreGrid(
        found.chances / found.chances.sum(),
        math.exp(log_home),
        math.exp(log_away),
        rho,
        dispersion,
        tuple(zip([aim for aim, _ in aims], found.misses.tolist(), strict=True)),
    )


def _is_at_bound(found: "_Fit", free: Sequence[int]) -> bool:
    """Return whether the lines ask for more of rho or the dispersion than the model has."""
    return any(
        place in free and found.parameters[place] in _BOUNDS[place] for place in (_RHO, _DISPERSION)
    )


def fitted_grid(lines: Sequence[Line]) -> ScoreGrid | None:
    """Return the grid nearest to the lines; None where it misses one by too much."""
    grid = fitted(lines)
    return grid if grid is not None and grid.miss <= LARGEST_MISS else None


class _Weights(NamedTuple):
    """How a side of a line settles at each score."""

    ends: Array
    """Two rows: the share of the stake that is won, and the share that is decided."""
    returned: Array
    """1 where all or half of the stake comes back."""
    can_push: bool


@lru_cache(maxsize=1 << 10)
def _weights(market_type: str, key: str, side: str) -> _Weights | None:
    """Return the weights of a side; None if the score does not settle it."""
    shares = shares_at(market_type, key, side)
    if shares is None:
        return None
    won, decided = np.maximum(shares, 0.0), np.abs(shares)
    returned = np.asarray(decided < 1, np.float64)
    return _Weights(np.array([won, decided]), returned, bool(returned.any()))


def _aims(lines: Iterable[Line]) -> list[tuple[Line, _Weights]]:
    """Return the lines that a score settles; of two sides only the first, as the other follows."""
    seen, found = set[tuple[str, str]](), list[tuple[Line, _Weights]]()
    for line in lines:
        name = line[:2]
        weights = _weights(*line[:3])
        if weights is not None and (name not in seen or line.market_type in _THREE_SIDES):
            seen.add(name)
            found.append((line, weights))
    return found


class _Fit(NamedTuple):
    """A model, and how far it is off on each line."""

    parameters: list[float]
    chances: Array
    """The weight of each score; not yet divided by their sum."""
    misses: Array
    slopes: Array
    """By line and parameter."""
    size: float
    """The sum of the squared misses."""


def _grid(at: Sequence[float]) -> Array:
    """Return weights of the scores, and in four more rows how they change by parameter."""
    log_home, log_away, rho, _ = at
    home, away = math.exp(log_home), math.exp(log_away)
    both = home * away
    low = (1 - both * rho, 1 + home * rho, 1 + away * rho, 1 - rho)
    rows = np.empty((5, len(SCORES)))
    weights = rows[0]
    np.exp(np.array(at) @ _FACTORS + _SHARED_OUT, out=weights)
    at_low = weights[_LOW]
    weights[_LOW] = at_low * [max(0.0, factor) for factor in low]
    np.multiply(_FACTORS, weights, out=rows[1:])
    changes = np.array(
        (
            (-both * rho, home * rho, 0.0, 0.0),
            (-both * rho, 0.0, away * rho, 0.0),
            (-both, home, away, -1.0),
        )
    )
    rows[1:4, _LOW] += changes * at_low * [factor > 0 for factor in low]
    return rows


def _fit(ends: Array, wanted: Array, at: list[float]) -> _Fit:
    """Return the misses of a model, and how they change with its parameters.

    ``ends`` has the two rows of each line, and last a row of ones.
    """
    rows = _grid(at)
    sums = ends @ rows.T
    sums /= sums[-1, 0]
    won, decided = sums[:-1:2], sums[1:-1:2]
    reached = won[:, :1] / decided[:, :1]
    misses = reached[:, 0] - wanted
    # Changing all scores alike changes nothing: shares of what is decided stay the same.
    slopes = (won[:, 1:] - reached * decided[:, 1:]) / decided[:, :1]
    return _Fit(at, rows[0], misses, slopes, float(misses @ misses))


def _least_squares(ends: Array, wanted: Array, begin: list[float], free: Sequence[int]) -> _Fit:
    """Return the model that misses least; only the ``free`` parameters are changed."""
    now = _fit(ends, wanted, begin)
    damping, step = 1e-5, math.inf
    for _ in range(_STEPS):
        pull = (now.misses @ now.slopes).tolist()
        curve = (now.slopes.T @ now.slopes).tolist()
        moves = _movable(now.parameters, pull, free)
        for _ in range(_STEPS):
            to = _moved(now.parameters, moves, curve, pull, damping)
            step = max(abs(b - a) for a, b in zip(now.parameters, to, strict=True))
            if step < _SETTLED:
                return now
            found = _fit(ends, wanted, to)
            if found.size <= now.size:
                break
            damping *= 8
        now, damping = found, damping / 8
        if step < _NEARLY:
            break
    return now


def _moved(
    at: Sequence[float],
    moves: Sequence[int],
    curve: Sequence[Sequence[float]],
    pull: Sequence[float],
    damping: float,
) -> list[float]:
    """Return the parameters after a step, within their bounds."""
    rows = [[curve[row][column] for column in moves] + [-pull[row]] for row in moves]
    for place, row in enumerate(rows):
        row[place] += row[place] * damping + _TINY
    to = list(at)
    for place, change in zip(moves, _solved(rows), strict=True):
        least, most = _BOUNDS[place]
        to[place] = min(max(to[place] + change, least), most)
    return to


def _solved(rows: list[list[float]]) -> list[float]:
    """Solve a small positive definite system by elimination; the last column is the right side."""
    size = len(rows)
    for place, row in enumerate(rows):
        for lower in rows[place + 1 :]:
            factor = lower[place] / row[place]
            for column in range(place, size + 1):
                lower[column] -= factor * row[column]
    found = [0.0] * size
    for place in reversed(range(size)):
        row = rows[place]
        rest = row[size]
        for column in range(place + 1, size):
            rest -= row[column] * found[column]
        found[place] = rest / row[place]
    return found


def _movable(at: Sequence[float], pull: Sequence[float], free: Sequence[int]) -> list[int]:
    """Return the places of the parameters that may change: at a bound only away from it."""
    return [
        place
        for place, (value, slope, (least, most)) in enumerate(zip(at, pull, _BOUNDS, strict=True))
        if place in free
        and not (value <= least and slope > 0)
        and not (value >= most and slope < 0)
    ]
