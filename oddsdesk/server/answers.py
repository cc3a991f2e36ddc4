"""Answers: the envelope, the Error object, and how both reach the wire."""

from collections.abc import Sequence
from typing import Any

import msgspec
from starlette.types import Scope, Send

from oddsdesk.contract.errors import ErrorBody, ErrorCode, ErrorDetail
from oddsdesk.contract.resources import Answer, Meta

RETRY_AFTER_S = 5
"""The ``Retry-After`` of a 503, in seconds."""

Headers = Sequence[tuple[bytes, bytes]]

JSON = b"application/json"

_FIXED_HEADERS = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)
_encoder = msgspec.json.Encoder()


class Payload(msgspec.Struct, frozen=True):
    """What an endpoint returns: the envelope's data, with its count where it is a list."""

    data: Any
    count: int | None = None
    next_cursor: str | None = None
    simulated: bool | None = None
    mixed: bool | None = None
    shifted: bool | None = None
    silences: list[list[str]] | None = None


class Bare(msgspec.Struct, frozen=True):
    """What an endpoint answers without an envelope."""

    data: Any
    status: int = 200


class Reply(msgspec.Struct, frozen=True):
    """A response, ready to be sent."""

    status: int
    body: bytes
    headers: list[tuple[bytes, bytes]] = msgspec.field(default_factory=list)
    content_type: bytes = JSON


class Refusal(Exception):  # noqa: N818 - not an error of ours, an answer
    """Ends a request with an Error object as the answer; raised anywhere below the gate."""

    def __init__(self, code: ErrorCode, message: str, headers: Headers = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.headers = headers


def encode(found: Payload | Bare, remaining: int) -> Reply:
    """Return a success; ``remaining`` is the quota left, the same as in the headers (D17)."""
    if isinstance(found, Bare):
        return Reply(found.status, _encoder.encode(found.data))
    meta = Meta(
        rate_limit_remaining=remaining,
        count=msgspec.UNSET if found.count is None else found.count,
        next_cursor=found.next_cursor or msgspec.UNSET,
        simulated=msgspec.UNSET if found.simulated is None else found.simulated,
        mixed=msgspec.UNSET if found.mixed is None else found.mixed,
        shifted=msgspec.UNSET if found.shifted is None else found.shifted,
        silences=msgspec.UNSET if found.silences is None else found.silences,
    )
    return Reply(200, _encoder.encode(Answer(found.data, meta)))


def encode_data(data: Any) -> msgspec.Raw:
    """Return data as JSON that later envelopes include unchanged."""
    return msgspec.Raw(_encoder.encode(data))


def refuse(refusal: Refusal, upgrade_url: str) -> Reply:
    """Return the Error object; ``upgrade_url`` is part of every 403 and nothing else (D21)."""
    code = refusal.code
    detail = ErrorDetail(
        code.value, refusal.message, upgrade_url=upgrade_url if code.status == 403 else None
    )
    return Reply(code.status, _encoder.encode(ErrorBody(detail)), list(refusal.headers))


def unavailable() -> Refusal:
    """Return the refusal while the database can't be read or written."""
    return Refusal(
        ErrorCode.SERVICE_UNAVAILABLE,
        f"The database is unavailable for the moment; retry in {RETRY_AFTER_S} s, with backoff.",
        [(b"retry-after", str(RETRY_AFTER_S).encode())],
    )


def going_down() -> Refusal:
    """Return the refusal of a request that comes while the server stops."""
    return Refusal(ErrorCode.SERVICE_UNAVAILABLE, "The server is stopping; retry with backoff.")


def failed() -> Refusal:
    """Return the refusal after a bug of ours: without any detail."""
    return Refusal(
        ErrorCode.INTERNAL_ERROR,
        "The server made an error, which is in its log; retry with backoff.",
    )


async def send_reply(scope: Scope, send: Send, reply: Reply) -> None:
    """Send a response over ASGI; for a WebSocket it is the refusal of its handshake."""
    kind = "http" if scope["type"] == "http" else "websocket.http"
    headers = [
        *_FIXED_HEADERS,
        (b"content-type", reply.content_type),
        (b"content-length", str(len(reply.body)).encode()),
        *reply.headers,
    ]
    await send({"type": f"{kind}.response.start", "status": reply.status, "headers": headers})
    await send({"type": f"{kind}.response.body", "body": reply.body})
