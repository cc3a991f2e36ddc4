"""What readings of The Odds API cost that give nothing: never more than was planned (D68)."""

import asyncio
import json
from contextlib import aclosing
from itertools import pairwise

import pytest
from starlette.requests import Request
from starlette.responses import Response

from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.contract.administration import FeedCondition, FeedStatus
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.feeds.live import source as live_source
from oddsdesk.feeds.live.live_feed import read_spec
from oddsdesk.feeds.the_odds_api.live import TheOddsApi
from tests.kit.fake_source import FakeSource, as_response
from tests.kit.odds_api_answers import HOUR_MS, bookmaker, game, h2h, listed

NOW = 1_795_000_000_000
COST = 4
GAME = game(NOW + 60 * HOUR_MS, bookmaker(NOW, "Pinnacle", h2h()))
CUT_SHORT = json.dumps([GAME]).encode()[:-40]


class Charging:
    """The source on a clock of its own: what it charges for is of no use."""

    def __init__(self, source: FakeSource, *, left: int, cost: int) -> None:
        self.now = NOW
        self.left, self.used, self.cost = left, 500 - left, cost
        self.asked_at: list[int] = []
        """When prices were asked for, in milliseconds since the begin."""
        self.hangs: asyncio.Event | None = None
        self._source = source
        source.behave = self._answer

    async def read(self, hours: float) -> FeedStatus:
        """Have prices read for so long, and return how the feed is then."""
        over = asyncio.Event()

        async def sleep(seconds: float) -> None:
            self.now += round(seconds * 1000)
            if self.now > NOW + hours * HOUR_MS:
                over.set()
                await asyncio.Event().wait()
            await asyncio.sleep(0)

        options = f"url={self._source.url}&regions=uk,eu&markets=h2h,totals"
        feed = TheOddsApi(read_spec(f"the-odds-api:soccer_epl?{options}"), sleep=sleep)

        async def run() -> None:
            async with aclosing(feed.batches(lambda: self.now)) as batches:
                async for _ in batches:
                    raise AssertionError("there are no prices")

        running = spawn("read", run())
        await over.wait()
        await cancel_tasks(running)
        return feed.status.now

    async def _answer(self, request: Request) -> Response:
        if not request.url.path.endswith("/odds"):
            return as_response(listed(GAME), headers=self._headers(0))
        self.asked_at.append(self.now - NOW)
        self.left, self.used = self.left - self.cost, self.used + self.cost
        if self.hangs is not None:
            await self.hangs.wait()
        return as_response(CUT_SHORT, headers=self._headers(self.cost))

    def _headers(self, last: int) -> dict[str, str]:
        stated = {"remaining": self.left, "used": self.used, "last": last}
        return {f"x-requests-{name}": str(value) for name, value in stated.items()}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", "canary0123456789")


@pytest.mark.parametrize("hangs", [False, True])
async def test_a_reading_that_was_paid_for_is_tried_once_more_then_as_planned(
    source: FakeSource, monkeypatch: pytest.MonkeyPatch, hangs: bool
) -> None:
    charging = Charging(source, left=500, cost=COST)
    if hangs:
        monkeypatch.setattr(live_source, "REQUEST_S", 0.5)
        charging.hangs = asyncio.Event()
    status = await charging.read(24)
    if charging.hangs is not None:
        charging.hangs.set()
    assert status.state is FeedCondition.FAILING
    assert status.until is not None
    assert status.until > charging.now
    first, again, *planned = charging.asked_at
    assert (first, again) == (0, 60_000)
    gaps = [after - before for before, after in pairwise([again, *planned])]
    assert min(gaps) > 4 * HOUR_MS, "500 credits are 125 readings a month"


async def test_what_costs_nothing_is_tried_again_soon(source: FakeSource) -> None:
    charging = Charging(source, left=500, cost=0)
    await charging.read(0.1)
    assert len(charging.asked_at) > 5


async def test_credits_that_pay_for_no_reading_are_waited_for(source: FakeSource) -> None:
    """It said that it fails until a time that was past."""
    charging = Charging(source, left=9 + COST, cost=COST)
    status = await charging.read(24)
    assert len(charging.asked_at) <= 2
    assert status.state is FeedCondition.OUT_OF_CREDITS
    assert f"a reading costs {COST}; checked for free every 15 minutes" in status.reason
    assert status.until is not None
    assert 0 < status.until - charging.now <= 15 * MINUTE_MS
