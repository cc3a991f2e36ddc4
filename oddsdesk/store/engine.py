"""The odds of one database: recording and reading, the same for every engine."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from oddsdesk.base.clock import Clock
from oddsdesk.base.texts import N_
from oddsdesk.contract.identity import GamePair, PairState
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult
from oddsdesk.contract.series import GameSeries
from oddsdesk.store.databases import ARCHIVE, KEEP_DAYS
from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.names import BookmakerNames, PlayerNames
from oddsdesk.store.reader import Reader
from oddsdesk.store.results import record_results
from oddsdesk.store.retention import Pruning
from oddsdesk.store.series import record_series
from oddsdesk.store.settings import Settings
from oddsdesk.store.spans import FindOlder, Position
from oddsdesk.store.turns import SHORT_QUOTES, LastRefusal, Turns
from oddsdesk.store.values import FoundValueBet, MarketKey, Origin, Recorded

T = TypeVar("T")
R = TypeVar("R", bound=Reader)


class Store(ABC):
    """Made by ``open_store``; any thread may call it, and one closes it."""

    path: Path | None = None
    """The file; None for other engines."""
    settings_of: ClassVar[type[Settings]] = Settings
    pruning_of: ClassVar[type[Pruning]]

    def __init__(
        self,
        shown: str,
        reference: str,
        clock: Clock,
        share: Collection[str] | None,
        find_older: FindOlder | None,
    ) -> None:
        self.shown = shown
        """The database without secrets: a file's path or a URL."""
        self.reference = reference
        """The sharp book."""
        self.quotes_recorded = 0
        """How many this process has recorded."""
        self.quotes_skipped = 0
        """How many were older than the stored ones."""
        self._clock = clock
        self._share = share
        self._find_older = find_older
        self._bookmakers = BookmakerNames(reference)
        self._players = PlayerNames()
        self._writer: Turns[Any] | None = None
        self._local = threading.local()
        self._lock = threading.Lock()
        self._readers: list[Reader] = []
        self._callbacks: list[Callable[[], None]] = []
        self._log_grew = False
        self._refused = LastRefusal()
        self._pruning = self.pruning_of(self)

    @property
    def is_read_only(self) -> bool:
        """Whether nothing can be recorded."""
        return self._writer is None

    @abstractmethod
    def record(
        self,
        quotes: Iterable[Quote],
        simulated: bool = False,
        origin: Origin | None = None,
        *,
        shifted: bool = False,
    ) -> Future[Recorded]:
        """Record checked quotes in one transaction, in their order.

        A short recording may overtake a waiting long one: to keep an order, await the first.
        ``simulated``: made-up prices; ``origin``: their source, unless it is the user's program;
        ``shifted``: their times were shifted. The first real prices end all simulated ones. The
        future fails with ``StoreUnavailableError`` if the database cannot be written now, with
        ``RealOddsError`` for simulated prices after real ones.
        """

    @abstractmethod
    def end_simulation(self, *, another: bool = False) -> Future[None]:
        """End the simulated prices; does nothing if real odds already did.

        ``another`` simulation begins: prices still count as simulated.
        """

    @abstractmethod
    def recording_refusal(self) -> StoreUnavailableError | None:
        """Return why odds cannot be recorded now, None if they can as far as known.

        That is the error of the last recording, and a full disk, whether or not this process has
        tried: others record into the file, too.
        """

    @abstractmethod
    def check_recording(self) -> Fault | None:
        """Check whether odds could be recorded now, while none are; blocks, so not on a loop.

        Afterwards ``recording_refusal`` has the result. Also returns a fault that does not stop
        this process now, but stops others, and this process after a restart.
        """

    def stop_waiting(self) -> None:
        """Make recordings that wait for other programs fail, now and later.

        With ``waits`` they would wait without limit. Other recordings are finished.
        """
        if self._writer is not None:
            self._writer.fail_waiting()

    def run_on_writer(self, function: Callable[[Any], T]) -> Future[T]:
        """Run a function on the writer thread; it takes effect completely or not at all.

        For the store itself and its tests.
        """
        return self._submit(function, is_long=False)

    def writing_for_s(self) -> float:
        """Return how long the current transaction has run (s); 0 if there is none."""
        return 0.0 if self._writer is None else self._writer.busy_for_s()

    @abstractmethod
    def sources_left_out(self) -> list[str]:
        """Return the sources that are recorded here but left out by readers."""

    def keep_log(self, days: int) -> Future[None]:
        """Keep the log of price changes for this many days from now on; 0 keeps it for ever."""
        return self.run_on_writer(lambda c: self.settings_of(c).put_setting(KEEP_DAYS, days))

    def adopt_keep_days(self, days: int) -> Future[bool]:
        """Do the same unless it was set before; return whether it was done."""
        return self.run_on_writer(lambda c: self.settings_of(c).put_first(KEEP_DAYS, days))

    def keep_archive(self, folder: Path) -> Future[None]:
        """Store the folder of the archive, where readers continue."""
        place = str(folder)
        return self.run_on_writer(lambda c: self.settings_of(c).put_setting(ARCHIVE, place))

    def prune(self, now_ms: int, keep_days: int = 0, archived: Position | None = None) -> int:
        """Remove old data and return the number of removed log rows; blocks, so not on a loop.

        One thread at a time. Ages count from ``now_ms``; the log is kept for ``keep_days``, 0 for
        ever. Log rows after ``archived`` are kept.

        Raises:
            StoreUnavailableError: the file cannot be written now; earlier removals stay.
        """
        return self._pruning.prune_log(now_ms, keep_days, archived)

    def put_back(self, now_ms: int) -> int:
        """Make prices from the future, recorded by a wrong clock, an hour old; blocks.

        Returns the number of games. Does nothing if the clock disagrees with more of the recorded
        time than it agrees with: it may be the wrong one.

        Raises:
            StoreUnavailableError: the database cannot be written now.
        """
        return self._pruning.put_games_back(now_ms)

    @abstractmethod
    def replace_value_bets(
        self, found: Mapping[MarketKey, Collection[FoundValueBet]], now_ms: int
    ) -> Future[None]:
        """Replace the value bets of their markets by these, found at ``now_ms``."""

    def value_by(self, how: str) -> Future[None]:
        """Set how value bets are found from now on; those found otherwise are deleted."""
        return self.run_on_writer(lambda c: self.settings_of(c).value_by(how))

    @abstractmethod
    def find_pairs(self) -> Future[list[GamePair]]:
        """Suggest games that may be the same; return these and all decisions."""

    @abstractmethod
    def decide_pairs(
        self, idents: Collection[int], state: PairState, now_ms: int
    ) -> Future[list[GamePair]]:
        """Decide pairs of games and return them; if one cannot be decided, none is.

        ``PairState.SUGGESTED`` undoes a decision. The future fails with ``PairError`` if there is
        no such pair, or its state does not allow that.
        """

    def agree_on_shift(self, own_ms: int, *, again: bool = False) -> Future[int]:
        """Return by how much an import moves its times: as the first of this database did.

        ``own_ms`` would move its newest price to now. It is used, and kept for later imports, if
        this is the first import, or with ``again``.
        """
        return self.run_on_writer(lambda c: self.settings_of(c).agree_on_shift(own_ms, again=again))

    def record_results(
        self, results: Iterable[GameResult], origin: Origin | None = None
    ) -> Future[None]:
        """Record how games ended, in one transaction; see ``store.results``.

        ``origin`` is the source of those without one. The future fails with ``RealOddsError`` for
        simulated results after real odds.
        """
        held = list(results)

        def function(connection: Any) -> None:
            record_results(self.settings_of(connection), held, origin, self._clock())

        return self._submit(function, is_long=len(held) > SHORT_QUOTES)

    def record_series(
        self, series: Iterable[GameSeries], origin: Origin | None = None
    ) -> Future[None]:
        """Record statistics of many bookmakers, in one transaction; see ``store.series``.

        ``origin`` is the source of those without one.
        """
        held = list(series)

        def function(connection: Any) -> None:
            record_series(self.settings_of(connection), held, origin, self._clock())

        return self._submit(function, is_long=len(held) > SHORT_QUOTES)

    def keep_for_feed(self, spec: str, kept: bytes) -> Future[None]:
        """Keep what a feed wants to know when it runs next."""
        return self.run_on_writer(lambda c: self.settings_of(c).keep_for_feed(spec, kept))

    def kept_for_feed(self, spec: str) -> Future[bytes | None]:
        """Return what a feed kept, None where it never did."""
        return self.run_on_writer(lambda c: self.settings_of(c).kept_for_feed(spec))

    @abstractmethod
    def reader(self) -> Reader:
        """Return the calling thread's reader; the store closes it."""

    def reader_for_others(self, share: Collection[str]) -> Reader:
        """Return the calling thread's reader for people elsewhere.

        It leaves out what may not be passed on, except of the sources in ``share``; those that the
        store was opened with take precedence. The same in each call.
        """
        if self._share is not None:
            return self.reader()
        return self._own_reader("reader for others", lambda: self._open_reader(share))

    @abstractmethod
    def check_odds(self) -> None:
        """Look whether the odds can be read; waits, so not on a loop.

        Raises:
            StoreError: they cannot, or the database is no longer what was opened.
        """

    def on_commit(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back, on the writer thread, after the log grew; return how to end that."""
        return self._listen(self._callbacks, callback)

    def close(self) -> None:
        """Finish what is queued, close every connection, the writer's last, and sync."""
        self._close_readers()
        if self._writer is not None:
            self._writer.close_writer()
        self._close_readers()  # those that a callback of the last commit opened

    @abstractmethod
    def _open_reader(self, share: Collection[str] | None) -> Reader:
        """Return a new reader; ``share`` as for ``open_store``."""

    def _submit(self, function: Callable[[Any], T], *, is_long: bool) -> Future[T]:
        if self._writer is None:
            future: Future[T] = Future()
            refused = N_(f"{self.shown}: is open read-only")
            future.set_exception(StoreUnavailableError(refused, Fault.READ_ONLY))
            return future
        return self._writer.submit(function, is_long=is_long)

    def _note(self, recorded: Future[Recorded]) -> bool:
        """Count what a recording did; return whether it was done."""
        is_done = self._refused.note_outcome(recorded)
        if is_done:
            self.quotes_recorded += recorded.result().quotes
            self.quotes_skipped += recorded.result().skipped
        return is_done

    def _own_reader(self, name: str, open_reader: Callable[[], R]) -> R:
        """Return what the calling thread opened under a name, opened now where it did not."""
        reader: R | None = getattr(self._local, name, None)
        if reader is None:
            reader = open_reader()
            setattr(self._local, name, reader)
            with self._lock:
                self._readers.append(reader)
        return reader

    def _close_readers(self) -> None:
        with self._lock:
            readers, self._readers = self._readers, []
        for reader in readers:
            reader.close()

    def _listen(self, listeners: list[T], callback: T) -> Callable[[], None]:
        with self._lock:
            listeners.append(callback)

        def unsubscribe() -> None:
            with self._lock:
                listeners.remove(callback)

        return unsubscribe
