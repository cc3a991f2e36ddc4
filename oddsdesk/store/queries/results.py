"""How games ended, as far as a feed told it: found by name and kick-off, under any name (D69)."""

from typing import Final

from oddsdesk.contract.identity import SAME_GAME_MS
from oddsdesk.pricing.results import Goals, Score
from oddsdesk.store.games import plain_name
from oddsdesk.store.queries.select import Row, Select

_SCORES: Final = """
SELECT g.game_id, ended.home, ended.away, ended.half_home, ended.half_away, 0
FROM result ended CROSS JOIN game g
WHERE g.competition = ended.competition AND g.plain_name = ended.plain_name
    AND g.kickoff BETWEEN ended.kick_off - :apart AND ended.kick_off + :apart
UNION ALL
SELECT g.game_id, ended.home, ended.away, ended.half_home, ended.half_away,
    CASE WHEN o.crosswise THEN 1 ELSE 0 END
FROM result ended CROSS JOIN other_name o CROSS JOIN game g
WHERE o.competition = ended.competition AND o.plain_name = ended.plain_name AND g.id = o.game
    AND g.kickoff BETWEEN ended.kick_off - :apart AND ended.kick_off + :apart
"""
_NAMED: Final = """
SELECT kick_off, home, away, half_home, half_away, 0 FROM result
WHERE competition = :competition AND plain_name = :plain_name
    AND kick_off BETWEEN :earliest AND :latest
"""


def scores(select: Select) -> dict[str, Score]:
    """Return how games ended, by id, home team first as the game names it."""
    return {str(row[0]): _score(row) for row in select(_SCORES, {"apart": SAME_GAME_MS})}


def score_named(select: Select, competition: str, match_name: str, kick_off: int) -> Score | None:
    """Return how a game ended that the database has nothing else of; None where nobody told."""
    asked = {
        "competition": competition,
        "plain_name": plain_name(match_name),
        "earliest": kick_off - SAME_GAME_MS,
        "latest": kick_off + SAME_GAME_MS,
    }
    rows = select(_NAMED, asked)
    return _score(min(rows, key=lambda row: abs(row[0] - kick_off))) if rows else None


def _score(row: Row) -> Score:
    _, home, away, half_home, half_away, crosswise = row
    end, half = Goals(home, away), None
    if half_home is not None and half_away is not None:
        half = Goals(half_home, half_away)
    if not crosswise:
        return Score(end, half)
    return Score(Goals(*reversed(end)), None if half is None else Goals(*reversed(half)))
