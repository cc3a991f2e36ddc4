"""A TCP connection of text lines, such as Betfair's stream; with TLS unless it is local."""

import asyncio
import contextlib
import ssl
from types import TracebackType
from typing import Final, Self

from oddsdesk.network.errors import ClosedError, UnreachableError, UnusableAnswerError
from oddsdesk.network.trust import system_trust

LARGEST: Final = 16 * 1024 * 1024
"""In bytes: a line that is longer ends the connection."""
_OPEN_S: Final = 10
_END: Final = b"\r\n"
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


class Lines:
    """An open connection; use it as a context manager."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._host = host

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writer.transport.abort()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def receive(self, silence_s: float) -> bytes:
        """Return the next line, without its end.

        Raises:
            ClosedError: the connection is closed.
            UnreachableError: nothing was heard for so long.
            UnusableAnswerError: the line is longer than any.
        """
        try:
            async with asyncio.timeout(silence_s):
                line = await self._reader.readuntil(_END)
        except TimeoutError as error:
            raise UnreachableError(f"nothing was heard from {self._host} for too long") from error
        except asyncio.LimitOverrunError as error:
            raise UnusableAnswerError(f"{self._host} says a line that never ends") from error
        except (asyncio.IncompleteReadError, OSError) as error:
            raise ClosedError(None) from error
        return line.removesuffix(_END)

    async def send(self, line: str) -> None:
        """Send a line.

        Raises:
            ClosedError: the connection is closed.
        """
        try:
            self._writer.write(line.encode() + _END)
            await self._writer.drain()
        except OSError as error:
            raise ClosedError(None) from error


async def open_lines(host: str, port: int) -> Lines:
    """Open a connection.

    Raises:
        UnreachableError: nobody answered within 10 s, or not over TLS.
    """
    name = f"{host}:{port}"
    trust = None if host in _LOOPBACK else system_trust()
    try:
        async with asyncio.timeout(_OPEN_S):
            reader, writer = await asyncio.open_connection(host, port, ssl=trust, limit=LARGEST)
    except TimeoutError as error:
        raise UnreachableError(f"{name} took too long to answer") from error
    except ssl.SSLError as error:
        raise UnreachableError(f"no secure connection with {name}") from error
    except OSError as error:
        raise UnreachableError(f"nothing answers at {name}") from error
    return Lines(reader, writer, name)
