"""The odds file as a whole: one writer, a reader for each thread, callbacks after commits."""

import shutil
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final, TypeVar

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.contract.identity import GamePair, PairState
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.databases import REFERENCE
from oddsdesk.store.engine import Store
from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.game_pairs import decide_pairs, find_pairs
from oddsdesk.store.lock import DatabaseLock
from oddsdesk.store.names import name_among
from oddsdesk.store.recording import end_simulation, record_quotes
from oddsdesk.store.settings import Settings
from oddsdesk.store.spans import FindOlder
from oddsdesk.store.sqlite import database
from oddsdesk.store.sqlite.pair_tables import PairTables
from oddsdesk.store.sqlite.reader import RecentChanges, SqliteReader
from oddsdesk.store.sqlite.recognition import SchemaCheck
from oddsdesk.store.sqlite.retention import SqlitePruning
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.sqlite.tables import Tables, rewrite_first_page
from oddsdesk.store.sqlite.writer import Writer
from oddsdesk.store.turns import SHORT_QUOTES
from oddsdesk.store.values import Change, FoundValueBet, MarketKey, Origin, Recorded

T = TypeVar("T")
LEAST_ROOM: Final = 1 << 20
"""Bytes of free disk that recording needs: a commit of a few hundred quotes."""
LOOK_S: Final = 0.4
"""How long after a recording no check is needed whether the next would be refused (s)."""
PROVEN_S: Final = 1.0
"""How long a recording proves that the next one will have space (s)."""


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
        connection = database.open_reader(path, ODDS)
        try:
            named = reference or Settings(connection).stored_reference()
            stored = _stored_name(connection, named)
            return SqliteStore(path, None, stored, clock, share=share, find_older=find_older)
        finally:
            connection.close()
    synchronous: database.Synchronous = "FULL" if durable else "NORMAL"
    connection = database.open_writer(path, ODDS, synchronous=synchronous, lock=lock, waits=waits)
    if reference is not None:
        Settings(connection).put_setting(REFERENCE, _stored_name(connection, reference))
    sync = None if durable else database.TimedSync(path)
    named = _stored_name(connection, Settings(connection).stored_reference())
    return SqliteStore(path, connection, named, clock, sync, share, find_older, waits)


def _stored_name(connection: sqlite3.Connection, name: str) -> str:
    """Return the file's name of a bookmaker."""
    return name_among(Tables(connection).bookmakers(), name)


class SqliteStore(Store):
    """Made by ``open_sqlite``; any thread may call it, and one closes it."""

    pruning_of = SqlitePruning

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection | None,
        reference: str,
        clock: Clock,
        sync: database.TimedSync | None = None,
        share: Collection[str] | None = None,
        find_older: FindOlder | None = None,
        waits: bool = False,
    ) -> None:
        super().__init__(str(path), reference, clock, share, find_older)
        self.path: Path = path
        self._folder = path.resolve().parent
        self._sync = sync
        self._place: database.FilePlace | None = None
        if connection is not None:
            self._place = place = database.FilePlace(path)
            check, wal = SchemaCheck(path, ODDS), database.WriteAheadLog(path, connection)
            self._writer = Writer(
                "store writer", connection, self._announce, check, wal, place, waits=waits
            )
        self._recent = RecentChanges()
        self._found: StoreUnavailableError | None = None
        """Why nothing can be recorded, from a check or failure since the last recording."""
        self._met_full_disk = False
        """Whether that was a full disk, and not a limit of the file or the user."""

    def record(
        self,
        quotes: Iterable[Quote],
        simulated: bool = False,
        origin: Origin | None = None,
        *,
        shifted: bool = False,
    ) -> Future[Recorded]:
        batch = list(quotes)
        logged: list[Change] = []

        def function(connection: sqlite3.Connection) -> Recorded:
            tables = Tables(connection)
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
            future.add_done_callback(lambda done: self._note_recording(done, logged))
        return future

    def end_simulation(self, *, another: bool = False) -> Future[None]:
        def function(connection: sqlite3.Connection) -> None:
            changed = end_simulation(Tables(connection), self._clock(), another=another)
            self._log_grew = self._log_grew or changed > 0

        return self._submit(function, is_long=True)

    def recording_refusal(self) -> StoreUnavailableError | None:
        """Return why odds cannot be recorded now, None if they can as far as known.

        That is the error of the last recording; a missing file and a full disk, whether or not this
        process has tried: others record into it, too; and the result of ``check_recording``.
        """
        if self._place is not None and (moved := self._place.write_refusal()) is not None:
            return moved
        error = self._refused.error
        if self._found is not None:
            return self._found
        if error is None and self._refused.age_s < PROVEN_S:
            return None
        if error is not None and self._refused.is_fresh and not self._may_be_over(error):
            return error
        return None if self.is_read_only else self._full()

    def check_recording(self) -> Fault | None:
        """Test a write if nothing was recorded for a moment; see ``Store.check_recording``."""
        if self._place is None or (self._refused.error is None and self._refused.age_s < LOOK_S):
            return None
        found = self._place.try_to_write()
        fault = None if found is None else found.fault
        if fault is Fault.NOT_ALLOWED:  # files that are already open may still be written
            found = self._refusal_of_a_commit()
        self._found = found
        return fault

    def _refusal_of_a_commit(self) -> StoreUnavailableError | None:
        try:
            self.run_on_writer(rewrite_first_page).result()
        except StoreUnavailableError as error:
            return error
        return None

    def _may_be_over(self, error: StoreUnavailableError) -> bool:
        """Return whether, without another recording, the cause of an error appears to be gone."""
        if error.fault is Fault.FULL:
            return self._met_full_disk
        return error.fault is Fault.MOVED or error.fault in database.FOUND_BY_TRYING

    def _full(self) -> StoreUnavailableError | None:
        try:
            free = shutil.disk_usage(self._folder).free
        except OSError:
            return None
        if free >= LEAST_ROOM:
            return None
        return StoreUnavailableError(f"{self.path}: {Fault.FULL.value}", Fault.FULL)

    def sources_left_out(self) -> list[str]:
        if self._share is None:
            return []
        connection = database.open_reader(self.path, ODDS, checked=True)
        try:
            return Settings(connection).sources_not_shared(self._share)
        finally:
            connection.close()

    def replace_value_bets(
        self, found: Mapping[MarketKey, Collection[FoundValueBet]], now_ms: int
    ) -> Future[None]:
        def function(connection: sqlite3.Connection) -> None:
            for market, bets in found.items():
                replace_value_bets(connection, *market, bets, now_ms)

        return self.run_on_writer(function)

    def find_pairs(self) -> Future[list[GamePair]]:
        return self.run_on_writer(lambda connection: find_pairs(PairTables(connection)))

    def decide_pairs(
        self, idents: Collection[int], state: PairState, now_ms: int
    ) -> Future[list[GamePair]]:
        return self.run_on_writer(
            lambda connection: decide_pairs(
                PairTables(connection), idents, state, now_ms, reference=self.reference
            )
        )

    def reader(self) -> SqliteReader:
        return self._own_reader("reader", lambda: self._open_reader(self._share))

    def check_odds(self) -> None:
        self.reader().last_scraped_at()

    def close(self) -> None:
        super().close()
        if self._sync is not None:
            self._sync.end_syncing()

    def _open_reader(self, share: Collection[str] | None) -> SqliteReader:
        if self._place is not None:
            self._place.check_place()
        connection = database.open_reader(self.path, ODDS, checked=True)
        check = SchemaCheck(self.path, ODDS)
        return SqliteReader(
            connection,
            self.reference,
            check,
            share,
            self._find_older,
            self._recent if share is None else None,
        )

    def _note_recording(self, recorded: Future[Recorded], logged: Sequence[Change]) -> None:
        if self._note(recorded):
            self._recent.add_changes(logged)
            self._found = None
        else:
            error = self._refused.error
            self._found = (
                error if error is not None and error.fault in database.FOUND_BY_TRYING else None
            )
            self._met_full_disk = self._full() is not None

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


_STORED: Final = """
SELECT bookmaker, selection, odds, fair_odds FROM value_bet
WHERE game = ? AND market_type = ? AND period = ?
"""
_DROP: Final = """
DELETE FROM value_bet
WHERE game = ? AND market_type = ? AND period = ? AND bookmaker = ? AND selection = ?
"""
_KEEP: Final = """
INSERT INTO value_bet (game, market_type, period, bookmaker, selection, odds, line,
                       reference_odds, fair_odds, ev_pct, payout_rate, detected_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
    odds = excluded.odds, line = excluded.line, reference_odds = excluded.reference_odds,
    fair_odds = excluded.fair_odds, ev_pct = excluded.ev_pct,
    payout_rate = excluded.payout_rate,
    detected_at = CASE
        WHEN odds = excluded.odds AND fair_odds = excluded.fair_odds
        THEN min(detected_at, excluded.detected_at)
        ELSE excluded.detected_at
    END
"""


def replace_value_bets(
    connection: sqlite3.Connection,
    game: int,
    market_type: str,
    period: int,
    bets: Iterable[FoundValueBet],
    now_ms: int,
) -> None:
    """Make these the value bets of a market; inside the caller's transaction.

    A stored bet with the same price and fair price keeps its time of detection, unless that is in
    the future. Whether price and sharp book are current, fresh, and agree on in play is checked on
    each read.
    """
    market = (game, market_type, period)
    found = {(bet.bookmaker, bet.selection): bet for bet in bets}
    stored = connection.execute(_STORED, market).fetchall()
    gone = [key for *key, _, _ in stored if tuple(key) not in found]
    connection.executemany(_DROP, [(*market, *key) for key in gone])
    rows = [(*market, *bet.as_row(now_ms)) for bet in found.values()]
    connection.executemany(_KEEP, rows)
