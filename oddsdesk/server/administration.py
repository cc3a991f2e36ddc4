"""What the owner of an embedded server may do with it, from any thread."""

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from oddsdesk.clock import Clock
from oddsdesk.contract.administration import (
    AccountState,
    DatabaseState,
    FeedState,
    ImportOutcome,
    Key,
    LogMap,
    LogState,
)
from oddsdesk.contract.game_pairs import GamePair, PairState
from oddsdesk.contract.live_sources import Choices, LivePlan, LiveSource
from oddsdesk.contract.plans import Plan
from oddsdesk.server.loop_calls import LoopCalls
from oddsdesk.server.runner import Server
from oddsdesk.store.bookmaker_names import unknown_bookmaker, usual_spelling
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.keys import NewKey
from oddsdesk.store.reader import Reader
from oddsdesk.store.settings import KEEP_ALL
from oddsdesk.store.values import SILENT_MS, Change, HistoryPoint

if TYPE_CHECKING:
    from oddsdesk.feeds.live.guides import Guides
    from oddsdesk.store.sqlite.backup import BackedUp, Contents

T = TypeVar("T")
MOST_KICK_OFFS: Final = 500
"""Of a span at most; a time line has no room for more."""
_log = logging.getLogger(__name__)


class Administration:
    """Each answer is a future, since the work is done on the server's thread.

    A future fails with the error of the store or feed, each one clear line.
    """

    def __init__(self, server: Server, loop: asyncio.AbstractEventLoop, clock: Clock) -> None:
        self._server = server
        self._questions = LoopCalls(loop)
        self._ask = self._questions.ask
        self._clock = clock
        self._has_ended = threading.Event()
        self._guides: Guides | None = None

    async def end(self) -> None:
        """Answer what was asked and refuse later calls; on the loop, before the server ends."""
        self._has_ended.set()
        await self._questions.end()
        if self._guides is not None:
            await self._guides.close()

    def database(self) -> Future[DatabaseState]:
        """Return where the database is and how large it is."""
        return self._ask(asyncio.to_thread(self._database))

    def keep_log(self, days: int) -> Future[None]:
        """Write into the database for how many days its log is kept, 0 for ever (D76)."""
        return self._ask(asyncio.to_thread(lambda: self._server.store.keep_log(days).result()))

    def adopt_keep_days(self, days: int) -> Future[bool]:
        """Do the same unless it was set before; the result is whether it was done."""
        keep = self._server.store.adopt_keep_days
        return self._ask(asyncio.to_thread(lambda: keep(days).result()))

    def back_up(
        self, target: Path, contents: "Contents", progress: Callable[[float], None]
    ) -> "Future[BackedUp]":
        """Copy the database in use; ``progress`` gets the share done, 0 to 1, on some thread."""
        return self._ask(asyncio.to_thread(self._back_up, target, contents, progress))

    def history(
        self, game_id: str, market_type: str, period: int, selection: str, since_ms: int
    ) -> Future[list[HistoryPoint]]:
        """Return how all bookmakers' prices of a selection moved."""
        asked = (game_id, market_type, period, selection, since_ms)
        return self._ask(asyncio.to_thread(lambda: self._server.store.reader().history(*asked)))

    def reference_history(
        self, game_id: str, selections: Sequence[tuple[str, int, str]], since_ms: int
    ) -> Future[dict[tuple[str, int, str], list[HistoryPoint]]]:
        """Return how the reference's prices moved, by (market type, period, selection)."""
        asked = (game_id, selections, since_ms)
        reader = self._server.store.reader
        return self._ask(asyncio.to_thread(lambda: reader().reference_history(*asked)))

    def log_state(self, since_ms: int) -> Future[LogState]:
        """Return how far back the log of price changes reaches, and when it was not written."""
        return self._ask(asyncio.to_thread(self._log_state, since_ms))

    def moves(self, since_ms: int, until_ms: int, limit: int) -> Future[list[Change]]:
        """Return what moved after one moment and not after another, at most so much, in order."""
        return self._past(lambda reader: reader.changes_between(since_ms, until_ms, limit))

    def log_ends(self) -> Future[tuple[int, int] | None]:
        """Return the times of the first and the last price of the log; None for an empty one."""
        return self._past(lambda reader: reader.log_ends())

    def log_map(self, since_ms: int, until_ms: int, parts: int) -> Future[LogMap]:
        """Say what the log has in a span, how much moved in each of its equal parts."""
        return self._past(lambda reader: self._log_map(reader, since_ms, until_ms, parts))

    def next_move(self, at_ms: int, game_id: str | None, *, back: bool) -> Future[int | None]:
        """Return when a price moved next, or last before; of one game or of any."""
        return self._past(lambda reader: reader.next_move(at_ms, game_id, back=back))

    def largest_move(self, game_id: str) -> Future[int | None]:
        """Return when a price of a game moved most."""
        return self._past(lambda reader: reader.largest_move(game_id))

    def feeds(self) -> Future[list[FeedState]]:
        """Return every feed."""
        return self._ask(self._feeds())

    def add_feed(self, spec: str, speed: float) -> Future[None]:
        """Open a feed and run it; it is gone when the server ends."""
        return self._ask(self._add_feed(spec, speed))

    def add_simulation(self, spec: str, speed: float) -> Future[None]:
        """Do so once the head start is over, unless real odds have come meanwhile."""
        return self._ask(self._add_simulation(spec, speed))

    def end_head_start(self) -> Future[None]:
        """Let the server begin what waits for its owner's start."""
        return self._ask(self._end_head_start())

    def live_sources(self) -> Future[list[LiveSource]]:
        """Return the sources of live odds that one can choose from."""
        return self._ask(asyncio.to_thread(_live_sources))

    def choices(self, name: str, url: str | None, key: str) -> Future[Choices]:
        """Return what may be chosen from a source; spends nothing. ``key``: empty for the kept."""
        return self._ask(self._choices(name, url, key))

    def plan_feed(self, spec: str, key: str) -> Future[LivePlan]:
        """Return what a feed will do and cost; spends nothing."""
        return self._ask(self._plan_feed(spec, key))

    def start_feed(self, number: int) -> Future[None]:
        """Run a feed that was stopped or has ended."""
        return self._ask(self._server.feeds.start(number))

    def stop_feed(self, number: int) -> Future[None]:
        """End a feed."""
        return self._ask(self._server.feeds.stop(number))

    def remove_feed(self, number: int) -> Future[None]:
        """Forget a feed that was stopped or has ended."""
        return self._ask(self._remove_feed(number))

    def import_files(
        self, format_name: str, places: Sequence[str], *, shift_to_now: bool
    ) -> Future[ImportOutcome]:
        """Convert other people's files and record them, once."""
        store, clock = self._server.store, self._clock

        def work() -> ImportOutcome:
            from oddsdesk.server.importing import import_files  # noqa: PLC0415 - few starts need it

            return import_files(store, clock, format_name, places, shift_to_now=shift_to_now)

        return self._ask(asyncio.to_thread(work))

    def game_pairs(self) -> Future[list[GamePair]]:
        """Suggest the games that may be one; return these and what was decided of others (D69)."""
        return self._ask(asyncio.to_thread(lambda: self._server.store.find_pairs().result()))

    def decide_pairs(self, idents: Sequence[int], state: PairState) -> Future[list[GamePair]]:
        """Accept or refuse pairs, or take back what was decided: all of them, or none."""
        decide, now = self._server.store.decide_pairs, self._clock()
        return self._ask(asyncio.to_thread(lambda: decide(idents, state, now).result()))

    def keys(self) -> Future[list[Key]]:
        """Return every key, masked, revoked ones too."""
        return self._ask(asyncio.to_thread(self._server.access.keys.all))

    def create_key(self, account: str, plan: Plan | None, bookmaker: str | None) -> Future[NewKey]:
        """Make a key; its secret is in this answer and nowhere else."""
        create, now_ms = self._server.access.keys.create, self._clock()
        return self._ask(
            asyncio.to_thread(lambda: create(account, plan, self._spelled(bookmaker), now_ms))
        )

    def rotate_key(self, key_id: int) -> Future[NewKey]:
        """Give a key a new secret; the old one ends at once."""
        return self._ask(asyncio.to_thread(self._server.access.keys.rotate, str(key_id)))

    def revoke_key(self, key_id: int) -> Future[Key]:
        """End a key for good."""
        revoke = self._server.access.keys.revoke
        return self._ask(asyncio.to_thread(revoke, str(key_id), self._clock()))

    def change_account(self, account: str, plan: Plan, bookmaker: str | None) -> Future[str]:
        """Change an account without touching its keys; return a warning, or an empty text."""
        keys, store, now_ms = self._server.access.keys, self._server.store, self._clock()

        def work() -> str:
            _, after = keys.change_account(
                account, now_ms, plan=plan, bookmaker=self._spelled(bookmaker)
            )
            if after.bookmaker is not None:
                recorded = store.reader().recorded_bookmakers()
                unknown = unknown_bookmaker(after.bookmaker, recorded)
                would = (
                    "on Free its keys would see" if plan.rights.all_bookmakers else "its keys see"
                )
                return unknown and f"{would} no odds: {unknown}"
            if plan.rights.all_bookmakers:
                return ""
            return "its keys see no odds: Free shows one bookmaker, and none is chosen"

        return self._ask(asyncio.to_thread(work))

    def remove_account(self, account: str) -> Future[AccountState]:
        """Delete an account, its keys and its counts; return it as it was."""
        remove = self._server.access.keys.remove_account
        return self._ask(asyncio.to_thread(remove, account, self._clock()))

    def _spelled(self, bookmaker: str | None) -> str | None:
        if bookmaker is None:
            return None
        return usual_spelling(bookmaker, self._server.store.reader().recorded_bookmakers())

    def _database(self) -> DatabaseState:
        store, path = self._server.store, self._file()
        reader = store.reader()
        return DatabaseState(
            path,
            _size(path),
            store.reference,
            reader.last_scraped_at(),
            reader.holds_real_odds(),
            store.is_read_only,
            reader.keep_days() or KEEP_ALL,
        )

    def _file(self) -> Path:
        path = self._server.store.path
        assert path is not None, "an embedded server has a file"
        return path

    def _back_up(
        self, target: Path, contents: "Contents", progress: Callable[[float], None]
    ) -> "BackedUp":
        from oddsdesk.store.sqlite.backup import back_up, total_bytes  # noqa: PLC0415 - seldom

        database = self._file()
        total = max(total_bytes(database, contents), 1)
        done = 0

        def tell(count: int) -> None:
            nonlocal done
            if self._has_ended.is_set():
                raise StoreUnavailableError("the backup is broken off: the server ends")
            if count:
                done += count
                progress(min(done / total, 1.0))

        written = back_up(database, target, contents, clock=self._clock, progress=tell)
        _log.info("%s backed up to %s", database, target)
        return written

    def _log_state(self, since_ms: int) -> LogState:
        reader = self._server.store.reader()
        silences = reader.silences(since_ms, self._clock(), SILENT_MS)
        return LogState(reader.log_began(), silences, reader.lacks())

    def _past(self, read: Callable[[Reader], T]) -> Future[T]:
        return self._ask(asyncio.to_thread(lambda: read(self._server.store.reader())))

    def _log_map(self, reader: Reader, since_ms: int, until_ms: int, parts: int) -> LogMap:
        silences = reader.silences(since_ms, self._clock(), SILENT_MS)
        return LogMap(
            since_ms,
            until_ms,
            reader.move_counts(since_ms, until_ms, parts),
            reader.kick_offs(since_ms, until_ms, MOST_KICK_OFFS),
            [(since, until) for since, until in silences if since < until_ms],
        )

    async def _feeds(self) -> list[FeedState]:
        return self._server.feeds.states()

    async def _add_feed(self, spec: str, speed: float) -> None:
        for number in await self._server.feeds.open([spec], speed):
            await self._server.feeds.start(number)

    async def _add_simulation(self, spec: str, speed: float) -> None:
        await self._server.head_start.over()
        store = self._server.store
        if not await asyncio.to_thread(lambda: store.reader().holds_real_odds()):
            await self._add_feed(spec, speed)

    async def _end_head_start(self) -> None:
        self._server.head_start.end()

    async def _remove_feed(self, number: int) -> None:
        self._server.feeds.remove(number)

    async def _choices(self, name: str, url: str | None, key: str) -> Choices:
        return await (await self._opened_guides()).choices(name, url, key)

    async def _plan_feed(self, spec: str, key: str) -> LivePlan:
        return await (await self._opened_guides()).plan(spec, key)

    async def _opened_guides(self) -> "Guides":
        kind = await asyncio.to_thread(_load_guides)
        self._guides = self._guides or kind(self._clock)
        return self._guides


def _load_guides() -> "type[Guides]":
    from oddsdesk.feeds.live.guides import Guides  # noqa: PLC0415 - 0.4 s that a start saves

    return Guides


def _live_sources() -> list[LiveSource]:
    from oddsdesk.feeds.live.guides import sources  # noqa: PLC0415 - as above

    return sources()


def _size(path: Path) -> int:
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
