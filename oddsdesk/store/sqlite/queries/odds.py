"""Quotes in the order of D13."""

from typing import Final

from oddsdesk.store.queries.sql import WITH_LEVELS, OddsSql

SQL: Final = OddsSql(
    # One row that holds all rows: Python's module gives the interpreter lock away at each row, and
    # threads that read at once would wait for it 500 times an answer. Measured: twice the answers.
    rows="""
        SELECT json_group_array(json_array(
            bookmaker, match_name, competition, sport, market_type, period, is_live,
            odds, match_date, scraped_at, url, liquidity, kickoff, offers
        )) FROM (
            SELECT q.bookmaker, g.match_name, g.competition, g.sport, q.market_type, q.period,
                q.is_live, q.odds, g.match_date, q.scraped_at, q.url, g.kickoff,
                CASE WHEN q.bookmaker = :reference AND q.liquidity IS NOT NULL
                    THEN printf('%!.18g', q.liquidity) END AS liquidity,
                {levels} AS offers
            FROM game g INDEXED BY {games_index}
            CROSS JOIN quote q {quotes_index} ON q.game = g.id
            WHERE {wanted}
            ORDER BY g.kickoff, g.match_name, g.competition, q.bookmaker, q.market_type, q.period
            LIMIT :limit
        )
    """.replace("{levels}", WITH_LEVELS),
    is_json=True,
    market_index="INDEXED BY quote_market",
)
