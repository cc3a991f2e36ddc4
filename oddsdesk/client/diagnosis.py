"""Testing a connection: what its key may do at the service, and what is wrong."""

import asyncio
import ssl
from collections.abc import Awaitable
from contextlib import aclosing
from typing import Final, NamedTuple

import msgspec

from oddsdesk.client.client import Client
from oddsdesk.client.errors import (
    AddressError,
    ForbiddenError,
    MalformedAnswerError,
    OfflineError,
    RateLimitedError,
    ServiceError,
    ServiceUnavailableError,
    UnauthorizedError,
)
from oddsdesk.client.quota import Quota
from oddsdesk.client.stream import Connected, Lost, StreamState
from oddsdesk.contract.errors import ErrorCode
from oddsdesk.contract.plans import Plan
from oddsdesk.contract.times import format_ms

LIMIT_S: Final = 30.0
"""How long a whole test may take."""
_CHECK: Final = "check the address"
"""Stands in messages that say themselves what to do."""


class Right(NamedTuple):
    """One right that a plan may include; ``problem`` says why it could not be tried."""

    name: str
    is_given: bool
    problem: str = ""


class Diagnosis(msgspec.Struct, frozen=True):
    """What the service let the key do; ``plan`` is None where the rights fit none."""

    plan: Plan | None
    rights: tuple[Right, ...]
    quota: Quota | None

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be tried although the plan may include it, a line each."""
        return tuple(right.problem for right in self.rights if right.problem)


async def diagnose(client: Client) -> Diagnosis:
    """Try each kind of request once: four of the quota, a token and one stream connection.

    Raises:
        ServiceError: nothing works; ``advice`` says what to do about it.
    """
    try:
        async with asyncio.timeout(LIMIT_S):
            await client.sports()
            await client.games(limit=1)
            return await _rights(client)
    except TimeoutError as error:
        raise OfflineError(
            f"{client.addresses.base} answers too slowly: the test was given up after "
            f"{LIMIT_S:g} seconds"
        ) from error


def advice(error: ServiceError) -> str:
    """Return what to do about an error, one sentence."""
    match error:
        case AddressError(is_about_key=True):
            return "Copy the key whole, as the service shows it."
        case AddressError():
            return "Write the address as the service's documentation gives it."
        case UnauthorizedError():
            return (
                "Copy the key again from where it was made: a key that was rotated or revoked "
                "opens nothing."
            )
        case RateLimitedError():
            return f"The key is fine; its requests return at {format_ms(error.retry_at_ms)}."
        case ServiceUnavailableError():
            return "The service has trouble of its own: try again in a few minutes."
        case ForbiddenError(code=ErrorCode.BOOKMAKER_NOT_CONFIGURED.value):
            return "The Free plan sees one bookmaker: choose it where the key was made."
        case ForbiddenError(code=ErrorCode.BOOKMAKER_FORBIDDEN.value):
            return "Choose that bookmaker where the key was made, or use a key that may do this."
        case ForbiddenError(code=ErrorCode.LIVE_NOT_ON_PLAN.value):
            return "They are in the plan Pro+ Live; all other prices are read as before."
        case ForbiddenError(code=ErrorCode.WEBSOCKET_NOT_ON_PLAN.value):
            return "It is in Pro+ RT and Pro+ Live; without it everything is read in turns."
        case ForbiddenError(code=ErrorCode.VALUE_BETS_NOT_ON_PLAN.value):
            return "Pro and the plans above it have them."
        case ForbiddenError():
            return "Ask the service for a key that may do this."
        case OfflineError() if _is_about_tls(error):
            return "Check that the address is right and the clock of this machine, too."
        case OfflineError():
            return "Check the address and the network, and that the service runs."
        case MalformedAnswerError():
            return "This is no odds service: give the address below which /api/sports answers."
    if error.status is not None and 300 <= error.status < 500:
        return "This is no odds service: give the address below which /api/sports answers."
    return "Check the address."


def in_words(error: ServiceError) -> str:
    """Return what is wrong and what to do, each once, in the words of who typed address and key."""
    if isinstance(error, UnauthorizedError):
        return f"The service does not know this key. {advice(error)}"
    said = f"{error.message[:1].upper()}{error.message[1:].rstrip('.')}."
    return said if _CHECK in error.message else f"{said} {advice(error)}"


async def _rights(client: Client) -> Diagnosis:
    values = await _try("value bets", client.value_bets(limit=1))
    live = await _try("in-play odds", client.live_odds(limit=1))
    stream = await _try("stream", _stream(client))
    rights = (values, live, stream)
    return Diagnosis(_plan(*rights), rights, client.quota)


async def _try(name: str, request: Awaitable[object]) -> Right:
    try:
        await request
    except ForbiddenError as error:
        if error.is_about_plan:
            return Right(name, False)
        return Right(name, False, f"{name}: {error.message}")
    except UnauthorizedError:
        raise
    except ServiceError as error:
        return Right(name, False, f"{name}: {error.message}. {advice(error)}")
    return Right(name, True)


def _plan(values: Right, live: Right, stream: Right) -> Plan | None:
    if values.problem or live.problem or stream.problem:
        return None
    for plan in Plan:
        rights = plan.rights
        if (rights.value_bets, rights.live, rights.websocket) == (
            values.is_given,
            live.is_given,
            stream.is_given,
        ):
            return plan
    return None


class _DecidedError(Exception):
    """Ends the test of the stream once its outcome is known; carries the error, if any."""

    def __init__(self, reason: str | None) -> None:
        super().__init__(reason)
        self.reason = reason


async def _stream(client: Client) -> None:
    """Open the stream and close it again.

    Raises:
        ServiceError: it does not open.
    """
    try:
        async with aclosing(client.stream(on_state=_notice_state)) as changes:
            async for _ in changes:
                return
    except _DecidedError as decided:
        if decided.reason is not None:
            raise OfflineError(decided.reason) from decided


def _notice_state(state: StreamState) -> None:
    if isinstance(state, Connected):
        raise _DecidedError(None)
    if isinstance(state, Lost):
        raise _DecidedError(state.reason)


def _is_about_tls(error: BaseException) -> bool:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
