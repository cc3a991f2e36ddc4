"""Quotes in the order of D13."""

from typing import Final

from oddsdesk.store.queries.sql import WITH_LEVELS, OddsSql

SQL: Final = OddsSql(
    rows="""
        SELECT q.bookmaker, g.match_name, g.competition, g.sport, q.market_type, q.period,
            q.is_live, q.odds, g.match_date, q.scraped_at, q.url,
            CASE q.bookmaker WHEN :reference THEN q.liquidity END, g.kickoff, {levels}
        FROM game g JOIN quote q ON q.game = g.id
        WHERE {wanted}
        ORDER BY g.kickoff, g.match_name, g.competition, q.bookmaker, q.market_type, q.period
        LIMIT :limit
    """.replace("{levels}", WITH_LEVELS),
    is_json=False,
    market_index="",
)
