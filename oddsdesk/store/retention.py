"""For how long prices are kept, without an engine (D71, D76)."""

from collections.abc import Iterable
from typing import Final

from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS, Quote
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.reader import LONGEST_WINDOW_MS

DAY_MS: Final = 24 * 60 * MINUTE_MS
DEAD_AFTER_MS: Final = DAY_MS
JOINED_FOR_MS: Final = 7 * DAY_MS
"""For so long after its last price a game that is one by aliases of the user's can be two again."""
SLICE: Final = 2_000
"""Log rows removed in a transaction: some 20 ms, so that recording never waits long."""

AHEAD: Final = """
SELECT id FROM game WHERE recent AND last_scraped_at > {latest} AND (
    SELECT sum(CASE WHEN since <= {latest} THEN until - since ELSE since - until END) FROM recorded
) > 0
"""
"""Games with prices of the future, where the clock agrees with most of the time in which prices
came in: one that begins with a time of years ago agrees with none of it."""
PUT_BACK: Final = (
    "UPDATE quote SET scraped_at = {seen} WHERE game = {game} AND scraped_at > {latest}",
    """
    UPDATE coverage SET (newest, oldest) = (
        SELECT coalesce(max(scraped_at), {seen}), coalesce(min(scraped_at), {seen}) FROM quote
        WHERE quote.game = coverage.game AND quote.bookmaker = coverage.bookmaker
            AND quote.is_live = coverage.is_live AND odds IS NOT NULL
    ) WHERE game = {game} AND newest > {latest}
    """,
    """
    UPDATE game SET last_scraped_at = (
        SELECT coalesce(max(newest), 0) FROM coverage WHERE coverage.game = game.id
    ) WHERE id = {game}
    """,
)


def put_back_times(now_ms: int) -> dict[str, int]:
    """Return the latest time that is none of the future, and one that is in no list (D84)."""
    return {"latest": now_ms + CLOCK_TOLERANCE_MS, "seen": now_ms - LONGEST_WINDOW_MS - 1}


def imported_past(quotes: Iterable[Quote], keep_days: int | None, now_ms: int) -> str | None:
    """Return a line on quotes that are older than the log is kept for; None where none are."""
    if not keep_days:
        return None
    old = sum(quote.scraped_at < now_ms - keep_days * DAY_MS for quote in quotes)
    if not old:
        return None
    return (
        f"{old:,} quotes are older than the {keep_days:,} days that price history is kept here; "
        "being imported, their history stays"
    )
