"""The log of price changes: its tail for the stream, its past for charts."""

from collections.abc import Collection
from typing import Final

from oddsdesk.store.sqlite.queries.conditions import may_be_told, share_parameter
from oddsdesk.store.sqlite.queries.select import Row, Select
from oddsdesk.store.values import Change, HistoryPoint

_AFTER: Final = """
SELECT c.seq, c.game, g.game_id, g.match_name, g.competition, g.sport, c.bookmaker,
    c.market_type, c.period, c.selection, c.odds, c.is_live, c.scraped_at,
    CASE c.bookmaker WHEN :reference THEN c.liquidity END, NOT {}
FROM price_change c CROSS JOIN game g ON g.id = c.game
WHERE c.seq > :seq ORDER BY c.seq LIMIT :limit
"""
_LAST_SEQ: Final = "SELECT seq FROM sqlite_sequence WHERE name = 'price_change'"
_HISTORY: Final = """
SELECT c.bookmaker, c.odds, c.is_live, c.scraped_at
FROM price_change c INDEXED BY price_change_selection
WHERE c.game = (SELECT id FROM game WHERE game_id = :game_id) AND c.selection = :selection
    AND c.market_type = :market_type AND c.period = :period
ORDER BY c.seq
"""


def changes_after(
    select: Select, reference: str, seq: int, limit: int, share: Collection[str] | None
) -> list[Change]:
    """Return the rows of the log after one, in order."""
    asked = {"seq": seq, "limit": limit, "reference": reference, **share_parameter(share)}
    rows = select(_AFTER.format(may_be_told("c", share)), asked)
    return [_change(row) for row in rows]


def last_seq(select: Select) -> int:
    """Return the number of the newest row there ever was, 0 for none."""
    rows = select(_LAST_SEQ)
    return int(rows[0][0]) if rows else 0


def history(
    select: Select,
    game_id: str,
    market_type: str,
    period: int,
    selection: str,
    since_ms: int,
) -> list[HistoryPoint]:
    """Return how the prices of a selection moved, by time of recording.

    Starts with the price of each bookmaker that stood at ``since_ms``.
    """
    parameters = {
        "game_id": game_id,
        "market_type": market_type,
        "period": period,
        "selection": selection,
    }
    standing: dict[str, HistoryPoint] = {}
    later: list[HistoryPoint] = []
    for bookmaker, odds, is_live, scraped_at in select(_HISTORY, parameters):
        point = HistoryPoint(bookmaker, odds, bool(is_live), scraped_at)
        if scraped_at < since_ms:
            standing[bookmaker] = point
        else:
            later.append(point)
    return [point for point in standing.values() if point.odds is not None] + later


def _change(row: Row) -> Change:
    return Change(
        seq=row[0],
        game=row[1],
        game_id=row[2],
        match_name=row[3],
        competition=row[4],
        sport=row[5],
        bookmaker=row[6],
        market_type=row[7],
        period=row[8],
        selection=row[9],
        odds=row[10],
        is_live=bool(row[11]),
        scraped_at=row[12],
        liquidity=row[13],
        is_left_out=bool(row[14]),
    )
