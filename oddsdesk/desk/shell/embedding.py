"""The built-in server as a connection; the only module of the desk that knows the server."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from oddsdesk.archive.folder import LookingBack
from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.base.keyring import Keyring, KeyringError
from oddsdesk.base.places import default_database, default_ledger, settings_folder
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.tasks import in_background, in_daemon_thread, on_this_loop
from oddsdesk.base.texts import _, translated
from oddsdesk.board.history.price_history import Point, SelectionKey
from oddsdesk.board.history.sources import HistoryError
from oddsdesk.board.intake.quote_readings import LoggedMove
from oddsdesk.board.model.matrix import CellKey, GameEntry
from oddsdesk.client.client import Client
from oddsdesk.contract.administration import (
    Choices,
    LivePlan,
    LocalServerError,
    LogMap,
    LogState,
    read_feed_text,
)
from oddsdesk.contract.times import WINDOW_MS
from oddsdesk.desk.connections.manager import InUseError, ServiceSession, SessionError
from oddsdesk.desk.connections.profiles import EmbeddedProfile, RemoteProfile, guest_of, write_whole
from oddsdesk.desk.ui.local_server import LocalServer
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.keys import keep_key
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import merge_ledger
from oddsdesk.ledger.log_closes import closes_from_log
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.network.secrets import keep_secret
from oddsdesk.pricing.closing import BetPart, CloseBy, ClosingLine
from oddsdesk.server.edge.listener import ListenError
from oddsdesk.server.run.embedded import EmbeddedServer, guest_key
from oddsdesk.server.settings import Settings
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import DatabaseInUseError, owner_of
from oddsdesk.store.reader import Reader, ReaderPast
from oddsdesk.store.store import open_store
from oddsdesk.store.values import SILENT_MS, Change, HistoryPoint

if TYPE_CHECKING:
    from oddsdesk.store.sqlite.restore import Restored

SIMULATOR: Final = "simulator"
HEAD_START_S: Final = 3.0
"""The longest time that the server leaves the processor to the starting window."""
STEP_BYTES = 8 << 20
"""Bytes between progress reports of a restore."""
MOST_KICK_OFFS: Final = 500
"""The most kick-offs of a span, as a time line has no room for more."""

T = TypeVar("T")
_FAILURES = (StoreError, ListenError, FeedError, LocalServerError, TimeoutError)

_log = logging.getLogger(__name__)


def database_of(profile: EmbeddedProfile) -> Path:
    """Return the database of a profile's server."""
    database = Path(profile.database) if profile.database else default_database()
    return database.expanduser()


def settings_of(profile: EmbeddedProfile) -> Settings:
    """Return the settings of a profile's server."""
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


class DeskServer(EmbeddedServer):
    """The built-in server with the desk's additions: bets in backups, key files and its log."""

    def __init__(self, settings: Settings, clock: Clock = system_clock) -> None:
        super().__init__(settings, clock)
        self.log: EmbeddedLog = EmbeddedLog(self, clock)

    async def restore_backup(self, source: Path, progress: Callable[[int], None]) -> str:
        """Replace the database with a backup after the server has stopped; return what was done."""
        return await restored(source, self._file().absolute(), self._settings.access, progress)

    async def source_choices(self, name: str, url: str, key: str, key_file: str = "") -> Choices:
        key = key or await self._key_in_file(name, key_file)
        return await super().source_choices(name, url, key)

    async def plan_feed(self, spec: str, key: str) -> LivePlan:
        written = read_feed_text(spec)
        key = key or await self._key_in_file(written.name, written.options.get("key-file", ""))
        return await super().plan_feed(spec, key)

    async def has_keyring(self) -> bool:
        return await in_daemon_thread("keyring", Keyring().is_there)

    async def kept_key_file(self, name: str) -> Path | None:
        path = _key_file(name)
        return path if path.exists() and not await self.has_keyring() else None

    async def keep_feed_key_in_file(self, name: str, key: str) -> Path:
        path = _key_file(name)
        keep_secret(key)
        try:
            await asyncio.to_thread(write_whole, path, key.encode())
        except OSError as error:
            raise LocalServerError(
                _("{path}: cannot be written: {strerror}").format(
                    path=path, strerror=translated(error_text(error))
                )
            ) from error
        return path

    async def keep_feed_key(self, name: str, key: str) -> None:
        try:
            await in_daemon_thread("keyring", lambda: keep_key(name, key))
        except KeyringError as error:
            raise LocalServerError(
                _("the key could not be saved: {error}").format(error=error)
            ) from error

    async def _key_in_file(self, name: str, key_file: str) -> str:
        path = _own_file(key_file) if key_file else await self.kept_key_file(name)
        try:
            return "" if path is None else path.read_text("utf-8", errors="replace").strip()
        except OSError as error:
            raise LocalServerError(
                _("{path}: cannot be read: {strerror}").format(
                    path=path, strerror=translated(error_text(error))
                )
            ) from error


class EmbeddedLog:
    """The server's log, as a ``PriceLog`` and a ``PastLog``."""

    def __init__(self, server: DeskServer, clock: Clock) -> None:
        self._server = server
        self._clock = clock

    async def logged_history(
        self, game_id: str, selection: SelectionKey, since_ms: int
    ) -> dict[str, list[Point]]:
        found: dict[str, list[Point]] = {}
        for point in await self._read(lambda reader: reader.history(game_id, *selection, since_ms)):
            found.setdefault(point.bookmaker, []).append(Point(point.scraped_at, point.odds))
        return found

    async def reference_history(
        self, game_id: str, selections: Sequence[SelectionKey], since_ms: int
    ) -> dict[SelectionKey, list[Point]]:
        found = await self._read(
            lambda reader: reader.reference_history(game_id, selections, since_ms)
        )
        return {selection: list(_points(points)) for selection, points in found.items()}

    async def log_state(self, since_ms: int) -> LogState:
        return await self._read(
            lambda reader: LogState(
                reader.log_began(), self._silences(reader, since_ms), reader.lacks()
            )
        )

    async def moves_between(
        self, since_ms: int, until_ms: int, limit: int, games: Collection[str]
    ) -> list[LoggedMove]:
        """Return the moves of all games between two moments, in order."""
        entries: dict[str, GameEntry] = {}
        changes = await self._read(lambda reader: reader.changes_between(since_ms, until_ms, limit))
        return [_logged(change, entries) for change in changes]

    async def ends(self) -> tuple[int, int] | None:
        return await self._read(lambda reader: reader.log_ends())

    async def map(self, since_ms: int, until_ms: int, parts: int) -> LogMap:
        return await self._read(
            lambda reader: LogMap(
                since_ms,
                until_ms,
                reader.move_counts(since_ms, until_ms, parts),
                reader.kick_offs(since_ms, until_ms, MOST_KICK_OFFS),
                [each for each in self._silences(reader, since_ms) if each[0] < until_ms],
            )
        )

    async def move_after(self, at_ms: int, game_id: str | None, *, back: bool) -> int | None:
        return await self._read(lambda reader: reader.next_move(at_ms, game_id, back=back))

    async def largest_price_move(self, game_id: str) -> int | None:
        return await self._read(lambda reader: reader.largest_move(game_id))

    async def _read(self, question: Callable[[Reader], T]) -> T:
        try:
            return await self._server.read(question)
        except LocalServerError as error:
            raise HistoryError(str(error)) from error

    def _silences(self, reader: Reader, since_ms: int) -> list[tuple[int, int]]:
        return reader.silences(since_ms, self._clock(), SILENT_MS)


class EmbeddedSession:
    """A session of the built-in server, which runs on a thread."""

    def __init__(self, profile: EmbeddedProfile, clock: Clock) -> None:
        self.profile: EmbeddedProfile = profile
        self.local: DeskServer | None = None
        self._settings = settings_of(profile)
        self.database = database_of(profile).absolute()
        self._clock = clock
        self._server: DeskServer | None = None
        self._starting: Future[DeskServer] | None = None
        self._client: Client | None = None
        self._lock = threading.Lock()
        self._ended = False

    def begin_session(self) -> None:
        """Start at once, before there is an event loop."""
        if self._starting is None:
            self._starting = in_background("server start", self._start)

    async def start_session(self) -> Client:
        """Wait until the server answers.

        Raises:
            SessionError: Its files, feeds or port cannot be used.
        """
        self.begin_session()
        assert self._starting is not None
        try:
            server = self.local = await asyncio.wrap_future(self._starting)
        except DatabaseInUseError as error:
            if error.owner is None or not error.owner.url:
                raise SessionError(str(error)) from error
            raise InUseError(str(error), guest_of(self.profile)) from error
        except _FAILURES as error:
            raise SessionError(str(error)) from error
        self._client = Client(server.url, server.key)
        return self._client

    async def stop_session(self) -> None:
        """Close the connections and stop the server within 2 s."""
        if self._client is not None:
            await self._client.close()
        await in_daemon_thread("server stop", self.stop_now)

    def stop_now(self) -> None:
        """Stop the server and wait for it, blocking."""
        with self._lock:
            self._ended = True
            server = self._server
        if server is not None and not server.stop_server():
            _log.warning("the built-in server did not stop in time")

    def excludes(self, other: ServiceSession) -> bool:
        """Return whether both are servers on the same database, which would end each other's
        key."""
        return isinstance(other, EmbeddedSession) and other.database == self.database

    def _start(self) -> DeskServer:
        with self._lock:
            if self._ended:
                raise TimeoutError("the built-in server was stopped before it was ready")
            server = self._server = DeskServer(self._settings, self._clock)
        server.start_server()
        if not self._settings.feeds:
            _simulate_until_real(server, self._settings.speed, self._clock())
        return server


def _simulate_until_real(server: DeskServer, speed: float, now_ms: int) -> None:
    """Run the simulator until the database holds real odds, so that the two do not mix.

    If there are prices to show, it starts after these.
    """
    run = server.calls.run_on_loop
    state = run(server.database()).result()
    if state.holds_real_odds or state.is_read_only:
        return
    if state.last_scraped_at is not None and now_ms - state.last_scraped_at < WINDOW_MS:
        run(server.add_simulation(SIMULATOR, speed)).add_done_callback(_log_failure)
    else:
        run(server.add_feed(SIMULATOR, speed)).result()


def _log_failure(simulation: Future[None]) -> None:
    """Log why the simulation failed; being cancelled with the server is no failure."""
    if not simulation.cancelled() and (error := simulation.exception()) is not None:
        _log.warning("simulated odds: %s", error)


class GuestSession:
    """A session with another process's server, which continues when the session ends."""

    def __init__(self, profile: EmbeddedProfile, clock: Clock) -> None:
        self.profile: EmbeddedProfile = profile
        self.local: LocalServer | None = None
        self.database = database_of(profile).absolute()
        self._clock = clock
        self._key = ExitStack()
        self._client: Client | None = None

    async def start_session(self) -> Client:
        """Make a key for this session and connect.

        Raises:
            SessionError: The server has stopped, or no key can be made.
        """
        try:
            url, key = await in_daemon_thread("guest key", self._enter, self._give_up)
        except StoreError as error:
            raise SessionError(str(error)) from error
        self._client = Client(url, key, keeps_quota=True)
        return self._client

    async def stop_session(self) -> None:
        """Close the connections and revoke the key."""
        if self._client is not None:
            await self._client.close()
        await in_daemon_thread("guest key", self._key.close)

    def excludes(self, other: ServiceSession) -> bool:
        """Return False: a guest conflicts with no session."""
        return False

    def _give_up(self, _entered: tuple[str, str]) -> None:
        """Revoke the key of a cancelled start."""
        self._key.close()

    def _enter(self) -> tuple[str, str]:
        owner = owner_of(self.database)
        if owner is None or not owner.url:
            raise StoreError("the other server has stopped; connect to the built-in server again")
        keys_path = Path(owner.access) if owner.access else None
        return owner.url, self._key.enter_context(guest_key(self.database, self._clock, keys_path))


def service_of(session: ServiceSession) -> str:
    """Return an identifier of a connection's service that does not change with its name."""
    if (database := database_here(session)) is not None:
        return str(database)
    profile = session.profile
    return profile.ident if isinstance(profile, RemoteProfile) and profile.ident else profile.name


def database_here(session: ServiceSession | None) -> Path | None:
    """Return the database of a connection if its log can be read, else None.

    Reading needs no lock, so a guest can read while another process serves the database.
    """
    return session.database if isinstance(session, EmbeddedSession | GuestSession) else None


async def closes_in(
    database: Path, bets: Sequence[PlacedBet], now_ms: int, by: CloseBy
) -> dict[BetPart, ClosingLine]:
    """Return the closing lines of bets from a database's log, read on a thread.

    Returns none if it cannot be read now; the caller tries again later.
    """

    def read_closes() -> dict[BetPart, ClosingLine]:
        opened = open_store(database, read_only=True, find_older=LookingBack())
        with contextlib.closing(opened) as store:
            past = ReaderPast(store.reader(), store.reference)
            return closes_from_log(past, bets, now_ms, by).found

    try:
        return await in_daemon_thread("closing lines", read_closes)
    except StoreError as error:
        _log.warning("cannot read closing lines from the log: %s", error)
        return {}


def _own_file(text: str) -> Path:
    return Path(text).expanduser()


def _key_file(name: str) -> Path:
    return settings_folder() / "feed-keys" / f"{name}.key"


def _logged(change: Change, games: dict[str, GameEntry]) -> LoggedMove:
    game = games.get(change.game_id)
    if game is None:
        named = (change.game_id, change.match_name, change.competition, change.sport)
        game = games[change.game_id] = GameEntry(*named, None, False, 0, None)
    key = CellKey(change.market_type, change.period, change.selection, change.bookmaker)
    at, is_live = change.scraped_at, change.is_live
    return LoggedMove(game, key, change.odds, at, is_live, change.liquidity)


def _points(points: Iterable[HistoryPoint]) -> Iterable[Point]:
    return (Point(point.scraped_at, point.odds) for point in points)


class _BrokenOff(Exception):  # noqa: N818 - no error: nobody waits for it any more
    """Stops a restore because the desk closes or changes its connection."""


async def restored(
    source: Path, database: Path, access: Path | None, progress: Callable[[int], None]
) -> str:
    """Restore a backup on a thread and return what was done; stops when cancelled.

    Raises:
        LocalServerError: Nothing was replaced; one line with the reason.
    """
    tell_read = on_this_loop(progress)
    broken_off = threading.Event()
    read = 0

    def tell_progress(count: int) -> None:
        nonlocal read
        if broken_off.is_set():
            raise _BrokenOff
        before, read = read, read + count
        if read // STEP_BYTES != before // STEP_BYTES:
            tell_read(read)

    def restore_backup() -> "Restored":
        from oddsdesk.store.sqlite.restore import restore_database  # noqa: PLC0415 - few starts need it

        return restore_database(
            source, database, take_bets, access=access, force=True, progress=tell_progress
        )

    def take_bets(ledger: Path) -> None:
        merge_ledger(ledger, default_ledger())

    done = asyncio.wrap_future(in_background("restore", restore_backup))
    try:
        return _words(await asyncio.shield(done))
    except asyncio.CancelledError:
        broken_off.set()
        await asyncio.wait([done])
        done.exception()
        raise
    except (StoreError, LedgerError) as error:
        raise LocalServerError(str(error)) from error


def _words(done: "Restored") -> str:
    kept = _(" and ").join(path.name for path in done.kept)
    kept_text = _(" The old database is kept as {kept}.").format(kept=kept) if kept else ""
    name = done.database.name
    said = _("{name} restored with its keys.") if done.keys else _("{name} restored.")
    return said.format(name=name) + kept_text
