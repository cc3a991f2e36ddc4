"""Games and their prices as they stood at a moment of the past (D71)."""

from typing import Final

from oddsdesk.store.queries.sql import AsOfSql

SQL: Final = AsOfSql(
    newest="SELECT max(scraped_at), bool_or(odds IS NOT NULL) FROM quote WHERE game = :game",
    present="SELECT bookmaker, odds, is_live, scraped_at FROM quote WHERE game = :game",
    last="""
        SELECT DISTINCT ON (bookmaker, market_type, period, selection)
            bookmaker, market_type, period, selection, odds, is_live, scraped_at,
            CASE bookmaker WHEN :reference THEN liquidity END AS liquidity, seq
        FROM price_change WHERE game = :game AND scraped_at <= :at
        ORDER BY bookmaker, market_type, period, selection, seq DESC
    """,
    total="""
        SELECT count(DISTINCT bookmaker), max(scraped_at), bool_or(is_live),
            bool_or(:bookmaker::text IS NULL OR bookmaker = :bookmaker::text)
        FROM (SELECT :game::bigint AS game, told.* FROM ({stood}) told) stood
        WHERE odds IS NOT NULL AND {visible}
    """,
    candidates="""
        SELECT g.id, g.game_id, g.match_name, g.competition, g.sport, g.match_date, g.kickoff
        FROM game g WHERE {wanted}
        ORDER BY g.kickoff, g.match_name, g.competition LIMIT :limit
    """,
)
