"""How many credits an hour may be spent, where only the source knows when they renew (D68)."""

from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from oddsdesk.contract.times import MINUTE_MS

_HOUR_MS: Final = 60 * MINUTE_MS
_DAY_MS: Final = 24 * _HOUR_MS
_LONGEST_MONTH_MS: Final = 31 * _DAY_MS
_RESERVE: Final = 0.01
"""The share of a month's credits that is kept for what the user asks for."""
_WEEK_H: Final = 168
_MOST_OF_MEAN: Final = 4.0
"""How many times the mean may be spent an hour: a season begins after weeks without games."""


class Credits(msgspec.Struct):
    """The credits of one key, as its source last told them; times in milliseconds.

    Sources renew credits on the first of the month or on the day of a subscription, and tell
    neither: it is seen as ``used`` falling. Until then they have to last as long as they may
    have to, a month of 31 days from when they were first seen.
    """

    left: int
    used: int
    first_seen_ms: int
    renewed_ms: int | None = None
    """When they were last seen to be renewed."""

    def note(self, left: int, used: int, now_ms: int) -> None:
        """Note what the source states now; ``left`` may be below zero."""
        if used < self.used:
            self.renewed_ms = now_ms
        self.left, self.used = left, used

    @property
    def month(self) -> int:
        """How many there are a month."""
        return max(self.left, 0) + self.used

    @property
    def spendable(self) -> float:
        """How many may be spent until they are renewed."""
        return max(self.left - self.month * _RESERVE, 0.0)

    @property
    def renewal_ms(self) -> int:
        """When they are renewed at the latest."""
        if self.renewed_ms is None:
            return self.first_seen_ms + _LONGEST_MONTH_MS
        return _a_month_after(self.renewed_ms)

    def per_hour(self, now_ms: int) -> float:
        """Return how many may be spent an hour from now on."""
        left_ms = self.renewal_ms - now_ms
        if left_ms <= 0:  # it is late: any hour now, and a day is the most that a clock is off
            left_ms = _DAY_MS
        return self.spendable * _HOUR_MS / max(left_ms, _HOUR_MS)


class WeeksNeed(msgspec.Struct):
    """How much there was to read in each hour of the last week, since weeks resemble each other."""

    hours: dict[int, tuple[float, float]] = {}
    """By hour since the epoch: for how much of it that is known, and the need summed over that."""
    noted_ms: int = 0
    need: float = 0.0
    """Since then."""

    def note(self, need: float, now_ms: int) -> None:
        """Take in what there is to read from now on (``poll_rates.need``)."""
        elapsed = (now_ms - self.noted_ms) / _HOUR_MS
        hour = self.noted_ms // _HOUR_MS
        if 0 < elapsed <= 1:  # else nobody looked meanwhile
            if hour not in self.hours:
                self._begin(hour)
            known, summed = self.hours[hour]
            self.hours[hour] = (known + elapsed, summed + elapsed * self.need)
        self.noted_ms, self.need = now_ms, need

    @property
    def of_mean(self) -> float:
        """How much there is to read now beside the mean of a week; hours not known count as now."""
        known = min(sum(hours for hours, _ in self.hours.values()), _WEEK_H)
        summed = sum(summed for _, summed in self.hours.values())
        mean = (summed + self.need * (_WEEK_H - known)) / _WEEK_H
        return min(self.need / mean, _MOST_OF_MEAN) if mean > 0 else 1.0

    def _begin(self, hour: int) -> None:
        self.hours = {each: known for each, known in self.hours.items() if each > hour - _WEEK_H}
        self.hours[hour] = (0.0, 0.0)


def _a_month_after(moment_ms: int) -> int:
    """Return the same time on the same day of the next month, or of the one after it has none."""
    moment = datetime.fromtimestamp(moment_ms / 1000, UTC)
    first = (moment.replace(day=1) + timedelta(days=31)).replace(day=1)
    try:
        after = first.replace(day=moment.day)
    except ValueError:
        after = (first + timedelta(days=31)).replace(day=1)
    return round(after.timestamp() * 1000)
