"""The log of price changes."""

from typing import Final

from oddsdesk.store.queries.sql import WITH_LEVELS, LogSql

_ASKED: Final = """
    asked AS MATERIALIZED (
        SELECT (value->>0)::integer AS place, (value->>1)::bigint AS game, value->>2 AS bookmaker,
            value->>3 AS market_type, (value->>4)::bigint AS period, (value->>5)::bigint AS at,
            value->>6 AS selection
        FROM json_array_elements(:asked::json)
    )
"""
_OF_ASKED: Final = """
    asked.game = c.game AND asked.bookmaker = c.bookmaker
    AND asked.market_type = c.market_type AND asked.period = c.period
"""

SQL: Final = LogSql(
    after="""
        SELECT c.seq, c.game, g.game_id, g.match_name, g.competition, g.sport, c.bookmaker,
            c.market_type, c.period, c.selection, c.odds, c.is_live, c.scraped_at,
            CASE c.bookmaker WHEN :reference THEN c.liquidity END, NOT {told},
            {levels}
        FROM price_change c JOIN game g ON g.id = c.game
        LEFT JOIN quote q ON q.game = c.game AND q.bookmaker = c.bookmaker
            AND q.market_type = c.market_type AND q.period = c.period
        WHERE c.shard = :shard AND c.seq > :seq ORDER BY c.seq LIMIT :limit
    """.replace("{levels}", WITH_LEVELS),
    last_seq="SELECT seq FROM shard WHERE shard = :shard",
    history="""
        SELECT c.bookmaker, c.odds, c.is_live, c.scraped_at
        FROM price_change c
        WHERE c.game = (SELECT id FROM game WHERE game_id = :game_id)
            AND c.selection = :selection AND c.market_type = :market_type AND c.period = :period
        ORDER BY c.scraped_at, c.seq
    """,
    # The index has no bookmakers, so moves are read once for all of them. As a table of their own
    # they are joined by hash; without it, ``asked`` was read again for each selection.
    stood=f"""
        WITH {_ASKED}, moves AS MATERIALIZED (
            SELECT c.* FROM (SELECT DISTINCT game, selection FROM asked) wanted
            CROSS JOIN LATERAL (
                SELECT * FROM price_change
                WHERE game = wanted.game AND selection = wanted.selection OFFSET 0
            ) c
        )
        SELECT place, selection, odds FROM (
            SELECT asked.place, asked.selection, c.odds, c.scraped_at,
                max(c.scraped_at) OVER (PARTITION BY asked.place, asked.selection) AS last
            FROM moves c JOIN asked ON {_OF_ASKED}
                AND asked.selection = c.selection AND c.scraped_at <= asked.at
        ) earlier WHERE scraped_at = last
    """,
    withdrawn=f"""
        WITH {_ASKED}, moves AS MATERIALIZED (
            SELECT c.* FROM (SELECT DISTINCT game FROM asked) wanted
            CROSS JOIN LATERAL (
                SELECT * FROM price_change WHERE game = wanted.game AND odds IS NULL OFFSET 0
            ) c
        )
        SELECT DISTINCT asked.place
        FROM moves c JOIN asked ON {_OF_ASKED} AND asked.at = c.scraped_at
    """,
    of_shard="c.shard = :shard",
    by_time="",
)
