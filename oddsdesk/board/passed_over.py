"""What answers and messages hold that makes no sense, told in the log, but not without end."""

import logging
from collections.abc import Sequence
from typing import Final

from oddsdesk.clock import Clock

_AGAIN_MS: Final = 5_000
"""How long the same complaint rests; a stream may bring nonsense a thousand times a second."""
_LEFT_OUT_AGAIN_MS: Final = 3_600_000
_MOST: Final = 200
_log = logging.getLogger(__name__)


class PassedOver:
    """Logs what was passed over of each answer, and counts what is not told at once."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._told: dict[str, tuple[int, int]] = {}
        """By what was read: when it was told, and how many were not told since."""
        self._left_out: dict[str, int] = {}
        """By game and day: when it was told."""

    def tell_left_out(self, match_name: str, day: str, count: int) -> None:
        """Say that prices are of another game than the one followed; of one day once an hour."""
        now, what = self._clock(), f"{match_name} {day}"
        if 0 <= now - self._left_out.get(what, now - _LEFT_OUT_AGAIN_MS - 1) < _LEFT_OUT_AGAIN_MS:
            return
        if len(self._left_out) >= _MOST:
            self._left_out.clear()
        self._left_out[what] = now
        said = "%s: %d prices of another game of these teams on %s are left out"
        _log.warning(said, match_name, count, day)

    def tell(self, what: str, bad: Sequence[str]) -> None:
        """Say how many were passed over, and the first of them."""
        if not bad:
            return
        now = self._clock()
        told_at, untold = self._told.get(what, (None, 0))
        count = untold + len(bad)
        if told_at is not None and 0 <= now - told_at < _AGAIN_MS:
            self._told[what] = told_at, count
            return
        if len(self._told) >= _MOST:
            self._told.clear()
        self._told[what] = now, 0
        _log.warning("%s: %d passed over, the first: %s", what, count, bad[0])
