"""The requests that the key has left, and how to divide them."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Final, NamedTuple

from oddsdesk.base.clock import Clock
from oddsdesk.base.polling import Reading, poll_rates
from oddsdesk.client.answers import CLOCKS_AGREE_MS, reset_ms, whole_number
from oddsdesk.contract.access import DAY_S
from oddsdesk.contract.times import MINUTE_MS


class Quota(NamedTuple):
    """Requests left in the current window; times in milliseconds."""

    remaining: int
    resets_at_ms: int | None
    as_of_ms: int
    limit: int | None = None
    """Requests in the whole window, if the service sends it; the contract has no such field."""

    def used_up_until_ms(self, under_way: int, now_ms: int) -> int | None:
        """Return how long to stop making requests, None if one more is allowed.

        Args:
            under_way: Number of requests in progress, which are not counted yet.
            now_ms: The current time.
        """
        until = self.resets_at_ms or self.as_of_ms + MINUTE_MS
        return until if self.remaining <= under_way and now_ms < until else None

    def after(self, before: "Quota | None", under_way: int) -> "Quota":
        """Return what is left after one of the requests in progress was answered.

        Answers may arrive in another order than the requests were counted in.
        """
        if before is None or under_way <= 1 or not self._is_of_window(before):
            return self
        return self._replace(remaining=min(self.remaining, before.remaining))

    def _is_of_window(self, other: "Quota") -> bool:
        if self.resets_at_ms is None or other.resets_at_ms is None:
            return self.resets_at_ms is other.resets_at_ms
        return abs(self.resets_at_ms - other.resets_at_ms) <= CLOCKS_AGREE_MS


def read_quota(headers: Mapping[str, str], now_ms: int) -> Quota | None:
    """Return the quota in an answer's headers, None if there is none.

    If the window supposedly ended before the answer, its end is unknown.
    """
    remaining = whole_number(headers, "x-ratelimit-remaining")
    if remaining is None:
        return None
    resets_at = reset_ms(headers, now_ms)
    if resets_at is not None and resets_at < now_ms - CLOCKS_AGREE_MS:
        resets_at = None
    limit = whole_number(headers, "x-ratelimit-limit")
    return Quota(remaining, resets_at, now_ms, limit)


_MOST_KEPT: Final = 0.1
"""The largest share of the remaining requests that is reserved for the user's own."""
_KEPT_EVERY_S: Final = 60.0
"""One request is reserved per this many seconds until the quota renews."""
_HOUR_S: Final = 3_600

ReadingNow = Callable[[], Reading]
"""Returns the cost of a reading and how much currently depends on it."""


class _Left(NamedTuple):
    requests: int
    seconds: float
    """Until the quota renews."""

    @property
    def spendable(self) -> float:
        """Without those reserved for games that the user opens."""
        kept = min(self.requests * _MOST_KEPT, self.seconds / _KEPT_EVERY_S)
        return self.requests - kept


class Budget:
    """Divides the requests that a key has left among everything that is read with it.

    It uses the remaining requests of the latest answer, not the granted ones, since other programs
    may use the same key. Without a quota, everything is read as often as it is useful.
    """

    def __init__(self, clock: Clock, quota: Callable[[], Quota | None]) -> None:
        """Start without plans.

        Args:
            clock: Returns the time in milliseconds.
            quota: Returns what is left; None if unknown or unlimited.
        """
        self._clock = clock
        self._quota = quota
        self._plans: dict[str, ReadingNow] = {}
        self._blocked_until_ms = 0

    def plan_reading(self, name: str, reading: ReadingNow) -> None:
        """Plan to read something under a name; replaces its earlier plan."""
        self._plans[name] = reading

    def drop_reading(self, name: str) -> None:
        """Remove a plan."""
        self._plans.pop(name, None)

    def block(self, until_ms: int) -> None:
        """Record that the service refuses requests until a time (429)."""
        self._blocked_until_ms = max(self._blocked_until_ms, until_ms)

    def blocked_s(self) -> float:
        """Return the seconds until requests are accepted again, 0 if they are now."""
        return max(0, self._blocked_until_ms - self._clock()) / 1000

    @property
    def spendable(self) -> float:
        """Requests that may be made without the user asking; inf if unknown."""
        left = self._left()
        return inf if left is None else left.spendable

    def periods_s(self) -> dict[str, float]:
        """Return the seconds between two readings that fit the quota, by name.

        The shares are the planner's; at most a day, since no window is longer.
        """
        readings = [reading() for reading in self._plans.values()]
        left = self._left()
        per_hour = inf if left is None else left.spendable / left.seconds * _HOUR_S
        rates = poll_rates(readings, per_hour)
        return {
            name: min(_HOUR_S / rate, DAY_S) if rate > 0 else DAY_S
            for name, rate in zip(self._plans, rates, strict=True)
        }

    def period_s(self, name: str) -> float:
        """Return the seconds between two readings of one thing."""
        return self.periods_s()[name]

    def _left(self) -> _Left | None:
        """Return what is left; None if unlimited, or if the counted window is over.

        A window without a known end counts as one that just began.
        """
        quota = self._quota()
        if quota is None:
            return None
        if quota.resets_at_ms is None:
            return _Left(quota.remaining, DAY_S)
        seconds = (quota.resets_at_ms - self._clock()) / 1000
        return _Left(quota.remaining, seconds) if seconds > 0 else None
