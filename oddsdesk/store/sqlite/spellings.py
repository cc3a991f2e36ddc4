"""Joining the spellings of one bookmaker in a database that recorded each apart (D70).

The reference's name stays, else the one that was said last, since that is what sources say now.
The other's rows become its own: of two prices of one market the later one stays, the log keeps
every row. The file as it was lies beside it (``earlier_copy``).
"""

import logging
import sqlite3
from collections import defaultdict
from typing import Final

from oddsdesk.store.bookmaker_names import canonical
from oddsdesk.store.sqlite.settings import stored_reference
from oddsdesk.store.sqlite.tables import STORED_NAMES

_JOINED: Final = "CREATE TEMP TABLE joined (other TEXT PRIMARY KEY, kept TEXT) WITHOUT ROWID"
_GAMES: Final = """
SELECT DISTINCT game FROM quote WHERE bookmaker IN (SELECT other FROM joined)
"""
_TAKE_QUOTES: Final = """
INSERT INTO quote (game, bookmaker, market_type, period,
                   is_live, scraped_at, selections, odds, liquidity, url, offers)
SELECT game, kept, market_type, period,
    is_live, scraped_at, selections, odds, liquidity, url, offers
FROM quote JOIN joined ON other = bookmaker WHERE true
ON CONFLICT DO UPDATE SET
    is_live = excluded.is_live, scraped_at = excluded.scraped_at,
    selections = excluded.selections, odds = excluded.odds,
    liquidity = excluded.liquidity, url = excluded.url, offers = excluded.offers
WHERE excluded.scraped_at > quote.scraped_at
"""
_TAKE_SOURCES: Final = """
INSERT INTO source (bookmaker, market_type, newest)
SELECT kept, market_type, newest FROM source JOIN joined ON other = bookmaker WHERE true
ON CONFLICT DO UPDATE SET newest = max(newest, excluded.newest)
"""
_TAKE_ORIGINS: Final = """
INSERT OR IGNORE INTO origin (game, bookmaker, source, may_share)
SELECT game, kept, source, may_share FROM origin JOIN joined ON other = bookmaker
"""
_RENAME_LOG: Final = """
UPDATE price_change SET bookmaker = kept FROM joined WHERE other = bookmaker
"""
_RENAME_DATES: Final = """
UPDATE game SET match_date_by = kept FROM joined WHERE other = match_date_by
"""
_TAKE: Final = (_TAKE_QUOTES, _TAKE_SOURCES, _TAKE_ORIGINS, _RENAME_LOG, _RENAME_DATES)
_DROP: Final = tuple(
    f"DELETE FROM {table} WHERE bookmaker IN (SELECT other FROM joined)"  # noqa: S608 - constants
    for table in ("quote", "source", "origin", "value_bet")
)
_UNCOVER: Final = "DELETE FROM coverage WHERE game = ?"
_COVER: Final = """
INSERT INTO coverage (game, bookmaker, is_live, newest, oldest, selections)
SELECT game, bookmaker, is_live, max(scraped_at), min(scraped_at), sum(selections) FROM quote
WHERE game = ? AND selections > 0 GROUP BY bookmaker, is_live
"""
_SUM_UP: Final = """
UPDATE game SET (last_scraped_at, has_live) = (
    SELECT coalesce(max(newest), 0), coalesce(max(is_live), 0) FROM coverage WHERE game = :game
) WHERE id = :game
"""

_log = logging.getLogger(__name__)


def join_spellings(connection: sqlite3.Connection) -> None:
    """Give each known bookmaker one name, inside the caller's transaction."""
    joined = _joined(connection)
    if not joined:
        return
    for other, kept in joined:
        _log.info("%s is %s: their prices are one bookmaker's from now on", other, kept)
    connection.execute(_JOINED)
    connection.executemany("INSERT INTO joined VALUES (?, ?)", joined)
    games = connection.execute(_GAMES).fetchall()
    for statement in (
        _TAKE_QUOTES,
        _TAKE_SOURCES,
        _TAKE_ORIGINS,
        _RENAME_LOG,
        _RENAME_DATES,
        *_DROP,
    ):
        connection.execute(statement)
    for (game,) in games:
        connection.execute(_UNCOVER, (game,))
        connection.execute(_COVER, (game,))
        connection.execute(_SUM_UP, {"game": game})
    connection.execute("DROP TABLE joined")


def _joined(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the names that go, each with the one that stays."""
    spellings: defaultdict[str, list[tuple[bool, int, str]]] = defaultdict(list)
    reference = stored_reference(connection)
    for name, newest in connection.execute(STORED_NAMES).fetchall():
        if (known := canonical(name)) is not None:
            spellings[known].append((name == reference, newest, name))
    return [
        (name, max(said)[-1])
        for said in spellings.values()
        for *_, name in sorted(said)
        if name != max(said)[-1]
    ]
