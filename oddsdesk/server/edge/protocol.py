"""The HTTP side of a connection, with limits on everything that a client may hold open."""

import asyncio
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, Final, cast

import httptools
import msgspec
from starlette.types import Message, Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from oddsdesk.contract.access import ErrorBody, ErrorCode, ErrorDetail
from oddsdesk.server.edge.connections import RETRY, TOO_MANY, Place
from oddsdesk.server.edge.middleware import log_unseen
from oddsdesk.server.fairness import HURRY, LEAVING
from oddsdesk.server.rest import Figures, Headers, LimitsOf, Refused, RequestHeaders, no_limits


class Sender(Enum):
    """The kind of client that sent a request, as far as known."""

    CALLER = auto()
    """It carries a valid key, a valid stream token, or the owner's secret."""
    PROBE = auto()
    STRANGER = auto()


SenderOf = Callable[[bytes, RequestHeaders], Sender]
"""Returns the kind of client, from a request's target and headers."""


def all_strangers(_url: bytes, _headers: RequestHeaders) -> Sender:
    """Treat every client as a stranger."""
    return Sender.STRANGER


HEAD_LIMIT = 16 * 1024
"""Bytes of a request besides its body: request line, headers, and the sizes, extensions and
trailers of chunks."""
SLICE_BYTES = 4 * 1024
"""Bytes that the parser gets at a time: it buffers a whole name or value before its callback."""
BODY_LIMIT = 64 * 1024
"""Bytes of a body; only ``INGEST_PATH`` takes more."""
INGEST_PATH = b"/ingest"
"""The path for bodies of quotes, which may be long."""
INGEST_LIMIT = 64 * 1024 * 1024
"""Bytes of such a body, packed or not."""
REQUEST_LIMIT_S = 10.0
"""How long a head, and then its body, may take to arrive."""
INGEST_LEAST = 10 * 1024
"""Bytes of a body of quotes that must arrive in each such time."""
STALL_LIMIT_S = 30.0
"""How long a client may leave an answer unread."""
LINGER_S = 2.0
"""How long a refused client may go on sending, so that it can read its answer (s)."""
LINGER_BYTES = 1024 * 1024
"""How much it may send in that time before it is cut off."""
_HEAD_END: Final = b"\r\n\r\n"
_CYCLE: Final = "oddsdesk.cycle"
"""Key of a request's scope: uvicorn's state of it, until it is answered."""
_LENGTHS: Final = frozenset({ErrorCode.HEADERS_TOO_LARGE, ErrorCode.PAYLOAD_TOO_LARGE})


def error_answer(code: ErrorCode, message: str, headers: Headers = ()) -> bytes:
    """Return a complete HTTP answer with an Error object that ends the connection."""
    body = msgspec.json.encode(ErrorBody(ErrorDetail(code.value, message)))
    head = (
        b"content-type: application/json\r\n"
        b"content-length: %d\r\n"
        b"connection: close\r\n\r\n"
    )  # fmt: skip
    lines = b"".join(b"%s: %s\r\n" % header for header in headers)
    return STATUS_LINE[code.status] + lines + head % len(body) + body


class Refusals:
    """Refusals before the application: their answer, count and log line.

    ``limits`` gives the rate-limit headers. Refusals are counted in ``figures``, and logged if
    requests are (``logs``).
    """

    def __init__(
        self, limits: LimitsOf = no_limits, figures: Figures | None = None, *, logs: bool = False
    ) -> None:
        self._limits = limits
        self._figures = figures or Figures()
        self._logs = logs

    def answer_with(
        self, code: ErrorCode, message: str, headers: Headers = (), asked: RequestHeaders = ()
    ) -> bytes:
        """Return the answer to a request with the headers ``asked``."""
        return error_answer(code, message, [*headers, *self._limits(asked)])

    def count_refusal(self, why: Refused) -> None:
        """Count one that is answered elsewhere, or not at all."""
        self._figures.turned_away(why)

    def log_refusal(self, why: Refused, client: str | None, code: ErrorCode, answer: bytes) -> None:
        """Count one, and log it with its complete answer."""
        self.count_refusal(why)
        if self._logs:
            log_unseen(client, why, code.status, len(answer.partition(_HEAD_END)[2]))


class _RefusedError(Exception):
    """Stops the parser from a callback; carries the answer."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class BoundedHttp(HttpToolsProtocol):
    """uvicorn's HTTP protocol that refuses large requests and drops slow clients.

    The ``place`` is left when the connection ends; it is kept once ``sender_of`` has found a
    caller's request on it.
    """

    def __init__(
        self,
        config: Config,
        server_state: Any,
        refusals: Refusals,
        sender_of: SenderOf,
        place: Place,
    ) -> None:
        super().__init__(config, server_state, {})
        self.app = self._answer
        self._refusals = refusals
        self._place = place
        self._sender_of = sender_of
        self._hurry: asyncio.Event | None = None
        """Answers the probe that is waiting, if any, immediately."""
        self.has_begun = False
        """Whether it has a connection, and so will see its end."""
        self._in_head = True
        self._head_bytes = 0
        self._body_bytes = 0
        self._body_limit = BODY_LIMIT
        self._bytes_in_time = 0
        """Bytes of a body of quotes since its clock started."""
        self._ignored_bytes = 0
        self._unparsed = b""
        self._is_deaf = False
        """Whether further input is dropped."""
        self._refusal: _RefusedError | None = None
        self._leaving: asyncio.Future[None] | None = None
        """Done once the client of the current request has gone."""
        self._request_timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None

    # Called by the transport

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock of the first request."""
        super().connection_made(transport)
        self.has_begun = True
        self._place.end = self._end_for_newer
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop every clock and the count."""
        self._place.leave_place()
        self._note_leaving()
        self._stop_request_timer()
        self._stop_stall_timer()
        super().connection_lost(exc)
        self.unlink()

    def unlink(self) -> None:
        """Drop references to it, so that it does not outlive its connection."""
        self.parser = cast(Any, None)
        self.app = self.config.loaded_app

    def data_received(self, data: bytes) -> None:
        """Parse the input, unless the connection is only ending."""
        if self._is_deaf:
            self._ignore(data)
            return
        self._unset_keepalive_if_required()
        if self._request_timer is None:
            self._await_request()
        self._unparsed = self._unparsed + data if self._unparsed else data
        self._parse_on()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer the requests sent before the client closed its side; then end the connection.

        Requests that still wait leave their line, as most clients that close their side have gone.
        """
        self._note_leaving()
        cycle = self.cycle
        is_owed = cycle is not None and not (cycle.response_complete or cycle.more_body)
        if is_owed and self.scheme == "http":  # TLS knows no half of a connection
            cycle.keep_alive = False
            return True
        return False

    def _parse_on(self) -> None:
        """Parse slice by slice, but not while earlier answers are pending."""
        while self._unparsed and not self.pipeline and not self.transport.is_closing():
            part, self._unparsed = self._unparsed[:SLICE_BYTES], self._unparsed[SLICE_BYTES:]
            if not self._parse(part):
                self._unparsed = b""
        if self._unparsed and not self.transport.is_closing():
            self.flow.pause_reading()

    def _parse(self, part: bytes) -> bool:
        """Parse bytes; return whether the parser may be given more."""
        self._head_bytes += len(part)
        try:
            self.parser.feed_data(part)
        except httptools.HttpParserUpgrade as upgrade:
            if self._should_upgrade():
                self.handle_websocket_upgrade()
                return False
            self._unparsed = part[upgrade.args[0] :] + self._unparsed  # it stays HTTP
        except httptools.HttpParserError:
            refusal = self._refusal
            self._refuse(
                refusal.code if refusal else ErrorCode.BAD_REQUEST,
                str(refusal) if refusal else "this is not a valid HTTP request",
            )
            return False
        if self._head_bytes > self._framing_limit():
            self._refuse(ErrorCode.HEADERS_TOO_LARGE, _head_message())
            return False
        return True

    def _ignore(self, data: bytes) -> None:
        """Read on for a while, because closing under a sender may cost it the answer."""
        self._ignored_bytes += len(data)
        if self._ignored_bytes > LINGER_BYTES:
            self.transport.abort()

    def pause_writing(self) -> None:
        """Give a client that does not read a limited time to start."""
        super().pause_writing()
        self._abort_later(STALL_LIMIT_S)
        self._place.note_unread(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """Treat the client as reading again; a closing connection still has to end."""
        if not (self._is_deaf or self.transport.is_closing()):
            self._stop_stall_timer()
        super().resume_writing()
        self._place.note_unread(0)

    # Called by the parser

    def on_message_begin(self) -> None:
        """Start counting a new request."""
        super().on_message_begin()
        self._body_bytes = 0
        self._body_limit = BODY_LIMIT

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; trailers are ignored (RFC 9110, 6.5.1)."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Pass on headers within their limits, and start the clock of the body."""
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > HEAD_LIMIT:
            raise self._stop_parser(ErrorCode.HEADERS_TOO_LARGE, _head_message())
        if (host := _host_in(self.url)) is not None:
            others = [each for each in self.headers if each[0] != b"host"]
            self.headers[:] = [*others, (b"host", host)]
        if self.url.partition(b"?")[0] == INGEST_PATH:
            self._body_limit = INGEST_LIMIT
        # the parser has checked it
        length = sum(int(value) for name, value in self.headers if name == b"content-length")
        if length > self._body_limit:
            raise self._stop_parser(ErrorCode.PAYLOAD_TOO_LARGE, self._body_message())
        is_chunked = any(name == b"transfer-encoding" for name, _ in self.headers)
        if self.parser.should_upgrade() and (length or is_chunked):  # it would parse a body as more
            message = "a request with Upgrade may not have a body"
            raise self._stop_parser(ErrorCode.BAD_REQUEST, message)
        self._in_head = False
        self._await_request()
        self._hurry = None
        match self._sender_of(self.url, self.headers):
            case Sender.CALLER:
                self._place.keep_place()
            case Sender.PROBE:
                self._hurry = cast(Any, self.scope)[HURRY] = asyncio.Event()
        super().on_headers_complete()
        cast(Any, self.scope)[_CYCLE] = self.cycle

    def on_body(self, body: bytes) -> None:
        """Count the bytes of a body without a stated length."""
        self._head_bytes -= len(body)
        self._body_bytes += len(body)
        if self._body_bytes > self._body_limit:
            raise self._stop_parser(ErrorCode.PAYLOAD_TOO_LARGE, self._body_message())
        self._bytes_in_time += len(body)
        is_ingest = self._body_limit == INGEST_LIMIT and not self.cycle.response_complete
        if is_ingest and self._bytes_in_time >= INGEST_LEAST:
            self._await_request()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop the clock until the next request begins."""
        self._stop_request_timer()
        self._in_head = True
        self._head_bytes = 0
        super().on_message_complete()

    def _framing_limit(self) -> int:
        """Return the limit for chunk sizes: for a long body, as many bytes as it has."""
        is_ingest = self._body_limit == INGEST_LIMIT and not self._in_head
        return HEAD_LIMIT + (self._body_bytes if is_ingest else 0)

    def _body_message(self) -> str:
        return f"the body is larger than {self._body_limit} bytes"

    # The end of a request or of the connection

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over, without the clocks of HTTP."""
        self._stop_request_timer()
        self._stop_stall_timer()
        super().handle_websocket_upgrade()
        cast(Any, self.transport.get_protocol()).place = self._place

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; if that begins before its body has arrived, it is the last.

        A proxy may reuse the connection then, and send another client's request after half a body:
        nobody could tell where it begins.
        """
        cycle: RequestResponseCycle = scope.pop(_CYCLE)

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start" and cycle.more_body:
                self._stop_reading()
                cycle.keep_alive = False
                await send(message)
                cycle.keep_alive = True  # the answer announces the end, which comes after a while
            else:
                await send(message)

        self._leaving = scope[LEAVING] = self.loop.create_future()
        await self.config.loaded_app(scope, receive, send_on)

    def _note_leaving(self) -> None:
        if self._leaving is not None and not self._leaving.done():
            self._leaving.set_result(None)

    def on_response_complete(self) -> None:
        """End a closing connection, else go on to the next request."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._abort_later(STALL_LIMIT_S)
        elif self._is_deaf and self.cycle.response_complete:
            self._linger()
        elif self.pipeline or self._unparsed:
            self.flow.pause_reading()
            self.loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        """Parse waiting requests, then go on reading."""
        if self.pipeline or self.transport.is_closing():
            return
        if self._unparsed:
            self._unset_keepalive_if_required()
            self._parse_on()
        if not self._unparsed and not self.pipeline:
            self.flow.resume_reading()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection even if its client never read the last answer."""
        super().timeout_keep_alive_handler()
        self._abort_later(STALL_LIMIT_S)

    def shutdown(self) -> None:
        """End with the server."""
        super().shutdown()
        self._stop_request_timer()
        if self.transport.is_closing():
            self._abort_later(0.5)

    def _stop_parser(self, code: ErrorCode, message: str) -> _RefusedError:
        self._refusal = _RefusedError(code, message)
        return self._refusal

    def _refuse(self, code: ErrorCode, message: str) -> None:
        """Answer with an error after earlier answers, stop reading and close."""
        self._stop_reading()
        why = Refused.TOO_LARGE if code in _LENGTHS else Refused.MALFORMED
        cycle = self.cycle
        if cycle is not None and self._in_head and not cycle.response_complete:
            self._refusals.count_refusal(why)
            cycle.keep_alive = False  # earlier requests are answered first, then it closes
            return
        if cycle is None or self._in_head:
            answer = self._write_error(code, message)
            self._refusals.log_refusal(why, self.client and self.client[0], code, answer)
        else:  # the application knows the request, and logs it
            self._refusals.count_refusal(why)
            if not cycle.response_started and not self.pipeline:
                cycle.disconnected = True
                cycle.message_event.set()
                self._write_error(code, message)
        self._linger()

    def _end_for_newer(self) -> None:
        """End immediately for a newer connection; a request under way is still answered."""
        cycle = self.cycle
        if cycle is None or cycle.response_started or self.pipeline:
            self.transport.abort()
            return
        self._stop_reading()
        if self._hurry is not None:
            cycle.keep_alive = False
            self._hurry.set()
            return
        cycle.disconnected = True
        cycle.message_event.set()
        self._write_error(ErrorCode.SERVICE_UNAVAILABLE, TOO_MANY, RETRY)
        self.transport.close()
        self._abort_later(LINGER_S)

    def _stop_reading(self) -> None:
        self._is_deaf = True
        self._unparsed = b""
        self._stop_request_timer()

    def _write_error(self, code: ErrorCode, message: str, headers: Headers = ()) -> bytes:
        answer = self._refusals.answer_with(code, message, headers, self.headers or ())
        self.transport.write(answer)
        return answer

    def _linger(self) -> None:
        """Close our half; closing both at once may cost the client the answer (TCP reset).

        TLS has no half: the answer says that the connection ends, and then it does.
        """
        if self.transport.is_closing():
            return
        self._unset_keepalive_if_required()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        is_read = not self.transport.get_write_buffer_size()
        self._abort_later(LINGER_S if is_read else STALL_LIMIT_S)

    # Clocks

    def _await_request(self) -> None:
        self._stop_request_timer()
        self._bytes_in_time = 0
        self._request_timer = self.loop.call_later(REQUEST_LIMIT_S, self._on_request_late)

    def _on_request_late(self) -> None:
        self._request_timer = None
        if self._body_limit == INGEST_LIMIT and self.flow.read_paused:
            self._await_request()  # we are the slow side
        elif self._in_head and not self._head_bytes:
            self.transport.close()
        else:
            limit = f"the request was not complete within {REQUEST_LIMIT_S:g} seconds"
            if self._body_limit == INGEST_LIMIT and not self._in_head:
                limit += f", and fewer than {INGEST_LEAST} bytes of its body came in that time"
            self._refuse(ErrorCode.BAD_REQUEST, limit)

    def _stop_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _abort_later(self, seconds: float) -> None:
        self._stop_stall_timer()
        self._stall_timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None


def _head_message() -> str:
    return f"the request line, headers and chunk framing are larger than {HEAD_LIMIT} bytes"


def _host_in(target: bytes) -> bytes | None:
    """Return the host of an absolute target, which counts instead of ``Host`` (RFC 9112, 3.2.2).

    None for a path.

    Raises:
        httptools.HttpParserInvalidURLError: it is neither.
    """
    if target.startswith(b"/"):
        return None
    url = httptools.parse_url(target)
    if not url.host:
        return None
    name = b"[%s]" % url.host if b":" in url.host else url.host
    return name if url.port is None else b"%s:%d" % (name, url.port)
