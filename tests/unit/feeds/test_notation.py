"""Prices and lines of other people, as quotes write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.feeds.notation import decimal_odds, is_american, line_text, signed_text


@pytest.mark.parametrize(
    ("prices", "american"),
    [
        ([-110, 120], True),
        ([150, 240], True),
        ([1.5, 120.0], False),
        ([2.1, 1.0], False),
        ([], False),
    ],
)
def test_american_is_judged_on_all_prices(prices: list[float], american: bool) -> None:
    assert is_american(prices) is american


@pytest.mark.parametrize(
    ("price", "decimal"),
    [(150, 2.5), (-150, 1.6667), (100, 2.0), (-100, 2.0), (-110, 1.9091), (99, None), (0, None)],
)
def test_american_odds_become_decimal(price: float, decimal: float | None) -> None:
    assert decimal_odds(price, american=True) == decimal


@pytest.mark.parametrize("price", [1.0, 0.0, -2.0, 100_001.0, float("nan"), float("inf")])
def test_there_is_no_such_decimal_price(price: float) -> None:
    assert decimal_odds(price, american=False) is None


@given(st.floats(1.0001, 1e5))
def test_decimal_odds_stay_as_received(price: float) -> None:
    assert decimal_odds(price, american=False) == price


@pytest.mark.parametrize(
    ("line", "plain", "signed"),
    [
        (2.5, "2.5", "+2.5"),
        (-1.0, "-1", "-1"),
        (0.0, "0", "+0"),
        (-0.0, "0", "+0"),
        (0.25, "0.25", "+0.25"),
        (221.5, "221.5", "+221.5"),
    ],
)
def test_lines_are_written_short(line: float, plain: str, signed: str) -> None:
    assert line_text(line) == plain
    assert signed_text(line) == signed
