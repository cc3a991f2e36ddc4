"""Betfair through a real server: books that are asked for, the stream, keys, cuts."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from oddsdesk.contract.administration import FeedCondition
from oddsdesk.feeds.betfair import live
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.adapters import open_live
from tests.kit.fake_source import FakeSource, as_response
from tests.service.feeds.conftest import Serve, Served

APP_KEY, SESSION = "canaryappkey0123", "canarysession456"
CATALOGUE = {
    "marketId": "1.1",
    "marketStartTime": "2036-04-11T11:30:00.000Z",
    "description": {"marketType": "MATCH_ODDS"},
    "event": {"id": "7", "name": "Leeds v Luton"},
    "eventType": {"id": "1", "name": "Soccer"},
    "competition": {"id": "10932509", "name": "English Premier League"},
    "runners": [
        {"selectionId": ident, "runnerName": name, "sortPriority": ident}
        for ident, name in enumerate(("Leeds", "Luton", "The Draw"), start=1)
    ],
}
DEFINITION = {
    "status": "OPEN",
    "inPlay": False,
    "runners": [{"id": ident, "status": "ACTIVE"} for ident in (1, 2, 3)],
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODDSDESK_BETFAIR_KEY", f"{APP_KEY}:{SESSION}")


def book(home: float, **fields: Any) -> dict[str, Any]:
    prices = {1: home, 2: 3.0, 3: 3.6}
    runners = [
        {
            "selectionId": ident,
            "status": "ACTIVE",
            "ex": {
                "availableToBack": [{"price": price, "size": 5}],
                "availableToLay": [{"price": 900, "size": 5}],
            },
        }
        for ident, price in prices.items()
    ]
    return {"marketId": "1.1", "status": "OPEN", "inplay": False, "runners": runners} | fields


def answer(source: FakeSource, *books: Any) -> None:
    """Answer the catalogue, and books one after the other, the last for ever."""
    left = list(books)

    async def behave(request: Request) -> Response:
        if request.url.path == "/api/keepAlive":
            return as_response({"status": "SUCCESS", "error": ""})
        asked = await request.json()
        if asked["method"].endswith("listMarketCatalogue"):
            return as_response({"jsonrpc": "2.0", "result": [CATALOGUE], "id": 1})
        noted = left.pop(0) if len(left) > 1 else left[0]
        return as_response(noted if "error" in noted else {"result": [noted]})

    source.behave = behave


def spec(source: FakeSource, more: str = "", every: float = 0.05) -> str:
    return f"betfair:10932509?url={source.url}&every={every}{more}"


async def until_odds(served: Served, expected: dict[str, float]) -> None:
    async with asyncio.timeout(20):
        while True:
            rows = await served.odds()
            if (rows[0]["odds"] if rows else {}) == expected:
                return
            await asyncio.sleep(0.02)


def odds(home: float) -> dict[str, float]:
    return {"Leeds": home, "Draw": 3.6, "Luton": 3.0}


async def test_what_can_be_backed_is_served(source: FakeSource, serve: Serve) -> None:
    answer(source, book(2.5))
    async with serve(spec(source)) as served:
        (row,) = await served.until_odds(1)
    assert (row["bookmaker"], row["match_name"]) == ("Betfair Exchange", "Leeds vs Luton")
    assert row["odds"] == odds(2.5)
    headers = source.asked[0].headers
    assert (headers["x-application"], headers["x-authentication"]) == (APP_KEY, SESSION)


async def test_a_suspended_market_is_withdrawn_at_once(source, serve) -> None:
    answer(source, book(2.5), book(2.5, status="SUSPENDED"))
    async with serve(spec(source)) as served:
        await served.state(FeedCondition.RUNNING)
        await until_odds(served, {})


async def test_a_game_that_is_renamed_is_priced_once(
    source: FakeSource, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D65: its number says that it is the same, with the first answer."""
    monkeypatch.setattr(live, "LIST_MS", 0)
    lists = [CATALOGUE, {**CATALOGUE, "event": {"id": "7", "name": "Leeds v Derby"}}]
    lists[1] |= {"marketStartTime": "2036-04-12T13:30:00.000Z"}
    books: list[Any] = [{"result": [book(2.5)]}] * 2 + [failed("UNEXPECTED_ERROR")]

    async def behave(request: Request) -> Response:
        asked = await request.json()
        is_list = asked["method"].endswith("listMarketCatalogue")
        left = lists if is_list else books
        noted = left.pop(0) if len(left) > 1 else left[0]
        return as_response({"result": [noted]} if is_list else noted)

    source.behave = behave
    async with serve(spec(source)) as served:
        await served.state(FeedCondition.FAILING)
        (row,) = await served.odds()
    assert row["match_name"] == "Leeds vs Derby"


async def test_prices_of_a_delayed_key_say_so(source, serve) -> None:
    answer(source, book(2.5, isMarketDataDelayed=True))
    async with serve(spec(source)) as served:
        (row,) = await served.until_odds(1)
    assert row["bookmaker"] == "Betfair Exchange (delayed)"


def failed(code: str) -> dict[str, Any]:
    return {"error": {"code": -32099, "data": {"APINGException": {"errorCode": code}}}}


@pytest.mark.parametrize(
    ("noted", "state"),
    [
        (failed("INVALID_SESSION_INFORMATION"), FeedCondition.REFUSED),
        (failed("TOO_MANY_REQUESTS"), FeedCondition.WAITING),
        ({"error": {"code": -32602, "message": "DSC-0018"}}, FeedCondition.FAILING),
        ({"result": [{"marketId": 1}]}, FeedCondition.FAILING),
    ],
)
async def test_errors_go_by_their_code(source, serve, caplog, noted, state) -> None:
    async def behave(request: Request) -> Response:
        asked = await request.json()
        is_list = asked["method"].endswith("listMarketCatalogue")
        return as_response({"result": [CATALOGUE]} if is_list else noted)

    source.behave = behave
    async with serve(spec(source)) as served:
        status = await served.state(state)
    assert APP_KEY not in status.reason + caplog.text
    assert SESSION not in status.reason + caplog.text
    caplog.clear()


async def test_a_key_without_its_session_is_refused(source, serve, monkeypatch, caplog) -> None:
    monkeypatch.setenv("ODDSDESK_BETFAIR_KEY", APP_KEY)
    async with serve(spec(source)) as served:
        status = await served.state(FeedCondition.REFUSED)
    assert "X-Application and X-Authentication" in status.reason
    assert source.asked == []
    caplog.clear()


@pytest.mark.parametrize("text", ["betfair:premier-league", "betfair:1?regions=uk"])
def test_what_cannot_be_asked_for_is_refused(text: str) -> None:
    with pytest.raises(FeedError, match="betfair"):
        open_live(text)


class Stream:
    """Betfair's stream on loopback: authenticates, subscribes, says what it is told."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.address = ""
        self.refusal: str | None = None
        self.writers: list[asyncio.StreamWriter] = []
        self.clk = 0

    async def say(self, *changes: dict[str, Any], **fields: Any) -> None:
        self.clk += 1
        noted = {"op": "mcm", "id": 1, "clk": str(self.clk), "pt": 1, "mc": list(changes)} | fields
        await self._write(self.writers[-1], noted)

    async def serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._write(writer, {"op": "connection", "connectionId": "1"})
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            for _ in range(2):
                self.heard.append(json.loads(await reader.readuntil(b"\r\n")))
                refused = {"statusCode": "FAILURE", "errorCode": self.refusal}
                status = {"statusCode": "SUCCESS"} if self.refusal is None else refused
                await self._write(writer, {"op": "status", **status})
            self.writers.append(writer)
            await reader.read()
        writer.close()

    @staticmethod
    async def _write(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
        writer.write(json.dumps(message).encode() + b"\r\n")
        await writer.drain()


@pytest.fixture
async def stream() -> AsyncIterator[Stream]:
    fake = Stream()
    server = await asyncio.start_server(fake.serve_one, "127.0.0.1", 0)
    fake.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield fake
    server.close()
    for writer in fake.writers:
        writer.close()


def image(home: float, **definition: Any) -> dict[str, Any]:
    prices = {1: home, 2: 3.0, 3: 3.6}
    runners = [{"id": ident, "batb": [[0, price, 5]]} for ident, price in prices.items()]
    noted = DEFINITION | definition
    return {"id": "1.1", "img": True, "marketDefinition": noted, "rc": runners}


def change(home: float) -> dict[str, Any]:
    return {"id": "1.1", "rc": [{"id": 1, "batb": [[0, home, 5]]}]}


async def test_changes_are_streamed_between_two_readings(source, serve, stream) -> None:
    answer(source, book(2.5))
    async with serve(spec(source, f"&stream={stream.address}", every=3600)) as served:
        await until_odds(served, odds(2.5))
        await served.until(lambda: stream.writers)
        await stream.say(image(2.4), ct="SUB_IMAGE", initialClk="i")
        await until_odds(served, odds(2.4))
        await stream.say(change(2.3))
        await until_odds(served, odds(2.3))
        suspended = {"id": "1.1", "marketDefinition": DEFINITION | {"status": "SUSPENDED"}}
        await stream.say(suspended)
        await until_odds(served, {})
        await stream.say({"id": "1.1", "marketDefinition": DEFINITION})
        await until_odds(served, odds(2.3))
    first, second = stream.heard
    assert (first["op"], first["appKey"], first["session"]) == ("authentication", APP_KEY, SESSION)
    assert second["marketFilter"] == {"marketIds": ["1.1"]}
    assert second["marketDataFilter"]["fields"] == ["EX_BEST_OFFERS", "EX_MARKET_DEF"]
    assert "clk" not in second


async def test_a_cut_stream_is_taken_up_again(source, serve, stream) -> None:
    answer(source, book(2.5))
    async with serve(spec(source, f"&stream={stream.address}", every=3600)) as served:
        await until_odds(served, odds(2.5))
        await served.until(lambda: stream.writers)
        await stream.say(image(2.4), ct="SUB_IMAGE", initialClk="i")
        await until_odds(served, odds(2.4))
        stream.writers[0].close()
        await served.until(lambda: len(stream.writers) == 2)
        again = stream.heard[-1]
        assert (again["initialClk"], again["clk"]) == ("i", "1")
        await stream.say({**change(2.2), "con": True}, ct="RESUB_DELTA")
        await until_odds(served, odds(2.2))


async def test_a_key_that_may_not_stream_is_read_with(source, serve, stream, caplog) -> None:
    stream.refusal = "NOT_AUTHORIZED"
    answer(source, book(2.5), book(2.4))
    with caplog.at_level(logging.INFO):
        async with serve(spec(source, f"&stream={stream.address}")) as served:
            await until_odds(served, odds(2.4))
            await served.until(lambda: "NOT_AUTHORIZED" in caplog.text)
            assert served.status().state is FeedCondition.RUNNING
    assert SESSION not in caplog.text
    assert len(stream.heard) <= 2


PLAYED = {**CATALOGUE, "marketStartTime": "2025-04-11T11:30:00.000Z"}


async def test_a_market_that_is_no_longer_listed_is_asked_how_it_ended(
    source: FakeSource, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LIST_MS", 0)
    lists: list[Any] = [[PLAYED], []]
    asked_over: list[list[str]] = []
    statuses = {1: "LOSER", 2: "WINNER", 3: "LOSER"}
    closed = book(2.5, status="CLOSED", numberOfWinners=1, inplay=True)
    for each in closed["runners"]:
        each |= {"status": statuses[each["selectionId"]], "ex": {}}

    async def behave(request: Request) -> Response:
        asked = await request.json()
        if asked["method"].endswith("listMarketCatalogue"):
            return as_response({"result": lists.pop(0) if len(lists) > 1 else lists[0]})
        if "priceProjection" in asked["params"]:
            return as_response({"result": [book(2.5)]})
        asked_over.append(asked["params"]["marketIds"])
        return as_response({"result": [closed]})

    source.behave = behave
    async with serve(spec(source)) as served:
        row = await served.until_result()
        await served.until_read()
        await served.until_read()
    assert (row["match_name"], row["status"], row["home"]) == ("Leeds vs Luton", "final", None)
    assert (row["bookmaker"], row["source"]) == ("Betfair Exchange", "betfair")
    assert {each["selection"]: each["result"] for each in row["selections"]} == {
        "Leeds": "lost",
        "Draw": "lost",
        "Luton": "won",
    }
    assert asked_over == [["1.1"]]


async def test_the_stream_reports_that_a_market_was_settled(
    source, serve, stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CATALOGUE, "marketStartTime", PLAYED["marketStartTime"])
    answer(source, book(2.5))
    async with serve(spec(source, f"&stream={stream.address}", every=3600)) as served:
        await until_odds(served, odds(2.5))
        await served.until(lambda: stream.writers)
        await stream.say(image(2.4), ct="SUB_IMAGE", initialClk="i")
        await until_odds(served, odds(2.4))
        statuses = ("WINNER", "LOSER", "LOSER")
        runners = [{"id": ident, "status": each} for ident, each in enumerate(statuses, start=1)]
        ended = {"status": "CLOSED", "runners": runners, "settledTime": "2025-04-11T13:22:01Z"}
        await stream.say({"id": "1.1", "marketDefinition": DEFINITION | ended})
        row = await served.until_result()
        await until_odds(served, {})
    assert row["reported_at"] == "2025-04-11T13:22:01.000Z"
    won = [each["selection"] for each in row["selections"] if each["result"] == "won"]
    assert won == ["Leeds"]
