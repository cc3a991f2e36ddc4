"""Order books of Polymarket: the best ask of each token, through every message of the stream."""

import json
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.polymarket.books import Books


def levels(**prices: str) -> list[dict[str, str]]:
    return [{"price": price, "size": size} for price, size in prices.items()]


def book(token: str, *asks: str) -> dict[str, Any]:
    return {
        "event_type": "book",
        "asset_id": token,
        "bids": [{"price": "0.10", "size": "5"}],
        "asks": [{"price": price, "size": "10"} for price in asks],
    }


def change(token: str, price: str, size: str, side: str = "SELL", **fields: str) -> dict[str, Any]:
    heard = {"asset_id": token, "price": price, "size": size, "side": side} | fields
    return {"event_type": "price_change", "market": "0x1", "price_changes": [heard]}


def after(*messages: Any) -> Books:
    books = Books()
    for message in messages:
        assert books.take_message(json.dumps(message).encode()).problems == []
    return books


@pytest.mark.parametrize("asks", [("0.53", "0.52", "0.51"), ("0.51", "0.52", "0.53")])
def test_the_least_ask_counts_in_whatever_order_levels_come(asks: tuple[str, ...]) -> None:
    assert after(book("1", *asks)).best_ask("1") == 0.51


def test_where_nothing_is_asked_there_is_no_price() -> None:
    books = after(book("1"))
    assert (books.best_ask("1"), books.best_ask("2")) == (None, None)


def test_a_level_of_no_size_is_gone() -> None:
    assert after(book("1", "0.5", "0.6"), change("1", "0.50", "0")).best_ask("1") == 0.6
    assert after(book("1", "0.5"), change("1", "0.5", "0")).best_ask("1") is None


def test_a_better_ask_is_the_new_price_and_a_bid_is_none() -> None:
    assert after(book("1", "0.5"), change("1", "0.4", "3")).best_ask("1") == 0.4
    assert after(book("1", "0.5"), change("1", "0.4", "3", side="BUY")).best_ask("1") == 0.5


def test_a_book_takes_the_place_of_the_one_before() -> None:
    assert after(book("1", "0.4"), book("1", "0.6")).best_ask("1") == 0.6


def test_what_the_stream_says_is_best_counts_over_levels_that_are_gone() -> None:
    heard = change("1", "0.2", "1", side="BUY", best_ask="0.55")
    assert after(book("1", "0.4", "0.6"), heard).best_ask("1") == 0.55
    best = {"event_type": "best_bid_ask", "asset_id": "1", "best_bid": "0.1", "best_ask": "0.45"}
    assert after(book("1", "0.4", "0.6"), best).best_ask("1") == 0.45
    nothing = best | {"best_ask": "1"}
    assert after(book("1", "0.4", "0.6"), nothing).best_ask("1") is None


def test_a_change_before_the_book_says_nothing_unless_it_says_what_is_best() -> None:
    books = Books()
    assert books.take_message(json.dumps(change("1", "0.4", "3")).encode()).touched == set()
    assert not books.knows("1")
    heard = change("1", "0.4", "3", best_ask="0.35")
    assert books.take_message(json.dumps(heard).encode()).touched == {"1"}
    assert books.best_ask("1") == 0.35


def test_a_settled_market_offers_nothing() -> None:
    end = {"event_type": "market_resolved", "assets_ids": ["1", "2"]}
    books = after(book("1", "0.4"), book("2", "0.6"), end)
    assert (books.best_ask("1"), books.best_ask("2")) == (None, None)


def test_kinds_that_are_not_known_are_passed_over_and_counted() -> None:
    books = Books()
    news = [{"event_type": "settlement_preview"}, book("1", "0.4"), {"a": 1}, {"event_type": 7}]
    taken = books.take_message(json.dumps(news).encode())
    assert taken.passed_over == {"settlement_preview": 1, "no event_type": 2}
    assert (taken.touched, taken.problems) == ({"1"}, [])


def test_the_answer_to_a_ping_and_messages_without_prices_touch_nothing() -> None:
    books = Books()
    for frame in (b"PONG", b'{"event_type": "last_trade_price"}', b"[]"):
        taken = books.take_message(frame)
        assert (taken.touched, taken.problems, taken.passed_over) == (set(), [], {})


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        ({"event_type": "book", "asks": []}, "asset_id"),
        ({"event_type": "book", "asset_id": "1", "asks": None}, "asks"),
        (book("1", "dear"), "price"),
        (change("1", "0.5", "much"), "size"),
        (change("1", "0.5", "1", side="ASK"), "side"),
        (change("1", "0.5", "1", best_ask="none"), "best_ask"),
        ({"event_type": "price_change", "price_changes": {}}, "price_changes"),
        ({"event_type": "market_resolved"}, "assets_ids"),
    ],
)
def test_a_changed_message_names_the_field_and_keeps_the_rest(broken: Any, field: str) -> None:
    books = Books()
    taken = books.take_message(json.dumps([broken, book("2", "0.4")]).encode())
    assert len(taken.problems) == 1
    assert field in taken.problems[0]
    assert books.best_ask("2") == 0.4


def test_a_frame_that_is_no_json_is_a_problem() -> None:
    assert "JSON" in Books().take_message(b"{").problems[0]


def test_an_answer_with_one_broken_book_keeps_the_others() -> None:
    books = Books()
    taken = books.take_books(json.dumps([{"asset_id": 3}, book("1", "0.4")]).encode())
    assert (books.best_ask("1"), len(taken.problems)) == (0.4, 1)
    with pytest.raises(FeedError, match="order books"):
        books.take_books(b'{"error": "no"}')


def recorded(shared_data: Path, name: str) -> bytes:
    return (shared_data / "live" / "polymarket" / "nautilus" / f"{name}.json").read_bytes()


def test_recorded_answers(shared_data: Path) -> None:
    books = Books()
    both = [
        json.loads(recorded(shared_data, name))
        for name in ("clob_book_response", "clob_book_response_empty_ask")
    ]
    taken = books.take_books(json.dumps(both).encode())
    assert taken.problems == []
    assert [books.best_ask(each["asset_id"]) for each in both] == [0.51, None]


def test_a_recorded_burst_that_crosses(shared_data: Path) -> None:
    books = Books()
    taken = books.take_message(
        recorded(shared_data, "ws_market_price_change_crossing_burst.excerpt")
    )
    assert (taken.problems, taken.passed_over) == ([], {})
    assert sorted(filter(None, map(books.best_ask, taken.touched))) == [0.397, 0.689]


def test_recorded_messages_known_and_unknown(shared_data: Path) -> None:
    books = Books()
    taken = books.take_message(recorded(shared_data, "ws_market_mixed_known_unknown"))
    assert (taken.touched, taken.passed_over) == ({"101"}, {"settlement_preview": 1})
    assert books.best_ask("101") == 0.38


@pytest.mark.parametrize(
    ("name", "touched"),
    [
        ("ws_market_book_msg", 1),
        ("ws_market_price_change_msg", 1),
        ("ws_market_best_bid_ask_msg", 1),
        ("ws_market_resolved_msg", 2),
        ("ws_market_last_trade_msg", 0),
        ("ws_market_new_market_msg", 0),
        ("ws_market_tick_size_msg", 0),
    ],
)
def test_every_recorded_message_is_read(shared_data: Path, name: str, touched: int) -> None:
    taken = Books().take_message(recorded(shared_data, name))
    assert (taken.problems, taken.passed_over) == ([], {})
    assert len(taken.touched) == touched
