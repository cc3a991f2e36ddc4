"""What can go wrong with a service, as exceptions that callers branch on."""

from typing import Final

from oddsdesk.contract.plans import DAY_S
from oddsdesk.network.secrets import without_keys


class ServiceError(Exception):
    """The service could not be asked, or refused; the message is fit to be shown.

    ``code`` is the contract's word where the service gave one; ``status`` the HTTP status,
    None where there was no answer. What a service says stands here without the keys that are
    known: some repeat what they were asked with.
    """

    def __init__(
        self, code: str, message: str, status: int | None = None, upgrade_url: str | None = None
    ) -> None:
        message = without_keys(message)
        super().__init__(message)
        self.code = without_keys(code)
        self.message = message
        self.status = status
        self.upgrade_url = upgrade_url and without_keys(upgrade_url)


class BadRequestError(ServiceError):
    """A parameter's value is not allowed; the message names it and what is."""


class UnauthorizedError(ServiceError):
    """The service does not know the key."""


class ForbiddenError(ServiceError):
    """The key's plan does not allow it; ``upgrade_url`` is where the plan can be changed."""

    @property
    def is_about_plan(self) -> bool:
        """Whether another plan would allow it."""
        return self.code.endswith("_not_on_plan")


class NotFoundError(ServiceError):
    """There is no such thing, or none that the key may see."""


class RateLimitedError(ServiceError):
    """The plan's requests are used up until ``retry_at_ms``."""

    def __init__(self, message: str, retry_at_ms: int) -> None:
        super().__init__("rate_limit_exceeded", message, 429)
        self.retry_at_ms = retry_at_ms


class ServiceUnavailableError(ServiceError):
    """The service has trouble of its own (5xx); trying again later is safe."""


class OfflineError(ServiceError):
    """Nobody answered: no network, wrong address, TLS failure, or it took too long."""

    def __init__(self, message: str) -> None:
        super().__init__("offline", message)


class MalformedAnswerError(ServiceError):
    """Something answered that is not an odds service; the message says what was expected."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__("malformed_answer", message, status)


class AddressError(ServiceError):
    """The address or key is not a valid one; nothing was sent."""

    def __init__(self, message: str, *, is_about_key: bool = False) -> None:
        super().__init__("bad_address", message)
        self.is_about_key = is_about_key


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
