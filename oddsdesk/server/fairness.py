"""Fair shares: which request begins now, and which one reads the store next.

Each key has a queue ("line"); all callers without a known key share one.

1. A request begins when fewer than ``Rights.in_flight`` of its line are running, and when the
line's pace allows it (``Lane``).
2. Until then it waits in its line. A line holds ``MOST_WAITING``; further requests are refused with
   503. Refusals have a pace too, so that retrying without a pause gains nothing.
3. A request that reads the store then waits for a thread. A free thread takes the line that has
   used the threads least (``FairQueue``): a request costs the time that it took.

Nothing begins and nobody waits while a remote database is unreachable (``Circuit``).
"""

import asyncio
import contextlib
import heapq
import itertools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, Generic, NamedTuple, TypeVar

from starlette.types import ASGIApp, Receive, Scope, Send

from oddsdesk.contract.access import ErrorCode
from oddsdesk.server.rest import (
    Figures,
    LimitsOf,
    Refusal,
    Refused,
    Reply,
    going_down,
    refuse,
    send_reply,
)
from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError
from oddsdesk.store.keys import Caller

T = TypeVar("T")

_log = logging.getLogger(__name__)

A_SECOND: Final = 200.0
AT_ONCE: Final = 50
"""Requests of one key that begin in a second, and how many more in a burst after a pause."""
STRANGERS_A_SECOND: Final = 100.0
STRANGERS_AT_ONCE: Final = 20
"""The same for all callers without a known key together."""
STRANGERS_IN_FLIGHT: Final = 8
MOST_WAITING: Final = 64
"""Requests that wait in one line; further ones are refused."""
REFUSALS_A_SECOND: Final = 100.0
REFUSALS_AT_ONCE: Final = 20
LONGEST_HOLD_S: Final = 10.0
"""The longest time that a refusal is held back (s)."""
RETRY_S: Final = 1
MOST_LINES: Final = 10_000
LEAVING: Final = "oddsdesk.leaving"
"""Key of a request's scope: a future that is done once the client has gone."""


class Lane:
    """``a_second`` turns a second, first come, first served; ``at_once`` more after a pause.

    The generic cell rate algorithm (ITU-T I.371). Times are in seconds and never jump.
    """

    def __init__(self, a_second: float, at_once: int) -> None:
        self._interval = 1 / a_second
        self._ahead = at_once * self._interval
        self._due = 0.0

    def wait_s(self, now: float) -> float:
        """Return the seconds until the next turn."""
        return max(self._due - self._ahead - now, 0.0)

    def take(self, now: float) -> float:
        """Take the next turn, and return the seconds until it."""
        wait = self.wait_s(now)
        self._due = max(self._due, now) + self._interval
        return wait


class LineFullError(Exception):
    """The line is full: ``MOST_WAITING`` requests wait in it."""


class LeftError(Exception):
    """The client of a request that waited has gone."""


class Line:
    """The requests of one key: some are running, others wait in order of arrival.

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
        """Whether nothing of it is running or waiting."""
        return not (self._in_flight or self._waiting)

    async def enter(self, leaving: asyncio.Future[None] | None = None) -> None:
        """Wait until a request may begin; ``leave`` ends it.

        Raises:
            LineFullError: ``MOST_WAITING`` requests are already waiting.
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
        """Begin what may begin now; a timer repeats that when the pace allows more."""
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


class LineFullRefusal(Refusal):
    """The refusal of a request whose line is full."""


def _plain_reply(refusal: Refusal, _scope: Scope) -> Reply:
    return refuse(refusal, "")


class FairShares:
    """Lets requests begin, line by line.

    ``unbounded`` paths follow the pace of their line but take none of its places, as they have
    separate limits. Streams are treated the same way.
    """

    def __init__(
        self,
        app: ASGIApp,
        known_caller: Callable[[Scope], Caller | None],
        limits: LimitsOf,
        now: Callable[[], float] = time.monotonic,
        figures: Figures | None = None,
        unbounded: Collection[str] = (),
        reply_to: Callable[[Refusal, Scope], Reply] = _plain_reply,
    ) -> None:
        """Refusals are counted in ``figures`` and written by ``reply_to``."""
        self._app = app
        self._known_caller = known_caller
        self._limits = limits
        self._now = now
        self._figures = figures or Figures()
        self._unbounded = unbounded
        self._reply_to = reply_to
        pace = Lane(STRANGERS_A_SECOND, STRANGERS_AT_ONCE)
        self._strangers = Line(STRANGERS_IN_FLIGHT, pace, now)
        self._by_key: dict[int, Line] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on when its turn has come."""
        line = self._line(scope)
        try:
            await self._enter(line, scope)
        except Refusal as refusal:
            await send_reply(scope, send, self._reply_to(refusal, scope))
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

        A refusal after a wait of ``LONGEST_HOLD_S`` takes no turn: otherwise the pace would lag as
        long as a flood had lasted.
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

    def _busy(self, line: Line, scope: Scope) -> LineFullRefusal:
        whose, instead = "with this key", "wait for the answers before you send more"
        if line is self._strangers:
            whose, instead = "without a known key", "send a valid X-Api-Key"
        return LineFullRefusal(
            ErrorCode.SERVICE_UNAVAILABLE,
            f"{MOST_WAITING} requests {whose} are waiting; {instead}, or retry in {RETRY_S} s.",
            [(b"retry-after", str(RETRY_S).encode()), *self._limits(scope["headers"])],
        )


HEALTH_PATH = "/api/health"


READY_PATH = "/api/ready"


PROBES: Final = frozenset({HEALTH_PATH, READY_PATH})


ANSWERS_A_SECOND: Final = 100.0


ANSWERS_AT_ONCE: Final = 50
"""Probes that are answered without a wait. Further ones wait, and then are answered."""


PAUSES_S: Final = (0.5, 1.5)
"""How long they wait. The waits differ, so that clients that retry do not come together."""


_GOLDEN: Final = 0.618034
"""Fractional parts of its multiples are spread evenly over 0 to 1."""


HURRY: Final = "oddsdesk.hurry"
"""Key of a scope: the event that ends this wait, because a newer connection needs the place."""


class ProbesFirst:
    """Passes probes straight to ``probed``; others go to ``app``, where they queue.

    A flood of probes is slowed down to keep the loop responsive; each one is still answered.
    """

    def __init__(
        self, app: ASGIApp, probed: ASGIApp, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._probed = probed
        self._now = now
        self._lane = Lane(ANSWERS_A_SECOND, ANSWERS_AT_ONCE)
        self._part = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or stream."""
        if scope["type"] != "http" or scope["path"] not in PROBES:
            await self._app(scope, receive, send)
            return
        now = self._now()
        if not self._lane.wait_s(now):
            self._lane.take(now)
        else:
            hurry: asyncio.Event = scope.get(HURRY) or asyncio.Event()
            try:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._pause_s()):
                        await hurry.wait()
            except asyncio.CancelledError:  # the server ends
                await send_reply(scope, send, refuse(going_down(), ""))
                return
        await self._probed(scope, receive, send)

    def _pause_s(self) -> float:
        self._part = (self._part + _GOLDEN) % 1
        least, most = PAUSES_S
        return least + self._part * (most - least)


THREADS = 2
"""With one, a long query would block all others. More would mostly wait for each other, because
Python's sqlite3 releases the interpreter lock at each row."""
A_TURN_S: Final = 0.001
"""The assumed cost of reading until it is known (s)."""
ROUND_S: Final = 0.025
"""Smaller differences of time are ignored: similar keys are served in the order of requests."""
CHARGED: Final = 1 / 8
"""The part of a share's debt that is charged at the end of each of its turns."""


PROBE_S: Final = 0.25
"""The pause between two looks at the database."""
LOOK_LIMIT_S: Final = 2.0
"""A database that takes longer to answer is unreachable."""


class KnownAwayError(StoreUnavailableError):
    """The database is known to be unreachable, and that was logged."""


class Circuit:
    """Refuses at once while the database is unreachable; a look finds out when it is back.

    It opens when a look or a request fails or gets no answer in time, and cancels waiting requests.
    Without ``watch`` it stays closed. One event loop only.
    """

    def __init__(self) -> None:
        self.away_error: KnownAwayError | None = None
        """Why nothing is sent to the database now, if so."""
        self._waiting: set[asyncio.Future[Any]] = set()
        self._openings = 0
        self.is_watched = False
        """Whether looks are running."""

    def check_database(self) -> None:
        """Refuse if the database is unreachable.

        Raises:
            KnownAwayError: it is.
        """
        if self.away_error is not None:
            raise self.away_error.with_traceback(None)

    async def wait_for_database(self, future: asyncio.Future[T]) -> T:
        """Wait for the database's answer, but not while it is unreachable.

        Raises:
            StoreError: it fails; ``KnownAwayError`` if it is unreachable.
        """
        self._waiting.add(future)
        try:
            return await future
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self.away_error is None or (task is not None and task.cancelling()):
                raise
            raise self.away_error.with_traceback(None) from None
        except StoreUnavailableError as error:
            if error.fault is Fault.AWAY and self.is_watched:
                self._open(error)
                self.check_database()
            raise
        finally:
            self._waiting.discard(future)

    async def watch(self, look: Callable[[], asyncio.Future[None]]) -> None:
        """Look at the database until cancelled; ``look`` starts one on a thread."""
        self.is_watched = True
        try:
            while True:
                await self._look(look)
                await asyncio.sleep(PROBE_S)
        finally:
            self.is_watched = False

    async def _look(self, look: Callable[[], asyncio.Future[None]]) -> None:
        openings = self._openings
        looking = look()
        answered, _ = await asyncio.wait([looking], timeout=LOOK_LIMIT_S)
        if not answered:
            self._open(slow_error(LOOK_LIMIT_S))
            openings = self._openings
            await asyncio.wait([looking])
        try:
            looking.result()
        except StoreError as error:
            self._open(error)
        else:
            if openings == self._openings:  # otherwise a request failed during this look
                self._close()

    def _open(self, error: StoreError) -> None:
        self._openings += 1
        if self.away_error is None:
            _log.warning("the database cannot be reached; retrying: %s", error)
        fault = error.fault if isinstance(error, StoreUnavailableError) else Fault.OTHER
        self.away_error = KnownAwayError(str(error), fault)
        for future in tuple(self._waiting):
            future.cancel()

    def _close(self) -> None:
        if self.away_error is not None:
            _log.warning("the database can be reached again")
        self.away_error = None


def slow_error(seconds: float) -> StoreUnavailableError:
    """Return the refusal of a database that has not answered for some seconds."""
    return StoreUnavailableError(f"{Fault.SLOW.value}: no answer for {seconds:g} s", Fault.SLOW)


class Turn(NamedTuple, Generic[T]):
    """Work that waits for a thread: its share, its estimated cost (s), and the work itself."""

    whose: Hashable
    cost: float
    work: T


class _Share(Generic[T]):
    """One line's use of the threads: its waiting turns, and the virtual time when it is due."""

    __slots__ = ("due", "owed", "running", "waiting")

    def __init__(self) -> None:
        self.due = 0.0
        self.owed = 0.0
        """What its turns cost above the estimate, not charged yet; negative if they cost less."""
        self.running = 0
        self.waiting: deque[Turn[T]] = deque()


class FairQueue(Generic[T]):
    """Chooses the next work so that all waiting shares get equal time on the threads.

    Start-time fair queueing (Goyal, Vin, Cheng: SIGCOMM 1996) for several servers at a time
    (SFQ(D); Jin, Chase, Kaur: SIGMETRICS 2004). Each share has a virtual time at which it is due,
    which advances by the cost of its turns; the share that is due first is next. Shares due in the
    same ``ROUND_S`` take turns, as in deficit round robin (Shreedhar, Varghese: SIGCOMM 1995).
    A share that had nothing waiting is due no earlier than the last turn given, so a pause earns no
    credit.

    A turn's cost is an estimate until ``settle`` gives the real one. The difference is charged in
    parts, so that a share does not wait long after a turn that was held up. Any thread may call.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._time = 0.0
        """When the last turn given was due."""
        self._shares: dict[Hashable, _Share[T]] = {}
        self._due: list[tuple[int, int, float, _Share[T]]] = []
        """A heap; an entry is ignored if its time differs from its share's."""
        self._open = 0
        """Turns that wait or run."""

    def add(self, whose: Hashable, cost: float, work: T) -> None:
        """Queue work for its turn; ``cost`` in seconds."""
        with self._lock:
            share = self._shares.get(whose)
            if share is None:
                share = self._shares[whose] = _Share()
            if not share.waiting:
                share.due = max(share.due, self._time)
                self._enter(share)
            share.waiting.append(Turn(whose, cost, work))
            self._open += 1

    def take(self) -> Turn[T] | None:
        """Return the next turn, None if none waits; ``settle`` ends it."""
        with self._lock:
            while self._due:
                *_, due, share = heapq.heappop(self._due)
                if not share.waiting or due != share.due:
                    continue
                turn = share.waiting.popleft()
                self._time = max(self._time, due)
                share.due += turn.cost
                share.running += 1
                if share.waiting:
                    self._enter(share)
                return turn
            return None

    def settle(self, turn: Turn[T], cost: float) -> None:
        """End a turn; ``cost`` is the time that it really took (s)."""
        with self._lock:
            self._open -= 1
            if not self._open:  # all debts are void
                self._shares.clear()
                self._due.clear()
                self._time = 0.0
                return
            share = self._shares[turn.whose]
            share.running -= 1
            owed = share.owed + cost - turn.cost
            share.due += owed * CHARGED
            share.owed = owed - owed * CHARGED
            if share.waiting:
                self._enter(share)
            elif not share.running and share.due + share.owed <= self._time:
                del self._shares[turn.whose]

    def clear(self) -> list[T]:
        """Remove and return all waiting work."""
        with self._lock:
            works = [turn.work for share in self._shares.values() for turn in share.waiting]
            for share in self._shares.values():
                share.waiting.clear()
            self._due.clear()
            self._open -= len(works)
            return works

    def _enter(self, share: _Share[Any]) -> None:
        number = next(self._numbers)
        heapq.heappush(self._due, (int(share.due // ROUND_S), number, share.due, share))


class _Work(NamedTuple):
    function: Callable[[], Any]
    answer: Future[Any]


class ReaderPool:
    """A few named threads; each has its own reader of the store.

    A free thread takes its next work from the ``FairQueue``; no work is assigned earlier.
    While ``circuit`` is open nothing starts, and nobody waits for running work.
    """

    def __init__(
        self, name: str = "read", threads: int = THREADS, circuit: Circuit | None = None
    ) -> None:
        self._circuit = circuit or Circuit()
        self._turns: FairQueue[_Work] = FairQueue()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"oddsdesk {name}")
        """Gets one call for each waiting work; starts another thread if all are busy."""
        self.answered_at = float("-inf")
        """When a function last returned (s, ``time.monotonic``)."""

    async def run(
        self, function: Callable[[], T], whose: Hashable = None, cost_s: float = A_TURN_S
    ) -> T:
        """Run a function on one of the threads when it is the turn of ``whose``.

        ``cost_s`` is the estimated time in seconds, used until the real one is known.
        """
        self._circuit.check_database()
        return await self._circuit.wait_for_database(self.begin(function, whose, cost_s))

    def begin(
        self, function: Callable[[], T], whose: Hashable = None, cost_s: float = A_TURN_S
    ) -> asyncio.Future[T]:
        """Run a function on one of the threads, and return the future of its result."""
        answer: Future[T] = Future()
        self._turns.add(whose, cost_s, _Work(function, answer))
        self._pool.submit(self._work)
        return asyncio.wrap_future(answer)

    def abandon(self) -> None:
        """Start nothing more and wait for nothing; running work ends unobserved."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for work in self._turns.clear():
            work.answer.cancel()

    def close(self) -> None:
        """Wait for running work, drop waiting work, and end the threads."""
        self.abandon()
        self._pool.shutdown()

    def _work(self) -> None:
        """Run the next work; cancelled work costs nothing."""
        while (turn := self._turns.take()) is not None:
            work, began = turn.work, time.perf_counter()
            if not work.answer.set_running_or_notify_cancel():
                self._turns.settle(turn, 0.0)
                continue
            try:
                found = work.function()
            except BaseException as error:  # noqa: BLE001 - the caller gets it
                self._turns.settle(turn, time.perf_counter() - began)
                work.answer.set_exception(error)
            else:
                self._turns.settle(turn, time.perf_counter() - began)
                self.answered_at = time.monotonic()
                work.answer.set_result(found)
            return
