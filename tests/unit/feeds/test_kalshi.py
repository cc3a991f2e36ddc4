"""Kalshi's markets become one quote a game, all others are counted by why they do not."""

import json
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.contract.quotes import UNNAMED, check_quote
from oddsdesk.contract.results import GameResult, GameStatus, SelectionResult, check_result
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.kalshi import Reading, read_books, read_page

NOW = 1_800_000_000_000
EVENT = "KXEPLGAME-26MAR22TOTNFO"


def market(side: str, no_bid: str, event: str = EVENT, **fields: Any) -> dict[str, Any]:
    return {
        "ticker": f"{event}-{side[:3].upper()}",
        "event_ticker": event,
        "title": "Tottenham vs Nottingham Winner?",
        "yes_sub_title": side,
        "status": "active",
        "no_bid_dollars": no_bid,
        "yes_bid_dollars": "0.0100",
    } | fields


GAME = [market("Nottingham", "0.6500"), market("Tie", "0.7100"), market("Tottenham", "0.6100")]


def reading(*markets: Any) -> Reading:
    found = Reading()
    found.read_markets(read_page(json.dumps({"markets": markets, "cursor": ""}).encode()).markets)
    return found


def nba(side: str, no_bid: str, day: str = "26JUN21", **fields: Any) -> dict[str, Any]:
    title = {"title": "Boston at New York Winner?"}
    return market(side, no_bid, f"KXNBAGAME-{day}BOSNYK", **(title | fields))


def test_a_yes_costs_a_dollar_less_the_best_bid_for_no() -> None:
    (quote,) = reading(*GAME).quotes(NOW)
    assert quote == check_quote(quote, NOW)
    assert [(text, round(price, 3)) for text, price in quote.odds.items()] == [
        ("Tottenham", 2.564),
        ("Draw", 3.448),
        ("Nottingham", 2.857),
    ]


def test_a_game_keeps_the_order_of_its_title_and_has_no_kick_off() -> None:
    (quote,) = reading(*GAME).quotes(NOW)
    assert (quote.match_name, quote.competition) == ("Tottenham vs Nottingham", "EPL")
    assert (quote.match_date, quote.is_live, quote.scraped_at) == (None, False, NOW)


def test_a_title_with_at_says_who_is_at_home() -> None:
    (quote,) = reading(nba("Boston", "0.4"), nba("New York", "0.5")).quotes(NOW)
    assert quote.match_name == "Boston @ New York"
    assert list(quote.odds) == ["New York", "Boston"]


def test_parlays_have_no_quotes() -> None:
    parlay = market("yes Boston,yes Leeds", "1.0000", "KXMVESPORTS-S1", title="yes Boston")
    found = reading(parlay, *GAME)
    assert (len(found.quotes(NOW)), found.skipped, found.problems) == (1, {"parlay": 1}, [])


def test_what_nobody_sells_has_no_price() -> None:
    (quote,) = reading(market("Tottenham", "0.0000"), *GAME[:2]).quotes(NOW)
    assert list(quote.odds) == ["Draw", "Nottingham"]
    (quote,) = reading(market("Tottenham", "1.0000"), *GAME[:2]).quotes(NOW)
    assert list(quote.odds) == ["Draw", "Nottingham"]


@pytest.mark.parametrize(
    "draw", [[], [market("Tie", "0.0000")], [market("Tie", "0.7100", status="closed")]]
)
def test_without_a_price_of_its_draw_a_game_has_none(draw: list[Any]) -> None:
    found = reading(GAME[0], *draw, GAME[2])
    assert found.quotes(NOW) == []
    assert found.skipped["draw without a possible price"] == 2


@pytest.mark.parametrize("bid", [29, "NaN", "29"])
def test_a_side_that_cannot_be_read_is_not_withdrawn(bid: Any) -> None:
    (quote,) = reading(*GAME[:2], GAME[2] | {"no_bid_dollars": bid}).quotes(NOW)
    assert (sorted(quote.odds), list(quote.unread or ())) == (["Draw", "Nottingham"], ["Tottenham"])
    assert check_quote(quote, NOW) == quote
    broken = market("Tie", "0.7100") | {"no_bid_dollars": bid}
    (quote,) = reading(GAME[0], broken, GAME[2]).quotes(NOW)
    assert (quote.odds, sorted(quote.unread or ())) == ({}, ["Draw", "Nottingham", "Tottenham"])
    assert check_quote(quote, NOW) == quote


def test_markets_that_are_not_active_are_counted() -> None:
    found = reading(*GAME[:2], GAME[2] | {"status": "settled"})
    assert [list(quote.odds) for quote in found.quotes(NOW)] == [["Draw", "Nottingham"]]
    assert found.skipped == {"settled": 1}


def test_other_questions_are_counted() -> None:
    found = reading(
        market("Over 2.5 goals scored", "0.5", title="Tottenham vs Nottingham: Totals"),
        market("Somebody else", "0.5"),
    )
    assert found.skipped == {"not a match result": 1, "unknown outcome": 1}


def test_the_markets_of_a_game_may_stand_on_two_pages() -> None:
    found = reading(*GAME[:1])
    found.read_markets(GAME[1:])
    assert [len(quote.odds) for quote in found.quotes(NOW)] == [3]


def test_of_two_games_of_the_same_teams_the_first_is_said() -> None:
    days = ("26JUL01", "26JUN22", "26JUN211340", "26JUN211905")
    bids = ("0.1", "0.2", "0.3", "0.4")
    markets = [
        nba(side, bid, day)
        for day, bid in zip(days, bids, strict=True)
        for side in ("Boston", "New York")
    ]
    found = reading(*markets)
    (quote,) = found.quotes(NOW)
    assert quote.odds["Boston"] == pytest.approx(1 / 0.7)
    assert found.skipped == {"the same teams again, later": 6}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"no_bid_dollars": 61}, "no_bid_dollars"),
        ({"no_bid_dollars": "61"}, "no_bid_dollars"),
        ({"no_bid_dollars": "NaN"}, "no_bid_dollars"),
        ({"no_bid_dollars": "cheap"}, "no_bid_dollars"),
        ({"status": None}, "status"),
        ({"title": 1}, "title"),
    ],
)
def test_a_changed_shape_names_the_field_and_keeps_the_rest(
    fields: dict[str, Any], field: str
) -> None:
    found = reading(7, GAME[0], GAME[1], GAME[2] | fields, nba("Boston", "0.4"))
    assert [sorted(quote.odds) for quote in found.quotes(NOW)] == [
        ["Draw", "Nottingham"],
        ["Boston"],
    ]
    number, heard = found.problems
    assert "market 1" in number
    assert heard.startswith(f"{EVENT}-TOT: ")
    assert field in heard


@pytest.mark.parametrize("data", [b"<html>", b'{"error": {"code": "x"}}', b"\xff", b"[]"])
def test_other_answers_are_refused(data: bytes) -> None:
    with pytest.raises(FeedError, match="expected Kalshi's markets"):
        read_page(data)


def recorded(shared_data: Path, name: str) -> Any:
    return json.loads((shared_data / "live" / "kalshi" / name).read_bytes())


def test_the_recorded_game(shared_data: Path) -> None:
    markets = recorded(shared_data, "brianlee7281/kalshi_markets.json")
    found = reading(*markets)
    (quote,) = found.quotes(NOW)
    assert (found.skipped, found.problems) == ({}, [])
    assert quote.match_name == "Tottenham vs Nottingham"
    assert {text: round(price, 3) for text, price in quote.odds.items()} == {
        "Tottenham": 2.564,
        "Draw": 3.448,
        "Nottingham": 2.857,
    }
    asks = sorted(float(each["yes_ask_dollars"]) for each in markets)
    assert sorted(1 / price for price in quote.odds.values()) == pytest.approx(asks, abs=1e-6)
    book = recorded(shared_data, "brianlee7281/kalshi_orderbook.json")["orderbook_fp"]
    best_no = max(float(price) for price, _ in book["no_dollars"])
    assert 1 / quote.odds["Tottenham"] == pytest.approx(1 - best_no, abs=1e-6)


def test_the_recorded_page_of_parlays_has_no_quotes(shared_data: Path) -> None:
    markets = recorded(shared_data, "dr-manhattan/kalshi_markets.json")
    found = reading(*markets)
    assert (found.quotes(NOW), found.problems) == ([], [])
    assert found.skipped == {"parlay": len(markets)}


def test_football_without_a_code_needs_its_draw_too() -> None:
    cup = "KXFACUPGAME-26MAR22TOTNFO"
    found = reading(market("Nottingham", "0.6500", cup), market("Tottenham", "0.6100", cup))
    assert (found.quotes(NOW), found.skipped) == ([], {"draw without a possible price": 2})
    sides = [market(side, "0.6500", cup) for side in ("Nottingham", "Tie", "Tottenham")]
    (quote,) = reading(*sides).quotes(NOW)
    assert (quote.competition, quote.sport) == ("KXFACUPGAME", "Football")


def test_the_page_tells_the_size_of_the_best_price_only() -> None:
    """D104: 79 contracts at 0.39 are 30.81 dollars; a size that is not told is none."""
    (quote,) = reading(market("Tottenham", "0.6100", yes_ask_size_fp="79.00"), *GAME[:2]).quotes(
        NOW
    )
    offers = quote.offers or {}
    assert offers["Tottenham"].back == ((round(1 / 0.39, 6), 30.81),)
    assert offers["Draw"].back == ((quote.odds["Draw"], 0.0),)
    assert offers["Draw"].currency == "USD"


def test_a_book_takes_the_place_of_the_best_price() -> None:
    """A bid for No at 0.60 is a Yes for 0.40; bids come with the worst first."""
    book = {
        "ticker": GAME[2]["ticker"],
        "orderbook_fp": {
            "no_dollars": [["0.0100", "9"], ["0.5500", "100"], ["0.6000", "10"]],
            "yes_dollars": [["0.3500", "20"]],
        },
    }
    found = Reading()
    found.read_books(read_books(json.dumps({"orderbooks": [book]}).encode()))
    found.read_markets(read_page(json.dumps({"markets": GAME}).encode()).markets)
    (quote,) = found.quotes(NOW)
    offer = (check_quote(quote, NOW).offers or {})["Tottenham"]
    assert offer.back[:2] == ((2.5, 4.0), (round(1 / 0.45, 6), 45.0))
    assert offer.lay == ((round(1 / 0.35, 6), 7.0),)
    assert quote.odds["Tottenham"] == 2.5


def test_a_book_with_a_bid_that_is_no_price_loses_that_market_alone() -> None:
    book = {"ticker": GAME[0]["ticker"], "orderbook_fp": {"no_dollars": [["1.5", "9"]]}}
    found = Reading()
    found.read_books(read_books(json.dumps({"orderbooks": [book]}).encode()))
    found.read_markets(read_page(json.dumps({"markets": GAME}).encode()).markets)
    (quote,) = found.quotes(NOW)
    assert list(quote.odds) == ["Tottenham", "Draw"]
    assert "orderbook" in found.problems[0]


def test_a_side_of_an_unknown_name_leaves_what_it_may_be() -> None:
    (quote,) = reading(GAME[0], GAME[1], GAME[2] | {"yes_sub_title": "Totenham"}).quotes(NOW)
    assert sorted(quote.odds) == ["Draw", "Nottingham"]
    assert list(quote.unread or ()) == [UNNAMED]
    assert check_quote(quote, NOW).stays("Tottenham")


def test_a_market_that_says_too_little_leaves_all_that_is_not_named() -> None:
    (quote,) = reading(*GAME[:2], {"event_ticker": GAME[2]["event_ticker"]}).quotes(NOW)
    assert quote.stays("Tottenham")


def over(side: str, result: str, **fields: Any) -> dict[str, Any]:
    said = {"status": "finalized", "result": result, "settlement_ts": "2026-03-22T16:20:00Z"}
    return market(side, "1.0000", **(said | fields))


def the_result(*markets: Any) -> GameResult | None:
    found = reading(*markets)
    assert found.problems == []
    (result,) = [*found.results(NOW).values()] or [None]
    return result


def test_a_game_that_is_settled_has_a_result_of_each_side() -> None:
    result = the_result(over("Tottenham", "no"), over("Tie", "yes"), over("Nottingham", "no"))
    assert result is not None
    assert result == check_result(result, NOW)
    assert result.selections == (
        SelectionResult("moneyline", 0, "Tottenham", "lost"),
        SelectionResult("moneyline", 0, "Draw", "won"),
        SelectionResult("moneyline", 0, "Nottingham", "lost"),
    )
    assert (result.competition, result.match_name, result.sport) == (
        *("EPL", "Tottenham vs Nottingham", "Football"),
    )
    assert (result.status, result.bookmaker) == (GameStatus.FINAL, "Kalshi")
    assert (result.kick_off, result.has_time) == (parse_ms("2026-03-22T12:00:00Z"), False)
    assert result.reported_at == parse_ms("2026-03-22T16:20:00Z")


def test_the_ticker_of_two_games_a_day_has_the_hour_of_new_york() -> None:
    title = {"title": "Cincinnati at New York Y Winner?", "event": "KXMLBGAME-26JUN211335CINNYY"}
    result = the_result(over("New York Y", "yes", **title))
    assert result is not None
    assert (result.match_name, result.has_time) == ("Cincinnati @ New York Y", True)
    assert result.kick_off == parse_ms("2026-06-21T17:35:00Z")


@pytest.mark.parametrize("status", ["active", "closed", "determined", "disputed", "amended"])
def test_a_result_that_may_change_is_none(status: str) -> None:
    assert the_result(over("Tottenham", "yes", status=status)) is None


@pytest.mark.parametrize(
    ("result", "fields", "expected"),
    [
        ("", {}, None),
        ("scalar", {}, None),
        ("void", {}, None),
        ("yes", {"settlement_value": 100}, "won"),
        ("no", {"settlement_value": 0, "settlement_value_dollars": "0.0000"}, "lost"),
        ("yes", {"settlement_value_dollars": "0.4200"}, None),
        ("no", {"settlement_value": 42}, None),
        ("yes", {"settlement_value_dollars": "much"}, None),
    ],
)
def test_a_game_settled_at_a_fair_price_is_left_to_people(
    result: str, fields: dict[str, Any], expected: str | None
) -> None:
    found = the_result(over("Tottenham", result, **fields))
    assert (None if found is None else found.selections[0].result) == expected


@pytest.mark.parametrize("day", ["26MAR32", "26ANF22", "26JUN212560", "TOTNFO"])
def test_without_a_day_there_is_no_result(day: str) -> None:
    assert the_result(over("Tottenham", "yes", event=f"KXEPLGAME-{day}TOTNFO")) is None


def test_one_side_that_lost_does_not_end_the_game() -> None:
    result = the_result(over("Tottenham", "no"), market("Tie", "0.71"))
    assert result is not None
    assert result.status is GameStatus.UNKNOWN


def test_the_recorded_game_is_not_settled(shared_data: Path) -> None:
    found = reading(*recorded(shared_data, "brianlee7281/kalshi_markets.json"))
    assert found.results(NOW) == {}
