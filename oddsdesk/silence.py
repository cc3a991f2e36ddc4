"""Since when no price of any game came in, by how often some came in before."""

from collections import deque
from collections.abc import Callable
from typing import Final

from oddsdesk.contract.times import MINUTE_MS, WINDOW_MS, format_ms

_TOGETHER_MS: Final = 5_000
"""Prices that were scraped so close to each other came in together."""
_KEPT: Final = 60
_KNOWN_MS: Final = 2 * MINUTE_MS
"""So much of pauses tells what is usual: sources are read in turns, after a start all at once."""
_SILENT_AFTER: Final = 2
"""In usual pauses: the longest of the latest but for one, so that one silence teaches nothing."""
_AT_LEAST_MS: Final = 30_000
_UNSEEN_MS: Final = MINUTE_MS
"""Who did not look for so long, as the computer slept, or whose clock was put back by as much, does
not know what is usual meanwhile."""


class Arrivals:
    """Knows when the newest price of all was scraped, and whether that is longer ago than usual.

    Usual is what the service told itself: a source that is read every ten minutes is not silent
    after one. Until its pauses are known that takes the ten minutes after which no list has a
    price. Times in milliseconds, by the service's clock.
    """

    def __init__(self) -> None:
        self._newest = 0
        self._pauses: deque[int] = deque(maxlen=_KEPT)
        self._since = self._looked_at = 0
        """Since when it was looked without a break, and when last."""

    def begin(self) -> None:
        """Count from the next look on: what went before went unheard."""
        self._looked_at = 0

    def look(self, newest: int, now_ms: int) -> None:
        """Note when the newest price of all was scraped, as the service says now."""
        if abs(now_ms - self._looked_at) > _UNSEEN_MS:
            self._since = now_ms
        self._looked_at = now_ms
        pause = newest - self._newest
        if pause >= _TOGETHER_MS and self._newest >= self._since:
            self._pauses.append(pause)
        self._newest = newest

    def silent_since(self) -> int | None:
        """Return when the newest was scraped, if that was too long ago at the last look.

        None where no price was to be expected: a database of old ones, and no feed.
        """
        newest, since = self._newest, self._since
        if not self._pauses and newest < since - WINDOW_MS:
            return None
        is_silent = self._looked_at - max(newest, since) > self._patience_ms()
        return newest if is_silent else None

    def _patience_ms(self) -> int:
        usual = sorted(self._pauses)[:-1]
        if sum(usual) < _KNOWN_MS:
            return WINDOW_MS
        return max(_AT_LEAST_MS, usual[-1] * _SILENT_AFTER)


class ToldSilence:
    """Says once that no price comes in any more, and once that some do again."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._is_told = False

    def note(self, since: int | None) -> None:
        """Take in what ``Arrivals.silent_since`` says now."""
        if self._is_told is (since is not None):
            return
        self._is_told = since is not None
        if since is None:
            self._tell("prices come in again")
        else:
            self._tell(f"no price of any game came in since {format_ms(since)}: longer than usual")
