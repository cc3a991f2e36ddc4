"""The service as an ASGI application: which path goes where."""

from collections.abc import Iterator

from starlette.routing import BaseRoute, Route, Router, WebSocketRoute
from starlette.types import Receive, Scope, Send

from oddsdesk.server.answers import refuse, send_reply
from oddsdesk.server.door import Door
from oddsdesk.server.endpoints.catalogue import Catalogue
from oddsdesk.server.endpoints.documentation import (
    DOCS_PATH,
    OPENAPI_PATH,
    DocsGate,
    OpenApiGate,
)
from oddsdesk.server.endpoints.events import EVENT, EVENTS
from oddsdesk.server.endpoints.feeds import PATH as FEEDS_PATH
from oddsdesk.server.endpoints.feeds import FeedsGate
from oddsdesk.server.endpoints.games import GAME, GAMES, HISTORY
from oddsdesk.server.endpoints.health import (
    HEALTH_PATH,
    READY_PATH,
    HealthGate,
    Looks,
    ProbesFirst,
    ReadyGate,
)
from oddsdesk.server.endpoints.ingest import PATH as INGEST_PATH
from oddsdesk.server.endpoints.ingest import IngestGate
from oddsdesk.server.endpoints.odds import LIVE_ODDS, ODDS, ODDS_OF_BOOKMAKER
from oddsdesk.server.endpoints.stream_token import PATH as TOKEN_PATH
from oddsdesk.server.endpoints.stream_token import TokenGate
from oddsdesk.server.endpoints.value_bets import VALUE_BETS
from oddsdesk.server.fairness import FairShares
from oddsdesk.server.gate import EndpointGate, Gate, no_such_path
from oddsdesk.server.hosts import HostGuard
from oddsdesk.server.limits import limits_before_the_gate
from oddsdesk.server.reader_pool import ReaderPool
from oddsdesk.server.service import Service
from oddsdesk.server.settings import Role
from oddsdesk.server.stream import STREAM_PATH


class App:
    """The service; whoever made it closes it."""

    def __init__(self, service: Service) -> None:
        self._reads = ReaderPool(circuit=service.access.circuit)
        self._looks_back = ReaderPool("look back", threads=1, circuit=service.access.circuit)
        """What reads the archive, too, may take seconds: that holds up nothing but its like."""
        self._looks = Looks(service, others=(self._reads, self._looks_back))
        self._access = service.access
        self.limits = limits_before_the_gate(service.access, service.clock)
        """The rate-limit headers for refusals before this application sees a request (D17)."""
        figures = service.figures
        router = _router(service, self._reads, self._looks_back, self._looks)
        self._guarded = HostGuard(router, service.hosts, self.limits, figures)
        self.door = Door(service)
        in_turn = FairShares(
            self._guarded,
            self.door.caller_of,
            self.limits,
            figures=figures,
            unbounded={INGEST_PATH},
        )
        self._app = ProbesFirst(in_turn, self._guarded)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one stream; the owner of the database waits for no turn."""
        is_owner = scope["type"] == "http" and self.door.is_owner(scope["headers"])
        await (self._guarded if is_owner else self._app)(scope, receive, send)

    def threads(self) -> tuple[ReaderPool, ...]:
        """Return the threads that each request needs."""
        return self._reads, self._access.thread

    def close(self) -> None:
        """End the threads that read the stores, before these are closed."""
        self._reads.close()
        self._looks_back.close()
        self._looks.close()
        self._access.close()


def create_app(service: Service) -> App:
    """Return the service as an ASGI application."""
    return App(service)


def _router(service: Service, reads: ReaderPool, looks_back: ReaderPool, looks: Looks) -> Router:
    return Router(
        [
            *(_resources(service, reads, looks_back) if Role.API in service.roles else ()),
            *(_streaming(service) if Role.STREAM in service.roles else ()),
            _route(HEALTH_PATH, HealthGate(service, looks)),
            _route(READY_PATH, ReadyGate(service, looks)),
            _route(FEEDS_PATH, FeedsGate(service)),
        ],
        redirect_slashes=False,
        default=_Nowhere(service),
    )


def _route(path: str, gate: Gate) -> Route:
    gate.path = path.replace(":path}", "}")
    return Route(path, gate)


def _resources(service: Service, reads: ReaderPool, looks_back: ReaderPool) -> Iterator[BaseRoute]:
    endpoints = [
        *Catalogue().endpoints(),
        EVENTS,
        EVENT,
        ODDS,
        LIVE_ODDS,  # before the one that takes any name
        ODDS_OF_BOOKMAKER,
        GAMES,
        HISTORY,  # before the game, whose id is any text
        GAME,
        VALUE_BETS,
    ]
    for each in endpoints:
        yield _route(each.path, EndpointGate(each, service, reads, looks_back))
    yield _route(OPENAPI_PATH, OpenApiGate(service, endpoints))
    yield _route(INGEST_PATH, IngestGate(service))
    yield _route(DOCS_PATH, DocsGate(service, endpoints))


def _streaming(service: Service) -> Iterator[BaseRoute]:
    if service.stream is not None:
        yield WebSocketRoute(STREAM_PATH, service.stream)
        yield _route(TOKEN_PATH, TokenGate(service))


class _Nowhere:
    """Answers every path that is not the contract's."""

    def __init__(self, service: Service) -> None:
        self._gate = Gate(service)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._gate(scope, receive, send)
        else:
            await send_reply(scope, send, refuse(no_such_path(), ""))
