"""Host and Origin allow-list, against DNS rebinding by web pages."""

import ipaddress
import re
from collections.abc import Iterable
from functools import lru_cache

from starlette.types import ASGIApp, Receive, Scope, Send

from oddsdesk.contract.errors import ErrorCode
from oddsdesk.server.answers import Refusal, refuse, send_reply
from oddsdesk.server.limits import LimitsOf

_AUTHORITY = r"(?P<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::[0-9]{1,5})?"
_HOST = re.compile(_AUTHORITY)
_ORIGIN = re.compile(rf"https?://{_AUTHORITY}")

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to


class HostGuard:
    """Passes requests on whose Host we serve, and none from a page of another origin.

    When bound to every address, any literal IP address is accepted as Host: rebinding needs a
    name. There are no CORS headers, so no page may read an answer either.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str], limits: LimitsOf) -> None:
        self._app = app
        self._limits = limits
        names = {host.lower() for host in hosts}
        self._any_address = bool(names & _WILDCARDS)
        self._names = LOOPBACK | (names - _WILDCARDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it and name the header."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._judge(scope)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await send_reply(scope, send, refuse(refusal, ""))

    def _judge(self, scope: Scope) -> Refusal | None:
        host = origin = None
        for name, value in scope["headers"]:
            if name == b"host":
                host = _host_name(value) if host is None else None
            elif name == b"origin":
                origin = value
        if host is None or not self._serves(host):
            expected = ", ".join(sorted(self._names))
            return self._refusal(scope, f"Host: expected one of {expected}, got {host or 'none'}")
        if origin is not None and not self._trusts(origin, host):
            return self._refusal(scope, "Origin: pages of other sites are not served")
        return None

    def _refusal(self, scope: Scope, message: str) -> Refusal:
        return Refusal(ErrorCode.BAD_REQUEST, message, self._limits(scope["headers"]))

    def _serves(self, host: str) -> bool:
        return host in self._names or (self._any_address and _is_address(host))

    def _trusts(self, origin: bytes, host: str) -> bool:
        name = _origin_name(origin)
        return name is not None and (name == host or name in self._names)


@lru_cache(maxsize=256)
def _host_name(value: bytes) -> str | None:
    return _matched(_HOST, value)


@lru_cache(maxsize=256)
def _origin_name(value: bytes) -> str | None:
    return _matched(_ORIGIN, value)


def _matched(pattern: re.Pattern[str], value: bytes) -> str | None:
    match = pattern.fullmatch(value.decode("latin-1"))
    return None if match is None else match["name"].strip("[]").lower()


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
