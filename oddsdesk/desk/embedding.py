"""The embedded server as a connection: the part of the composition root that knows the server."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from oddsdesk.client.client import Client
from oddsdesk.clock import Clock
from oddsdesk.contract.plans import Plan
from oddsdesk.desk.background import in_background
from oddsdesk.desk.embedded_log import EmbeddedLog
from oddsdesk.desk.history_source import PriceLog
from oddsdesk.desk.local_server import (
    LocalDatabase,
    LocalFeed,
    LocalImport,
    LocalKey,
    LocalServerError,
)
from oddsdesk.desk.profiles import GUEST_NAME, EmbeddedProfile
from oddsdesk.desk.restoring import restored
from oddsdesk.desk.sessions import InUseError, Session, SessionError
from oddsdesk.feeds.errors import FeedError
from oddsdesk.places import default_database, default_ledger
from oddsdesk.server.administration import Administration
from oddsdesk.server.listener import ListenError
from oddsdesk.server.settings import Settings
from oddsdesk.server.thread import EmbeddedServer
from oddsdesk.store.accounts import BadAccountError
from oddsdesk.store.backup import Contents
from oddsdesk.store.errors import StoreError
from oddsdesk.store.keys import Key, KeyLimitError, UnknownKeyError
from oddsdesk.store.lock import DatabaseInUseError

T = TypeVar("T")

SIMULATOR: Final = "simulator"

_REFUSALS = (StoreError, FeedError, KeyLimitError, UnknownKeyError, BadAccountError)
_FAILURES = (StoreError, ListenError, FeedError, TimeoutError)

_log = logging.getLogger(__name__)


def settings_of(profile: EmbeddedProfile) -> Settings:
    """Return what the server of a profile is started with."""
    database = Path(profile.database) if profile.database else default_database()
    return Settings(
        database.expanduser(),
        port=0,
        reference=profile.reference,
        devig_method=profile.devig_method,
        feeds=profile.feeds,
        speed=profile.speed,
        access=Path(profile.access) if profile.access else None,
        lasting_keys=False,
    )


class EmbeddedSession:
    """A server of one's own, on a thread of its own."""

    def __init__(self, profile: EmbeddedProfile, clock: Clock) -> None:
        self.profile: EmbeddedProfile = profile
        self.local: EmbeddedAdministration | None = None
        self._settings = settings_of(profile)
        self.database = self._settings.database.absolute()
        self._clock = clock
        self._server: EmbeddedServer | None = None
        self._starting: Future[EmbeddedServer] | None = None
        self._client: Client | None = None
        self._lock = threading.Lock()
        self._ended = False

    def begin(self) -> None:
        """Start at once, before there is a loop to wait on."""
        if self._starting is None:
            self._starting = in_background("server start", self._start)

    async def start(self) -> Client:
        """Wait until it answers.

        Raises:
            SessionError: its files, feeds or port cannot be used.
        """
        self.begin()
        assert self._starting is not None
        try:
            server = await asyncio.wrap_future(self._starting)
        except DatabaseInUseError as error:
            if error.owner is None or not error.owner.url:
                raise SessionError(str(error)) from error
            guest = msgspec.structs.replace(self.profile, name=GUEST_NAME, guest=True)
            raise InUseError(str(error), guest) from error
        except _FAILURES as error:
            raise SessionError(str(error)) from error
        assert server.administration is not None
        self.local = EmbeddedAdministration(
            server.url, server.administration, server.key_id, self.database, self._settings.access
        )
        self._client = Client(server.url, server.key)
        return self._client

    async def stop(self) -> None:
        """Close the connections and end the server within 2 s."""
        if self._client is not None:
            await self._client.close()
        await asyncio.wrap_future(in_background("server stop", self.stop_now))

    def stop_now(self) -> None:
        """End the server and wait for it, where there is no loop to wait on."""
        with self._lock:
            self._ended = True
            server = self._server
        if server is not None and not server.stop():
            _log.warning("the embedded server did not stop in time")

    def excludes(self, other: Session) -> bool:
        """Two servers on one file would end each other's key."""
        return isinstance(other, EmbeddedSession) and other.database == self.database

    def _start(self) -> EmbeddedServer:
        with self._lock:
            if self._ended:
                raise TimeoutError("the embedded server was stopped before it answered")
            server = self._server = EmbeddedServer(self._settings, self._clock)
        server.start()
        if not self._settings.feeds:
            _simulate_until_real(server, self._settings.speed)
        return server


class EmbeddedAdministration:
    """Hands what is asked to the server's thread, and its refusals back in one line."""

    def __init__(
        self,
        address: str,
        administration: Administration,
        own_key_id: int,
        database: Path,
        access: Path | None,
    ) -> None:
        self.address: str = address
        self.log: PriceLog = EmbeddedLog(administration)
        self._server = administration
        self._own_key_id = own_key_id
        self._database = database
        self._access = access

    async def keep_days(self, days: int) -> None:
        """Keep price history for so many days from now on, 0 for ever."""
        await _answer(self._server.keep_log(days))

    async def adopt_keep_days(self, days: int) -> bool:
        """The same where the database says nothing; return whether that was so."""
        return await _answer(self._server.adopt_keep_days(days))

    async def database(self) -> LocalDatabase:
        """Say where the odds are and how much room they take."""
        state = await _answer(self._server.database())
        return LocalDatabase(
            state.path, state.size, state.reference, state.last_scraped_at, state.keep_days
        )

    async def back_up(
        self, target: Path, *, keys: bool, bets: bool, told: Callable[[float], None]
    ) -> int:
        """Copy the database while it is in use and return the backup's size in bytes."""
        contents = Contents(keys, default_ledger() if bets else None, self._access)
        loop = asyncio.get_running_loop()

        def tell(share: float) -> None:
            with contextlib.suppress(RuntimeError):  # the desk has ended, the copy goes on
                loop.call_soon_threadsafe(told, share)

        return (await _answer(self._server.back_up(target, contents, tell))).size

    async def restore(self, source: Path, told: Callable[[int], None]) -> str:
        """Replace the database with a backup, once the server has ended, and say what was done."""
        return await restored(source, self._database, self._access, told)

    async def feeds(self) -> list[LocalFeed]:
        """Return every feed."""
        return [
            LocalFeed(
                feed.number,
                feed.spec,
                feed.name,
                feed.speed,
                feed.simulated,
                feed.is_running,
                feed.problem,
                feed.recorded_at,
            )
            for feed in await _answer(self._server.feeds())
        ]

    async def add_feed(self, spec: str, speed: float) -> None:
        """Open a feed and run it until the server stops."""
        await _answer(self._server.add_feed(spec, speed))

    async def start_feed(self, number: int) -> None:
        """Run a feed that was stopped or has ended."""
        await _answer(self._server.start_feed(number))

    async def stop_feed(self, number: int) -> None:
        """End a feed."""
        await _answer(self._server.stop_feed(number))

    async def import_files(
        self, format_name: str, places: Sequence[str], *, shift_to_now: bool
    ) -> LocalImport:
        """Convert other people's files and record them, once."""
        asked = self._server.import_files(format_name, places, shift_to_now=shift_to_now)
        done = await _answer(asked)
        return LocalImport(
            done.kept,
            done.skipped,
            done.problems,
            done.changes,
            done.inferred_times,
            done.notes,
            done.newest_ms,
            done.is_past,
        )

    async def keys(self) -> list[LocalKey]:
        """Return every key, masked."""
        return [_local_key(key, self._own_key_id) for key in await _answer(self._server.keys())]

    async def create_key(self, account: str, plan: Plan, bookmaker: str | None) -> str:
        """Make a key and return it: the only time that it is known."""
        return (await _answer(self._server.create_key(account, plan, bookmaker))).secret

    async def rotate_key(self, key_id: int) -> str:
        """Give a key a new secret and return it; the old one ends at once."""
        return (await _answer(self._server.rotate_key(key_id))).secret

    async def revoke_key(self, key_id: int) -> None:
        """End a key for good."""
        await _answer(self._server.revoke_key(key_id))


async def _answer(future: Future[T]) -> T:
    waiting: Awaitable[T] = asyncio.wrap_future(future)
    try:
        return await waiting
    except _REFUSALS as error:
        raise LocalServerError(str(error)) from error


def _local_key(key: Key, own_key_id: int) -> LocalKey:
    return LocalKey(
        key.key_id,
        key.masked,
        key.account,
        key.plan,
        key.bookmaker,
        key.created_at,
        key.revoked,
        is_own=key.key_id == own_key_id,
    )


def _simulate_until_real(server: EmbeddedServer, speed: float) -> None:
    """Simulated odds until the database holds real ones: the two must not mix unasked."""
    administration = server.administration
    assert administration is not None
    state = administration.database().result()
    if not (state.holds_real_odds or state.is_read_only):
        administration.add_feed(SIMULATOR, speed).result()
