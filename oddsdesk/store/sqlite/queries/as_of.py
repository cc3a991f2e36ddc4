"""Games and their prices as they stood at a moment of the past (D71)."""

from typing import Final

from oddsdesk.store.queries.sql import AsOfSql

SQL: Final = AsOfSql(
    newest="SELECT max(scraped_at), max(odds IS NOT NULL) FROM quote WHERE game = :game",
    present="SELECT bookmaker, odds, is_live, scraped_at FROM quote WHERE game = :game",
    last="""
        SELECT bookmaker, market_type, period, selection, odds, is_live, scraped_at,
            CASE bookmaker WHEN :reference THEN liquidity END AS liquidity, max(seq) AS last
        FROM price_change WHERE game = :game AND scraped_at <= :at
        GROUP BY bookmaker, market_type, period, selection
    """,
    total="""
        SELECT count(DISTINCT bookmaker), max(scraped_at), max(is_live),
            max(:bookmaker IS NULL OR bookmaker = :bookmaker)
        FROM (SELECT :game AS game, * FROM ({stood})) stood WHERE odds IS NOT NULL AND {visible}
    """,
    candidates="""
        SELECT g.id, g.game_id, g.match_name, g.competition, g.sport, g.match_date, g.kickoff
        FROM game g INDEXED BY game_past WHERE {wanted}
        ORDER BY g.kickoff, g.match_name, g.competition LIMIT :limit
    """,
)
