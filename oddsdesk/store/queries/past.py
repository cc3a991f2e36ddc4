"""How one bookmaker's prices moved, and when nothing was recorded."""

from collections import defaultdict
from collections.abc import Iterable
from operator import itemgetter
from typing import Final

from oddsdesk.store.queries.select import Select
from oddsdesk.store.values import HistoryPoint, SelectionKey

_SEEN: Final = """
SELECT seen.bookmaker, seen.market_type, seen.period, seen.scraped_at
FROM game g CROSS JOIN {} seen WHERE g.game_id = :game_id AND seen.game = g.id
"""
_LAST_SEEN: Final = f"{_SEEN.format('closing_sighting')} UNION ALL {_SEEN.format('quote')}"
_BEGAN: Final = "SELECT min(since) FROM recorded"
_SILENCES: Final = """
SELECT quiet_since, quiet_until FROM (
    SELECT until AS quiet_since,
        lead(since, 1, CAST(:now AS bigint)) OVER (ORDER BY since) AS quiet_until
    FROM recorded
) pauses WHERE quiet_until - quiet_since > :longest AND quiet_until >= :since ORDER BY quiet_since
"""


def selection_histories(
    select: Select, game_id: str, bookmaker: str, selections: Iterable[SelectionKey], since_ms: int
) -> dict[SelectionKey, list[HistoryPoint]]:
    """Return how one bookmaker's prices moved, by selection, from the price at ``since_ms`` on."""
    sql = select.sql.past
    first = None if sql.ends is None else _first_since(select, *sql.ends, since_ms)
    found = {}
    for key in selections:
        parameters = {
            "game_id": game_id,
            "bookmaker": bookmaker,
            "market_type": key[0],
            "period": key[1],
            "selection": key[2],
            "first": first,
            "since_ms": since_ms,
        }
        rows = [*select(sql.before, parameters), *select(sql.since, parameters)]
        rows.sort(key=itemgetter(2))  # a clock that was put back recorded earlier times later
        if rows:
            found[key] = [HistoryPoint(bookmaker, row[0], bool(row[1]), row[2]) for row in rows]
    return found


def last_sightings(select: Select, game_id: str) -> dict[tuple[str, str, int], list[int]]:
    """Return when each bookmaker's market of a game was seen last, in milliseconds.

    Ahead of the game, or of when it was withdrawn, where that is known; then at all.
    """
    seen: defaultdict[tuple[str, str, int], list[int]] = defaultdict(list)
    for *market, scraped_at in select(_LAST_SEEN, {"game_id": game_id}):
        seen[market[0], market[1], market[2]].append(scraped_at)
    return {market: sorted(times) for market, times in seen.items()}


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


def _first_since(select: Select, following: str, last: str, since_ms: int) -> int:
    """Return the ``seq`` of the first row recorded at or after a time; one past the end if none."""
    first = select(following, {"seq": 0})
    if not first:
        return 1
    low, high = first[0][0], select(last)[0][0] + 1
    while low < high:
        middle = (low + high) // 2
        rows = select(following, {"seq": middle})
        if not rows or rows[0][1] >= since_ms:
            high = middle
        else:
            low = rows[0][0] + 1
    return int(low)
