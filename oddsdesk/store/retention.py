"""Keeping the file small: old log rows and forgotten games go, slice by slice.

A game stands with all that was said last of it for as long as the log has anything of it, and
for a day after its last price (D71).
"""

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.queries.past import FORGOTTEN
from oddsdesk.store.recording import recent_since
from oddsdesk.store.settings import NEWEST_SCRAPED_AT, number_setting

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
_NOT_RECENT: Final = """
UPDATE game INDEXED BY game_order SET recent = 0 WHERE recent AND last_scraped_at < ?
"""
_STILL_FORGOTTEN: Final = f"{FORGOTTEN} AND id = :game"
_DROP_GAME: Final = (
    "DELETE FROM quote WHERE game = ?",
    "DELETE FROM coverage WHERE game = ?",
    "DELETE FROM value_bet WHERE game = ?",
    "DELETE FROM game WHERE id = ?",
)


def prune(store: "Store", now_ms: int, keep_log_ms: int = KEEP_LOG_MS) -> int:
    """Remove what is too old and return how many log rows went; waits, so not on a loop.

    Raises:
        StoreUnavailableError: the file cannot be written now; what went before stays gone.
    """
    removed = 0
    while dropped := store.write(_log_slice(now_ms - keep_log_ms)).result():
        removed += dropped
    store.write(_forget_times(now_ms - keep_log_ms)).result()
    store.write(_settle_recent(now_ms)).result()
    dead_before = now_ms - DEAD_AFTER_MS
    for game in store.reader().forgotten_games(dead_before):
        store.write(_forget(game, dead_before)).result()
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


def _settle_recent(now_ms: int) -> Callable[[sqlite3.Connection], None]:
    def settle(connection: sqlite3.Connection) -> None:
        newest = number_setting(connection, NEWEST_SCRAPED_AT) or 0
        connection.execute(_NOT_RECENT, (recent_since(newest, now_ms),))

    return settle


def _forget(game: int, before: int) -> Callable[[sqlite3.Connection], None]:
    """Drop a game unless a price of it has come since it was found."""

    def forget(connection: sqlite3.Connection) -> None:
        if connection.execute(_STILL_FORGOTTEN, {"before": before, "game": game}).fetchall():
            for statement in _DROP_GAME:
                connection.execute(statement, (game,))

    return forget
