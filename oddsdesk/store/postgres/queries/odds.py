"""Quotes in the order of D13."""

from typing import Final

from oddsdesk.store.queries.sql import OddsSql

SQL: Final = OddsSql(
    rows="""
        SELECT coalesce(json_agg(json_build_array(
            bookmaker, match_name, competition, sport, market_type, period, is_live::integer,
            odds, match_date, scraped_at, url, liquidity, kickoff
        )), '[]')::text FROM (
            SELECT q.bookmaker, g.match_name, g.competition, g.sport, q.market_type, q.period,
                q.is_live, q.odds, g.match_date, q.scraped_at, q.url, g.kickoff,
                CASE q.bookmaker WHEN :reference THEN q.liquidity::text END AS liquidity
            FROM game g JOIN quote q ON q.game = g.id
            WHERE {wanted}
            ORDER BY g.kickoff, g.match_name, g.competition, q.bookmaker, q.market_type, q.period
            LIMIT :limit
        ) found
    """,
    market_index="",
)
