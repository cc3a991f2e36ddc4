"""Fair shares: whose request begins now, and whose reads the store next (D83).

Each key has a line of its own, and all callers without a known key share one.

1. A request begins when fewer than ``Rights.in_flight`` of its line are under way, and when the
   line keeps to its pace (``Lane``).
2. Until then it waits in its line. A line holds ``MOST_WAITING``; further requests are refused with
   503, and the refusals keep to a pace too, so that asking again at once gains nothing.
3. What begins and reads the store waits for a thread. Whenever one is free, it takes the line that
   has used the threads least (``reader_pool.FairQueue``): a request costs the time that it took.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Collection
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from oddsdesk.contract.errors import ErrorCode
from oddsdesk.server.answers import Refusal, going_down, refuse, send_reply
from oddsdesk.server.figures import Figures, Refused
from oddsdesk.server.limits import LimitsOf
from oddsdesk.store.keys import Caller

A_SECOND: Final = 200.0
AT_ONCE: Final = 50
"""Requests of one key that begin in a second, and how many more after a pause."""
STRANGERS_A_SECOND: Final = 100.0
STRANGERS_AT_ONCE: Final = 20
"""The same for all callers together that show no known key."""
STRANGERS_IN_FLIGHT: Final = 8
MOST_WAITING: Final = 64
"""Requests that wait in one line; further ones are refused."""
REFUSALS_A_SECOND: Final = 100.0
REFUSALS_AT_ONCE: Final = 20
LONGEST_HOLD_S: Final = 10.0
"""How long a refusal is held back at most."""
RETRY_S: Final = 1
MOST_LINES: Final = 10_000
LEAVING: Final = "oddsdesk.leaving"
"""Where the scope of a request holds a future that is done once its client has gone."""


class Lane:
    """So many turns a second, in the order in which they are taken; ``at_once`` after a pause.

    The generic cell rate algorithm (ITU-T I.371). Times are in seconds and never jump.
    """

    def __init__(self, a_second: float, at_once: int) -> None:
        self._interval = 1 / a_second
        self._ahead = at_once * self._interval
        self._due = 0.0

    def wait_s(self, now: float) -> float:
        """Return how long the next turn is away."""
        return max(self._due - self._ahead - now, 0.0)

    def take(self, now: float) -> float:
        """Take the next turn, and return how long it is away."""
        wait = self.wait_s(now)
        self._due = max(self._due, now) + self._interval
        return wait


class LineFullError(Exception):
    """As many requests wait in the line as may."""


class LeftError(Exception):
    """The client of a request that waited has gone."""


class Line:
    """The requests of one key: some are under way, others wait in the order in which they came.

    For one event loop. ``now`` is in seconds and never jumps.
    """

    def __init__(self, in_flight: int, pace: Lane, now: Callable[[], float]) -> None:
        self.most_in_flight = in_flight
        self.refusals = Lane(REFUSALS_A_SECOND, REFUSALS_AT_ONCE)
        self._pace = pace
        self._now = now
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing of it is under way or waits."""
        return not (self._in_flight or self._waiting)

    async def enter(self, leaving: asyncio.Future[None] | None = None) -> None:
        """Wait until a request may begin; ``leave`` ends it.

        Raises:
            LineFullError: too many wait already.
            LeftError: ``leaving`` was done first.
        """
        if not self._waiting and self._may_begin():
            self._begin()
            return
        if len(self._waiting) >= MOST_WAITING:
            raise LineFullError
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._begin_waiting()
        try:
            await wait_unless_left(turn, leaving)
        except (LeftError, asyncio.CancelledError):
            if not turn.cancelled():
                self.leave()
            elif turn in self._waiting:
                self._waiting.remove(turn)
            raise

    def leave(self) -> None:
        """End a request that began."""
        self._in_flight -= 1
        self._begin_waiting()

    def _may_begin(self) -> bool:
        return self._in_flight < self.most_in_flight and not self._pace.wait_s(self._now())

    def _begin(self) -> None:
        self._pace.take(self._now())
        self._in_flight += 1

    def _begin_waiting(self) -> None:
        """Begin what may begin now; a timer does so again when the pace allows more."""
        while self._waiting and self._may_begin():
            turn = self._waiting.popleft()
            if not turn.cancelled():
                self._begin()
                turn.set_result(None)
        if self._waiting and self._timer is None and self._in_flight < self.most_in_flight:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._pace.wait_s(self._now()), self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._begin_waiting()


async def wait_unless_left(
    turn: asyncio.Future[None], leaving: asyncio.Future[None] | None
) -> None:
    """Wait for a turn.

    Raises:
        LeftError: ``leaving`` was done first; ``turn`` is cancelled.
    """

    def give_up(_: object) -> None:
        turn.cancel()

    if leaving is None:
        await turn
        return
    leaving.add_done_callback(give_up)
    try:
        await turn
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if not leaving.done() or (task is not None and task.cancelling()):
            raise
        raise LeftError from None
    finally:
        leaving.remove_done_callback(give_up)


class FairShares:
    """Lets requests begin, line by line.

    ``unbounded`` are paths that keep to the pace of their line but not to its places: they have
    limits of their own. Streams are the same.
    """

    def __init__(
        self,
        app: ASGIApp,
        known_caller: Callable[[Scope], Caller | None],
        limits: LimitsOf,
        now: Callable[[], float] = time.monotonic,
        figures: Figures | None = None,
        unbounded: Collection[str] = (),
    ) -> None:
        """Refusals are counted in ``figures``."""
        self._app = app
        self._known_caller = known_caller
        self._limits = limits
        self._now = now
        self._figures = figures or Figures()
        self._unbounded = unbounded
        pace = Lane(STRANGERS_A_SECOND, STRANGERS_AT_ONCE)
        self._strangers = Line(STRANGERS_IN_FLIGHT, pace, now)
        self._by_key: dict[int, Line] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on when its turn has come."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        line = self._line(scope)
        try:
            await self._enter(line, scope)
        except Refusal as refusal:
            await send_reply(scope, send, refuse(refusal, ""))
            return
        if scope["type"] != "http" or scope["path"] in self._unbounded:
            line.leave()
            await self._app(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            line.leave()

    async def _enter(self, line: Line, scope: Scope) -> None:
        leaving: asyncio.Future[None] | None = scope.get(LEAVING)
        try:
            try:
                await line.enter(leaving)
            except LineFullError:
                self._figures.turned_away(Refused.BUSY)
                await self._hold_back(line, leaving)
                raise self._busy(line, scope) from None
        except LeftError:
            self._figures.turned_away(Refused.LEFT)
            raise self._busy(line, scope) from None
        except asyncio.CancelledError:  # the server ends
            raise going_down() from None

    async def _hold_back(self, line: Line, leaving: asyncio.Future[None] | None) -> None:
        """Wait until a refusal may go out, or its client has gone.

        A refusal that waits as long as any may moves the line's pace no further: the pace
        would stay behind for as long as a flood had lasted.
        """
        now = self._now()
        wait = line.refusals.wait_s(now)
        if wait < LONGEST_HOLD_S:
            line.refusals.take(now)
        if wait:
            gone = leaving or asyncio.get_running_loop().create_future()
            await asyncio.wait([gone], timeout=min(wait, LONGEST_HOLD_S))

    def _line(self, scope: Scope) -> Line:
        caller = self._known_caller(scope)
        if caller is None:
            return self._strangers
        most, line = caller.rights.in_flight, self._by_key.get(caller.key_id)
        if line is None:
            if len(self._by_key) >= MOST_LINES:
                busy = {key: each for key, each in self._by_key.items() if not each.is_idle}
                self._by_key = busy
            line = self._by_key[caller.key_id] = Line(most, Lane(A_SECOND, AT_ONCE), self._now)
        line.most_in_flight = most  # the plan may have changed
        return line

    def _busy(self, line: Line, scope: Scope) -> Refusal:
        whose, instead = "with this key", "wait for answers before sending more"
        if line is self._strangers:
            whose, instead = "without a known key", "send a valid X-Api-Key"
        return Refusal(
            ErrorCode.SERVICE_UNAVAILABLE,
            f"{MOST_WAITING} requests {whose} wait already; {instead}, or retry in {RETRY_S} s.",
            [(b"retry-after", str(RETRY_S).encode()), *self._limits(scope["headers"])],
        )
