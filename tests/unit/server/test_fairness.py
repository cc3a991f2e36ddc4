"""Turns in lanes: so many a second, in order, some at once after a pause."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.plans import Plan
from oddsdesk.server import fairness
from oddsdesk.server.fairness import AT_ONCE, STRANGERS_AT_ONCE, FairShares, Lane
from oddsdesk.server.figures import Figures
from oddsdesk.server.limits import no_limits
from oddsdesk.store.keys import Caller


@given(st.lists(st.floats(0, 0.5), min_size=1, max_size=60))
def test_no_second_has_more_turns_than_the_lane_gives(pauses: list[float]) -> None:
    lane, now, begun = Lane(10, 5), 100.0, []
    for pause in pauses:
        now += pause
        begun.append(now + lane.take(now))
    assert begun == sorted(begun), "in the order in which they were taken"
    for start in begun:
        assert sum(start <= each < start + 1 - 1e-9 for each in begun) <= 10 + 5 + 1


def test_who_keeps_the_pace_never_waits() -> None:
    lane = Lane(10, 0)
    assert [lane.take(100 + number / 10) for number in range(20)] == pytest.approx([0] * 20)


class Shares:
    """Requests in lanes, at a time that stands still; who waits does so without waiting."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waits: list[float] = []
        self.sent: list[Any] = []
        self.passed = 0

        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        monkeypatch.setattr(fairness.asyncio, "sleep", sleep)

        async def app(scope: Any, receive: Any, send: Any) -> None:
            self.passed += 1

        self.figures = Figures()
        self._shares = FairShares(app, self._known, no_limits, lambda: 7.0, self.figures)

    def _known(self, secret: str) -> Caller | None:
        return Caller(int(secret), b"", Plan.PRO_LIVE, None) if secret.isdecimal() else None

    async def ask(self, key: str, times: int) -> None:
        async def send(message: Any) -> None:
            self.sent.append(message)

        async def receive() -> Any:
            raise AssertionError("nothing is to be received")

        headers = [(b"x-api-key", key.encode())] if key else []
        for _ in range(times):
            await self._shares({"type": "http", "headers": headers}, receive, send)


async def test_a_key_does_not_wait_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = Shares(monkeypatch)
    await shares.ask("1", AT_ONCE + 20)
    assert len(shares.waits) == 19
    shares.waits.clear()
    await shares.ask("2", AT_ONCE)
    await shares.ask("", STRANGERS_AT_ONCE)
    assert shares.waits == []


async def test_strangers_share_a_lane_whatever_they_show(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = Shares(monkeypatch)
    await shares.ask("", STRANGERS_AT_ONCE)
    await shares.ask("unknown", 10)
    assert len(shares.waits) == 9
    assert shares.waits == sorted(shares.waits)


async def test_who_waits_when_the_server_ends_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = Shares(monkeypatch)
    await shares.ask("", STRANGERS_AT_ONCE + 1)

    async def cancelled(_seconds: float) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(fairness.asyncio, "sleep", cancelled)
    await shares.ask("", 1)
    assert [each["status"] for each in shares.sent if "status" in each] == [503]


async def test_who_would_wait_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = Shares(monkeypatch)
    await shares.ask("", 1000)
    assert max(shares.waits) <= fairness.LONGEST_WAIT_S
    refused = [each for each in shares.sent if each.get("status")]
    assert shares.passed + len(refused) == 1000
    assert {each["status"] for each in refused} == {503}
    counted = {each.labels.get("why"): each.value for each in shares.figures.samples()}
    assert counted["busy"] == len(refused) > 0
    assert (b"retry-after", b"1") in refused[0]["headers"]
