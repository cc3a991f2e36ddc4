"""GET /administration/feeds: the state of the feeds, for the owner of the database (D65).

Not part of the contract. The caller shows the owner's secret; everybody else gets 404.
"""

import asyncio
import ipaddress
from typing import Final

from starlette.types import Scope

from oddsdesk.server.answers import Bare, Reply, encode
from oddsdesk.server.gate import GET, Gate, RequestContext
from oddsdesk.server.hosts import LOOPBACK, host_name
from oddsdesk.server.proxies import BELIEVED
from oddsdesk.server.service import Service
from oddsdesk.store.owner_secret import SECRET_HEADER, OwnerSecret

PATH = "/administration/feeds"
SECRET: Final = SECRET_HEADER.lower().encode()
_OF_OTHERS: Final = (b"origin", b"forwarded", b"via", b"x-forwarded-", b"x-real-ip")
"""How headers of browsers and proxies begin."""


class FeedsGate(Gate):
    """Answers the owner, from this machine."""

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self._owner = service.owner
        self._reports = service.feeds

    async def reply(self, request: RequestContext) -> Reply:
        """Return a list of the feeds' states."""
        if not (request.has_method(GET) and await is_owner(request.scope, self._owner)):
            return await super().reply(request)
        return encode(Bare(list(self._reports())), 0)


async def is_owner(scope: Scope, owner: OwnerSecret | None) -> bool:
    """Say whether the owner of the database asks: a program of this machine with the secret.

    What comes from a browser's page or through a proxy is refused even with the secret.
    """
    if owner is None or BELIEVED in scope or not is_of_this_machine(scope):
        return False
    said = secrets_in(scope)
    return len(said) == 1 and await asyncio.to_thread(owner.matches, said[0])


def is_of_this_machine(scope: Scope) -> bool:
    """Say whether a program of this machine asks, as far as address and headers show.

    A proxy that adds no header is recognised where it passes on the public name as ``Host``.
    """
    headers = scope["headers"]
    if not _is_loopback((scope.get("client") or ("",))[0]):
        return False
    if any(name.startswith(_OF_OTHERS) for name, _ in headers):
        return False
    host = next((host_name(value) for name, value in headers if name == b"host"), None)
    return host is not None and (host in LOOPBACK or _is_loopback(host))


def secrets_in(scope: Scope) -> list[bytes]:
    """Return what a request shows as the owner's secret; more than one is none."""
    return [value for name, value in scope["headers"] if name == SECRET]


def _is_loopback(address: str) -> bool:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback
