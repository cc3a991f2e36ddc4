"""Host and Origin allow-list, against DNS rebinding by web pages."""

import ipaddress
import logging
import re
import time
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from oddsdesk.contract.errors import ErrorCode
from oddsdesk.network.secrets import masked
from oddsdesk.server.answers import Refusal, refuse, send_reply
from oddsdesk.server.figures import Figures, Refused
from oddsdesk.server.limits import LimitsOf

_AUTHORITY = r"(?P<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::[0-9]{1,5})?"
_HOST = re.compile(_AUTHORITY)
_ORIGIN = re.compile(rf"https?://{_AUTHORITY}")

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to
TELL_S: Final = 60.0
"""How often the log tells of a name that is not served, at most: whoever scans asks by many."""
_LONGEST: Final = 253
"""Characters of a name that the log shows: no name has more (RFC 1035, 3.1)."""

_log = logging.getLogger(__name__)


class HostGuard:
    """Passes requests on whose Host we serve, and none from a page of another origin.

    When bound to every address, any literal IP address is accepted as Host: rebinding needs a
    name. There are no CORS headers, so no page may read an answer either. Which names are served is
    told to the log only: whoever asks by another need not know them.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Iterable[str],
        limits: LimitsOf,
        figures: Figures | None = None,
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
                host = host_name(value) if host is None else None
            elif name == b"origin":
                origin = value
        if host is None or not self._serves(host):
            self._figures.turned_away(Refused.HOST)
            named = masked(host or "none")
            self._note(named)
            said = (
                f"Host: this server does not answer to {named}; use the address that its operator"
                " gave you. The operator adds a name with --allow-host."
            )
            return self._refusal(scope, said)
        if origin is not None and not self._trusts(origin, host):
            self._figures.turned_away(Refused.ORIGIN)
            said = (
                "Origin: web pages of other sites may not use this server; call it from a program,"
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
                "a request for %s is refused: this server's names are %s (%d since the start)",
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
def host_name(value: bytes) -> str | None:
    """Return the name in a ``Host`` header, in lower case and without its port; None: bad."""
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
