"""What the planner says that a reading costs, against a source that charges as The Odds API does.

Three hours of it, on a clock of its own: https://the-odds-api.com/liveapi/guides/v4/#usage-quota-costs
"""

import asyncio
import math
from contextlib import aclosing
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from oddsdesk.feeds.live.live_feed import read_spec
from oddsdesk.feeds.the_odds_api.live import TheOddsApi
from tests.kit.fake_source import FakeSource, as_response
from tests.kit.odds_api_answers import HOUR_MS, bookmaker, game, h2h, listed, totals

NOW = 1_795_000_000_000
READ_MS = 3 * HOUR_MS
CREDITS = 20_000
SPORTS = {"soccer_epl": 4, "soccer_italy_serie_a": 2, "icehockey_nhl": 0}
"""How many games each has."""


class Charging:
    """The source: games, what of them it offers, and what it has charged for."""

    def __init__(self, source: FakeSource) -> None:
        self.now = NOW
        self.used = 0
        self.charged: list[tuple[str, int]] = []
        """Each paid or free reading of odds, by what was read."""
        self.told: list[float] = []
        """What the feed said before each of them."""
        self.feed: TheOddsApi | None = None
        source.behave = self._answer

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += round(seconds * 1000)
        await asyncio.sleep(0)

    async def _answer(self, request: Request) -> Response:
        _, _, _, sport, kind, *more = request.url.path.split("/")
        games = [self._game(sport, number) for number in range(SPORTS[sport])]
        last = 0
        answer: Any = listed(*games)
        if kind == "odds":
            answer = games
            last = self._cost(request, len(_words(request, "markets"))) if games else 0
            self._charge(sport, last)
        elif more:
            answer = next(each for each in games if each["id"] == more[0])
            offered = {market["key"] for each in answer["bookmakers"] for market in each["markets"]}
            last = self._cost(request, len(offered & set(_words(request, "markets"))))
            self._charge(f"{sport}/{more[0]}", last)
        return as_response(answer, headers=self._headers(last))

    def _game(self, sport: str, number: int) -> dict[str, Any]:
        """A game that has players' markets or not; prices move with time."""
        price = round(2 + (self.now // HOUR_MS + number) % 7 / 10, 2)
        markets = [h2h(price, team=f"Home {number}"), totals(2.5)]
        if number % 2:
            markets.append({**totals(3.5), "key": "alternate_totals"})
        home = {"ident": f"{sport}{number}", "home": f"Home {number}"}
        kick_off = NOW + 20 * HOUR_MS - NOW % HOUR_MS
        return game(kick_off, bookmaker(self.now, "Pinnacle", *markets), **home)

    def _cost(self, request: Request, markets: int) -> int:
        named = _words(request, "bookmakers")
        regions = math.ceil(len(named) / 10) if named else len(_words(request, "regions"))
        return markets * regions

    def _charge(self, part: str, cost: int) -> None:
        assert self.feed is not None
        told = {job.name: job.cost for job in self.feed._jobs()}
        self.told.append(told[part])
        self.charged.append((part, cost))
        self.used += cost

    def _headers(self, last: int) -> dict[str, str]:
        left = CREDITS - self.used
        stated = {"remaining": left, "used": self.used, "last": last}
        return {f"x-requests-{name}": str(value) for name, value in stated.items()}


def _words(request: Request, name: str) -> list[str]:
    return [word for word in request.query_params.get(name, "").split(",") if word]


@pytest.fixture
def charging(source: FakeSource, monkeypatch: pytest.MonkeyPatch) -> Charging:
    monkeypatch.setenv("ODDSDESK_THE_ODDS_API_KEY", "canary0123456789")
    return Charging(source)


async def some_hours(charging: Charging, source: FakeSource, options: str) -> list[str]:
    """Read for hours of the source's clock; return the plans that were told."""
    text = f"the-odds-api:{','.join(SPORTS)}?url={source.url}&{options}"
    feed = charging.feed = TheOddsApi(read_spec(text), sleep=charging.sleep)
    plans: list[str] = []
    async with aclosing(feed.batches(lambda: charging.now)) as batches:
        async for _ in batches:
            if feed.status.now.plan not in plans:
                plans.append(feed.status.now.plan)
            if charging.now > NOW + READ_MS:
                return plans
    raise AssertionError("it ended")


@pytest.mark.parametrize(
    ("options", "cost"),
    [
        ("regions=uk,eu&markets=h2h,totals", 4),
        ("regions=uk,eu,us&markets=h2h", 3),
        ("bookmakers=pinnacle,unibet&markets=h2h,totals", 2),
        (f"bookmakers={','.join(f'b{n}' for n in range(11))}&markets=h2h", 2),
    ],
)
async def test_a_reading_of_a_competition_costs_what_was_told(
    charging: Charging, source: FakeSource, options: str, cost: int
) -> None:
    plans = await some_hours(charging, source, options)
    assert plans[0].startswith("two leagues, 20,000 credits a month: every ")
    charged = [each for _, each in charging.charged]
    assert len(charged) > 10
    assert charging.told == charged == [cost] * len(charged)
    assert {part for part, _ in charging.charged} == {"soccer_epl", "soccer_italy_serie_a"}


async def test_a_reading_of_a_game_costs_what_was_told_once_it_was_read(
    charging: Charging, source: FakeSource
) -> None:
    """What a game offers of what is asked for is known once it was asked."""
    await some_hours(charging, source, "regions=uk,eu&markets=h2h,btts,alternate_totals")
    seen: set[str] = set()
    again = []
    for told, (part, charged) in zip(charging.told, charging.charged, strict=True):
        if part in seen:
            again.append((part, told, charged))
        seen.add(part)
    assert {part.rpartition("/")[2] for part in seen} > {"soccer_epl0", "soccer_epl1"}
    assert len(again) > 20
    assert [told for _, told, _ in again] == [charged for _, _, charged in again]
