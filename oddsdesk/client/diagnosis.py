"""Tests a connection: what its key may do, and what is wrong."""

import asyncio
import ssl
from collections.abc import Awaitable
from contextlib import aclosing
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.client import errors
from oddsdesk.client.client import Client
from oddsdesk.client.quota import Quota
from oddsdesk.client.stream import Connected, Lost, StreamState
from oddsdesk.contract.access import ErrorCode, Plan
from oddsdesk.contract.times import format_ms

LIMIT_S: Final = 30.0
"""The longest time for a whole test."""
_CHECK: Final = N_("check the address")
"""Marks messages that already say what to do."""


class Right(NamedTuple):
    """One right that a plan may include; ``problem`` says why it could not be tested."""

    name: str
    is_given: bool
    problem: str = ""


class Diagnosis(msgspec.Struct, frozen=True):
    """What the service let the key do; ``plan`` is None if the rights fit no plan."""

    plan: Plan | None
    rights: tuple[Right, ...]
    quota: Quota | None

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be tested although the plan may include it, one line each."""
        return tuple(right.problem for right in self.rights if right.problem)


async def diagnose(client: Client) -> Diagnosis:
    """Try each kind of request once: four requests, a token and one stream connection.

    Raises:
        ServiceError: nothing works; ``advice`` says what to do about it.
    """
    try:
        async with asyncio.timeout(LIMIT_S):
            await client.sports()
            await client.games(limit=1)
            return await _rights(client)
    except TimeoutError as error:
        raise errors.OfflineError(
            f"{client.addresses.base} answers too slowly: the test was stopped after "
            f"{LIMIT_S:g} seconds"
        ) from error


def advice(error: errors.ServiceError) -> str:
    """Return what to do about an error, in one sentence."""
    match error:
        case errors.AddressError(is_about_key=True):
            return N_("Copy the whole key, as the service shows it.")
        case errors.AddressError():
            return N_("Use the address from the service's documentation.")
        case errors.UnauthorizedError():
            return N_(
                "Copy the key again from the service: a key that was rotated or revoked "
                "no longer works."
            )
        case errors.RateLimitedError():
            return N_(f"The key is fine; its requests return at {format_ms(error.retry_at_ms)}.")
        case errors.ServiceUnavailableError():
            return N_("The service has a problem: try again in a few minutes.")
        case errors.ForbiddenError(code=ErrorCode.BOOKMAKER_NOT_CONFIGURED.value):
            return N_("The Free plan shows one bookmaker: choose it where you got the key.")
        case errors.ForbiddenError(code=ErrorCode.BOOKMAKER_FORBIDDEN.value):
            return N_("Choose that bookmaker where you got the key, or use a key that may see it.")
        case errors.ForbiddenError(code=ErrorCode.LIVE_NOT_ON_PLAN.value):
            return N_("They need the plan Pro+ Live; all other prices work as before.")
        case errors.ForbiddenError(code=ErrorCode.WEBSOCKET_NOT_ON_PLAN.value):
            return N_("It needs Pro+ RT or Pro+ Live; without it, prices are polled.")
        case errors.ForbiddenError(code=ErrorCode.VALUE_BETS_NOT_ON_PLAN.value):
            return N_("They need Pro or a higher plan.")
        case errors.ForbiddenError():
            return N_("Ask the service for a key that may do this.")
        case errors.OfflineError() if _is_about_tls(error):
            return N_("Check the address and this computer's clock.")
        case errors.OfflineError():
            return N_("Check the address, the network, and that the service is running.")
        case errors.MalformedAnswerError():
            return N_(
                "This is not an odds service: use the address below which /api/sports answers."
            )
    if error.status is not None and 300 <= error.status < 500:
        return N_("This is not an odds service: use the address below which /api/sports answers.")
    return N_("Check the address.")


def in_words(error: errors.ServiceError) -> str:
    """Return what is wrong and what to do, for the user who typed address and key."""
    if isinstance(error, errors.UnauthorizedError):
        return N_(f"The service does not know this key. {advice(error)}")
    said = f"{error.message[:1].upper()}{error.message[1:].rstrip('.')}."
    return said if _CHECK in error.message else f"{said} {advice(error)}"


async def _rights(client: Client) -> Diagnosis:
    values = await _try(N_("value bets"), client.value_bets(limit=1))
    live = await _try(N_("in-play odds"), client.live_odds(limit=1))
    stream = await _try("stream", _stream(client))
    rights = (values, live, stream)
    return Diagnosis(_plan(*rights), rights, client.quota)


async def _try(name: str, request: Awaitable[object]) -> Right:
    try:
        await request
    except errors.ForbiddenError as error:
        if error.is_about_plan:
            return Right(name, False)
        return Right(name, False, f"{name}: {error.message}")
    except errors.UnauthorizedError:
        raise
    except errors.ServiceError as error:
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
    """Ends the test of the stream once its result is known; carries the error, if any."""

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
            raise errors.OfflineError(decided.reason) from decided


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
