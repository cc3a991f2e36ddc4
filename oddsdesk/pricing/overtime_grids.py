"""How likely each score of a hockey or a baseball game is, with overtime or extra innings.

*Hockey*: goals of both teams by Poisson (Maher 1982, Modelling Association Football Scores), as it
is for most of a game. What happens late is added: a team one goal behind equalises more often than
Poisson says, and an empty net turns leads of one or two goals into larger ones. The shares are
those of 6,993 NHL games of 2021/22 to 2025/26 (scores of hockey-reference.com). A draw after
regulation goes to overtime or a shootout, in which the winner gets one goal more.

*Baseball*: runs of a team by the negative binomial distribution (On Run Distributions, part 2:
Negative Binomial, Walk Like a Sabermetrician, 11 June 2012). The home team bats in the ninth only
if it does not lead, and stops when it leads. Dispersion, draws after nine innings and by how much
the last hit of the home team wins are those of 26,658 games of 2008 to 2018 (Retrosheet). Extra
innings start with a runner on second: from there and no outs 63.3 % of innings have a run and the
mean is 1.13 (1984 to 1994, Project Scoresheet).
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

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

EQUALISED: Final = 0.173
"""Share of Poisson's one-goal leads that end as a draw after regulation."""
EMPTY_NET: Final = 0.2825
"""Share of the other one-goal leads that become two goals."""
_SECOND_EMPTY_NET: Final = 0.329 / EMPTY_NET
"""Share of two-goal leads that become three goals, divided by ``EMPTY_NET``."""
_MOST_GOALS: Final = 15
REGULATION: Final = "regulation"
WHOLE: Final = "whole"
"""The game with overtime or extra innings."""


def fitted_hockey(
    lines: Sequence[Line], *, period: int = 0, start: Model | None = None
) -> NumberModel | None:
    """Return the model nearest to the lines of a game or period; None if there are too few.

    A two-way match result counts overtime, and so do handicaps and totals of that bookmaker; a
    three-way one does not. Without a match result it is unknown whether overtime counts.
    """
    with_overtime = without_draw(lines)
    if with_overtime is None or period > _PERIODS:
        return None
    if period:
        return fit_family(_HOCKEY_PERIOD[with_overtime], lines, start)
    return fit_family(_HOCKEY[with_overtime], lines, start)


def fitted_baseball(
    lines: Sequence[Line], *, period: int = 0, start: Model | None = None
) -> NumberModel | None:
    """Return the model nearest to the lines; None if there are too few.

    Only for whole games whose match result is not three-way: period 1 may be one inning or five.
    """
    if period or without_draw(lines) is False:
        return None
    return fit_family(_BASEBALL, lines, start)


def regulation(rates: tuple[float, float], equalised: float, empty_net: float) -> Vector:
    """Return how likely each score of hockey is after regulation: 0-0, 0-1, ..., 1-0, ...

    Args:
        rates: Goals of home and away team before what happens late.
        equalised: As ``EQUALISED``.
        empty_net: As ``EMPTY_NET``.
    """
    scores: Vector = np.outer(_poisson(rates[0]), _poisson(rates[1])).ravel()
    for leads in (_HOME_LEADS, _AWAY_LEADS):
        drawn = equalised * scores[leads[1]]
        scores[leads[1]] -= drawn
        scores[_DRAWS][1:] += drawn
    for lead, share in ((1, empty_net), (2, empty_net * _SECOND_EMPTY_NET)):
        for leads in (_HOME_LEADS, _AWAY_LEADS):
            moved = share * scores[leads[lead]][:-1]
            scores[leads[lead]][:-1] -= moved
            scores[leads[lead + 1]] += moved
    return scores


_PLACES: Final = np.arange(_MOST_GOALS + 1)
_SIZE: Final = _MOST_GOALS + 1
_DRAWS: Final = slice(None, None, _SIZE + 1)
_HOME_LEADS: Final = [slice(lead * _SIZE, None, _SIZE + 1) for lead in range(4)]
_AWAY_LEADS: Final = [slice(lead, (_SIZE - lead) * _SIZE, _SIZE + 1) for lead in range(4)]
"""Places of the scores by lead in goals (0 to 3), the lower scores first."""
_FACTORIALS: Final = np.array([math.factorial(number) for number in range(_MOST_GOALS + 1)], float)


def _poisson(rate: float) -> Vector:
    chances: Vector = rate**_PLACES / _FACTORIALS
    chances /= chances.sum()
    return chances


def _views(size: int, distribution: str) -> dict[str, View]:
    """Return what is counted on a grid of scores: margin, total, goals of both teams."""
    home, away = np.divmod(np.arange(size * size), size)
    return {
        f"{distribution} margin": View(distribution, 1 - size, home - away + size - 1),
        f"{distribution} total": View(distribution, 0, home + away),
        f"{distribution} home": View(distribution, 0, home),
        f"{distribution} away": View(distribution, 0, away),
    }


def _hockey_chances(at: Sequence[float]) -> Mapping[str, Vector]:
    rates = math.exp(at[0]), math.exp(at[1])
    scores = regulation(rates, at[2], at[3])
    whole = scores.copy()
    drawn = scores[_DRAWS][:-1]
    home_wins = rates[0] / sum(rates)
    whole[_DRAWS] = 0.0
    whole[_HOME_LEADS[1]] += drawn * home_wins
    whole[_AWAY_LEADS[1]] += drawn * (1 - home_wins)
    return {REGULATION: scores, WHOLE: whole}


def _hockey_meaning(counted: str, is_two_way: bool, market_type: str, key: str) -> Meaning | None:
    """Return what a bet is about; a draw is one after regulation."""
    if market_type in {"double_chance", "3way_handicap", "draw_no_bet"}:
        if market_type == "draw_no_bet" and counted == WHOLE:
            return None  # overtime leaves no draw; it may count or not
        return Meaning(f"{REGULATION} margin", market_type)
    return _meaning(counted, is_two_way, market_type, key)


def _meaning(counted: str, is_two_way: bool, market_type: str, key: str) -> Meaning | None:
    """Return what a winner, a handicap or a total is about; two-way winners return draws."""
    match market_type:
        case "moneyline":
            return Meaning(f"{counted} margin", "draw_no_bet" if is_two_way else market_type)
        case "spread":
            return Meaning(f"{counted} margin", market_type)
        case "total":
            return Meaning(f"{counted} total", market_type)
        case "team_total":
            return Meaning(f"{counted} {team_of(key)}", market_type)
    return None


def _hockey_names(at: Sequence[float]) -> Mapping[str, float]:
    return {
        "home rate": math.exp(at[0]),
        "away rate": math.exp(at[1]),
        "equalised": at[2],
        "empty net": at[3],
    }


_PERIODS: Final = 3
_RATE: Final = Parameter(math.log(2.9), -2.5, 2.2)
_PERIOD_RATE: Final = Parameter(math.log(0.95), -3.5, 1.5)
_NOTHING_LATE: Final = Parameter(0.0, 0.0, 0.0, is_fixed=True)
_HOCKEY_VIEWS: Final = _views(_SIZE, REGULATION) | _views(_SIZE, WHOLE)
_HOCKEY: Final = {
    with_overtime: Family(
        (
            _RATE,
            _RATE,
            Parameter(EQUALISED, 0.0, 0.5, spread=0.03),
            Parameter(EMPTY_NET, 0.0, 0.6, spread=0.05),
        ),
        _hockey_chances,
        _HOCKEY_VIEWS,
        _hockey_names,
        partial(_hockey_meaning, WHOLE if with_overtime else REGULATION, with_overtime),
    )
    for with_overtime in (True, False)
}
_HOCKEY_PERIOD: Final = {
    two_way: Family(
        (_PERIOD_RATE, _PERIOD_RATE, _NOTHING_LATE, _NOTHING_LATE),
        _hockey_chances,
        _HOCKEY_VIEWS,
        lambda at: {"home rate": math.exp(at[0]), "away rate": math.exp(at[1])},
        partial(_hockey_meaning, REGULATION, two_way),
    )
    for two_way in (True, False)
}


_MOST_RUNS: Final = 25
_INNINGS: Final = 9
RUN_DISPERSION: Final = 9.543 / 4.220
"""Variance of a team's runs in nine innings, divided by their mean."""
_DRAWS_LEFT: Final = 0.0871 / 0.0997
"""Draws after nine innings, divided by those of two independent teams."""
_WINNING_HIT: Final = np.array([0.872, 0.083, 0.032, 0.013])
"""How often the last hit of the home team wins by 1, 2, 3 and 4 runs."""
_RUN_FROM_SECOND: Final = 0.633
_MEAN_FROM_SECOND: Final = 1.13
_MOST_ADDED: Final = 8
_ADDED: Final = np.arange(_MOST_ADDED + 1)
_LEAST_LEFT: Final = 1e-6
_RUNS: Final = np.arange(_MOST_RUNS + 1)
_HOME_AHEAD: Final = np.greater.outer(_RUNS, _RUNS).ravel()
_AWAY_AHEAD: Final = np.less.outer(_RUNS, _RUNS).ravel()
_LAST_LEADS: Final = [
    slice(lead * (_MOST_RUNS + 1), None, _MOST_RUNS + 2) for lead in range(1, len(_WINNING_HIT) + 1)
]
"""Where leads of the home team by 1, 2, 3 and 4 are."""


def nine_innings(rates: tuple[float, float], dispersion: float) -> tuple[Vector, Vector]:
    """Return how likely scores are after nine innings: decided ones (0-0, 0-1, ...), and draws.

    Args:
        rates: Runs that home and away team would score in nine whole innings.
        dispersion: As ``RUN_DISPERSION``.
    """
    away = negative_binomial(rates[1], dispersion)
    home = negative_binomial(rates[0], dispersion)
    eight = negative_binomial(rates[0] * (_INNINGS - 1) / _INNINGS, dispersion)
    won_late = np.maximum(np.cumsum(eight) - np.cumsum(home), 0.0)  # by runs of the away team
    scores: Vector = np.outer(eight, away).ravel() * _HOME_AHEAD
    scores += np.outer(home, away).ravel() * _AWAY_AHEAD
    for leads, share in zip(_LAST_LEADS, _WINNING_HIT, strict=True):
        of_lead = scores[leads]
        of_lead += share * (won_late * away)[: len(of_lead)]
    draws: Vector = home * away * _DRAWS_LEFT
    scores *= (1 - draws.sum()) / scores.sum()
    return scores, draws


def negative_binomial(mean: float, dispersion: float) -> Vector:
    """Return how likely 0, 1, 2, ... are; ``dispersion`` is variance by mean, above 1."""
    over = dispersion - 1
    size = mean / over
    steps: Vector = np.empty(_MOST_RUNS + 1)
    steps[0] = dispersion**-size
    steps[1:] = (size + _RUNS[:-1]) / _RUNS[1:] * (over / dispersion)
    chances: Vector = np.multiply.accumulate(steps)
    chances /= chances.sum()
    return chances


def _extra_innings() -> Vector:
    """Return how likely runs of home team (rows) and away team are in extra innings.

    Teams are equal here.
    """
    ratio = 1 - _RUN_FROM_SECOND / _MEAN_FROM_SECOND
    runs = np.zeros(_MOST_ADDED + 1)
    runs[0] = 1 - _RUN_FROM_SECOND
    runs[1:] = _RUN_FROM_SECOND * (1 - ratio) * ratio ** np.arange(_MOST_ADDED)
    added = np.zeros((_MOST_ADDED + 1, _MOST_ADDED + 1))
    drawn: Vector = np.zeros(_MOST_ADDED + 1)
    drawn[0] = 1.0
    while drawn.sum() > _LEAST_LEFT:
        before, drawn = drawn, np.zeros(_MOST_ADDED + 1)
        for at, away in np.argwhere(np.add.outer(_ADDED, _ADDED) <= _MOST_ADDED):
            chance = before[at] * runs[away]
            added[at : at + away, at + away] += chance * runs[:away]
            late = chance * runs[away + 1 :].sum()
            hits = _WINNING_HIT[: _MOST_ADDED - at - away]
            added[at + away + 1 : at + away + 1 + len(hits), at + away] += late * hits
            drawn[at + away] += chance * runs[away]
    added /= added.sum()
    return added


class _Ways(NamedTuple):
    """The ways from a draw after nine innings to a final score."""

    draw: NDArray[np.intp]
    score: NDArray[np.intp]
    chance: Vector
    """Teams being equal."""
    is_home: NDArray[np.bool_]
    """Whether the home team wins."""


def _ways() -> _Ways:
    added = _extra_innings()
    home, away = np.nonzero(added)
    draws = _RUNS[:, None]
    to_home, to_away = draws + home, draws + away
    kept = np.maximum(to_home, to_away) <= _MOST_RUNS
    return _Ways(
        np.broadcast_to(draws, kept.shape)[kept],
        (to_home * len(_RUNS) + to_away)[kept],
        np.broadcast_to(added[home, away], kept.shape)[kept],
        np.broadcast_to(home > away, kept.shape)[kept],
    )


_WAYS: Final = _ways()


def _baseball_chances(at: Sequence[float]) -> Mapping[str, Vector]:
    rates = math.exp(at[0]), math.exp(at[1])
    scores, draws = nine_innings(rates, 1 + math.exp(at[2]))
    home_wins = rates[0] / sum(rates)
    share = 2 * np.where(_WAYS.is_home, home_wins, 1 - home_wins)
    scores += np.bincount(_WAYS.score, draws[_WAYS.draw] * _WAYS.chance * share, len(scores))
    scores /= scores.sum()
    return {WHOLE: scores}


_RUN_RATE: Final = Parameter(math.log(4.4), -0.5, 2.5)
_BASEBALL: Final = Family(
    (_RUN_RATE, _RUN_RATE, Parameter(math.log(RUN_DISPERSION - 1), -2.5, 1.5, spread=0.15)),
    _baseball_chances,
    _views(_MOST_RUNS + 1, WHOLE),
    lambda at: {
        "home rate": math.exp(at[0]),
        "away rate": math.exp(at[1]),
        "dispersion": 1 + math.exp(at[2]),
    },
    partial(_meaning, WHOLE, True),  # extra innings always count and leave no draw
)
