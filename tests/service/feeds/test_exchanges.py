"""Kalshi and Polymarket through a real server, against what was recorded of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from oddsdesk.contract.administration import FeedCondition
from oddsdesk.feeds.polymarket import live
from tests.kit.fake_source import FakeSource, as_response
from tests.service.feeds.conftest import Serve

MARKETS = "/trade-api/v2/markets"
EVENT = "KXEPLGAME-26NOV25ARSCHE"


def yes(name: str, no_bid: str, **more: str) -> dict[str, Any]:
    return {
        "ticker": f"{EVENT}-{name[:3].upper()}",
        "event_ticker": EVENT,
        "title": "Arsenal vs Chelsea Winner?",
        "yes_sub_title": name,
        "status": "active",
        "no_bid_dollars": no_bid,
        **more,
    }


GAME = [yes("Arsenal", "0.6100"), yes("Chelsea", "0.7100"), yes("Tie", "0.6500")]


async def test_three_markets_of_kalshi_are_one_game_on_two_pages(
    source: FakeSource, serve: Serve
) -> None:
    async def behave(request: Request) -> Response:
        if request.query_params.get("cursor") == "more":
            return as_response({"markets": GAME[2:], "cursor": ""})
        return as_response({"markets": GAME[:2], "cursor": "more"})

    source.behave = behave
    async with serve(f"kalshi:KXEPLGAME?url={source.url}&every=0.05") as served:
        (row,) = await served.until_odds(1)
    assert row["bookmaker"] == "Kalshi"
    odds = {name: round(price, 3) for name, price in row["odds"].items()}
    assert odds == {"Arsenal": 2.564, "Draw": 2.857, "Chelsea": 3.448}
    assert row["match_date"] is None
    first = source.asked[0]
    assert first.url.path == MARKETS
    assert first.query_params["series_ticker"] == "KXEPLGAME"
    assert first.query_params["status"] == "open"


async def test_a_game_of_kalshi_that_is_renamed_is_priced_once(
    source: FakeSource, serve: Serve
) -> None:
    """D65: its ticker says that it is the same, with the first answer."""
    title = "Arsenal vs Fulham Winner?"
    other = [{**each, "title": title} for each in (GAME[0], yes("Fulham", "0.7"), GAME[2])]
    before, after = ({"markets": each, "cursor": ""} for each in (GAME, other))
    source.say(MARKETS, before, after, b"<html>busy</html>")
    async with serve(f"kalshi:KXEPLGAME?url={source.url}&every=0.05") as served:
        await served.state(FeedCondition.FAILING)
        (row,) = await served.odds()
    assert row["match_name"] == "Arsenal vs Fulham"


async def test_the_books_of_kalshi_are_asked_for_together(source: FakeSource, serve: Serve) -> None:
    """D104; the best price is then the book's, which is read after the page."""
    bids = {"no_dollars": [["0.6000", "100.00"], ["0.6100", "10.00"]], "yes_dollars": []}
    books = [{"ticker": GAME[0]["ticker"], "orderbook_fp": bids}]
    source.say(MARKETS, {"markets": GAME, "cursor": ""})
    source.say(f"{MARKETS}/orderbooks", {"orderbooks": books})
    async with serve(f"kalshi:KXEPLGAME?url={source.url}&every=0.05") as served:
        (row,) = await served.until_odds(1)
    back = [[round(odds, 3), money] for odds, money in row["offers"]["Arsenal"]["back"]]
    assert back == [[2.564, 3.9], [2.5, 40.0]]
    asked = next(each for each in source.asked if each.url.path.endswith("orderbooks"))
    assert asked.query_params.getlist("tickers") == [each["ticker"] for each in GAME]


async def test_kalshi_that_gives_no_books_tells_the_size_of_its_best_prices(
    source: FakeSource, serve: Serve
) -> None:
    game = [{**each, "yes_ask_size_fp": "20.00"} for each in GAME]
    source.say(MARKETS, {"markets": game, "cursor": ""})
    source.say(f"{MARKETS}/orderbooks", {"error": "unauthorized"}, status=401)
    async with serve(f"kalshi:KXEPLGAME?url={source.url}&every=0.05") as served:
        (row,) = await served.until_odds(1)
        await served.until_read()
        assert served.status().state is FeedCondition.RUNNING
    assert row["offers"]["Arsenal"]["back"] == [[row["odds"]["Arsenal"], 7.8]]
    assert sum(path.endswith("orderbooks") for path in source.paths()) == 1


async def test_a_game_of_polymarket_that_is_renamed_is_priced_once(
    source: FakeSource, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D65: the page of the event is the same."""
    monkeypatch.setattr(live, "LIST_MS", 0)
    books = [book("1", "0.40"), book("2", "0.625")]
    say_game(source, *books)
    renamed = polymarket_event(title="Bulls vs. Heat")
    renamed["markets"][0] |= {"outcomes": '["Bulls", "Heat"]', "question": "Bulls vs. Heat"}
    source.say("/gamma/events", [polymarket_event()], [renamed])
    source.say("/clob/books", books, books, b"<html>busy</html>")
    async with serve(f"polymarket:745?url={source.url}&every=0.05") as served:
        await served.state(FeedCondition.FAILING)
        (row,) = await served.odds()
    assert row["match_name"] == "Heat vs Bulls"


async def test_kalshis_parlays_are_no_quotes(source, serve, shared_data: Path) -> None:
    folder = shared_data / "live" / "kalshi" / "dr-manhattan"
    raw = json.loads((folder / "kalshi_markets.json").read_bytes())
    page = raw if isinstance(raw, dict) else {"markets": raw, "cursor": ""}
    source.say(MARKETS, {**page, "cursor": ""})
    async with serve(f"kalshi:KXMVE?url={source.url}&every=0.05") as served:
        await served.until_read()
        assert served.status().state is FeedCondition.RUNNING
        assert await served.odds() == []


async def test_pages_of_kalshi_without_end_are_given_up(source, serve) -> None:
    source.say(MARKETS, {"markets": GAME, "cursor": "same"})
    async with serve(f"kalshi:KXEPLGAME?url={source.url}&every=0.05") as served:
        assert "without end" in (await served.state(FeedCondition.FAILING)).reason


async def test_a_changed_shape_of_kalshi_names_the_field(source, serve) -> None:
    source.say(MARKETS, {"markets": [{**each, "no_bid_dollars": 61} for each in GAME]})
    async with serve(f"kalshi:KXEPLGAME?url={source.url}&every=0.05") as served:
        assert "no_bid_dollars" in (await served.state(FeedCondition.FAILING)).reason


def polymarket_event(**more: Any) -> dict[str, Any]:
    return {
        "slug": "nba-chi-bos-2026-11-25",
        "title": "Bulls vs. Celtics",
        "startTime": "2026-11-25T23:30:00Z",
        "markets": [
            {
                "outcomes": '["Bulls", "Celtics"]',
                "clobTokenIds": '["1", "2"]',
                "sportsMarketType": "moneyline",
                "question": "Bulls vs. Celtics",
            }
        ],
        **more,
    }


def book(token: str, *asks: str) -> dict[str, Any]:
    levels = [{"price": price, "size": "10"} for price in asks]
    return {"asset_id": token, "bids": [], "asks": levels}


def say_game(source: FakeSource, *books: dict[str, Any]) -> None:
    source.say("/gamma/events", [polymarket_event()])
    source.say("/gamma/tags/slug/nba", {"id": "745", "slug": "nba"})
    source.say("/clob/books", list(books))


async def test_polymarkets_best_asks_are_served(source, serve) -> None:
    say_game(source, book("1", "0.99", "0.40"), book("2", "0.95", "0.625"))
    async with serve(f"polymarket:nba?url={source.url}&every=0.05") as served:
        (row,) = await served.until_odds(1)
    assert row["odds"] == {"Celtics": 1.6, "Bulls": 2.5}
    assert (row["bookmaker"], row["competition"]) == ("Polymarket", "NBA")
    listing = next(each for each in source.asked if each.url.path == "/gamma/events")
    assert (listing.query_params["tag_id"], listing.query_params["closed"]) == ("745", "false")


async def test_a_book_without_asks_offers_nothing_on_its_side(source, serve) -> None:
    say_game(source, book("1", "0.40"), book("2"))
    async with serve(f"polymarket:745?url={source.url}&every=0.05") as served:
        (row,) = await served.until_odds(1)
    assert row["odds"] == {"Bulls": 2.5}


@pytest.mark.parametrize("answer", [b"<html>", b'[{"asset_id": 1}]'])
async def test_trouble_of_polymarket_is_told_and_withdraws_nothing(
    source, serve, answer: bytes
) -> None:
    say_game(source)
    source.say("/clob/books", [book("1", "0.4"), book("2", "0.7")], answer)
    async with serve(f"polymarket:745?url={source.url}&every=0.05") as served:
        await served.until_odds(1)
        assert (await served.state(FeedCondition.FAILING)).reason.startswith("745: ")
        assert len(await served.odds()) == 1


async def test_the_recorded_game_of_kalshi_with_parlays(
    source: FakeSource, serve: Serve, shared_data: Path
) -> None:
    folder = shared_data / "live" / "kalshi"
    files = ("brianlee7281/kalshi_markets.json", "dr-manhattan/kalshi_markets.json")
    markets = [each for file in files for each in json.loads((folder / file).read_bytes())]
    source.say(MARKETS, {"markets": markets, "cursor": ""})
    async with serve(f"kalshi:KXEPLGAME?url={source.url}&every=0.05") as served:
        (row,) = await served.until_odds(1)
    assert row["match_name"] == "Tottenham vs Nottingham"
    odds = {text: round(price, 3) for text, price in row["odds"].items()}
    assert odds == {"Tottenham": 2.564, "Draw": 3.448, "Nottingham": 2.857}


async def test_the_shape_of_a_football_game_with_recorded_events_that_are_none(
    source: FakeSource, serve: Serve, shared_data: Path
) -> None:
    folder = shared_data / "live" / "polymarket"
    shape = json.loads((folder / "three_way_shape/world_cup_three_way.shape.json").read_bytes())
    others = json.loads((folder / "nautilus/gamma_event.json").read_bytes())
    empty = json.loads((folder / "nautilus/clob_book_response_empty_ask.json").read_bytes())
    source.say("/gamma/events", [*others, shape])
    asks = {"mex-yes": "0.70", "draw-yes": "0.21", "rsa-yes": "0.11"}
    source.say("/clob/books", [empty, *(book(token, "0.99", ask) for token, ask in asks.items())])
    async with serve(f"polymarket:1?url={source.url}&every=0.05") as served:
        (row,) = await served.until_odds(1)
    assert (row["match_name"], row["match_date"]) == ("Mexico vs South Africa", None)
    assert row["odds"] == {
        "Mexico": pytest.approx(1 / 0.7),
        "Draw": pytest.approx(1 / 0.21),
        "South Africa": pytest.approx(1 / 0.11),
    }
    asked = [json.loads(await each.body()) for each in source.asked if each.method == "POST"]
    assert asked[0] == [{"token_id": token} for token in asks]


def of_last_year(*markets: dict[str, Any]) -> list[dict[str, Any]]:
    text = json.dumps(markets)
    found: list[dict[str, Any]] = json.loads(text.replace(EVENT, EVENT.replace("26", "25")))
    return found


def ended(name: str, result: str) -> dict[str, Any]:
    return yes(name, "1.0000", status="finalized", result=result)


async def test_a_game_that_kalshi_settled_while_nothing_ran_is_asked_about(
    source: FakeSource, serve: Serve
) -> None:
    game = of_last_year(*GAME)
    over = of_last_year(ended("Arsenal", "yes"), ended("Chelsea", "no"), ended("Tie", "no"))
    answers: dict[str, Any] = {"open": game}

    async def behave(request: Request) -> Response:
        if request.url.path != MARKETS:
            return as_response({"orderbooks": []})
        is_list = "series_ticker" in request.query_params
        return as_response({"markets": answers["open"] if is_list else over, "cursor": ""})

    source.behave = behave
    spec = f"kalshi:KXEPLGAME?url={source.url}&every=0.05"
    async with serve(spec) as served:
        await served.until_odds(1)
        await served.until_read()
    answers["open"] = []
    async with serve(spec) as served:
        row = await served.until_result()
        await served.until_read()
        await served.until_read()
    assert (row["match_name"], row["status"], row["kick_off"]) == (
        *("Arsenal vs Chelsea", "final", "2025-11-25"),
    )
    assert (row["bookmaker"], row["source"]) == ("Kalshi", "kalshi")
    assert {each["selection"]: each["result"] for each in row["selections"]} == {
        "Arsenal": "won",
        "Chelsea": "lost",
        "Draw": "lost",
    }
    asked = [each.query_params.get("tickers") for each in source.asked if each.url.path == MARKETS]
    assert [each for each in asked if each] == [",".join(each["ticker"] for each in game)]


async def test_a_game_that_polymarket_closed_is_asked_about(
    source: FakeSource, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LIST_MS", 0)
    begins = "2025-11-25T23:30:00Z"
    lists: list[Any] = [[polymarket_event(startTime=begins)], []]
    over = polymarket_event(startTime=begins, closed=True)
    over["markets"][0] |= {"closed": True, "outcomePrices": '["0", "1"]'}
    books = [book("1", "0.40"), book("2", "0.625")]

    async def behave(request: Request) -> Response:
        if request.url.path == "/clob/books":
            return as_response(books)
        if request.query_params["closed"] == "true":
            return as_response([over])
        return as_response(lists.pop(0) if len(lists) > 1 else lists[0])

    source.behave = behave
    async with serve(f"polymarket:745?url={source.url}&every=0.05") as served:
        row = await served.until_result()
        await served.until_read()
        await served.until_read()
    assert (row["match_name"], row["status"]) == ("Celtics vs Bulls", "final")
    assert {each["selection"]: each["result"] for each in row["selections"]} == {
        "Bulls": "lost",
        "Celtics": "won",
    }
    asked = [each.query_params.getlist("slug") for each in source.asked]
    assert [each for each in asked if each] == [["nba-chi-bos-2026-11-25"]]
