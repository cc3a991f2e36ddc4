"""Kalshi and Polymarket through a real server, against what was recorded of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from oddsdesk.contract.administration import FeedCondition
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
