"""How likely each margin and total of a game of basketball or American football is.

Both are normally distributed: margins by Stern (1991), On the Probability of Winning a Football
Game, The American Statistician 45; for parts of basketball games Stern (1994), A Brownian Motion
Model for the Progress of Sports Scores, JASA 89. Some numbers come up more often than in a normal
distribution and some less, so each has a weight: how often games ended on it, divided by how often
a normal distribution around each game's expected number would. Overtime counts.

*Basketball*: weights of 5,282 NBA games of 2022/23 to 2025/26 (basketball-reference.com). Around
10,140 closing lines of 2007/08 to 2014/15 (sportsbookreviewsonline.com) margins have a standard
deviation of 11.7 points (Winston 2009, Mathletics: 12), totals one of 17.3 around 198. The
correlation of both errors is 0.00. Variances grow with the total, as they do with time.

*American football*: 2,743 NFL games of 2015 to 2024, since extra points are kicked from the 15-yard
line, and totals of 6,991 games since 1999, around the expectation of Neil Paine's Elo ratings (MIT
licence). Margins have a standard deviation of 13.7 points (Stern: 13.86), totals of 14.2; their
correlation is 0.02. College games land on other numbers: this is the NFL's model.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from oddsdesk.pricing.number_models import (
    Family,
    Meaning,
    NumberModel,
    Parameter,
    Vector,
    View,
    fit_family,
    team_of,
    without_draw,
)
from oddsdesk.pricing.score_models import Line, Model
from oddsdesk.pricing.selections import HOME, line_of

_LARGEST_MARGIN: Final = 90
_LARGEST_TOTAL: Final = 400
_MOST_POINTS: Final = 250
_MARGINS: Final = np.arange(-_LARGEST_MARGIN, _LARGEST_MARGIN + 1)
_TOTALS: Final = np.arange(_LARGEST_TOTAL + 1)
_POINTS: Final = np.arange(_MOST_POINTS + 1)
_TRIES: Final = 6
_NEAR: Final = 0.01
"""Points."""
_VIEWS: Final = {
    "margin": View("margin", -_LARGEST_MARGIN),
    "total": View("total", 0),
    "home": View("home", 0),
    "away": View("away", 0),
}


@dataclass(frozen=True, slots=True)
class Sport:
    """The constants of a sport."""

    margin_deviation: float
    total_deviation: float
    usual_total: float | None
    """The total to which the deviations belong if they grow with it; None if they do not."""
    margins: Vector
    totals: Vector
    points: Vector
    """Weights of the numbers: how often they are hit, compared with the normal distribution."""


def _weights(size: int, first: int, in_hundredths: str) -> Vector:
    """Return weights from a number on; 1 for all others."""
    weights = np.ones(size)
    counted = [int(number) / 100 for number in in_hundredths.split()]
    weights[first : first + len(counted)] = counted
    return weights


def _both_ways(of_margins: Vector) -> Vector:
    """Return weights of all margins from those of the winner's."""
    weights: Vector = of_margins[np.abs(_MARGINS)]
    return weights


BASKETBALL: Final = Sport(
    margin_deviation=12.85,
    total_deviation=18.55,
    usual_total=228.3,
    margins=_both_ways(
        _weights(
            _LARGEST_MARGIN + 1,
            0,
            "0 93 120 117 117 123 134 130 141 138 120 127 119 118 116 102 114 96 94 105 101",
        )
    ),
    totals=np.ones(len(_TOTALS)),
    points=np.ones(len(_POINTS)),
)
AMERICAN_FOOTBALL: Final = Sport(
    margin_deviation=13.66,
    total_deviation=14.17,
    usual_total=None,
    margins=_both_ways(
        _weights(
            _LARGEST_MARGIN + 1,
            0,
            "13 88 90 297 91 95 156 191 100 42 121 56 51 55 162 55 86 122 95 52 102 122 51 92 125 "
            "93 92 74 162",
        )
    ),
    totals=_weights(
        len(_TOTALS),
        20,
        "99 69 96 205 83 61 129 156 51 103 153 92 70 142 115 73 96 155 82 77 122 138 54 123 129 "
        "89 70 113 103 71 87 148 85 59 90 116 41 100 107 79 44 95 100 76 83 147 90 59 82 155 61 "
        "141 83 150 96 107",
    ),
    points=_weights(
        len(_POINTS),
        0,
        "314 0 4 290 0 6 160 153 11 103 252 16 50 135 98 37 122 176 27 65 172 78 49 108 143 35 73 "
        "147 75 44 112 138 34 74 140 71 45 94 152 27 78 132 124 59 81 161 38",
    ),
)
_PART_OF_BASKETBALL: Final = Sport(
    margin_deviation=BASKETBALL.margin_deviation,
    total_deviation=BASKETBALL.total_deviation,
    usual_total=BASKETBALL.usual_total,
    margins=np.ones(len(_MARGINS)),
    totals=BASKETBALL.totals,
    points=BASKETBALL.points,
)


def fitted_basketball(
    lines: Sequence[Line], *, period: int = 0, start: Model | None = None
) -> NumberModel | None:
    """Return the model nearest to the lines of a game, half or quarter.

    None if there are too few, or the match result is three-way: that one counts regulation.
    A half may be drawn: then a two-way winner of it returns the stakes.
    """
    is_two_way = without_draw(lines)
    if is_two_way is False and not period:
        return None
    sport = _PART_OF_BASKETBALL if period else BASKETBALL
    return _fitted(sport, lines, is_two_way is not False, start)


def fitted_american_football(
    lines: Sequence[Line], *, period: int = 0, start: Model | None = None
) -> NumberModel | None:
    """Return the model nearest to the lines of a whole game; None if there are too few.

    Halves and quarters have no model, as their key numbers were not counted, nor has a game with a
    three-way match result. A two-way winner returns the stakes of a tie.
    """
    if period or without_draw(lines) is False:
        return None
    return _fitted(AMERICAN_FOOTBALL, lines, True, start)


def _fitted(
    sport: Sport, lines: Sequence[Line], is_two_way: bool, start: Model | None
) -> NumberModel | None:
    totals = sorted(line_of(line.key) for line in lines if line.market_type == "total")
    if not totals:
        return None
    total = totals[len(totals) // 2]
    spreads = [
        -line_of(line.key) for line in lines if (line.market_type, line.side) == ("spread", HOME)
    ]
    margin = sorted(spreads)[len(spreads) // 2] if spreads else 0.0
    family = Family(
        (
            Parameter(margin, -_LARGEST_MARGIN / 2, _LARGEST_MARGIN / 2),
            Parameter(total, 1.0, 0.9 * _LARGEST_TOTAL),
            Parameter(0.0, -0.5, 0.5, spread=0.06),
            Parameter(0.0, -0.5, 0.5, spread=0.06),
        ),
        partial(distributions, sport),
        _VIEWS,
        partial(_described, sport),
        partial(_meaning, is_two_way),
    )
    return fit_family(family, lines, start)


def distributions(sport: Sport, at: Sequence[float]) -> Mapping[str, Vector]:
    """Return how likely each margin, total and number of points of both teams is.

    Args:
        sport: The constants of the sport.
        at: Expected margin and total, before the weights; then for each the logarithm of its
            deviation divided by the usual one.
    """
    of_margin, of_total = _deviations(sport, at)
    margins = _normal(_MARGINS, at[0], of_margin, sport.margins)
    totals = _normal(_TOTALS, at[1], of_total, sport.totals)
    margin, total = float(_MARGINS @ margins), float(_TOTALS @ totals)
    of_team = math.hypot(of_margin, of_total) / 2
    return {
        "margin": margins,
        "total": totals,
        "home": _points(sport, (total + margin) / 2, of_team),
        "away": _points(sport, (total - margin) / 2, of_team),
    }


def _points(sport: Sport, mean: float, sd: float) -> Vector:
    """Return how likely the points of a team are, with this mean after the weights."""
    middle = mean
    for _ in range(_TRIES):
        chances = _normal(_POINTS, middle, sd, sport.points)
        missing = mean - float(_POINTS @ chances)
        if abs(missing) < _NEAR:
            break
        middle += missing
    return chances


def _deviations(sport: Sport, at: Sequence[float]) -> tuple[float, float]:
    grown = 1.0 if sport.usual_total is None else math.sqrt(at[1] / sport.usual_total)
    return (
        sport.margin_deviation * grown * math.exp(at[2]),
        sport.total_deviation * grown * math.exp(at[3]),
    )


def _normal(numbers: NDArray[np.intp], mean: float, sd: float, weights: Vector) -> Vector:
    chances: Vector = np.exp(-0.5 * ((numbers - mean) / sd) ** 2) * weights
    chances /= chances.sum()
    return chances


def _described(sport: Sport, at: Sequence[float]) -> Mapping[str, float]:
    of_margin, of_total = _deviations(sport, at)
    return {
        "margin": at[0],
        "total": at[1],
        "deviation of the margin": of_margin,
        "deviation of the total": of_total,
    }


def _meaning(is_two_way: bool, market_type: str, key: str) -> Meaning | None:
    match market_type:
        case "moneyline":
            return Meaning("margin", "draw_no_bet" if is_two_way else "moneyline")
        case "spread":
            return Meaning("margin", market_type)
        case "total":
            return Meaning("total", market_type)
        case "team_total":
            return Meaning(team_of(key), market_type)
    return None
