"""Whose request begins: places, lines and pace of each key."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.plans import Plan
from oddsdesk.server import fairness
from oddsdesk.server.fairness import (
    AT_ONCE,
    LEAVING,
    LONGEST_HOLD_S,
    MOST_WAITING,
    REFUSALS_A_SECOND,
    REFUSALS_AT_ONCE,
    STRANGERS_AT_ONCE,
    STRANGERS_IN_FLIGHT,
    FairShares,
    Lane,
)
from oddsdesk.server.figures import Figures
from oddsdesk.store.keys import Caller
from oddsdesk.tasks import spawn

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
    """An application behind fair shares that answers when it is told to; its clock stands still."""

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
        """Ask so many times, and go as far as that goes by itself."""

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


async def test_a_key_has_so_many_in_flight_and_the_rest_waits_in_order(server: Server) -> None:
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


async def test_a_request_that_waits_when_the_server_ends_is_told(server: Server) -> None:
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
    counted = {each.labels.get("why"): each.value for each in server.figures.samples()}
    return counted[why]
