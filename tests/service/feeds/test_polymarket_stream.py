"""Polymarket's stream through a real server: changes between readings, cuts, strange messages."""

import asyncio
import json
from typing import Any

import pytest
from starlette.websockets import WebSocket, WebSocketDisconnect

from oddsdesk.contract.administration import FeedCondition
from oddsdesk.feeds.polymarket import live
from tests.kit.fake_source import FakeSource
from tests.service.feeds.conftest import Serve, Served

GAME = {
    "slug": "nba-chi-bos-2026-11-25",
    "title": "Bulls vs. Celtics",
    "startTime": "2036-11-25T23:30:00Z",
    "markets": [
        {
            "outcomes": '["Bulls", "Celtics"]',
            "clobTokenIds": '["1", "2"]',
            "sportsMarketType": "moneyline",
            "question": "Bulls vs. Celtics",
        }
    ],
}


def book(token: str, *asks: str, **fields: str) -> dict[str, Any]:
    levels = [{"price": price, "size": "10"} for price in asks]
    return {"asset_id": token, "bids": [], "asks": levels} | fields


def change(token: str, price: str, size: str) -> dict[str, Any]:
    noted = {"asset_id": token, "price": price, "size": size, "side": "SELL"}
    return {"event_type": "price_change", "market": "0x1", "price_changes": [noted]}


BOOKS = [book("1", "0.50", event_type="book"), book("2", "0.625", event_type="book")]


class Stream:
    """What the fake streams: the books to everybody who subscribes, then what it is told."""

    def __init__(self, source: FakeSource) -> None:
        self.heard: list[str] = []
        self.paths: list[str] = []
        self.begins_with = [json.dumps(BOOKS)]
        self._sockets: list[WebSocket] = []
        source.play = self._play

    async def say(self, *messages: Any) -> None:
        for message in messages:
            text = message if isinstance(message, str) else json.dumps(message)
            await self._sockets[-1].send_text(text)

    async def cut(self) -> None:
        await self._sockets[-1].close()

    async def _play(self, socket: WebSocket) -> None:
        self.paths.append(socket.url.path)
        try:
            self.heard.append(await socket.receive_text())
            for text in self.begins_with:
                await socket.send_text(text)
            self._sockets.append(socket)
            while True:
                text = await socket.receive_text()
                self.heard.append(text)
                if text == "PING":
                    await socket.send_text("PONG")
        except WebSocketDisconnect:
            return

    async def opened(self, served: Served, times: int = 1) -> None:
        await served.until(lambda: len(self._sockets) == times)


@pytest.fixture
def stream(source: FakeSource) -> Stream:
    source.say("/gamma/events", [GAME])
    source.say("/clob/books", [book("1", "0.50"), book("2", "0.625")])
    return Stream(source)


def spec(source: FakeSource) -> str:
    return f"polymarket:745?url={source.url}&every=3600"


async def until_price(served: Served, team: str, price: float | None) -> None:
    async with asyncio.timeout(20):
        while True:
            rows = await served.odds()
            odds = rows[0]["odds"] if rows else {}
            if odds.get(team) == price:
                return
            await asyncio.sleep(0.02)


async def test_a_change_is_served_between_two_readings(source, serve: Serve, stream) -> None:
    async with serve(spec(source)) as served:
        await until_price(served, "Bulls", 2.0)
        await stream.opened(served)
        await stream.say(change("1", "0.40", "7"))
        await until_price(served, "Bulls", 2.5)
        await stream.say(change("1", "0.40", "0"))
        await until_price(served, "Bulls", 2.0)
    assert source.paths().count("/clob/books") == 1
    assert json.loads(stream.heard[0]) == {"type": "market", "assets_ids": ["1", "2"]}
    assert stream.paths == ["/ws/market"]


async def test_a_source_without_games_says_so(source, serve, stream) -> None:
    source.say("/gamma/events", [])
    async with serve(spec(source)) as served:
        await served.until(lambda: served.status().plan == "no games now")
        assert served.status().state is FeedCondition.RUNNING


async def test_a_side_that_is_sold_out_is_withdrawn_at_once(source, serve, stream) -> None:
    async with serve(spec(source)) as served:
        await until_price(served, "Bulls", 2.0)
        await stream.opened(served)
        await stream.say(change("1", "0.50", "0"))
        await until_price(served, "Bulls", None)
        assert (await served.odds())[0]["odds"] == {"Celtics": 1.6}


async def test_it_says_its_ping_as_text(source, serve, stream, monkeypatch) -> None:
    monkeypatch.setattr(live, "PING_S", 0.05)
    async with serve(spec(source)) as served:
        await served.until(lambda: stream.heard.count("PING") > 2)
        await stream.say(change("1", "0.40", "7"))
        await until_price(served, "Bulls", 2.5)


async def test_strange_messages_are_passed_over(source, serve, stream) -> None:
    strange = ["{", "PONG", [{"event_type": "settlement_preview"}], 7, {"event_type": "book"}]
    async with serve(spec(source)) as served:
        await stream.opened(served)
        await stream.say(*strange, [{"event_type": "?"}, change("1", "0.40", "7")])
        await until_price(served, "Bulls", 2.5)
        assert served.status().state is FeedCondition.RUNNING


async def test_a_stream_that_was_cut_begins_again_with_its_books(source, serve, stream) -> None:
    async with serve(spec(source)) as served:
        await stream.opened(served)
        await stream.say(change("1", "0.40", "7"))
        await until_price(served, "Bulls", 2.5)
        again = [book("1", "0.25", event_type="book"), BOOKS[1]]
        stream.begins_with = [json.dumps(each) for each in again]
        await stream.cut()
        await until_price(served, "Bulls", 4.0)
        assert served.status().state is FeedCondition.RUNNING


async def test_until_all_books_of_a_market_are_there_it_stays_as_it_was(
    source, serve, stream
) -> None:
    stream.begins_with = [json.dumps(book("2", "0.80", event_type="book"))]
    async with serve(spec(source)) as served:
        await until_price(served, "Bulls", 2.0)
        await stream.opened(served)
        before = served.status().read_at
        await stream.say(book("2", "0.75", event_type="book"))
        await served.until(lambda: served.status().read_at != before)
        assert (await served.odds())[0]["odds"] == {"Celtics": 1.6, "Bulls": 2.0}
        await stream.say(book("1", "0.40", event_type="book"))
        await until_price(served, "Bulls", 2.5)
        assert (await served.odds())[0]["odds"]["Celtics"] == pytest.approx(1 / 0.75)


async def test_without_a_stream_books_are_read_as_before(source, serve) -> None:
    source.say("/gamma/events", [GAME])
    source.say("/clob/books", [book("1", "0.50"), book("2", "0.625")])

    async def refuse(socket: WebSocket) -> None:
        await socket.close()

    source.play = refuse
    async with serve(f"polymarket:745?url={source.url}&every=0.05") as served:
        await until_price(served, "Bulls", 2.0)
        source.say("/clob/books", [book("1", "0.40"), book("2", "0.625")])
        await until_price(served, "Bulls", 2.5)
        assert served.status().state is FeedCondition.RUNNING
