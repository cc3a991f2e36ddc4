"""Whose turn it is to read, by a virtual clock, and the threads that do."""

import asyncio
import heapq
import threading
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.server.reader_pool import CHARGED, ROUND_S, FairQueue, ReaderPool

Job = tuple[str, float]
"""Whose it is, and how long it takes."""


class Threads:
    """So many threads of a fair queue in virtual time."""

    def __init__(self, count: int) -> None:
        self.queue: FairQueue[Job] = FairQueue()
        self.now = 0.0
        self.log: list[tuple[float, str, float]] = []
        """When a work began, whose it was, and how long it took."""
        self._free = count
        self._running: list[tuple[float, int, Any]] = []

    def start(self) -> None:
        """Give every free thread what is next."""
        while self._free and (turn := self.queue.take()) is not None:
            whose, seconds = turn.work
            self._free -= 1
            self.log.append((self.now, whose, seconds))
            heapq.heappush(self._running, (self.now + seconds, len(self.log), turn))

    def finish(self) -> str | None:
        """Go on to the end of the next work, and return whose it was."""
        if not self._running:
            return None
        self.now, _, turn = heapq.heappop(self._running)
        self._free += 1
        self.queue.settle(turn, turn.work[1])
        whose: str = turn.whose
        return whose


def closed_loop(threads: Threads, jobs: dict[str, tuple[int, Iterator[float]]], end: float) -> None:
    """Let each key have so many requests open at a time until then."""
    for whose, (open_ones, lengths) in jobs.items():
        for _ in range(open_ones):
            threads.queue.add(whose, 0.001, (whose, next(lengths)))
    threads.start()
    while threads.now < end and (whose_ended := threads.finish()) is not None:
        threads.queue.add(whose_ended, 0.001, (whose_ended, next(jobs[whose_ended][1])))
        threads.start()


def forever(values: list[float]) -> Iterator[float]:
    while True:
        yield from values


lengths = st.lists(st.floats(0.001, 0.05), min_size=1, max_size=5)


@given(lengths, st.integers(1, 3))
def test_two_keys_with_the_same_load_get_the_same_time(took: list[float], count: int) -> None:
    threads = Threads(count)
    closed_loop(threads, {"a": (8, forever(took)), "b": (8, forever(took))}, 10)
    used: Counter[str] = Counter()
    for _, whose, seconds in threads.log:
        used[whose] += seconds  # type: ignore[assignment]
    assert abs(used["a"] - used["b"]) <= ROUND_S + (count + 2 + 1 / CHARGED) * max(took)


@given(lengths, lengths, st.integers(1, 3))
def test_costly_requests_cost_more_turns(one: list[float], other: list[float], count: int) -> None:
    threads = Threads(count)
    closed_loop(threads, {"a": (8, forever(one)), "b": (8, forever(other))}, 10)
    used: Counter[str] = Counter()
    for _, whose, seconds in threads.log:
        used[whose] += seconds  # type: ignore[assignment]
    assert abs(used["a"] - used["b"]) <= ROUND_S + (count + 2 + 1 / CHARGED) * max(one + other), (
        "time counts, not requests"
    )


@given(st.integers(1, 6), st.integers(1, 40), lengths, st.integers(1, 3))
def test_nobody_waits_for_more_than_a_turn_or_two_of_each_other_key(
    others: int, open_ones: int, took: list[float], count: int
) -> None:
    threads = Threads(count)
    greedy = {f"greedy {number}": (open_ones, forever(took)) for number in range(others)}
    closed_loop(threads, greedy | {"modest": (1, forever([0.001]))}, 3)
    waited = Counter[str]()
    for _, whose, _ in threads.log:
        if whose == "modest":
            assert waited.total() <= 2 * others + count
            waited.clear()
        else:
            waited[whose] += 1


events = st.lists(
    st.one_of(st.tuples(st.sampled_from("abcd"), st.floats(0.001, 0.05)), st.just(None)),
    max_size=80,
)


@given(events, st.integers(1, 3))
def test_no_thread_is_idle_while_somebody_waits(
    happened: list[tuple[str, float] | None], count: int
) -> None:
    """A work is added, or the next one ends; each key's come in the order in which they were."""
    threads, added, running = Threads(count), 0, 0
    asked: dict[str, deque[float]] = {each: deque() for each in "abcd"}
    for event in [*happened, *[None] * len(happened)]:
        if event is None:
            running -= threads.finish() is not None
        else:
            threads.queue.add(event[0], 0.001, event)
            asked[event[0]].append(event[1])
            added += 1
        begun = len(threads.log)
        threads.start()
        running += len(threads.log) - begun
        waiting = added - len(threads.log)
        assert running == min(count, running + waiting)
    assert len(threads.log) == added
    for _, whose, seconds in threads.log:
        assert asked[whose].popleft() == seconds


def test_a_turn_that_was_held_up_makes_its_key_wait_for_few_turns() -> None:
    """The machine stood still for 100 ms while one of two keys alike read."""
    threads = Threads(1)
    held_up = iter([0.002] * 20 + [0.1] + [0.002] * 10_000)
    closed_loop(threads, {"a": (2, forever([0.002])), "b": (2, held_up)}, 1)
    order = "".join(whose for _, whose, _ in threads.log)
    assert "a" * 25 not in order
    assert order.count("a") - order.count("b") > 35, "in the end it is charged"


def test_a_pause_saves_up_nothing() -> None:
    threads = Threads(1)
    threads.queue.add("late", 0.001, ("late", 0.001))
    for _ in range(100):
        threads.queue.add("greedy", 0.001, ("greedy", 0.01))
    for _ in range(50):
        threads.start()
        threads.finish()
    for _ in range(50):
        threads.queue.add("late", 0.001, ("late", 0.01))
    before = len(threads.log)
    for _ in range(40):
        threads.start()
        threads.finish()
    since = Counter(whose for _, whose, _ in threads.log[before:])
    assert abs(since["late"] - since["greedy"]) <= 1 / CHARGED


def test_what_is_cleared_is_given_back() -> None:
    queue: FairQueue[str] = FairQueue()
    queue.add("a", 1.0, "first")
    queue.add("b", 1.0, "second")
    turn = queue.take()
    assert turn is not None
    assert queue.clear() == ["second"]
    queue.settle(turn, 2.0)
    assert queue.take() is None


class Held:
    """Work that ends when it is told to."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self._end = threading.Event()

    def work(self) -> None:
        self.began.set()
        self._end.wait(30)

    def end(self) -> None:
        self._end.set()


async def test_a_free_thread_takes_the_key_that_had_least() -> None:
    pool, held, done = ReaderPool(threads=1), Held(), []
    try:
        first = pool.begin(held.work, "greedy", 0.01)
        await asyncio.to_thread(held.began.wait, 30)
        greedy = [pool.begin(lambda: done.append("greedy"), "greedy") for _ in range(5)]
        modest = pool.begin(lambda: done.append("modest"), "modest")
        held.end()
        await asyncio.gather(first, *greedy, modest)
    finally:
        pool.close()
    assert done[0] == "modest"


async def test_what_nobody_waits_for_is_not_done() -> None:
    pool, held, done = ReaderPool(threads=1), Held(), []
    try:
        first = pool.begin(held.work)
        await asyncio.to_thread(held.began.wait, 30)
        given_up = pool.begin(lambda: done.append("given up"))
        other = pool.begin(lambda: done.append("other"))
        given_up.cancel()
        await asyncio.sleep(0)
        held.end()
        await asyncio.gather(first, other)
    finally:
        pool.close()
    assert done == ["other"]


async def test_what_waits_at_the_end_is_cancelled() -> None:
    pool, held = ReaderPool(threads=1), Held()
    first = pool.begin(held.work)
    await asyncio.to_thread(held.began.wait, 30)
    waiting = pool.begin(lambda: None)
    pool.abandon()
    held.end()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await first
    pool.close()
    with pytest.raises(RuntimeError):
        pool.begin(lambda: None)


async def test_an_error_is_the_callers() -> None:
    pool = ReaderPool(threads=1)

    def fail() -> None:
        raise ValueError("no")

    try:
        with pytest.raises(ValueError, match="no"):
            await pool.run(fail)
        assert await pool.run(lambda: 3) == 3
    finally:
        pool.close()
