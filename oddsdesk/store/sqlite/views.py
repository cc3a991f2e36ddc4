"""Views of the odds file for who reads it with SQL: ``docs/schema.md`` has them, names are kept.

Times are ISO-8601 texts. A step that changes a table they name has to drop and make them again.
"""

from typing import Final

from oddsdesk.pricing.closing import MOST_AGE_MS


def _time(column: str) -> str:
    return f"strftime('%Y-%m-%dT%H:%M:%fZ', {column} / 1000.0, 'unixepoch')"


_GAME: Final = f"""
g.game_id, g.match_name, g.competition, g.sport, {_time("g.match_date")} AS match_date
"""
_MOVE: Final = "c.bookmaker, c.market_type, c.period, c.selection"

VIEWS: Final = (
    f"""
    CREATE VIEW games AS
    SELECT {_GAME},
        (SELECT count(DISTINCT bookmaker) FROM coverage WHERE game = g.id) AS bookmakers,
        {_time("nullif(g.last_scraped_at, 0)")} AS last_scraped_at
    FROM game g
    """,
    f"""
    CREATE VIEW current_prices AS
    SELECT {_GAME}, q.bookmaker, q.market_type, q.period, price.key AS selection,
        price.value AS odds, q.is_live, {_time("q.scraped_at")} AS scraped_at, q.liquidity, q.url
    FROM quote q JOIN game g ON g.id = q.game JOIN json_each(q.odds) price
    WHERE q.odds IS NOT NULL
    """,
    f"""
    CREATE VIEW price_changes AS
    SELECT c.seq, {_time("c.recorded_at")} AS recorded_at, {_time("c.scraped_at")} AS scraped_at,
        {_GAME}, {_MOVE}, c.odds, c.is_live, c.liquidity
    FROM price_change c JOIN game g ON g.id = c.game
    """,
    f"""
    CREATE VIEW selection_history AS
    SELECT {_GAME}, {_MOVE}, c.odds, lag(c.odds) OVER path AS previous_odds, c.is_live,
        {_time("c.scraped_at")} AS since, {_time("lead(c.scraped_at) OVER path")} AS until
    FROM price_change c JOIN game g ON g.id = c.game
    WINDOW path AS (
        PARTITION BY g.game_id, c.selection, c.market_type, c.period, c.bookmaker
        ORDER BY c.scraped_at, c.seq
    )
    """,
)


def _closing_lines(seen_at: str, sightings: str = "") -> tuple[str, ...]:
    """Return how the view is made anew, by when a market was seen last before the kick-off."""
    return (
        "DROP VIEW IF EXISTS closing_lines",
        f"""
        CREATE VIEW closing_lines AS
        SELECT game_id, match_name, competition, sport, match_date, bookmaker, market_type, period,
            selection, odds, scraped_at
        FROM (
            SELECT {_GAME}, {_MOVE}, c.odds, {_time("c.scraped_at")} AS scraped_at,
                row_number() OVER (
                    PARTITION BY g.game_id, c.selection, c.market_type, c.period, c.bookmaker
                    ORDER BY c.scraped_at DESC, c.seq DESC
                ) AS place
            FROM price_change c JOIN game g ON g.id = c.game
            JOIN quote q ON q.game = c.game AND q.bookmaker = c.bookmaker
                AND q.market_type = c.market_type AND q.period = c.period
            {sightings}
            WHERE NOT c.is_live AND c.scraped_at <= g.match_date
                AND {seen_at} >= g.match_date - {MOST_AGE_MS}
        ) last
        WHERE place = 1 AND odds IS NOT NULL
        """,
    )


CLOSING_LINES_THAT_STOOD: Final = _closing_lines("q.scraped_at")
CLOSING_LINES: Final = _closing_lines(
    """coalesce(
                    CASE WHEN q.is_live OR q.scraped_at > g.match_date THEN s.scraped_at END,
                    q.scraped_at
                )""",
    """LEFT JOIN closing_sighting s ON s.game = c.game AND s.bookmaker = c.bookmaker
                AND s.market_type = c.market_type AND s.period = c.period""",
)
