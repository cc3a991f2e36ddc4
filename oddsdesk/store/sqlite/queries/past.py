"""How one bookmaker's prices moved, and games that nothing is known of any more."""

from typing import Final

from oddsdesk.store.queries.select import Select
from oddsdesk.store.queries.sql import PastSql

_OF_SELECTION: Final = """
FROM price_change INDEXED BY price_change_selection
WHERE game = (SELECT id FROM game WHERE game_id = :game_id) AND selection = :selection
    AND market_type = :market_type AND period = :period AND bookmaker = :bookmaker
"""
FORGOTTEN: Final = """
SELECT id FROM game WHERE last_scraped_at < :before
    AND NOT EXISTS (SELECT 1 FROM price_change WHERE game = game.id)
"""

SQL: Final = PastSql(
    ends=(
        "SELECT seq, recorded_at FROM price_change WHERE seq >= :seq ORDER BY seq LIMIT 1",
        "SELECT seq, recorded_at FROM price_change WHERE seq = (SELECT max(seq) FROM price_change)",
    ),
    since=f"SELECT odds, is_live, scraped_at {_OF_SELECTION} AND seq >= :first ORDER BY seq",
    before=f"""
        SELECT odds, is_live, scraped_at {_OF_SELECTION} AND seq < :first ORDER BY seq DESC LIMIT 1
    """,
)


def forgotten_games(select: Select, before: int) -> list[int]:
    """Return the rows of games that the log has nothing of, and that were last seen before then."""
    return [game for (game,) in select(FORGOTTEN, {"before": before})]
