"""Games in the order of D13."""

from typing import Final

from oddsdesk.store.queries.sql import ListingSql

SQL: Final = ListingSql(
    games="""
        SELECT g.game_id, g.match_name, g.competition, g.sport, g.match_date, g.kickoff,
            (SELECT count(DISTINCT c.bookmaker) FROM coverage c WHERE {covered}),
            (SELECT max({newest}) FROM coverage c WHERE {covered})
        FROM game g INDEXED BY {index}
        WHERE {wanted}
        ORDER BY g.kickoff, g.match_name, g.competition LIMIT :limit
    """
)
