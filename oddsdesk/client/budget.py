"""The request budget: how often things may be read so that the quota lasts (D68)."""

from collections.abc import Callable
from math import inf
from typing import Final, NamedTuple

from oddsdesk.client.quota import Quota
from oddsdesk.clock import Clock
from oddsdesk.contract.plans import DAY_S
from oddsdesk.poll_rates import Reading, poll_rates

_MOST_KEPT: Final = 0.1
"""The share of the requests left that is kept at most for what the user asks for."""
_KEPT_EVERY_S: Final = 60.0
"""One request is kept for each so many seconds until they come back."""
_HOUR_S: Final = 3_600

ReadingNow = Callable[[], Reading]
"""Returns what a reading costs and how much depends on it at the moment."""


class _Left(NamedTuple):
    requests: int
    seconds: float
    """Until they come back."""

    @property
    def spendable(self) -> float:
        """Without those kept for games that the user opens."""
        kept = min(self.requests * _MOST_KEPT, self.seconds / _KEPT_EVERY_S)
        return self.requests - kept


class Budget:
    """Shares the requests that a key has left among what is read with it.

    What is left counts, as the latest answer said it, not what was granted: others may read with
    the same key. Without a quota all is read as often as it can be of use.
    """

    def __init__(self, clock: Clock, quota: Callable[[], Quota | None]) -> None:
        """Make one without plans.

        Args:
            clock: Tells the time in milliseconds.
            quota: Returns what is left; None where that is not known, or nobody counts.
        """
        self._clock = clock
        self._quota = quota
        self._plans: dict[str, ReadingNow] = {}
        self._blocked_until_ms = 0

    def plan(self, name: str, reading: ReadingNow) -> None:
        """Plan to read something under a name, in place of what was planned."""
        self._plans[name] = reading

    def drop(self, name: str) -> None:
        """Note that something is read no more."""
        self._plans.pop(name, None)

    def block(self, until_ms: int) -> None:
        """Note that the service refuses requests until then (429)."""
        self._blocked_until_ms = max(self._blocked_until_ms, until_ms)

    def blocked_s(self) -> float:
        """Return the seconds until requests are taken again, 0 where they are now."""
        return max(0, self._blocked_until_ms - self._clock()) / 1000

    @property
    def spendable(self) -> float:
        """How many requests may be made without being asked for by the user; inf if not known."""
        left = self._left()
        return inf if left is None else left.spendable

    def periods_s(self) -> dict[str, float]:
        """Return by name how many seconds lie between two readings, to fit the quota.

        The share of each is that of D68; a day at most, since no window is longer.
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
        """Return how many seconds lie between two readings of one thing."""
        return self.periods_s()[name]

    def _left(self) -> _Left | None:
        """Return what is left; None where nobody counts, or the window that was counted is over.

        A window of which nobody says when it ends is taken for one that just began.
        """
        quota = self._quota()
        if quota is None:
            return None
        if quota.resets_at_ms is None:
            return _Left(quota.remaining, DAY_S)
        seconds = (quota.resets_at_ms - self._clock()) / 1000
        return _Left(quota.remaining, seconds) if seconds > 0 else None
