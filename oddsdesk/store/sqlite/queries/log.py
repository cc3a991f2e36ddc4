"""The log of price changes."""

from typing import Final

from oddsdesk.store.queries.sql import LogSql

SQL: Final = LogSql(
    after="""
        SELECT c.seq, c.game, g.game_id, g.match_name, g.competition, g.sport, c.bookmaker,
            c.market_type, c.period, c.selection, c.odds, c.is_live, c.scraped_at,
            CASE c.bookmaker WHEN :reference THEN c.liquidity END, NOT {told}
        FROM price_change c CROSS JOIN game g ON g.id = c.game
        WHERE c.seq > :seq ORDER BY c.seq LIMIT :limit
    """,
    last_seq="SELECT seq FROM sqlite_sequence WHERE name = 'price_change'",
    history="""
        SELECT c.bookmaker, c.odds, c.is_live, c.scraped_at
        FROM price_change c INDEXED BY price_change_selection
        WHERE c.game = (SELECT id FROM game WHERE game_id = :game_id)
            AND c.selection = :selection AND c.market_type = :market_type AND c.period = :period
        ORDER BY c.scraped_at, c.seq
    """,
    of_shard="TRUE",
    by_time="INDEXED BY price_change_time",
)
