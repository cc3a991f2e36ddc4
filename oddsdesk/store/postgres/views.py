"""The views of ``sqlite.views`` in PostgreSQL, where times are ``timestamptz``."""

from typing import Final, LiteralString

from oddsdesk.pricing.closing import MOST_AGE_MS

_GAME: Final = """
g.game_id, g.match_name, g.competition, g.sport,
to_timestamp(g.match_date / 1000.0) AS match_date
"""
_MOVE: Final = "c.bookmaker, c.market_type, c.period, c.selection"
_PATH: Final = "PARTITION BY g.game_id, c.selection, c.market_type, c.period, c.bookmaker"

VIEWS: Final[tuple[LiteralString, ...]] = (
    f"""
    CREATE VIEW games AS
    SELECT {_GAME},
        (SELECT count(DISTINCT bookmaker) FROM coverage WHERE game = g.id) AS bookmakers,
        to_timestamp(nullif(g.last_scraped_at, 0) / 1000.0) AS last_scraped_at
    FROM game g
    """,
    f"""
    CREATE VIEW current_prices AS
    SELECT {_GAME}, q.bookmaker, q.market_type, q.period, price.key AS selection,
        price.value::double precision AS odds, q.is_live,
        to_timestamp(q.scraped_at / 1000.0) AS scraped_at, q.liquidity, q.url
    FROM quote q JOIN game g ON g.id = q.game CROSS JOIN json_each_text(q.odds::json) price
    WHERE q.odds IS NOT NULL
    """,
    f"""
    CREATE VIEW price_changes AS
    SELECT c.seq, to_timestamp(c.recorded_at / 1000.0) AS recorded_at,
        to_timestamp(c.scraped_at / 1000.0) AS scraped_at,
        {_GAME}, {_MOVE}, c.odds, c.is_live, c.liquidity
    FROM price_change c JOIN game g ON g.id = c.game
    """,
    f"""
    CREATE VIEW selection_history AS
    SELECT {_GAME}, {_MOVE}, c.odds, lag(c.odds) OVER path AS previous_odds, c.is_live,
        to_timestamp(c.scraped_at / 1000.0) AS since,
        to_timestamp(lead(c.scraped_at) OVER path / 1000.0) AS until
    FROM price_change c JOIN game g ON g.id = c.game
    WINDOW path AS ({_PATH} ORDER BY c.scraped_at, c.seq)
    """,
)


_CLOSING: Final = """
SELECT game_id, match_name, competition, sport, match_date, bookmaker, market_type, period,
    selection, odds, scraped_at
"""
_CHANGES: Final = f"""
    SELECT {_GAME}, {_MOVE}, c.odds, to_timestamp(c.scraped_at / 1000.0) AS scraped_at,
        row_number() OVER ({_PATH} ORDER BY c.scraped_at DESC, c.seq DESC) AS place
    FROM price_change c JOIN game g ON g.id = c.game
    JOIN quote q ON q.game = c.game AND q.bookmaker = c.bookmaker
        AND q.market_type = c.market_type AND q.period = c.period
"""
_AHEAD: Final = "NOT c.is_live AND c.scraped_at <= g.match_date"
_STANDS: Final = "place = 1 AND odds IS NOT NULL"

CLOSING_LINES_THAT_STOOD: Final[tuple[LiteralString, ...]] = (
    "DROP VIEW IF EXISTS closing_lines",
    f"""
    CREATE VIEW closing_lines AS {_CLOSING} FROM (
        {_CHANGES} WHERE {_AHEAD} AND q.scraped_at >= g.match_date - {MOST_AGE_MS}
    ) last WHERE {_STANDS}
    """,
)
CLOSING_LINES: Final[tuple[LiteralString, ...]] = (
    "DROP VIEW IF EXISTS closing_lines",
    f"""
    CREATE VIEW closing_lines AS {_CLOSING} FROM (
        {_CHANGES}
        LEFT JOIN closing_sighting s ON s.game = c.game AND s.bookmaker = c.bookmaker
            AND s.market_type = c.market_type AND s.period = c.period
        WHERE {_AHEAD} AND coalesce(
            CASE WHEN q.is_live OR q.scraped_at > g.match_date THEN s.scraped_at END, q.scraped_at
        ) >= g.match_date - {MOST_AGE_MS}
    ) last WHERE {_STANDS}
    """,
)
