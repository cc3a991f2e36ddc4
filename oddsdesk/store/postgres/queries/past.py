"""How one bookmaker's prices moved."""

from typing import Final

from oddsdesk.store.queries.sql import PastSql

_OF_SELECTION: Final = """
FROM price_change
WHERE game = (SELECT id FROM game WHERE game_id = :game_id) AND selection = :selection
    AND market_type = :market_type AND period = :period AND bookmaker = :bookmaker
"""

SQL: Final = PastSql(
    ends=None,
    since=f"""
        SELECT odds, is_live, scraped_at {_OF_SELECTION} AND recorded_at >= :since_ms
        ORDER BY seq
    """,
    before=f"""
        SELECT odds, is_live, scraped_at {_OF_SELECTION} AND recorded_at < :since_ms
        ORDER BY seq DESC LIMIT 1
    """,
)
