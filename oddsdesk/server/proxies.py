"""Requests that came through a proxy: who asked, for what name, and whether encrypted (D80)."""

import ipaddress
from collections.abc import Sequence
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

LOOPBACK = ("127.0.0.1", "::1")
"""Where a proxy is that is believed, unless others are named."""
BELIEVED: Final = "oddsdesk.believed"
"""Where the scope of a request or stream says that a proxy brought it, which is believed."""
UNKNOWN: Final = "unknown"
"""The client of a proxy that names no address."""


class Proxies:
    """The addresses and networks of proxies that are believed."""

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
    """Believes ``X-Forwarded-For``, ``-Proto`` and ``-Host`` of proxies, and of nobody else."""

    def __init__(self, app: ASGIApp, proxies: Proxies) -> None:
        self._proxies = proxies
        addresses = list(proxies.addresses)
        named = _by_address(app)
        self._app: ASGIApp = ProxyHeadersMiddleware(named, addresses)  # type: ignore[arg-type, assignment]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on as the client sent it."""
        if scope["type"] != "lifespan" and self._believes(scope):
            scope["headers"] = _as_asked(scope["headers"])
            scope[BELIEVED] = True
        await self._app(scope, receive, send)

    def _believes(self, scope: Scope) -> bool:
        client = scope.get("client")
        return client is not None and self._proxies.have(client[0])


def _by_address(app: ASGIApp) -> ASGIApp:
    """Return an app that gets the client as an address, in its usual spelling, or ``UNKNOWN``.

    Clients write what they like into ``X-Forwarded-For``, and some proxies pass it on.
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
