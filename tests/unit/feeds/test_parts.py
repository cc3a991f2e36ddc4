"""JSON of other people, however deep: a problem that is named, or counted through."""

from collections.abc import Callable

import pytest

from oddsdesk.feeds.betfair.shapes import error_code, read_message, read_result
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import SourceFile, count_prices, prices_in
from oddsdesk.feeds.importers import IMPORTERS
from oddsdesk.feeds.kalshi.shapes import read_page
from oddsdesk.feeds.polymarket.shapes import read_events, texts

TOO_DEEP = b"[" * 100_000 + b"]" * 100_000
DEEP = b"[" * 450 + b"]" * 450
"""As deep as is still read; code that goes down a level a call does not come back up."""


@pytest.mark.parametrize("name", ["oddsharvester", "pinnacle", "the-odds-api"])
def test_a_file_that_is_nested_too_deeply_is_a_problem(name: str) -> None:
    imported = IMPORTERS[name].convert([SourceFile("deep.json", TOO_DEEP)])
    [problem] = imported.problems
    assert problem.startswith("deep.json: expected ")
    assert problem.endswith(", but this is nested too deeply")


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("oddsharvester", b'{"home_team":"a","scraped_date":%s,"1x2_market":[{"1":%s}]}'),
        ("the-odds-api", b'{"id":%s,"bookmakers":[{"markets":%s}]}'),
    ],
)
def test_what_is_deep_in_a_part_is_counted_through(name: str, event: bytes) -> None:
    data = b"[" + event % (DEEP, DEEP) + b"]"
    [problem] = IMPORTERS[name].convert([SourceFile("deep.json", data)]).problems
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
