"""GET /administration/feeds: how the feeds are, for the owner of the database (D65).

Not of the contract. Who it is for is told by a secret that stands in the lock of the database,
which its owner alone can read; to everybody else there is no such path.
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

    async def reply(self, turn: RequestContext) -> Reply:
        """Return a list of the feeds' states."""
        if not (turn.has_method(GET) and self._is_owner(turn.scope)):
            return await super().reply(turn)
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
