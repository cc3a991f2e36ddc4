"""Splitting games that an older oddsdesk took for one (D71): two seasons of the same teams.

The log does not hold kick-offs, so it tells two games apart only where no price of their name
moved for a month, or where prices from before a game follow prices in play. What comes before
becomes a game of its own, named with the date when it was last seen, its kick-off unknown; the
last one keeps name, id and kick-off. No row of the log is lost or changed but for its game.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Final

import msgspec

from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.games import OVER_AFTER_MS, names_of_game, plain_name
from oddsdesk.store.order import ordered_selections

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
    """Split games that an older oddsdesk took for one, and fill the columns of the migration."""
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
    """Move what was scraped up to each cut to a game of its own."""
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
    """Return the last prices of a log as rows of ``quote``, of what moved since ``begin``."""
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
