"""What the close codes of the stream mean for a client (D23, D24)."""

from typing import Final

from oddsdesk.client.errors import (
    BadRequestError,
    ForbiddenError,
    OfflineError,
    RateLimitedError,
    ServiceError,
    ServiceUnavailableError,
)
from oddsdesk.contract.plans import DAY_S

_DAY_MS: Final = DAY_S * 1000
_TRANSIENT: Final = {
    1000: "the service ended the stream, as one that nobody listens to",
    1001: "the service is going down or restarting",
    1009: "the service sent a message of over a megabyte, which no price change is",
    1012: "the service is restarting",
    1013: "the service cannot read its database for the moment",
    4001: "the service accepts the stream's token no more",
    4008: "this program fell behind the stream",
}


def error_of(code: int | None, now_ms: int) -> ServiceError:
    """Return the error that a close code stands for: to be waited out, or not."""
    if code is None:
        return OfflineError("the stream broke off")
    if code == 4000:
        return BadRequestError("bad_request", "the service does not know a filter of the stream")
    if code == 4003:
        return ForbiddenError("bookmaker_forbidden", "the plan does not stream this bookmaker")
    if code == 4029:
        tomorrow = (now_ms // _DAY_MS + 1) * _DAY_MS
        return RateLimitedError("the plan's stream connections of today are used up", tomorrow)
    reason = _TRANSIENT.get(code, f"the service closed the stream with code {code}")
    return ServiceUnavailableError("stream_closed", reason)
