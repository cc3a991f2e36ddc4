"""How fresh a price is, by its bookmaker's own rhythm."""

from collections import deque
from enum import IntEnum
from statistics import median
from typing import Final

from oddsdesk.contract.times import WINDOW_MS
from oddsdesk.pricing.assessment import usual_stale_after_ms
from oddsdesk.pricing.rules import MAX_AGE_MS, MIN_AGE_MS

_WINDOW: Final = 40
_AT_LEAST: Final = 5
_UNKNOWN_S: Final = 30.0
_SHORTEST_S: Final = 5.0
_LONGEST_S: Final = 120.0
_AGEING_AFTER: Final = 2.0
_STALE_AFTER: Final = 6.0
NEVER_STALE_MS: Final = round(_SHORTEST_S * _STALE_AFTER * 1000)
"""Up to this age no bookmaker's price is stale, in play or not."""


class Freshness(IntEnum):
    """How much a price may still be trusted, best first."""

    FRESH = 0
    AGEING = 1
    STALE = 2
    DEAD = 3


class ScrapeInterval:
    """Learns how often each bookmaker is scraped, from prices that were read twice.

    The interval is the median of the latest re-scrapes, held within 5 s and 120 s, and
    30 s (the contract's slowest) until 5 of them are known.
    """

    def __init__(self) -> None:
        self._gaps: dict[str, deque[int]] = {}
        self._intervals: dict[str, float] = {}
        self._counted_at: dict[str, int] = {}
        self._patience = 0, 0
        self.lessons = 0
        """How often it was learned that bookmakers are to be given more time, or less."""

    @property
    def patience_ms(self) -> int:
        """How long a price may go unread by the desk, before the game, without being the older."""
        return self._patience[0]

    def be_patient(self, patience_ms: int, since_ms: int = 0) -> None:
        """Take in how long a price may go unread, as each move is heard of since a moment.

        What was read before that moment may have moved unheard, and is the older for it.
        """
        self.lessons += (patience_ms, since_ms) != self._patience
        self._patience = patience_ms, since_ms

    def rescraped(self, bookmaker: str, gap_ms: int, scraped_at: int) -> None:
        """Note that a price of a bookmaker was scraped again after ``gap_ms``.

        All that one pass scraped counts once, or a single import would look like a habit.
        """
        if scraped_at - self._counted_at.get(bookmaker, 0) < gap_ms / 2:
            return
        self._counted_at[bookmaker] = scraped_at
        gaps = self._gaps.setdefault(bookmaker, deque(maxlen=_WINDOW))
        gaps.append(gap_ms)
        if len(gaps) >= _AT_LEAST:
            learned = min(max(median(gaps) / 1000, _SHORTEST_S), _LONGEST_S)
            self.lessons += learned != self._intervals.get(bookmaker)
            self._intervals[bookmaker] = learned

    def forget(self) -> None:
        """Know no bookmaker's rhythm any more."""
        for known in (self._gaps, self._intervals, self._counted_at):
            known.clear()
        self.lessons += 1

    def interval_s(self, bookmaker: str) -> float:
        """Return the seconds that pass between two scrapes of a bookmaker."""
        return self._intervals.get(bookmaker, _UNKNOWN_S)

    def stale_after_ms(self, bookmaker: str, in_play: bool | None) -> int:
        """Return the age from which a bookmaker's price is stale.

        That is 6 of its intervals; 180 s, in play 60 s, until they are known (D45). In play it is
        never more: the score may be another.
        """
        known, usual = self._intervals.get(bookmaker), usual_stale_after_ms(in_play)
        if known is None:
            return usual
        return min(round(known * 1000 * _STALE_AFTER), usual if in_play else MAX_AGE_MS)

    def patience_with(self, heard_at: int, now_ms: int, in_play: bool | None) -> int:
        """Return how much of a price's age does not count, as the desk only did not read it again.

        Nothing of it in play: whether the price still stands is asked by the score, too.
        """
        if in_play:
            return 0
        patience_ms, since_ms = self._patience
        return min(patience_ms, max(0, now_ms - max(heard_at, since_ms)))

    def freshness(
        self,
        bookmaker: str,
        scraped_at: int,
        now_ms: int,
        heard_at: int | None = None,
        *,
        in_play: bool | None = None,
    ) -> Freshness:
        """Return how fresh a price is that was last seen at ``scraped_at``, read at ``heard_at``.

        Fresh up to 2 intervals, then ageing until it is stale; dead after 10 minutes, when
        the service itself no longer shows it (D34). One that was seen in the future is stale.
        Without ``heard_at`` all of the age counts. What was not read again may be fresh in play,
        too, for as long as it is not stale.
        """
        age = now_ms - scraped_at
        if age > WINDOW_MS:
            return Freshness.DEAD
        if age < MIN_AGE_MS:
            return Freshness.STALE
        heard_at = now_ms if heard_at is None else heard_at
        counted = age - self.patience_with(heard_at, now_ms, in_play)
        if counted > self.stale_after_ms(bookmaker, in_play):
            return Freshness.STALE
        age -= self.patience_with(heard_at, now_ms, in_play=False)
        is_fresh = age <= _AGEING_AFTER * self.interval_s(bookmaker) * 1000
        return Freshness.FRESH if is_fresh else Freshness.AGEING
