"""A service that counts requests in windows as the contract has it, asked without a socket."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.client.client import Client
from oddsdesk.client.errors import ForbiddenError
from oddsdesk.client.requests import Requests
from oddsdesk.client.stream import Connected, Connecting, StateListener
from oddsdesk.contract.resources import Game, GameMatrix, Health, PriceMessage
from oddsdesk.network.http import Reply
from tests.kit.small_service import KEY

LATENCY_S = 0.2
Told = list[tuple[int, str]]
"""Time in milliseconds, and what was read."""


class QuotaService:
    """Answers with games, their prices and pages; refuses what is over its quota."""

    def __init__(
        self,
        clock: Clock,
        games: list[GameMatrix],
        *,
        limit: int,
        window_s: int,
        row_pages: int = 1,
        bet_pages: int | None = 1,
        clock_ahead_ms: int = 0,
        says_date: bool = True,
    ) -> None:
        self.games = {each.game_id: each for each in games}
        self.limit = limit
        self.used = Counter[int]()
        """By number of the window."""
        self.answered: Told = []
        self.refused: Told = []
        self.competitions: list[tuple[str, str | None]] = []
        """Of what was answered, path and the competition asked for."""
        self._clock = lambda: clock() + clock_ahead_ms
        self._window_ms = window_s * 1000
        self._pages = {"/api/odds": row_pages, "/api/value-bets": bet_pages}
        self._says_date = says_date

    def answer(self, path: str, parameters: Mapping[str, str]) -> Reply:
        """Count a request and answer it, or refuse it."""
        now = self._clock()
        window = now // self._window_ms
        headers = {"date": format_datetime(datetime.fromtimestamp(now // 1000, UTC), usegmt=True)}
        if not self._says_date:
            headers = {}
        reset_s = (window + 1) * self._window_ms // 1000
        headers["x-ratelimit-reset"] = str(reset_s)
        is_refused = self.used[window] >= self.limit
        self.used[window] += not is_refused
        headers["x-ratelimit-remaining"] = str(self.limit - self.used[window])
        (self.refused if is_refused else self.answered).append((now, path))
        if is_refused:
            headers["retry-after"] = str(max(reset_s - now // 1000, 1))
            said = {"error": {"code": "rate_limit_exceeded", "message": "rate limit exceeded"}}
            return Reply(429, headers, msgspec.json.encode(said))
        self.competitions.append((path, parameters.get("competition")))
        if path in self._pages and self._pages[path] is None:
            said = {"error": {"code": "value_bets_not_on_plan", "message": "not on this plan"}}
            return Reply(403, headers, msgspec.json.encode(said))
        return Reply(200, headers, self._body(path, parameters))

    def _body(self, path: str, parameters: Mapping[str, str]) -> bytes:
        meta: dict[str, Any] = {"rate_limit_remaining": 0, "count": 0}
        if (pages := self._pages.get(path)) is not None:
            page = int(parameters.get("cursor", "1"))
            if page < pages and "competition" not in parameters:
                meta["next_cursor"] = str(page + 1)
            return msgspec.json.encode({"data": [], "meta": meta})
        data: object = []
        if path == "/api/games":
            data = [_listed(each) for each in self.games.values()]
        elif path.startswith("/api/games/"):
            data = self.games[path.rpartition("/")[2]]
        return msgspec.json.encode({"data": data, "meta": meta})


class _Asked(Requests):
    """Asks the service at once."""

    service: QuotaService

    async def _send(self, method: str, url: str, texts: Mapping[str, str]) -> Reply:
        reply = self.service.answer("/api/" + url.partition("/api/")[2], texts)
        await asyncio.sleep(LATENCY_S)
        return reply


class QuotaClient(Client):
    """A client of it, whose key has the stream or not."""

    def __init__(self, service: QuotaService, clock: Clock, *, has_stream: bool = False) -> None:
        super().__init__("http://127.0.0.1:9", KEY, clock=clock, keeps_quota=True)
        asked = _Asked(self.addresses, KEY, clock, keeps_quota=True)
        asked.service = service
        self._requests = asked
        self.has_stream = has_stream

    async def health(self) -> Health:
        return Health("ok", "test", "ok", None)

    async def stream_together(
        self, gather_s: float, on_state: StateListener
    ) -> AsyncGenerator[list[PriceMessage], None]:
        on_state(Connecting())
        if not self.has_stream:
            raise ForbiddenError("websocket_not_on_plan", "no stream", 403)
        on_state(Connected())
        await asyncio.Event().wait()
        yield  # type: ignore[misc]


def _listed(matrix: GameMatrix) -> Game:
    return Game(
        matrix.game_id,
        matrix.match_name,
        matrix.competition,
        matrix.sport,
        matrix.match_date,
        matrix.is_live,
        3,
        None,
    )
