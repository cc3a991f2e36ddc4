"""The request budget: how often things may be polled so that the quota lasts."""

from typing import Final, NamedTuple

from oddsdesk.client.quota import Quota
from oddsdesk.clock import Clock

_RESERVE: Final = 0.1
"""The share of the requests left that is kept for what the user asks for."""
_HOUR_S: Final = 3_600


class _Plan(NamedTuple):
    requests: float
    period_s: float
    least_s: float

    @property
    def per_s(self) -> float:
        return self.requests / self.period_s


class Budget:
    """Knows what is polled how often, and fits it to the requests that are left."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._quota: Quota | None = None
        self._plans: dict[str, _Plan] = {}
        self._blocked_until_ms = 0

    @property
    def needed_per_hour(self) -> float:
        """Requests an hour that everything polled would take at its own pace."""
        return self._needed_per_s * _HOUR_S

    def plan(
        self, name: str, requests: float, period_s: float, least_s: float | None = None
    ) -> None:
        """Plan ``requests`` every ``period_s`` seconds under a name, in place of what was planned.

        Where the quota has room, more often: down to every ``least_s`` seconds.
        """
        self._plans[name] = _Plan(requests, period_s, period_s if least_s is None else least_s)

    def drop(self, name: str) -> None:
        """Note that something is polled no more."""
        self._plans.pop(name, None)

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

    def period_s(self, name: str) -> float:
        """Return how many seconds lie between two polls of something, to fit the quota.

        Where the quota is short, all periods grow by the same factor; where it has room, the rest
        is shared equally among plans with a smaller ``least_s``.
        """
        plan, left = self._plans[name], self._left_per_s()
        if left is None:
            return plan.period_s
        needed = self._needed_per_s
        if needed >= left:
            return plan.period_s * needed / left
        eager = [each for each in self._plans.values() if each.least_s < each.period_s]
        if plan not in eager:
            return plan.period_s
        share = (left - needed) / len(eager)
        return max(plan.least_s, plan.requests / (plan.per_s + share))

    @property
    def _needed_per_s(self) -> float:
        return sum(plan.per_s for plan in self._plans.values())

    def _left_per_s(self) -> float | None:
        """Return the requests a second that may be made; None where that is not known."""
        quota = self._quota
        if quota is None or quota.resets_at_ms is None:
            return None
        seconds = (quota.resets_at_ms - self._clock()) / 1000
        return max(quota.remaining * (1 - _RESERVE), 1.0) / seconds if seconds > 0 else None
