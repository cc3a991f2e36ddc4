"""Splitting games that an older oddsdesk confused: two seasons of the same teams.

The log has no kick-offs, so it separates two games only if no price of their name moved for a
month, or if pre-match prices follow in-play prices. The earlier part becomes a separate game, named
with the date when it was last seen, without a kick-off; the last one keeps name, id and kick-off.
No log row is lost; only its game changes.

Joining spellings of a bookmaker: the sharp book's name stays, else the latest one, which sources
use now. Of two prices of one market the later one stays; the log keeps every row. The old file is
saved in the same folder (``earlier_copy``).
"""

import logging
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Final

import msgspec

from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.games import OVER_AFTER_MS, names_of_game, plain_name
from oddsdesk.store.names import canonical
from oddsdesk.store.settings import Settings
from oddsdesk.store.sqlite.tables import STORED_NAMES
from oddsdesk.store.values import ordered_selections

QUIET_MS: Final = 30 * 24 * 60 * MINUTE_MS
_RECENT_MS: Final = 24 * 60 * MINUTE_MS

_MOMENTS: Final = """
CREATE TEMP TABLE moment AS SELECT game, scraped_at, max(is_live) AS in_play
FROM price_change GROUP BY game, scraped_at
"""
_CUTS: Final = """
SELECT game, before, scraped_at FROM (
    SELECT game, scraped_at, in_play, lag(scraped_at) OVER times AS before,
        lag(in_play) OVER times AS was_in_play
    FROM moment WINDOW times AS (PARTITION BY game ORDER BY scraped_at)
) moves JOIN game ON game.id = moves.game
WHERE game.kickoff > before AND (
    scraped_at - before > :quiet
    OR (was_in_play AND NOT in_play AND scraped_at - before > :over)
) ORDER BY game, scraped_at
"""
_GAME: Final = "SELECT competition, sport, match_name FROM game WHERE id = ?"
_NAMES: Final = "SELECT match_name, id FROM game"
_SET_PLAIN: Final = "UPDATE game SET plain_name = ? WHERE id = ?"
_IS_TAKEN: Final = "SELECT 1 FROM game WHERE game_id = ?"
_INSERT: Final = """
INSERT INTO game (game_id, competition, sport, match_name, plain_name) VALUES (?, ?, ?, ?, ?)
"""
_LOG: Final = """
SELECT bookmaker, market_type, period, selection, odds, is_live, scraped_at, liquidity
FROM price_change WHERE game = ? AND scraped_at < ? ORDER BY scraped_at, seq
"""
_MOVE_LOG: Final = "UPDATE price_change SET game = ? WHERE game = ? AND scraped_at <= ?"
_MOVE_QUOTES: Final = "UPDATE quote SET game = ? WHERE game = ? AND scraped_at <= ?"
_KEEP: Final = """
INSERT OR IGNORE INTO quote (game, bookmaker, market_type, period, is_live, scraped_at,
                             selections, odds, liquidity)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
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
_FIRST: Final = """
UPDATE game SET first_scraped_at = min(first_scraped_at, seen.first) FROM (
    SELECT game, min(scraped_at) AS first FROM {} GROUP BY game
) seen WHERE seen.game = game.id
"""
_FIRST_OF: Final = """
UPDATE game SET first_scraped_at = (SELECT min(scraped_at) FROM price_change WHERE game = :game)
WHERE id = :game
"""
_NEWEST: Final = """
INSERT INTO setting (key, value) SELECT 'newest_scraped_at', max(newest) FROM source
WHERE true HAVING max(newest) IS NOT NULL
"""
_RECENT: Final = """
UPDATE game SET recent = 1
WHERE last_scraped_at >= (SELECT max(last_scraped_at) FROM game) - ? AND last_scraped_at > 0
"""

Market = tuple[str, str, int]
"""Bookmaker, market type, period."""
_encode: Final = msgspec.json.Encoder().encode


def part_fused_games(connection: sqlite3.Connection) -> None:
    """Split confused games, and fill the columns of the migration."""
    names = connection.execute(_NAMES).fetchall()
    connection.executemany(_SET_PLAIN, [(plain_name(name), row) for name, row in names])
    cuts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    connection.execute(_MOMENTS)
    limits = {"quiet": QUIET_MS, "over": OVER_AFTER_MS}
    for game, before, after in connection.execute(_CUTS, limits).fetchall():
        cuts[game].append((before, after))
    for table in ("moment", "quote"):
        connection.execute(_FIRST.format(table))
    connection.execute("DROP TABLE moment")
    for game, found in cuts.items():
        _part(connection, game, found)
    connection.execute(_NEWEST)
    connection.execute(_RECENT, (_RECENT_MS,))


def _part(connection: sqlite3.Connection, fused: int, cuts: list[tuple[int, int]]) -> None:
    """Move everything scraped up to each cut to a separate game."""
    parts = [_make(connection, fused, until) for until, _ in cuts]
    log = connection.execute(_LOG, (fused, cuts[-1][1])).fetchall()
    for game, (until, _) in zip(parts, cuts, strict=True):
        connection.execute(_MOVE_LOG, (game, fused, until))
        connection.execute(_MOVE_QUOTES, (game, fused, until))
    begins = [0, *(after for _, after in cuts)]
    _, _, match_name = connection.execute(_GAME, (fused,)).fetchall()[0]
    for game, (begin, end) in zip(parts, pairwise(begins), strict=True):
        rows = _standing([row for row in log if row[6] < end], begin, match_name)
        connection.executemany(_KEEP, [(game, *row) for row in rows])
    for game in (fused, *parts):
        connection.execute(_UNCOVER, (game,))
        connection.execute(_COVER, (game,))
        connection.execute(_SUM_UP, {"game": game})
        connection.execute(_FIRST_OF, {"game": game})


def _make(connection: sqlite3.Connection, fused: int, last_seen: int) -> int:
    competition, sport, match_name = connection.execute(_GAME, (fused,)).fetchall()[0]
    for name in names_of_game(match_name, last_seen):
        ident = game_id(competition, name)
        if not connection.execute(_IS_TAKEN, (ident,)).fetchall():
            break
    values = (ident, competition, sport, name, plain_name(match_name))
    row = connection.execute(_INSERT, values).lastrowid
    assert row is not None
    return row


def _standing(log: Iterable[tuple[Any, ...]], begin: int, match_name: str) -> list[tuple[Any, ...]]:
    """Return the last prices of a log as rows of ``quote``, for moves since ``begin``."""
    odds: defaultdict[Market, dict[str, float]] = defaultdict(dict)
    last: dict[Market, tuple[bool, int, float | None]] = {}
    for bookmaker, market_type, period, selection, price, is_live, scraped_at, liquidity in log:
        market = (bookmaker, market_type, period)
        if price is None:
            odds[market].pop(selection, None)
        else:
            odds[market][selection] = price
        last[market] = (is_live, scraped_at, liquidity)
    return [
        (
            *market,
            is_live,
            scraped_at,
            len(odds[market]),
            _encoded(market, match_name, odds[market]),
            liquidity,
        )
        for market, (is_live, scraped_at, liquidity) in last.items()
        if scraped_at >= begin
    ]


def _encoded(market: Market, match_name: str, odds: dict[str, float]) -> str | None:
    ordered = ordered_selections(market[1], match_name, tuple(odds))
    return _encode({name: odds[name] for name in ordered}).decode() if odds else None


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


_log = logging.getLogger(__name__)


def join_spellings(connection: sqlite3.Connection) -> None:
    """Give each known bookmaker one name, inside the caller's transaction."""
    joined = _joined(connection)
    if not joined:
        return
    for other, kept in joined:
        _log.info("%s is now part of %s: they are one bookmaker", other, kept)
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
    """Return the names to remove, each with the one that stays."""
    spellings: defaultdict[str, list[tuple[bool, int, str]]] = defaultdict(list)
    reference = Settings(connection).stored_reference()
    for name, newest in connection.execute(STORED_NAMES).fetchall():
        if (known := canonical(name)) is not None:
            spellings[known].append((name == reference, newest, name))
    return [
        (name, max(said)[-1])
        for said in spellings.values()
        for *_, name in sorted(said)
        if name != max(said)[-1]
    ]
