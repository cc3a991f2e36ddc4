"""A service that is exactly the contract: a proxy that strips a real server of every extension.

No cursor, no ``as_of``, no history, no ``openapi.json``, no feeds, no word of health beyond that it
answers, no field and no header that the contract does not list. Unknown parameters are ignored.
``python -m tests.kit.plain_service URL PORT`` serves one for trials by hand.
"""

import asyncio
import contextlib
import json
import random
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.kit.loopback import loopback_server

_FILTERS: Final = {"sport", "competition", "bookmaker", "market_type", "is_live", "limit"}
_GAME_FILTERS: Final = {"sport", "competition", "bookmaker", "is_live", "limit"}
_LISTS: Final[dict[str, set[str]]] = {
    "/api/sports": set(),
    "/api/bookmakers": {"is_live"},
    "/api/events": {*_GAME_FILTERS, "stale_minutes"},
    "/api/odds": _FILTERS,
    "/api/odds/live": _FILTERS,
    "/api/games": _GAME_FILTERS,
    "/api/value-bets": {"sport", "competition", "bookmaker", "min_ev", "max_ev", "limit"},
}
"""What each list takes."""
_EXTENSIONS: Final = {"source_sport", "offers", "offer"}
"""Fields of ours beyond the contract."""
_ONE: Final = re.compile("/api/(events|games|odds)/[^/]+")
_ONE_TAKES: Final = {"bookmaker", "market_type", "period", "stale_minutes", *_FILTERS}
_MESSAGE: Final = (
    *("bookmaker", "match_name", "competition", "sport", "market_type", "selection"),
    *("odds", "period", "is_live", "scraped_at", "liquidity"),
)
Failing = Callable[[str, dict[str, str]], Response | None]
"""Returns what to answer instead of asking the real server; None: ask it."""


class PlainService:
    """The contract and nothing else, before a real server; may answer fewer rows, and shuffle them.

    Attributes:
        asked: How many requests were answered, by path; those for one game together.
        failing: Answers in place of the server.
        spells: Returns how a bookmaker spells a selection of player props.
        refuses_limits: Whether a limit above ``most`` is refused; else fewer items come.
    """

    def __init__(
        self, origin: str, *, most: int = 500, refuses_limits: bool = False, shuffles: bool = False
    ) -> None:
        self.origin = origin
        self.asked = Counter[str]()
        self.failing: Failing = lambda _path, _asked: None
        self.spells: Callable[[str, str], str] = lambda _bookmaker, selection: selection
        self.refuses_limits = refuses_limits
        self.url = ""
        self._most = most
        self._dice = random.Random(1) if shuffles else None
        self._http = httpx.AsyncClient(timeout=60)
        app = Starlette(
            routes=[
                WebSocketRoute("/api/stream", self._stream),
                Route("/{path:path}", self._answer, methods=["GET", "POST"]),
            ]
        )
        self._server = loopback_server(app)
        self._serving: asyncio.Task[None] | None = None

    @property
    def requests(self) -> int:
        """How many requests of the quota were answered."""
        return self.asked.total()

    async def start(self, port: int = 0) -> None:
        """Serve at ``url``."""
        self._server.config.port = port
        self._serving = asyncio.get_running_loop().create_task(self._server.serve())
        async with asyncio.timeout(10):
            while not self._server.started:
                await asyncio.sleep(0.005)
        at = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{at}"

    async def stop(self) -> None:
        """Go away."""
        self._server.end()
        if self._serving is not None:
            await self._serving
        await self._http.aclose()

    async def _answer(self, request: Request) -> Response:
        path = request.url.path
        if path == "/api/stream/token" and request.method == "POST":
            answer = await self._http.post(self.origin + path, headers=_key(request))
            return _bare(answer)
        if path == "/api/health":
            return JSONResponse({"status": "up"})
        takes = _LISTS.get(path, _ONE_TAKES)
        if path not in _LISTS and not _ONE.fullmatch(path):
            return _error(404, "not_found", "no such path")
        asked = {name: value for name, value in request.query_params.items() if name in takes}
        if (instead := self.failing(path, asked)) is not None:
            return instead
        if not self._fits(asked):
            return _error(400, "bad_request", f"limit: expected at most {self._most}")
        self.asked[path if path in _LISTS else path.rpartition("/")[0] + "/…"] += 1
        try:
            raw = request.scope["raw_path"].decode()
            answer = await self._http.get(self.origin + raw, params=asked, headers=_key(request))
        except httpx.TransportError:
            return _error(503, "service_unavailable", "the database is away")
        return self._stripped(path, answer)

    def _fits(self, asked: dict[str, str]) -> bool:
        """Make a limit fit, unless it is one to refuse."""
        if int(asked.get("limit", "1")) <= self._most:
            return True
        if self.refuses_limits:
            return False
        asked["limit"] = str(self._most)
        return True

    def _stripped(self, path: str, answer: httpx.Response) -> Response:
        if answer.status_code != 200:
            return _bare(answer)
        said = answer.json()
        meta, data = said["meta"], said["data"]
        kept = {"rate_limit_remaining": meta["rate_limit_remaining"]}
        if isinstance(data, list):
            if self._dice is not None:
                self._dice.shuffle(data)
            kept |= {"count": len(data)} if path != "/api/sports" else {}
        respell(data, self.spells)
        return _bare(answer, {"data": _plain(data), "meta": kept})

    async def _stream(self, socket: WebSocket) -> None:
        query = socket.scope["query_string"].decode()
        address = f"{self.origin.replace('http', 'ws')}/api/stream?{query}"
        async with connect(address) as there:
            await socket.accept()
            up = asyncio.get_running_loop().create_task(_forward(socket, there.send))
            try:
                async for text in there:
                    await socket.send_text(_message(str(text), self.spells))
            except (ConnectionClosed, asyncio.CancelledError):
                pass  # the server ends, or this one
            finally:
                up.cancel()
                with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                    await socket.close(there.close_code or 1001)


async def _forward(socket: WebSocket, send: Callable[[str], Any]) -> None:
    with contextlib.suppress(WebSocketDisconnect, ConnectionClosed):
        while True:
            await send(await socket.receive_text())


def respell(said: Any, spells: Callable[[str, str], str]) -> None:
    """Change the spelling of players in props for each bookmaker, everywhere in the JSON."""
    for each in said if isinstance(said, list) else [said]:
        for market in each.get("markets", ()):
            if market.get("market_type") == "player_prop" and "selections" in market:
                rows = [part for row in market["selections"] for part in _parts(row, spells)]
                market["selections"] = rows
        if each.get("market_type") != "player_prop" or "bookmaker" not in each:
            continue
        name = each["bookmaker"]
        if isinstance(each.get("odds"), dict):
            each["odds"] = {spells(name, text): odds for text, odds in each["odds"].items()}
        if "selection" in each:
            each["selection"] = spells(name, each["selection"])


def _parts(row: dict[str, Any], spells: Callable[[str, str], str]) -> list[dict[str, Any]]:
    """Return a row of a matrix, once for each spelling; the reference has the row's own."""
    text, nobody = row["selection"], dict.fromkeys(row["books"])
    parts: dict[str, dict[str, Any]] = {}
    for name, cell in row["books"].items():
        own = spells(name, text)
        empty = {"selection": own, "reference": None, "books": dict(nobody)}
        parts.setdefault(own, empty)["books"][name] = cell
    empty = {"selection": text, "reference": None, "books": nobody}
    parts.setdefault(text, empty)["reference"] = row["reference"]
    return list(parts.values())


def _message(text: str, spells: Callable[[str, str], str]) -> str:
    if text == "pong":
        return text
    said = json.loads(text)
    respell(said, spells)
    return json.dumps({name: said[name] for name in _MESSAGE if name in said})


def _plain(said: Any) -> Any:
    """Return JSON without our fields."""
    if isinstance(said, list):
        return [_plain(each) for each in said]
    if isinstance(said, dict):
        return {name: _plain(each) for name, each in said.items() if name not in _EXTENSIONS}
    return said


def _key(request: Request) -> dict[str, str]:
    return {name: value for name, value in request.headers.items() if name == "x-api-key"}


def _bare(answer: httpx.Response, said: Any = None) -> Response:
    """Return an answer with the headers of the contract alone."""
    kept = {
        name: value
        for name, value in answer.headers.items()
        if name in ("x-ratelimit-remaining", "x-ratelimit-reset", "content-type")
    }
    body = answer.content if said is None else json.dumps(said).encode()
    return Response(body, answer.status_code, kept)


def _error(status: int, code: str, message: str, **headers: str) -> Response:
    return JSONResponse({"error": {"code": code, "message": message}}, status, headers)


@asynccontextmanager
async def plain_service(origin: str, **options: Any) -> AsyncIterator[PlainService]:
    """Run one."""
    service = PlainService(origin, **options)
    await service.start()
    try:
        yield service
    finally:
        await service.stop()


async def _main(origin: str, port: int) -> None:
    async with contextlib.AsyncExitStack() as stack:
        service = PlainService(origin)
        stack.push_async_callback(service.stop)
        await service.start(port)
        while True:
            await asyncio.sleep(10)
            print(service.requests, dict(service.asked), flush=True)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2])))
