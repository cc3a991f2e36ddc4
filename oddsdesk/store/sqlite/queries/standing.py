"""All present quotes."""

from typing import Final

from oddsdesk.store.queries.sql import WITH_LEVELS, StandingSql
from oddsdesk.store.sqlite.queries import conditions

SQL: Final = StandingSql(
    quotes=f"""
        SELECT g.game_id, g.match_name, g.competition, g.sport, g.match_date,
            q.bookmaker, q.market_type, q.period, q.odds, q.scraped_at, q.is_live,
            {WITH_LEVELS}
        FROM game g INDEXED BY game_order CROSS JOIN quote q ON q.game = g.id
        WHERE g.recent AND g.last_scraped_at >= :since AND q.scraped_at BETWEEN :since AND :until
            AND q.odds IS NOT NULL
        ORDER BY g.kickoff, g.match_name, g.competition, q.bookmaker, q.market_type, q.period
    """,
    draws=f"""
        SELECT DISTINCT g.game_id, c.bookmaker, c.period
        FROM game g INDEXED BY game_order
        CROSS JOIN price_change c INDEXED BY price_change_selection
            ON c.game = g.id AND c.selection {conditions.SQL.is_one_of.format("texts")}
        WHERE g.recent AND g.last_scraped_at >= :since AND c.scraped_at >= :since
            AND c.market_type = 'moneyline'
    """,
)
