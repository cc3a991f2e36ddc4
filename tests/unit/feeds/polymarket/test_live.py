"""Where Polymarket's stream is looked for, and which tokens it is asked for."""

import asyncio
import contextlib
import json
import logging
from typing import Self

import pytest

from oddsdesk.feeds.live.live_feed import Status
from oddsdesk.feeds.polymarket import live
from oddsdesk.feeds.polymarket.games import Game
from oddsdesk.feeds.polymarket.live import PolymarketStream
from oddsdesk.network import NoWebSocketError, websocket
from oddsdesk.network.websocket import Pinging

NOW = 1_800_000_000_000


def game(name: str, *tokens: str) -> Game:
    teams = name.split(" vs ")
    moneyline = dict(zip(teams, tokens, strict=True))
    return Game(name, "NBA", None, None, "https://polymarket.com/event/x", {"moneyline": moneyline})


class Books:
    """Says the books of what was asked for once, and is silent then."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._has_said = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return

    async def send_text(self, text: str) -> None:
        self.asked = json.loads(text)["assets_ids"]

    async def receive(self) -> bytes:
        if self._has_said:
            await asyncio.Event().wait()
        self._has_said = True
        asks = [{"price": "0.5", "size": "1"}]
        heard = [{"event_type": "book", "asset_id": token, "asks": asks} for token in self.asked]
        return json.dumps(heard).encode()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Books]]:
    """What was opened; the first address opens nothing."""
    found: list[tuple[str, Books]] = []

    async def open_one(url: str, pinging: Pinging, *, largest: int) -> Books:
        assert pinging.text == "PING"
        found.append((url, Books()))
        if url == "wss://first":
            raise NoWebSocketError("first opens no stream: it answers with status 403", 403)
        return found[-1][1]

    monkeypatch.setattr(websocket, "open_websocket", open_one)
    monkeypatch.setattr(live, "GATHER_S", 0.001)
    monkeypatch.setattr(live, "LOOK_S", 0.001)
    return found


async def no_sleep(seconds: float) -> None:
    await asyncio.sleep(0)


async def test_where_one_address_opens_no_stream_the_next_is_tried(opened) -> None:
    stream = PolymarketStream(("wss://first", "wss://second"), Status("p"), no_sleep)
    stream.follow_games("1", [game("A vs B", "a", "b")])
    async with contextlib.aclosing(stream.streamed_batches(lambda: NOW)) as batches:
        (quote,) = await anext(batches)
    assert quote.odds == {"A": 2.0, "B": 2.0}
    assert [url for url, _ in opened] == ["wss://first", "wss://second"]


async def test_other_games_are_asked_for_again(opened) -> None:
    stream = PolymarketStream(("wss://second",), Status("p"), no_sleep)
    stream.follow_games("1", [game("A vs B", "a", "b")])
    stream.follow_games("2", [])
    async with contextlib.aclosing(stream.streamed_batches(lambda: NOW)) as batches:
        assert len(await anext(batches)) == 1
        stream.follow_games("2", [game("C vs D", "c", "d")])
        assert [quote.match_name for quote in await anext(batches)] == ["A vs B", "C vs D"]
    assert [books.asked for _, books in opened] == [["a", "b"], ["a", "b", "c", "d"]]


async def test_a_stream_that_stays_away_is_told_once_for_each_reason(
    opened, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="oddsdesk.feeds.live")
    rests: list[float] = []

    async def rest(seconds: float) -> None:
        rests.append(seconds)
        await asyncio.sleep(0)
        if len(rests) == 5:
            raise asyncio.CancelledError

    stream = PolymarketStream(("wss://first",), Status("p"), rest)
    stream.follow_games("1", [game("A vs B", "a", "b")])
    with pytest.raises(asyncio.CancelledError):
        await anext(stream.streamed_batches(lambda: NOW))
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith("p: no stream, whole books are polled: first opens no stream")
