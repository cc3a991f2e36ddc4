"""Taking connections: as many as there may be, each with a limit on its TLS handshake (D83)."""

import asyncio
import contextlib
import errno
import socket
import ssl
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from oddsdesk.contract.errors import ErrorCode
from oddsdesk.server.answers import Headers
from oddsdesk.server.connections import RETRY, TOO_MANY, Connections, Place
from oddsdesk.server.figures import Refused
from oddsdesk.server.limits import LimitsOf
from oddsdesk.server.protocol import BoundedHttp, error_answer
from oddsdesk.server.refusals import Refusals
from oddsdesk.tasks import spawn

HANDSHAKE_LIMIT_S: Final = 10.0
"""How long a TLS handshake may take."""
GOODBYE_LIMIT_S: Final = 5.0
"""How long a client may take to end TLS."""
AT_ONCE: Final = 32
"""Connections that are taken at a time, before what else the loop has to do."""
PAUSE_S: Final = 0.25
"""How long nothing is taken once descriptors ran out; who comes waits in the system."""
_STEP_S: Final = 0.01
_NO_ROOM: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_NO_LISTENER: Final = frozenset({errno.EBADF, errno.EINVAL, errno.ENOTSOCK})
_HANDSHAKE: Final = b"\x16"
"""What a record of TLS that begins a handshake begins with (RFC 8446, 5.1)."""
_ENCRYPTED: Final = "This address is encrypted: ask it by https:// or wss://."
_WHATEVER_CAME: Final = 64 * 1024


class Acceptor:
    """Takes the connections of a listening socket from now on; on the running loop."""

    def __init__(
        self,
        listener: socket.socket,
        new_protocol: Callable[[Place], BoundedHttp],
        connections: Connections,
        limits: LimitsOf,
        tls: ssl.SSLContext | None,
        refusals: Refusals,
    ) -> None:
        """Without ``tls`` who is refused is told so, with the headers of ``limits``."""
        self._listener = listener
        self._new_protocol = new_protocol
        self._connections = connections
        self._limits = limits
        self._tls = tls
        self._refusals = refusals
        self._beginning: set[asyncio.Task[bool]] = set()
        self._task = spawn("accept", self._accept())
        self._task.add_done_callback(lambda _: listener.close())

    def check(self) -> None:
        """Raise what ended it, if something has."""
        if self._task.done() and not self._task.cancelled():
            self._task.result()

    def close(self) -> None:
        """Take no more, and drop who has not ended the handshake."""
        self._task.cancel()
        for each in self._beginning:
            each.cancel()

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                if not await _wait_for_input(self._listener):
                    self._take(*await loop.sock_accept(self._listener))
                self._take_waiting()
            except OSError as error:
                await self._recover(error)
                continue
            await asyncio.sleep(0)

    def _take_waiting(self) -> None:
        """Take what waits, too: with one connection in each turn of a busy loop others wait long.

        Raises:
            OSError: one cannot be taken; those before it are.
        """
        for _ in range(AT_ONCE):
            try:
                connection, address = self._listener.accept()
            except BlockingIOError:
                return
            connection.setblocking(False)
            self._take(connection, address)

    async def _recover(self, error: OSError) -> None:
        """Wait a while: whoever comes is there still, and asking at once would fail again."""
        if error.errno in _NO_LISTENER:
            raise error
        if error.errno in _NO_ROOM:
            self._connections.wait_for_descriptors()
            await asyncio.sleep(PAUSE_S)
        else:  # a client went before it was taken
            await asyncio.sleep(_STEP_S)

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
        """Begin to hear a client; return whether that came as far as to its protocol."""
        loop = asyncio.get_running_loop()
        until = loop.time() + HANDSHAKE_LIMIT_S
        options: dict[str, Any] = {}
        handshake: contextlib.AbstractAsyncContextManager[None] = contextlib.nullcontext()
        with contextlib.suppress(OSError):  # no TLS, or none in time
            if self._tls is not None:
                first = await _first_byte(connection)
                if first != _HANDSHAKE:
                    if first:  # else it went without a word, as who looks whether we listen does
                        self._refuse_unencrypted(connection, address)
                    return False
                options = {"ssl": self._tls, "ssl_shutdown_timeout": GOODBYE_LIMIT_S}
                handshake = self._shaking_hands()
            async with handshake:
                if self._tls is not None:
                    options["ssl_handshake_timeout"] = max(until - loop.time(), _STEP_S)
                protocol = self._new_protocol(place)
                try:
                    await loop.connect_accepted_socket(lambda: protocol, connection, **options)
                finally:
                    if not protocol.has_begun:
                        del protocol.parser  # it knows the protocol: both would outlive it
                return protocol.has_begun
        return False

    def _shaking_hands(self) -> contextlib.AbstractAsyncContextManager[None]:
        """Count the handshake that this task begins; it is cancelled for a younger one."""
        task = asyncio.current_task()
        assert task is not None
        return self._connections.shaking_hands(task.cancel)

    def _have_begun(
        self, connection: socket.socket, place: Place, task: asyncio.Task[bool]
    ) -> None:
        """Forget one that never got as far as to ask; the protocol does so with all others."""
        self._beginning.discard(task)
        if task.cancelled() or task.exception() is not None or not task.result():
            connection.close()
            place.leave()

    def _refuse(self, connection: socket.socket) -> None:
        """Say so where that takes no handshake."""
        if self._tls is None:
            self._say(connection, ErrorCode.SERVICE_UNAVAILABLE, TOO_MANY, RETRY)
        connection.close()

    def _refuse_unencrypted(self, connection: socket.socket, address: str) -> None:
        code = ErrorCode.BAD_REQUEST
        answer = self._say(connection, code, _ENCRYPTED)
        self._refusals.tell(Refused.UNENCRYPTED, address, code, answer)

    def _say(
        self, connection: socket.socket, code: ErrorCode, message: str, headers: Headers = ()
    ) -> bytes:
        """Say why it ends, and return that; what came already must be read for it to arrive."""
        answer = error_answer(code, message, [*headers, *self._limits(())])
        with contextlib.suppress(OSError):
            connection.send(answer)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(_WHATEVER_CAME)
        return answer


async def _first_byte(connection: socket.socket) -> bytes:
    """Wait for a client's first byte, none if it goes; leave it to be read.

    Until then OpenSSL need not be asked, which takes 50 KB for a connection.
    """
    async with asyncio.timeout(HANDSHAKE_LIMIT_S):
        if not await _wait_for_input(connection):
            return _HANDSHAKE
    return connection.recv(1, socket.MSG_PEEK)


async def _wait_for_input(waited_for: socket.socket) -> bool:
    """Wait until something came; False where the loop cannot wait for that, on Windows.

    Nothing is taken yet, so nothing is lost if the wait is cancelled at that moment.
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
