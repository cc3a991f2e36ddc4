"""Listening: the socket, and uvicorn on it with every limit set."""

import asyncio
import contextlib
import errno
import logging
import socket
import ssl
import sys
import time
from _ssl import _test_decode_cert  # type: ignore[attr-defined]  # see _end
from collections.abc import Callable, Iterator
from email.utils import formatdate
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import uvicorn
from starlette.types import ASGIApp

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.tasks import JobFault, Jobs, spawn
from oddsdesk.base.texts import N_
from oddsdesk.contract.access import ErrorCode
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.server.edge.connections import RETRY, TOO_MANY, Connections, Place
from oddsdesk.server.edge.protocol import BoundedHttp, Refusals, SenderOf, all_strangers
from oddsdesk.server.fairness import Lane
from oddsdesk.server.rest import Headers, Refused
from oddsdesk.server.settings import TlsFiles

BACKLOG: Final = 1024
MESSAGE_LIMIT: Final = 1024
"""Bytes of a message from a client of the stream."""
SEND_BUFFER: Final = 64 * 1024
"""Bytes that the kernel buffers for a client; small, to notice clients that do not read."""
PING_INTERVAL_S: Final = 20.0
PING_LIMIT_S: Final = 40.0
KEEP_ALIVE_S: Final = 15
TALK_A_SECOND: Final = 40.0
"""Pieces of 64 bytes read a second from all streams together that send too much."""

GRACE_S: Final = 1
"""How long requests may go on when the server stops (s)."""

_STEP_S: Final = 0.005
_NO_TROUBLE: Final = "ASGI callable returned without completing handshake"
"""What uvicorn logs as an error although nothing is wrong: an upgrade was refused with an answer.

Any client can provoke it."""
_GONE: Final = "the handler is closed"
"""uvloop's error when a client disconnects just before its answer."""


def _is_trouble(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, RuntimeError) and _GONE in str(error):
        return False
    return not str(record.msg).startswith(_NO_TROUBLE)


logging.getLogger("uvicorn.error").addFilter(_is_trouble)


class ListenError(Exception):
    """The address cannot be used; the message is one line with the reason."""


def bind(host: str, port: int, *, shared: bool = False, of: str = "") -> socket.socket:
    """Return a socket that listens; port 0 picks a free one.

    ``shared``: together with other such sockets and ``reserve``; the system deals connections to
    them.
    ``of`` is the beginning of the address's options, such as ``metrics-``.

    Raises:
        ListenError: the address is in use, not allowed, or not of this machine.
    """
    return _bound(host, port, shared=shared, listens=True, of=of)


def can_share_ports() -> bool:
    """Say whether several processes may listen on one port here."""
    return hasattr(socket, "SO_REUSEPORT")


def reserve(host: str, port: int, *, of: str = "") -> socket.socket:
    """Return a socket that reserves an address for processes that share it; it does not listen.

    Raises:
        ListenError: as ``bind``, also if another program shares the port.
    """
    reserved = _bound(host, port, shared=False, listens=False, of=of)
    _share_port(reserved)  # from now on, for ours
    return reserved


def check_address(host: str, port: int, *, may_be_in_use: bool = True, of: str = "") -> None:
    """Refuse an address that cannot be used; one that is in use may be free later.

    Raises:
        ListenError: as ``bind``.
    """
    try:
        _bound(host, port, shared=False, listens=False, of=of).close()
    except ListenError as error:
        if not may_be_in_use or getattr(error.__cause__, "errno", None) != errno.EADDRINUSE:
            raise


def _share_port(listener: socket.socket) -> None:
    if sys.platform == "win32":
        raise NotImplementedError  # `can_share_ports` is asked before
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)


def _bound(host: str, port: int, *, shared: bool, listens: bool, of: str) -> socket.socket:
    name = host.encode() if host.isascii() else host  # a text loads idna's tables first, 1 ms
    try:
        found = socket.getaddrinfo(
            name, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )
    except (socket.gaierror, UnicodeError, OverflowError) as error:
        raise ListenError(f"cannot listen on {host}: {_not_ours(of)}") from error
    family, _, _, _, address = found[0]
    # With protocol 0, asyncio leaves TCP_NODELAY off: 44 ms a keep-alive request.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            _share_port(listener)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        listener.setblocking(False)
        listener.bind(address)
        if listens:
            listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise ListenError(f"cannot listen on {host}:{port}: {_reason(error, of)}") from error
    return listener


def url_of(listener: socket.socket, scheme: str = "http") -> str:
    """Return the address that a listening socket is reached at."""
    host, port = listener.getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def _not_ours(of: str) -> str:
    return N_(f"this machine does not have that address; use another --{of}host")


def _reason(error: OSError, of: str) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return N_(f"the port is in use; stop the other program or use another --{of}port")
        case errno.EACCES:
            return N_(f"you may not use this port; use another --{of}port")
        case errno.EADDRNOTAVAIL:
            return _not_ours(of)
        case _:
            return error_text(error)


class SharedState:
    """What the connections of a server share, as uvicorn's protocols want it (``ServerState``)."""

    def __init__(self) -> None:
        self.connections: set[BoundedHttp] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.total_requests = 0
        self._second = 0
        self._date = b""

    @property
    def default_headers(self) -> list[tuple[bytes, bytes]]:
        """The headers of each answer that begins now."""
        if (second := int(time.time())) != self._second:
            self._second, self._date = second, formatdate(second, usegmt=True).encode()
        return [(b"date", self._date)]


class HttpServer:
    """uvicorn's protocols on a listening socket; accepting is restarted if it fails.

    ``refusals`` are answers given before ``app``. Without ``tls`` nothing is encrypted; without
    ``connections`` it has separate limits. ``sender_of`` returns the kind of client.
    """

    def __init__(
        self,
        app: ASGIApp,
        listener: socket.socket,
        refusals: Refusals | None = None,
        tls: "Certificate | None" = None,
        connections: Connections | None = None,
        sender_of: SenderOf = all_strangers,
    ) -> None:
        self._listener = listener
        self._refusals = refusals or Refusals()
        self._tls = tls
        self._connections = connections or Connections()
        self._state = SharedState()
        self._new_protocol = partial(
            BoundedHttp, _config(app), self._state, self._refusals, sender_of
        )
        self._changed = asyncio.Event()
        self._jobs = Jobs(self._changed.set)

    @property
    def faults(self) -> tuple[JobFault, ...]:
        """Why it is being restarted, if it is."""
        return self._jobs.faults

    async def start_http(self) -> None:
        """Serve; returns once requests are answered.

        Raises:
            ListenError: it stopped while starting.
        """
        self._jobs.start_job("http", self._serve)
        await self._changed.wait()
        if self._jobs.faults:
            reason = self._jobs.faults[0].reason
            await self.stop_http()
            raise ListenError(f"the HTTP server ended while it started: {reason}")

    async def stop_http(self) -> None:
        """Close every connection: idle ones at once, others within a limit.

        Requests may go on for a while; then they are cancelled and answered with 503.
        """
        await self._jobs.stop_jobs()
        self._listener.close()
        state = self._state
        for connection in list(state.connections):
            connection.shutdown()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                while True:
                    await asyncio.sleep(_STEP_S)
                    if not (state.connections or state.tasks):
                        break
        for task in state.tasks:
            task.cancel()

    async def _serve(self) -> None:
        acceptor = Acceptor(
            self._listener, self._new_protocol, self._connections, self._tls, self._refusals
        )
        self._changed.set()
        await acceptor.take_connections()


def _config(app: ASGIApp) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http=BoundedHttp,
        ws=cast(type[asyncio.Protocol], partial(_websocket, talkers=Lane(TALK_A_SECOND, 1))),
        ws_max_size=MESSAGE_LIMIT,
        ws_ping_interval=PING_INTERVAL_S,
        ws_ping_timeout=PING_LIMIT_S,
        ws_per_message_deflate=False,  # frames are shared, and no zip bombs
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="warning",  # at INFO it logs the stream's query: the token
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
    )
    config.load()
    return config


def _websocket(**options: Any) -> asyncio.Protocol:
    # 11 ms with websockets, and the first prices of a desk need no stream
    from oddsdesk.server.edge.websocket import BoundedWebSocket  # noqa: PLC0415

    return BoundedWebSocket(**options)


HANDSHAKE_LIMIT_S: Final = 10.0
"""How long a TLS handshake may take."""
GOODBYE_LIMIT_S: Final = 5.0
"""How long a client may take to end TLS."""
ACCEPTED_AT_ONCE: Final = 32
"""Connections accepted in a row before the loop does anything else."""
NO_ROOM_PAUSE_S: Final = 0.25
"""The pause in accepting after descriptors ran out (s); new clients wait in the system."""
_RETRY_ACCEPT_S: Final = 0.01
_NO_ROOM: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_NO_LISTENER: Final = frozenset({errno.EBADF, errno.EINVAL, errno.ENOTSOCK})
_HANDSHAKE: Final = b"\x16"
"""The first byte of a TLS handshake (RFC 8446, 5.1)."""
_ENCRYPTED: Final = "This address is encrypted: ask it by https:// or wss://."
_WHATEVER_CAME: Final = 64 * 1024


class Acceptor:
    """Accepts the connections of a listening socket; on the running loop."""

    def __init__(
        self,
        listener: socket.socket,
        new_protocol: Callable[[Place], BoundedHttp],
        connections: Connections,
        tls: "Certificate | None",
        refusals: Refusals,
    ) -> None:
        self._listener = listener
        self._new_protocol = new_protocol
        self._connections = connections
        self._tls = tls
        self._refusals = refusals
        self._beginning: set[asyncio.Task[bool]] = set()

    async def take_connections(self) -> None:
        """Accept until cancelled; then drop unfinished handshakes.

        Raises:
            OSError: this socket cannot be listened on any more.
        """
        try:
            while True:
                try:
                    await self._take_next()
                except OSError as error:
                    await self._recover(error)
                else:
                    await asyncio.sleep(0)
        finally:
            for each in self._beginning:
                each.cancel()

    async def _take_next(self) -> None:
        if not await _wait_for_input(self._listener):
            loop = asyncio.get_running_loop()
            self._take(*await loop.sock_accept(self._listener))
        self._take_waiting()

    def _take_waiting(self) -> None:
        """Accept all waiting connections: with one per turn of a busy loop the others wait long.

        Raises:
            OSError: one cannot be accepted; those before it are.
        """
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                connection, address = self._listener.accept()
            except BlockingIOError:
                return
            connection.setblocking(False)
            self._take(connection, address)

    async def _recover(self, error: OSError) -> None:
        """Wait a while: clients stay in the queue, and an immediate retry would fail again."""
        if error.errno in _NO_LISTENER:
            raise error
        if error.errno in _NO_ROOM:
            self._connections.wait_for_descriptors()
            await asyncio.sleep(NO_ROOM_PAUSE_S)
        else:  # a client went before it was taken
            await asyncio.sleep(_RETRY_ACCEPT_S)

    def _take(self, connection: socket.socket, client: tuple[Any, ...]) -> None:
        address = client[0]
        place = self._connections.enter(address)
        if place is None:
            self._refuse(connection)
            return
        task = spawn("connection", self._begin(connection, place, address))
        place.end = task.cancel
        self._beginning.add(task)
        task.add_done_callback(partial(self._have_begun, connection, place))

    async def _begin(self, connection: socket.socket, place: Place, address: str) -> bool:
        """Start reading from a client; return whether its protocol was reached."""
        loop = asyncio.get_running_loop()
        until = loop.time() + HANDSHAKE_LIMIT_S
        options: dict[str, Any] = {}
        handshake: contextlib.AbstractAsyncContextManager[None] = contextlib.nullcontext()
        with contextlib.suppress(OSError):  # no TLS, or none in time
            if self._tls is not None:
                first = await _first_byte(connection)
                if first != _HANDSHAKE:
                    if first:  # otherwise it left silently, like a port check
                        self._refuse_unencrypted(connection, address)
                    return False
                options = {"ssl": self._tls.context, "ssl_shutdown_timeout": GOODBYE_LIMIT_S}
                handshake = self._shaking_hands()
            async with handshake:
                if self._tls is not None:
                    options["ssl_handshake_timeout"] = max(until - loop.time(), _RETRY_ACCEPT_S)
                protocol = self._new_protocol(place)
                try:
                    await loop.connect_accepted_socket(lambda: protocol, connection, **options)
                finally:
                    if not protocol.has_begun:
                        protocol.unlink()
                return protocol.has_begun
        return False

    def _shaking_hands(self) -> contextlib.AbstractAsyncContextManager[None]:
        """Count the handshake of this task; it is cancelled for a newer one."""
        task = asyncio.current_task()
        assert task is not None
        return self._connections.shaking_hands(task.cancel)

    def _have_begun(
        self, connection: socket.socket, place: Place, task: asyncio.Task[bool]
    ) -> None:
        """Forget a connection that sent no request; the protocol does so for all others."""
        self._beginning.discard(task)
        if task.cancelled() or task.exception() is not None or not task.result():
            connection.close()
            place.leave_place()

    def _refuse(self, connection: socket.socket) -> None:
        """Refuse with an answer, if there is no TLS."""
        if self._tls is None:
            self._say(connection, ErrorCode.SERVICE_UNAVAILABLE, TOO_MANY, RETRY)
        connection.close()

    def _refuse_unencrypted(self, connection: socket.socket, address: str) -> None:
        code = ErrorCode.BAD_REQUEST
        answer = self._say(connection, code, _ENCRYPTED)
        self._refusals.log_refusal(Refused.UNENCRYPTED, address, code, answer)

    def _say(
        self, connection: socket.socket, code: ErrorCode, message: str, headers: Headers = ()
    ) -> bytes:
        """Say why the connection ends, and return that; unread input would lose it."""
        answer = self._refusals.answer_with(code, message, headers)
        with contextlib.suppress(OSError):
            connection.send(answer)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(_WHATEVER_CAME)
        return answer


async def _first_byte(connection: socket.socket) -> bytes:
    """Wait for a client's first byte, none if it goes; leave it to be read.

    OpenSSL takes 50 KB per connection, so it is not called before that.
    """
    async with asyncio.timeout(HANDSHAKE_LIMIT_S):
        if not await _wait_for_input(connection):
            return _HANDSHAKE
    return connection.recv(1, socket.MSG_PEEK)


async def _wait_for_input(waited_for: socket.socket) -> bool:
    """Wait until a connection arrives; False if the loop cannot wait for that, on Windows.

    Nothing is accepted yet, so cancelling the wait loses nothing.
    """
    loop = asyncio.get_running_loop()
    heard = asyncio.Event()
    try:
        loop.add_reader(waited_for, heard.set)
    except NotImplementedError:
        return False
    try:
        await heard.wait()
    finally:
        loop.remove_reader(waited_for)
    return True


LOOK_S: Final = 60.0
"""How often the files are checked, so renewals need no restart (s)."""
DAY_MS: Final = 24 * 60 * MINUTE_MS
"""How often an expiring or expired certificate is logged."""
SOON_MS: Final = 14 * DAY_MS
"""How long before expiry that begins; renewal programs act 30 days before."""

_log = logging.getLogger(__name__)


class Certificate:
    """A certificate with its key, as a TLS context for servers."""

    def __init__(self, files: TlsFiles, clock: Clock = system_clock) -> None:
        """Read the files.

        Raises:
            ListenError: they cannot be used; one line with the reason.
        """
        self._files = files
        self._clock = clock
        self._told_at: int | None = None
        self._seen = self._state()
        self.is_outdated = False
        """Whether the files have changed but cannot be used."""
        self.context = _context(files)
        """For new connections."""
        self.ends_at = _end(files.certificate)
        """Expiry in milliseconds; None if unknown."""

    async def follow_files(self) -> None:
        """Load the files whenever they change; log those that cannot be used."""
        while True:
            self.tell_end()
            await asyncio.sleep(LOOK_S)
            await asyncio.to_thread(self.reload_if_changed)

    def reload_if_changed(self) -> None:
        """Load the files if they changed since the last time."""
        state = self._state()
        if state == self._seen:
            return
        self._seen = state
        try:
            # In the old context, a key of another type would be added to the old key.
            self.context = _context(self._files)
        except ListenError as error:
            self.is_outdated = True
            _log.warning("%s; still using the previous certificate", error)
        else:
            self.is_outdated = False
            self.ends_at, self._told_at = _end(self._files.certificate), None
            _log.info("now using the new certificate in %s", self._files.certificate)

    def tell_end(self) -> None:
        """Log, once a day, that it expires soon or has expired."""
        now, said = self._clock(), self._ending()
        if said and (self._told_at is None or not 0 <= now - self._told_at < DAY_MS):
            self._told_at = now
            _log.warning("%s: %s; renew it", self._files.certificate, said)

    def troubles(self) -> Iterator[str]:
        """Yield what is wrong with it, a line each, without file names."""
        if self.is_outdated:
            yield N_("the renewed certificate cannot be used; the previous one is still in use")
        if said := self._ending():
            yield said

    def _ending(self) -> str:
        """Return that it expires soon or has expired, else an empty text."""
        left_ms = SOON_MS if self.ends_at is None else self.ends_at - self._clock()
        if self.ends_at is None or left_ms >= SOON_MS:
            return ""
        at = format_ms(self.ends_at)
        return (
            N_(f"the certificate ends at {at}")
            if left_ms > 0
            else N_(f"the certificate ended at {at}")
        )

    def _state(self) -> list[tuple[int, int, int] | None]:
        return [_state(self._files.certificate), _state(self._files.key)]


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _end(path: Path) -> int | None:
    """Return when the first certificate of a file expires, which is the one in use.

    WORKAROUND the public part of ``ssl`` reads out only certificates that may sign others.
    """
    try:
        return ssl.cert_time_to_seconds(_test_decode_cert(str(path))["notAfter"]) * 1000
    except (OSError, ValueError):  # its other contents may be odd
        return None


def _context(files: TlsFiles) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2  # Debian's Python leaves it to the system
    context.set_alpn_protocols(["http/1.1"])
    for path in (files.certificate, files.key):
        try:
            path.open("rb").close()
        except OSError as error:
            raise ListenError(f"{path}: cannot be read ({error_text(error)})") from error

    def no_password() -> bytes:
        raise ListenError(f"{files.key}: this key needs a password; use a key without one")

    try:
        context.load_cert_chain(files.certificate, files.key, no_password)
    except (ssl.SSLError, ValueError) as error:
        raise ListenError(
            f"{files.certificate}, {files.key}: expected a PEM certificate and its private key"
            f" ({getattr(error, 'reason', None) or error})"
        ) from error
    return context
