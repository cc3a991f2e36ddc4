"""How long prices are kept, on any engine."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS, Quote
from oddsdesk.contract.times import DAY_MS, format_ms
from oddsdesk.store.databases import NEWEST_SCRAPED_AT
from oddsdesk.store.game_pairs import forget_joined, forget_pairs
from oddsdesk.store.reader import LONGEST_WINDOW_MS
from oddsdesk.store.recording import recent_since
from oddsdesk.store.spans import Position

if TYPE_CHECKING:
    from oddsdesk.store.engine import Store
    from oddsdesk.store.sqlite.pair_tables import PairTables

T = TypeVar("T")

DEAD_AFTER_MS: Final = DAY_MS
JOINED_FOR_MS: Final = 7 * DAY_MS
"""How long after its last price a game joined by the user's aliases can be split again (ms)."""
SLICE: Final = 2_000
"""Log rows removed in a transaction: some 20 ms, so that recording never waits long."""

_DROP_TIMES: Final = "DELETE FROM recorded WHERE until < :before"
_CUT_TIME: Final = "UPDATE recorded SET since = :before WHERE since < :before"
FORGOTTEN: Final = """
SELECT id FROM game WHERE last_scraped_at < :before
    AND NOT EXISTS (SELECT 1 FROM price_change WHERE game = game.id)
"""
_STILL_FORGOTTEN: Final = f"{FORGOTTEN} AND id = :game"
_AHEAD: Final = """
SELECT id FROM game WHERE recent AND last_scraped_at > :latest AND (
    SELECT sum(CASE WHEN since <= :latest THEN until - since ELSE since - until END) FROM recorded
) > 0
"""
"""Games with prices from the future, if the clock agrees with most of the recorded time: a clock
that starts years back agrees with none."""
_PUT_BACK: Final = (
    "UPDATE quote SET scraped_at = :seen WHERE game = :game AND scraped_at > :latest",
    """
    UPDATE coverage SET (newest, oldest) = (
        SELECT coalesce(max(scraped_at), :seen), coalesce(min(scraped_at), :seen) FROM quote
        WHERE quote.game = coverage.game AND quote.bookmaker = coverage.bookmaker
            AND quote.is_live = coverage.is_live AND odds IS NOT NULL
    ) WHERE game = :game AND newest > :latest
    """,
    """
    UPDATE game SET last_scraped_at = (
        SELECT coalesce(max(newest), 0) FROM coverage WHERE coverage.game = game.id
    ) WHERE id = :game
    """,
)


def imported_past(quotes: Iterable[Quote], keep_days: int | None, now_ms: int) -> str | None:
    """Return a line about quotes older than the log is kept for; None without any."""
    if not keep_days:
        return None
    old = sum(quote.scraped_at < now_ms - keep_days * DAY_MS for quote in quotes)
    if not old:
        return None
    return N_(
        f"{old:,} quotes are older than {keep_days:,} days, the time that price history is kept;"
        " being imported, they are kept, too"
    )


BLOCK: Final = 65_536
"""Rows read at a time: some 10 ms."""


class Aged(msgspec.Struct):
    """Rows to be removed: the numbers of their blocks, their count, and the newest time."""

    blocks: list[int]
    rows: int = 0
    games: set[int] = msgspec.field(default_factory=set)
    oldest: int = 0
    newest: int = 0


class LogRows(Protocol):
    """What finding old rows needs from an engine; rows from ``first`` to ``last``."""

    def log_span(self) -> tuple[int, int] | None:
        """Return the numbers of the first and the last row of the log; None for an empty one."""

    def oldest_aged(self, first: int, last: int, keep_ms: int) -> int | None:
        """Return the oldest time of prices that were no older than ``keep_ms`` when recorded."""

    def count_aged(
        self, first: int, last: int, keep_ms: int, before: int
    ) -> tuple[int, int, set[int]]:
        """Return the number of log rows to remove, the newest time, and their games."""


class AgedLog:
    """Remembers the oldest price of each block of the log, so that no block is read too early.

    Age is counted from a price's own time, but the log is in the order of recording, so any
    part of it may hold old prices; an index by time alone would slow every recording.
    """

    def __init__(self) -> None:
        self._keep_ms = 0
        self._oldest: dict[int, int | None] = {}
        self._until = 0

    def find_aged(self, rows: LogRows, keep_ms: int, before: int, until: int | None = None) -> Aged:
        """Return rows older than ``before`` that were no older than ``keep_ms`` when recorded.

        Up to the row ``until``; None for all.
        """
        if keep_ms != self._keep_ms:
            self._keep_ms = keep_ms
            self._oldest.clear()
        aged = Aged([])
        span = rows.log_span()
        if span is None:
            return aged
        self._oldest.pop(self._until // BLOCK, None)  # it may have grown since
        self._until = span[1] if until is None else min(span[1], until)
        first, last = span[0] // BLOCK, self._until // BLOCK
        self._oldest.pop(last, None)
        for block in range(first, last + 1):
            oldest = self._oldest_of(rows, block)
            if oldest is not None and oldest < before:
                self._add(aged, rows, block, before)
                aged.oldest = min(aged.oldest or oldest, oldest)
        return aged

    def invalidate_block(self, block: int) -> None:
        """Read a block again the next time, because rows of it were removed."""
        self._oldest.pop(block, None)

    def ends_of_block(self, block: int) -> tuple[int, int]:
        """Return the first and the last ``seq`` of a block, as far as ``find_aged`` went."""
        return block * BLOCK, min((block + 1) * BLOCK - 1, self._until)

    def _oldest_of(self, rows: LogRows, block: int) -> int | None:
        if block not in self._oldest:
            self._oldest[block] = rows.oldest_aged(*self.ends_of_block(block), self._keep_ms)
        return self._oldest[block]

    def _add(self, aged: Aged, rows: LogRows, block: int, before: int) -> None:
        count, newest, games = rows.count_aged(*self.ends_of_block(block), self._keep_ms, before)
        aged.blocks.append(block)
        aged.rows += count
        aged.games |= games
        aged.newest = max(aged.newest, newest)


def announcement(aged: Aged, keep_days: int) -> str:
    """Return the log line before rows are removed."""
    return (
        f"price history goes, as it is kept for {keep_days:,} days: {aged.rows:,} price changes "
        f"of {len(aged.games):,} games, {format_ms(aged.oldest)} to {format_ms(aged.newest)}"
    )


_log = logging.getLogger(__name__)


class Pruning(ABC):
    """Rounds over one database; it remembers what earlier rounds found out about the log.

    Log rows are removed by the time of their prices, if the database limits how long it is kept.
    Rows already older than that when recorded were imported on purpose: they stay. A game
    and its last prices stay while the log has rows of it, and for a day after its last price.
    """

    def __init__(self, store: "Store") -> None:
        self._store = store
        self._aged: dict[int, AgedLog] = {}
        self._has_told = False

    def prune_log(self, now_ms: int, keep_days: int, archived: Position | None = None) -> int:
        """Remove old data and return the number of removed log rows; see ``Store.prune``."""
        removed = 0
        if keep_days:
            before = now_ms - keep_days * DAY_MS
            self._do(partial(self._forget_times, before=before))
            for shard, rows in self.logs().items():
                until = None if archived is None else archived[shard]
                removed += self._forget_log(shard, rows, before, keep_days, until)
        self._do(partial(self._drop_not_recent, now_ms=now_ms))
        joined_before = now_ms - JOINED_FOR_MS
        self._do(lambda connection: forget_joined(self.pair_tables(connection), joined_before))
        dead_before = now_ms - DEAD_AFTER_MS
        for game in self.forgotten_games(dead_before):
            self._do(partial(self._forget, game=game, before=dead_before))
        return removed

    def put_games_back(self, now_ms: int) -> int:
        """Make prices from the future an hour old, a game at a time; return the number of games."""
        asked = {"latest": now_ms + CLOCK_TOLERANCE_MS, "seen": now_ms - LONGEST_WINDOW_MS - 1}
        games = self._do(lambda connection: self.execute(connection, _AHEAD, asked).fetchall())
        for (game,) in games:
            self._do(partial(self._put_game_back, asked=asked | {"game": game}))
        return len(games)

    @abstractmethod
    def logs(self) -> Mapping[int, LogRows]:
        """Return the rows of each shard of the log."""

    @abstractmethod
    def drop_block(self, shard: int, block: tuple[int, int], keep_ms: int, before: int) -> int:
        """Remove the due rows of a block, a slice at a time; return how many."""

    @abstractmethod
    def drop_not_recent(self, connection: Any, before: int) -> None:
        """Mark games without prices since then as absent from lists of fresh prices."""

    @abstractmethod
    def forgotten_games(self, before: int) -> Collection[int]:
        """Return the games, as rows, without log rows and without prices since then."""

    @abstractmethod
    def pair_tables(self, connection: Any) -> "PairTables":
        """Return the tables of pairs inside a transaction."""

    def execute(self, connection: Any, statement: str, values: Mapping[str, Any]) -> Any:
        """Run a statement whose values are named ``:name``."""
        return connection.execute(statement, values)

    @abstractmethod
    def be_alone(self, connection: Any) -> None:
        """Keep others from recording until the end of the transaction."""

    def _forget_log(
        self, shard: int, rows: LogRows, before: int, keep_days: int, until: int | None
    ) -> int:
        """Log how much will be removed, then remove it."""
        aged_log = self._aged.setdefault(shard, AgedLog())
        aged = aged_log.find_aged(rows, keep_days * DAY_MS, before, until)
        if aged.rows:
            level = logging.INFO if self._has_told else logging.WARNING
            self._has_told = True
            _log.log(level, "%s", announcement(aged, keep_days))
        removed = 0
        for block in aged.blocks:
            aged_log.invalidate_block(block)
            ends = aged_log.ends_of_block(block)
            removed += self.drop_block(shard, ends, keep_days * DAY_MS, before)
        return removed

    def _do(self, function: Callable[[Any], T]) -> T:
        return self._store.run_on_writer(function).result()

    def _forget_times(self, connection: Any, before: int) -> None:
        """Run before log rows are removed: readers of an archive use the times left here."""
        for statement in (_DROP_TIMES, _CUT_TIME):
            self.execute(connection, statement, {"before": before})

    def _drop_not_recent(self, connection: Any, now_ms: int) -> None:
        self.be_alone(connection)
        newest = self._store.settings_of(connection).number_setting(NEWEST_SCRAPED_AT) or 0
        self.drop_not_recent(connection, recent_since(newest, now_ms))

    def _forget(self, connection: Any, game: int, before: int) -> None:
        """Remove a game unless a new price of it has come in."""
        self.be_alone(connection)
        asked = {"before": before, "game": game}
        if self.execute(connection, _STILL_FORGOTTEN, asked).fetchall():
            tables = self.pair_tables(connection)
            forget_pairs(tables, game)
            tables.drop_rows(game)

    def _put_game_back(self, connection: Any, asked: Mapping[str, int]) -> None:
        self.be_alone(connection)
        for statement in _PUT_BACK:
            self.execute(connection, statement, asked)
