"""The threads that read the store, and whose turn is next (D83): the loop waits for no query."""

import asyncio
import heapq
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, Generic, NamedTuple, TypeVar

from oddsdesk.server.circuit import Circuit

T = TypeVar("T")
THREADS = 2
"""With one, a long query would hold up all others. More would mostly wait for one another, since
Python's sqlite3 module hands the interpreter lock over at each row."""
A_TURN_S: Final = 0.001
"""What reading is taken to cost until it is known."""
ROUND_S: Final = 0.025
"""Differences of time below that are none: keys alike are served in the order in which they ask."""
CHARGED: Final = 1 / 8
"""The part of what a share owes that is charged at the end of each of its turns."""


class Turn(NamedTuple, Generic[T]):
    """What waits for a thread: whose it is, what it is taken to cost (s), and the work itself."""

    whose: Hashable
    cost: float
    work: T


class _Share(Generic[T]):
    """One line's use of the threads: what of it waits, and at which virtual time it is due."""

    __slots__ = ("due", "owed", "running", "waiting")

    def __init__(self) -> None:
        self.due = 0.0
        self.owed = 0.0
        """What its turns cost more than was guessed, and was not charged yet; less than 0: less."""
        self.running = 0
        self.waiting: deque[Turn[T]] = deque()


class FairQueue(Generic[T]):
    """Chooses what runs next so that all that wait get the same time of the threads.

    Start-time fair queueing (Goyal, Vin, Cheng: SIGCOMM 1996) for several servers at a time
    (SFQ(D); Jin, Chase, Kaur: SIGMETRICS 2004). Each share has a virtual time at which it is due,
    which moves on by what its turns cost; the one that is due first is next. Those that are due in
    the same ``ROUND_S`` take turns, as in deficit round robin (Shreedhar, Varghese: SIGCOMM 1995).
    A share that had nothing waiting is due no earlier than the last turn that was given, so a pause
    saves up nothing.

    A turn's cost is a guess until ``settle`` tells what it really took. The difference is charged
    bit by bit, so that a turn that was held up by something else makes nobody wait long. Any thread
    may call.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._time = 0.0
        """When the last turn that was given was due."""
        self._shares: dict[Hashable, _Share[T]] = {}
        self._due: list[tuple[int, int, float, _Share[T]]] = []
        """A heap; an entry whose time is no more that of its share counts for nothing."""
        self._open = 0
        """Turns that wait or run."""

    def add(self, whose: Hashable, cost: float, work: T) -> None:
        """Let work wait for its turn; ``cost`` in seconds."""
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
        """Return what runs next, None where nothing waits; ``settle`` ends it."""
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
        """End a turn, which really cost so many seconds."""
        with self._lock:
            self._open -= 1
            if not self._open:  # nobody is owed anything
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
        """Take out all that waits, and return it."""
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

    A thread that is free chooses what it does next by ``FairQueue``: nothing is dealt out before.
    While ``circuit`` is open nothing is begun, and nobody waits for what was.
    """

    def __init__(
        self, name: str = "read", threads: int = THREADS, circuit: Circuit | None = None
    ) -> None:
        self._circuit = circuit or Circuit()
        self._turns: FairQueue[_Work] = FairQueue()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"oddsdesk {name}")
        """Given one call for each work that waits; it begins a thread once all others are busy."""
        self.answered_at = float("-inf")
        """When a function last returned (s, ``time.monotonic``)."""

    async def run(
        self, function: Callable[[], T], whose: Hashable = None, cost_s: float = A_TURN_S
    ) -> T:
        """Run a function on one of the threads when it is the turn of ``whose``.

        ``cost_s`` is a guess of how long it takes, in seconds, which holds until it is known.
        """
        self._circuit.check()
        return await self._circuit.wait(self.begin(function, whose, cost_s))

    def begin(
        self, function: Callable[[], T], whose: Hashable = None, cost_s: float = A_TURN_S
    ) -> asyncio.Future[T]:
        """Run a function on one of the threads, and return the future of what it returns."""
        answer: Future[T] = Future()
        self._turns.add(whose, cost_s, _Work(function, answer))
        self._pool.submit(self._work)
        return asyncio.wrap_future(answer)

    def abandon(self) -> None:
        """Begin nothing any more, and wait for nothing: what runs ends unheard."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for work in self._turns.clear():
            work.answer.cancel()

    def close(self) -> None:
        """Wait for what runs, drop what waits, and end the threads."""
        self.abandon()
        self._pool.shutdown()

    def _work(self) -> None:
        """Do what is next; what nobody waits for any more costs nothing."""
        while (turn := self._turns.take()) is not None:
            work, began = turn.work, time.perf_counter()
            if not work.answer.set_running_or_notify_cancel():
                self._turns.settle(turn, 0.0)
                continue
            try:
                found = work.function()
            except BaseException as error:  # noqa: BLE001 - whoever waits is told
                self._turns.settle(turn, time.perf_counter() - began)
                work.answer.set_exception(error)
            else:
                self._turns.settle(turn, time.perf_counter() - began)
                self.answered_at = time.monotonic()
                work.answer.set_result(found)
            return
