"""One game and its quotes."""

from typing import Final

from oddsdesk.store.queries.sql import QuotesSql

SQL: Final = QuotesSql(
    kept_id="""
        WITH RECURSIVE kept (game_id, steps) AS (
            SELECT kept, 1 FROM game_pair WHERE state = 'accepted' AND other = :game_id
            UNION ALL SELECT pair.kept, steps + 1 FROM kept CROSS JOIN game_pair pair
                ON pair.state = 'accepted' AND pair.other = kept.game_id WHERE steps < {steps}
        )
        SELECT game_id FROM kept
    """,
)
