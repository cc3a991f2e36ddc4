"""Basketball and American football: published numbers, key numbers, lines that fit together."""

import math
from time import thread_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.pricing.margins import (
    AMERICAN_FOOTBALL,
    BASKETBALL,
    distributions,
    fitted_american_football,
    fitted_basketball,
)
from oddsdesk.pricing.number_models import NumberModel
from oddsdesk.pricing.score_models import Line, fitted_model
from tests.kit.promises import in_time


def game(spread: str, total: str, home: float | None = None, covers: float = 0.5) -> list[Line]:
    lines = [
        Line("spread", spread, "home", covers),
        Line("spread", spread, "away", 1 - covers),
        Line("total", total, "over", 0.5),
        Line("total", total, "under", 0.5),
    ]
    if home is not None:
        lines += [Line("moneyline", "", "home", home), Line("moneyline", "", "away", 1 - home)]
    return lines


def basketball(lines: list[Line], period: int = 0) -> NumberModel:
    model = fitted_basketball(lines, period=period)
    assert model is not None
    return model


def football(lines: list[Line]) -> NumberModel:
    model = fitted_american_football(lines)
    assert model is not None
    return model


def chance(model: NumberModel, market_type: str, key: str, side: str) -> float:
    found = model.probability(market_type, key, side)
    assert found is not None
    return found


def test_a_basketball_favourite_wins_as_often_as_the_normal_distribution_says() -> None:
    """Winston (2009): a favourite by 5 wins with the normal chance of 5/12 deviations."""
    model = basketball(game("-5", "198.5"))
    assert chance(model, "moneyline", "", "home") == pytest.approx(
        0.5 * (1 + math.erf(5 / 12 / math.sqrt(2))), abs=0.025
    )
    assert model.push("spread", "0") == 0  # no game is drawn
    assert model.push("spread", "-5") == pytest.approx(0.037, abs=0.005)


@pytest.mark.parametrize("spread", [1, 4, 6, 9, 12, 14])
def test_a_football_favourite_wins_about_as_often_as_stern_says(spread: int) -> None:
    """Stern (1991): the normal chance of spread/13.86; key numbers move it by up to 4 points."""
    model = football(game(f"-{spread}", "45.5"))
    assert chance(model, "moneyline", "", "home") == pytest.approx(
        0.5 * (1 + math.erf(spread / 13.86 / math.sqrt(2))), abs=0.042
    )


def test_games_of_football_land_on_three_and_seven() -> None:
    """In an even game the shares are near those of 2,743 games: 3 by 14.7 %, 7 by 8.6 %."""
    margins = distributions(AMERICAN_FOOTBALL, (0.0, 45.6, 0.0, 0.0))["margin"]
    by = {lead: margins[90 - lead] + margins[90 + lead] for lead in (3, 6, 7, 9, 10)}
    assert by[3] == pytest.approx(403 / 2743, abs=0.02)
    assert by[7] == pytest.approx(237 / 2743, abs=0.012)
    assert by[9] == pytest.approx(48 / 2743, abs=0.004)
    assert sorted(by, key=lambda lead: -by[lead]) == [3, 7, 6, 10, 9]
    assert margins[90] == pytest.approx(9 / 2743, abs=0.002)


def test_half_a_point_around_three_is_worth_more_than_elsewhere() -> None:
    model = football(game("-3", "44.5"))
    at_three = chance(model, "spread", "-2.5", "home") - chance(model, "spread", "-3.5", "home")
    at_five = chance(model, "spread", "-4.5", "home") - chance(model, "spread", "-5.5", "home")
    assert at_three == pytest.approx(model.push("spread", "-3"))
    assert at_three > 2.5 * at_five
    assert 0.07 < at_three < 0.11


def test_points_of_both_teams_have_the_mean_of_margin_and_total() -> None:
    for chances in (
        football(game("-7.5", "45.5")).chances,
        basketball(game("+4", "220.5")).chances,
    ):
        mean = {view: float(np.arange(len(each)) @ each) for view, each in chances.items()}
        margin = mean["margin"] - 90
        assert mean["home"] == pytest.approx((mean["total"] + margin) / 2, abs=0.1)
        assert mean["away"] == pytest.approx((mean["total"] - margin) / 2, abs=0.1)


def test_no_team_of_football_scores_one_or_four_points() -> None:
    model = football(game("-3", "44.5"))
    for never in ("1", "4"):
        assert model.push("team_total", f"Home {never}") == 0


def test_lines_move_the_deviation_only_if_they_contradict_it() -> None:
    plain = basketball(game("-6.5", "228.5")).parameters["deviation of the margin"]
    wins = chance(basketball(game("-6.5", "228.5")), "moneyline", "", "home")
    same = basketball(game("-6.5", "228.5", wins)).parameters["deviation of the margin"]
    wider = basketball(game("-6.5", "228.5", wins - 0.03)).parameters["deviation of the margin"]
    assert plain == pytest.approx(BASKETBALL.margin_deviation, rel=0.01)
    assert same == pytest.approx(plain, rel=0.005)
    assert wider > 1.03 * plain


def test_a_half_of_basketball_varies_less_and_may_be_drawn() -> None:
    half = basketball(game("-3.5", "114.5"), period=1)
    assert half.parameters["deviation of the margin"] == pytest.approx(
        BASKETBALL.margin_deviation * math.sqrt(0.5), rel=0.05
    )
    push = half.push("moneyline", "")
    assert push is not None
    assert 0.02 < push < 0.06


def test_without_knowing_what_lines_count_there_is_no_model() -> None:
    drawn = [Line("moneyline", "", side, 1 / 3) for side in ("home", "draw", "away")]
    assert fitted_basketball([*game("-5", "220"), *drawn]) is None
    assert fitted_american_football([*game("-5", "45"), *drawn]) is None
    assert fitted_american_football(game("-3", "22.5"), period=1) is None
    assert fitted_basketball(game("-5", "220")[:2]) is None
    assert fitted_basketball(game("-5", "220")[2:]) is None
    model = football(game("-3", "45", 0.6))
    for market_type in ("draw_no_bet", "double_chance", "btts", "3way_handicap"):
        assert model.probability(market_type, "", "home") is None


@settings(max_examples=15, deadline=None)
@given(st.integers(-14, 14), st.floats(0.42, 0.58))
def test_lines_fit_together(spread: int, covers: float) -> None:
    key = f"{spread:+d}" if spread else "0"
    models = (basketball(game(key, "220", None, covers)), football(game(key, "44", None, covers)))
    for model, total in zip(models, (220, 44), strict=True):
        assert max(abs(miss) for _, miss in model.misses) < 1e-3
        for chances in model.chances.values():
            assert np.sum(chances) == pytest.approx(1)
        overs = [chance(model, "total", f"{total + step / 2}", "over") for step in range(-8, 9)]
        assert overs == sorted(overs, reverse=True)
        lines = [chance(model, "spread", f"{spread + step + 0.5}", "home") for step in range(-6, 7)]
        assert lines == sorted(lines)
        for of_line in (
            ("team_total", "Away 21.5", "over", "under"),
            ("spread", "-3", "home", "away"),
        ):
            market_type, line, one, other = of_line
            both = chance(model, market_type, line, one) + chance(model, market_type, line, other)
            assert both == pytest.approx(1)
        above, below = (chance(model, "total", f"{total + step}", "over") for step in (0.5, -0.5))
        assert model.push("total", str(total)) == pytest.approx(below - above)


@pytest.mark.parametrize("sport", ["Basketball", "AmericanFootball"])
def test_equal_teams_are_equal_and_a_fit_is_fast(sport: str) -> None:
    lines = game("0", "220.5" if sport == "Basketball" else "44.5", 0.5)
    model = fitted_model(sport, lines)
    assert model is not None
    assert model.parameters["margin"] == pytest.approx(0, abs=1e-3)
    assert model.probability("spread", "-3.5", "home") == pytest.approx(
        model.probability("spread", "+3.5", "away") or 0.0, abs=1e-4
    )
    taken = math.inf
    for _ in range(20):
        began = thread_time()
        fitted_model(sport, lines)
        taken = min(taken, thread_time() - began)
    assert taken < in_time(0.005)
