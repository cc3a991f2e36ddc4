"""How likely each number of games and sets of a tennis match is, point by point.

Each player wins a point on serve with one probability, whatever happened before: Barnett and Clarke
(2005), Combining Player Statistics to Predict Outcomes of Tennis Matches, IMA Journal of Management
Mathematics 16; O'Malley (2008), Probability Formulas and Statistical Analysis in Tennis, Journal of
Quantitative Analysis in Sports 4. Points make games, games sets and sets the match; at 6-6 there is
a tie-break to seven points in every set. Either player may serve first.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
)
from oddsdesk.pricing.score_models import Line, Model
from oddsdesk.pricing.selections import Goals, line_of

_WON_SETS: Final = (*((6, games) for games in range(5)), (7, 5), (7, 6))
SET_SCORES: Final = tuple(Goals(*score) for score in _WON_SETS) + tuple(
    Goals(lost, won) for won, lost in _WON_SETS
)
"""The scores of a set: first those that the home player wins."""
_WINS: Final = len(_WON_SETS)
FORM: Final = 0.073
"""How much the difference between the players' chances on serve varies from match to match, since
form on the day is unknown before the match (a standard deviation)."""
_FORMS: Final = (np.array([0.0, math.sqrt(3), -math.sqrt(3)]), np.array([4, 1, 1]) / 6)
"""Values that stand for a normal distribution, and their weights (Gauss and Hermite)."""
_NUMBERS: Final = 72
"""Above the most games of a match, and above twice the largest margin."""
_MOST_SETS_IN_SPREAD: Final = 2.5
_MOST_SETS_IN_TOTAL: Final = 4.5
"""Larger lines do not count sets."""
_LARGEST_MISS: Final = 0.02
_CLEARLY: Final = 2.0
"""How many times closer to the lines one length of the match has to be than the other."""


def fitted(
    lines: Sequence[Line], *, period: int = 0, start: Model | None = None
) -> NumberModel | None:
    """Return the model nearest to the lines of a match; None if there are too few.

    Whether three sets win the match, or two, is not known from a game's name. It is the length that
    reproduces the lines; None where both do, or neither.
    """
    totals = sorted(line_of(line.key) for line in lines if line.market_type == "total_games")
    if period or not totals:
        return None
    total = totals[len(totals) // 2]
    found = []
    for length in _LENGTHS:
        if length.lowest_total <= total <= length.highest_total:
            model = fit_family(length.family, lines, start if _is(length, start) else None)
            if model is not None:
                found.append((max(abs(miss) for _, miss in model.misses), model))
    if not found:
        return None
    found.sort(key=lambda each: each[0])
    miss, model = found[0]
    if miss > _LARGEST_MISS or (len(found) > 1 and found[1][0] < _CLEARLY * max(miss, _TINY)):
        return None
    return model


_TINY: Final = 1e-3


def _is(length: "_Length", start: Model | None) -> bool:
    return isinstance(start, NumberModel) and start.family is length.family


def hold(point: Vector) -> Vector:
    """Return how likely the server wins a game, by the chance of a point."""
    deuce = point * point / (1 - 2 * point * (1 - point))
    chances: Vector = point**4 * (15 - 4 * point - 10 * deuce)
    return chances


class _Race(NamedTuple):
    """The ways to each end of a set or tie-break: which points or games the first server wins."""

    ends: Sequence[tuple[int, int]]
    """Scores, those of the first server first."""
    into: Vector
    """By way and end: 1 where the way leads to the end."""
    ways: Vector
    """In how many orders each way can happen."""
    exponents: NDArray[np.intp]
    """By way: points or games won and lost on the first server's serve, then on the other's."""

    def chances(self, own: Vector, other: Vector) -> Vector:
        """Return how likely each end is (last axis), by the first server's chances."""
        won, lost, broken, held = self.exponents
        own, other = own[..., None], other[..., None]
        ways = self.ways * own**won * (1 - own) ** lost * other**broken * (1 - other) ** held
        chances: Vector = ways @ self.into
        return chances


def _race(target: int, own_serve: Sequence[bool]) -> _Race:
    """Return the ways to win a race by two; it ends level if nobody has won after ``own_serve``.

    Args:
        target: Points or games that win.
        own_serve: For each point or game, whether the first server serves.
    """
    found = Counter[tuple[tuple[int, int], tuple[int, int, int, int]]]()
    reached = Counter({((0, 0), (0, 0, 0, 0)): 1})
    for place, is_own in enumerate(own_serve):
        after = Counter[tuple[tuple[int, int], tuple[int, int, int, int]]]()
        for ((mine, theirs), counts), ways in reached.items():
            for is_won in (True, False):
                score = (mine + is_won, theirs + (not is_won))
                way = list(counts)
                way[2 * (not is_own) + (not is_won)] += 1
                is_over = max(score) >= target and abs(score[0] - score[1]) > 1
                into = found if is_over or place == len(own_serve) - 1 else after
                into[score, (way[0], way[1], way[2], way[3])] += ways
        reached = after
    ends = sorted({score for score, _ in found})
    return _Race(
        ends,
        np.array([[float(score == end) for end in ends] for score, _ in found]),
        np.array(list(found.values()), float),
        np.array([way for _, way in found]).T,
    )


_TIE_BREAK: Final = _race(7, [(point + 1) // 2 % 2 == 0 for point in range(12)])
_SET: Final = _race(6, [game % 2 == 0 for game in range(12)])
_TIE_BREAK_WON: Final = np.array([mine == 7 for mine, _ in _TIE_BREAK.ends])
_TO_SIX: Final = _TIE_BREAK.ends.index((6, 6))
_SET_PLACES: Final = [
    [_SET.ends.index(score if score != (7, 6) else (6, 6)) for score in _WON_SETS],
    [_SET.ends.index((lost, won) if won - lost > 1 else (6, 6)) for won, lost in _WON_SETS],
]
"""Where the scores are that the first server wins, and those that the other player wins."""


def tie_break(own: Vector, other: Vector) -> Vector:
    """Return how likely the player who serves first wins a tie-break to seven points.

    Args:
        own: That player's chance of a point on serve.
        other: The same player's chance of a point on the other's serve.
    """
    chances = _TIE_BREAK.chances(own, other)
    both, neither = own * other, (1 - own) * (1 - other)
    won: Vector = chances @ _TIE_BREAK_WON + chances[..., _TO_SIX] * both / (both + neither)
    return won


def set_scores(first: Vector, second: Vector) -> tuple[Vector, Vector]:
    """Return how likely each score is that the first server wins, and each that the other wins.

    In the order of ``SET_SCORES``; arguments are the chances of a point on serve.
    """
    chances = _SET.chances(hold(first), 1 - hold(second))
    won, lost = chances[..., _SET_PLACES[0]], chances[..., _SET_PLACES[1]]
    last = tie_break(first, 1 - second)
    won[..., -1] *= last
    lost[..., -1] *= 1 - last
    return won, lost


class _Transform(NamedTuple):
    """Powers of the roots of unity: sums of games become products, as in a Fourier transform."""

    won: NDArray[np.complex128]
    """By root, for the scores of a set that the home player wins."""
    lost: NDArray[np.complex128]


def _transform(numbers: Sequence[int]) -> _Transform:
    roots = np.arange(_NUMBERS // 2 + 1)
    powers = np.exp(-2j * np.pi * np.outer(roots, numbers) / _NUMBERS)
    return _Transform(powers[:, :_WINS], powers[:, _WINS:])


_MARGINS: Final = _transform([score.home - score.away for score in SET_SCORES])
_TOTALS: Final = _transform([sum(score) for score in SET_SCORES])
_BOTH: Final = _Transform(
    np.concatenate([_MARGINS.won, _TOTALS.won]), np.concatenate([_MARGINS.lost, _TOTALS.lost])
)
_IS_ODD: Final = np.array([sum(score) % 2 == 1 for score in _WON_SETS])
"""Whether the other player serves first in the next set."""


def match_numbers(
    serve: float, difference: float, form: float, sets_to_win: int
) -> dict[str, Vector]:
    """Return how likely margin and total of games and of sets are.

    Args:
        serve: The mean of both players' chances of a point on serve.
        difference: The home player's minus the away player's.
        form: As ``FORM``.
        sets_to_win: 2 or 3.
    """
    shifts, weights = _FORMS
    half = (difference + form * shifts) / 2
    home, away = np.clip(serve + half, 0.01, 0.99), np.clip(serve - half, 0.01, 0.99)
    home_won, home_lost = set_scores(home, away)
    away_won, away_lost = set_scores(away, home)
    steps = np.empty((len(shifts), len(_BOTH.won), 2, 4), complex)  # by form, root and server
    for place, powers, by_server in (
        (0, _BOTH.won, (home_won, away_lost)),
        (2, _BOTH.lost, (home_lost, away_won)),
    ):
        for server, chances in enumerate(by_server):
            steps[:, :, server, place + server] = (chances * ~_IS_ODD) @ powers.T
            steps[:, :, server, place + 1 - server] = (chances * _IS_ODD) @ powers.T
    games, set_margins, set_totals = _matches(steps, home_won.sum(axis=-1), sets_to_win)
    both = weights @ games
    margins, totals = both[: len(_MARGINS.won)], both[len(_MARGINS.won) :]
    return {
        "games margin": np.fft.fftshift(np.fft.irfft(margins, _NUMBERS)),
        "games": np.fft.irfft(totals, _NUMBERS),
        "sets margin": weights @ set_margins,
        "sets": weights @ set_totals,
    }


def _matches(
    steps: NDArray[np.complex128], set_won: Vector, sets_to_win: int
) -> tuple[NDArray[np.complex128], Vector, Vector]:
    """Return the transform of the games of all matches, and how likely sets are, by form.

    Who serves first does not change how likely a set is won (O'Malley 2008), only its games.
    """
    forms, roots = steps.shape[:2]
    games = np.zeros((forms, roots), complex)
    margins: Vector = np.zeros((forms, 2 * sets_to_win + 1))
    totals: Vector = np.zeros((forms, 2 * sets_to_win))
    reached = {(0, 0): (np.full((forms, roots, 1, 2), 0.5, complex), np.ones(forms))}
    for home in range(sets_to_win):
        for away in range(sets_to_win):
            now, chance = reached[home, away]
            after = now @ steps
            for to, part, chance_of_it in (
                ((home + 1, away), after[..., :2], chance * set_won),
                ((home, away + 1), after[..., 2:], chance * (1 - set_won)),
            ):
                if max(to) == sets_to_win:
                    games += part.sum(axis=(2, 3))
                    margins[:, to[0] - to[1] + sets_to_win] += chance_of_it
                    totals[:, sum(to)] += chance_of_it
                elif to in reached:
                    before = reached[to]
                    reached[to] = (before[0] + part, before[1] + chance_of_it)
                else:
                    reached[to] = (part, chance_of_it)
    return games, margins, totals


def _chances(sets_to_win: int, at: Sequence[float]) -> Mapping[str, Vector]:
    return match_numbers(at[0], at[1], at[2], sets_to_win)


def _described(sets_to_win: int, at: Sequence[float]) -> Mapping[str, float]:
    return {
        "home serve points": at[0] + at[1] / 2,
        "away serve points": at[0] - at[1] / 2,
        "form": at[2],
        "best of": 2 * sets_to_win - 1,
    }


def _meaning(market_type: str, key: str) -> Meaning | None:
    """Return what a market counts: handicaps and totals of few sets, or games."""
    line = abs(line_of(key))
    match market_type:
        case "moneyline":
            return Meaning("sets margin", "draw_no_bet")
        case "games_handicap":
            return Meaning("games margin", "spread")
        case "total_games":
            return Meaning("games", "total")
        case "spread" if line <= _MOST_SETS_IN_SPREAD:
            return Meaning("sets margin", market_type)
        case "total" if line <= _MOST_SETS_IN_TOTAL:
            return Meaning("sets", market_type)
    return None


@dataclass(frozen=True, slots=True)
class _Length:
    """A match of three sets at most, or of five."""

    family: Family
    lowest_total: float
    """Totals of games with even chances are above it, and below the highest."""
    highest_total: float


def _length(sets_to_win: int, lowest_total: float, highest_total: float) -> _Length:
    views = {
        "games margin": View("games margin", -_NUMBERS // 2),
        "games": View("games", 0),
        "sets margin": View("sets margin", -sets_to_win),
        "sets": View("sets", 0),
    }
    family = Family(
        (
            Parameter(0.62, 0.35, 0.9, spread=0.05),
            Parameter(0.0, -0.5, 0.5),
            Parameter(FORM, 0.0, 0.2, spread=0.012),
        ),
        partial(_chances, sets_to_win),
        views,
        partial(_described, sets_to_win),
        _meaning,
    )
    return _Length(family, lowest_total, highest_total)


_LENGTHS: Final = (_length(2, 12, 31), _length(3, 24, 65))
