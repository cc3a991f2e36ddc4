"""Keeping a PostgreSQL database small, by the rules of ``sqlite.retention``."""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from oddsdesk.store.aged_log import AgedLog, announcement
from oddsdesk.store.game_pairs import forget_joined, forget_pairs
from oddsdesk.store.postgres.game_rows import ALL_SHARDS, QUEUE
from oddsdesk.store.postgres.pair_tables import PostgresPairTables
from oddsdesk.store.postgres.prepared import PreparingConnection as Connection
from oddsdesk.store.postgres.settings import number_setting
from oddsdesk.store.recording import recent_since
from oddsdesk.store.retention import (
    AHEAD,
    DAY_MS,
    DEAD_AFTER_MS,
    JOINED_FOR_MS,
    PUT_BACK,
    SLICE,
    put_back_times,
)
from oddsdesk.store.settings import NEWEST_SCRAPED_AT
from oddsdesk.store.spans import Position

T = TypeVar("T")

_ALONE: Final = "SELECT shard FROM shard ORDER BY shard FOR UPDATE"
"""Nobody records meanwhile."""
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
"""Of few numbers at a time: what is gone is not looked through again."""
_DROP_TIMES: Final = "DELETE FROM recorded WHERE until < %s"
_CUT_TIME: Final = "UPDATE recorded SET since = %s WHERE since < %s"
_NOT_RECENT: Final = "UPDATE game SET recent = false WHERE recent AND last_scraped_at < %s"
_FORGOTTEN: Final = """
SELECT id FROM game WHERE last_scraped_at < %(before)s
    AND NOT EXISTS (SELECT 1 FROM price_change WHERE game = game.id)
"""
_STILL_FORGOTTEN: Final = f"{_FORGOTTEN} AND id = %(game)s"
_NAMES: Final = {name: f"%({name})s" for name in ("latest", "seen", "game")}
_AHEAD: Final = AHEAD.format(**_NAMES)
_PUT_BACK: Final = tuple(statement.format(**_NAMES) for statement in PUT_BACK)

_log = logging.getLogger(__name__)


class Write(Protocol):
    """Runs a function on the writer, whole or not at all."""

    def __call__(self, function: Callable[[Connection], T]) -> Future[T]:
        """Queue a function."""
        ...


class Pruning:
    """Rounds over one database; it remembers what earlier ones found out about the log."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._aged: dict[int, AgedLog] = {}
        self._has_told = False

    def prune(self, now_ms: int, keep_days: int, archived: Position | None = None) -> int:
        """Remove what is too old and return how many log rows went; see ``Store.prune``."""
        removed = 0
        if keep_days:
            before = now_ms - keep_days * DAY_MS
            # First: who reads on in an archive goes by it.
            self._do(lambda connection: _forget_times(connection, before))
            for (shard,) in self._do(lambda connection: connection.execute(_SHARDS).fetchall()):
                until = None if archived is None else archived[shard]
                removed += self._forget_log(_ShardRows(self._do, shard), before, keep_days, until)
        self._do(lambda connection: _drop_not_recent(connection, now_ms))
        self._do(lambda connection: _forget_joined(connection, now_ms - JOINED_FOR_MS))
        dead_before = now_ms - DEAD_AFTER_MS
        for game in self._do(partial(_forgotten, before=dead_before)):
            self._do(partial(_forget, game=game, before=dead_before))
        return removed

    def put_back(self, now_ms: int) -> int:
        """Have prices of the future be an hour old, a game at a time; return of how many games."""
        asked = put_back_times(now_ms)
        games = self._do(lambda connection: connection.execute(_AHEAD, asked).fetchall())
        for (game,) in games:
            self._do(partial(_put_game_back, asked=asked | {"game": game}))
        return len(games)

    def _forget_log(
        self, rows: "_ShardRows", before: int, keep_days: int, until: int | None
    ) -> int:
        """Log how much of a shard is to be removed, then remove it."""
        aged_log = self._aged.setdefault(rows.shard, AgedLog())
        aged = aged_log.find(rows, keep_days * DAY_MS, before, until)
        if aged.rows:
            level = logging.INFO if self._has_told else logging.WARNING
            self._has_told = True
            _log.log(level, "%s", announcement(aged, keep_days))
        removed = 0
        for block in aged.blocks:
            aged_log.forget(block)
            first, last = aged_log.rows_of(block)
            for low in range(first, last + 1, SLICE):
                part = (low, min(low + SLICE - 1, last))
                removed += rows.drop(part, keep_days * DAY_MS, before)
        return removed

    def _do(self, function: Callable[[Connection], T]) -> T:
        return self._write(function).result()


class _ShardRows:
    """``store.aged_log.LogRows`` of a shard."""

    def __init__(self, do: Callable[[Callable[[Connection], Any]], Any], shard: int) -> None:
        self._do = do
        self.shard = shard

    def log_span(self) -> tuple[int, int] | None:
        """Return the numbers of the first and the last row; None where there is none."""
        first, last = self._asked(_SPAN)
        return None if first is None else (first, last)

    def oldest_aged(self, first: int, last: int, keep_ms: int) -> int | None:
        """Return the oldest time of prices that were no older than ``keep_ms`` when recorded."""
        found: int | None = self._asked(_OLDEST, first=first, last=last, keep=keep_ms)[0]
        return found

    def count_aged(
        self, first: int, last: int, keep_ms: int, before: int
    ) -> tuple[int, int, set[int]]:
        """Return how many rows are to go, the newest's time, and their games."""
        asked = {"first": first, "last": last, "keep": keep_ms, "before": before}
        rows, newest, games = self._asked(_COUNT, **asked)
        return rows, newest, set(games or ())

    def drop(self, rows: tuple[int, int], keep_ms: int, before: int) -> int:
        """Remove some of the rows, from one to another, that are to go; return how many."""
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


def _put_game_back(connection: Connection, asked: dict[str, int]) -> None:
    connection.take_turn((QUEUE, ALL_SHARDS), (_ALONE, ()))
    for statement in _PUT_BACK:
        connection.execute(statement, asked)


def _forget_times(connection: Connection, before: int) -> None:
    connection.execute(_DROP_TIMES, (before,))
    connection.execute(_CUT_TIME, (before, before))


def _drop_not_recent(connection: Connection, now_ms: int) -> None:
    connection.take_turn((QUEUE, ALL_SHARDS), (_ALONE, ()))
    newest = number_setting(connection, NEWEST_SCRAPED_AT) or 0
    connection.execute(_NOT_RECENT, (recent_since(newest, now_ms),))


def _forget_joined(connection: Connection, before: int) -> None:
    forget_joined(PostgresPairTables(connection, ()), before)


def _forgotten(connection: Connection, before: int) -> list[int]:
    rows = connection.execute(_FORGOTTEN, {"before": before}).fetchall()
    return [game for (game,) in rows]


def _forget(connection: Connection, game: int, before: int) -> None:
    """Drop a game unless a price of it has come since it was found."""
    connection.take_turn((QUEUE, ALL_SHARDS), (_ALONE, ()))
    asked = {"before": before, "game": game}
    if not connection.execute(_STILL_FORGOTTEN, asked).fetchall():
        return
    tables = PostgresPairTables(connection, ())
    forget_pairs(tables, game)
    tables.drop_rows(game)
