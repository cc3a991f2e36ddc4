"""The embedded server as a connection: the part of the composition root that knows the server."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from oddsdesk.board.history import Point
from oddsdesk.board.history_source import HistoryError, LogState, PriceLog
from oddsdesk.board.price_history import SelectionKey
from oddsdesk.client.client import Client
from oddsdesk.clock import Clock
from oddsdesk.contract.plans import Plan
from oddsdesk.desk.connections.profiles import GUEST_NAME, EmbeddedProfile
from oddsdesk.desk.connections.sessions import InUseError, Session, SessionError
from oddsdesk.desk.shell.restoring import restored
from oddsdesk.desk.ui.background import in_background
from oddsdesk.desk.ui.local_server import (
    LocalDatabase,
    LocalFeed,
    LocalImport,
    LocalKey,
    LocalServer,
    LocalServerError,
)
from oddsdesk.feeds.errors import FeedError
from oddsdesk.places import default_database, default_ledger
from oddsdesk.server.administration import Administration
from oddsdesk.server.guest import guest_key
from oddsdesk.server.listener import ListenError
from oddsdesk.server.settings import Settings
from oddsdesk.server.thread import EmbeddedServer
from oddsdesk.store.accounts import BadAccountError
from oddsdesk.store.backup import Contents
from oddsdesk.store.errors import StoreError
from oddsdesk.store.keys import Key, KeyLimitError, UnknownKeyError
from oddsdesk.store.lock import DatabaseInUseError, owner_of
from oddsdesk.store.values import HistoryPoint

T = TypeVar("T")


class EmbeddedLog:
    """Asks the server that was started beside the desk."""

    def __init__(self, administration: Administration) -> None:
        self._server = administration

    async def history(
        self, game_id: str, line: SelectionKey, since_ms: int
    ) -> dict[str, list[Point]]:
        """Return how every bookmaker's price of a selection moved."""
        found: dict[str, list[Point]] = {}
        for point in await _answer(self._server.history(game_id, *line, since_ms)):
            found.setdefault(point.bookmaker, []).append(Point(point.scraped_at, point.odds))
        return found

    async def reference_history(
        self, game_id: str, lines: Sequence[SelectionKey], since_ms: int
    ) -> dict[SelectionKey, list[Point]]:
        """Return how the reference's prices of some selections moved."""
        told = await _answer(self._server.reference_history(game_id, lines, since_ms))
        return {line: list(_points(points)) for line, points in told.items()}

    async def state(self, since_ms: int) -> LogState:
        """Say how far back the log reaches, and when it was not written."""
        state = await _answer(self._server.log_state(since_ms))
        return LogState(state.began, state.silences)


async def _answer(future: Future[T]) -> T:
    try:
        return await asyncio.wrap_future(future)
    except StoreError as error:
        raise HistoryError(str(error)) from error


def _points(points: Iterable[HistoryPoint]) -> Iterable[Point]:
    return (Point(point.scraped_at, point.odds) for point in points)


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
        await _embedding_answer(self._server.keep_log(days))

    async def adopt_keep_days(self, days: int) -> bool:
        """The same where the database says nothing; return whether that was so."""
        return await _embedding_answer(self._server.adopt_keep_days(days))

    async def database(self) -> LocalDatabase:
        """Say where the odds are and how much room they take."""
        state = await _embedding_answer(self._server.database())
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

        return (await _embedding_answer(self._server.back_up(target, contents, tell))).size

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
            for feed in await _embedding_answer(self._server.feeds())
        ]

    async def add_feed(self, spec: str, speed: float) -> None:
        """Open a feed and run it until the server stops."""
        await _embedding_answer(self._server.add_feed(spec, speed))

    async def start_feed(self, number: int) -> None:
        """Run a feed that was stopped or has ended."""
        await _embedding_answer(self._server.start_feed(number))

    async def stop_feed(self, number: int) -> None:
        """End a feed."""
        await _embedding_answer(self._server.stop_feed(number))

    async def import_files(
        self, format_name: str, places: Sequence[str], *, shift_to_now: bool
    ) -> LocalImport:
        """Convert other people's files and record them, once."""
        asked = self._server.import_files(format_name, places, shift_to_now=shift_to_now)
        done = await _embedding_answer(asked)
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
        return [
            _local_key(key, self._own_key_id)
            for key in await _embedding_answer(self._server.keys())
        ]

    async def create_key(self, account: str, plan: Plan, bookmaker: str | None) -> str:
        """Make a key and return it: the only time that it is known."""
        return (await _embedding_answer(self._server.create_key(account, plan, bookmaker))).secret

    async def rotate_key(self, key_id: int) -> str:
        """Give a key a new secret and return it; the old one ends at once."""
        return (await _embedding_answer(self._server.rotate_key(key_id))).secret

    async def revoke_key(self, key_id: int) -> None:
        """End a key for good."""
        await _embedding_answer(self._server.revoke_key(key_id))


async def _embedding_answer(future: Future[T]) -> T:
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


class GuestSession:
    """A server that somebody else started; it goes on when this session ends."""

    def __init__(self, profile: EmbeddedProfile, clock: Clock) -> None:
        self.profile: EmbeddedProfile = profile
        self.local: LocalServer | None = None
        self._database = settings_of(profile).database
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
        self._client = Client(url, key)
        return self._client

    async def stop(self) -> None:
        """Close the connections and end the key."""
        if self._client is not None:
            await self._client.close()
        await asyncio.wrap_future(in_background("guest key", self._key.close))

    def excludes(self, other: Session) -> bool:
        """A guest is in nobody's way."""
        return False

    def _enter(self) -> tuple[str, str]:
        owner = owner_of(self._database)
        if owner is None or not owner.url:
            raise StoreError("the other server has ended; connect to the embedded server again")
        keys_path = Path(owner.access) if owner.access else None
        return owner.url, self._key.enter_context(guest_key(self._database, self._clock, keys_path))
