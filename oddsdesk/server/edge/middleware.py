"""What runs before the application: host names, proxies, request ids, the access log."""

import ipaddress
import logging
import re
import secrets
import time
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from oddsdesk.contract.access import ErrorCode
from oddsdesk.network.secrets import masked
from oddsdesk.server.gate import KEY_ID, REQUEST_ID, loggable, loggable_id
from oddsdesk.server.local_callers import AUTHORITY, BELIEVED, LOOPBACK, host_name, name_in
from oddsdesk.server.rest import Figures, LimitsOf, Refusal, Refused, refuse, send_reply
from oddsdesk.server.stream.hub import CHANNEL, Channel

_ORIGIN = re.compile(rf"https?://{AUTHORITY}")

_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to
TELL_S: Final = 60.0
"""The shortest time between log lines about wrong names, as scanners try many (s)."""
_LONGEST: Final = 253
"""Characters of a name in the log: no name is longer (RFC 1035, 3.1)."""

_log = logging.getLogger(__name__)


class HostGuard:
    """Passes requests for our host names on, and refuses pages of other origins.

    When bound to every address, any literal IP address is accepted as Host: rebinding needs a name.
    There are no CORS headers, so no page may read an answer either. Only the log lists the accepted
    names, so a scanner does not learn them.
    """

    def __init__(
        self, app: ASGIApp, hosts: Iterable[str], limits: LimitsOf, figures: Figures | None = None
    ) -> None:
        """Refusals are counted in ``figures``."""
        self._app = app
        self._limits = limits
        self._figures = figures or Figures()
        self._refused = 0
        self._due = time.monotonic()
        names = {host.lower() for host in hosts}
        self._any_address = bool(names & _WILDCARDS)
        self._names = LOOPBACK | (names - _WILDCARDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it and name the header."""
        refusal = self._judge(scope)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await send_reply(scope, send, refuse(refusal, ""))

    def _judge(self, scope: Scope) -> Refusal | None:
        host = origin = None
        for name, value in scope["headers"]:
            if name == b"host":
                host = host_name(value) if host is None else None
            elif name == b"origin":
                origin = value
        if host is None or not self._serves(host):
            self._figures.turned_away(Refused.HOST)
            named = masked(host or "none")
            self._note(named)
            said = (
                f"Host: this server does not answer to {named}; use the address that the operator"
                " gave you. The operator can allow this name with --allow-host."
            )
            return self._refusal(scope, said)
        if origin is not None and not self._trusts(origin, host):
            self._figures.turned_away(Refused.ORIGIN)
            said = (
                "Origin: other web sites may not use this server; call it from a program,"
                " without an Origin header."
            )
            return self._refusal(scope, said)
        return None

    def _note(self, host: str) -> None:
        self._refused += 1
        now = time.monotonic()
        if now >= self._due:
            self._due = now + TELL_S
            _log.info(
                "refused a request for %s: this server's names are %s (%d since the start)",
                host[:_LONGEST],
                ", ".join(sorted(self._names)),
                self._refused,
            )

    def _refusal(self, scope: Scope, message: str) -> Refusal:
        return Refusal(ErrorCode.BAD_REQUEST, message, self._limits(scope["headers"]))

    def _serves(self, host: str) -> bool:
        return host in self._names or (self._any_address and _is_address(host))

    def _trusts(self, origin: bytes, host: str) -> bool:
        name = _origin_name(origin)
        return name is not None and (name == host or name in self._names)


@lru_cache(maxsize=256)
def _origin_name(value: bytes) -> str | None:
    return name_in(_ORIGIN, value)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


UNKNOWN: Final = "unknown"
"""The client if a proxy names no address."""


class Proxies:
    """The addresses and networks of trusted proxies."""

    def __init__(self, addresses: Sequence[str] = ()) -> None:
        self.addresses = addresses
        self._networks = [ipaddress.ip_network(each) for each in addresses]

    def have(self, address: str) -> bool:
        """Return whether one of them has the address."""
        try:
            found = ipaddress.ip_address(address) if self._networks else None
        except ValueError:
            return False
        return found is not None and any(found in network for network in self._networks)


class BehindProxy:
    """Trusts ``X-Forwarded-For``, ``-Proto`` and ``-Host`` of proxies only."""

    def __init__(self, app: ASGIApp, proxies: Proxies) -> None:
        self._proxies = proxies
        addresses = list(proxies.addresses)
        named = _by_address(app)
        self._app: ASGIApp = ProxyHeadersMiddleware(named, addresses)  # type: ignore[arg-type, assignment]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on as the client sent it."""
        if self._believes(scope):
            scope["headers"] = _as_asked(scope["headers"])
            scope[BELIEVED] = True
        await self._app(scope, receive, send)

    def _believes(self, scope: Scope) -> bool:
        client = scope.get("client")
        return client is not None and self._proxies.have(client[0])


def _by_address(app: ASGIApp) -> ASGIApp:
    """Return an app that gets the client as an address in its usual form, or ``UNKNOWN``.

    Clients can write anything into ``X-Forwarded-For``, and some proxies pass it on.
    """

    async def called(scope: Scope, receive: Receive, send: Send) -> None:
        if BELIEVED in scope:
            host, port = scope["client"]
            scope["client"] = (client_address(host), port)
        await app(scope, receive, send)

    return called


def client_address(text: str) -> str:
    """Return an address in its usual spelling, without its zone; ``UNKNOWN`` for anything else."""
    try:
        return str(ipaddress.ip_address(text.partition("%")[0]))  # a zone is any text
    except ValueError:
        return UNKNOWN


def _as_asked(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    asked = [value for name, value in headers if name == b"x-forwarded-host"]
    if len(asked) != 1:  # two proxies, or one and a client that pretends: the Host they agreed on
        return headers
    return [*((name, value) for name, value in headers if name != b"host"), (b"host", asked[0])]


TRACE_ID: Final = "oddsdesk.trace_id"
"""Key of a scope: the trace that a request belongs to, if its client named one."""
_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._:/@+=-]{0,127}")
_TRACE: Final = re.compile(
    rb"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
)
"""``traceparent`` of W3C Trace Context; later versions than 00 may have more after it."""
_STARTS: Final = frozenset(
    {"http.response.start", "websocket.http.response.start", "websocket.accept"}
)


class RequestIds:
    """Gives each request an id, which its answer repeats as ``X-Request-Id``.

    It is the client's, if it has a valid one, or the trace of its ``traceparent``, else a new one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request and its answer on."""
        ours, scope[TRACE_ID] = _ids(scope["headers"])
        scope[REQUEST_ID] = ours

        async def named(message: Message) -> None:
            if message["type"] in _STARTS:
                header = (b"x-request-id", ours.encode())
                message["headers"] = [*message.get("headers", ()), header]
            await send(message)

        await self._app(scope, receive, named)


def _ids(headers: Iterable[tuple[bytes, bytes]]) -> tuple[str, str | None]:
    """Return a request's id and trace; a header that is bad or comes twice is ignored."""
    asked = [value for name, value in headers if name == b"x-request-id"]
    parents = [value for name, value in headers if name == b"traceparent"]
    trace = None
    if len(parents) == 1 and (found := _TRACE.match(parents[0])) is not None:
        rest = parents[0][found.end() :]
        if not rest or (rest.startswith(b"-") and not parents[0].startswith(b"00")):
            trace = found[1].decode()
    if len(asked) == 1 and _REQUEST_ID.fullmatch(asked[0]):
        return asked[0].decode(), trace
    return trace or secrets.token_hex(16), trace


_access_log: Final = logging.getLogger("oddsdesk.access")


class AccessLog:
    """Logs each answer and its client; a stream when it ends, with its close code and reason."""

    def __init__(self, app: ASGIApp, without: Collection[str] = ()) -> None:
        """Answers of 200 for the paths in ``without`` are not logged."""
        self._app = app
        self._without = without
        _access_log.setLevel(logging.INFO)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and log afterwards."""
        began = time.perf_counter()
        status = size = 0

        async def counted(message: Message) -> None:
            nonlocal status, size
            status = message.get("status", status)
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, counted)
        finally:
            if status != 200 or scope["path"] not in self._without:
                self._note(scope, status, size, began)

    def _note(self, scope: Scope, status: int, size: int, began: float) -> None:
        client = scope.get("client")
        code, why = status or None, None
        channel: Channel | None = scope.get("extensions", {}).get(CHANNEL)
        if channel is not None and channel.ended is not None:
            code, why = channel.ended
            size = channel.offered_bytes
        _tell(
            client=client[0] if client else None,
            key=scope.get(KEY_ID),
            asked=loggable(scope),
            status=code,
            size=size,
            ms=round((time.perf_counter() - began) * 1000, 1),
            request=loggable_id(scope),
            trace=scope.get(TRACE_ID),
            why=None if why is None else masked(why),  # it may repeat a filter's value
        )


def log_unseen(client: str | None, why: str, status: int, size: int) -> None:
    """Log a refusal before the application; ``why`` replaces the path."""
    _tell(client=client, key=None, asked=f"({why})", status=status, size=size, ms=None)


def _tell(
    *,
    size: int,
    ms: float | None,
    request: str | None = None,
    trace: str | None = None,
    why: str | None = None,
    **fields: Any,
) -> None:
    fields |= {"bytes": size, "ms": ms, "request": request, "trace": trace}
    if why is not None:
        fields["why"] = why
    said = " ".join("-" if value is None else str(value) for value in fields.values())
    _access_log.info("%s", said, extra={"fields": fields})
