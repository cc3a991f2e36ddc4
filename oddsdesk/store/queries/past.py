"""The past of one bookmaker's prices, and when the log took nothing, without reading it all."""

from collections.abc import Iterable, Iterator
from typing import Final

from oddsdesk.store.queries.select import Row, Select
from oddsdesk.store.values import HistoryPoint

Line = tuple[str, int, str]
"""Market type, period, selection."""

_LAST: Final = """
SELECT seq, recorded_at FROM price_change WHERE seq = (SELECT max(seq) FROM price_change)
"""
_NEXT: Final = "SELECT seq, recorded_at FROM price_change WHERE seq >= ? ORDER BY seq LIMIT 1"
_OF_LINE: Final = """
FROM price_change INDEXED BY price_change_selection
WHERE game = (SELECT id FROM game WHERE game_id = :game_id) AND selection = :selection
    AND market_type = :market_type AND period = :period AND bookmaker = :bookmaker
"""
_SINCE: Final = f"SELECT odds, is_live, scraped_at {_OF_LINE} AND seq >= :first ORDER BY seq"
_BEFORE: Final = (
    f"SELECT odds, is_live, scraped_at {_OF_LINE} AND seq < :first ORDER BY seq DESC LIMIT 1"
)


def line_histories(
    select: Select, game_id: str, bookmaker: str, lines: Iterable[Line], since_ms: int
) -> dict[Line, list[HistoryPoint]]:
    """Return how one bookmaker's prices of some selections moved, what stood at first included."""
    first = _first_since(select, since_ms)
    found = {}
    for line in lines:
        parameters = {
            "game_id": game_id,
            "bookmaker": bookmaker,
            "market_type": line[0],
            "period": line[1],
            "selection": line[2],
            "first": first,
        }
        rows = [*select(_BEFORE, parameters), *select(_SINCE, parameters)]
        if rows:
            found[line] = [HistoryPoint(bookmaker, row[0], bool(row[1]), row[2]) for row in rows]
    return found


def began(select: Select) -> int | None:
    """Return when the oldest row of the log was recorded, in milliseconds."""
    first = _row_at(select, 0)
    return None if first is None else int(first[1])


def silences(select: Select, since_ms: int, now_ms: int, longest_ms: int) -> list[tuple[int, int]]:
    """Return the whiles in which no price of any game was recorded, in milliseconds.

    ``longest_ms`` is how long the log may be quiet without being taken for silent. Halving
    the log finds them: what lies within ``longest_ms`` is never read.
    """
    ends = _ends(select)
    if ends is None:
        return []
    first, last = ends
    before = max(first[0], _first_since(select, since_ms) - 1)
    start = _row_at(select, before) or last
    edges = [*_edges(select, start, last, longest_ms), (last[1], now_ms)]
    return [(since, until) for since, until in edges if until - since > longest_ms]


def _edges(select: Select, low: Row, high: Row, longest_ms: int) -> Iterator[tuple[int, int]]:
    """Yield the times on both sides of each long step between two rows (seq, recorded_at)."""
    if high[1] - low[1] <= longest_ms:
        return
    middle = _row_at(select, (low[0] + high[0] + 1) // 2)
    if middle is None or middle[0] >= high[0]:
        middle = _row_at(select, low[0] + 1)
        if middle is None or middle[0] >= high[0]:
            yield low[1], high[1]
            return
    yield from _edges(select, low, middle, longest_ms)
    yield from _edges(select, middle, high, longest_ms)


def _first_since(select: Select, since_ms: int) -> int:
    """Return the number of the first row recorded at or after a time; past the end for none."""
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
