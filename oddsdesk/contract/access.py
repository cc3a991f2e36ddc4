"""Error codes of the service with their HTTP status, the Error object, and the plans."""

from enum import Enum
from typing import Final

import msgspec


class ErrorCode(Enum):
    """The code of an Error object; the value is the word on the wire."""

    BAD_REQUEST = "bad_request"
    UNAUTHORIZED = "unauthorized"
    LIVE_NOT_ON_PLAN = "live_not_on_plan"
    WEBSOCKET_NOT_ON_PLAN = "websocket_not_on_plan"
    VALUE_BETS_NOT_ON_PLAN = "value_bets_not_on_plan"
    BOOKMAKER_NOT_CONFIGURED = "bookmaker_not_configured"
    BOOKMAKER_FORBIDDEN = "bookmaker_forbidden"
    WRITE_FORBIDDEN = "write_forbidden"
    """An addition to the contract: the key may only read."""
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    KEY_LIMIT_REACHED = "key_limit_reached"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    HEADERS_TOO_LARGE = "headers_too_large"
    RATE_LIMIT_EXCEEDED = "rate_limit_exceeded"
    INTERNAL_ERROR = "internal_error"
    SERVICE_UNAVAILABLE = "service_unavailable"

    @property
    def status(self) -> int:
        """The HTTP status of the code."""
        return _STATUS.get(self, 403)


_STATUS = {
    ErrorCode.BAD_REQUEST: 400,
    ErrorCode.UNAUTHORIZED: 401,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.METHOD_NOT_ALLOWED: 405,
    ErrorCode.KEY_LIMIT_REACHED: 409,
    ErrorCode.PAYLOAD_TOO_LARGE: 413,
    ErrorCode.RATE_LIMIT_EXCEEDED: 429,
    ErrorCode.HEADERS_TOO_LARGE: 431,
    ErrorCode.INTERNAL_ERROR: 500,
    ErrorCode.SERVICE_UNAVAILABLE: 503,
}


class ErrorDetail(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong; ``upgrade_url`` is only in errors about the plan."""

    code: str
    message: str
    upgrade_url: str | None = None


class ErrorBody(msgspec.Struct, frozen=True):
    """The body of every unsuccessful answer."""

    error: ErrorDetail


HOUR_S: Final = 3_600
DAY_S: Final = 86_400


class Rights(msgspec.Struct, frozen=True):
    """What a plan allows; ``requests`` per ``window_s`` seconds, in fixed UTC windows."""

    requests: int
    window_s: int
    all_bookmakers: bool
    value_bets: bool
    websocket: bool
    live: bool
    connections_per_day: int | None
    """Stream connections per UTC day; None is unlimited."""
    in_flight: int
    """Requests of one key that are answered at a time; more have to wait."""


_RIGHTS: Final = {
    "Free": Rights(200, DAY_S, False, False, True, False, 30, 2),
    "Pro": Rights(5_500, HOUR_S, True, True, False, False, None, 8),
    "Pro+ RT": Rights(5_500, HOUR_S, True, True, True, False, None, 8),
    "Pro+ Live": Rights(5_500, HOUR_S, True, True, True, True, None, 8),
}


class Plan(Enum):
    """A plan, by its name in the contract, and what it allows."""

    FREE = "Free"
    PRO = "Pro"
    PRO_RT = "Pro+ RT"
    PRO_LIVE = "Pro+ Live"

    def __init__(self, name: str) -> None:
        self.rights = _RIGHTS[name]
