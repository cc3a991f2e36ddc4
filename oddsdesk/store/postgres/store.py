"""The odds in PostgreSQL as a whole: one writer, a reader for each thread."""

import contextlib
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from oddsdesk.clock import Clock, system_clock
from oddsdesk.contract.game_pairs import GamePair, PairState
from oddsdesk.contract.game_results import GameResult
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.bookmaker_names import BookmakerNames, name_among
from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.game_pairs import decide_pairs, find_pairs
from oddsdesk.store.games import plain_name
from oddsdesk.store.older import FindOlder
from oddsdesk.store.origins import Origin
from oddsdesk.store.player_names import PlayerNames
from oddsdesk.store.postgres.connections import TURN_S, ServerAddress, check_writable
from oddsdesk.store.postgres.game_rows import count_shards, divide_log, shard_of
from oddsdesk.store.postgres.migrations import bring_up_to_date, check_current
from oddsdesk.store.postgres.pair_tables import PostgresPairTables
from oddsdesk.store.postgres.prepared import PreparingConnection as Connection
from oddsdesk.store.postgres.reader import PostgresReader
from oddsdesk.store.postgres.results import put_results
from oddsdesk.store.postgres.retention import Pruning
from oddsdesk.store.postgres.settings import (
    agree_on_shift,
    keep_for_feed,
    kept_for_feed,
    put_first,
    put_setting,
    stored_reference,
)
from oddsdesk.store.postgres.tables import (
    OtherShardsError,
    PostgresTables,
    kept_to_itself,
    stored_bookmakers,
)
from oddsdesk.store.postgres.value_bets import replace_value_bets, value_by
from oddsdesk.store.postgres.writer import PostgresWriter
from oddsdesk.store.recording import end_simulation, record_quotes
from oddsdesk.store.settings import ARCHIVE, KEEP_DAYS, REFERENCE
from oddsdesk.store.spans import Position
from oddsdesk.store.tail import Grown, OnRecorded
from oddsdesk.store.turns import SHORT_QUOTES, LastRefusal
from oddsdesk.store.values import FoundValueBet, MarketKey, Recorded

T = TypeVar("T")
FEW: Final = 256
"""Changes of a transaction that are told as a whole."""
LOOK_S: Final = 1.0
"""How long a recording proves that the database can be written."""
HELD_S: Final = 15.0
"""With others recording, a turn comes sooner: after this time health says that there is a lock."""
TRY_S: Final = 0.2
"""How long after a refusal it is tried whether that is over, where somebody asks."""


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
            named = reference or stored_reference(connection)
            stored = name_among(stored_bookmakers(connection), named)
            if reference is not None and not read_only:
                put_setting(connection, REFERENCE, stored)
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


class PostgresStore:
    """Made by ``open_postgres``; any thread may call it, and one closes it."""

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
        self._find_older = find_older
        self.shown = address.shown
        self.path = None
        self.reference = reference
        self.quotes_recorded = 0
        self.quotes_skipped = 0
        self._address = address
        self._clock = clock
        self._share = share
        self._shards = shards
        self._bookmakers = BookmakerNames(reference)
        self._players = PlayerNames()
        self._writer: PostgresWriter | None = None
        if connection is not None:
            self._writer = PostgresWriter(
                "store writer",
                address,
                connection,
                self._announce,
                rolled_back=self._forget_logged,
                may_share=shards == 1,
                turn_s=turn_s,
            )
        self._local = threading.local()
        self._lock = threading.Lock()
        self._readers: list[PostgresReader] = []
        self._callbacks: list[Callable[[], None]] = []
        self._log_grew = False
        self._logged: list[Grown] = []
        self._told: list[OnRecorded] = []
        self._pruning = Pruning(self.write)
        self._refused = LastRefusal()
        self._is_trying = False

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
        """Record checked quotes in one transaction, in their order; see ``Store.record``."""
        batch = list(quotes)
        function = partial(
            self._record, batch=batch, simulated=simulated, origin=origin, shifted=shifted
        )
        future = self._submit(function, is_long=len(batch) > SHORT_QUOTES)
        if self._writer is not None:
            future.add_done_callback(self._note)
        return future

    def end_simulation(self, *, another: bool = False) -> Future[None]:
        """Withdraw what is simulated; see ``Store.end_simulation``."""

        def function(connection: Connection) -> None:
            tables = PostgresTables(connection)
            ending = partial(end_simulation, now_ms=self._clock(), another=another)
            changed = self._noting(tables, ending)
            self._log_grew = self._log_grew or changed > 0

        return self._submit(function, is_long=True)

    def refusal(self) -> StoreUnavailableError | None:
        """Return why the last recording was refused; who asks has it tried whether that is over.

        One that waits longer than ``HELD_S`` for its turn counts as refused meanwhile.
        """
        if self._writer is not None and self._writer.turn_wait_s() > HELD_S:
            held = f"{self.shown}: {Fault.LOCKED.value}: nothing was recorded for {HELD_S:.0f} s"
            return StoreUnavailableError(held, Fault.LOCKED)
        if not self._refused.is_fresh:
            return None
        if (error := self._refused.error) is not None:
            self._try_again(error)
        return error

    def look(self) -> Fault | None:
        """Ask whether the database is read-only, where nobody has recorded; see ``Store.look``."""
        if self._writer is None or self._refused.age_s < LOOK_S:
            return None
        if self._refused.is_fresh and self._refused.error is not None:
            return None
        looked = self.write(check_writable)
        error = looked.exception()
        fault = error.fault if isinstance(error, StoreUnavailableError) else None
        if fault is Fault.READ_ONLY:
            self._refused.note(looked)
        return fault

    def stop_waiting(self) -> None:
        """Have recordings fail that wait for other programs; see ``Store.stop_waiting``."""
        if self._writer is not None:
            self._writer.stop_waiting()

    def write(self, function: Callable[[Connection], T]) -> Future[T]:
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
        with contextlib.closing(self._address.connect()) as connection, self._address.refusals():
            return [name for name in kept_to_itself(connection) if name not in self._share]

    def keep_log(self, days: int) -> Future[None]:
        """Keep the log of price changes for so many days from now on, 0 for ever (D76)."""
        return self.write(partial(put_setting, key=KEEP_DAYS, value=days))

    def adopt_keep_days(self, days: int) -> Future[bool]:
        """Do the same unless it was set before; return whether it was done."""
        return self.write(partial(put_first, key=KEEP_DAYS, value=days))

    def keep_archive(self, folder: Path) -> Future[None]:
        """Note where price history is archived, for who reads it."""
        return self.write(partial(put_setting, key=ARCHIVE, value=str(folder)))

    def prune(self, now_ms: int, keep_days: int = 0, archived: Position | None = None) -> int:
        """Remove what is too old and return how many log rows went; see ``Store.prune``.

        Raises:
            StoreUnavailableError: the database cannot be written now; what went before stays gone.
        """
        return self._pruning.prune(now_ms, keep_days, archived)

    def put_back(self, now_ms: int) -> int:
        """Have prices of the future be an hour old, see ``Store.put_back``; return games.

        Raises:
            StoreUnavailableError: the database cannot be written now.
        """
        return self._pruning.put_back(now_ms)

    def replace_value_bets(
        self, found: Mapping[MarketKey, Collection[FoundValueBet]], now_ms: int
    ) -> Future[None]:
        """Make these the value bets of their markets, found at ``now_ms`` (D29)."""
        return self.write(partial(replace_value_bets, found=found, now_ms=now_ms))

    def value_by(self, how: str) -> Future[None]:
        """Say by what value bets are found from now on; those found by anything else go."""
        return self.write(partial(value_by, how=how))

    def find_pairs(self) -> Future[list[GamePair]]:
        """Suggest the games that may be one; return these and what was decided of others (D69)."""

        def function(connection: Connection) -> list[GamePair]:
            return find_pairs(PostgresPairTables(connection, ()))  # others record meanwhile

        return self._submit(function, is_long=True)

    def decide_pairs(
        self, idents: Collection[int], state: PairState, now_ms: int
    ) -> Future[list[GamePair]]:
        """Decide of pairs of games, or of none; see ``Store.decide_pairs``."""

        def function(connection: Connection) -> list[GamePair]:
            tables = PostgresPairTables(connection)
            return decide_pairs(tables, idents, state, now_ms, reference=self.reference)

        return self._submit(function, is_long=True)

    def agree_on_shift(self, own_ms: int, *, again: bool = False) -> Future[int]:
        """Return by how much an import moves its times; see ``Store.agree_on_shift``."""
        return self.write(partial(agree_on_shift, own_ms=own_ms, again=again))

    def record_results(self, results: Collection[GameResult]) -> Future[None]:
        """Keep how games ended; a game that has a result gets the new one."""
        held = list(results)
        return self.write(lambda connection: put_results(connection, held))

    def keep_for_feed(self, spec: str, kept: bytes) -> Future[None]:
        """Keep what a feed wants to know when it runs next."""
        return self.write(partial(keep_for_feed, spec=spec, kept=kept))

    def kept_for_feed(self, spec: str) -> Future[bytes | None]:
        """Return what a feed kept, None where it never did."""
        return self.write(partial(kept_for_feed, spec=spec))

    def reader(self) -> PostgresReader:
        """Return the calling thread's reader; the store closes it."""
        return self._own_reader("reader", self._share)

    def reader_for_all(self) -> PostgresReader:
        """Return a reader of the calling thread that marks what any source forbids to pass on."""
        return self._own_reader("reader_for_all", ())

    def check(self) -> None:
        """Look whether the odds can be read; waits, so not on a loop."""
        self.reader().check(self.shown)

    def on_commit(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back, on the writer thread, after the log grew; return how to end that."""
        return self._listen(self._callbacks, callback)

    def on_recorded(self, callback: OnRecorded) -> Callable[[], None]:
        """Call back, on the writer thread, with what was recorded here; see ``store.tail``."""
        return self._listen(self._told, callback)

    def close(self) -> None:
        """Finish what is queued, and close every connection."""
        self._close_readers()
        if self._writer is not None:
            self._writer.close()
        self._close_readers()  # those that a callback of the last commit opened

    def _try_again(self, error: StoreUnavailableError) -> None:
        """Begin to record nothing, as a recording begins: nobody else may be trying."""
        with self._lock:
            is_known = error.fault is Fault.FULL  # which only what is written meets
            if is_known or self._is_trying or self._refused.age_s < TRY_S:
                return
            self._is_trying = True
        self.write(lambda connection: PostgresTables(connection).logged()).add_done_callback(
            self._note_try
        )

    def _note_try(self, tried: Future[Any]) -> None:
        self._refused.note(tried)
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
        self,
        connection: Connection,
        batch: Collection[Quote],
        work: Callable[[PostgresTables], T],
    ) -> T:
        """Do the work in the shards of quotes, and in those of their games where these differ."""
        if self._shards == 1:
            return self._noting(PostgresTables(connection), work)
        needed = frozenset(shard_of(plain_name(each.match_name), self._shards) for each in batch)
        while True:
            # Not by psycopg: where that rolls back it drops all statements that are prepared.
            connection.do("SAVEPOINT shards")
            try:
                outcome = self._noting(PostgresTables(connection, needed), work)
            except OtherShardsError as error:
                connection.do("ROLLBACK TO shards")  # lets the shards go
                needed = error.shards
            else:
                connection.do("RELEASE shards")
                return outcome

    def _own_reader(self, name: str, share: Collection[str] | None) -> PostgresReader:
        reader: PostgresReader | None = getattr(self._local, name, None)
        if reader is None:
            reader = PostgresReader(self._address, self.reference, share, self._find_older)
            setattr(self._local, name, reader)
            with self._lock:
                self._readers.append(reader)
        return reader

    def _listen(self, listeners: list[T], callback: T) -> Callable[[], None]:
        with self._lock:
            listeners.append(callback)

        def unsubscribe() -> None:
            with self._lock:
                listeners.remove(callback)

        return unsubscribe

    def _noting(self, tables: PostgresTables, work: Callable[[PostgresTables], T]) -> T:
        """Do the work and note what it wrote to the log, though it may yet be rolled back."""
        outcome = work(tables)
        self._logged += tables.logged()
        return outcome

    def _submit(self, function: Callable[[Connection], T], *, is_long: bool) -> Future[T]:
        if self._writer is None:
            future: Future[T] = Future()
            future.set_exception(StoreUnavailableError(f"{self.shown}: is open for reading only"))
            return future
        return self._writer.submit(function, is_long=is_long)

    def _note(self, recorded: Future[Recorded]) -> None:
        if self._refused.note(recorded):
            self.quotes_recorded += recorded.result().quotes
            self.quotes_skipped += recorded.result().skipped

    def _close_readers(self) -> None:
        with self._lock:
            readers, self._readers = self._readers, []
        for reader in readers:
            reader.close()

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
        """Add what was recorded: read on this thread, as handing it to another takes longer."""
        count = grown.last - grown.first + 1
        if count > FEW:
            return grown
        try:
            reader = self.reader_for_all()
            return grown._replace(changes=reader.changes_after(grown.first - 1, count, grown.shard))
        except StoreUnavailableError:  # who listens looks for itself
            return grown


def _joined(logged: Iterable[Grown]) -> Iterable[Grown]:
    """Return what recordings of one transaction wrote, each shard once."""
    shards: dict[int, Grown] = {}
    for each in logged:
        before = shards.get(each.shard, each)
        shards[each.shard] = Grown(
            each.shard, min(before.first, each.first), max(before.last, each.last)
        )
    return shards.values()
