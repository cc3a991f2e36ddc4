"""Games and their prices as they stood at a moment of the past (D71)."""

from typing import Final

from oddsdesk.store.queries.sql import AsOfSql

SQL: Final = AsOfSql(
    last="""
        SELECT bookmaker, market_type, period, selection, odds, is_live, scraped_at,
            CASE bookmaker WHEN :reference THEN liquidity END AS liquidity, max(seq) AS last
        FROM price_change WHERE game = :game AND scraped_at <= :at
        GROUP BY bookmaker, market_type, period, selection
    """,
    recent="""
        SELECT bookmaker, market_type, period, selection, odds, is_live, scraped_at
        FROM price_change INDEXED BY price_change_time WHERE game = :game AND scraped_at <= :at
        ORDER BY scraped_at DESC, seq DESC LIMIT :limit
    """,
    totals="""
        WITH present (game) AS (
            SELECT game FROM quote WHERE game IN (SELECT value FROM json_each(:games))
            GROUP BY game HAVING max(scraped_at) <= :at AND max(odds IS NOT NULL)
        )
        SELECT game, count(DISTINCT bookmaker), max(scraped_at), max(is_live),
            max(:bookmaker IS NULL OR bookmaker = :bookmaker)
        FROM (
            SELECT game, bookmaker, is_live, scraped_at FROM quote
            WHERE game IN present AND odds IS NOT NULL
            UNION ALL
            SELECT game, bookmaker, is_live, scraped_at FROM (
                SELECT game, bookmaker, is_live, scraped_at, odds, max(seq)
                FROM price_change WHERE scraped_at <= :at AND game IN (
                    SELECT value FROM json_each(:games) EXCEPT SELECT game FROM present
                )
                GROUP BY game, bookmaker, market_type, period, selection
            ) WHERE odds IS NOT NULL
        ) stood WHERE {visible} GROUP BY game
    """,
    candidates="""
        SELECT g.id, g.game_id, g.match_name, g.competition, g.sport, g.match_date, g.kickoff
        FROM game g INDEXED BY game_past WHERE {wanted}
        ORDER BY g.kickoff, g.match_name, g.competition LIMIT :limit
    """,
)
