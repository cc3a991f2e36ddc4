"""Callers and strangers are told apart by the head of a request, without waiting (D83)."""

import hmac
from collections.abc import Callable
from enum import Enum, auto

from starlette.types import Scope

from oddsdesk.server.access import RequestHeaders, known_caller
from oddsdesk.server.endpoints.feeds import SECRET
from oddsdesk.server.endpoints.health import PROBES
from oddsdesk.server.parameters import BadParameterError, read_query
from oddsdesk.server.service import Service
from oddsdesk.server.stream import STREAM_PATH, TOKEN
from oddsdesk.server.tokens import known_bearer
from oddsdesk.store.keys import Caller
from oddsdesk.store.owner_secret import SECRET_PREFIX


class Sender(Enum):
    """Whose request it is, as far as that is known."""

    CALLER = auto()
    """It carries a valid key, a valid stream token, or the owner's secret."""
    PROBE = auto()
    STRANGER = auto()


SenderOf = Callable[[bytes, RequestHeaders], Sender]
"""Returns whose request it is that has this target and these headers."""


def all_strangers(_url: bytes, _headers: RequestHeaders) -> Sender:
    """Take everybody for a stranger."""
    return Sender.STRANGER


class Door:
    """Tells by the head of a request whose it is; for the server's loop."""

    def __init__(self, service: Service) -> None:
        self._access = service.access
        self._clock = service.clock
        secret = None if service.owner is None else service.owner.read()
        self._secret = None if secret is None else secret.encode()

    def sender_of(self, url: bytes, headers: RequestHeaders) -> Sender:
        """Return whose request it is."""
        path, _, query = url.decode("latin-1").partition("?")
        if path in PROBES:
            return Sender.PROBE
        if self._caller(path, query.encode("latin-1"), headers) or self.is_owner(headers):
            return Sender.CALLER
        return Sender.STRANGER

    def caller_of(self, scope: Scope) -> Caller | None:
        """Return whose key or stream token a request carries, as far as it is known."""
        return self._caller(scope["path"], scope["query_string"], scope["headers"])

    def _caller(self, path: str, query: bytes, headers: RequestHeaders) -> Caller | None:
        if path == STREAM_PATH and (bearer := self._bearer(query)) is not None:
            return bearer  # as the stream has it, which looks at no key
        return known_caller(self._access, headers)

    def _bearer(self, query: bytes) -> Caller | None:
        try:
            token = read_query(query, TOKEN, are_all=False)["token"]
        except BadParameterError:
            return None
        return known_bearer(self._access, token, self._clock()) if token else None

    def is_owner(self, headers: RequestHeaders) -> bool:
        """Say whether a request carries the owner's secret as it was at the start.

        It only saves a wait: endpoints ask the file.
        """
        return self._secret is not None and any(
            name == SECRET and hmac.compare_digest(value.removeprefix(SECRET_PREFIX), self._secret)
            for name, value in headers
        )
