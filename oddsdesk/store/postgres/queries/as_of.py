"""Games and their prices as they stood at a moment of the past (D71).

The last move is that of the latest price: of a game that was two (D69) some rows may be in another
shard, whose numbers tell nothing of the order.
"""

from typing import Final

from oddsdesk.store.queries.sql import AsOfSql

_OF_CELL: Final = "game, bookmaker, market_type, period, selection"


def _last(games: str) -> str:
    """Return the query for the last move of each selection of some games.

    Which one it is, is found by hashing: to sort the moves of all games took longer.
    """
    return f"""
        SELECT c.* FROM (
            SELECT max(ARRAY[scraped_at, seq, shard]) AS found FROM price_change
            WHERE game = ANY({games}) AND scraped_at <= :at GROUP BY {_OF_CELL}
        ) last JOIN price_change c ON c.shard = found[3] AND c.seq = found[2]
    """


_ASKED: Final = ":games::bigint[]"

SQL: Final = AsOfSql(
    seen=f"""
        SELECT game, bookmaker, market_type, period, is_live, scraped_at, odds, url,
            CASE bookmaker WHEN :reference THEN liquidity END
        FROM quote WHERE game = ANY({_ASKED})
    """,
    ahead=f"""
        SELECT game, bookmaker, market_type, period, scraped_at
        FROM closing_sighting WHERE game = ANY({_ASKED}) AND scraped_at <= :at
    """,
    last=f"""
        SELECT game, bookmaker, market_type, period, selection, odds, is_live, scraped_at,
            CASE bookmaker WHEN :reference THEN liquidity END, seq
        FROM ({_last(_ASKED)}) moves
    """,
    totals=f"""
        WITH present AS (
            SELECT game FROM quote WHERE game = ANY({_ASKED})
            GROUP BY game HAVING max(scraped_at) <= :at AND bool_or(odds IS NOT NULL)
        )
        SELECT game, count(DISTINCT bookmaker), max(scraped_at), bool_or(is_live),
            bool_or(:bookmaker::text IS NULL OR bookmaker = :bookmaker::text)
        FROM (
            SELECT game, bookmaker, is_live, scraped_at FROM quote
            WHERE game = ANY(ARRAY(SELECT game FROM present)) AND odds IS NOT NULL
            UNION ALL
            SELECT game, bookmaker, is_live, scraped_at FROM (
                {_last(f"ARRAY(SELECT unnest({_ASKED}) EXCEPT SELECT game FROM present)")}
            ) moves WHERE odds IS NOT NULL
        ) stood WHERE {{visible}} GROUP BY game
    """,
    candidates="""
        SELECT g.id, g.game_id, g.match_name, g.competition, g.sport, g.match_date, g.kickoff
        FROM game g WHERE {wanted}
        ORDER BY g.kickoff, g.match_name, g.competition LIMIT :limit
    """,
    counts=f"SELECT game, count(*) FROM quote WHERE game = ANY({_ASKED}) GROUP BY game",
)
