"""Requests that came through a proxy: who asked, for what name, and whether encrypted (D80)."""

import ipaddress
from collections.abc import Sequence

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

LOOPBACK = ("127.0.0.1", "::1")
"""Where a proxy is that is believed, unless others are named."""


class BehindProxy:
    """Believes ``X-Forwarded-For``, ``-Proto`` and ``-Host`` of proxies, and of nobody else."""

    def __init__(self, app: ASGIApp, proxies: Sequence[str]) -> None:
        """``proxies`` are addresses and networks."""
        self._networks = [ipaddress.ip_network(each) for each in proxies]
        self._app: ASGIApp = ProxyHeadersMiddleware(app, list(proxies))  # type: ignore[arg-type, assignment]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on as the client sent it."""
        if scope["type"] != "lifespan" and self._believes(scope):
            scope["headers"] = _as_asked(scope["headers"])
        await self._app(scope, receive, send)

    def _believes(self, scope: Scope) -> bool:
        client = scope.get("client")
        try:
            address = ipaddress.ip_address(client[0]) if client else None
        except ValueError:
            return False
        return address is not None and any(address in network for network in self._networks)


def _as_asked(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    asked = [value for name, value in headers if name == b"x-forwarded-host"]
    if len(asked) != 1:  # two proxies, or one and a client that pretends: the Host they agreed on
        return headers
    return [*((name, value) for name, value in headers if name != b"host"), (b"host", asked[0])]
