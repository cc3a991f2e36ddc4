"""For how long prices are kept, without an engine (D71, D76)."""

from collections.abc import Iterable
from typing import Final

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS

DAY_MS: Final = 24 * 60 * MINUTE_MS
DEAD_AFTER_MS: Final = DAY_MS
JOINED_FOR_MS: Final = 7 * DAY_MS
"""For so long after its last price a game that is one by aliases of the user's can be two again."""
SLICE: Final = 2_000
"""Log rows removed in a transaction: some 20 ms, so that recording never waits long."""


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
