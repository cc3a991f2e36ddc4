"""POST /api/stream/token: opens the stream, costs no request (D22, D23)."""

from oddsdesk.contract.resources import StreamToken
from oddsdesk.server.access import require_stream
from oddsdesk.server.admission import take_token
from oddsdesk.server.answers import Bare, Reply, encode
from oddsdesk.server.gate import Gate, RequestContext
from oddsdesk.server.tokens import LIFETIME_S, issue_token

PATH = "/api/stream/token"
METHODS = ("POST",)


class TokenGate(Gate):
    """Issues tokens to plans with a stream."""

    async def reply(self, request: RequestContext) -> Reply:
        """Return a new token of the caller's key."""
        caller = await request.require_key()
        if not request.has_method(METHODS):
            raise request.not_allowed(METHODS)
        require_stream(caller)
        counted = await take_token(self._service.access, caller, request.now_ms)
        if counted is not None and not counted[1].allowed:
            raise request.exceeded(*counted)
        token = issue_token(self._service.access.secret, caller, request.now_ms)
        return encode(Bare(StreamToken(token, LIFETIME_S)), 0)
