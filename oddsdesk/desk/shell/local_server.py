"""The embedded server's administration for the desk: its futures on the desk's loop."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from oddsdesk.archive.looking_back import LookingBack
from oddsdesk.board.games import GameEntry
from oddsdesk.board.history import Point
from oddsdesk.board.history_source import HistoryError
from oddsdesk.board.matrix import CellKey
from oddsdesk.board.price_history import SelectionKey
from oddsdesk.board.readings import LoggedMove
from oddsdesk.contract.administration import (
    DatabaseState,
    FeedState,
    ImportOutcome,
    Key,
    LogMap,
    LogState,
)
from oddsdesk.contract.game_pairs import GamePair, PairState
from oddsdesk.contract.live_sources import Choices, LivePlan, LiveSource, read_feed_text
from oddsdesk.contract.plans import Plan
from oddsdesk.desk.connections.secrets import write_whole
from oddsdesk.desk.ui.background import in_background
from oddsdesk.desk.ui.local_server import LocalServerError, SourceKeyError
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.errors import KeyRefusedError, MissingKeyError
from oddsdesk.feeds.live.keys import keep_key
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.log_closes import closes_from_log
from oddsdesk.ledger.merging import take_in
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.network.secrets import keep_secret
from oddsdesk.places import default_ledger, settings_folder
from oddsdesk.pricing.closing import CloseBy, ClosingLine
from oddsdesk.server.administration import Administration
from oddsdesk.store.accounts import BadAccountError, OwnAccountError, UnknownAccountError
from oddsdesk.store.errors import PairError, StoreError
from oddsdesk.store.keys import KeyLimitError, UnknownKeyError
from oddsdesk.store.past_odds import ReaderPast
from oddsdesk.store.store import open_store
from oddsdesk.store.values import Change, HistoryPoint
from oddsdesk.system_keyring import Keyring, KeyringError

if TYPE_CHECKING:
    from oddsdesk.store.sqlite.restore import Restored

T = TypeVar("T")
_log = logging.getLogger(__name__)

STEP_BYTES = 8 << 20
"""Bytes between two reports of a restore's progress."""

_REFUSALS = (
    *(StoreError, PairError, FeedError, KeyLimitError, UnknownKeyError),
    *(BadAccountError, UnknownAccountError, OwnAccountError),
)


class LocalAdministration:
    """Runs calls on the server's thread; its errors come back as ``LocalServerError``."""

    def __init__(
        self,
        address: str,
        administration: Administration,
        own_key_id: int,
        database: Path,
        access: Path | None,
    ) -> None:
        self.address: str = address
        self.log: EmbeddedLog = EmbeddedLog(administration)
        self._server = administration
        self.own_key_id: int = own_key_id
        self._database = database
        self._access = access

    async def keep_days(self, days: int) -> None:
        """Keep price history for so many days from now on, 0 for ever."""
        await _answer(self._server.keep_log(days))

    async def adopt_keep_days(self, days: int) -> bool:
        """The same where the database says nothing; return whether that was so."""
        return await _answer(self._server.adopt_keep_days(days))

    async def database(self) -> DatabaseState:
        """Say where the odds are and how much room they take."""
        return await _answer(self._server.database())

    async def back_up(
        self, target: Path, *, keys: bool, bets: bool, progress: Callable[[float], None]
    ) -> int:
        """Copy the database while it is in use and return the backup's size in bytes."""
        from oddsdesk.store.sqlite.backup import Contents  # noqa: PLC0415 - few starts need it

        contents = Contents(keys, default_ledger() if bets else None, self._access)
        copying = self._server.back_up(target, contents, _on_this_thread(progress))
        return (await _answer(copying)).size

    async def restore(self, source: Path, progress: Callable[[int], None]) -> str:
        """Replace the database with a backup, once the server has ended, and say what was done."""
        return await restored(source, self._database, self._access, progress)

    async def feeds(self) -> list[FeedState]:
        """Return every feed."""
        return await _answer(self._server.feeds())

    async def add_feed(self, spec: str, speed: float) -> None:
        """Open a feed and run it until the server stops."""
        await _answer(self._server.add_feed(spec, speed))

    def prices_are_shown(self) -> None:
        """Let the server begin what waits for the window."""
        self._server.end_head_start()

    async def live_sources(self) -> list[LiveSource]:
        """Return the sources of live odds that one can choose from."""
        return await _answer(self._server.live_sources())

    async def choices(self, name: str, url: str, key: str, key_file: str = "") -> Choices:
        """Return what may be chosen from a source; spends nothing."""
        key = key or await self._key_in_file(name, key_file)
        return await _answer(self._server.choices(name, url or None, key))

    async def plan_feed(self, spec: str, key: str) -> LivePlan:
        """Return what a feed will do and cost; spends nothing."""
        written = read_feed_text(spec)
        key = key or await self._key_in_file(written.name, written.options.get("key-file", ""))
        return await _answer(self._server.plan_feed(spec, key))

    async def has_keyring(self) -> bool:
        """Say whether this machine has a keyring that keeps anything."""
        return await asyncio.wrap_future(in_background("keyring", Keyring().is_there))

    async def kept_key_file(self, name: str) -> Path | None:
        """Return the file in which the key of a source is kept; None where there is a keyring."""
        path = _key_file(name)
        return path if path.exists() and not await self.has_keyring() else None

    async def _key_in_file(self, name: str, key_file: str) -> str:
        path = _own_file(key_file) if key_file else await self.kept_key_file(name)
        try:
            return "" if path is None else path.read_text("utf-8", errors="replace").strip()
        except OSError as error:
            raise LocalServerError(f"{path}: cannot be read: {error.strerror}") from error

    async def keep_feed_key_in_file(self, name: str, key: str) -> Path:
        """Keep the key of a live feed's source in a file that only its owner may read."""
        path = _key_file(name)
        keep_secret(key)
        try:
            await asyncio.to_thread(write_whole, path, key.encode())
        except OSError as error:
            raise LocalServerError(f"{path}: cannot be written: {error.strerror}") from error
        return path

    async def keep_feed_key(self, name: str, key: str) -> None:
        """Keep the key of a live feed's source in the system's keyring."""
        try:
            await asyncio.wrap_future(in_background("keyring", lambda: keep_key(name, key)))
        except KeyringError as error:
            raise LocalServerError(f"the key is not kept: {error}") from error

    async def start_feed(self, number: int) -> None:
        """Run a feed that was stopped or has ended."""
        await _answer(self._server.start_feed(number))

    async def stop_feed(self, number: int) -> None:
        """End a feed."""
        await _answer(self._server.stop_feed(number))

    async def remove_feed(self, number: int) -> None:
        """Forget a feed that was stopped or has ended; what it recorded stays."""
        await _answer(self._server.remove_feed(number))

    async def import_files(
        self, format_name: str, places: Sequence[str], *, shift_to_now: bool
    ) -> ImportOutcome:
        """Convert other people's files and record them, once."""
        asked = self._server.import_files(format_name, places, shift_to_now=shift_to_now)
        return await _answer(asked)

    async def game_pairs(self) -> list[GamePair]:
        """Return the games that may be one, and what was decided of others (D69)."""
        return await _answer(self._server.game_pairs())

    async def decide_pairs(self, idents: Sequence[int], state: PairState) -> None:
        """Accept or refuse pairs, or take back what was decided: all of them, or none."""
        await _answer(self._server.decide_pairs(idents, state))

    async def keys(self) -> list[Key]:
        """Return every key, masked."""
        return await _answer(self._server.keys())

    async def create_key(self, account: str, plan: Plan | None, bookmaker: str | None) -> str:
        """Make a key and return it: the only time that it is known."""
        return (await _answer(self._server.create_key(account, plan, bookmaker))).secret

    async def rotate_key(self, key_id: int) -> str:
        """Give a key a new secret and return it; the old one ends at once."""
        return (await _answer(self._server.rotate_key(key_id))).secret

    async def revoke_key(self, key_id: int) -> None:
        """End a key for good."""
        await _answer(self._server.revoke_key(key_id))

    async def change_account(self, account: str, plan: Plan, bookmaker: str | None) -> str:
        """Change an account without touching its keys; return a warning, or an empty text."""
        return await _answer(self._server.change_account(account, plan, bookmaker))

    async def remove_account(self, account: str) -> None:
        """Delete an account, its keys and its counts."""
        await _answer(self._server.remove_account(account))


class EmbeddedLog:
    """The log of the same server, as ``history_source.PriceLog`` and ``past.PastLog``."""

    def __init__(self, administration: Administration) -> None:
        self._server = administration

    async def history(
        self, game_id: str, selection: SelectionKey, since_ms: int
    ) -> dict[str, list[Point]]:
        """Return how every bookmaker's price of a selection moved."""
        found: dict[str, list[Point]] = {}
        for point in await _answer_of_log(self._server.history(game_id, *selection, since_ms)):
            found.setdefault(point.bookmaker, []).append(Point(point.scraped_at, point.odds))
        return found

    async def reference_history(
        self, game_id: str, selections: Sequence[SelectionKey], since_ms: int
    ) -> dict[SelectionKey, list[Point]]:
        """Return how the reference's prices of some selections moved."""
        found = await _answer_of_log(self._server.reference_history(game_id, selections, since_ms))
        return {selection: list(_points(points)) for selection, points in found.items()}

    async def state(self, since_ms: int) -> LogState:
        """Say how far back the log reaches, and when it was not written."""
        return await _answer_of_log(self._server.log_state(since_ms))

    async def moves(
        self, since_ms: int, until_ms: int, limit: int, games: Collection[str]
    ) -> list[LoggedMove]:
        """Return what moved of any game after one moment and not after another, in order."""
        entries: dict[str, GameEntry] = {}
        changes = await _answer_of_log(self._server.moves(since_ms, until_ms, limit))
        return [_logged(change, entries) for change in changes]

    async def ends(self) -> tuple[int, int] | None:
        """Return the times of the first and the last price; None for an empty log."""
        return await _answer_of_log(self._server.log_ends())

    async def map(self, since_ms: int, until_ms: int, parts: int) -> LogMap:
        """Say what there is in a span, how much moved in each of its equal parts."""
        return await _answer_of_log(self._server.log_map(since_ms, until_ms, parts))

    async def next_move(self, at_ms: int, game_id: str | None, *, back: bool) -> int | None:
        """Return when a price moved next, or last before; of one game or of any."""
        return await _answer_of_log(self._server.next_move(at_ms, game_id, back=back))

    async def largest_move(self, game_id: str) -> int | None:
        """Return when a price of a game moved most."""
        return await _answer_of_log(self._server.largest_move(game_id))


async def closes_in(
    database: Path, bets: Sequence[PlacedBet], now_ms: int, by: CloseBy
) -> dict[int, ClosingLine]:
    """Return the closing lines of bets that the log of a database has, read on a thread.

    There are none where it cannot be read now: it is asked again.
    """

    def work() -> dict[int, ClosingLine]:
        opened = open_store(database, read_only=True, find_older=LookingBack())
        with contextlib.closing(opened) as store:
            past = ReaderPast(store.reader(), store.reference)
            return closes_from_log(past, bets, now_ms, by).found

    try:
        return await asyncio.wrap_future(in_background("closing lines", work))
    except StoreError as error:
        _log.warning("closing lines cannot be read from the log: %s", error)
        return {}


def _key_file(name: str) -> Path:
    return settings_folder() / "feed-keys" / f"{name}.key"


def _own_file(text: str) -> Path:
    return Path(text).expanduser()


async def _answer(future: Future[T]) -> T:
    try:
        return await asyncio.wrap_future(future)
    except KeyRefusedError as error:
        is_missing = isinstance(error, MissingKeyError)
        raise SourceKeyError(str(error), is_missing=is_missing) from error
    except _REFUSALS as error:
        raise LocalServerError(str(error)) from error


async def _answer_of_log(future: Future[T]) -> T:
    try:
        return await _answer(future)
    except LocalServerError as error:
        raise HistoryError(str(error)) from error


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
    """Ends a restore because the desk closes, or changes its connection."""


async def restored(
    source: Path, database: Path, access: Path | None, progress: Callable[[int], None]
) -> str:
    """Restore a backup on a thread and say what was done; cancelled, it is broken off first.

    Raises:
        LocalServerError: nothing was replaced; one line that says why.
    """
    tell_read = _on_this_thread(progress)
    broken_off = threading.Event()
    read = 0

    def tell(count: int) -> None:
        nonlocal read
        if broken_off.is_set():
            raise _BrokenOff
        before, read = read, read + count
        if read // STEP_BYTES != before // STEP_BYTES:
            tell_read(read)

    def work() -> "Restored":
        from oddsdesk.store.sqlite.restore import restore  # noqa: PLC0415 - few starts need it

        return restore(source, database, take_bets, access=access, force=True, progress=tell)

    def take_bets(ledger: Path) -> None:
        take_in(ledger, default_ledger())

    done = asyncio.wrap_future(in_background("restore", work))
    try:
        return _words(await asyncio.shield(done))
    except asyncio.CancelledError:
        broken_off.set()
        await asyncio.wait([done])
        done.exception()
        raise
    except (StoreError, LedgerError) as error:
        raise LocalServerError(str(error)) from error


def _on_this_thread(progress: Callable[[T], None]) -> Callable[[T], None]:
    loop = asyncio.get_running_loop()

    def tell(value: T) -> None:
        with contextlib.suppress(RuntimeError):  # the desk has ended, the work goes on
            loop.call_soon_threadsafe(progress, value)

    return tell


def _words(done: "Restored") -> str:
    kept = " and ".join(path.name for path in done.kept)
    beside = f" The former database is kept as {kept}." if kept else ""
    return f"{done.database.name} is restored{' with its keys' if done.keys else ''}.{beside}"
