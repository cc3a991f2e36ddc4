"""How one bookmaker's prices moved, and when nothing was recorded."""

from collections.abc import Iterable
from typing import Final

from oddsdesk.store.sqlite.queries.select import Row, Select
from oddsdesk.store.values import HistoryPoint, SelectionKey

_LAST: Final = """
SELECT seq, recorded_at FROM price_change WHERE seq = (SELECT max(seq) FROM price_change)
"""
_NEXT: Final = "SELECT seq, recorded_at FROM price_change WHERE seq >= ? ORDER BY seq LIMIT 1"
_OF_SELECTION: Final = """
FROM price_change INDEXED BY price_change_selection
WHERE game = (SELECT id FROM game WHERE game_id = :game_id) AND selection = :selection
    AND market_type = :market_type AND period = :period AND bookmaker = :bookmaker
"""
_SINCE: Final = f"SELECT odds, is_live, scraped_at {_OF_SELECTION} AND seq >= :first ORDER BY seq"
_BEFORE: Final = (
    f"SELECT odds, is_live, scraped_at {_OF_SELECTION} AND seq < :first ORDER BY seq DESC LIMIT 1"
)
_BEGAN: Final = "SELECT min(since) FROM recorded"
_SILENCES: Final = """
SELECT quiet_since, quiet_until FROM (
    SELECT until AS quiet_since, lead(since, 1, :now) OVER (ORDER BY since) AS quiet_until
    FROM recorded
) WHERE quiet_until - quiet_since > :longest AND quiet_until >= :since ORDER BY quiet_since
"""

FORGOTTEN: Final = """
SELECT id FROM game WHERE last_scraped_at < :before
    AND NOT EXISTS (SELECT 1 FROM price_change WHERE game = game.id)
"""


def selection_histories(
    select: Select, game_id: str, bookmaker: str, selections: Iterable[SelectionKey], since_ms: int
) -> dict[SelectionKey, list[HistoryPoint]]:
    """Return how one bookmaker's prices moved, by selection, from the price at ``since_ms`` on."""
    first = _first_since(select, since_ms)
    found = {}
    for key in selections:
        parameters = {
            "game_id": game_id,
            "bookmaker": bookmaker,
            "market_type": key[0],
            "period": key[1],
            "selection": key[2],
            "first": first,
        }
        rows = [*select(_BEFORE, parameters), *select(_SINCE, parameters)]
        if rows:
            found[key] = [HistoryPoint(bookmaker, row[0], bool(row[1]), row[2]) for row in rows]
    return found


def began(select: Select) -> int | None:
    """Return since when prices are recorded, as far as the log is kept, in milliseconds."""
    first = select(_BEGAN)[0][0]
    return None if first is None else int(first)


def silences(select: Select, since_ms: int, now_ms: int, longest_ms: int) -> list[tuple[int, int]]:
    """Return the spans in which no price of any game was recorded, in milliseconds.

    ``longest_ms`` is the longest pause that is not one of them.
    """
    asked = {"since": since_ms, "now": now_ms, "longest": longest_ms}
    return [(since, until) for since, until in select(_SILENCES, asked)]


def forgotten_games(select: Select, before: int) -> list[int]:
    """Return the rows of games that the log has nothing of, and that were last seen before then."""
    return [game for (game,) in select(FORGOTTEN, {"before": before})]


def _first_since(select: Select, since_ms: int) -> int:
    """Return the ``seq`` of the first row recorded at or after a time; one past the end if none."""
    ends = _ends(select)
    if ends is None:
        return 1
    low, high = ends[0][0], ends[1][0] + 1
    while low < high:
        middle = (low + high) // 2
        row = _row_at(select, middle)
        if row is None or row[1] >= since_ms:
            high = middle
        else:
            low = row[0] + 1
    return int(low)


def _ends(select: Select) -> tuple[Row, Row] | None:
    first, last = _row_at(select, 0), select(_LAST)
    return None if first is None else (first, last[0])


def _row_at(select: Select, seq: int) -> Row | None:
    rows = select(_NEXT, (seq,))
    return rows[0] if rows else None
