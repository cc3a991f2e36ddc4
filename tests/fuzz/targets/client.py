"""What a service says: read, or told as malformed, whatever it is."""

import contextlib
from collections.abc import Coroutine
from typing import Any

import msgspec

from oddsdesk.base.tasks import returned
from oddsdesk.client import stream
from oddsdesk.client.answers import (
    EventAnswer,
    GameAnswer,
    decode,
    decode_list,
    error_of_answer,
    one_in_steps,
    reset_ms,
)
from oddsdesk.client.errors import MalformedAnswerError, ServiceError
from oddsdesk.client.rows import to_dicts
from oddsdesk.contract.resources import (
    Answer,
    Bookmaker,
    Event,
    EventSummary,
    Game,
    Health,
    OddsRow,
    PriceChange,
    PriceMessage,
    Sport,
    StreamToken,
    ValueBet,
)
from oddsdesk.contract.texts import UNSHOWABLE
from oddsdesk.network import ClosedError

NOW_MS = 1_790_000_000_000
LISTS = (Bookmaker, Event, EventSummary, Game, OddsRow, PriceChange, Sport, ValueBet)
SINGLE = (Answer[EventAnswer], Answer[GameAnswer], Health, StreamToken)
_encoder = msgspec.json.Encoder()


def read_answer(data: bytes) -> None:
    """Read a body as each kind of answer there is."""
    for kind in LISTS:
        try:
            items, _ = decode_list(kind, data, "/api")
        except MalformedAnswerError:
            continue
        _check(items)
        to_dicts(items)
    for kind in (EventAnswer, GameAnswer):
        try:
            part = returned(one_in_steps(kind, data, "/api"))
        except MalformedAnswerError:
            continue
        _check(part)
        part.to_dicts()
    for single in SINGLE:
        try:
            found = decode(single, data, "/api")
        except MalformedAnswerError:
            continue
        _check(found)
        if isinstance(found, Answer):
            found.data.to_dicts()


def read_refusal(data: bytes) -> None:
    """Read ``status, headers, an empty line, the body`` as a refusal."""
    head, _, body = data.partition(b"\n\n")
    status, *lines = head.decode("latin-1").split("\n")
    pairs = [line.partition(":") for line in lines]
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    code = 300 + sum(status.encode()) % 300
    error = error_of_answer(code, headers, body, "/api", NOW_MS)
    assert isinstance(error, ServiceError)
    assert not UNSHOWABLE.search(error.message)
    reset_ms(headers, NOW_MS)


def read_frame(data: bytes) -> None:
    """Read a frame of the stream: a price change, or passed over."""
    found = _finished(_streamed(data))
    _check(found)
    to_dicts(found)


async def _streamed(data: bytes) -> list[PriceMessage]:
    found = []
    with contextlib.suppress(ServiceError):
        async for messages in stream._batches(_Socket(data), lambda: NOW_MS):
            found += messages
    return found


def _finished(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return what a coroutine returns that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits")


class _Socket:
    """Says one frame and closes."""

    def __init__(self, frame: bytes) -> None:
        self._frames = [frame]

    async def receive_all(self) -> list[bytes]:
        if not self._frames:
            raise ClosedError(1000)
        frames, self._frames = self._frames, []
        return frames


def _check(found: Any) -> None:
    """What was read can be written and shown."""
    text = _encoder.encode(found).decode()
    assert not UNSHOWABLE.search(text)
