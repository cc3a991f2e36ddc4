"""The HTTP side of a connection, with a limit on everything a client may hold open."""

import asyncio
from functools import partial
from typing import Any, Final, cast

import httptools
import msgspec
from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from oddsdesk.contract.errors import ErrorBody, ErrorCode, ErrorDetail
from oddsdesk.server.answers import Headers
from oddsdesk.server.connections import RETRY, TOO_MANY, Place
from oddsdesk.server.door import Sender, SenderOf, all_strangers
from oddsdesk.server.endpoints.health import HURRY
from oddsdesk.server.fairness import LEAVING
from oddsdesk.server.figures import Refused
from oddsdesk.server.limits import LimitsOf
from oddsdesk.server.refusals import Refusals

HEAD_LIMIT = 16 * 1024
"""Bytes of a request that are no body: request line, headers, and of a body that comes in chunks
their sizes, extensions and trailers (D83)."""
SLICE_BYTES = 4 * 1024
"""Bytes that the parser gets at a time: it buffers a whole name or value before its callback."""
BODY_LIMIT = 64 * 1024
"""Bytes of a body; only ``INGEST_PATH`` takes more."""
INGEST_PATH = b"/ingest"
"""Takes bodies of quotes, which may be long."""
INGEST_LIMIT = 64 * 1024 * 1024
"""Bytes of such a body, packed or not."""
REQUEST_LIMIT_S = 10.0
"""How long a head, and then its body, may take to arrive."""
INGEST_LEAST = 10 * 1024
"""Bytes of a body of quotes that must come in each such time, until it is whole."""
STALL_LIMIT_S = 30.0
"""How long a client may leave an answer unread."""
LINGER_S = 2.0
"""How long a client that is heard no more may go on sending, so that it can read its answer."""
LINGER_BYTES = 1024 * 1024
"""How much it may send meanwhile before it is cut off."""
_LENGTHS: Final = frozenset({ErrorCode.HEADERS_TOO_LARGE, ErrorCode.PAYLOAD_TOO_LARGE})


def error_answer(code: ErrorCode, message: str, headers: Headers = ()) -> bytes:
    """Return a whole HTTP answer that holds an Error object and ends the connection."""
    body = msgspec.json.encode(ErrorBody(ErrorDetail(code.value, message)))
    head = (
        b"content-type: application/json\r\n"
        b"content-length: %d\r\n"
        b"connection: close\r\n\r\n"
    )  # fmt: skip
    lines = b"".join(b"%s: %s\r\n" % header for header in headers)
    return STATUS_LINE[code.status] + lines + head % len(body) + body


class _RefusedError(Exception):
    """Raised in a callback of the parser to stop it; carries the answer."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class BoundedHttp(HttpToolsProtocol):
    """uvicorn's HTTP protocol that refuses what is too large and drops who is too slow.

    ``limits`` gives the headers of a refusal, from what is known of the request's, and
    ``refusals`` are told of it. The ``place`` is left when the connection ends; it is kept once
    ``sender_of`` has found a caller's request on it.
    """

    def __init__(
        self,
        *arguments: Any,
        limits: LimitsOf,
        refusals: Refusals,
        place: Place,
        sender_of: SenderOf = all_strangers,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self._refusals = refusals
        self._place = place
        self._sender_of = sender_of
        self._hurry: asyncio.Event | None = None
        """Of the probe that is being answered, if any: answers it at once."""
        self.has_begun = False
        """Whether it was told of a connection, and so will be of its end."""
        self._limits = limits
        self._in_head = True
        self._head_bytes = 0
        self._body_bytes = 0
        self._body_limit = BODY_LIMIT
        self._bytes_in_time = 0
        """Bytes of a body of quotes since its clock was started."""
        self._ignored_bytes = 0
        self._unparsed = b""
        self._is_deaf = False
        """Whether what still comes is dropped: nothing more is a request."""
        self._refusal: _RefusedError | None = None
        self._leaving: asyncio.Future[None] | None = None
        """Done once the client of the request that is being answered has gone."""
        self._request_timer: asyncio.TimerHandle | None = None
        self._stall_timer: asyncio.TimerHandle | None = None

    # What the transport tells

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock of the first request."""
        super().connection_made(transport)
        self.has_begun = True
        self._place.end = self._end_for_newer
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop every clock, and count it no more."""
        self._place.leave()
        self._note_leaving()
        self._stop_request_timer()
        self._stop_stall_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came, unless the connection only ends."""
        if self._is_deaf:
            self._ignore(data)
            return
        self._unset_keepalive_if_required()
        if self._request_timer is None:
            self._await_request()
        self._unparsed = self._unparsed + data if self._unparsed else data
        self._parse_on()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer what was asked before the client said that it sends no more; then it ends.

        What still waits in its line leaves it: most clients that send no more have gone.
        """
        self._note_leaving()
        cycle = self.cycle
        is_owed = cycle is not None and not (cycle.response_complete or cycle.more_body)
        if is_owed and self.scheme == "http":  # TLS knows no half of a connection
            cycle.keep_alive = False
            return True
        return False

    def _parse_on(self) -> None:
        """Parse slice by slice, but not while a request waits for earlier answers."""
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
                str(refusal) if refusal else "the request is no valid HTTP",
            )
            return False
        if self._head_bytes > self._framing_limit():
            self._refuse(ErrorCode.HEADERS_TOO_LARGE, _head_message())
            return False
        return True

    def _ignore(self, data: bytes) -> None:
        """Read on for a while, since closing under a sender may cost it the answer."""
        self._ignored_bytes += len(data)
        if self._ignored_bytes > LINGER_BYTES:
            self.transport.abort()

    def pause_writing(self) -> None:
        """Give a client that does not read a limited time to begin."""
        super().pause_writing()
        self._abort_later(STALL_LIMIT_S)

    def resume_writing(self) -> None:
        """Take the client as reading again; a connection that is closing still has to end."""
        if not (self._is_deaf or self.transport.is_closing()):
            self._stop_stall_timer()
        super().resume_writing()

    # What the parser tells

    def on_message_begin(self) -> None:
        """Count a new request from nothing."""
        super().on_message_begin()
        self._body_bytes = 0
        self._body_limit = BODY_LIMIT

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; trailers are ignored (RFC 9110, 6.5.1)."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Pass a head on that is within its limits, and start the clock of the body."""
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > HEAD_LIMIT:
            raise self._stop_parser(ErrorCode.HEADERS_TOO_LARGE, _head_message())
        if self.url.partition(b"?")[0] == INGEST_PATH:
            self._body_limit = INGEST_LIMIT
        # the parser has checked it
        length = sum(int(value) for name, value in self.headers if name == b"content-length")
        if length > self._body_limit:
            raise self._stop_parser(ErrorCode.PAYLOAD_TOO_LARGE, self._body_message())
        is_chunked = any(name == b"transfer-encoding" for name, _ in self.headers)
        if self.parser.should_upgrade() and (length or is_chunked):  # it would parse a body as more
            message = "a request that asks for another protocol (Upgrade) may have no body"
            raise self._stop_parser(ErrorCode.BAD_REQUEST, message)
        self._in_head = False
        self._await_request()
        self._hurry = None
        match self._sender_of(self.url, self.headers):
            case Sender.CALLER:
                self._place.keep()
            case Sender.PROBE:
                self._hurry = cast(Any, self.scope)[HURRY] = asyncio.Event()
        super().on_headers_complete()

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
        """Sizes of chunks: where a body may be long, as many bytes as it has."""
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

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        super()._start_asgi_task(cycle, partial(self._answer, cycle, app))

    async def _answer(
        self, cycle: RequestResponseCycle, app: Any, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Have a request answered; where that begins before its body is whole, it is the last.

        A proxy may take the connection for free then, and send another's request after half a body:
        of what follows nobody could say what it is.
        """

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start" and cycle.more_body:
                self._hear_no_more()
                cycle.keep_alive = False
                await send(message)
                cycle.keep_alive = True  # the answer says that it ends; it does so after a while
            else:
                await send(message)

        self._leaving = scope[LEAVING] = self.loop.create_future()
        await app(scope, receive, send_on)

    def _note_leaving(self) -> None:
        if self._leaving is not None and not self._leaving.done():
            self._leaving.set_result(None)

    def on_response_complete(self) -> None:
        """End a connection that is closing, else go on to the next request."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._abort_later(STALL_LIMIT_S)
        elif self._is_deaf and self.cycle.response_complete:
            self._linger()
        elif self.pipeline or self._unparsed:
            self.flow.pause_reading()
            self.loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        """Parse requests that had to wait, then go on reading."""
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
        """Answer with an error after earlier answers, read no more and close."""
        self._hear_no_more()
        why = Refused.TOO_LARGE if code in _LENGTHS else Refused.MALFORMED
        cycle = self.cycle
        if cycle is not None and self._in_head and not cycle.response_complete:
            self._refusals.count(why)
            cycle.keep_alive = False  # earlier requests are answered first, then it closes
            return
        if cycle is None or self._in_head:
            answer = self._write_error(code, message)
            self._refusals.tell(why, self.client and self.client[0], code, answer)
        else:  # the application has heard of it, and logs it
            self._refusals.count(why)
            if not cycle.response_started and not self.pipeline:
                cycle.disconnected = True
                cycle.message_event.set()
                self._write_error(code, message)
        self._linger()

    def _end_for_newer(self) -> None:
        """End at once, since a newer connection needs the place; what was asked is answered."""
        cycle = self.cycle
        if cycle is None or cycle.response_started or self.pipeline:
            self.transport.abort()
            return
        self._hear_no_more()
        if self._hurry is not None:
            cycle.keep_alive = False
            self._hurry.set()
            return
        cycle.disconnected = True
        cycle.message_event.set()
        self._write_error(ErrorCode.SERVICE_UNAVAILABLE, TOO_MANY, RETRY)
        self.transport.close()
        self._abort_later(LINGER_S)

    def _hear_no_more(self) -> None:
        self._is_deaf = True
        self._unparsed = b""
        self._stop_request_timer()

    def _write_error(self, code: ErrorCode, message: str, headers: Headers = ()) -> bytes:
        answer = error_answer(code, message, [*headers, *self._limits(self.headers or ())])
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
            self._await_request()  # it is we who are slow
        elif self._in_head and not self._head_bytes:
            self.transport.close()
        else:
            limit = f"the request was not complete within {REQUEST_LIMIT_S:g} seconds"
            if self._body_limit == INGEST_LIMIT and not self._in_head:
                limit += f", nor did {INGEST_LEAST} bytes of its body come meanwhile"
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
    return f"request line, headers and what frames the body are more than {HEAD_LIMIT} bytes"
