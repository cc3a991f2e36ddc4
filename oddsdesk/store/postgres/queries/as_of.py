"""Games and their prices as they stood at a moment of the past (D71).

The last move is that of the latest price: of a game that was two (D69) some rows may be in another
shard, whose numbers tell nothing of the order.
"""

from typing import Final

from oddsdesk.store.queries.sql import AsOfSql

SQL: Final = AsOfSql(
    last="""
        SELECT DISTINCT ON (bookmaker, market_type, period, selection)
            bookmaker, market_type, period, selection, odds, is_live, scraped_at,
            CASE bookmaker WHEN :reference THEN liquidity END AS liquidity, seq
        FROM price_change WHERE game = :game AND scraped_at <= :at
        ORDER BY bookmaker, market_type, period, selection, scraped_at DESC, seq DESC
    """,
    recent=None,
    totals="""
        WITH present AS (
            SELECT game FROM quote WHERE game = ANY(:games::bigint[])
            GROUP BY game HAVING max(scraped_at) <= :at AND bool_or(odds IS NOT NULL)
        )
        SELECT game, count(DISTINCT bookmaker), max(scraped_at), bool_or(is_live),
            bool_or(:bookmaker::text IS NULL OR bookmaker = :bookmaker::text)
        FROM (
            SELECT game, bookmaker, is_live, scraped_at FROM quote
            WHERE game = ANY(ARRAY(SELECT game FROM present)) AND odds IS NOT NULL
            UNION ALL
            SELECT game, bookmaker, is_live, scraped_at FROM (
                SELECT DISTINCT ON (game, bookmaker, market_type, period, selection)
                    game, bookmaker, is_live, scraped_at, odds
                FROM price_change WHERE scraped_at <= :at AND game = ANY(ARRAY(
                    SELECT unnest(:games::bigint[]) EXCEPT SELECT game FROM present
                ))
                ORDER BY game, bookmaker, market_type, period, selection,
                    scraped_at DESC, seq DESC
            ) last WHERE odds IS NOT NULL
        ) stood WHERE {visible} GROUP BY game
    """,
    candidates="""
        SELECT g.id, g.game_id, g.match_name, g.competition, g.sport, g.match_date, g.kickoff
        FROM game g WHERE {wanted}
        ORDER BY g.kickoff, g.match_name, g.competition LIMIT :limit
    """,
)
