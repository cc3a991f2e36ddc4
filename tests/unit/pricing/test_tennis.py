"""Tennis, point by point: published values, a second computation, and lines that fit together."""

import math
from collections import defaultdict
from functools import cache
from time import thread_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.pricing.number_models import NumberModel, Vector
from oddsdesk.pricing.score_models import Line, fitted_model
from oddsdesk.pricing.tennis import (
    FORM,
    SET_SCORES,
    fitted,
    hold,
    match_numbers,
    set_scores,
    tie_break,
)
from tests.kit.promises import in_time


def of(number: float) -> Vector:
    return np.array([number])


def lines_of(serve: float, difference: float, sets_to_win: int, form: float = FORM) -> list[Line]:
    """Return a bookmaker's lines that follow from the model."""
    numbers = match_numbers(serve, difference, form, sets_to_win)
    margins, games, sets = numbers["games margin"], numbers["games"], numbers["sets margin"]
    home = float(sets[sets_to_win:].sum())
    total = int(np.searchsorted(np.cumsum(games), 0.5))
    over = float(games[total + 1 :].sum())
    covers = float(margins[36 - 1 :].sum())  # home +1.5: the margin is -1 or more
    return [
        *(Line("moneyline", "", side, p) for side, p in (("home", home), ("away", 1 - home))),
        *(
            Line("total_games", f"{total}.5", side, p)
            for side, p in (("over", over), ("under", 1 - over))
        ),
        *(
            Line("games_handicap", "+1.5", side, p)
            for side, p in (("home", covers), ("away", 1 - covers))
        ),
    ]


def model_of(lines: list[Line]) -> NumberModel:
    model = fitted(lines)
    assert model is not None
    return model


def test_games_are_held_as_often_as_published() -> None:
    """O'Malley (2008): with 60 % of the points on serve 73.57 % of games are held."""
    assert hold(of(0.6))[0] == pytest.approx(0.735729, abs=1e-6)
    assert hold(of(0.5))[0] == pytest.approx(0.5)
    assert hold(of(0.62))[0] + hold(of(0.38))[0] == pytest.approx(1)


def point_by_point(first: float, second: float) -> float:
    """Return how likely the first server wins a tie-break, by recursion."""

    @cache
    def wins(mine: int, theirs: int) -> float:
        if max(mine, theirs) >= 7 and abs(mine - theirs) >= 2:
            return float(mine > theirs)
        if mine == theirs == 60:
            return 0.5
        point = first if (mine + theirs + 1) // 2 % 2 == 0 else 1 - second
        return point * wins(mine + 1, theirs) + (1 - point) * wins(mine, theirs + 1)

    return wins(0, 0)


@pytest.mark.parametrize(("first", "second"), [(0.5, 0.5), (0.62, 0.6), (0.7, 0.55)])
def test_tie_breaks_are_those_of_a_recursion(first: float, second: float) -> None:
    assert tie_break(of(first), of(1 - second))[0] == pytest.approx(point_by_point(first, second))


def test_a_set_between_equals_is_even_and_who_serves_first_does_not_decide_it() -> None:
    won, lost = set_scores(of(0.64), of(0.64))
    assert won.sum() == pytest.approx(0.5)
    assert lost.sum() == pytest.approx(0.5)
    first, _ = set_scores(of(0.68), of(0.61))
    _, second = set_scores(of(0.61), of(0.68))
    assert first.sum() == pytest.approx(second.sum())
    assert len(SET_SCORES) == len(set(SET_SCORES)) == 14


def game_by_game(home: float, away: float, sets_to_win: int) -> dict[str, dict[int, float]]:
    """Return how likely margins and totals are, by walking through all games of a match."""
    holds = {True: float(hold(of(home))[0]), False: 1 - float(hold(of(away))[0])}
    breaks = {True: point_by_point(home, away), False: 1 - point_by_point(away, home)}
    found = {
        name: defaultdict[int, float](float)
        for name in ("games", "games margin", "sets", "sets margin")
    }
    now = {(0, 0, 0, 0, 0, 0, serves): 0.5 for serves in (True, False)}
    while now:
        after = defaultdict[tuple[int, int, int, int, int, int, bool], float](float)
        for (sets, lost, mine, theirs, total, margin, serves), chance in now.items():
            game = breaks[serves] if mine == theirs == 6 else holds[serves]
            for is_won, part in ((True, game), (False, 1 - game)):
                score = [mine + is_won, theirs + (not is_won)]
                high, low = max(score), min(score)
                done = high == 7 or (high == 6 and low < 5)
                to_sets = sets + (done and score[0] > score[1])
                to_lost = lost + (done and score[1] > score[0])
                to_total, to_margin = total + 1, margin + (1 if is_won else -1)
                if max(to_sets, to_lost) == sets_to_win:
                    found["games"][to_total] += chance * part
                    found["games margin"][to_margin] += chance * part
                    found["sets"][to_sets + to_lost] += chance * part
                    found["sets margin"][to_sets - to_lost] += chance * part
                else:
                    left = (0, 0) if done else (score[0], score[1])
                    key = (to_sets, to_lost, *left, to_total, to_margin, not serves)
                    after[key] += chance * part
        now = after
    return {name: dict(chances) for name, chances in found.items()}


@pytest.mark.parametrize("sets_to_win", [2, 3])
@pytest.mark.parametrize(("home", "away"), [(0.62, 0.6), (0.7, 0.58)])
def test_matches_are_those_of_a_walk_through_all_games(
    home: float, away: float, sets_to_win: int
) -> None:
    numbers = match_numbers((home + away) / 2, home - away, 0.0, sets_to_win)
    walked = game_by_game(home, away, sets_to_win)
    lowest = {"games margin": -36, "games": 0, "sets margin": -sets_to_win, "sets": 0}
    for name, chances in numbers.items():
        assert chances.sum() == pytest.approx(1)
        for place, chance in enumerate(chances):
            assert chance == pytest.approx(walked[name].get(place + lowest[name], 0.0), abs=1e-12)


@pytest.mark.parametrize("sets_to_win", [2, 3])
def test_the_length_of_the_match_is_found(sets_to_win: int) -> None:
    model = model_of(lines_of(0.64, 0.04, sets_to_win))
    assert model.parameters["best of"] == 2 * sets_to_win - 1
    assert model.parameters["home serve points"] == pytest.approx(0.66, abs=0.02)
    assert model.parameters["away serve points"] == pytest.approx(0.62, abs=0.02)
    assert model.parameters["form"] == pytest.approx(FORM, abs=0.005)


def test_lines_that_no_match_has_give_no_model() -> None:
    odd = [line for line in lines_of(0.64, 0.0, 2) if line.market_type != "total_games"]
    assert fitted(odd) is None
    assert fitted([*odd, Line("total_games", "30.5", "over", 0.5)]) is None
    assert fitted(lines_of(0.64, 0.0, 2)[2:4]) is None
    assert fitted(lines_of(0.64, 0.0, 2), period=1) is None


def test_handicaps_and_totals_of_few_sets_count_sets() -> None:
    model = model_of(lines_of(0.63, 0.05, 2))
    sets, margins = model.chances["sets"], model.chances["sets margin"]
    assert model.probability("total", "2.5", "under") == pytest.approx(sets[2])
    assert model.probability("spread", "-1.5", "home") == pytest.approx(margins[4])
    assert model.probability("spread", "+1.5", "home") == pytest.approx(1 - margins[0])
    assert model.probability("spread", "-3.5", "home") is None  # some bookmakers count games here
    assert model.probability("total", "21.5", "over") is None
    assert model.probability("team_total", "Home 1.5", "over") is None


@settings(max_examples=10, deadline=None)
@given(st.floats(0.55, 0.7), st.floats(-0.1, 0.1))
def test_lines_fit_together(serve: float, difference: float) -> None:
    lines = lines_of(serve, difference, 2)
    model = model_of(lines)
    assert max(abs(miss) for _, miss in model.misses) < 0.01
    overs = [model.probability("total_games", f"{n}.5", "over") or 0.0 for n in range(17, 30)]
    assert overs == sorted(overs, reverse=True)
    covers = [model.probability("games_handicap", f"{n}.5", "home") or 0.0 for n in range(-7, 7)]
    assert covers == sorted(covers)
    under = model.probability("total_games", "22", "under")
    over = model.probability("total_games", "22", "over")
    assert under is not None
    assert over is not None
    assert under + over == pytest.approx(1)
    assert model.push("total_games", "22") == pytest.approx(
        (model.probability("total_games", "21.5", "over") or 0.0)
        - (model.probability("total_games", "22.5", "over") or 0.0)
    )


def test_equal_players_are_equal_and_a_fit_is_fast() -> None:
    lines = lines_of(0.63, 0.0, 2)
    model = fitted_model("Tennis", lines)
    assert model is not None
    assert model.probability("moneyline", "", "home") == pytest.approx(0.5, abs=1e-3)
    assert model.probability("games_handicap", "-2.5", "home") == pytest.approx(
        model.probability("games_handicap", "+2.5", "away") or 0.0, abs=1e-3
    )
    taken = math.inf
    for _ in range(10):
        began = thread_time()
        fitted_model("Tennis", lines)
        taken = min(taken, thread_time() - began)
    assert taken < in_time(0.02)
