"""What Betfair's stream says when, over lines that are written down beforehand."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any, Self

import pytest

from oddsdesk.feeds.betfair import live
from oddsdesk.feeds.betfair.catalogue import Market
from oddsdesk.feeds.betfair.live import BetfairStream
from oddsdesk.feeds.live.keys import KeySource
from oddsdesk.feeds.live.live_feed import Status
from oddsdesk.feeds.live.source import KeyUse, Source

NOW = 1_800_000_000_000
MARKET = Market("Leeds vs Luton", "EPL", "draw_no_bet", 0, None, {1: "Leeds", 2: "Luton"})
DEFINITION = {
    "status": "OPEN",
    "inPlay": False,
    "runners": [{"id": ident, "status": "ACTIVE"} for ident in (1, 2)],
}


def change(price: float, **fields: Any) -> dict[str, Any]:
    return {"id": "1.1", "rc": [{"id": 1, "batb": [[0, price, 5]]}]} | fields


class WrittenLines:
    """Says one line at a time: each is gathered alone."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self._left = list(messages)
        self._is_turn = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return

    async def send_line(self, line: str) -> None:
        assert json.loads(line)["op"] in ("authentication", "marketSubscription")

    async def receive(self, silence_s: float) -> bytes:
        self._is_turn = not self._is_turn
        if not (self._is_turn and self._left):
            await asyncio.Event().wait()
        return json.dumps({"op": "mcm", **self._left.pop(0)}).encode()


@pytest.fixture
async def said(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    monkeypatch.setattr(live, "GATHER_S", 0.001)
    stack = contextlib.AsyncExitStack()

    async def start(*messages: dict[str, Any]) -> AsyncIterator[dict[str, float]]:
        async def opened(host: str, port: int) -> WrittenLines:
            return WrittenLines(*messages)

        monkeypatch.setattr(live, "open_lines", opened)
        keys = KeySource("betfair", None, environment={"ODDSDESK_BETFAIR_KEY": "key:session"})
        use = KeyUse(headers=("X-Application", "X-Authentication"))
        source = Source("https://localhost", keys, use, lambda reply: None)
        stream = BetfairStream("stream:443", source, Status("betfair"))
        stream.follow_markets("7", {"1.1": MARKET})
        batches = await stack.enter_async_context(
            contextlib.aclosing(stream.streamed_batches(lambda: NOW))
        )
        async for batch in batches:
            for quote in batch:
                yield quote.odds

    yield start
    await stack.aclose()


IMAGE = change(2.5, img=True, marketDefinition=DEFINITION)


async def test_what_comes_late_is_said_once_the_stream_is_no_longer_late(said) -> None:
    lines = (
        {"mc": [IMAGE]},
        {"mc": [change(2.4)], "status": 503},
        {"mc": [change(2.3)], "status": 503},
        {"ct": "HEARTBEAT"},
        {"mc": [change(2.2)]},
    )
    heard = said(*lines)
    assert [await anext(heard) for _ in range(3)] == [
        {"Leeds": 2.5},
        {"Leeds": 2.3},
        {"Leeds": 2.2},
    ]


async def test_of_a_market_that_cannot_be_read_nothing_is_said_until_its_image(said) -> None:
    broken = {"id": "1.1", "rc": [{"id": 1, "batb": [[0]]}]}
    heard = said({"mc": [IMAGE]}, {"mc": [broken]}, {"mc": [change(2.4)]}, {"mc": [IMAGE]})
    found = [await anext(heard) for _ in range(2)]
    assert found == [{"Leeds": 2.5}, {"Leeds": 2.5}]
