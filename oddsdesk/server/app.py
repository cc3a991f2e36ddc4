"""The service as an ASGI application: which path goes where, and what starts with it."""

import asyncio
import logging

from starlette.routing import Route, Router, WebSocketRoute
from starlette.types import Receive, Scope, Send

from oddsdesk.server.endpoints.catalogue import Catalogue
from oddsdesk.server.endpoints.events import EVENT, EVENTS
from oddsdesk.server.endpoints.games import GAME, GAMES
from oddsdesk.server.endpoints.health import PATH as HEALTH_PATH
from oddsdesk.server.endpoints.health import HealthGate
from oddsdesk.server.endpoints.odds import LIVE_ODDS, ODDS, ODDS_OF_BOOKMAKER
from oddsdesk.server.endpoints.stream_token import PATH as TOKEN_PATH
from oddsdesk.server.endpoints.stream_token import TokenGate
from oddsdesk.server.endpoints.value_bets import VALUE_BETS
from oddsdesk.server.gate import EndpointGate, Gate
from oddsdesk.server.hosts import HostGuard
from oddsdesk.server.reads import Reads
from oddsdesk.server.service import Service
from oddsdesk.store.access import AccessStore
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.tasks import spawn, stop

STREAM_PATH = "/api/stream"
FLUSH_EVERY_S = 0.5
"""How often counts go to the file; at most the last second may be lost (D18)."""

_log = logging.getLogger(__name__)


class App:
    """The service; ``start`` it before it serves, ``stop`` it after."""

    def __init__(self, service: Service) -> None:
        self._access = service.access
        self._reads = Reads()
        self._flushing: asyncio.Task[None] | None = None
        self._app = HostGuard(_router(service, self._reads), service.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one stream."""
        await self._app(scope, receive, send)

    async def start(self) -> None:
        """Begin to save counts."""
        self._flushing = spawn("quota flush", _flush(self._access))

    async def stop(self) -> None:
        """End the threads; what was counted last is saved when the access store closes."""
        if self._flushing is not None:
            await stop(self._flushing)
        self._reads.close()


def create_app(service: Service) -> App:
    """Return the service as an ASGI application."""
    return App(service)


def _router(service: Service, reads: Reads) -> Router:
    endpoints = [
        ODDS,
        LIVE_ODDS,  # before the one that takes any name
        ODDS_OF_BOOKMAKER,
        GAMES,
        GAME,
        EVENTS,
        EVENT,
        VALUE_BETS,
        *Catalogue().endpoints(),
    ]
    return Router(
        [
            *(Route(each.path, EndpointGate(each, service, reads)) for each in endpoints),
            WebSocketRoute(STREAM_PATH, service.stream),
            Route(TOKEN_PATH, TokenGate(service)),
            Route(HEALTH_PATH, HealthGate(service, reads)),
        ],
        redirect_slashes=False,
        default=_Nowhere(service),
    )


class _Nowhere:
    """What is at every other path."""

    def __init__(self, service: Service) -> None:
        self._gate = Gate(service)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._gate(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})


async def _flush(access: AccessStore) -> None:
    """Save counts now and then; while the file refuses they stay in memory (D18)."""
    refused = False
    while True:
        await asyncio.sleep(FLUSH_EVERY_S)
        flushing = access.quotas.flush()
        if flushing is None:
            continue
        try:
            await asyncio.wrap_future(flushing)
        except StoreUnavailableError as error:
            if not refused:
                _log.warning("counts of requests stay in memory for now: %s", error)
            refused = True
        else:
            refused = False
