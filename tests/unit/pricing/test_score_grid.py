"""A grid of scores: published numbers, fits that give back what they were made of, and speed."""

import gzip
import math
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.feeds.imported import SourceFile
from oddsdesk.feeds.sharpapi import convert
from oddsdesk.pricing.score_grid import LARGEST_MISS, ScoreGrid, fitted, fitted_grid, score_grid
from oddsdesk.pricing.score_models import MOST_GOALS, Line, shares_at
from oddsdesk.pricing.selections import line_groups
from oddsdesk.pricing.value import ReferenceLine, reference_line

PENALTYBLOG = (1.9358658956305108, 1.103726188219536, 0.0060581511544)
"""The rates and rho of penaltyblog's example grid."""


@pytest.mark.parametrize(
    ("market_type", "key", "side", "chance"),
    [
        ("moneyline", "", "home", 0.5679744),
        ("moneyline", "", "draw", 0.2183378),
        ("moneyline", "", "away", 0.2136878),
        ("btts", "", "yes", 0.5713026487),
        ("total", "2.5", "under", 0.4143785822),
    ],
)
def test_the_published_example_is_hit(market_type: str, key: str, side: str, chance: float) -> None:
    grid = score_grid(*PENALTYBLOG)
    assert grid.probability(market_type, key, side) == pytest.approx(chance, abs=6e-8)
    assert grid.chance(2, 1) == pytest.approx(0.0989700572, abs=6e-11)
    assert math.fsum(grid.chances) == pytest.approx(1)


def counted(grid: ScoreGrid, wins: object, *, pushes: object = lambda _h, _a: False) -> float:
    """Return how likely a decided unit is won, score by score."""
    won = lost = 0.0
    for home in range(MOST_GOALS + 1):
        for away in range(MOST_GOALS + 1):
            if pushes(home, away):  # type: ignore[operator]
                continue
            if wins(home, away):  # type: ignore[operator]
                won += grid.chance(home, away)
            else:
                lost += grid.chance(home, away)
    return won / (won + lost)


def test_lines_are_read_off_the_scores() -> None:
    grid = score_grid(1.4, 1.2, -0.06, 1.08)
    assert grid.probability("spread", "-1", "home") == pytest.approx(
        counted(grid, lambda h, a: h - a > 1, pushes=lambda h, a: h - a == 1)
    )
    assert grid.probability("team_total", "Away 1.5", "over") == pytest.approx(
        counted(grid, lambda _h, a: a > 1)
    )
    assert grid.probability("double_chance", "", "X2") == pytest.approx(
        counted(grid, lambda h, a: h <= a)
    )
    half, two = (counted(grid, lambda h, a: h + a > 2), counted(grid, lambda h, a: h + a == 2))
    lost = 1 - half - two
    assert grid.probability("total", "2.25", "over") == pytest.approx(
        half / (half + lost + two / 2)
    )
    assert grid.probability("player_prop", "Messi shots 2.5", "over") is None
    assert shares_at("total", "2.6", "over") is None


LINES = [
    *(("moneyline", "", side) for side in ("home", "draw", "away")),
    *(("total", line, "over") for line in ("1.5", "2.5", "2.75", "3.5")),
    *(("spread", line, "home") for line in ("-1", "-0.5", "0", "+0.5")),
    ("btts", "", "yes"),
]


def lines_of(grid: ScoreGrid, wanted: list[tuple[str, str, str]]) -> list[Line]:
    return [Line(*each, grid.probability(*each) or 0.0) for each in wanted]


@given(st.floats(0.4, 3.2), st.floats(0.4, 3.2), st.floats(-0.12, 0.08), st.floats(0.85, 1.25))
@settings(max_examples=40, deadline=None)
def test_a_fit_gives_back_the_grid_that_its_lines_are_of(
    home: float, away: float, rho: float, dispersion: float
) -> None:
    made = score_grid(home, away, rho, dispersion)
    found = fitted_grid(lines_of(made, LINES))
    assert found is not None
    assert found.miss < 2e-4
    for unasked in (("total", "4.5", "over"), ("spread", "-1.5", "home"), ("btts", "", "no")):
        assert found.probability(*unasked) == pytest.approx(made.probability(*unasked), abs=5e-4)


def test_the_dispersion_is_that_of_both_teams_goals_together() -> None:
    home, away, dispersion = 1.3, 1.1, 0.9
    grid = score_grid(home, away, 0.0, dispersion)
    weights = [(home + away) ** n / math.factorial(n) ** dispersion for n in range(29)]
    whole = math.fsum(weights)
    for under, line in ((2, "1.5"), (4, "3.5")):
        chance = math.fsum(weights[:under]) / whole
        assert grid.probability("total", line, "under") == pytest.approx(chance, abs=1e-7)
    two = grid.chance(2, 0) + grid.chance(1, 1) + grid.chance(0, 2)
    assert grid.chance(2, 0) / two == pytest.approx((home / (home + away)) ** 2)


@pytest.mark.parametrize("first", ["moneyline", "total"])
def test_rho_follows_from_a_match_result_and_a_total_in_any_order(first: str) -> None:
    made = score_grid(1.7, 0.9, -0.1)
    lines = lines_of(made, [*LINES[:3], ("total", "2.5", "over")])
    found = fitted(sorted(lines, key=lambda line: line.market_type != first))
    assert found is not None
    assert found.rho == pytest.approx(-0.1, abs=1e-3)


def test_two_totals_are_fitted_without_a_dispersion() -> None:
    made = score_grid(1.7, 0.9, -0.05)
    found = fitted_grid(lines_of(made, [*LINES[:3], ("total", "2.5", "over")]))
    assert found is not None
    assert found.dispersion == 1
    assert (found.home_rate, found.away_rate) == pytest.approx((1.7, 0.9), abs=2e-3)


def test_lines_that_no_grid_has_are_not_fitted() -> None:
    lines = lines_of(score_grid(1.5, 1.2), LINES)
    torn = [
        each._replace(probability=each.probability + 2.5 * LARGEST_MISS)
        if (each.market_type, each.key) == ("total", "2.5")
        else each
        for each in lines
    ]
    assert fitted_grid(torn) is None


@pytest.mark.parametrize("wanted", [[], LINES[:3], [("total", "2.5", "over"), ("btts", "", "yes")]])
def test_without_winner_and_goals_nothing_is_fitted(wanted: list[tuple[str, str, str]]) -> None:
    assert fitted_grid(lines_of(score_grid(1.5, 1.2), wanted)) is None


@pytest.mark.parametrize(
    "names",
    [
        [("spread", "0", "home"), ("total", "2.5", "over")],
        [("spread", "-0.75", "home"), *(("total", key, "over") for key in ("2.5", "2.75", "3"))],
        [("spread", "0", "home"), ("spread", "-0.25", "home"), ("total", "2.5", "over")],
    ],
)
def test_lines_that_leave_the_draw_open_do_not_move_rho(names: list[tuple[str, str, str]]) -> None:
    made = score_grid(1.7, 0.9, -0.06)
    found = fitted(lines_of(made, names))
    assert found is not None
    assert (found.home_rate, found.away_rate) == pytest.approx((1.7, 0.9), abs=1e-3)
    assert found.rho == -0.06
    assert found.miss < 1e-5


def test_a_game_of_many_goals_is_found_from_another_start() -> None:
    odds = [("total", "3.5", 1.53, 2.84), ("total", "4.5", 2.17, 1.84), ("total", "5.5", 3.43, 1.4)]
    lines = [
        Line(market, key, side, other / (one + other))
        for market, key, one, other in (*odds, ("spread", "+0.75", 1.37, 3.66))
        for side in ("home" if market == "spread" else "over",)
    ]
    found = fitted(lines)
    assert found is not None
    assert found.miss < 0.005


def test_a_fit_at_the_limit_of_rho_is_refused() -> None:
    made = score_grid(1.3, 1.1, 0.0)
    chances = [made.probability("moneyline", "", side) or 0.0 for side in ("home", "draw", "away")]
    lines = [
        Line("moneyline", "", side, chance + shift)
        for side, chance, shift in zip(
            ("home", "draw", "away"), chances, (-0.06, 0.12, -0.06), strict=True
        )
    ]
    lines.append(Line("total", "2.5", "over", made.probability("total", "2.5", "over") or 0.0))
    assert fitted(lines) is None


@given(st.floats(0.4, 3.2), st.floats(0.4, 3.2), st.lists(st.floats(-0.01, 0.01), min_size=12))
@settings(max_examples=25, deadline=None)
def test_a_fit_is_the_same_wherever_it_starts(
    home: float, away: float, errors: list[float]
) -> None:
    lines = [
        line._replace(probability=min(max(line.probability + error, 0.01), 0.99))
        for line, error in zip(lines_of(score_grid(home, away, -0.04), LINES), errors, strict=False)
    ]
    found = fitted(lines)
    again = fitted(lines, start=score_grid(1.1, 2.2, 0.02, 1.2))
    assert found is not None
    assert again is not None
    # Where rho makes 0-0 impossible the misses have an edge.
    if 1 - found.home_rate * found.away_rate * found.rho > 0.05:
        assert again.chances == pytest.approx(found.chances, abs=2e-5)
    assert sum(miss**2 for _, miss in again.misses) == pytest.approx(
        sum(miss**2 for _, miss in found.misses), rel=2e-3, abs=1e-9
    )


def test_misses_are_those_of_the_lines_it_was_fitted_to() -> None:
    lines = [
        *lines_of(score_grid(1.5, 1.2), LINES),
        Line("total", "1.5", "under", 0.3),
        Line("player_prop", "Kane shots 1.5", "over", 0.5),
    ]
    lines[3] = lines[3]._replace(probability=lines[3].probability + 0.01)
    found = fitted(lines)
    assert found is not None
    assert [line for line, _ in found.misses] == lines[:-2]
    for line, miss in found.misses:
        reached = found.probability(*line[:3])
        assert reached is not None
        assert miss == pytest.approx(reached - line.probability, abs=1e-12)
    assert found.miss == max(abs(miss) for _, miss in found.misses) > 0.003


def test_a_push_returns_all_or_half_of_a_stake() -> None:
    grid = score_grid(1.4, 1.2, -0.06)
    draw = grid.probability("moneyline", "", "draw")
    for level in (("spread", "0"), ("spread", "-0.25"), ("draw_no_bet", "")):
        assert grid.push(*level) == pytest.approx(draw)
    assert grid.push("total", "2.5") == grid.push("moneyline", "") == grid.push("btts", "") == 0
    assert grid.push("double_chance", "") == grid.push("3way_handicap", "-1") == 0
    assert grid.push("player_prop", "Kane shots 2") is None


def boards(shared_data: Path, method: str) -> dict[str, dict[tuple[str, str], ReferenceLine]]:
    """Return Pinnacle's lines of the two football games, devigged."""
    name = "worldcup_2026_odds_snapshot"
    packed = (shared_data / "sharpapi" / f"{name}.csv.gz").read_bytes()
    found = defaultdict[str, dict[tuple[str, str], ReferenceLine]](dict)
    for quote in convert(SourceFile(name, gzip.decompress(packed))).quotes:
        if quote.bookmaker != "Pinnacle" or quote.period:
            continue
        for group in line_groups(quote.market_type, quote.match_name, quote.odds, "Football"):
            odds = [quote.odds[selection] for selection in group.selections]
            if group.complete:
                found[quote.match_name][quote.market_type, group.key] = reference_line(
                    quote.market_type, group, odds, scraped_at=0, is_live=False, method=method
                )
    return found


def points_off(
    board: dict[tuple[str, str], ReferenceLine], fitted_to: Callable[[tuple[str, str]], bool]
) -> dict[tuple[str, str], float]:
    """Return by how many percentage points a fit to some lines misses each line of a board."""
    chances = {
        name: {side: 1 / (price.fair_odds or 0.0) for side, price in line.prices.items()}
        for name, line in board.items()
    }
    given = [
        Line(*name, side, chance)
        for name, sides in chances.items()
        if fitted_to(name)
        for side, chance in sides.items()
    ]
    grid = fitted(given)
    assert grid is not None
    return {
        name: max(abs((grid.probability(*name, s) or 0.0) - p) for s, p in sides.items()) * 100
        for name, sides in chances.items()
    }


def test_match_result_and_one_total_tell_the_other_markets(shared_data: Path) -> None:
    for board in boards(shared_data, "multiplicative").values():
        off = points_off(board, lambda name: name in {("moneyline", ""), ("total", "2.5")})
        assert round(off["btts", ""], 2) <= 0.7
        assert max(miss for name, miss in off.items() if name[0] == "team_total") < 0.35
        for line, most in (("0", 0.2), ("-0.5", 0.2), ("+0.5", 0.2), ("-1", 0.7), ("+1", 0.7)):
            assert off.get(("spread", line), 0.0) < most


@pytest.mark.parametrize("method", ["multiplicative", "margin_proportional"])
def test_the_dispersion_makes_a_whole_ladder_of_totals_fit(method: str, shared_data: Path) -> None:
    for board in boards(shared_data, method).values():
        off = points_off(board, lambda _: True)
        assert off["total", "1.5"] < 0.5
        assert off.get(("total", "3.5"), 0.0) < 0.5
