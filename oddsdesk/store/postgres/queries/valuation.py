"""What the valuation looks at."""

from typing import Final

from oddsdesk.store.postgres.queries import conditions
from oddsdesk.store.queries.sql import ValuationSql

SQL: Final = ValuationSql(
    games="""
        SELECT id, match_name, sport FROM game
        WHERE recent AND last_scraped_at >= :since
        UNION SELECT id, match_name, sport FROM game WHERE id IN (SELECT game FROM value_bet)
        ORDER BY id
    """,
    prices="""
        SELECT market_type, period, '[' || string_agg(
            '[' || to_json(bookmaker) || ',' || odds || ',' || scraped_at || ','
            || is_live || ']', ',' ORDER BY bookmaker
        ) || ']'
        FROM quote
        WHERE {wanted} AND odds IS NOT NULL AND {told}
        GROUP BY market_type, period {having}
        ORDER BY market_type, period
    """,
    said="""
        SELECT '[' || string_agg(
            '[' || q.game || ',' || to_json(q.market_type) || ',' || q.period || ','
            || to_json(q.bookmaker) || ',' || q.odds || ',' || q.scraped_at || ','
            || q.is_live || ']', ','
        ) || ']'
        FROM json_array_elements(:asked::json) market
        CROSS JOIN json_array_elements_text(market->3) name
        CROSS JOIN LATERAL (
            SELECT * FROM quote WHERE game = (market->>0)::bigint AND bookmaker = name
                AND market_type = market->>1 AND period = (market->>2)::integer
            OFFSET 0
        ) q
        WHERE q.odds IS NOT NULL AND {told}
    """,
    drew=f"""
        SELECT DISTINCT bookmaker FROM price_change
        WHERE game = :game AND selection {conditions.SQL.is_one_of.format("texts")}
            AND market_type = 'moneyline' AND period = :period AND scraped_at >= :since
    """,
    moneylines=f"""
        SELECT other.match_name, q.bookmaker, q.odds
        FROM game g
        JOIN game other ON other.competition = g.competition
        JOIN quote q ON q.game = other.id
            AND q.bookmaker {conditions.SQL.is_one_of.format("names")}
            AND q.market_type = 'moneyline' AND q.period = 0
        WHERE g.id = :game AND other.recent AND q.scraped_at >= :since AND q.odds IS NOT NULL
    """,
)
