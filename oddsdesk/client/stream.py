"""The stream of price changes; reconnects as long as a caller listens."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import urlencode

import msgspec

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.client.errors import (
    MalformedAnswerError,
    OfflineError,
    RateLimitedError,
    ServiceUnavailableError,
    error_of,
)
from oddsdesk.client.requests import Addresses
from oddsdesk.contract.resources import PriceMessage, StreamToken
from oddsdesk.contract.texts import showable_json
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.network import Backoff, ClosedError, NoWebSocketError, Randomness, UnreachableError

if TYPE_CHECKING:
    from oddsdesk.network.websocket import WebSocket

STEADY_MS: Final = 10_000
"""After a connection that lasted this long, waits between attempts start short again."""

_PONG: Final = b"pong"
_LARGEST: Final = 64 * 1024
"""In bytes: a message of the contract takes at most 15 KiB; larger ones are not read."""
_AT_ONCE: Final = 1_000
"""Frames decoded between two turns of the event loop: 2 ms, or 4 if decoded singly."""
_MOST_USELESS: Final = 500
"""Per second: a stream with this many frames that are not price changes is given up."""
_SECOND_MS: Final = 1_000
_log = logging.getLogger(__name__)
_decoder = msgspec.json.Decoder(PriceMessage)


class Connecting(msgspec.Struct, frozen=True):
    """The stream is being opened."""


class Connected(msgspec.Struct, frozen=True):
    """The stream is up; earlier changes were missed, so read the current state now."""


class Lost(msgspec.Struct, frozen=True):
    """There is no stream; the next attempt is at ``next_try_ms``."""

    reason: str
    next_try_ms: int


StreamState = Connecting | Connected | Lost
StateListener = Callable[[StreamState], None]
Sleep = Callable[[float], Awaitable[None]]


class TokenSource(Protocol):
    """What the stream needs from a client."""

    @property
    def addresses(self) -> Addresses:
        """The service's addresses."""

    async def stream_token(self) -> StreamToken:
        """Return a new token."""


async def follow(
    source: TokenSource,
    filters: Mapping[str, str],
    on_state: StateListener | None = None,
    *,
    clock: Clock = system_clock,
    sleep: Sleep = asyncio.sleep,
    randomness: Randomness = random.random,
    gather_s: float = 0.0,
) -> AsyncGenerator[list[PriceMessage], None]:
    """Yield the changes of all connections, each with a new token.

    Changes that arrive together are yielded together, in order. With ``gather_s``, reading pauses
    while changes follow more closely than that, so that more arrive together and cost less.

    Raises:
        ServiceError: waiting would not help: unknown key, not in the plan, bad filter.
    """
    tell = on_state or _ignore
    backoff = Backoff(randomness)
    while True:
        tell(Connecting())
        connected_at: int | None = None
        try:
            async with await _connect(source, filters) as socket:
                connected_at = clock()
                tell(Connected())
                async for messages in _batches(socket, clock, gather_s):
                    yield messages
        except (OfflineError, ServiceUnavailableError, MalformedAnswerError) as error:
            if connected_at is not None and clock() - connected_at >= STEADY_MS:
                backoff.reset_waits()
            reason, wait_s = error.message, backoff.next_s()
        except RateLimitedError as error:
            reason, wait_s = error.message, max(1.0, (error.retry_at_ms - clock()) / 1000)
        tell(Lost(reason, clock() + round(wait_s * 1000)))
        await sleep(wait_s)


async def _connect(source: TokenSource, filters: Mapping[str, str]) -> WebSocket:
    token = await source.stream_token()
    return await open_socket(source.addresses, {"token": token.token, **filters})


async def _batches(
    socket: WebSocket, clock: Clock, gather_s: float = 0.0
) -> AsyncGenerator[list[PriceMessage], None]:
    passed_over = _PassedOver(clock)
    beat_at = time.monotonic()
    while True:
        try:
            frames = await socket.receive_all()
        except ClosedError as error:
            raise error_of(error.code, clock()) from error
        except UnreachableError as error:
            raise OfflineError(error.message) from error
        for first in range(0, len(frames), _AT_ONCE):
            if first:
                await asyncio.sleep(0)
            if messages := _read_all(frames[first : first + _AT_ONCE], passed_over):
                yield messages
        now = time.monotonic()
        left_s = beat_at + gather_s - now
        if left_s > 0 and not socket.has_more:
            socket.rest(left_s)
            beat_at = now + left_s
        else:
            beat_at = now


def _read_all(frames: list[bytes], passed_over: _PassedOver) -> list[PriceMessage]:
    """Return the price changes in frames.

    They are decoded together, and singly if that does not give one change per frame.
    """
    if max(map(len, frames)) <= _LARGEST:
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            messages = _decoder.decode_lines(showable_json(b"\n".join(frames)))
            if len(messages) == len(frames):
                return messages
    read = [_read(frame, passed_over) for frame in frames]
    return [message for message in read if message is not None]


def _read(frame: bytes, passed_over: _PassedOver) -> PriceMessage | None:
    """Return the price change in a frame; None, which is counted, if it is not one."""
    if frame == _PONG:
        passed_over.count_useless()
    elif len(frame) > _LARGEST:
        passed_over.count_error(f"a frame of {len(frame):,} bytes")
    else:
        try:
            return _decoder.decode(showable_json(frame))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if (message := _without_odds(frame)) is not None:
                return message
            passed_over.count_error(error)
    return None


def _without_odds(frame: bytes) -> PriceMessage | None:
    """Return a message in which only the odds are null, as 0: no longer offered."""
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        message = msgspec.json.decode(showable_json(frame))
        if isinstance(message, dict) and "odds" in message and message["odds"] is None:
            return msgspec.convert({**message, "odds": 0.0}, PriceMessage)
    return None


class _PassedOver:
    """Counts frames that are not price changes; logs them once a minute at most."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._unlogged = 0
        self._logged_at: int | None = None
        self._useless = 0
        self._useless_since = 0

    def count_useless(self) -> None:
        """Count a frame without a price.

        Raises:
            MalformedAnswerError: there are too many.
        """
        now = self._clock()
        if not 0 <= now - self._useless_since < _SECOND_MS:
            self._useless, self._useless_since = 0, now
        self._useless += 1
        if self._useless > _MOST_USELESS:
            raise MalformedAnswerError("the service floods the stream with other messages")

    def count_error(self, error: Exception | str) -> None:
        self.count_useless()
        self._unlogged += 1
        now = self._clock()
        if self._logged_at is None or now - self._logged_at >= MINUTE_MS:
            _log.warning(
                "the stream sent messages that are no price changes (%d): %s", self._unlogged, error
            )
            self._unlogged, self._logged_at = 0, now


def _ignore(state: StreamState) -> None:
    """The default ``on_state`` of a stream."""


PING_EVERY_S: Final = 4.0
SILENCE_S: Final = 10.0
"""Seconds of silence, with a ping unanswered for at least 6 s: price moves may be missed."""


async def open_socket(addresses: Addresses, query: Mapping[str, str]) -> WebSocket:
    """Open a connection; errors do not show the query, which holds the token.

    Raises:
        OfflineError: no answer within 10 s.
        ServiceUnavailableError: the answer did not open a stream.
    """
    # the websockets client takes 15 to 30 ms to import, and the window is to stand before that
    from oddsdesk.network.websocket import Pinging, open_websocket  # noqa: PLC0415

    url = f"{addresses.stream}/api/stream?{urlencode(query)}"
    try:
        return await open_websocket(url, Pinging("ping", PING_EVERY_S, SILENCE_S))
    except NoWebSocketError as error:
        code = f"http_{error.status}"
        raise ServiceUnavailableError(code, error.message, error.status) from None
    except UnreachableError as error:
        raise OfflineError(error.message) from None
