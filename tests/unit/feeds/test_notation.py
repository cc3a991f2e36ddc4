"""Prices and lines of other people, as quotes write them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.feeds.betfair.books import error_code, read_message, read_result
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import SourceFile, count_prices, prices_in
from oddsdesk.feeds.importing import load_importer
from oddsdesk.feeds.kalshi import read_page
from oddsdesk.feeds.notation import decimal_odds, is_american, line_text, signed_text
from oddsdesk.feeds.polymarket.books import read_events, texts


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


TOO_DEEP = b"[" * 100_000 + b"]" * 100_000
DEEP = b"[" * 450 + b"]" * 450
"""As deep as is still read; code that goes down a level a call does not come back up."""


@pytest.mark.parametrize("name", ["oddsharvester", "pinnacle", "the-odds-api"])
def test_a_file_that_is_nested_too_deeply_is_a_problem(name: str) -> None:
    imported = load_importer(name).convert([SourceFile("deep.json", TOO_DEEP)])
    [problem] = imported.problems
    assert problem.startswith("deep.json: expected ")
    assert problem.endswith(", but this is nested too deeply")


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("oddsharvester", b'{"home_team":"a","scraped_date":%s,"1x2_market":[{"1":%s}]}'),
        ("the-odds-api", b'{"id":%s,"home_team":"a","bookmakers":[{"markets":%s}]}'),
    ],
)
def test_what_is_deep_in_a_part_is_counted_through(name: str, event: bytes) -> None:
    data = b"[" + event % (DEEP, DEEP) + b"]"
    [problem] = load_importer(name).convert([SourceFile("deep.json", data)]).problems
    assert problem.startswith("deep.json: ")


def test_prices_are_counted_however_deep_they_stand() -> None:
    raw: object = {"price": 2.5}
    for _ in range(5_000):
        raw = [raw, {"price": None, "other": 3}]
    assert count_prices([raw, {"price": "2.5"}], "price") == 2
    assert list(prices_in([raw, {"price": "2.5"}], "price")) == [2.5]


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (read_page, b'{"markets":%s}'),
        (read_message, b'{"op":"mcm","mc":%s}'),
        (read_events, b"%s"),
        (read_result, b"%s"),
    ],
)
def test_what_a_source_says_too_deeply_is_refused(
    read: Callable[[bytes], object], said: bytes
) -> None:
    with pytest.raises(FeedError, match="nested too deeply"):
        read(said % TOO_DEEP)


def test_texts_of_a_field_and_codes_of_an_error_may_be_too_deep_too() -> None:
    with pytest.raises(FeedError, match="outcomes: expected texts as JSON"):
        texts("outcomes", TOO_DEEP.decode())
    assert error_code(b'{"error":' + TOO_DEEP + b"}") is None
