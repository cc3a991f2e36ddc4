"""Hockey and baseball: counts of real seasons, overtime, lines that fit together, speed."""

import math
from time import thread_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.pricing.number_models import NumberModel
from oddsdesk.pricing.overtime_grids import (
    EMPTY_NET,
    EQUALISED,
    RUN_DISPERSION,
    fitted_baseball,
    fitted_hockey,
    negative_binomial,
    nine_innings,
    regulation,
)
from oddsdesk.pricing.score_models import Line, fitted_model
from tests.kit.promises import in_time


def two_way(home: float, over: float, total: str, *spreads: tuple[str, float]) -> list[Line]:
    lines = [Line("moneyline", "", "home", home), Line("moneyline", "", "away", 1 - home)]
    lines += [Line("total", total, "over", over), Line("total", total, "under", 1 - over)]
    for key, covers in spreads:
        lines += [Line("spread", key, "home", covers), Line("spread", key, "away", 1 - covers)]
    return lines


def three_way(home: float, draw: float, over: float, total: str) -> list[Line]:
    sides = (("home", home), ("draw", draw), ("away", 1 - home - draw))
    winner = [Line("moneyline", "", side, chance) for side, chance in sides]
    return [*winner, Line("total", total, "over", over), Line("total", total, "under", 1 - over)]


def hockey(lines: list[Line], period: int = 0) -> NumberModel:
    model = fitted_hockey(lines, period=period)
    assert model is not None
    return model


def baseball(lines: list[Line]) -> NumberModel:
    model = fitted_baseball(lines)
    assert model is not None
    return model


def test_margins_of_hockey_are_those_of_five_seasons() -> None:
    scores = regulation((2.9996, 2.794), EQUALISED, EMPTY_NET).reshape(16, 16)
    assert scores.sum() == pytest.approx(1)
    margins = [np.trace(scores, -margin) for margin in range(-3, 4)]
    counted = [0.1054, 0.0941, 0.0845, 0.2225, 0.0921, 0.1007, 0.1298]
    assert margins == pytest.approx(counted, abs=0.009)


def test_runs_have_the_mean_and_variance_they_are_asked_for() -> None:
    chances, runs = negative_binomial(4.22, RUN_DISPERSION), np.arange(26)
    mean = float(chances @ runs)
    assert mean == pytest.approx(4.22, abs=1e-3)
    assert float(chances @ (runs - mean) ** 2) / mean == pytest.approx(RUN_DISPERSION, abs=5e-3)


def test_draws_and_wins_after_nine_innings_are_near_those_of_eleven_seasons() -> None:
    scores, draws = nine_innings((4.6, 4.22), RUN_DISPERSION)
    grid = scores.reshape(26, 26)
    assert grid.sum() + draws.sum() == pytest.approx(1)
    assert np.trace(grid) == 0
    assert draws.sum() == pytest.approx(0.0871, abs=0.002)
    by_one, by_two, by_three = (np.trace(grid, -lead) for lead in (1, 2, 3))
    assert (by_one, by_two, by_three) == pytest.approx((0.1337, 0.0904, 0.0719), abs=0.012)


def test_a_two_way_result_of_hockey_counts_overtime_and_a_three_way_one_does_not() -> None:
    with_it = hockey(two_way(0.55, 0.5, "6.5"))
    without = hockey(three_way(0.43, 0.22, 0.46, "6.5"))
    assert with_it.probability("total", "0.5", "over") == 1  # 0-0 goes to overtime
    nil_nil = without.probability("total", "0.5", "under")
    assert nil_nil is not None
    assert nil_nil > 0.001
    assert with_it.push("spread", "0") == 0
    assert without.push("spread", "0") == pytest.approx(without.push("draw_no_bet", ""))
    assert without.push("spread", "0") == pytest.approx(0.22, abs=0.01)
    assert with_it.probability("moneyline", "", "home") == pytest.approx(0.55, abs=1e-3)
    assert with_it.probability("draw_no_bet", "", "home") is None
    assert with_it.probability("moneyline", "", "draw") in (None, 0)


def test_overtime_adds_one_goal_and_moves_no_puck_line() -> None:
    model = hockey(two_way(0.6, 0.52, "5.5", ("-1.5", 0.36)))
    regular = model.chances["regulation"].reshape(16, 16)
    whole = model.chances["whole"].reshape(16, 16)
    for lead in (2, 3, 4):
        assert np.trace(whole, -lead) == pytest.approx(np.trace(regular, -lead))
        assert np.trace(whole, lead) == pytest.approx(np.trace(regular, lead))
    goals = np.add.outer(np.arange(16), np.arange(16))
    draws = np.trace(regular)
    assert (whole * goals).sum() - (regular * goals).sum() == pytest.approx(draws, abs=1e-6)


def test_without_knowing_whether_overtime_counts_there_is_no_model() -> None:
    lines = [line for line in two_way(0.55, 0.5, "6.5") if line.market_type != "moneyline"]
    assert fitted_hockey([*lines, Line("spread", "-1.5", "home", 0.35)]) is None
    assert fitted_hockey(two_way(0.55, 0.5, "6.5")[:2]) is None
    assert fitted_hockey(two_way(0.55, 0.5, "6.5"), period=4) is None
    assert fitted_baseball(three_way(0.45, 0.1, 0.5, "8.5")) is None
    assert fitted_baseball(two_way(0.55, 0.5, "4.5"), period=1) is None


def test_baseball_has_no_ties() -> None:
    model = baseball(two_way(0.58, 0.5, "8.5", ("-1.5", 0.42)))
    assert sum(model.chances["whole"]) == pytest.approx(1, abs=1e-4)
    assert model.push("spread", "0") == 0
    wins = model.probability("moneyline", "", "home")
    assert model.probability("spread", "-0.5", "home") == pytest.approx(wins)
    assert model.probability("spread", "+0.5", "home") == pytest.approx(wins)


def test_a_period_of_hockey_is_regulation_and_a_two_way_winner_returns_draws() -> None:
    first = hockey(two_way(0.54, 0.44, "1.5"), period=1)
    assert first.probability("moneyline", "", "home") == pytest.approx(0.54, abs=1e-3)
    push = first.push("moneyline", "")
    assert push is not None
    assert 0.25 < push < 0.5
    assert set(first.parameters) == {"home rate", "away rate"}


@pytest.mark.parametrize("fit", [fitted_hockey, fitted_baseball])
def test_equal_teams_are_equal(fit: object) -> None:
    model = fit(two_way(0.5, 0.5, "6.5"))  # type: ignore[operator]
    rates = model.parameters
    if fit is fitted_hockey:
        assert rates["home rate"] == pytest.approx(rates["away rate"], rel=1e-3)
        assert model.probability("spread", "-1.5", "home") == pytest.approx(
            model.probability("spread", "+1.5", "away"), abs=1e-3
        )
    else:  # the home team bats last: it stops at a lead of one
        assert model.probability("spread", "-1.5", "home") < model.probability(
            "spread", "+1.5", "away"
        )


@settings(max_examples=15, deadline=None)
@given(st.floats(0.25, 0.75), st.floats(0.35, 0.65), st.sampled_from(["5.5", "6", "6.5"]))
def test_lines_fit_together(home: float, over: float, total: str) -> None:
    for model in (hockey(two_way(home, over, total)), baseball(two_way(home, over, total))):
        assert max(abs(miss) for _, miss in model.misses) < 0.012
        overs = [model.probability("total", f"{line}", "over") or 0.0 for line in (5, 5.5, 6, 6.5)]
        assert overs == sorted(overs, reverse=True)
        covers = [
            model.probability("spread", f"{line}", "home") or 0.0 for line in (-2.5, -1.5, 1.5)
        ]
        assert covers == sorted(covers)
        for market_type, key in (("total", "6.25"), ("spread", "-1"), ("team_total", "Away 2.5")):
            first = "home" if market_type == "spread" else "over"
            second = {"home": "away", "over": "under"}[first]
            one = model.probability(market_type, key, first)
            other = model.probability(market_type, key, second)
            assert one is not None
            assert other is not None
            assert one + other == pytest.approx(1)
        above, below = (model.probability("total", line, "over") for line in ("6.5", "5.5"))
        assert above is not None
        assert below is not None
        assert model.push("total", "6") == pytest.approx(below - above)


def test_the_models_are_those_of_their_sports_and_fast() -> None:
    for sport, name in (("Hockey", "empty net"), ("Baseball", "dispersion")):
        lines = two_way(0.56, 0.5, "6.5", ("-1.5", 0.37))
        model = fitted_model(sport, lines)
        assert model is not None
        assert name in model.parameters
        taken = math.inf
        for _ in range(20):
            began = thread_time()
            fitted_model(sport, lines)
            taken = min(taken, thread_time() - began)
        assert taken < in_time(0.005)
