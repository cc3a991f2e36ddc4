"""One WebSocket, using the websockets client; imported when first needed."""

import asyncio
import contextlib
import logging
import ssl
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.frames import DATA_OPCODES, Frame, Opcode
from websockets.protocol import State

from oddsdesk.base.tasks import SLICE_S, cancel_tasks, spawn
from oddsdesk.base.texts import N_
from oddsdesk.network import (
    USER_AGENT,
    ClosedError,
    NoWebSocketError,
    UnreachableError,
    host_of,
    is_local,
    silence_text,
)
from oddsdesk.network.secrets import KeyFilter
from oddsdesk.network.trust import system_trust

LARGEST: Final = 1024 * 1024
"""In bytes: a message of the contract takes at most 15 KiB; larger ones up to this are skipped."""
_OPEN_S: Final = 10
_CLOSE_S: Final = 1
_PIECE: Final = 2048
"""Bytes processed at a time; of empty frames that is about a thousand."""
_AT_ONCE: Final = 1_000
"""Messages processed at a time: half a millisecond."""
_LOOKS: Final = 10
"""How often silence must be seen in a row before it ends a connection."""
_MOST_PINGS: Final = 200
"""Per second: no peer sends this many pings and pongs on purpose."""

_MOST_WAITING: Final = 256 * 1024
"""Bytes of messages waiting for the caller; beyond this nothing more is read."""
_END_OF_HEADERS: Final = b"\r\n\r\n"
_WHOLE: Final = (0x81, 0x82)
"""First bytes of a frame with a whole message, text or binary; RFC 6455, 5.2."""
_SHORT_HEADER: Final = 2
_LONG: Final = 126
_LONGER: Final = {_LONG: 2, 127: 8}
"""Number of further bytes that hold the length, by the short length."""

_frames = logging.getLogger("oddsdesk.network.frames")
# at DEBUG, websockets logs the address, and the token in it
_frames.addFilter(lambda record: "token=" not in record.getMessage())
_frames.addFilter(KeyFilter())


class Pinging(NamedTuple):
    """The text and interval of pings, and the silence in seconds after which a connection is dead.

    Without a text, protocol pings are used, whose pongs count as signs of life. Seconds in which
    this program was too busy to listen do not count as silence.
    """

    text: str
    every_s: float
    silence_s: float


class _Connection(ClientConnection):
    """Processes input in slices, since other tasks share the thread.

    One read can bring 256 KiB. In empty frames that is 130,000, which took 15 s in one piece. It
    decodes whole messages in one plain frame, the usual case, itself, because the library takes ten
    times as long. The library handles the handshake and all other frames.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.is_flooded = False
        """Whether it was closed because it only sent pings."""
        self._left: deque[Callable[[], None]] = deque()
        """Input that is not processed yet, in order."""
        self._is_lost = False
        self._pings = 0
        self._counted_at = 0.0
        self._take: Callable[[bytes], None] = self._take_handshake
        self._unread = bytearray()
        """The start of a frame; during the handshake, its last bytes."""
        self._part = bytearray()
        """The start of a message in several frames."""
        self._messages: list[bytes] = []
        self._size = 0
        """Size of the waiting messages, in bytes."""
        self._has_news = asyncio.Event()
        self._has_ended = self._is_resting = self._is_dropped = False
        self._is_heard = False

    def hear(self) -> None:
        """Record a sign of life."""
        self._is_heard = True

    def was_heard(self) -> bool:
        """Return whether there was one since the last call, or reading is paused."""
        was_heard, self._is_heard = self._is_heard, False
        return was_heard or self._is_resting or bool(self._messages or self._left)

    async def messages(self) -> list[bytes]:
        """Return what arrived since the last call, in order; wait until there is something.

        Raises:
            ConnectionClosed: nothing more will come.
        """
        while not (self._messages or self._has_ended):
            self._has_news.clear()
            await self._has_news.wait()
        if not self._messages:
            await self.recv(decode=False)  # raises how the connection ended
        found, self._messages, self._size = self._messages, [], 0
        self._read_on()
        return found

    @property
    def has_messages(self) -> bool:
        """Whether messages are waiting."""
        return bool(self._messages)

    def rest(self, seconds: float) -> None:
        """Pause reading."""
        self._is_resting = True
        self.transport.pause_reading()
        self.loop.call_later(seconds, self._end_rest)

    def _end_rest(self) -> None:
        self._is_resting = False
        self._read_on()

    def drop_messages(self) -> None:
        """Drop all messages from now on, so that the answer to the close is read at once."""
        self._is_dropped, self._is_resting = True, False
        self._messages, self._size = [], 0
        self._read_on()

    def data_received(self, data: bytes) -> None:
        if not self._left:
            data = self._take_messages(data)
            if len(data) <= _PIECE:
                self._take(data)
                return
        pieces = range(0, len(data), _PIECE)
        self._later(*(partial(self._take_piece, data[at : at + _PIECE]) for at in pieces))

    def eof_received(self) -> None:
        self._later(super().eof_received)

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_lost = True
        self._later(partial(super().connection_lost, exc), self._end)

    def send_data(self) -> None:
        if self._is_lost:
            self.protocol.data_to_send()  # asyncio would warn about each
        else:
            super().send_data()

    def process_event(self, event: Any) -> None:
        if isinstance(event, Frame) and event.opcode in DATA_OPCODES:
            self._part += event.data
            if event.fin:
                self._keep([bytes(self._part)])
                self._part.clear()
            return
        super().process_event(event)
        if isinstance(event, Frame) and event.opcode in (Opcode.PING, Opcode.PONG):
            self._count_ping()

    def _later(self, *taking: Callable[[], None]) -> None:
        is_first = not self._left
        self._left.extend(taking)
        if is_first:
            self._take_in()

    def _take_in(self) -> None:
        ends = time.perf_counter() + SLICE_S
        while self._left and time.perf_counter() < ends:
            self._left[0]()
            if self._left:
                self._left.popleft()
        if self._left:
            self.transport.pause_reading()
            self.loop.call_soon(self._take_in)
        else:
            self._read_on()

    def _end(self) -> None:
        self._has_ended = True
        self._has_news.set()

    def _keep(self, messages: Sequence[bytes]) -> None:
        if self._is_dropped or not messages:
            return
        self.hear()
        self._messages += messages
        self._size += sum(map(len, messages)) + len(messages)
        self._has_news.set()
        if self._size > _MOST_WAITING:
            self.transport.pause_reading()

    def _read_on(self) -> None:
        is_held = self._left or self._is_resting or self._size > _MOST_WAITING
        if not is_held and not self._is_lost:
            self.transport.resume_reading()

    def _take_piece(self, data: bytes) -> None:
        self._take(data)

    def _take_handshake(self, data: bytes) -> None:
        """Give the library the end of the handshake; frames follow it."""
        seen = bytes(self._unread)
        ends = (seen + data).find(_END_OF_HEADERS)
        if ends < 0:
            self._unread[:] = (seen + data)[1 - len(_END_OF_HEADERS) :]
            super().data_received(data)
            return
        ends += len(_END_OF_HEADERS) - len(seen)
        self._unread.clear()
        super().data_received(data[:ends])
        is_plain = self.protocol.state is State.OPEN and not self.protocol.extensions
        self._take = self._take_frames if is_plain else super().data_received
        if len(data) > ends:
            self._take(data[ends:])

    def _take_messages(self, data: bytes) -> bytes:
        """Take the messages at the start of the input; return what is left.

        It takes messages in a single frame, the usual case, below 64 KiB.
        """
        protocol, unread = self.protocol, self._unread
        is_between_messages = protocol.state is State.OPEN and protocol.current_size is None
        if self._take != self._take_frames or not is_between_messages or len(unread) > _PIECE:
            return data
        data = bytes(unread) + data
        unread.clear()
        messages, at, most = list[bytes](), 0, protocol.max_message_size or 0
        while at + 1 < len(data) and data[at] in _WHOLE and len(messages) < _AT_ONCE:
            length, begins = data[at + 1], at + _SHORT_HEADER
            if length == _LONG:
                begins += _LONGER[_LONG]
                length = int.from_bytes(data[at + _SHORT_HEADER : begins])
            elif length > _LONG:
                break
            ends = begins + length
            if ends > len(data) or length > most:
                break
            messages.append(data[begins:ends])
            at = ends
        self._keep(messages)
        return data[at:]

    def _take_frames(self, data: bytes) -> None:
        unread, at = self._unread, 0
        unread += data
        while self.protocol.state is State.OPEN and (found := self._frame(at)) is not None:
            begins, ends = found
            if unread[at] in _WHOLE and begins > at and self.protocol.current_size is None:
                self._keep([bytes(unread[begins:ends])])
            else:
                super().data_received(bytes(unread[at:ends]))
            at = ends
        del unread[:at]
        if unread and self.protocol.state is not State.OPEN:
            super().data_received(bytes(unread))
            unread.clear()

    def _frame(self, at: int) -> tuple[int, int] | None:
        """Return where a frame's content begins and ends; None if it is incomplete.

        An invalid frame ends with the input, and has no content to decode here.
        """
        unread, known = self._unread, len(self._unread) - at
        if known < _SHORT_HEADER:
            return None
        length, begins = unread[at + 1], at + _SHORT_HEADER
        if length in _LONGER:
            begins += _LONGER[length]
            if len(unread) < begins:
                return None
            length = int.from_bytes(unread[at + _SHORT_HEADER : begins])
        elif length > max(_LONGER):  # masked, which only clients do
            return at, len(unread)
        if length > (self.protocol.max_message_size or 0):
            return at, len(unread)
        return None if len(unread) < begins + length else (begins, begins + length)

    def _count_ping(self) -> None:
        now = self.loop.time()
        if now - self._counted_at >= 1.0:
            self._pings, self._counted_at = 0, now
        self._pings += 1
        if self._pings > _MOST_PINGS and not self.is_flooded:
            self.is_flooded = True
            self._take = _pass_over
            self.transport.abort()


def _pass_over(data: bytes) -> None:
    """Stop reading from a connection that was given up."""


class WebSocket:
    """An open connection that sends its pings; use it as a context manager."""

    def __init__(self, connection: _Connection, host: str, pinging: Pinging) -> None:
        self._pinging_as = pinging
        self._connection = connection
        self._received: deque[bytes] = deque()
        self._host = host
        self._silent_looks = 0

    async def __aenter__(self) -> Self:
        self._pinging = spawn("stream ping", self._ping())
        self._look_again()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._silence.cancel()
        self._connection.drop_messages()
        try:
            await cancel_tasks(self._pinging)
            await self._connection.close()
        finally:  # if cancelled here, do not wait for the other side to close
            self._connection.transport.abort()

    async def receive(self) -> bytes:
        """Return the next frame; see ``receive_all``."""
        if not self._received:
            self._received.extend(await self.receive_all())
        return self._received.popleft()

    async def receive_all(self) -> list[bytes]:
        """Return the frames that arrived, in order; wait until there is one.

        Raises:
            ClosedError: the connection is closed.
            UnreachableError: the other side was silent for too long.
        """
        try:
            frames = await self._connection.messages()
        except ConnectionClosed as error:
            if self._connection.is_flooded:
                raise UnreachableError(f"{self._host} floods the stream with pings") from error
            if self._silent_looks >= _LOOKS:
                raise UnreachableError(silence_text(self._host)) from error
            close = error.rcvd or error.sent
            raise ClosedError(None if close is None else close.code) from error
        return frames

    @property
    def has_more(self) -> bool:
        """Whether frames have arrived since the last ones received."""
        return self._connection.has_messages

    def rest(self, seconds: float) -> None:
        """Pause reading, so that more frames are received together."""
        self._connection.rest(seconds)

    async def send_text(self, text: str) -> None:
        """Send a text.

        Raises:
            ClosedError: the connection is closed.
        """
        try:
            await self._connection.send(text)
        except ConnectionClosed as error:
            close = error.rcvd or error.sent
            raise ClosedError(None if close is None else close.code) from error

    def _look_again(self) -> None:
        loop = asyncio.get_running_loop()
        self._silence = loop.call_later(self._pinging_as.silence_s / _LOOKS, self._look)

    def _look(self) -> None:
        """Check for silence with one timer: a timeout per frame cost 5 % of the window's time.

        It counts checks: one that comes late, after other work, counts once.
        """
        self._silent_looks = 0 if self._connection.was_heard() else self._silent_looks + 1
        if self._silent_looks < _LOOKS:
            self._look_again()
        else:
            self._connection.transport.abort()

    async def _ping(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(self._pinging_as.every_s)
                await self._say_ping()

    async def _say_ping(self) -> None:
        if self._pinging_as.text:
            await self._connection.send(self._pinging_as.text)
        else:
            await (await self._connection.ping())
            self._connection.hear()


class _Connect(connect):
    """Follows no redirect: a key or token is for this address only."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


async def open_websocket(url: str, pinging: Pinging, *, largest: int = LARGEST) -> WebSocket:
    """Open a connection; errors do not show the query, which may hold a token.

    Raises:
        UnreachableError: no answer within 10 s.
        NoWebSocketError: the answer did not open one.
    """
    host = host_of(url)
    try:
        connection = await _Connect(
            url,
            open_timeout=_OPEN_S,
            close_timeout=_CLOSE_S,
            ping_interval=None,  # the text ping counts, protocol pings do not
            max_size=largest,
            proxy=None if is_local(url) else True,
            user_agent_header=USER_AGENT,
            ssl=system_trust() if url.startswith("wss:") else None,
            logger=_frames,
            create_connection=_Connection,
        )
    except InvalidStatus as error:
        status = error.response.status_code
        how = (
            N_("redirects elsewhere")
            if 300 <= status < 400
            else N_(f"answers with status {status}")
        )
        raise NoWebSocketError(f"{host} opens no stream: it {how}", status) from None
    except TimeoutError:
        raise UnreachableError(f"{host} took too long to open the stream") from None
    except ssl.SSLError:
        raise UnreachableError(f"no secure stream from {host}: does it use wss?") from None
    except (OSError, WebSocketException):
        raise UnreachableError(f"{host} does not answer") from None
    assert isinstance(connection, _Connection)
    return WebSocket(connection, host, pinging)
