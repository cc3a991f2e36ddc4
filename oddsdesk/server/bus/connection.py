"""The connection to NATS: begun anew whenever it ends, and never waited for."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import unquote, urlsplit

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from oddsdesk.network.secrets import keep_secret
from oddsdesk.server.bus.errors import BusError
from oddsdesk.server.troubles import Trouble

CONNECT_S: Final = 2
RETRY_S: Final = 0.5
PING_S: Final = 1
"""How often a server that says nothing is asked whether it is there; twice in vain ends it."""
CLOSE_S: Final = 0.5
SEND_S: Final = 0.5
"""How long a server may leave what we tell unread before the connection is begun anew."""
STRANGE_S: Final = 60.0
"""For how long health tells of a message that was none of ours."""
SCHEMES: Final = ("nats", "tls")

_REFUSALS: Final = (NatsError, OSError, TimeoutError)
_log = logging.getLogger(__name__)


class BusConnection:
    """One subject of a NATS server: what is told there is handed on, what we tell is sent.

    What is lost is not sent again. ``receive`` gets each message, on the loop of ``run``, and says
    whether it was one.
    """

    def __init__(self, url: str, subject: str, receive: Callable[[bytes], bool]) -> None:
        """Read the URL; the server is looked for by ``run``.

        Raises:
            BusError: it is none.
        """
        self._url = url
        self.shown = shown_url(url)
        self._subject = subject
        self._receive = receive
        self._client: Client | None = None
        self._ended = asyncio.Event()
        self._has_told = False
        self._strange_at = float("-inf")

    @property
    def is_open(self) -> bool:
        """Whether messages come and go, as far as is known."""
        return self._client is not None and self._client.is_connected

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with it."""
        if not self.is_open:
            yield Trouble("the bus cannot be reached: streams read the database instead")
        if time.monotonic() - self._strange_at < STRANGE_S:
            yield Trouble("the bus carries messages that are none of ours: they are ignored")

    async def tell(self, letter: bytes) -> None:
        """Send a message, if that is possible now; it may be lost."""
        if self._client is None or not self._client.is_connected:
            return
        try:
            async with asyncio.timeout(SEND_S):
                await self._client.publish(self._subject, letter)
        except _REFUSALS:
            self._ended.set()

    async def run(self) -> None:
        """Keep the connection until cancelled."""
        while True:
            self._ended.clear()
            try:
                await self._connect()
                self._say(logging.INFO, "is reached", None)
                await self._ended.wait()
                self._say(logging.WARNING, "is lost", None)
            except _REFUSALS as error:
                self._say(logging.WARNING, "cannot be reached", error)
            finally:
                await self._close()
            await asyncio.sleep(RETRY_S)

    async def _connect(self) -> None:
        client = self._client = Client()
        async with asyncio.timeout(2 * CONNECT_S):
            await client.connect(
                self._url,
                name="oddsdesk",
                allow_reconnect=False,
                max_reconnect_attempts=1,
                reconnect_time_wait=0,
                connect_timeout=CONNECT_S,
                ping_interval=PING_S,
                no_echo=True,
                error_cb=_ignore,
                closed_cb=self._on_closed,
            )
            await client.subscribe(self._subject, cb=self._on_message)

    async def _close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(*_REFUSALS):
                async with asyncio.timeout(CLOSE_S):
                    await client.close()

    async def _on_message(self, message: Msg) -> None:
        if not self._receive(message.data):
            self._strange_at = time.monotonic()

    async def _on_closed(self) -> None:
        self._ended.set()

    def _say(self, level: int, what: str, why: Exception | None) -> None:
        """Log a change of what is known; a server that stays away is told once."""
        is_well = level == logging.INFO
        if is_well or not self._has_told:
            reason = "" if why is None else f" ({type(why).__name__})"
            _log.log(level, "the bus at %s %s%s", self.shown, what, reason)
        self._has_told = not is_well


async def _ignore(_: Exception) -> None:
    """Leave what the library meets: what ends a connection is told by its end."""


def shown_url(url: str) -> str:
    """Return a URL without its user and password, which no log shows from now on.

    Raises:
        BusError: it is none of a NATS server.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in SCHEMES or not host or parts.path not in ("", "/"):
        raise BusError("--bus: expected nats://HOST:PORT")
    for secret in (parts.username, parts.password):
        if secret is not None:
            keep_secret(unquote(secret))
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}:{port or 4222}"
