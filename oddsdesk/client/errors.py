"""Errors of a service, as exceptions that callers can branch on."""

from typing import Final

from oddsdesk.base.texts import N_
from oddsdesk.contract.times import DAY_MS
from oddsdesk.network.secrets import without_keys


class ServiceError(Exception):
    """The service could not be reached, or refused; the message can be shown to people.

    ``code`` is the contract's code if the service sent one; ``status`` the HTTP status, None if
    there was no answer. Known keys are removed from the service's own words, since some services
    repeat the request.
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
    """A parameter's value is not allowed; the message names it and the allowed values."""


class UnauthorizedError(ServiceError):
    """The service does not know the key."""


class ForbiddenError(ServiceError):
    """The key's plan does not allow it; ``upgrade_url`` is where to change the plan."""

    @property
    def is_about_plan(self) -> bool:
        """Whether another plan would allow it."""
        return self.code.endswith("_not_on_plan")


class NotFoundError(ServiceError):
    """No such thing, or the key may not see it."""


class RateLimitedError(ServiceError):
    """The plan's requests are used up until ``retry_at_ms``."""

    def __init__(self, message: str, retry_at_ms: int) -> None:
        super().__init__("rate_limit_exceeded", message, 429)
        self.retry_at_ms = retry_at_ms


class ServiceUnavailableError(ServiceError):
    """The service failed (5xx); retrying later is safe."""


class OfflineError(ServiceError):
    """No answer: no network, wrong address, TLS failure, or it took too long."""

    def __init__(self, message: str) -> None:
        super().__init__("offline", message)


class MalformedAnswerError(ServiceError):
    """The address does not belong to an odds service; the message says what was expected."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__("malformed_answer", message, status)


class AddressError(ServiceError):
    """The address or key is invalid; nothing was sent."""

    def __init__(self, message: str, *, is_about_key: bool = False) -> None:
        super().__init__("bad_address", message)
        self.is_about_key = is_about_key


_TRANSIENT: Final = {
    1000: N_("the service ended the stream because this program was silent"),
    1001: N_("the service is shutting down or restarting"),
    1009: N_("the service sent a message of more than a megabyte, which is no price change"),
    1012: N_("the service is restarting"),
    1013: N_("the service temporarily cannot read its database"),
    4001: N_("the service no longer accepts the stream's token"),
    4008: N_("this program fell behind the stream"),
}


def error_of(code: int | None, now_ms: int) -> ServiceError:
    """Return the error for a close code: one to wait out, or a final one."""
    if code is None:
        return OfflineError("the stream was cut off")
    if code == 4000:
        return BadRequestError("bad_request", "the service does not know a filter of the stream")
    if code == 4003:
        return ForbiddenError("bookmaker_forbidden", "the plan does not stream this bookmaker")
    if code == 4029:
        tomorrow = (now_ms // DAY_MS + 1) * DAY_MS
        return RateLimitedError("today's stream connections of the plan are used up", tomorrow)
    reason = _TRANSIENT.get(code, N_(f"the service closed the stream with code {code}"))
    return ServiceUnavailableError("stream_closed", reason)
