"""What the valuation looks at."""

from typing import Final

from oddsdesk.store.queries.sql import ValuationSql
from oddsdesk.store.sqlite.queries import conditions

SQL: Final = ValuationSql(
    games="""
        SELECT id, match_name, sport FROM game INDEXED BY game_order
        WHERE recent AND last_scraped_at >= :since
        UNION SELECT id, match_name, sport FROM game WHERE id IN (SELECT game FROM value_bet)
    """,
    # The index has them in this order, bookmakers within a market, too.
    prices="""
        SELECT market_type, period, '[' || group_concat(
            '[' || json_quote(bookmaker) || ',' || odds || ',' || scraped_at || ','
            || iif(is_live, 'true', 'false') || ']'
        ) || ']'
        FROM quote INDEXED BY quote_market
        WHERE {wanted} AND odds IS NOT NULL AND {told}
        GROUP BY market_type, period {having}
    """,
    said="""
        SELECT '[' || group_concat(
            '[' || q.game || ',' || json_quote(q.market_type) || ',' || q.period || ','
            || json_quote(q.bookmaker) || ',' || q.odds || ',' || q.scraped_at || ','
            || iif(q.is_live, 'true', 'false') || ']'
        ) || ']'
        FROM json_each(:asked) market CROSS JOIN json_each(market.value, '$[3]') name
        CROSS JOIN quote q NOT INDEXED ON q.game = json_extract(market.value, '$[0]')
            AND q.bookmaker = name.value
            AND q.market_type = json_extract(market.value, '$[1]')
            AND q.period = json_extract(market.value, '$[2]')
        WHERE q.odds IS NOT NULL AND {told}
    """,
    drew=f"""
        SELECT DISTINCT bookmaker FROM price_change INDEXED BY price_change_selection
        WHERE game = :game AND selection {conditions.SQL.is_one_of.format("texts")}
            AND market_type = 'moneyline' AND period = :period AND scraped_at >= :since
    """,
    moneylines=f"""
        SELECT other.match_name, q.bookmaker, q.odds
        FROM game g
        CROSS JOIN game other INDEXED BY game_competition ON other.competition = g.competition
        CROSS JOIN quote q ON q.game = other.id
            AND q.bookmaker {conditions.SQL.is_one_of.format("names")}
            AND q.market_type = 'moneyline' AND q.period = 0
        WHERE g.id = :game AND other.recent AND q.scraped_at >= :since AND q.odds IS NOT NULL
    """,
)
