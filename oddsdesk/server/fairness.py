"""Who asks without end waits, so that nobody else does (D83)."""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from oddsdesk.contract.errors import ErrorCode
from oddsdesk.server.access import key_in
from oddsdesk.server.answers import Refusal, going_down, refuse, send_reply
from oddsdesk.server.figures import Figures, Refused
from oddsdesk.server.limits import LimitsOf
from oddsdesk.store.keys import Caller

A_SECOND: Final = 200.0
AT_ONCE: Final = 50
"""Requests of one key that are begun a second, and how many more after a pause."""
STRANGERS_A_SECOND: Final = 100.0
STRANGERS_AT_ONCE: Final = 20
"""The same of all together who show no key that is known."""
LONGEST_WAIT_S: Final = 2.0
"""Whoever would wait longer is refused."""
MOST_KEYS: Final = 10_000
_RETRY: Final = [(b"retry-after", b"1"), (b"connection", b"close")]


class Lane:
    """So many turns a second, in the order in which they are taken; ``at_once`` after a pause.

    The generic cell rate algorithm (ITU-T I.371).
    """

    def __init__(self, a_second: float, at_once: int) -> None:
        self._interval = 1 / a_second
        self._ahead = at_once * self._interval
        self._due = 0.0

    def wait_s(self, now: float) -> float:
        """Return how long the next turn is away, in seconds; ``now`` never jumps."""
        return max(self._due - self._ahead - now, 0.0)

    def take(self, now: float) -> float:
        """Take the next turn, and return the same."""
        wait = self.wait_s(now)
        self._due = max(self._due, now) + self._interval
        return wait


class FairShares:
    """Lets requests begin in lanes: one for each key, one for all without a key that is known."""

    def __init__(
        self,
        app: ASGIApp,
        known_caller: Callable[[str], Caller | None],
        limits: LimitsOf,
        now: Callable[[], float] = time.monotonic,
        figures: Figures | None = None,
    ) -> None:
        """Refusals are counted in ``figures``."""
        self._app = app
        self._known_caller = known_caller
        self._limits = limits
        self._now = now
        self._figures = figures or Figures()
        self._strangers = Lane(STRANGERS_A_SECOND, STRANGERS_AT_ONCE)
        self._by_key: dict[int, Lane] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on when its turn has come."""
        if scope["type"] != "lifespan":
            lane, now = self._lane(scope), self._now()
            if lane.wait_s(now) > LONGEST_WAIT_S:
                self._figures.turned_away(Refused.BUSY)
                await send_reply(scope, send, refuse(self._busy(scope), ""))
                return
            if wait := lane.take(now):
                try:
                    await asyncio.sleep(wait)
                except asyncio.CancelledError:  # the server ends
                    await send_reply(scope, send, refuse(going_down(), ""))
                    return
        await self._app(scope, receive, send)

    def _lane(self, scope: Scope) -> Lane:
        key = key_in(scope["headers"])
        caller = None if key is None else self._known_caller(key)
        if caller is None:
            return self._strangers
        if len(self._by_key) > MOST_KEYS:
            self._by_key.clear()
        return self._by_key.setdefault(caller.key_id, Lane(A_SECOND, AT_ONCE))

    def _busy(self, scope: Scope) -> Refusal:
        return Refusal(
            ErrorCode.SERVICE_UNAVAILABLE,
            "Too much is asked at once; retry in 1 s.",
            [*_RETRY, *self._limits(scope["headers"])],
        )
