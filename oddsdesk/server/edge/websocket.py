"""The WebSocket side of a connection: small messages in, shared frames out, time limits."""

import asyncio
import time
from typing import Any, Final, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from oddsdesk.contract.access import ErrorCode
from oddsdesk.server.edge.connections import Place
from oddsdesk.server.edge.protocol import LINGER_S, error_answer
from oddsdesk.server.fairness import LEAVING, Lane
from oddsdesk.server.stream.hub import CHANNEL

PIECE_BYTES: Final = 64
"""Bytes parsed at a time: up to ten frames."""
FRAMES_A_SECOND: Final = 10.0
FRAMES_AT_ONCE: Final = 20
"""Frames that a client may send a second, and after a pause; it needs one in 30 s."""
FRAGMENT_LIMIT: Final = 64
"""Fragments of one message; empty ones take memory, too."""
BACKLOG_LIMIT: Final = 4 * 1024 * 1024
"""Bytes that may wait for a client beyond the kernel's buffer; above that it is too slow."""
CLOSE_LIMIT_S: Final = 10.0
"""Seconds for a client to read the rest and answer a close."""


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol with limits; frames may be written to it directly.

    A server's frames are not masked, so one frame serves every subscriber.
    """

    def __init__(self, *arguments: Any, talkers: Lane, **options: Any) -> None:
        """``talkers`` is the lane of all streams that send too much."""
        super().__init__(*arguments, **options)
        self.place: Place | None = None
        """Its counted place, until it ends."""
        self.offered_bytes = 0
        """Bytes of all frames taken from the hub."""
        self._deaf = False
        self._lane = Lane(FRAMES_A_SECOND, FRAMES_AT_ONCE)
        self._talkers = talkers
        self._unheard = b""
        self._hearing: asyncio.TimerHandle | None = None
        self._leaving: asyncio.Future[None] = self.loop.create_future()
        """Done once the client has gone: the handshake then leaves its queue."""

    @property
    def backlog(self) -> int:
        """Bytes that wait for the client."""
        return self.transport.get_write_buffer_size()

    @property
    def ended(self) -> tuple[int, str] | None:
        """The close code, who closed and why; 1006 if the connection broke."""
        if not self.handshake_complete or self.conn.handshake_exc is not None:
            return None
        received, sent = self.conn.close_rcvd, self.conn.close_sent
        if received is not None and (sent is None or self.conn.close_rcvd_then_sent):
            return received.code, "client"  # its reason may be anything
        return (1006, "broke off") if sent is None else (sent.code, f"server: {sent.reason}")

    def offer_frames(self, frames: bytes) -> bool:
        """Write whole frames; False if the client is too far behind for them."""
        if self.close_sent or self.transport.is_closing():
            return True
        if self.backlog + len(frames) > BACKLOG_LIMIT:
            return False
        self.transport.write(frames)
        self.offered_bytes += len(frames)
        return True

    def close(self, code: int, reason: str) -> None:
        """Close after everything written, with a time limit; does not wait."""
        if self.close_sent or self.transport.is_closing():
            return
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self._abort_later(CLOSE_LIMIT_S)

    # uvicorn's methods, with limits

    def data_received(self, data: bytes) -> None:
        """Parse the input unless the client was cut off; much input is read piece by piece."""
        if self._deaf:
            return
        if not self.handshake_initiated:
            self._hear(data)
            return
        self._unheard += data
        if self._hearing is None:
            self._hear_on()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop reading and counting."""
        if self.place is not None:
            self.place.leave_place()
        if not self._leaving.done():
            self._leaving.set_result(None)
        self._unheard = b""
        if self._hearing is not None:
            self._hearing.cancel()
        super().connection_lost(exc)

    async def receive(self) -> Any:
        """Return the next event; reading goes on only once the input is handled."""
        message = await super().receive()
        if self._unheard:
            self.transport.pause_reading()
        return message

    def _hear_on(self) -> None:
        """Handle a piece, and more as the client's lane allows; nothing is read in that time."""
        self._hearing = None
        while self._unheard and not self._deaf and not self.transport.is_closing():
            now = time.monotonic()
            wait = self._lane.wait_s(now)
            if wait:
                wait = max(wait, self._talkers.take(now))
                self._hearing = self.loop.call_later(wait, self._hear_on)
                self.transport.pause_reading()
                return
            piece, self._unheard = self._unheard[:PIECE_BYTES], self._unheard[PIECE_BYTES:]
            self._hear(piece)
        if not self.read_paused and not self.transport.is_closing():
            self.transport.resume_reading()

    def handle_events(self) -> None:
        """Count the frames and act on them."""
        now = time.monotonic()
        for _ in self.conn.events:
            self._lane.take(now)
        super().handle_events()

    def _hear(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self._deaf:
            self._refuse("a header of the WebSocket handshake is malformed or too large")

    def handle_connect(self, event: Any) -> None:
        """Start a valid handshake; answer any other with the Error object."""
        response = self.conn.accept(event)
        if response.status_code != 101:
            self._refuse(f"no WebSocket handshake: {self.conn.handshake_exc}")
            return
        super().handle_connect(event)
        scope = cast(Any, self.scope)
        scope["extensions"][CHANNEL] = self
        scope[LEAVING] = self._leaving

    def handle_cont(self, event: Any) -> None:
        """Take another fragment of a message, up to ``FRAGMENT_LIMIT``."""
        if len(self.frames) >= FRAGMENT_LIMIT:
            self.close(1009, f"a message has more than {FRAGMENT_LIMIT} fragments: send it whole")
            self.frames = []
            return
        super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Pass a message on; text that is not UTF-8 closes with 1007."""
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self.close(1007, "a text message is not UTF-8")
                return
        super().send_receive_event_to_app()

    def handle_ping(self) -> None:
        """Answer pings of a client that also reads."""
        super().handle_ping()
        if self.backlog > BACKLOG_LIMIT:
            self.transport.abort()

    def handle_close(self, event: Any) -> None:
        """Echo a close, and end even if the client does not read it."""
        super().handle_close(event)
        if self.close_timer is None:
            self._abort_later(CLOSE_LIMIT_S)

    def handle_parser_exception(self) -> None:
        """Report a bad frame to the client (1002, 1007, 1009) and stop reading."""
        if not self.close_sent and self.conn.close_sent is not None:
            closed = self.conn.close_sent
            self.queue.put_nowait(
                {"type": "websocket.disconnect", "code": closed.code, "reason": closed.reason}
            )
            self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self._cut_off()

    def keepalive_timeout(self) -> None:
        """Drop a client that does not answer pings, whether or not it reads."""
        super().keepalive_timeout()
        self._abort_later(LINGER_S)

    def shutdown(self) -> None:
        """End with the server."""
        super().shutdown()
        self._abort_later(0.5)

    def send_500_response(self) -> None:
        """Answer a bug before the handshake with the Error object."""
        if not self.handshake_complete:
            self.transport.write(error_answer(ErrorCode.INTERNAL_ERROR, "the server made an error"))

    async def send(self, message: Any) -> None:
        """Send for the application; a close does not wait until the client reads."""
        if message["type"] == "websocket.close" and self.handshake_complete:
            self.close(message.get("code", 1000), message.get("reason") or "")
        else:
            await super().send(message)

    def _refuse(self, message: str) -> None:
        self.handshake_complete = True
        self.close_sent = True
        self.transport.write(error_answer(ErrorCode.BAD_REQUEST, message))
        self._cut_off()

    def _cut_off(self) -> None:
        """Close our half; closing both at once may cost the client our last message (TCP reset)."""
        self._deaf = True
        if not self.transport.is_closing():
            if self.transport.can_write_eof():  # TLS has no half to close
                self.transport.write_eof()
            self._abort_later(LINGER_S)

    def _abort_later(self, seconds: float) -> None:
        if self.close_timer is not None:
            self.close_timer.cancel()
        self.close_timer = self.loop.call_later(seconds, self.transport.abort)
