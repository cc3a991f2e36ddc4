"""The keys of a database's settings: single values."""

from typing import Final

REFERENCE: Final = "reference"
LAST_SIMULATED_AT: Final = "last_simulated_at"
"""When odds were simulated last; 0: none of them stands any more."""
LAST_REAL_AT: Final = "last_real_at"
LAST_MADE_UP_GAME: Final = "last_made_up_game"
"""The row of the newest game as real odds came: no real price is of one up to it."""
LAST_MADE_UP_MOVE: Final = "last_made_up_move "
"""Before the number of a shard: where its log ended as real odds came."""
NEWEST_SCRAPED_AT: Final = "newest_scraped_at"
"""The newest ``scraped_at`` that was ever recorded."""
KEEP_DAYS: Final = "keep_days"
"""For how many days the log of price changes is kept; 0 or nothing: for ever (D76)."""
ARCHIVE: Final = "archive"
"""The folder that price history is archived in (``Store.keep_archive``)."""
KEEP_ALL: Final = 0
VALUED_BY: Final = "valued_by"
"""By which reference and method value bets were found last (``Store.value_by``)."""
SHIFT_TO_NOW: Final = "shift_to_now_ms"
"""Milliseconds that the first import with moved times added to them (D72)."""
DEFAULT_REFERENCE: Final = "Pinnacle"
"""The reference bookmaker where none was ever set (D1)."""

SOURCE: Final = "source "
"""Before the name of a source: when it was recorded last."""
