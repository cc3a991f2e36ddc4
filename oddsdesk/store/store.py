"""The odds of one database: recording, reading, and the one door to both."""

from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol

from oddsdesk.clock import Clock, system_clock
from oddsdesk.contract.game_pairs import GamePair, PairState
from oddsdesk.contract.game_results import GameResult
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.databases import Database, DatabaseUrl, needing_postgresql
from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.lock import DatabaseLock
from oddsdesk.store.older import FindOlder
from oddsdesk.store.origins import Origin
from oddsdesk.store.reader import Reader
from oddsdesk.store.spans import Position
from oddsdesk.store.sqlite.store import open_sqlite
from oddsdesk.store.values import FoundValueBet, MarketKey, Recorded


class Store(Protocol):
    """Made by ``open_store``; any thread may call it, and one closes it."""

    shown: str
    """The database as it may be said: a file's path, or a URL without what is secret."""
    reference: str
    """The name of the reference bookmaker (D1)."""
    quotes_recorded: int
    """How many this process has recorded since it began."""
    quotes_skipped: int
    """How many were older than what was there (D42)."""

    @property
    def path(self) -> Path | None:
        """The file; None for an engine that has none of ours."""
        ...

    @property
    def is_read_only(self) -> bool:
        """Whether nothing can be recorded."""
        ...

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
        ...

    def end_simulation(self, *, another: bool = False) -> Future[None]:
        """Withdraw what is simulated; where real odds are recorded that is done already.

        ``another`` simulation begins: that prices are simulated goes on being said.
        """
        ...

    def refusal(self) -> StoreUnavailableError | None:
        """Return why prices cannot be recorded now, None where they can as far as is known.

        That is what refused the last recording, where somebody tries; and a disk without room,
        whether or not this process has tried: others record into the file, too.
        """
        ...

    def look(self) -> Fault | None:
        """Look whether prices could be recorded now, though nobody does; waits, so not on a loop.

        ``refusal`` tells from then on what was found. Returns also a fault that keeps others, and
        this process once it is restarted, from recording, but not this process now.
        """
        ...

    def stop_waiting(self) -> None:
        """Have recordings fail, now and from now on, that wait until other programs have written.

        Where ``waits`` was said they would wait as long as it takes. Others are finished.
        """
        ...

    def writing_for_s(self) -> float:
        """Return for how long the transaction that runs now has run; 0 where none does."""
        ...

    def left_out(self) -> list[str]:
        """Return the sources whose prices are recorded here and that readers leave out (D66)."""
        ...

    def keep_log(self, days: int) -> Future[None]:
        """Keep the log of price changes for so many days from now on, 0 for ever (D76)."""
        ...

    def adopt_keep_days(self, days: int) -> Future[bool]:
        """Do the same unless it was set before; return whether it was done."""
        ...

    def keep_archive(self, folder: Path) -> Future[None]:
        """Note where price history is archived, for who reads it."""
        ...

    def prune(self, now_ms: int, keep_days: int = 0, archived: Position | None = None) -> int:
        """Remove what is too old and return how many log rows went; waits, so not on a loop.

        One thread at a time. ``now_ms`` is what ages are counted from; ``keep_days`` is for how
        long the log is kept, 0 for ever. No log row behind ``archived`` goes.

        Raises:
            StoreUnavailableError: the file cannot be written now; what went before stays gone.
        """
        ...

    def put_back(self, now_ms: int) -> int:
        """Have prices of the future, which a wrong clock saw, be an hour old; waits.

        Returns of how many games. None are where the clock agrees with less of the time in which
        prices came in than disagrees with it: it may be the one that is wrong.

        Raises:
            StoreUnavailableError: the database cannot be written now.
        """
        ...

    def replace_value_bets(
        self, found: Mapping[MarketKey, Collection[FoundValueBet]], now_ms: int
    ) -> Future[None]:
        """Make these the value bets of their markets, found at ``now_ms`` (D29)."""
        ...

    def value_by(self, how: str) -> Future[None]:
        """Say by what value bets are found from now on; those found by anything else go."""
        ...

    def find_pairs(self) -> Future[list[GamePair]]:
        """Suggest the games that may be one; return these and what was decided of others (D69)."""
        ...

    def decide_pairs(
        self, idents: Collection[int], state: PairState, now_ms: int
    ) -> Future[list[GamePair]]:
        """Decide of pairs of games, or of none where one cannot be decided of; return them.

        ``PairState.SUGGESTED`` takes back what was decided. The future fails with ``PairError``
        where there is no such pair, or its state allows that not.
        """
        ...

    def agree_on_shift(self, own_ms: int, *, again: bool = False) -> Future[int]:
        """Return by how much an import moves its times: as the first of this database did (D72).

        ``own_ms`` would move its newest price to now: taken, and kept for the next ones, where
        it is the first import or ``again`` says so.
        """
        ...

    def record_results(self, results: Collection[GameResult]) -> Future[None]:
        """Keep how games ended; a game that has a result gets the new one."""
        ...

    def keep_for_feed(self, spec: str, kept: bytes) -> Future[None]:
        """Keep what a feed wants to know when it runs next."""
        ...

    def kept_for_feed(self, spec: str) -> Future[bytes | None]:
        """Return what a feed kept, None where it never did."""
        ...

    def reader(self) -> Reader:
        """Return the calling thread's reader; the store closes it."""
        ...

    def check(self) -> None:
        """Look whether the odds can be read; waits, so not on a loop.

        Raises:
            StoreError: they cannot, or the database is no longer what was opened.
        """
        ...

    def on_commit(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back, on the writer thread, after the log grew; return how to end that."""
        ...

    def close(self) -> None:
        """Finish what is queued, close every connection, the writer's last, and sync."""
        ...


def open_store(
    database: Database,
    reference: str | None = None,
    *,
    read_only: bool = False,
    durable: bool = False,
    lock: DatabaseLock | None = None,
    share: Collection[str] | None = None,
    clock: Clock = system_clock,
    find_older: FindOlder | None = None,
    shards: int | None = None,
    waits: bool = False,
) -> Store:
    """Open the odds of a database; its tables, and a file, are made if they are missing.

    Args:
        database: A file of SQLite, or a database of PostgreSQL.
        reference: The reference bookmaker from now on; None keeps the stored one (D1).
        read_only: Open an existing database for reading only.
        durable: Whether each recording of a file is on the disk before its future is done; else
            that is so within a second (``docs/promises.md``). PostgreSQL's own settings say it.
        lock: The file's lock where this process holds it.
        share: What readers leave out: the prices of sources whose terms forbid passing on, but for
            these. None: nothing (D66).
        clock: The time that recordings are stamped with.
        find_older: Where readers go on for moves that the log has no more; None: they end there.
        shards: Into how many parts the log of a database of PostgreSQL is divided, which is
            settled before it begins; None: as it is. A file has one.
        waits: Whether a recording waits as long as it takes while another program holds the
            database's lock. Else it fails after some seconds. While others record, each waits for
            its turn.

    Raises:
        StoreError: the database cannot be used; says why in one line.
    """
    if isinstance(database, DatabaseUrl):
        with needing_postgresql():
            from oddsdesk.store.postgres.store import open_postgres  # noqa: PLC0415 - an extra
        return open_postgres(
            database.url,
            reference,
            read_only=read_only,
            share=share,
            clock=clock,
            find_older=find_older,
            shards=shards,
            waits=waits,
        )
    return open_sqlite(
        database,
        reference,
        read_only=read_only,
        durable=durable,
        lock=lock,
        share=share,
        clock=clock,
        find_older=find_older,
        waits=waits,
    )
