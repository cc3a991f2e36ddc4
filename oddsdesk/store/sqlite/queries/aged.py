"""Log rows that are older than they are kept for."""

from typing import Final

from oddsdesk.store.queries.select import Select

_SPAN: Final = """
SELECT (SELECT min(seq) FROM price_change), (SELECT max(seq) FROM price_change)
"""
AGED: Final = """
FROM price_change
WHERE seq BETWEEN :first AND :last AND recorded_at - scraped_at <= :keep
"""
"""The rows that may be removed: those that were old when recorded were imported on purpose."""
_OLDEST: Final = f"SELECT min(scraped_at) {AGED}"
_NEWEST_OF: Final = f"SELECT count(*), max(scraped_at) {AGED} AND scraped_at < :before"
_GAMES: Final = f"SELECT DISTINCT game {AGED} AND scraped_at < :before"


def span(select: Select) -> tuple[int, int] | None:
    """Return the first and the last ``seq`` of the log; None where it is empty."""
    first, last = select(_SPAN)[0]
    return None if first is None else (int(first), int(last))


def oldest(select: Select, first: int, last: int, keep_ms: int) -> int | None:
    """Return the time of the oldest price, of some rows, that is not kept for ever."""
    asked = {"first": first, "last": last, "keep": keep_ms}
    found = select(_OLDEST, asked)[0][0]
    return None if found is None else int(found)


def count(
    select: Select, first: int, last: int, keep_ms: int, before: int
) -> tuple[int, int, set[int]]:
    """Return how many of some rows are to go, the time of the newest, and their games."""
    asked = {"first": first, "last": last, "keep": keep_ms, "before": before}
    rows, newest = select(_NEWEST_OF, asked)[0]
    return int(rows), int(newest or 0), {int(game) for (game,) in select(_GAMES, asked)}
