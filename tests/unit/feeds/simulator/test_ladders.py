"""Price ladders: finite prices above 1, never far from what was asked."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.feeds.simulator.ladders import LADDERS

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
