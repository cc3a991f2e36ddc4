"""Keeping the file small: old log rows and forgotten games are removed, slice by slice.

The log goes by the time of its prices, where the database says for how long it is kept (D76).
What was older than that already when it was recorded is history that somebody imported: it
stays. A game stands with all that was said last of it for as long as the log has anything of
it, and for a day after its last price (D71).
"""

import logging
import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from oddsdesk.store.aged_log import AgedLog, announcement
from oddsdesk.store.game_pairs import forget_joined, forget_pairs
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
from oddsdesk.store.sqlite.pair_tables import SqlitePairTables
from oddsdesk.store.sqlite.queries.aged import AGED
from oddsdesk.store.sqlite.queries.past import FORGOTTEN
from oddsdesk.store.sqlite.settings import number_setting

if TYPE_CHECKING:
    from oddsdesk.store.sqlite.store import SqliteStore

_DROP_LOG: Final = f"""
DELETE FROM price_change
WHERE seq IN (SELECT seq {AGED} AND scraped_at < :before LIMIT :slice)
"""  # noqa: S608 - a constant
_DROP_TIMES: Final = "DELETE FROM recorded WHERE until < :before"
_CUT_TIME: Final = "UPDATE recorded SET since = :before WHERE since < :before"
_NOT_RECENT: Final = """
UPDATE game INDEXED BY game_order SET recent = 0 WHERE recent AND last_scraped_at < ?
"""
_STILL_FORGOTTEN: Final = f"{FORGOTTEN} AND id = :game"
_NAMES: Final = {name: f":{name}" for name in ("latest", "seen", "game")}
_AHEAD: Final = AHEAD.format(**_NAMES)
_PUT_BACK: Final = tuple(statement.format(**_NAMES) for statement in PUT_BACK)


_log = logging.getLogger(__name__)


def prune(
    store: "SqliteStore",
    now_ms: int,
    keep_days: int = 0,
    aged_log: AgedLog | None = None,
    archived: Position | None = None,
) -> int:
    """Remove what is too old and return how many log rows went; waits, so not on a loop.

    Args:
        store: Where from.
        now_ms: What the age of a price is counted from.
        keep_days: For how long the log is kept; 0 for ever.
        aged_log: What earlier calls found out about the log; keeps later ones short.
        archived: Behind which no log row goes; None where any may.

    Raises:
        StoreUnavailableError: the file cannot be written now; what went before stays gone.
    """
    removed = 0
    if keep_days:
        before, until = now_ms - keep_days * DAY_MS, None if archived is None else archived[0]
        removed = _forget_log(store, before, keep_days, aged_log or AgedLog(), until)
    store.write(_drop_not_recent(now_ms)).result()
    store.write(
        lambda connection: forget_joined(SqlitePairTables(connection), now_ms - JOINED_FOR_MS)
    ).result()
    dead_before = now_ms - DEAD_AFTER_MS
    for game in store.reader().forgotten_games(dead_before):
        store.write(_forget(game, dead_before)).result()
    return removed


def put_back(store: "SqliteStore", now_ms: int) -> int:
    """Have prices of the future be an hour old, a game at a time; return of how many games."""
    asked = put_back_times(now_ms)
    games = store.write(lambda c: c.execute(_AHEAD, asked).fetchall()).result()
    for (game,) in games:
        store.write(_put_game_back(asked | {"game": game})).result()
    return len(games)


def _put_game_back(asked: dict[str, int]) -> Callable[[sqlite3.Connection], None]:
    def put_back(connection: sqlite3.Connection) -> None:
        for statement in _PUT_BACK:
            connection.execute(statement, asked)

    return put_back


def _forget_log(
    store: "SqliteStore", before: int, keep_days: int, aged_log: AgedLog, until: int | None
) -> int:
    """Log how much is to be removed, then remove it."""
    removed = 0
    aged = aged_log.find(store.reader(), keep_days * DAY_MS, before, until)
    if aged.rows:
        level = logging.INFO if aged_log.has_told else logging.WARNING
        aged_log.has_told = True
        _log.log(level, "%s", announcement(aged, keep_days))
    store.write(_forget_times(before)).result()  # first: who reads on in an archive goes by it
    for block in aged.blocks:
        aged_log.forget(block)
        rows = aged_log.rows_of(block)
        while dropped := store.write(_log_slice(rows, keep_days * DAY_MS, before)).result():
            removed += dropped
    return removed


def _log_slice(
    rows: tuple[int, int], keep_ms: int, before: int
) -> Callable[[sqlite3.Connection], int]:
    first, last = rows
    asked = {"first": first, "last": last, "keep": keep_ms, "before": before, "slice": SLICE}
    return lambda connection: connection.execute(_DROP_LOG, asked).rowcount


def _forget_times(recorded_before: int) -> Callable[[sqlite3.Connection], None]:
    def forget(connection: sqlite3.Connection) -> None:
        for statement in (_DROP_TIMES, _CUT_TIME):
            connection.execute(statement, {"before": recorded_before})

    return forget


def _drop_not_recent(now_ms: int) -> Callable[[sqlite3.Connection], None]:
    def drop(connection: sqlite3.Connection) -> None:
        newest = number_setting(connection, NEWEST_SCRAPED_AT) or 0
        connection.execute(_NOT_RECENT, (recent_since(newest, now_ms),))

    return drop


def _forget(game: int, before: int) -> Callable[[sqlite3.Connection], None]:
    """Drop a game unless a price of it has come since it was found."""

    def forget(connection: sqlite3.Connection) -> None:
        if connection.execute(_STILL_FORGOTTEN, {"before": before, "game": game}).fetchall():
            tables = SqlitePairTables(connection)
            forget_pairs(tables, game)
            tables.drop_rows(game)

    return forget
