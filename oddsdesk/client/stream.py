"""The stream of price changes, reconnecting for as long as somebody listens."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from oddsdesk.client.addresses import Addresses
from oddsdesk.client.errors import (
    MalformedAnswerError,
    OfflineError,
    RateLimitedError,
    ServiceUnavailableError,
    error_of,
)
from oddsdesk.clock import Clock, system_clock
from oddsdesk.contract.names import showable_json
from oddsdesk.contract.resources import PriceMessage, StreamToken
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.network.backoff import Backoff, Randomness
from oddsdesk.network.errors import ClosedError, UnreachableError

if TYPE_CHECKING:
    from oddsdesk.network.websocket import WebSocket

STEADY_MS: Final = 10_000
"""After a connection that lasted this long, waits between tries start short again."""

_PONG: Final = b"pong"
_LARGEST: Final = 64 * 1024
"""In bytes: a message of the contract takes 15 KiB at most, and no larger one is read."""
_AT_ONCE: Final = 1_000
"""Frames read between two turns of the loop: 2 ms, 4 where they are read one by one."""
_MOST_USELESS: Final = 500
"""A second: a stream of so many frames that are no price change is given up (D85)."""
_SECOND_MS: Final = 1_000
_log = logging.getLogger(__name__)
_decoder = msgspec.json.Decoder(PriceMessage)


class Connecting(msgspec.Struct, frozen=True):
    """The stream is being opened."""


class Connected(msgspec.Struct, frozen=True):
    """The stream is up; earlier changes were missed, so read the present state now."""


class Lost(msgspec.Struct, frozen=True):
    """There is no stream; the next try is at ``next_try_ms``."""

    reason: str
    next_try_ms: int


StreamState = Connecting | Connected | Lost
StateListener = Callable[[StreamState], None]
Sleep = Callable[[float], Awaitable[None]]


class TokenSource(Protocol):
    """What the stream needs of a client."""

    @property
    def addresses(self) -> Addresses:
        """Where the service is."""

    async def stream_token(self) -> StreamToken:
        """Return a fresh token."""


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
    """Yield the changes of one connection after the other, each with a fresh token.

    Those that came together come together, in order. With ``gather_s`` the connection rests where
    they come sooner after one another than that, so that more do: each costs less then.

    Raises:
        ServiceError: waiting would not help: unknown key, not on the plan, bad filter.
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
                backoff.reset()
            reason, wait_s = error.message, backoff.next_s()
        except RateLimitedError as error:
            reason, wait_s = error.message, max(1.0, (error.retry_at_ms - clock()) / 1000)
        tell(Lost(reason, clock() + round(wait_s * 1000)))
        await sleep(wait_s)


async def _connect(source: TokenSource, filters: Mapping[str, str]) -> WebSocket:
    # the websockets client takes 15 to 30 ms to import, and the window is to stand before that
    from oddsdesk.client.socket import open_socket  # noqa: PLC0415

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
    """Return the price changes that frames tell of.

    They are read together, a line each; one by one where that does not make a change of each.
    """
    if max(map(len, frames)) <= _LARGEST:
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            messages = _decoder.decode_lines(showable_json(b"\n".join(frames)))
            if len(messages) == len(frames):
                return messages
    read = [_read(frame, passed_over) for frame in frames]
    return [message for message in read if message is not None]


def _read(frame: bytes, passed_over: _PassedOver) -> PriceMessage | None:
    """Return the price change that a frame tells of; None where it is none, which is counted."""
    if frame == _PONG:
        passed_over.count_useless()
    elif len(frame) > _LARGEST:
        passed_over.count(f"a frame of {len(frame):,} bytes")
    else:
        try:
            return _decoder.decode(showable_json(frame))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if (message := _without_odds(frame)) is not None:
                return message
            passed_over.count(error)
    return None


def _without_odds(frame: bytes) -> PriceMessage | None:
    """Return a message of which only the odds are null, as 0: the selection is not offered now."""
    with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        said = msgspec.json.decode(showable_json(frame))
        if isinstance(said, dict) and "odds" in said and said["odds"] is None:
            return msgspec.convert({**said, "odds": 0.0}, PriceMessage)
    return None


class _PassedOver:
    """Counts frames that are no price change, and logs them once a minute at most."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._untold = 0
        self._told_at: int | None = None
        self._useless = 0
        self._useless_since = 0

    def count_useless(self) -> None:
        """Count a frame that tells of no price.

        Raises:
            MalformedAnswerError: they are a flood.
        """
        now = self._clock()
        if not 0 <= now - self._useless_since < _SECOND_MS:
            self._useless, self._useless_since = 0, now
        self._useless += 1
        if self._useless > _MOST_USELESS:
            raise MalformedAnswerError("the service floods the stream with what is no price change")

    def count(self, error: Exception | str) -> None:
        self.count_useless()
        self._untold += 1
        now = self._clock()
        if self._told_at is None or now - self._told_at >= MINUTE_MS:
            _log.warning(
                "the stream sent what is no price change, passed over (%d): %s",
                self._untold,
                error,
            )
            self._untold, self._told_at = 0, now


def _ignore(state: StreamState) -> None:
    """The ``on_state`` of a stream that was opened without one."""
