"""The embedded server as a connection; with ``local_server`` alone in knowing the server."""

import asyncio
import logging
import threading
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from oddsdesk.client.client import Client
from oddsdesk.clock import Clock
from oddsdesk.contract.times import WINDOW_MS
from oddsdesk.desk.connections.profiles import EmbeddedProfile, RemoteProfile, guest_of
from oddsdesk.desk.connections.sessions import InUseError, ServiceSession, SessionError
from oddsdesk.desk.shell.local_server import LocalAdministration
from oddsdesk.desk.ui.background import in_background
from oddsdesk.desk.ui.local_server import LocalServer
from oddsdesk.feeds.errors import FeedError
from oddsdesk.places import default_database
from oddsdesk.server.guest import guest_key
from oddsdesk.server.listener import ListenError
from oddsdesk.server.settings import Settings
from oddsdesk.server.thread import EmbeddedServer
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import DatabaseInUseError, owner_of

SIMULATOR: Final = "simulator"
HEAD_START_S: Final = 3.0
"""So long at most the server leaves the processor to the window that starts."""

_FAILURES = (StoreError, ListenError, FeedError, TimeoutError)

_log = logging.getLogger(__name__)


def database_of(profile: EmbeddedProfile) -> Path:
    """Return the file that the server of a profile serves."""
    database = Path(profile.database) if profile.database else default_database()
    return database.expanduser()


def settings_of(profile: EmbeddedProfile) -> Settings:
    """Return what the server of a profile is started with."""
    return Settings(
        database_of(profile),
        port=0,
        reference=profile.reference,
        devig_method=profile.devig_method,
        feeds=profile.feeds,
        speed=profile.speed,
        access=Path(profile.access) if profile.access else None,
        lasting_keys=False,
        head_start_s=HEAD_START_S,
    )


class EmbeddedSession:
    """A server of one's own, on a thread of its own."""

    def __init__(self, profile: EmbeddedProfile, clock: Clock) -> None:
        self.profile: EmbeddedProfile = profile
        self.local: LocalAdministration | None = None
        self._settings = settings_of(profile)
        self.database = database_of(profile).absolute()
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
            raise InUseError(str(error), guest_of(self.profile)) from error
        except _FAILURES as error:
            raise SessionError(str(error)) from error
        assert server.administration is not None
        self.local = LocalAdministration(
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

    def excludes(self, other: ServiceSession) -> bool:
        """Return whether both are servers on one database: they would end each other's key."""
        return isinstance(other, EmbeddedSession) and other.database == self.database

    def _start(self) -> EmbeddedServer:
        with self._lock:
            if self._ended:
                raise TimeoutError("the embedded server was stopped before it answered")
            server = self._server = EmbeddedServer(self._settings, self._clock)
        server.start()
        if not self._settings.feeds:
            _simulate_until_real(server, self._settings.speed, self._clock())
        return server


def _simulate_until_real(server: EmbeddedServer, speed: float, now_ms: int) -> None:
    """Run the simulator until the database holds real odds: the two must not mix unasked.

    Where there are prices to show it begins once these are.
    """
    administration = server.administration
    assert administration is not None
    state = administration.database().result()
    if state.holds_real_odds or state.is_read_only:
        return
    if state.last_scraped_at is not None and now_ms - state.last_scraped_at < WINDOW_MS:
        administration.add_simulation(SIMULATOR, speed)
    else:
        administration.add_feed(SIMULATOR, speed).result()


class GuestSession:
    """A server that somebody else started; it goes on when this session ends."""

    def __init__(self, profile: EmbeddedProfile, clock: Clock) -> None:
        self.profile: EmbeddedProfile = profile
        self.local: LocalServer | None = None
        self.database = database_of(profile).absolute()
        self._clock = clock
        self._key = ExitStack()
        self._client: Client | None = None

    async def start(self) -> Client:
        """Make a key for this session and connect.

        Raises:
            SessionError: the server has ended, or no key can be made for it.
        """
        try:
            url, key = await asyncio.wrap_future(in_background("guest key", self._enter))
        except StoreError as error:
            raise SessionError(str(error)) from error
        self._client = Client(url, key, keeps_quota=True)
        return self._client

    async def stop(self) -> None:
        """Close the connections and end the key."""
        if self._client is not None:
            await self._client.close()
        await asyncio.wrap_future(in_background("guest key", self._key.close))

    def excludes(self, other: ServiceSession) -> bool:
        """Return False: a guest can be connected beside anything."""
        return False

    def _enter(self) -> tuple[str, str]:
        owner = owner_of(self.database)
        if owner is None or not owner.url:
            raise StoreError("the other server has ended; connect to the embedded server again")
        keys_path = Path(owner.access) if owner.access else None
        return owner.url, self._key.enter_context(guest_key(self.database, self._clock, keys_path))


def service_of(session: ServiceSession) -> str:
    """Return what tells a connection's service from others, whatever its name becomes."""
    if (database := database_here(session)) is not None:
        return str(database)
    profile = session.profile
    return profile.ident if isinstance(profile, RemoteProfile) and profile.ident else profile.name


def database_here(session: ServiceSession | None) -> Path | None:
    """Return the database of a connection where its log can be read, whichever process serves it.

    Readers need no lock, so a guest reads beside the server.
    """
    return session.database if isinstance(session, EmbeddedSession | GuestSession) else None
