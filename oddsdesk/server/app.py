"""The service as an ASGI application: routes paths to endpoints."""

import asyncio
import hmac
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
from starlette.routing import BaseRoute, Route, Router, WebSocketRoute
from starlette.types import Receive, Scope, Send

from oddsdesk.server import rest
from oddsdesk.server.dashboard import LIVE, ROOT, UPDATES
from oddsdesk.server.edge.middleware import HostGuard
from oddsdesk.server.edge.protocol import Sender
from oddsdesk.server.endpoints import lists
from oddsdesk.server.endpoints.health import HealthGate, Looks, ReadyGate
from oddsdesk.server.endpoints.ingest import (
    FEEDS_PATH,
    INGEST_PATH,
    METRICS_PATH,
    SECRET,
    FeedsGate,
    IngestGate,
    MetricsGate,
)
from oddsdesk.server.fairness import (
    HEALTH_PATH,
    PROBES,
    READY_PATH,
    FairShares,
    ProbesFirst,
    ReaderPool,
)
from oddsdesk.server.gate import (
    GET,
    Endpoint,
    EndpointGate,
    Gate,
    RequestContext,
    Service,
    known_caller,
    limits_before_the_gate,
    no_such_path,
)
from oddsdesk.server.settings import Role
from oddsdesk.server.stream.endpoint import PATH as TOKEN_PATH
from oddsdesk.server.stream.endpoint import STREAM_PATH, TOKEN, TokenGate, known_bearer
from oddsdesk.server.the_odds_api import ROOT as OTHER_ROOT
from oddsdesk.store.keys import Caller
from oddsdesk.store.owner_secret import SECRET_PREFIX

if TYPE_CHECKING:
    from oddsdesk.server.dashboard.site import Dashboard
    from oddsdesk.server.the_odds_api.gate import OddsApiGate

OTHER_PATHS: Final = (OTHER_ROOT, f"{OTHER_ROOT}/{{path:path}}")


class App:
    """The service; its creator closes it."""

    def __init__(self, service: Service) -> None:
        self._reads = ReaderPool(circuit=service.access.circuit)
        self._looks_back = ReaderPool("look back", threads=1, circuit=service.access.circuit)
        """For reads of the archive, which may take seconds and so must not block others."""
        self._looks = Looks(service, others=(self._reads, self._looks_back))
        self._access = service.access
        self.limits = limits_before_the_gate(service.access, service.clock)
        """The rate-limit headers for refusals before this application sees a request."""
        figures = service.figures
        self._dashboard = _dashboard(service, self._reads, self._looks)
        self._other = _other_interface(service, self._reads, self._looks_back)
        router = _router(
            service, self._reads, self._looks_back, self._looks, self._dashboard, self._other
        )
        self._guarded = HostGuard(router, service.hosts, self.limits, figures)
        self.door = Door(service, self._dashboard)
        in_turn = FairShares(
            self._guarded,
            self.door.caller_of,
            self.limits,
            figures=figures,
            unbounded={INGEST_PATH, UPDATES},
            reply_to=self._reply_to,
        )
        self._app = ProbesFirst(in_turn, self._guarded)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or stream; the database owner's requests do not wait in a queue."""
        is_owner = scope["type"] == "http" and self.door.is_owner(scope["headers"])
        await (self._guarded if is_owner else self._app)(scope, receive, send)

    def _reply_to(self, refusal: rest.Refusal, scope: Scope) -> rest.Reply:
        """Return a refusal of a request that did not begin, as the interface writes it."""
        if self._other is not None and f"{scope['path']}/".startswith(f"{OTHER_ROOT}/"):
            return self._other.refuse(refusal, scope)
        return rest.refuse(refusal, "")

    def threads(self) -> tuple[ReaderPool, ...]:
        """Return the threads that each request needs."""
        return self._reads, self._access.thread

    def end_threads(self) -> None:
        """End the threads that read the stores, before these are closed."""
        self._reads.close()
        self._looks_back.close()
        self._looks.end_looks()
        if self._dashboard is not None:
            self._dashboard.end_threads()
        self._access.end_thread()


def create_app(service: Service) -> App:
    """Return the service as an ASGI application."""
    return App(service)


def _dashboard(service: Service, reads: ReaderPool, looks: Looks) -> "Dashboard | None":
    """Return the pages for account owners, if they are served here."""
    if not (service.has_dashboard and Role.API in service.roles):
        return None
    from oddsdesk.server.dashboard.live_pages import LivePages  # noqa: PLC0415 - an extra
    from oddsdesk.server.dashboard.operator_pages import OperatorPages  # noqa: PLC0415 - an extra
    from oddsdesk.server.dashboard.own_pages import OwnPages  # noqa: PLC0415 - an extra
    from oddsdesk.server.dashboard.site import Dashboard  # noqa: PLC0415 - an extra

    made = Dashboard(service)
    OwnPages(made, reads)
    OperatorPages(made, reads, looks)
    if service.judge is not None:
        LivePages(made, reads, service.judge)
    return made


def _router(
    service: Service,
    reads: ReaderPool,
    looks_back: ReaderPool,
    looks: Looks,
    dashboard: "Dashboard | None",
    other: "OddsApiGate | None",
) -> Router:
    pages = (
        ()
        if dashboard is None
        else tuple(path for top in (ROOT, LIVE) for path in (top, f"{top}/{{path:path}}"))
    )
    return Router(
        [
            *(Route(path, dashboard) for path in pages if dashboard is not None),
            *([] if other is None else [Route(path, other) for path in OTHER_PATHS]),
            *(_resources(service, reads, looks_back) if Role.API in service.roles else ()),
            *(_streaming(service) if Role.STREAM in service.roles else ()),
            _route(HEALTH_PATH, HealthGate(service, looks)),
            _route(READY_PATH, ReadyGate(service, looks)),
            _route(FEEDS_PATH, FeedsGate(service)),
            _route(METRICS_PATH, MetricsGate(service)),
        ],
        redirect_slashes=False,
        default=_Nowhere(service),
    )


def _route(path: str, gate: Gate) -> Route:
    gate.path = path.replace(":path}", "}")
    return Route(path, gate)


def _resources(service: Service, reads: ReaderPool, looks_back: ReaderPool) -> Iterator[BaseRoute]:
    endpoints = [
        *lists.Catalogue().endpoints(),
        lists.EVENTS,
        lists.EVENT,
        lists.ODDS,
        lists.LIVE_ODDS,  # before the one that takes any name
        lists.ODDS_OF_BOOKMAKER,
        lists.GAMES,
        lists.HISTORY,  # before the game, whose id may be any text
        lists.GAME,
        lists.HISTORY_OF_GAMES,
        lists.VALUE_BETS,
        lists.RESULTS,
    ]
    for each in endpoints:
        yield _route(each.path, EndpointGate(each, service, reads, looks_back))
    yield _route(OPENAPI_PATH, OpenApiGate(service, endpoints))
    yield _route(INGEST_PATH, IngestGate(service))
    yield _route(DOCS_PATH, DocsGate(service, endpoints))


def _other_interface(
    service: Service, reads: ReaderPool, looks_back: ReaderPool
) -> "OddsApiGate | None":
    """Return the paths of the other interface, if one is served here."""
    if service.serve_as is None or Role.API not in service.roles:
        return None
    from oddsdesk.server.the_odds_api.gate import OddsApiGate  # noqa: PLC0415 - few starts need it

    return OddsApiGate(service, reads, looks_back)


def _streaming(service: Service) -> Iterator[BaseRoute]:
    if service.stream is not None:
        yield WebSocketRoute(STREAM_PATH, service.stream)
        yield _route(TOKEN_PATH, TokenGate(service))
        yield _route(ASYNCAPI_PATH, AsyncApiGate(service, ()))


class _Nowhere:
    """Answers every path that is not in the contract."""

    def __init__(self, service: Service) -> None:
        self._gate = Gate(service)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._gate(scope, receive, send)
        else:
            await rest.send_reply(scope, send, rest.refuse(no_such_path(), ""))


OPENAPI_PATH = "/openapi.json"
ASYNCAPI_PATH = "/asyncapi.json"
DOCS_PATH = "/docs"
MOST_ADDRESSES: Final = 8
"""How many documents are kept: one per address that clients use."""

_POLICY = (
    b"content-security-policy",
    b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
)


class _Documentation(Gate):
    """Answers with a document that is made at the first request, to save time at the start."""

    content_type = rest.JSON
    headers: rest.Headers = ()

    def __init__(self, service: Service, endpoints: Sequence[Endpoint]) -> None:
        super().__init__(service)
        self._endpoints = endpoints
        self._made: dict[str, bytes] = {}
        """By the address that it mentions."""
        self._making = asyncio.Lock()

    async def reply(self, request: RequestContext) -> rest.Reply:
        """Return the documentation to anyone."""
        if not request.has_method(GET):
            raise request.not_allowed(GET)
        address = self.address(request.scope)
        async with self._making:  # it is made once for all waiting requests
            body = self._made.get(address)
            if body is None:
                if len(self._made) == MOST_ADDRESSES:
                    self._made.clear()
                body = self._made[address] = await asyncio.to_thread(self._make, address)
        return rest.Reply(200, body, [*self.headers], self.content_type)

    def _document(self) -> dict[str, Any]:
        from oddsdesk.server.endpoints.openapi import openapi_document  # noqa: PLC0415 - few starts need it

        address, as_another = self._service.base_url or "/", self._service.serve_as is not None
        return openapi_document(self._endpoints, address, as_another=as_another)

    @abstractmethod
    def _make(self, address: str) -> bytes:
        """Return the document for clients that use this address."""


class OpenApiGate(_Documentation):
    """The OpenAPI document."""

    def _make(self, address: str) -> bytes:
        return msgspec.json.encode(self._document())


class AsyncApiGate(_Documentation):
    """The AsyncAPI document of the stream."""

    def _make(self, address: str) -> bytes:
        from oddsdesk.server.endpoints.asyncapi import asyncapi_document  # noqa: PLC0415 - few starts need it

        return msgspec.json.encode(asyncapi_document(address))


class DocsGate(_Documentation):
    """The page for people; its examples use the address that the request was sent to."""

    content_type = b"text/html; charset=utf-8"
    headers = (_POLICY,)

    def _make(self, address: str) -> bytes:
        from oddsdesk.server.endpoints.openapi import docs_page  # noqa: PLC0415 - few starts need it

        return docs_page(self._document(), address).encode()


class Door:
    """Tells the kind of client from the head of a request; for the server's loop."""

    def __init__(self, service: Service, dashboard: "Dashboard | None" = None) -> None:
        self._access = service.access
        self._clock = service.clock
        self._dashboard = dashboard
        secret = None if service.owner is None else service.owner.read_secret()
        self._secret = None if secret is None else secret.encode()

    def sender_of(self, url: bytes, headers: rest.RequestHeaders) -> Sender:
        """Return the kind of client that sent a request."""
        path, _, query = url.decode("latin-1").partition("?")
        if path in PROBES:
            return Sender.PROBE
        if self._caller(path, query.encode("latin-1"), headers) or self.is_owner(headers):
            return Sender.CALLER
        return Sender.STRANGER

    def caller_of(self, scope: Scope) -> Caller | None:
        """Return the holder of the key or stream token in a request, as far as known."""
        if self._dashboard is not None and scope["path"].startswith((f"{ROOT}/", LIVE)):
            return self._dashboard.known_caller(scope)
        return self._caller(scope["path"], scope["query_string"], scope["headers"])

    def _caller(self, path: str, query: bytes, headers: rest.RequestHeaders) -> Caller | None:
        if path == STREAM_PATH and (bearer := self._bearer(query)) is not None:
            return bearer  # as for the stream itself, which ignores keys
        return known_caller(self._access, headers)

    def _bearer(self, query: bytes) -> Caller | None:
        try:
            token = rest.read_query(query, TOKEN, are_all=False)["token"]
        except rest.BadParameterError:
            return None
        return known_bearer(self._access, token, self._clock()) if token else None

    def is_owner(self, headers: rest.RequestHeaders) -> bool:
        """Return whether a request has the owner's secret as of the server's start.

        This only saves a wait: endpoints check the file.
        """
        return self._secret is not None and any(
            name == SECRET and hmac.compare_digest(value.removeprefix(SECRET_PREFIX), self._secret)
            for name, value in headers
        )
