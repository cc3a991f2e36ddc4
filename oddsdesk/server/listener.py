"""Listening: the socket, and uvicorn on it with every limit set."""

import asyncio
import contextlib
import errno
import logging
import socket
import ssl
import sys
from collections.abc import Generator
from functools import partial
from typing import Any, Final, cast

import uvicorn
from starlette.types import ASGIApp

from oddsdesk.server.accepting import Acceptor
from oddsdesk.server.connections import Connections, Place
from oddsdesk.server.door import SenderOf, all_strangers
from oddsdesk.server.fairness import Lane
from oddsdesk.server.limits import LimitsOf, no_limits
from oddsdesk.server.protocol import BoundedHttp
from oddsdesk.server.refusals import Refusals
from oddsdesk.tasks import JobFault, Jobs

BACKLOG: Final = 1024
MESSAGE_LIMIT: Final = 1024
"""Bytes of a message from a client of the stream (D24)."""
SEND_BUFFER: Final = 64 * 1024
"""Bytes that the kernel buffers for a client; small, so that we notice one that does not read."""
PING_INTERVAL_S: Final = 20.0
PING_LIMIT_S: Final = 40.0
KEEP_ALIVE_S: Final = 15
TALK_A_SECOND: Final = 40.0
"""Pieces of 64 bytes that are heard a second of all streams together that say too much."""

GRACE_S: Final = 1
"""For how long requests may go on when the server ends."""

_TICK_S: Final = 0.1
_STEP_S: Final = 0.005
_NO_TROUBLE: Final = "ASGI callable returned without completing handshake"
"""What uvicorn logs as an error although nothing is wrong: an upgrade that was refused in words.

Any client can provoke it."""
_GONE: Final = "the handler is closed"
"""What uvloop says to who answers a client that went in this very moment."""


def _is_trouble(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, RuntimeError) and _GONE in str(error):
        return False
    return not str(record.msg).startswith(_NO_TROUBLE)


logging.getLogger("uvicorn.error").addFilter(_is_trouble)


class ListenError(Exception):
    """The address cannot be listened on; the message is one line that says why."""


def bind(host: str, port: int, *, shared: bool = False, of: str = "") -> socket.socket:
    """Return a socket that listens; port 0 picks a free one.

    ``shared``: beside others of ``reserve`` and of this, which the system deals connections to.
    ``of`` is what the options of the address begin with, as ``metrics-``.

    Raises:
        ListenError: the address is in use, not allowed, or not of this machine.
    """
    return _bound(host, port, shared=shared, listens=True, of=of)


def can_share_ports() -> bool:
    """Say whether several processes may listen on one port here."""
    return hasattr(socket, "SO_REUSEPORT")


def reserve(host: str, port: int, *, of: str = "") -> socket.socket:
    """Return a socket that keeps an address for those who share it; it does not listen.

    Raises:
        ListenError: as ``bind``, also where somebody else shares the port with his own.
    """
    reserved = _bound(host, port, shared=False, listens=False, of=of)
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)  # from now on, for ours
    return reserved


def check_address(host: str, port: int, *, may_be_in_use: bool = True, of: str = "") -> None:
    """Refuse an address that cannot be listened on; one that is in use may be free later.

    Raises:
        ListenError: as ``bind``.
    """
    try:
        _bound(host, port, shared=False, listens=False, of=of).close()
    except ListenError as error:
        if not may_be_in_use or getattr(error.__cause__, "errno", None) != errno.EADDRINUSE:
            raise


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
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
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
    return f"it is no address of this machine; give another --{of}host"


def _reason(error: OSError, of: str) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"the port is in use; stop the other program or give another --{of}port"
        case errno.EACCES:
            return f"this port needs more rights; give another --{of}port"
        case errno.EADDRNOTAVAIL:
            return _not_ours(of)
        case _:
            return error.strerror or str(error)


class HttpServer:
    """uvicorn on a listening socket, restarted if it fails; signals are left to the program.

    ``limits`` gives the rate-limit headers of requests that are refused before ``app``, which
    ``refusals`` are told. Without ``tls`` nothing is encrypted; without ``connections`` it counts
    its own. ``sender_of`` tells whose requests there are.
    """

    def __init__(
        self,
        app: ASGIApp,
        listener: socket.socket,
        limits: LimitsOf = no_limits,
        tls: ssl.SSLContext | None = None,
        connections: Connections | None = None,
        refusals: Refusals | None = None,
        sender_of: SenderOf = all_strangers,
    ) -> None:
        self._listener = listener
        self._limits = limits
        self._connections = connections or Connections()
        self._refusals = refusals or Refusals()
        self._config = _config(app, limits, tls, self._refusals, sender_of)
        self._uvicorn: _Uvicorn | None = None
        self._changed = asyncio.Event()
        self._ended = asyncio.Event()
        self._ended.set()
        self._stopping = False
        self._jobs = Jobs(self._changed.set)

    @property
    def faults(self) -> tuple[JobFault, ...]:
        """Why it is being restarted, where it is."""
        return self._jobs.faults

    async def start(self) -> None:
        """Serve; returns once requests are answered.

        Raises:
            ListenError: it ended while it started.
        """
        self._jobs.start("http", self._serve)
        await self._changed.wait()
        if self._jobs.faults:
            reason = self._jobs.faults[0].reason
            await self.stop()
            raise ListenError(f"the HTTP server ended while it started: {reason}")

    async def stop(self) -> None:
        """Close every connection: idle ones at once, others within a limit."""
        self._stopping = True
        if self._uvicorn is not None:
            self._uvicorn.end()
        await self._ended.wait()
        await self._jobs.stop()
        self._listener.close()

    async def _serve(self) -> None:
        serving = self._uvicorn = _Uvicorn(
            self._config, self._limits, self._connections, self._refusals, self._changed
        )
        self._ended.clear()
        try:
            # it closes what it listens on, also where it is to be begun anew
            await serving.serve(sockets=[self._listener.dup()])
        finally:
            self._ended.set()
            serving.take_no_more()
        if not self._stopping:
            raise ListenError("the HTTP server ended")


def _config(
    app: ASGIApp,
    limits: LimitsOf,
    tls: ssl.SSLContext | None,
    refusals: Refusals,
    sender_of: SenderOf,
) -> uvicorn.Config:
    http = partial(BoundedHttp, limits=limits, refusals=refusals, sender_of=sender_of)
    return uvicorn.Config(
        app,
        http=cast(type[asyncio.Protocol], http),
        ws=cast(type[asyncio.Protocol], partial(_websocket, talkers=Lane(TALK_A_SECOND, 1))),
        ws_max_size=MESSAGE_LIMIT,
        ws_ping_interval=PING_INTERVAL_S,
        ws_ping_timeout=PING_LIMIT_S,
        ws_per_message_deflate=False,  # frames are shared, and no zip bombs
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="warning",  # at INFO it logs the stream's query: the token (D23)
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_S,
        ssl_context_factory=None if tls is None else lambda _, __: tls,
    )


def _websocket(**options: Any) -> asyncio.Protocol:
    # 11 ms with websockets, and the first prices of a desk need no stream
    from oddsdesk.server.websocket import BoundedWebSocket  # noqa: PLC0415

    return BoundedWebSocket(**options)


class _Uvicorn(uvicorn.Server):
    """uvicorn, but connections are taken by us, and it ends once nobody is left.

    Its own looks for that every 0.1 s, and later.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        limits: LimitsOf,
        connections: Connections,
        refusals: Refusals,
        ready: asyncio.Event,
    ) -> None:
        super().__init__(config)
        self._limits = limits
        self._places = connections
        self._refusals = refusals
        self._ready = ready
        self._ending = asyncio.Event()
        self._acceptors: list[Acceptor] = []

    def end(self) -> None:
        """Begin to end."""
        self.should_exit = True
        self._ending.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in sockets or ():
            acceptor = Acceptor(
                listener,
                self._new_protocol,
                self._places,
                self._limits,
                self.config.ssl,
                self._refusals,
            )
            self._acceptors.append(acceptor)
        self.started = True
        self._ready.set()

    def _new_protocol(self, place: Place) -> BoundedHttp:
        new: Any = self.config.http_protocol_class
        protocol: BoundedHttp = new(
            config=self.config, server_state=self.server_state, app_state={}, place=place
        )
        return protocol

    def take_no_more(self) -> None:
        """Listen no longer; connections stay."""
        for each in self._acceptors:
            each.close()

    async def main_loop(self) -> None:
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            for each in self._acceptors:
                each.check()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), _TICK_S)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let requests go on for a while, then cancel them: each of them is answered, with 503."""
        self.take_no_more()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                while True:
                    await asyncio.sleep(_STEP_S)
                    if not (self.server_state.connections or self.server_state.tasks):
                        break
        for task in self.server_state.tasks:
            task.cancel()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield
