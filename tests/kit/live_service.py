"""The whole server, stream and valuation included, on the loop of the test."""

import asyncio
import itertools
import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote, check_quote
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import Settings
from oddsdesk.store.databases import Database
from oddsdesk.store.values import Origin

NOW = int(datetime(2026, 11, 20, 18, 0, tzinfo=UTC).timestamp()) * 1000
LIMIT_S = 30


class LiveService:
    """A running server; ``now`` is its clock, in milliseconds."""

    def __init__(
        self, database: Database, host: str = "127.0.0.1", share: tuple[str, ...] = ()
    ) -> None:
        self.database = database
        self.host, self.share = host, share
        self.now = NOW
        self.devig_method = DEFAULT_METHOD
        self.options: dict[str, Any] = {}
        """Settings beyond those that all tests have."""
        self._names = itertools.count()
        self._running = False

    async def start(self) -> None:
        settings = Settings(
            self.database,
            self.host,
            port=0,
            reference="Pinnacle",
            devig_method=self.devig_method,
            share=self.share,
            **self.options,
        )
        self._serving = serving(settings, self._clock)
        self._running = True
        self.server = await self._serving.__aenter__()
        self.store, self.access = self.server.store, self.server.access
        self.http = httpx.AsyncClient(base_url=self.server.url, timeout=LIMIT_S)

    async def stop(self) -> None:
        """End it; may be called twice."""
        if not self._running:
            return
        self._running = False
        await self.http.aclose()
        async with asyncio.timeout(LIMIT_S):
            await self._serving.__aexit__(None, None, None)

    def key(self, plan: Plan = Plan.PRO_LIVE, bookmaker: str | None = None) -> str:
        """A new key of an account of its own."""
        name = f"account {next(self._names)}"
        return self.access.keys.create(name, plan, bookmaker, self.now).secret

    async def record(self, *quotes: Quote, origin: Origin | None = None) -> None:
        checked = [check_quote(quote, self.now) for quote in quotes]
        await asyncio.wrap_future(self.store.record(checked, origin=origin))

    def quote(self, **changed: Any) -> Quote:
        """A football moneyline of now with some fields changed."""
        fields: dict[str, Any] = {
            "bookmaker": "Betfair",
            "match_name": "Arsenal - Chelsea",
            "competition": "EPL",
            "market_type": "moneyline",
            "period": 0,
            "odds": {"Arsenal": 2.1, "Draw": 3.4, "Chelsea": 3.6},
            "scraped_at": self.now,
        }
        return Quote(**{**fields, **changed})

    async def get(self, path: str, key: str) -> Any:
        answer = await self.http.get(path, headers={"X-Api-Key": key})
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    async def token(self, key: str) -> str:
        answer = await self.http.post("/api/stream/token", headers={"X-Api-Key": key})
        assert answer.status_code == 200, answer.text
        token: str = answer.json()["token"]
        return token

    async def stream(self, key: str | None = None, **filters: str) -> ClientConnection:
        """A connection with a fresh token; the test closes it."""
        return await self.open(token=await self.token(key or self.key()), **filters)

    async def open(
        self, query: str | None = None, headers: dict[str, str] | None = None, **parameters: str
    ) -> ClientConnection:
        """A connection with this query, or these parameters."""
        query = urlencode(parameters) if query is None else query
        address = f"{self.server.url.replace('http', 'ws')}/api/stream?{query}"
        return await connect(address, additional_headers=headers)

    def _clock(self) -> int:
        return self.now


class Listening:
    """What tests ask of a client connection, each with a limit of time."""

    @staticmethod
    async def message(client: ClientConnection) -> dict[str, Any]:
        async with asyncio.timeout(LIMIT_S):
            message: dict[str, Any] = json.loads(await client.recv())
        return message

    @staticmethod
    async def all_before_pong(client: ClientConnection) -> list[dict[str, Any]]:
        """The messages that came before the answer to a ping."""
        await client.send("ping")
        messages = []
        async with asyncio.timeout(LIMIT_S):
            while (text := await client.recv()) != "pong":
                messages.append(json.loads(text))
        return messages

    @staticmethod
    async def close_code(client: ClientConnection) -> int | None:
        """The code that the server closes with, whatever it says before."""
        async with asyncio.timeout(LIMIT_S):
            try:
                while True:
                    await client.recv()
            except ConnectionClosed as closed:
                return None if closed.rcvd is None else closed.rcvd.code
