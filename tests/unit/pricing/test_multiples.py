"""Fair prices of multiples, checked by adding up every score."""

import math
from itertools import product

import pytest

from oddsdesk.pricing.derived import FairGame
from oddsdesk.pricing.error_bands import shipped_bands
from oddsdesk.pricing.multiples import LegPrice, MultiplePrice, leg_fair_odds, price_multiple
from oddsdesk.pricing.score_grid import ScoreGrid
from oddsdesk.pricing.selections import LineGroup
from oddsdesk.pricing.value import ReferenceLine, reference_line

METHOD = "multiplicative"


def own_line(
    market_type: str, key: str, line: float | None, sides: tuple[str, ...], *odds: float
) -> ReferenceLine:
    group = LineGroup(key, line, sides, sides, complete=True)
    return reference_line(market_type, group, odds, scraped_at=0, is_live=False, method=METHOD)


LINES = [
    own_line("moneyline", "", None, ("home", "draw", "away"), 2.05, 3.5, 3.7),
    own_line("total", "2.5", 2.5, ("over", "under"), 1.95, 1.9),
    own_line("spread", "-0.5", -0.5, ("home", "away"), 2.05, 1.85),
    own_line("btts", "", None, ("yes", "no"), 1.8, 2.0),
]
GAME = FairGame("Football", LINES, shipped_bands(METHOD))
GRID = GAME.model
assert isinstance(GRID, ScoreGrid)


def leg(market_type: str, key: str, side: str, game: str = "one", **fields: object) -> LegPrice:
    told = LegPrice(f"{market_type} {key} {side}", game, "Football", market_type, 0, key, side)
    return told._replace(**fields)


HOME = leg("moneyline", "", "home", fair_odds=2.13)
OVER = leg("total", "2.5", "over", fair_odds=1.98)
BOTH = leg("btts", "", "yes", fair_odds=1.88)


def price(*legs: LegPrice) -> MultiplePrice:
    return price_multiple(legs, lambda _: GAME)


def test_legs_of_different_games_multiply() -> None:
    other = leg("moneyline", "", "away", "two", fair_odds=3.0)
    found = price(HOME, other)
    assert found.fair_odds == found.cautious_odds == pytest.approx(2.13 * 3.0)
    assert (found.is_modelled, found.notes) == (False, ())
    assert found.ev_pct(7.0) == pytest.approx(100 * (7 / 6.39 - 1))


def test_a_push_leaves_the_other_legs() -> None:
    """Enumerated: the leg at 1.9 wins .45, is returned .10 and loses .45 of the time."""
    push = leg("total", "3", "over", "two", fair_odds=2.0, decided=0.9, odds=1.9)
    found = price(HOME._replace(odds=2.0), push)
    worth = (1 / 2.13) * 2.0 * (0.45 * 1.9 + 0.10)
    assert found.ev_pct(2.0 * 1.9) == pytest.approx(100 * (worth - 1))
    assert leg_fair_odds(1.9, 2.0, None) == 2.0
    without = price(HOME, push._replace(odds=None))
    assert without.why_not == (
        "total 3 over can be a push, which leaves the other legs: enter the odds of that leg"
    )


def test_legs_of_one_game_are_added_up_over_its_scores() -> None:
    chance = math.fsum(
        GRID.chance(home, away)
        for home, away in product(range(15), repeat=2)
        if home > away and home + away > 2.5 and home and away
    )
    found = price(HOME, OVER, BOTH)
    assert found.is_modelled
    assert found.fair_odds == pytest.approx(1 / chance)
    assert found.fair_odds != pytest.approx(2.13 * 1.98 * 1.88, rel=0.05), "never a product"
    errors = [GAME.model_error(*each) for each in _groups()]
    assert all(isinstance(error, float) for error in errors)
    assert found.cautious_odds == pytest.approx(1 / (chance - sum(map(float, errors))))


def _groups() -> list[tuple[str, LineGroup]]:
    return [(line.market_type, line.group) for line in (LINES[0], LINES[1], LINES[3])]


@pytest.mark.parametrize("odds", [1.8, 2.4])
def test_returned_stakes_within_a_game_are_added_up_too(odds: float) -> None:
    """Over 2.75 at its own odds, a half each on 2.5 and 3, with the home win at 2.0."""
    found = price(HOME._replace(odds=2.0), leg("total", "2.75", "over", odds=odds))
    paid = 0.0
    for home, away in product(range(15), repeat=2):
        goals = home + away
        over = odds if goals > 3 else (odds + 1) / 2 if goals == 3 else 0.0
        paid += GRID.chance(home, away) * (2.0 if home > away else 0.0) * over
    assert found.ev_pct(2.0 * odds) == pytest.approx(100 * (paid - 1))


def test_legs_of_two_games_with_two_on_one_combine_both_ways() -> None:
    third = leg("moneyline", "", "away", "two", fair_odds=3.0)
    two, three = price(HOME, OVER), price(third, HOME, OVER)
    assert two.fair_odds is not None
    assert three.fair_odds == pytest.approx(3.0 * two.fair_odds)
    assert three.is_modelled


def test_a_leg_that_another_contains_adds_nothing() -> None:
    lower = leg("total", "1.5", "over", fair_odds=1.3)
    found = price(OVER, lower)
    assert found == MultiplePrice(
        1.98, 1.98, notes=("total 1.5 over wins whenever total 2.5 over does, so it adds nothing",)
    )
    draw_no_bet = leg("draw_no_bet", "", "home", fair_odds=1.5)
    assert price(draw_no_bet, HOME).fair_odds == 2.13
    away = leg("moneyline", "", "away", "two", fair_odds=3.0)
    assert price(OVER, lower, away).fair_odds == pytest.approx(1.98 * 3)


@pytest.mark.parametrize(
    ("legs", "why"),
    [
        ((HOME,), "a multiple needs two legs or more"),
        ((HOME, HOME._replace(odds=2.0)), "moneyline  home and moneyline  home are the same bet"),
        (
            (HOME, leg("moneyline", "", "draw")),
            "moneyline  home and moneyline  draw cannot both win",
        ),
        ((leg("total", "1.5", "under"), BOTH), "total 1.5 under and btts  yes cannot both win"),
        (
            (leg("total", "2.5", "under"), BOTH, HOME),
            "total 2.5 under and btts  yes and moneyline  home cannot all win",
        ),
        (
            (HOME, OVER._replace(period=1)),
            "moneyline  home and total 2.5 over are on different parts of one game, which no score"
            " decides",
        ),
        (
            (HOME, leg("player_prop", "Saka shots 1.5", "over")),
            "player_prop Saka shots 1.5 over is not decided by the score, and other legs are on "
            "its game",
        ),
        (
            (HOME, leg("moneyline", "", "away", "two", why_not="no bookmaker prices it now")),
            "moneyline  away has no fair odds: no bookmaker prices it now",
        ),
        (
            (HOME._replace(sport="Tennis"), OVER._replace(sport="Tennis")),
            "moneyline  home and total 2.5 over are on one game, and only scores of football are"
            " modelled",
        ),
    ],
)
def test_what_has_no_price_says_why(legs: tuple[LegPrice, ...], why: str) -> None:
    found = price(*legs)
    assert (found.fair_odds, found.why_not) == (None, why)
    assert found.ev_pct(5.0) is None


def test_without_a_model_legs_of_one_game_have_no_price() -> None:
    few = FairGame("Football", LINES[:1], shipped_bands(METHOD))
    assert price_multiple([HOME, OVER], lambda _: few).why_not == (
        "moneyline  home and total 2.5 over are on one game: no model fits the game's lines: "
        "they are too few, or contradict each other"
    )
    unmeasured = FairGame("Football", LINES, {})
    goals = leg("team_total", "Home 1.5", "over")
    assert price_multiple([HOME, goals, BOTH], lambda _: unmeasured).why_not.endswith(
        "the model's error on lines like this one has not been measured"
    )
    live = FairGame("Football", LINES, shipped_bands(METHOD), in_play=True)
    assert price_multiple([HOME, OVER], lambda _: live).why_not.endswith("no model in play")
    assert price_multiple([HOME, OVER], lambda _: "a consensus is not modelled").why_not == (
        "moneyline  home and total 2.5 over are on one game: a consensus is not modelled"
    )


def test_a_modelled_leg_widens_the_price_by_its_own_error() -> None:
    modelled = leg("total", "4.5", "over", "two", fair_odds=5.0, band=0.02)
    found = price(HOME, modelled)
    assert found.is_modelled
    assert found.cautious_odds == pytest.approx(2.13 / (0.2 - 0.02))
    assert found.cautious_ev_pct(12.0) == pytest.approx(100 * (12 * 0.18 / 2.13 - 1))
    hopeless = price(HOME, modelled._replace(band=0.3))
    assert hopeless.cautious_odds == math.inf
    assert hopeless.cautious_ev_pct(12.0) == -100
