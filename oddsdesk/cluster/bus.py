"""The bus of one process: it sends what is recorded here, and keeps what others send."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final
from urllib.parse import unquote, urlsplit

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from oddsdesk.base.tasks import Jobs
from oddsdesk.cluster.tails import Inbox, Letters, ShardChanges
from oddsdesk.network.secrets import keep_secret
from oddsdesk.server.fairness import ReaderPool
from oddsdesk.server.troubles import Trouble, job_troubles
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.reader import Grown, OnRecorded
from oddsdesk.store.values import Change

CHUNK: Final = 256
"""Changes per letter."""
MOST_SENT: Final = 2_048
"""A recording with more changes is only announced: each process reads them."""

Listen = Callable[[OnRecorded], Callable[[], None]]
"""Registers a callback for recordings, on any thread; returns how to unregister it."""
ReadLog = Callable[[int, int, int], Sequence[Change]]
"""Reads the log of a shard after a number, up to a limit; changes that some source forbids passing
on are marked as left out, whatever this process may share."""

_WORDS: Final = {"bus": "the bus", "bus letters": "sending other processes what was recorded"}


class Bus:
    """``cluster.tails.Announcements`` of a NATS server; ``start_bus`` and ``stop_bus`` on one loop.

    ``share``: sources that this process may share although they forbid it; None: all.
    """

    def __init__(
        self,
        url: str,
        secret: bytes,
        on_recorded: Listen,
        read_log: ReadLog,
        share: Sequence[str] | None,
    ) -> None:
        """Make it; nothing is connected before ``start_bus``.

        Raises:
            StoreError: the URL is invalid.
        """
        self._letters = Letters(secret)
        self._connection = BusConnection(url, self._letters.subject, self._receive)
        self._on_recorded = on_recorded
        self._read_log = read_log
        self._share = share
        self._reads = ReaderPool("bus", threads=1)
        self._jobs = Jobs()
        self._recorded: list[Grown] = []
        self._has_recorded = asyncio.Event()
        self._awake: set[asyncio.Event] = set()
        self.inbox = Inbox()

    @property
    def is_connected(self) -> bool:
        """Whether the bus works, as far as known."""
        return self._connection.is_connected

    def start_bus(self) -> None:
        """Connect, now or when possible, and send what is recorded from now on."""
        self._jobs.start_job("bus", self._connection.keep_connected)
        self._jobs.start_job("bus letters", self._send_all)

    async def stop_bus(self) -> None:
        """End the connection."""
        await self._jobs.stop_jobs()
        self._reads.close()

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with it."""
        yield from self._connection.troubles()
        yield from job_troubles(self._jobs.faults, _WORDS)

    @contextlib.contextmanager
    def waking(self, wake: asyncio.Event) -> Iterator[None]:
        """Set an event whenever a letter arrives, inside the block."""
        self._awake.add(wake)
        try:
            yield
        finally:
            self._awake.discard(wake)

    async def _send_all(self) -> None:
        loop = asyncio.get_running_loop()

        def note(grown: Grown) -> None:
            loop.call_soon_threadsafe(self._note, grown)

        stop_noting = self._on_recorded(note)
        try:
            while True:
                await self._has_recorded.wait()
                self._has_recorded.clear()
                recorded, self._recorded = self._recorded, []
                for each in recorded:
                    with contextlib.suppress(StoreUnavailableError):  # polls will find it
                        await self._send(each)
        finally:
            stop_noting()

    def _note(self, grown: Grown) -> None:
        if self.is_connected:  # otherwise polls will find it
            self._recorded.append(grown)
            self._has_recorded.set()

    async def _send(self, grown: Grown) -> None:
        shard, first, last, known = grown
        if last - first >= MOST_SENT:
            await self._pass_on(ShardChanges(shard, last))
            return
        if known:
            await self._pass_on(ShardChanges(shard, known[-1].seq, list(known)))
            return
        seq = first - 1
        while seq < last:
            changes = await self._reads.run(
                lambda: self._read_log(seq, min(CHUNK, last - seq), shard)  # noqa: B023 - awaited
            )
            if not changes:
                return  # pruned
            seq = changes[-1].seq
            await self._pass_on(ShardChanges(shard, seq, list(changes)))

    async def _pass_on(self, news: ShardChanges) -> None:
        self._take(news)
        await self._connection.send_letter(self._letters.write_letter(news))

    def _receive(self, letter: bytes) -> bool:
        news = self._letters.read_letter(letter)
        if news is not None:
            self._take(news)
        return news is not None

    def _take(self, news: ShardChanges) -> None:
        self.inbox.add_changes(self._as_may_be_shared(news))
        for each in self._awake:
            each.set()

    def _as_may_be_shared(self, news: ShardChanges) -> ShardChanges:
        """Return it as far as this process may pass it on; without changes if the database
        decides."""
        if not any(change.is_left_out for change in news.changes) or self._share == ():
            return news
        if self._share is not None:
            return ShardChanges(news.shard, news.last)
        replace = msgspec.structs.replace
        changes = [replace(change, is_left_out=False) for change in news.changes]
        return ShardChanges(news.shard, news.last, changes)


CONNECT_S: Final = 2
RETRY_S: Final = 0.5
PING_S: Final = 1
"""How often a silent server is pinged (s); after two missing answers the connection ends."""
CLOSE_S: Final = 0.5
SEND_S: Final = 0.5
"""How long a server may leave our letters unread before the connection is reopened (s)."""
STRANGE_S: Final = 60.0
"""How long health reports a foreign message (s)."""
SCHEMES: Final = ("nats", "tls")

_REFUSALS: Final = (NatsError, OSError, TimeoutError)
_log = logging.getLogger(__name__)


class BusConnection:
    """One subject of a NATS server: incoming letters are handed on, ours are sent.

    Lost letters are not sent again. ``receive`` gets each message, on the loop of
    ``keep_connected``, and returns whether it was a letter.
    """

    def __init__(self, url: str, subject: str, receive: Callable[[bytes], bool]) -> None:
        """Read the URL; ``keep_connected`` connects to the server.

        Raises:
            StoreError: it is invalid.
        """
        self._url = url
        self.shown = shown_url(url)
        self._subject = subject
        self._receive = receive
        self._client: Client | None = None
        self._ended = asyncio.Event()
        self._is_loss_logged = False
        self._strange_at = float("-inf")

    @property
    def is_connected(self) -> bool:
        """Whether messages pass, as far as known."""
        return self._client is not None and self._client.is_connected

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with it."""
        if not self.is_connected:
            yield Trouble("the bus cannot be reached; streams read the database instead")
        if time.monotonic() - self._strange_at < STRANGE_S:
            yield Trouble("the bus carries messages from another program; they are ignored")

    async def send_letter(self, letter: bytes) -> None:
        """Send a message, if possible now; it may be lost."""
        if self._client is None or not self._client.is_connected:
            return
        try:
            async with asyncio.timeout(SEND_S):
                await self._client.publish(self._subject, letter)
        except _REFUSALS:
            self._ended.set()

    async def keep_connected(self) -> None:
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
        """Log a change of state; a server that stays away is logged once."""
        is_well = level == logging.INFO
        if is_well or not self._is_loss_logged:
            reason = "" if why is None else f" ({type(why).__name__})"
            _log.log(level, "the bus at %s %s%s", self.shown, what, reason)
        self._is_loss_logged = not is_well


async def _ignore(_: Exception) -> None:
    """Ignore the library's errors: a lost connection is noticed when it ends."""


def shown_url(url: str) -> str:
    """Return a URL without user and password, for logs.

    Raises:
        StoreError: it is not a NATS URL.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in SCHEMES or not host or parts.path not in ("", "/"):
        raise StoreError("--bus: expected nats://HOST:PORT")
    for secret in (parts.username, parts.password):
        if secret is not None:
            keep_secret(unquote(secret))
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}:{port or 4222}"
