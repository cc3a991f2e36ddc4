"""GET /administration/feeds: the state of the feeds, for the owner of the database (D65).

Not part of the contract. The caller shows a secret from the database's lock file, which only
its owner can read; everybody else gets 404.
"""

import hmac
import ipaddress

from starlette.types import Scope

from oddsdesk.server.answers import Bare, Reply, encode
from oddsdesk.server.gate import GET, Gate, RequestContext
from oddsdesk.server.service import Service

PATH = "/administration/feeds"
OWNER_HEADER = b"x-owner"


class FeedsGate(Gate):
    """Answers the owner, from this machine."""

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self._secret = service.owner_secret.encode()
        self._reports = service.feeds

    async def reply(self, request: RequestContext) -> Reply:
        """Return a list of the feeds' states."""
        if not (request.has_method(GET) and self._is_owner(request.scope)):
            return await super().reply(request)
        return encode(Bare(list(self._reports())), 0)

    def _is_owner(self, scope: Scope) -> bool:
        said = next((value for name, value in scope["headers"] if name == OWNER_HEADER), b"")
        return bool(self._secret) and is_loopback(scope) and hmac.compare_digest(said, self._secret)


def is_loopback(scope: Scope) -> bool:
    """Say whether a request comes from this machine."""
    client = scope.get("client")
    try:
        return client is not None and ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False
