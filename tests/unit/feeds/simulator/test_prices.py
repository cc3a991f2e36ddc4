"""Margins and habits."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.feeds.simulator.fixtures import load_fixtures
from oddsdesk.feeds.simulator.groups import Axis, Group, MarketKey, two_way
from oddsdesk.feeds.simulator.prices import LADDERS, Pricer, reference_margin, reference_prices
from oddsdesk.pricing.devig import devig

PROFILES = {profile.name: profile for profile in load_fixtures().bookmakers}
MONEYLINE = MarketKey("moneyline", 0)


def hold(prices: list[float]) -> float:
    return sum(1 / price for price in prices)


@given(chance=st.floats(0.05, 0.95))
def test_the_reference_is_devigged_back_to_the_truth(chance: float) -> None:
    prices = reference_prices(two_way("A", "B", chance, Axis.SIDE), 0.022)
    assert hold(prices) == pytest.approx(1.022, abs=0.003)
    fair = devig("margin_proportional", prices)
    assert fair.probabilities[0] == pytest.approx(chance, abs=0.003)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("market_type", ["moneyline", "player_prop", "total"])
def test_the_reference_margin_is_small(market_type: str, live: bool) -> None:
    assert 0.02 <= reference_margin(MarketKey(market_type, 0), live) <= 0.035


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_a_bookmaker_takes_its_margin(name: str) -> None:
    pricer = Pricer(PROFILES[name])
    margin = pricer.margin(MONEYLINE, live=False)
    group = Group(("A", "Draw", "B"), (0.45, 0.27, 0.28), (1, 0, -1), Axis.SIDE)
    total = hold(pricer.prices(group, margin, 0, 0))
    assert 1 + margin - 0.012 <= total <= 1 + margin + 0.05


def test_a_shader_shortens_favourites_only() -> None:
    plain, shader = Pricer(PROFILES["Harbour Bet"]), Pricer(PROFILES["Quayside"])
    group = two_way("Favourite", "Outsider", 0.8, Axis.SIDE)
    even = plain.prices(group, 0.05, 0, 0)
    shaded = shader.prices(group, 0.05, 0, 0)
    assert shaded[0] < even[0]
    assert shaded[1] == even[1]


def test_an_opinion_moves_both_sides_of_its_own_axis() -> None:
    pricer = Pricer(PROFILES["Cobalt Chain"])
    group = two_way("A", "B", 0.5, Axis.SIDE)
    neutral, keen = pricer.prices(group, 0.03, 0, 0.1), pricer.prices(group, 0.03, 0.05, 0)
    assert neutral[0] == neutral[1]
    assert keen[0] < neutral[0] < keen[1]


raw_odds = st.floats(0.95, 80)


@pytest.mark.parametrize("name", sorted(LADDERS))
@given(raw=raw_odds)
def test_every_price_is_decimal_odds_near_the_raw_ones(name: str, raw: float) -> None:
    price = LADDERS[name](raw)
    assert math.isfinite(price)
    assert price > 1
    assert abs(price - max(raw, 1.01)) <= 0.06 * raw + 0.06 or name == "probability"


@pytest.mark.parametrize("name", sorted(LADDERS))
@given(raw=raw_odds)
def test_a_price_on_the_ladder_stays(name: str, raw: float) -> None:
    price = LADDERS[name](raw)
    assert LADDERS[name](price) == pytest.approx(price, rel=1e-3)


@pytest.mark.parametrize("name", ["cents", "twentieths"])
@given(raw=st.floats(1.02, 80))
def test_bookmakers_round_in_their_own_favour(name: str, raw: float) -> None:
    assert LADDERS[name](raw) <= raw + 1e-3


@pytest.mark.parametrize(
    ("name", "raw", "price"),
    [
        ("twentieths", 1.97, 1.95),
        ("cents", 1.9799, 1.97),
        ("thousandths", 1.96149, 1.961),
        ("exchange", 2.53, 2.52),
        ("american", 2.107, 2.1),
        ("probability", 2.0, 2.0),
    ],
)
def test_ladders_have_their_own_steps(name: str, raw: float, price: float) -> None:
    assert LADDERS[name](raw) == pytest.approx(price)
