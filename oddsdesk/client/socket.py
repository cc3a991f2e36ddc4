"""One connection of the stream over the websockets client; imported when first needed."""

import asyncio
import contextlib
import logging
import ssl
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlencode, urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from oddsdesk.client.addresses import Addresses
from oddsdesk.client.closing import StreamClosedError
from oddsdesk.client.errors import OfflineError, ServiceUnavailableError
from oddsdesk.tasks import spawn, stop

PING_EVERY_S: Final = 30.0
_SILENCE_S: Final = 75.0
"""Two pings without any answer: the other end is gone."""
_OPEN_S: Final = 10
_CLOSE_S: Final = 1
_LARGEST: Final = 1024 * 1024
"""A message of the contract takes 15 KiB at most; larger ones are passed over, up to this."""

_frames = logging.getLogger("oddsdesk.client.frames")
# at DEBUG, websockets logs the address, and the token in it (D23)
_frames.addFilter(lambda record: "token=" not in record.getMessage())


class Socket:
    """An open connection that says ``ping`` every 30 s; use it as a context manager."""

    def __init__(
        self, connection: ClientConnection, host: str, silence_s: float = _SILENCE_S
    ) -> None:
        self._silence_s = silence_s
        self._connection = connection
        self._host = host
        self._heard_at = time.monotonic()
        self._is_silent = False

    async def __aenter__(self) -> Self:
        self._pinging = spawn("stream ping", self._ping())
        self._look_for_silence()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._silence.cancel()
        await stop(self._pinging)
        await self._connection.close()

    async def receive(self) -> bytes:
        """Return the next frame.

        Raises:
            StreamClosedError: the connection is closed.
            OfflineError: nothing was heard for 75 s.
        """
        try:
            frame = await self._connection.recv(decode=False)
        except ConnectionClosed as error:
            if self._is_silent:
                raise OfflineError(
                    f"nothing was heard from {self._host} for over a minute"
                ) from error
            close = error.rcvd or error.sent
            raise StreamClosedError(None if close is None else close.code) from error
        self._heard_at = time.monotonic()
        return frame

    def _look_for_silence(self) -> None:
        """One timer at a time: a timeout around each frame took 5 % of the window's thread."""
        left_s = self._heard_at + self._silence_s - time.monotonic()
        if left_s > 0:
            loop = asyncio.get_running_loop()
            self._silence = loop.call_later(left_s, self._look_for_silence)
        else:
            self._is_silent = True
            self._connection.transport.abort()

    async def _ping(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(PING_EVERY_S)
                await self._connection.send("ping")


class _Connect(connect):
    """Goes nowhere else: the token is for this address only."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


async def open_socket(addresses: Addresses, query: Mapping[str, str]) -> Socket:
    """Open a connection; the query holds the token, so no error names the address in full.

    Raises:
        OfflineError: nobody answered within 10 s.
        ServiceUnavailableError: something answered, but opened no stream.
    """
    host = urlsplit(addresses.stream).netloc
    try:
        connection = await _Connect(
            f"{addresses.stream}/api/stream?{urlencode(query)}",
            open_timeout=_OPEN_S,
            close_timeout=_CLOSE_S,
            ping_interval=None,  # the text ping of the contract counts, protocol pings do not
            max_size=_LARGEST,
            proxy=None if addresses.is_local else True,
            logger=_frames,
        )
    except InvalidStatus as error:
        status = error.response.status_code
        how = "redirects elsewhere" if 300 <= status < 400 else f"answers with status {status}"
        raise ServiceUnavailableError(
            f"http_{status}", f"{host} opens no stream: it {how}", status
        ) from None
    except TimeoutError:
        raise OfflineError(f"{host} took too long to open the stream") from None
    except ssl.SSLError:
        raise OfflineError(f"no secure stream from {host}: does it speak wss?") from None
    except (OSError, WebSocketException):
        raise OfflineError(f"nothing streams at {host}") from None
    return Socket(connection, host)
