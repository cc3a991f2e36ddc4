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
from oddsdesk.server.connections import RETRY, TOO_MANY, Connections, Place
from oddsdesk.server.limits import LimitsOf
from oddsdesk.server.protocol import BoundedHttp, error_answer
from oddsdesk.tasks import spawn

HANDSHAKE_LIMIT_S: Final = 10.0
"""How long a TLS handshake may take."""
GOODBYE_LIMIT_S: Final = 5.0
"""How long a client may take to end TLS."""
AT_ONCE: Final = 32
"""Connections that are taken before others get their turn."""
PAUSE_S: Final = 0.25
"""How long nothing is taken once descriptors ran out; who comes waits in the system."""
_STEP_S: Final = 0.01
_NO_ROOM: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_NO_LISTENER: Final = frozenset({errno.EBADF, errno.EINVAL, errno.ENOTSOCK})
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
    ) -> None:
        """Without ``tls`` who is refused is told so, with the headers of ``limits``."""
        self._listener = listener
        self._new_protocol = new_protocol
        self._connections = connections
        self._limits = limits
        self._options: dict[str, Any] = {}
        if tls is not None:
            self._options = {
                "ssl": tls,
                "ssl_handshake_timeout": HANDSHAKE_LIMIT_S,
                "ssl_shutdown_timeout": GOODBYE_LIMIT_S,
            }
        self._beginning: set[asyncio.Task[None]] = set()
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
        taken = 0
        while True:
            try:
                connection, address = await loop.sock_accept(self._listener)
            except OSError as error:
                await self._recover(error)
                continue
            self._take(connection, address[0])
            taken += 1
            if taken % AT_ONCE == 0:
                await asyncio.sleep(0)

    async def _recover(self, error: OSError) -> None:
        """Wait a while: whoever comes is there still, and asking at once would fail again."""
        if error.errno in _NO_LISTENER:
            raise error
        if error.errno in _NO_ROOM:
            self._connections.wait_for_descriptors()
            await asyncio.sleep(PAUSE_S)
        else:  # a client went before it was taken
            await asyncio.sleep(_STEP_S)

    def _take(self, connection: socket.socket, address: str) -> None:
        place = self._connections.enter(address)
        if place is None:
            self._refuse(connection)
            return
        protocol = self._new_protocol(place)
        task = spawn("connection", self._begin(connection, protocol))
        self._beginning.add(task)
        task.add_done_callback(partial(self._have_begun, connection, protocol, place))

    async def _begin(self, connection: socket.socket, protocol: BoundedHttp) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):  # no TLS, or none in time
            await loop.connect_accepted_socket(lambda: protocol, connection, **self._options)

    def _have_begun(
        self,
        connection: socket.socket,
        protocol: BoundedHttp,
        place: Place,
        task: asyncio.Task[None],
    ) -> None:
        """Forget one that never got as far as to ask; the protocol does so with all others."""
        self._beginning.discard(task)
        if not protocol.has_begun:
            connection.close()
            place.leave()

    def _refuse(self, connection: socket.socket) -> None:
        """Say so where that takes no handshake; what came already must be read for it to arrive."""
        with contextlib.suppress(OSError):
            if not self._options:
                headers = [*RETRY, *self._limits(())]
                answer = error_answer(ErrorCode.SERVICE_UNAVAILABLE, TOO_MANY, headers)
                connection.send(answer)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(_WHATEVER_CAME)
        connection.close()
