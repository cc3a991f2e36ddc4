"""A plan of requests that fits the quota: how far polling has to be slowed down."""

from typing import Final

from oddsdesk.client.quota import Quota
from oddsdesk.clock import Clock

_RESERVE: Final = 0.1
"""The share of the requests left that is kept for what the user asks for."""
_HOUR_S: Final = 3_600


class Budget:
    """Knows what is polled how often, and stretches it to the requests that are left."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._quota: Quota | None = None
        self._wishes: dict[str, float] = {}
        self._blocked_until_ms = 0

    @property
    def wished_per_hour(self) -> float:
        """Requests an hour that everything polled would take at its own pace."""
        return sum(self._wishes.values()) * _HOUR_S

    def wish(self, name: str, requests: float, period_s: float) -> None:
        """Note that ``requests`` are wanted every ``period_s`` seconds, in place of before."""
        self._wishes[name] = requests / period_s

    def drop(self, name: str) -> None:
        """Note that something is polled no more."""
        self._wishes.pop(name, None)

    def learn(self, quota: Quota | None) -> None:
        """Take in how many requests are left."""
        if quota is not None:
            self._quota = quota

    def block(self, until_ms: int) -> None:
        """Note that the service refuses requests until then (429)."""
        self._blocked_until_ms = max(self._blocked_until_ms, until_ms)

    def blocked_s(self) -> float:
        """Return the seconds until requests are taken again, 0 where they are now."""
        return max(0, self._blocked_until_ms - self._clock()) / 1000

    def stretch(self) -> float:
        """Return by what factor, 1 or more, every wait has to grow to fit the quota."""
        quota = self._quota
        if quota is None or quota.resets_at_ms is None:
            return 1.0
        seconds = (quota.resets_at_ms - self._clock()) / 1000
        if seconds <= 0:
            return 1.0
        left = quota.remaining * (1 - _RESERVE)
        wished = sum(self._wishes.values()) * seconds
        return max(1.0, wished / max(left, 1.0))
