"""When a row of the log was known: what a backtest's clock goes by.

Rows come in the order in which they were recorded, and none counts as known before those ahead
of it in the same game. What was recorded as it was scraped, at most 15 minutes later, was known
when it was recorded. What was recorded later is an archive's, whose own times are all there is; but
where the log was kept live on that day, it was late, and known no sooner than the live rows before.
"""

from typing import Final

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.rules import MAX_AGE_MS

GAP_MS: Final = 60 * MINUTE_MS
"""A longer time in which nothing was recorded is told."""
LATE_MS: Final = MAX_AGE_MS
"""A price that is recorded so long after it was scraped is no value when it comes."""
_SAME_DAY_MS: Final = 24 * 60 * MINUTE_MS


class Moments:
    """Tells of each row in turn when it was known; times in milliseconds."""

    def __init__(self) -> None:
        self.live_since: int | None = None
        """When the first row was recorded as it was scraped; None before the first."""
        self.live_until: int = 0
        self.silences: list[tuple[int, int]] = []
        """Spans longer than ``GAP_MS`` without such a row."""

    def of(self, scraped_at: int, recorded_at: int, known_before: int) -> tuple[int, bool]:
        """Return when a row was known, and whether it was recorded as it was scraped.

        Args:
            scraped_at: Of the row.
            recorded_at: Of the row.
            known_before: When the row before it in its game was known.
        """
        lag = recorded_at - scraped_at
        if lag <= LATE_MS:
            if self.live_since is None:
                self.live_since = recorded_at
            elif recorded_at - self.live_until > GAP_MS:
                self.silences.append((self.live_until, recorded_at))
            self.live_until = max(self.live_until, recorded_at)
            return max(recorded_at, known_before), True
        was_live = self.live_until if lag < _SAME_DAY_MS else 0
        return max(scraped_at, known_before, was_live), False
