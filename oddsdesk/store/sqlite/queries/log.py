"""The log of price changes."""

from typing import Final

from oddsdesk.store.queries.sql import WITH_LEVELS, LogSql

SQL: Final = LogSql(
    after="""
        SELECT c.seq, c.game, g.game_id, g.match_name, g.competition, g.sport, c.bookmaker,
            c.market_type, c.period, c.selection, c.odds, c.is_live, c.scraped_at,
            CASE c.bookmaker WHEN :reference THEN c.liquidity END, NOT {told},
            {levels}
        FROM price_change c CROSS JOIN game g ON g.id = c.game
        LEFT JOIN quote q ON q.game = c.game AND q.bookmaker = c.bookmaker
            AND q.market_type = c.market_type AND q.period = c.period
        WHERE c.seq > :seq ORDER BY c.seq LIMIT :limit
    """.replace("{levels}", WITH_LEVELS),
    last_seq="SELECT seq FROM sqlite_sequence WHERE name = 'price_change'",
    history="""
        SELECT c.bookmaker, c.odds, c.is_live, c.scraped_at
        FROM price_change c INDEXED BY price_change_selection
        WHERE c.game = (SELECT id FROM game WHERE game_id = :game_id)
            AND c.selection = :selection AND c.market_type = :market_type AND c.period = :period
        ORDER BY c.scraped_at, c.seq
    """,
    stood="""
        SELECT asked.place, asked.selection, c.odds
        FROM (
            SELECT value ->> 0 AS place, value ->> 1 AS game, value ->> 2 AS bookmaker,
                value ->> 3 AS market_type, value ->> 4 AS period, value ->> 5 AS at,
                value ->> 6 AS selection
            FROM json_each(:asked)
        ) asked CROSS JOIN price_change c INDEXED BY price_change_selection
            ON c.game = asked.game AND c.selection = asked.selection
            AND c.market_type = asked.market_type AND c.period = asked.period
            AND c.bookmaker = asked.bookmaker AND c.scraped_at = (
                SELECT max(scraped_at) FROM price_change INDEXED BY price_change_selection
                WHERE game = asked.game AND selection = asked.selection
                    AND market_type = asked.market_type AND period = asked.period
                    AND bookmaker = asked.bookmaker AND scraped_at <= asked.at
            )
    """,
    withdrawn="""
        SELECT asked.value ->> 0 FROM json_each(:asked) asked WHERE EXISTS (
            SELECT 1 FROM price_change INDEXED BY price_change_time
            WHERE game = asked.value ->> 1 AND scraped_at = asked.value ->> 5
                AND bookmaker = asked.value ->> 2 AND market_type = asked.value ->> 3
                AND period = asked.value ->> 4 AND odds IS NULL
        )
    """,
    of_shard="TRUE",
    by_time="INDEXED BY price_change_time",
)
