"""Error codes of the service with their HTTP status, and the Error object."""

from enum import Enum

import msgspec


class ErrorCode(Enum):
    """Every code an Error object may carry; the value is the word on the wire."""

    BAD_REQUEST = "bad_request"
    UNAUTHORIZED = "unauthorized"
    LIVE_NOT_ON_PLAN = "live_not_on_plan"
    WEBSOCKET_NOT_ON_PLAN = "websocket_not_on_plan"
    VALUE_BETS_NOT_ON_PLAN = "value_bets_not_on_plan"
    BOOKMAKER_NOT_CONFIGURED = "bookmaker_not_configured"
    BOOKMAKER_FORBIDDEN = "bookmaker_forbidden"
    WRITE_FORBIDDEN = "write_forbidden"
    """Ours, beyond the contract: the key may only read."""
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
        """The HTTP status that goes with the code."""
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
    """What went wrong; ``upgrade_url`` stands on plan-related errors only (D21)."""

    code: str
    message: str
    upgrade_url: str | None = None


class ErrorBody(msgspec.Struct, frozen=True):
    """The body of every answer that is not a success."""

    error: ErrorDetail
