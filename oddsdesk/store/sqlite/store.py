"""The odds file as a whole: one writer, a reader for each thread, callbacks after commits."""

import shutil
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final, TypeVar

from oddsdesk.clock import Clock, system_clock
from oddsdesk.contract.game_pairs import GamePair, PairState
from oddsdesk.contract.game_results import GameResult
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.aged_log import AgedLog
from oddsdesk.store.bookmaker_names import BookmakerNames, name_among
from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.game_pairs import decide_pairs, find_pairs
from oddsdesk.store.lock import DatabaseLock
from oddsdesk.store.older import FindOlder
from oddsdesk.store.origins import Origin
from oddsdesk.store.player_names import PlayerNames
from oddsdesk.store.recent_changes import RecentChanges
from oddsdesk.store.recording import end_simulation, record_quotes
from oddsdesk.store.settings import ARCHIVE, KEEP_DAYS, REFERENCE
from oddsdesk.store.spans import Position
from oddsdesk.store.sqlite.database import Synchronous, open_reader, open_writer
from oddsdesk.store.sqlite.file_place import FOUND_BY_TRYING, FilePlace
from oddsdesk.store.sqlite.pair_tables import SqlitePairTables
from oddsdesk.store.sqlite.reader import SqliteReader
from oddsdesk.store.sqlite.recognition import SchemaCheck
from oddsdesk.store.sqlite.results import put_results
from oddsdesk.store.sqlite.retention import prune, put_back
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.sqlite.settings import (
    READ_SETTING,
    agree_on_shift,
    keep_for_feed,
    kept_for_feed,
    put_setting,
    rewrite_first_page,
    stored_reference,
)
from oddsdesk.store.sqlite.syncing import TimedSync
from oddsdesk.store.sqlite.tables import SqliteTables, kept_to_itself
from oddsdesk.store.sqlite.value_bets import replace_value_bets, value_by
from oddsdesk.store.sqlite.write_ahead import WriteAheadLog
from oddsdesk.store.sqlite.writer import Writer
from oddsdesk.store.turns import SHORT_QUOTES, LastRefusal
from oddsdesk.store.values import Change, FoundValueBet, MarketKey, Recorded

T = TypeVar("T")
LEAST_ROOM: Final = 1 << 20
"""Bytes that a disk must have free for prices to be recorded: a commit of a few hundred quotes."""
LOOK_S: Final = 0.4
"""How long after a recording nobody need look whether another would be refused."""
PROVEN_S: Final = 1.0
"""How long a recording proves that the next one will have room."""


def open_sqlite(
    path: Path,
    reference: str | None = None,
    *,
    read_only: bool = False,
    durable: bool = False,
    lock: DatabaseLock | None = None,
    share: Collection[str] | None = None,
    clock: Clock = system_clock,
    find_older: FindOlder | None = None,
    waits: bool = False,
) -> "SqliteStore":
    """Open the odds file; see ``store.store.open_store``."""
    if read_only:
        connection = open_reader(path, ODDS)
        try:
            named = reference or stored_reference(connection)
            stored = _stored_name(connection, named)
            return SqliteStore(path, None, stored, clock, share=share, find_older=find_older)
        finally:
            connection.close()
    synchronous: Synchronous = "FULL" if durable else "NORMAL"
    connection = open_writer(path, ODDS, synchronous=synchronous, lock=lock, waits=waits)
    if reference is not None:
        put_setting(connection, REFERENCE, _stored_name(connection, reference))
    sync = None if durable else TimedSync(path)
    named = _stored_name(connection, stored_reference(connection))
    return SqliteStore(path, connection, named, clock, sync, share, find_older, waits)


def _stored_name(connection: sqlite3.Connection, name: str) -> str:
    """Return what the file calls a bookmaker that somebody names in their own way (D70)."""
    return name_among(SqliteTables(connection).bookmakers(), name)


class SqliteStore:
    """Made by ``open_sqlite``; any thread may call it, and one closes it."""

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection | None,
        reference: str,
        clock: Clock,
        sync: TimedSync | None = None,
        share: Collection[str] | None = None,
        find_older: FindOlder | None = None,
        waits: bool = False,
    ) -> None:
        self.shown = str(path)
        self._find_older = find_older
        self.path = path
        self._share = share
        self.reference = reference
        self._clock = clock
        self._sync = sync
        self._bookmakers = BookmakerNames(reference)
        self._players = PlayerNames()
        self._writer: Writer | None = None
        self._place: FilePlace | None = None
        if connection is not None:
            self._place = place = FilePlace(path)
            check, wal = SchemaCheck(path, ODDS), WriteAheadLog(path, connection)
            self._writer = Writer(
                "store writer", connection, self._announce, check, wal, place, waits=waits
            )
        self._local = threading.local()
        self._lock = threading.Lock()
        self._readers: list[SqliteReader] = []
        self._callbacks: list[Callable[[], None]] = []
        self._log_grew = False
        self._recent = RecentChanges()
        self._aged_log = AgedLog()
        self._refused = LastRefusal()
        self._found: StoreUnavailableError | None = None
        """Why nothing can be recorded, as a look or a refused recording found since the last
        recording."""
        self._met_full_disk = False
        """Whether that was a disk without room, and not a limit of the file or the user."""
        self.quotes_recorded = 0
        self.quotes_skipped = 0
        """How many this process has recorded since it began."""

    @property
    def is_read_only(self) -> bool:
        """Whether nothing can be recorded."""
        return self._writer is None

    def record(
        self,
        quotes: Iterable[Quote],
        simulated: bool = False,
        origin: Origin | None = None,
        *,
        shifted: bool = False,
    ) -> Future[Recorded]:
        """Record checked quotes in one transaction, in their order (D42).

        A short recording may overtake a long one that still waits: who wants an order between
        two awaits the first. ``simulated`` says that the prices are made up, ``origin`` which
        source told them, where that is not the user's own program, ``shifted`` that their times
        were moved. The first that are not made up withdraw all that are. The future fails with
        ``StoreUnavailableError`` where the file cannot be written now, with ``RealOddsError`` where
        made-up ones come after real ones.
        """
        batch = list(quotes)
        logged: list[Change] = []

        def function(connection: sqlite3.Connection) -> Recorded:
            tables = SqliteTables(connection)
            recorded = record_quotes(
                tables,
                batch,
                reference=self.reference,
                simulated=simulated,
                now_ms=self._clock(),
                bookmakers=self._bookmakers,
                players=self._players,
                origin=origin,
                shifted=shifted,
            )
            self._log_grew = self._log_grew or recorded.changes > 0
            if self._callbacks and self._share is None:
                logged.extend(tables.logged(self.reference))
            return recorded

        future = self._submit(function, is_long=len(batch) > SHORT_QUOTES)
        if self._writer is not None:
            future.add_done_callback(lambda done: self._note(done, logged))
        return future

    def end_simulation(self, *, another: bool = False) -> Future[None]:
        """Withdraw what is simulated; see ``Store.end_simulation``."""

        def function(connection: sqlite3.Connection) -> None:
            changed = end_simulation(SqliteTables(connection), self._clock(), another=another)
            self._log_grew = self._log_grew or changed > 0

        return self._submit(function, is_long=True)

    def refusal(self) -> StoreUnavailableError | None:
        """Return why prices cannot be recorded now, None where they can as far as is known.

        That is what refused the last recording, where somebody tries; a file that is gone and a
        disk without room, whether or not this process has tried: others record into it, too; and
        what ``look`` found.
        """
        if self._place is not None and (moved := self._place.refusal()) is not None:
            return moved
        error = self._refused.error
        if self._found is not None:
            return self._found
        if error is None and self._refused.age_s < PROVEN_S:
            return None
        if error is not None and self._refused.is_fresh and not self._may_be_over(error):
            return error
        return None if self.is_read_only else self._full()

    def look(self) -> Fault | None:
        """Try to write where nobody has recorded for a moment; see ``Store.look``."""
        if self._place is None or (self._refused.error is None and self._refused.age_s < LOOK_S):
            return None
        found = self._place.try_to_write()
        fault = None if found is None else found.fault
        if fault is Fault.NOT_ALLOWED:  # what is open already may be written all the same
            found = self._refusal_of_a_commit()
        self._found = found
        return fault

    def _refusal_of_a_commit(self) -> StoreUnavailableError | None:
        try:
            self.write(rewrite_first_page).result()
        except StoreUnavailableError as error:
            return error
        return None

    def _may_be_over(self, error: StoreUnavailableError) -> bool:
        """Say whether it shows without another recording that the cause of a refusal is gone."""
        if error.fault is Fault.FULL:
            return self._met_full_disk
        return error.fault is Fault.MOVED or error.fault in FOUND_BY_TRYING

    def _full(self) -> StoreUnavailableError | None:
        try:
            free = shutil.disk_usage(self.path.resolve().parent).free
        except OSError:
            return None
        if free >= LEAST_ROOM:
            return None
        return StoreUnavailableError(f"{self.path}: {Fault.FULL.value}", Fault.FULL)

    def stop_waiting(self) -> None:
        """Have recordings fail that wait for other programs; see ``Store.stop_waiting``."""
        if self._writer is not None:
            self._writer.stop_waiting()

    def write(self, function: Callable[[sqlite3.Connection], T]) -> Future[T]:
        """Run a function on the writer thread; it takes effect whole or not at all.

        For the store itself and its tests: others ask for what they mean.
        """
        return self._submit(function, is_long=False)

    def writing_for_s(self) -> float:
        """Return for how long the transaction that runs now has run; 0 where none does."""
        return 0.0 if self._writer is None else self._writer.busy_for_s()

    def left_out(self) -> list[str]:
        """Return the sources whose prices are recorded here and that readers leave out (D66)."""
        if self._share is None:
            return []
        connection = open_reader(self.path, ODDS, checked=True)
        try:
            return [name for name in kept_to_itself(connection) if name not in self._share]
        finally:
            connection.close()

    def keep_log(self, days: int) -> Future[None]:
        """Keep the log of price changes for so many days from now on, 0 for ever (D76)."""
        return self.write(lambda connection: put_setting(connection, KEEP_DAYS, days))

    def adopt_keep_days(self, days: int) -> Future[bool]:
        """Do the same unless it was set before; return whether it was done."""

        def register_panel(connection: sqlite3.Connection) -> bool:
            unsaid = not connection.execute(READ_SETTING, (KEEP_DAYS,)).fetchall()
            if unsaid:
                put_setting(connection, KEEP_DAYS, days)
            return unsaid

        return self.write(register_panel)

    def keep_archive(self, folder: Path) -> Future[None]:
        """Note where price history is archived, for who reads it."""
        return self.write(lambda connection: put_setting(connection, ARCHIVE, str(folder)))

    def prune(self, now_ms: int, keep_days: int = 0, archived: Position | None = None) -> int:
        """Remove what is too old and return how many log rows went; waits, so not on a loop.

        One thread at a time. ``now_ms`` is what ages are counted from; ``keep_days`` is for how
        long the log is kept, 0 for ever. No log row behind ``archived`` goes.

        Raises:
            StoreUnavailableError: the file cannot be written now; what went before stays gone.
        """
        return prune(self, now_ms, keep_days, self._aged_log, archived)

    def put_back(self, now_ms: int) -> int:
        """Have prices of the future be an hour old, see ``Store.put_back``; return games.

        Raises:
            StoreUnavailableError: the database cannot be written now.
        """
        return put_back(self, now_ms)

    def replace_value_bets(
        self, found: Mapping[MarketKey, Collection[FoundValueBet]], now_ms: int
    ) -> Future[None]:
        """Make these the value bets of their markets, found at ``now_ms`` (D29)."""

        def function(connection: sqlite3.Connection) -> None:
            for market, bets in found.items():
                replace_value_bets(connection, *market, bets, now_ms)

        return self.write(function)

    def value_by(self, how: str) -> Future[None]:
        """Say by what value bets are found from now on; those found by anything else go."""
        return self.write(lambda connection: value_by(connection, how))

    def find_pairs(self) -> Future[list[GamePair]]:
        """Suggest the games that may be one; return these and what was decided of others (D69)."""
        return self.write(lambda connection: find_pairs(SqlitePairTables(connection)))

    def decide_pairs(
        self, idents: Collection[int], state: PairState, now_ms: int
    ) -> Future[list[GamePair]]:
        """Decide of pairs of games, or of none where one cannot be decided of; return them.

        ``PairState.SUGGESTED`` takes back what was decided. The future fails with ``PairError``
        where there is no such pair, or its state allows that not.
        """
        return self.write(
            lambda connection: decide_pairs(
                SqlitePairTables(connection), idents, state, now_ms, reference=self.reference
            )
        )

    def agree_on_shift(self, own_ms: int, *, again: bool = False) -> Future[int]:
        """Return by how much an import moves its times: as the first of this database did (D72).

        ``own_ms`` would move its newest price to now: taken, and kept for the next ones, where
        it is the first import or ``again`` says so.
        """
        return self.write(lambda connection: agree_on_shift(connection, own_ms, again=again))

    def record_results(self, results: Collection[GameResult]) -> Future[None]:
        """Keep how games ended; a game that has a result gets the new one."""
        held = list(results)
        return self.write(lambda connection: put_results(connection, held))

    def keep_for_feed(self, spec: str, kept: bytes) -> Future[None]:
        """Keep what a feed wants to know when it runs next."""
        return self.write(lambda connection: keep_for_feed(connection, spec, kept))

    def kept_for_feed(self, spec: str) -> Future[bytes | None]:
        """Return what a feed kept, None where it never did."""
        return self.write(lambda connection: kept_for_feed(connection, spec))

    def reader(self) -> SqliteReader:
        """Return the calling thread's reader; the store closes it."""
        reader: SqliteReader | None = getattr(self._local, "reader", None)
        if reader is None:
            if self._place is not None:
                self._place.check()
            connection = open_reader(self.path, ODDS, checked=True)
            check = SchemaCheck(self.path, ODDS)
            reader = SqliteReader(
                connection, self.reference, check, self._share, self._find_older, self._recent
            )
            self._local.reader = reader
            with self._lock:
                self._readers.append(reader)
        return reader

    def check(self) -> None:
        """Look whether the odds can be read; waits, so not on a loop."""
        self.reader().last_scraped_at()

    def on_commit(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back, on the writer thread, after the log grew; return how to end that."""
        with self._lock:
            self._callbacks.append(callback)

        def unsubscribe() -> None:
            with self._lock:
                self._callbacks.remove(callback)

        return unsubscribe

    def close(self) -> None:
        """Finish what is queued, close every connection, the writer's last, and sync."""
        self._close_readers()
        if self._writer is not None:
            self._writer.close()
        self._close_readers()  # those that a callback of the last commit opened
        if self._sync is not None:
            self._sync.close()

    def _submit(self, function: Callable[[sqlite3.Connection], T], *, is_long: bool) -> Future[T]:
        if self._writer is None:
            future: Future[T] = Future()
            refused = StoreUnavailableError(
                f"{self.path}: is open for reading only", Fault.READ_ONLY
            )
            future.set_exception(refused)
            return future
        return self._writer.submit(function, is_long=is_long)

    def _note(self, recorded: Future[Recorded], logged: Sequence[Change]) -> None:
        if self._refused.note(recorded):
            self._recent.add(logged)
            self.quotes_recorded += recorded.result().quotes
            self.quotes_skipped += recorded.result().skipped
            self._found = None
        else:
            error = self._refused.error
            self._found = error if error is not None and error.fault in FOUND_BY_TRYING else None
            self._met_full_disk = self._full() is not None

    def _close_readers(self) -> None:
        with self._lock:
            readers, self._readers = self._readers, []
        for reader in readers:
            reader.close()

    def _announce(self) -> None:
        if self._sync is not None:
            self._sync.committed()
        if not self._log_grew:
            return
        self._log_grew = False
        with self._lock:
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback()
