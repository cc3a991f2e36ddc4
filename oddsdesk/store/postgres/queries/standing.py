"""All present quotes."""

from typing import Final

from oddsdesk.store.postgres.queries import conditions
from oddsdesk.store.queries.sql import WITH_LEVELS, StandingSql

SQL: Final = StandingSql(
    quotes=f"""
        SELECT g.game_id, g.match_name, g.competition, g.sport, g.match_date,
            q.bookmaker, q.market_type, q.period, q.odds, q.scraped_at, q.is_live,
            {WITH_LEVELS}
        FROM game g JOIN quote q ON q.game = g.id
        WHERE g.recent AND g.last_scraped_at >= :since AND q.scraped_at BETWEEN :since AND :until
            AND q.odds IS NOT NULL
        ORDER BY g.kickoff, g.match_name, g.competition, q.bookmaker, q.market_type, q.period
    """,
    # By game: the log is not walked, however much of it is fresh.
    draws=f"""
        SELECT g.game_id, drew.bookmaker, drew.period
        FROM game g CROSS JOIN LATERAL (
            SELECT DISTINCT c.bookmaker, c.period FROM price_change c
            WHERE c.game = g.id AND c.selection {conditions.SQL.is_one_of.format("texts")}
                AND c.scraped_at >= :since AND c.market_type = 'moneyline'
        ) drew
        WHERE g.recent AND g.last_scraped_at >= :since
    """,
)
