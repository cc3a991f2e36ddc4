"""A small service on a real socket that does what a test tells it to."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from oddsdesk.client import Client, StreamState
from oddsdesk.client.stream import follow
from oddsdesk.contract.resources import PriceMessage
from tests.kit.loopback import loopback_server

KEY = "oddsdesk_live_" + "0123456789abcdef" * 2

Behaviour = Callable[[WebSocket], Awaitable[None]]


class SmallService:
    """Answers REST from ``answers`` and plays ``streams``, one a connection."""

    def __init__(self) -> None:
        self.answers: list[Response] = []
        self.asked: list[Request] = []
        self.streams: list[Behaviour] = []
        self.opened: list[dict[str, str]] = []
        self.token_answers: list[Response] = []
        self.stream_answers: list[Response] = []
        self._tokens = 0
        app = Starlette(
            routes=[
                Route("/api/stream/token", self._token, methods=["POST"]),
                WebSocketRoute("/api/stream", self._stream),
                Route("/{path:path}", self._answer),
            ]
        )
        self._server = loopback_server(app)
        self._serving: asyncio.Task[None] | None = None

    def listen_at(self, port: int) -> None:
        """Take the place of another one."""
        self._server.config.port = port

    async def start(self) -> str:
        """Serve, and return the address."""
        self._serving = asyncio.get_running_loop().create_task(self._server.serve())
        async with asyncio.timeout(10):
            while not self._server.started:
                await asyncio.sleep(0.005)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    async def stop(self) -> None:
        """Go away, as a service does that is deployed again."""
        self._server.end()
        if self._serving is not None:
            await self._serving

    def say(self, data: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        """Give this as the next answer."""
        self.answers.append(JSONResponse(data, status, headers))

    async def _answer(self, request: Request) -> Response:
        self.asked.append(request)
        return self.answers.pop(0)

    async def _token(self, request: Request) -> Response:
        if self.token_answers:
            return self.token_answers.pop(0)
        self._tokens += 1
        return JSONResponse({"token": f"token-{self._tokens}", "expires_in": 300})

    async def _stream(self, socket: WebSocket) -> None:
        if self.stream_answers:
            await socket.send_denial_response(self.stream_answers.pop(0))
            return
        self.opened.append(dict(socket.query_params))
        await socket.accept()
        await self.streams.pop(0)(socket)


MESSAGE = {
    "bookmaker": "Betfair",
    "match_name": "Arsenal - Chelsea",
    "competition": "EPL",
    "sport": "Football",
    "market_type": "moneyline",
    "selection": "Draw",
    "odds": 3.4,
    "period": 0,
    "is_live": False,
    "scraped_at": "2026-11-20T18:30:00.000Z",
}


def says(*odds: float, code: int = 1001) -> Behaviour:
    async def play(socket: WebSocket) -> None:
        for price in odds:
            await socket.send_text(json.dumps({**MESSAGE, "odds": price}))
        await socket.close(code)

    return play


class Listener:
    """Follows a stream with a sleep that does not wait, and notes what it is told."""

    def __init__(self, url: str, **filters: str) -> None:
        self.client = Client(url, KEY)
        self.states: list[StreamState] = []
        self.slept: list[float] = []
        self.now = NOW
        self._filters = filters

    async def changes(self) -> AsyncGenerator[PriceMessage, None]:
        batches = follow(
            self.client,
            self._filters,
            self.states.append,
            clock=lambda: self.now,
            sleep=self._sleep,
            randomness=lambda: 1.0,
        )
        async with aclosing(batches):
            async for messages in batches:
                for message in messages:
                    yield message

    async def odds(self, count: int) -> list[float]:
        heard = []
        async with asyncio.timeout(20), self.client, aclosing(self.changes()) as changes:
            async for change in changes:
                heard.append(change.odds)
                if len(heard) == count:
                    break
        return heard

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


NOW = 1_795_000_000_000


def listing(*items: Any, **meta: Any) -> dict[str, Any]:
    return {"data": list(items), "meta": {"rate_limit_remaining": 9, "count": len(items), **meta}}
