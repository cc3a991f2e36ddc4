"""Which request begins: places, lines and pace of each key."""

import asyncio
import heapq
import logging
import threading
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.contract.access import Plan
from oddsdesk.server import fairness
from oddsdesk.server import fairness as circuit_module
from oddsdesk.server.fairness import (
    AT_ONCE,
    CHARGED,
    LEAVING,
    LONGEST_HOLD_S,
    MOST_WAITING,
    REFUSALS_A_SECOND,
    REFUSALS_AT_ONCE,
    ROUND_S,
    STRANGERS_AT_ONCE,
    STRANGERS_IN_FLIGHT,
    Circuit,
    FairQueue,
    FairShares,
    KnownAwayError,
    Lane,
    ReaderPool,
)
from oddsdesk.server.rest import Figures
from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError
from oddsdesk.store.keys import Caller

PRO = Plan.PRO.rights.in_flight


@given(st.lists(st.floats(0, 0.5), min_size=1, max_size=60))
def test_no_second_has_more_turns_than_the_lane_gives(pauses: list[float]) -> None:
    lane, now, begun = Lane(10, 5), 100.0, []
    for pause in pauses:
        now += pause
        begun.append(now + lane.take(now))
    assert begun == sorted(begun), "in the order in which they were taken"
    for start in begun:
        assert sum(start <= each < start + 1 - 1e-9 for each in begun) <= 10 + 5 + 1


def test_a_caller_that_keeps_the_pace_never_waits() -> None:
    lane = Lane(10, 0)
    assert [lane.take(100 + number / 10) for number in range(20)] == pytest.approx([0] * 20)


class Server:
    """An application behind fair shares that answers on command; its clock stands still."""

    def __init__(self) -> None:
        self.now = 7.0
        self.begun: list[str] = []
        self.answered: Counter[tuple[str, int]] = Counter()
        self.headers: list[Any] = []
        self.figures = Figures()
        self.open: list[asyncio.Event] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._shares = FairShares(
            self._app, self._known, lambda _: [(b"x-ratelimit-remaining", b"9")], self._clock,
            self.figures, {"/ingest"},
        )  # fmt: skip

    def _clock(self) -> float:
        return self.now

    def _known(self, scope: Any) -> Caller | None:
        secret = dict(scope["headers"]).get(b"x-api-key", b"").decode()
        plan = Plan.FREE if secret.startswith("9") else Plan.PRO
        return Caller(int(secret), b"", plan, None) if secret.isdecimal() else None

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        self.begun.append(scope["key"])
        answered = asyncio.Event()
        self.open.append(answered)
        await answered.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def ask(
        self, key: str, times: int = 1, path: str = "/", kind: str = "http", leaving: Any = None
    ) -> list[asyncio.Task[None]]:
        """Send ``count`` requests, and let the loop run until nothing more happens."""

        async def send(message: Any) -> None:
            if "status" in message:
                self.answered[key, message["status"]] += 1
                self.headers.append(dict(message["headers"]))

        headers = [(b"x-api-key", key.encode())] if key else []
        scope = {"type": kind, "headers": headers, "path": path, "key": key}
        if leaving is not None:
            scope[LEAVING] = leaving
        ours = [spawn("ask", self._shares(dict(scope), self._receive, send)) for _ in range(times)]
        self._tasks += ours
        await settled()
        return ours

    async def _receive(self) -> Any:
        raise AssertionError("nothing is to be received")

    async def answer(self, times: int | None = None) -> None:
        """Answer the oldest requests, all that are under way without a number."""
        due, self.open = self.open[:times], self.open[len(self.open[:times]) :]
        for each in due:
            each.set()
        await settled()

    async def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def settled() -> None:
    """Let the loop turn until nothing is left to do now."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.fixture
async def server() -> Any:
    made = Server()
    yield made
    await made.end()


async def test_a_key_has_its_limit_in_flight_and_the_rest_waits_in_order(server: Server) -> None:
    await server.ask("1", PRO + 5)
    assert server.begun == ["1"] * PRO
    await server.answer(2)
    assert server.begun == ["1"] * (PRO + 2)
    assert server.answered == {("1", 200): 2}


async def test_the_plan_says_how_many(server: Server) -> None:
    await server.ask("9", 10)
    assert len(server.begun) == Plan.FREE.rights.in_flight


async def test_a_key_does_not_wait_for_another(server: Server) -> None:
    await server.ask("1", PRO + MOST_WAITING + 200)
    await server.ask("2", PRO)
    await server.ask("", STRANGERS_IN_FLIGHT)
    assert Counter(server.begun) == {"1": PRO, "2": PRO, "": STRANGERS_IN_FLIGHT}


async def test_strangers_share_a_line_whatever_they_show(server: Server) -> None:
    await server.ask("", 3)
    await server.ask("unknown", STRANGERS_IN_FLIGHT)
    await server.ask("other", 3)
    assert Counter(server.begun) == {"": 3, "unknown": STRANGERS_IN_FLIGHT - 3}


async def test_a_full_line_refuses_with_limits_and_a_time_to_retry(server: Server) -> None:
    await server.ask("1", PRO + MOST_WAITING)
    assert not server.answered
    await server.ask("1", 3)
    assert server.answered == {("1", 503): 3}
    assert server.headers[0][b"retry-after"] == b"1"
    assert server.headers[0][b"x-ratelimit-remaining"] == b"9"
    assert busy(server, "busy") == 3
    while server.open:
        server.now += 1
        await server.answer()
    assert server.answered["1", 200] == PRO + MOST_WAITING, "the line moves on"


async def test_asking_again_at_once_after_a_refusal_gains_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fairness, "REFUSALS_A_SECOND", 1e-6)
    await server.ask("1", PRO + MOST_WAITING)
    await server.ask("1", 300)
    assert server.answered["1", 503] == REFUSALS_AT_ONCE + 1, "further refusals are held back"


async def test_a_request_whose_client_has_gone_leaves_its_line(server: Server) -> None:
    await server.ask("1", PRO)
    gone = asyncio.get_running_loop().create_future()
    left = await server.ask("1", MOST_WAITING, leaving=gone)
    gone.set_result(None)
    await settled()
    assert all(task.done() for task in left)
    assert busy(server, "left") == MOST_WAITING
    await server.ask("1", MOST_WAITING)
    await server.answer()
    assert len(server.begun) == 2 * PRO, "others have their places"
    assert set(server.answered) == {("1", 200), ("1", 503)}


async def test_a_held_refusal_is_dropped_when_its_client_goes(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fairness, "REFUSALS_A_SECOND", 1e-6)
    await server.ask("1", PRO + MOST_WAITING + REFUSALS_AT_ONCE + 1)
    gone = asyncio.get_running_loop().create_future()
    (held,) = await server.ask("1", leaving=gone)
    assert not held.done()
    gone.set_result(None)
    await settled()
    assert held.done()
    assert busy(server, "busy") == REFUSALS_AT_ONCE + 2
    assert busy(server, "left") == 0, "it is counted once"


async def test_refusals_are_held_back_no_longer_than_a_flood_lasts(server: Server) -> None:
    gone = asyncio.get_running_loop().create_future()
    gone.set_result(None)
    await server.ask("1", PRO + MOST_WAITING)
    await server.ask("1", 3 * int(LONGEST_HOLD_S * REFUSALS_A_SECOND), leaving=gone)
    server.now += LONGEST_HOLD_S + 1 / REFUSALS_A_SECOND
    (refused,) = await server.ask("1")
    assert refused.done()


async def test_streams_and_bodies_of_quotes_take_no_place(server: Server) -> None:
    await server.ask("1", PRO + 4, path="/ingest")
    await server.ask("1", PRO + 4, kind="websocket")
    await server.ask("1", PRO)
    assert len(server.begun) == 3 * PRO + 8


async def test_a_line_keeps_to_its_pace(server: Server) -> None:
    begun = 0
    while server.now == 7.0 or begun < AT_ONCE:
        await server.ask("1")
        await server.answer()
        if len(server.begun) == begun:
            break
        begun = len(server.begun)
    assert begun == AT_ONCE + 1
    server.now += 1 / fairness.A_SECOND
    await server.ask("1")
    assert len(server.begun) == begun + 1


async def test_strangers_have_a_pace_together(server: Server) -> None:
    for number in range(STRANGERS_AT_ONCE + 10):
        await server.ask(f"unknown {number}")
        await server.answer()
    assert len(server.begun) == STRANGERS_AT_ONCE + 1


async def test_a_request_that_waits_when_the_server_ends_is_answered(server: Server) -> None:
    await server.ask("1", PRO)
    (waiting,) = await server.ask("1")
    waiting.cancel()
    await settled()
    assert server.answered == {("1", 503): 1}
    await server.answer()
    await server.ask("1", PRO)
    assert len(server.begun) == 2 * PRO, "it keeps no place"


async def test_lines_that_are_not_used_are_forgotten(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fairness, "MOST_LINES", 2)
    await server.ask("1", PRO)
    await server.ask("2")
    await server.answer()
    await server.ask("1", PRO)
    await server.ask("3")
    await server.ask("1")
    assert Counter(server.begun) == {"1": 2 * PRO, "2": 1, "3": 1}, "a busy one is not"


def busy(server: Server, why: str) -> float:
    counted = {each.labels.get("why"): each.value for each in server.figures.request_samples()}
    return counted[why]


Job = tuple[str, float]
"""The key of some work, and how long it takes."""


class Threads:
    """Threads of a fair queue in virtual time."""

    def __init__(self, count: int) -> None:
        self.queue: FairQueue[Job] = FairQueue()
        self.now = 0.0
        self.log: list[tuple[float, str, float]] = []
        """When some work began, its key, and how long it took."""
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
        """Advance to the end of the next work, and return its key."""
        if not self._running:
            return None
        self.now, _, turn = heapq.heappop(self._running)
        self._free += 1
        self.queue.settle(turn, turn.work[1])
        whose: str = turn.whose
        return whose


def closed_loop(threads: Threads, jobs: dict[str, tuple[int, Iterator[float]]], end: float) -> None:
    """Keep the given number of requests of each key open until some time."""
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


def test_cleared_work_is_returned() -> None:
    queue: FairQueue[str] = FairQueue()
    queue.add("a", 1.0, "first")
    queue.add("b", 1.0, "second")
    turn = queue.take()
    assert turn is not None
    assert queue.clear() == ["second"]
    queue.settle(turn, 2.0)
    assert queue.take() is None


class Held:
    """Work that ends on command."""

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


async def test_cancelled_work_is_not_done() -> None:
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


async def test_waiting_work_is_cancelled_at_the_end() -> None:
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


class Looks:
    """Looks at a database, each ended by the test."""

    def __init__(self) -> None:
        self._begun: asyncio.Queue[asyncio.Future[None]] = asyncio.Queue()

    def __call__(self) -> asyncio.Future[None]:
        look = asyncio.get_running_loop().create_future()
        self._begun.put_nowait(look)
        return look

    async def begun(self) -> asyncio.Future[None]:
        async with asyncio.timeout(10):
            return await self._begun.get()

    async def end(self, error: Exception | None = None) -> None:
        """End the look under way, and wait until the next one begins."""
        look = await self.begun()
        if error is None:
            look.set_result(None)
        else:
            look.set_exception(error)
        self._begun.put_nowait(await self.begun())


def away() -> StoreUnavailableError:
    return StoreUnavailableError("nobody there", Fault.AWAY)


@pytest.fixture
def looks() -> Looks:
    return Looks()


@pytest.fixture
async def circuit(looks: Looks, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Circuit]:
    monkeypatch.setattr(circuit_module, "PROBE_S", 0.0)
    circuit = Circuit()
    watching = spawn("watch", circuit.watch(looks))
    await asyncio.sleep(0)
    yield circuit
    await cancel_tasks(watching)


@pytest.fixture
def future() -> Callable[[], asyncio.Future[int]]:
    return lambda: asyncio.get_running_loop().create_future()


async def test_what_the_database_answers_is_handed_on(circuit: Circuit, future) -> None:
    answer = future()
    waiting = spawn("wait", circuit.wait_for_database(answer))
    answer.set_result(5)
    assert await waiting == 5
    circuit.check_database()


async def test_who_waits_is_refused_when_a_look_finds_it_away_and_who_comes_at_once(
    circuit: Circuit, looks: Looks, future
) -> None:
    waiting = [spawn("wait", circuit.wait_for_database(future())) for _ in range(3)]
    await asyncio.sleep(0)
    await looks.end(away())
    for each in waiting:
        with pytest.raises(KnownAwayError) as refused:
            await each
        assert refused.value.fault is Fault.AWAY
    with pytest.raises(KnownAwayError, match="nobody there"):
        circuit.check_database()


async def test_it_is_asked_for_until_it_is_back_and_the_log_has_a_line_of_each(
    circuit: Circuit, looks: Looks, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        for _ in range(3):
            await looks.end(StoreError("another schema"))
        with pytest.raises(KnownAwayError, match="another schema"):
            circuit.check_database()
        for _ in range(3):
            await looks.end()
        circuit.check_database()
    assert [record.message for record in caplog.records] == [
        "the database cannot be reached; retrying: another schema",
        "the database can be reached again",
    ]
    caplog.clear()


async def test_a_look_that_gets_no_answer_counts_as_away(
    circuit: Circuit, looks: Looks, future, monkeypatch: pytest.MonkeyPatch
) -> None:
    await looks.end()  # the next look has the limit
    monkeypatch.setattr(circuit_module, "LOOK_LIMIT_S", 0.01)
    await looks.end()
    with pytest.raises(KnownAwayError) as refused:
        await circuit.wait_for_database(future())
    assert refused.value.fault is Fault.SLOW
    await looks.end()
    circuit.check_database()


async def test_a_request_that_meets_nobody_refuses_the_others_at_once(
    circuit: Circuit, future
) -> None:
    other = spawn("wait", circuit.wait_for_database(future()))
    met = future()
    met.set_exception(away())
    with pytest.raises(KnownAwayError):
        await circuit.wait_for_database(met)
    with pytest.raises(KnownAwayError):
        await other


async def test_a_look_that_began_before_a_request_met_nobody_does_not_say_that_it_is_back(
    circuit: Circuit, looks: Looks, future
) -> None:
    met = future()
    met.set_exception(away())
    with pytest.raises(KnownAwayError):
        await circuit.wait_for_database(met)
    await looks.end()
    with pytest.raises(KnownAwayError):
        circuit.check_database()
    await looks.end()
    circuit.check_database()


async def test_a_query_that_is_refused_for_itself_is_that_callers_matter(
    circuit: Circuit, future
) -> None:
    slow = StoreUnavailableError("a long query", Fault.SLOW)
    met = future()
    met.set_exception(slow)
    with pytest.raises(StoreUnavailableError, match="a long query"):
        await circuit.wait_for_database(met)
    circuit.check_database()


async def test_who_gives_up_waiting_is_told_nothing_of_the_database(
    circuit: Circuit, looks: Looks, future
) -> None:
    waiting = spawn("wait", circuit.wait_for_database(future()))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_nothing_is_refused_where_nobody_looks(future) -> None:
    """A file: it refuses at once by itself, and who asks next finds it mended."""
    circuit = Circuit()
    met = future()
    met.set_exception(away())
    with pytest.raises(StoreUnavailableError, match="nobody there"):
        await circuit.wait_for_database(met)
    circuit.check_database()
