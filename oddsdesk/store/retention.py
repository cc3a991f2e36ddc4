"""Keeping the file small: old log rows, dead quotes and forgotten games go, slice by slice.

A quote is dead a day after its last scrape: until then it is remembered, so that an older
one is still skipped. A game goes after its last quote and its last row of the log.
"""

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.recording import SUM_UP

if TYPE_CHECKING:
    from oddsdesk.store.store import Store

DEAD_AFTER_MS: Final = 24 * 60 * MINUTE_MS
KEEP_LOG_MS: Final = 30 * 24 * 60 * MINUTE_MS
"""How long the log is kept where nothing else is said."""
SLICE: Final = 2_000
"""Rows a transaction: some 20 ms, so that recording never waits long."""

_LOG_SLICE: Final = "SELECT seq, recorded_at FROM price_change ORDER BY seq LIMIT :slice"
_DROP_LOG: Final = "DELETE FROM price_change WHERE seq <= ?"
_DROP_TIMES: Final = "DELETE FROM recorded WHERE until < ?"
_CUT_TIME: Final = "UPDATE recorded SET since = ?1 WHERE since < ?1"
_STALE_GAMES: Final = """
SELECT DISTINCT game FROM coverage WHERE oldest < :before
UNION SELECT id FROM game WHERE last_scraped_at < :before
"""
_DROP_QUOTES: Final = "DELETE FROM quote WHERE game = :game AND scraped_at < :before"
_DROP_BETS: Final = """
DELETE FROM value_bet WHERE game = :game AND NOT EXISTS (
    SELECT 1 FROM quote q WHERE q.game = value_bet.game AND q.bookmaker = value_bet.bookmaker
        AND q.market_type = value_bet.market_type AND q.period = value_bet.period
)
"""
_UNCOVER: Final = "DELETE FROM coverage WHERE game = :game"
_COVER: Final = """
INSERT INTO coverage (game, bookmaker, is_live, newest, oldest, selections)
SELECT game, bookmaker, is_live, max(scraped_at), min(scraped_at), sum(selections) FROM quote
WHERE game = :game AND selections > 0 GROUP BY bookmaker, is_live
"""
_DROP_GAME: Final = """
DELETE FROM game WHERE id = :game
    AND NOT EXISTS (SELECT 1 FROM quote WHERE game = :game)
    AND NOT EXISTS (SELECT 1 FROM price_change WHERE game = :game)
"""


def prune(store: "Store", now_ms: int, keep_log_ms: int = KEEP_LOG_MS) -> int:
    """Remove what is too old and return how many log rows went; waits, so not on a loop.

    Raises:
        StoreUnavailableError: the file cannot be written now; what went before stays gone.
    """
    removed = 0
    while dropped := store.write(_log_slice(now_ms - keep_log_ms)).result():
        removed += dropped
    store.write(_forget_times(now_ms - keep_log_ms)).result()
    dead_before = now_ms - DEAD_AFTER_MS
    for game in store.write(_stale_games(dead_before)).result():
        store.write(_game(game, dead_before)).result()
    return removed


def _log_slice(recorded_before: int) -> Callable[[sqlite3.Connection], int]:
    def drop(connection: sqlite3.Connection) -> int:
        rows = connection.execute(_LOG_SLICE, {"slice": SLICE}).fetchall()
        old = [seq for seq, recorded_at in rows if recorded_at < recorded_before]
        if old:
            connection.execute(_DROP_LOG, (old[-1],))
        return len(old)

    return drop


def _forget_times(recorded_before: int) -> Callable[[sqlite3.Connection], None]:
    def forget(connection: sqlite3.Connection) -> None:
        for statement in (_DROP_TIMES, _CUT_TIME):
            connection.execute(statement, (recorded_before,))

    return forget


def _stale_games(before: int) -> Callable[[sqlite3.Connection], list[int]]:
    def find(connection: sqlite3.Connection) -> list[int]:
        rows = connection.execute(_STALE_GAMES, {"before": before}).fetchall()
        return [game for (game,) in rows]

    return find


def _game(game: int, before: int) -> Callable[[sqlite3.Connection], None]:
    def clear(connection: sqlite3.Connection) -> None:
        parameters = {"game": game, "before": before}
        connection.execute(_DROP_QUOTES, parameters)
        for statement in (_DROP_BETS, _UNCOVER, _COVER):
            connection.execute(statement, {"game": game})
        connection.execute(SUM_UP, (game,))
        connection.execute(_DROP_GAME, {"game": game})

    return clear
