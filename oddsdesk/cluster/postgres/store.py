"""The odds in PostgreSQL as a whole: one writer, a reader for each thread."""

import contextlib
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from functools import cache, partial
from typing import Any, Final, TypeVar

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.cluster.postgres.connections import TURN_S, ServerAddress, check_writable
from oddsdesk.cluster.postgres.connections import PreparingConnection as Connection
from oddsdesk.cluster.postgres.pair_tables import PostgresPairTables
from oddsdesk.cluster.postgres.reader import PostgresReader
from oddsdesk.cluster.postgres.schema import bring_up_to_date, check_current
from oddsdesk.cluster.postgres.tables import (
    ALL_SHARDS,
    QUEUE,
    OtherShardsError,
    PostgresSettings,
    PostgresTables,
    count_shards,
    divide_log,
    shard_of,
    stored_bookmakers,
)
from oddsdesk.cluster.postgres.writer import PostgresWriter
from oddsdesk.contract.identity import GamePair, PairState
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.databases import REFERENCE
from oddsdesk.store.engine import Store
from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.game_pairs import decide_pairs, find_pairs
from oddsdesk.store.games import plain_name
from oddsdesk.store.names import name_among
from oddsdesk.store.reader import Grown, OnRecorded
from oddsdesk.store.recording import end_simulation, record_quotes
from oddsdesk.store.retention import FORGOTTEN, SLICE, Pruning
from oddsdesk.store.spans import FindOlder
from oddsdesk.store.turns import SHORT_QUOTES
from oddsdesk.store.values import FoundValueBet, MarketKey, Origin, Recorded

_GONE: Final = """
DELETE FROM value_bet bet USING unnest(%s::bigint[], %s::text[], %s::bigint[])
    asked (game, market_type, period)
WHERE (bet.game, bet.market_type, bet.period) = (asked.game, asked.market_type, asked.period)
    AND NOT EXISTS (
        SELECT 1 FROM unnest(%s::bigint[], %s::text[], %s::bigint[], %s::text[], %s::text[])
            found (game, market_type, period, bookmaker, selection)
        WHERE (found.game, found.market_type, found.period, found.bookmaker, found.selection)
            = (bet.game, bet.market_type, bet.period, bet.bookmaker, bet.selection)
    )
"""
_KEEP: Final = """
INSERT INTO value_bet (game, market_type, period, bookmaker, selection, odds, line,
                       reference_odds, fair_odds, ev_pct, payout_rate, detected_at)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::bigint[], %s::text[], %s::text[],
    %s::double precision[], %s::text[], %s::double precision[], %s::double precision[],
    %s::double precision[], %s::double precision[], %s::bigint[])
ON CONFLICT (game, market_type, period, bookmaker, selection) DO UPDATE SET
    odds = excluded.odds, line = excluded.line, reference_odds = excluded.reference_odds,
    fair_odds = excluded.fair_odds, ev_pct = excluded.ev_pct,
    payout_rate = excluded.payout_rate,
    detected_at = CASE
        WHEN value_bet.odds = excluded.odds AND value_bet.fair_odds = excluded.fair_odds
        THEN least(value_bet.detected_at, excluded.detected_at) ELSE excluded.detected_at
    END
"""


def replace_value_bets(
    connection: Connection, found: Mapping[MarketKey, Collection[FoundValueBet]], now_ms: int
) -> None:
    """Replace the value bets of their markets; inside the caller's transaction.

    A stored bet with the same price and fair price keeps its time of detection, unless that is in
    the future. Whether price and sharp book are current, fresh, and agree on in play is checked on
    each read.
    """
    if not found:
        return
    rows = [
        (*market, *each) for market, bets in sorted(found.items()) for each in _rows(bets, now_ms)
    ]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(12)]
    markets = [list(column) for column in zip(*found, strict=True)]
    connection.execute(_GONE, (*markets, *columns[:5]))
    if rows:
        connection.execute(_KEEP, columns)


def _rows(bets: Collection[FoundValueBet], now_ms: int) -> list[tuple[Any, ...]]:
    """Return bets as rows without their market; of two for one selection the last."""
    latest = {(bet.bookmaker, bet.selection): bet for bet in bets}
    return [bet.as_row(now_ms) for bet in latest.values()]


_ALONE: Final = "SELECT shard FROM shard ORDER BY shard FOR UPDATE"
"""Keeps others from recording."""
_SHARDS: Final = "SELECT shard FROM shard ORDER BY shard"
_SPAN: Final = """
SELECT min(seq), max(seq) FROM (
    (SELECT seq FROM price_change WHERE shard = %(shard)s ORDER BY seq LIMIT 1)
    UNION ALL (SELECT seq FROM price_change WHERE shard = %(shard)s ORDER BY seq DESC LIMIT 1)
) ends
"""
_AGED: Final = """
FROM price_change WHERE shard = %(shard)s AND seq BETWEEN %(first)s AND %(last)s
    AND recorded_at - scraped_at <= %(keep)s
"""
_OLDEST: Final = f"SELECT min(scraped_at) {_AGED}"
_COUNT: Final = f"""
SELECT count(*), coalesce(max(scraped_at), 0), array_agg(DISTINCT game)
{_AGED} AND scraped_at < %(before)s
"""
_DROP_LOG: Final = f"DELETE {_AGED} AND scraped_at < %(before)s"
"""For few numbers at a time: removed rows are not scanned again."""
_NOT_RECENT: Final = "UPDATE game SET recent = false WHERE recent AND last_scraped_at < %s"


class PostgresPruning(Pruning):
    """For a database, shard by shard."""

    def logs(self) -> Mapping[int, "_ShardRows"]:
        shards = self._do(lambda connection: connection.execute(_SHARDS).fetchall())
        return {shard: _ShardRows(self._do, shard) for (shard,) in shards}

    def drop_block(self, shard: int, block: tuple[int, int], keep_ms: int, before: int) -> int:
        rows, (first, last) = _ShardRows(self._do, shard), block
        return sum(
            rows.drop_rows((low, min(low + SLICE - 1, last)), keep_ms, before)
            for low in range(first, last + 1, SLICE)
        )

    def drop_not_recent(self, connection: Connection, before: int) -> None:
        connection.execute(_NOT_RECENT, (before,))

    def forgotten_games(self, before: int) -> list[int]:
        asked = {"before": before}
        found = self._do(lambda connection: self.execute(connection, FORGOTTEN, asked).fetchall())
        return [game for (game,) in found]

    def pair_tables(self, connection: Connection) -> PostgresPairTables:
        return PostgresPairTables(connection, ())

    def execute(self, connection: Connection, statement: str, values: Mapping[str, Any]) -> Any:
        return connection.execute(_in_postgres(statement), values)

    def be_alone(self, connection: Connection) -> None:
        connection.take_turn((QUEUE, ALL_SHARDS), (_ALONE, ()))


@cache
def _in_postgres(text: str) -> bytes:
    """Return SQLite's text with psycopg's placeholders."""
    return re.sub(r":(\w+)", r"%(\1)s", text).encode()


class _ShardRows:
    """``store.retention.LogRows`` for a shard."""

    def __init__(self, do: Callable[[Callable[[Connection], Any]], Any], shard: int) -> None:
        self._do = do
        self.shard = shard

    def log_span(self) -> tuple[int, int] | None:
        """Return the numbers of the first and the last row; None if it is empty."""
        first, last = self._asked(_SPAN)
        return None if first is None else (first, last)

    def oldest_aged(self, first: int, last: int, keep_ms: int) -> int | None:
        found: int | None = self._asked(_OLDEST, first=first, last=last, keep=keep_ms)[0]
        return found

    def count_aged(
        self, first: int, last: int, keep_ms: int, before: int
    ) -> tuple[int, int, set[int]]:
        """Return the number of rows to remove, the newest time, and their games."""
        asked = {"first": first, "last": last, "keep": keep_ms, "before": before}
        rows, newest, games = self._asked(_COUNT, **asked)
        return rows, newest, set(games or ())

    def drop_rows(self, rows: tuple[int, int], keep_ms: int, before: int) -> int:
        """Remove the due rows in a range; return how many."""
        first, last = rows
        asked = {
            "shard": self.shard,
            "first": first,
            "last": last,
            "keep": keep_ms,
            "before": before,
        }
        dropped: int = self._do(lambda connection: connection.execute(_DROP_LOG, asked).rowcount)
        return dropped

    def _asked(self, query: str, **asked: int) -> tuple[Any, ...]:
        values = {"shard": self.shard, **asked}
        rows: list[tuple[Any, ...]] = self._do(
            lambda connection: connection.execute(query, values).fetchall()
        )
        return rows[0]


T = TypeVar("T")
FEW: Final = 256
"""A transaction with at most this many changes is announced with them."""
LOOK_S: Final = 1.0
"""How long a recording proves that the database can be written."""
HELD_S: Final = 15.0
"""Turns come sooner while others record: after this time health reports a lock (s)."""
TRY_S: Final = 0.2
"""How long after an error a call tests whether it is over (s)."""


def open_postgres(
    url: str,
    reference: str | None = None,
    *,
    read_only: bool = False,
    share: Collection[str] | None = None,
    clock: Clock = system_clock,
    find_older: FindOlder | None = None,
    shards: int | None = None,
    waits: bool = False,
) -> "PostgresStore":
    """Open the odds of a PostgreSQL database; see ``store.store.open_store``."""
    address = ServerAddress(url)
    connection = address.connect()
    try:
        with address.refusals():
            (check_current if read_only else bring_up_to_date)(connection, address.shown)
            settings = PostgresSettings(connection)
            named = reference or settings.stored_reference()
            stored = name_among(stored_bookmakers(connection), named)
            if reference is not None and not read_only:
                settings.put_setting(REFERENCE, stored)
            if shards is not None and not read_only:
                divide_log(connection, shards, address.shown)
            count = count_shards(connection)
    except BaseException:
        connection.close()
        raise
    if read_only:
        connection.close()
    opened = None if read_only else connection
    turn_s = None if waits else TURN_S
    return PostgresStore(address, opened, stored, clock, share, count, find_older, turn_s)


class PostgresStore(Store):
    """Made by ``open_postgres``; any thread may call it, and one closes it."""

    settings_of = PostgresSettings
    pruning_of = PostgresPruning

    def __init__(
        self,
        address: ServerAddress,
        connection: Connection | None,
        reference: str,
        clock: Clock,
        share: Collection[str] | None,
        shards: int,
        find_older: FindOlder | None = None,
        turn_s: float | None = TURN_S,
    ) -> None:
        super().__init__(address.shown, reference, clock, share, find_older)
        self._address = address
        self._shards = shards
        if connection is not None:
            self._writer = self._writing = PostgresWriter(
                "store writer",
                address,
                connection,
                self._announce,
                rolled_back=self._forget_logged,
                may_share=shards == 1,
                turn_s=turn_s,
            )
        self._logged: list[Grown] = []
        self._told: list[OnRecorded] = []
        self._is_trying = False

    def record(
        self,
        quotes: Iterable[Quote],
        simulated: bool = False,
        origin: Origin | None = None,
        *,
        shifted: bool = False,
    ) -> Future[Recorded]:
        batch = list(quotes)
        function = partial(
            self._record, batch=batch, simulated=simulated, origin=origin, shifted=shifted
        )
        future = self._submit(function, is_long=len(batch) > SHORT_QUOTES)
        if self._writer is not None:
            future.add_done_callback(self._note)
        return future

    def end_simulation(self, *, another: bool = False) -> Future[None]:
        def function(connection: Connection) -> None:
            tables = PostgresTables(connection)
            ending = partial(end_simulation, now_ms=self._clock(), another=another)
            changed = self._noting(tables, ending)
            self._log_grew = self._log_grew or changed > 0

        return self._submit(function, is_long=True)

    def recording_refusal(self) -> StoreUnavailableError | None:
        """Return the error of the last recording; a call also tests whether that is over.

        A recording that waits longer than ``HELD_S`` for its turn counts as failed.
        """
        if self._writer is not None and self._writing.turn_wait_s() > HELD_S:
            held = f"{self.shown}: {Fault.LOCKED.value}: nothing recorded for {HELD_S:.0f} s"
            return StoreUnavailableError(held, Fault.LOCKED)
        if not self._refused.is_fresh:
            return None
        if (error := self._refused.error) is not None:
            self._try_again(error)
        return error

    def check_recording(self) -> Fault | None:
        """Check whether the database is read-only; see ``Store.check_recording``."""
        if self._writer is None or self._refused.age_s < LOOK_S:
            return None
        if self._refused.is_fresh and self._refused.error is not None:
            return None
        looked = self.run_on_writer(check_writable)
        error = looked.exception()
        fault = error.fault if isinstance(error, StoreUnavailableError) else None
        if fault is Fault.READ_ONLY:
            self._refused.note_outcome(looked)
        return fault

    def sources_left_out(self) -> list[str]:
        if self._share is None:
            return []
        with contextlib.closing(self._address.connect()) as connection, self._address.refusals():
            return PostgresSettings(connection).sources_not_shared(self._share)

    def replace_value_bets(
        self, found: Mapping[MarketKey, Collection[FoundValueBet]], now_ms: int
    ) -> Future[None]:
        return self.run_on_writer(partial(replace_value_bets, found=found, now_ms=now_ms))

    def find_pairs(self) -> Future[list[GamePair]]:
        def function(connection: Connection) -> list[GamePair]:
            return find_pairs(PostgresPairTables(connection, ()))  # others may record during this

        return self._submit(function, is_long=True)

    def decide_pairs(
        self, idents: Collection[int], state: PairState, now_ms: int
    ) -> Future[list[GamePair]]:
        def function(connection: Connection) -> list[GamePair]:
            tables = PostgresPairTables(connection)
            return decide_pairs(tables, idents, state, now_ms, reference=self.reference)

        return self._submit(function, is_long=True)

    def reader(self) -> PostgresReader:
        return self._own_reader("reader", partial(self._open_reader, self._share))

    def reader_for_all(self) -> PostgresReader:
        return self._own_reader("reader_for_all", partial(self._open_reader, ()))

    def check_odds(self) -> None:
        self.reader().check_readable(self.shown)

    def on_recorded(self, callback: OnRecorded) -> Callable[[], None]:
        """Call back, on the writer thread, after recordings here; see ``store.reader``."""
        return self._listen(self._told, callback)

    def _try_again(self, error: StoreUnavailableError) -> None:
        """Start an empty recording, unless one is already being tried."""
        with self._lock:
            is_known = error.fault is Fault.FULL  # which only a real write meets
            if is_known or self._is_trying or self._refused.age_s < TRY_S:
                return
            self._is_trying = True
        self.run_on_writer(
            lambda connection: PostgresTables(connection).grown_shards()
        ).add_done_callback(self._note_try)

    def _note_try(self, tried: Future[Any]) -> None:
        self._refused.note_outcome(tried)
        self._is_trying = False

    def _record(
        self,
        connection: Connection,
        batch: Collection[Quote],
        simulated: bool,
        origin: Origin | None,
        shifted: bool,
    ) -> Recorded:
        recorded = self._in_shards(
            connection,
            batch,
            lambda tables: record_quotes(
                tables,
                batch,
                reference=self.reference,
                simulated=simulated,
                now_ms=self._clock(),
                bookmakers=self._bookmakers,
                players=self._players,
                origin=origin,
                shifted=shifted,
            ),
        )
        self._log_grew = self._log_grew or recorded.changes > 0
        return recorded

    def _in_shards(
        self, connection: Connection, batch: Collection[Quote], work: Callable[[PostgresTables], T]
    ) -> T:
        """Do the work in the shards of quotes, and in those of their games if they differ."""
        if self._shards == 1:
            return self._noting(PostgresTables(connection), work)
        needed = frozenset(shard_of(plain_name(each.match_name), self._shards) for each in batch)
        while True:
            # Not through psycopg, which drops all prepared statements in a rollback.
            connection.do("SAVEPOINT shards")
            try:
                outcome = self._noting(PostgresTables(connection, needed), work)
            except OtherShardsError as error:
                connection.do("ROLLBACK TO shards")  # unlocks the shards
                needed = error.shards
            else:
                connection.do("RELEASE shards")
                return outcome

    def _open_reader(self, share: Collection[str] | None) -> PostgresReader:
        return PostgresReader(self._address, self.reference, share, self._find_older)

    def _noting(self, tables: PostgresTables, work: Callable[[PostgresTables], T]) -> T:
        """Do the work and note what it wrote to the log, though it may be rolled back."""
        outcome = work(tables)
        self._logged += tables.grown_shards()
        return outcome

    def _forget_logged(self) -> None:
        self._log_grew = False
        self._logged.clear()

    def _announce(self) -> None:
        if not self._log_grew:
            return
        self._log_grew = False
        with self._lock:
            callbacks, told = list(self._callbacks), list(self._told)
        for callback in callbacks:
            callback()
        logged, self._logged = self._logged, []
        if told:
            for each in _joined(logged):
                grown = self._with_changes(each)
                for tell in told:
                    tell(grown)

    def _with_changes(self, grown: Grown) -> Grown:
        """Add the recorded changes: read on this thread, as handing it to another takes longer."""
        count = grown.last - grown.first + 1
        if count > FEW:
            return grown
        try:
            reader = self.reader_for_all()
            return grown._replace(changes=reader.changes_after(grown.first - 1, count, grown.shard))
        except StoreUnavailableError:  # listeners will read it themselves
            return grown


def _joined(logged: Iterable[Grown]) -> Iterable[Grown]:
    """Return the log rows of a transaction's recordings, each shard once."""
    shards: dict[int, Grown] = {}
    for each in logged:
        before = shards.get(each.shard, each)
        shards[each.shard] = Grown(
            each.shard, min(before.first, each.first), max(before.last, each.last)
        )
    return shards.values()
