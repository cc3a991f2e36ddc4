"""When The Odds API is asked: never sooner than ``every``, and how it waits for credits (D68)."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import aclosing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.contract.administration import FeedCondition, FeedStatus
from oddsdesk.contract.results import GameResult, GameStatus
from oddsdesk.contract.times import MINUTE_MS, format_ms, parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.live_feed import read_spec
from oddsdesk.feeds.the_odds_api.live import TheOddsApi
from oddsdesk.network import NotConnectedError, http
from oddsdesk.network.http import Reply
from tests.kit.odds_api_answers import HOUR_MS, bookmaker, game, h2h, listed

NOW = 1_795_000_000_000
GAME = game(NOW + 60 * HOUR_MS, bookmaker(NOW, "Pinnacle", h2h()))
SPENT = {"error_code": "OUT_OF_USAGE_CREDITS", "message": "Usage quota has been reached."}
BUSY = {"error_code": "EXCEEDED_FREQ_LIMIT", "message": "Slow down."}
SPORTS = "/v4/sports"


class FakeService:
    """The Odds API without a network, on a clock that only moves where the feed sleeps."""

    def __init__(self, key_file: Path) -> None:
        self.now = NOW
        self.asked: dict[str, list[int]] = defaultdict(list)
        """When each path was asked, in milliseconds since the begin."""
        self.answers: list[tuple[int, Any]] = []
        """Answers of paid paths, one after the other; then the game with its prices."""
        self.left: dict[str, int] | None = None
        """Credits of each key; None: answers have no credits."""
        self.month = 500
        """Credits a month."""
        self.kept: bytes | None = None
        self.games: list[dict[str, Any]] = [GAME]
        """What is listed, until three hours after the kick-off, and has prices."""
        self.scores: Callable[[int], Any] = lambda _days: []
        """What ``/scores`` answers, by how many days it reaches back."""
        self.results: list[GameResult] = []
        self.seen: list[tuple[int, FeedStatus]] = []
        """The feed's state at each moment that it slept."""
        self.on_sleep: Callable[[int], None] = lambda _: None
        self.key_file = key_file
        self.key_file.write_text("first")

    @property
    def paid(self) -> dict[str, list[int]]:
        return {path: at for path, at in self.asked.items() if path.endswith("/odds")}

    @property
    def asked_scores(self) -> list[float]:
        """When scores were asked, in hours."""
        every = (at for path, at in self.asked.items() if path.endswith("/scores"))
        return sorted(at / HOUR_MS for each in every for at in each)

    def listed(self) -> list[dict[str, Any]]:
        return [
            each for each in self.games if parse_ms(each["commence_time"]) > self.now - 3 * HOUR_MS
        ]

    @property
    def gaps(self) -> list[int]:
        return [after - before for at in self.paid.values() for before, after in pairwise(at)]

    async def run(
        self, seconds: float, options: str = "every=2", sports: str = "soccer_epl"
    ) -> None:
        """Run a new feed for some time, with the state that an earlier one kept."""
        end, over = self.now + round(seconds * 1000), asyncio.Event()

        async def sleep(wait_s: float) -> None:
            self.seen.append((self.now - NOW, feed.status.now))
            if self.now >= end:
                over.set()
                await asyncio.Event().wait()
            self.now = min(self.now + max(round(wait_s * 1000), 1), end)
            self.on_sleep(self.now - NOW)
            await asyncio.sleep(0)

        spec = f"the-odds-api:{sports}?url=http://127.0.0.1:9&key-file={self.key_file}&{options}"
        feed = TheOddsApi(read_spec(spec), sleep=sleep)
        feed.clock = lambda: self.now
        if self.kept is not None:
            feed.recall(self.kept)
        feed.keep = lambda memory: setattr(self, "kept", memory)

        async def read() -> None:
            async with aclosing(feed.batches(lambda: self.now)) as batches:
                async for batch in batches:
                    self.results += (each for each in batch if isinstance(each, GameResult))

        running = spawn("read", read())
        await over.wait()
        await cancel_tasks(running)

    async def send_request(
        self, _method: str, url: str, query: Mapping[str, str], **_options: object
    ) -> Reply:
        path, key = url.removeprefix("http://127.0.0.1:9"), query["apiKey"]
        self.asked[path].append(self.now - NOW)
        costs = path.endswith("/odds")
        status, body = 200, listed(*self.listed())
        if costs:
            status, body = self.answers.pop(0) if self.answers else (200, self.listed())
        elif path.endswith("/scores"):
            costs, body = 2, self.scores(int(query["daysFrom"]))
            status, body = body if isinstance(body, tuple) else (200, body)
        if status == 0:
            raise NotConnectedError("no connection")
        if self.left is None:
            return Reply(status, {}, json.dumps(body).encode())
        if costs and self.left[key] <= 0:
            status, body = 401, SPENT
        last = int(costs) if status == 200 else 0
        self.left[key] -= last
        said = {"remaining": self.left[key], "used": self.month - self.left[key], "last": last}
        headers = {f"x-requests-{name}": str(value) for name, value in said.items()}
        return Reply(status, headers, json.dumps(body).encode())

    async def close_connections(self) -> None:
        pass


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeService:
    fake = FakeService(tmp_path / "key")
    monkeypatch.delenv("ODDSDESK_THE_ODDS_API_KEY", raising=False)
    monkeypatch.setattr(http, "HttpClient", lambda *_, **__: fake)
    return fake


@pytest.mark.parametrize(
    "answers",
    [
        [(500, {})],
        [(500, {}), (502, {}), (200, [GAME]), (200, "no odds"), (200, [GAME]), (503, {})],
        [(429, BUSY)] * 3,
        [(422, {"error_code": "INVALID_MARKET", "message": "no"})] * 4,
    ],
)
async def test_a_path_that_costs_is_never_asked_sooner_than_every(
    service: FakeService, answers: list[tuple[int, Any]]
) -> None:
    """After an error it was asked again within 1.01 s."""
    service.answers = answers
    await service.run(30)
    assert len(service.gaps) > 4
    assert min(service.gaps) >= 2_000


@pytest.mark.parametrize("left", [None, {"first": 400}])
async def test_a_restart_asks_nothing_sooner_than_every(
    service: FakeService, left: dict[str, int] | None
) -> None:
    """Also one whose prices never came, and one with unknown credits."""
    service.left = left
    service.answers = [(500, {}), (200, [GAME]), (500, {})]
    for _ in range(8):
        await service.run(0.7)
    assert service.gaps
    assert min(service.gaps) >= 2_000
    service.now += 2_000
    await service.run(120, "every=100")
    assert min(service.gaps[-1:]) >= 2_000


async def test_each_competition_keeps_its_own_pace(service: FakeService) -> None:
    service.answers = [(500, {})] * 7
    sports = ["soccer_epl", "basketball_nba", "icehockey_nhl"]
    await service.run(30, sports=",".join(sports))
    assert sorted(service.paid) == sorted(f"{SPORTS}/{sport}/odds" for sport in sports)
    assert min(service.gaps) >= 2_000


async def test_without_every_an_error_is_tried_again_after_a_minute(service: FakeService) -> None:
    service.answers = [(500, {})] * 3
    await service.run(200, "markets=h2h")
    assert service.paid[f"{SPORTS}/soccer_epl/odds"] == [0, 60_000, 120_000, 180_000]


async def test_a_request_that_never_reached_the_source_is_repeated_soon(
    service: FakeService,
) -> None:
    service.answers = [(0, {})]
    await service.run(60, "markets=h2h")
    assert service.gaps[0] < 5_000


async def test_a_clock_that_is_put_back_delays_no_paid_reading_for_longer_than_every(
    service: FakeService,
) -> None:
    await service.run(5)
    service.now -= 24 * HOUR_MS
    before = len(service.paid[f"{SPORTS}/soccer_epl/odds"])
    await service.run(10)
    assert len(service.paid[f"{SPORTS}/soccer_epl/odds"]) >= before + 4


async def test_out_of_credits_is_looked_at_by_the_free_path_when_it_says(
    service: FakeService,
) -> None:
    service.left = {"first": 0}
    await service.run(2 * 3_600 - 60)
    assert service.paid == {}
    assert service.asked[SPORTS] == [quarter * 15 * MINUTE_MS for quarter in range(1, 8)]
    for at, status in service.seen[1:]:
        assert status.state is FeedCondition.OUT_OF_CREDITS
        assert status.until is not None
        looked = [each for each in service.asked[SPORTS] if each > at]
        assert status.until - NOW == (looked[0] if looked else 120 * MINUTE_MS)
    assert "the credits are used up (500 used); " in status.reason
    assert "checked for free every 15 minutes" in status.reason


async def test_credits_that_come_back_are_used_after_the_next_look(service: FakeService) -> None:
    service.left = {"first": 0}
    account = service.left

    def renew(at_ms: int) -> None:
        if at_ms >= 20 * MINUTE_MS and account["first"] == 0:
            account["first"] = 500

    service.on_sleep = renew
    await service.run(31 * 60)
    assert service.paid[f"{SPORTS}/soccer_epl/odds"][0] == 30 * MINUTE_MS
    assert service.seen[-1][1].state is FeedCondition.RUNNING


async def test_another_key_ends_the_wait_for_credits_at_once(service: FakeService) -> None:
    """It slept for ten minutes without a look at the key."""
    service.left = {"first": 0, "second": 500}

    def change(at_ms: int) -> None:
        if at_ms >= 150_000:
            service.key_file.write_text("second")

    service.on_sleep = change
    await service.run(160)
    (at,) = service.paid[f"{SPORTS}/soccer_epl/odds"]
    assert 150_000 <= at <= 153_000
    assert service.seen[-1][1].state is FeedCondition.RUNNING


async def test_too_few_credits_for_a_reading_are_said_and_looked_at(service: FakeService) -> None:
    """It was shown as running, and asked nothing for a month."""
    service.left = {"first": 3}
    await service.run(1_000)
    assert service.paid == {}
    status = service.seen[-1][1]
    assert status.state is FeedCondition.OUT_OF_CREDITS
    assert status.reason.startswith("3 credits left, including a small reserve")
    assert status.until == NOW + 30 * MINUTE_MS
    assert service.asked[SPORTS] == [15 * MINUTE_MS]


async def test_a_source_without_credits_in_its_answers_is_asked_every_15_minutes(
    service: FakeService,
) -> None:
    service.answers = [(401, SPENT)] * 2
    await service.run(45 * 60)
    assert service.paid[f"{SPORTS}/soccer_epl/odds"][:3] == [0, 15 * MINUTE_MS, 30 * MINUTE_MS]


def playing(*hours: float) -> list[dict[str, Any]]:
    """Return games that kick off so many hours after the start."""
    return [
        game(
            NOW,
            bookmaker(NOW, "Pinnacle", h2h(team=f"Home {number}")),
            ident=f"g{number}",
            home=f"Home {number}",
            commence_time=format_ms(NOW + round(hour * HOUR_MS)),
        )
        for number, hour in enumerate(hours)
    ]


def scored(said: dict[str, Any], now_ms: int, *, completed: bool = True) -> dict[str, Any]:
    """Return what ``/scores`` answers of a game."""
    teams = (said["home_team"], said["away_team"])
    scores = [{"name": name, "score": f"{goals}"} for goals, name in enumerate(teams)]
    kept = {name: said[name] for name in said if name != "bookmakers"}
    return kept | {"completed": completed, "scores": scores, "last_update": format_ms(now_ms)}


async def test_scores_are_asked_two_hours_after_the_kick_off_until_there_is_a_result(
    service: FakeService,
) -> None:
    service.left, service.month = {"first": 20_000}, 20_000
    service.games = playing(1, 1.25, 4)

    def answer(days: int) -> list[dict[str, Any]]:
        assert days == 1
        hour = (service.now - NOW) / HOUR_MS
        first, second, _ = service.games
        return [scored(first, service.now, completed=hour > 3.4), scored(second, service.now)]

    service.scores = answer
    await service.run(12 * 3_600, "markets=h2h")
    found = [round(hour, 1) for hour in service.asked_scores]
    assert found[:3] == [3.0, 3.5, 6.0], "one request has the results of both"
    pauses = [round(after - before, 2) for before, after in pairwise(service.asked_scores[2:9])]
    assert pauses == [0.5] * 5 + [0.75]
    first, second = [
        [each.status for each in service.results if each.match_name.startswith(f"Home {number} ")]
        for number in (0, 1)
    ]
    assert first[:2] == [GameStatus.IN_PLAY, GameStatus.FINAL]
    assert set(second) == {GameStatus.FINAL}
    last = service.results[-1]
    assert (last.competition, last.home, last.away, last.overtime) == ("EPL", 0, 1, None)


@pytest.mark.parametrize(("which", "count"), [("off", 0), ("started", 0), ("all", 2)])
async def test_nothing_is_asked_where_no_game_waits_for_a_result(
    service: FakeService, which: str, count: int
) -> None:
    service.left, service.month = {"first": 20_000}, 20_000
    await service.run(26 * 3_600, f"markets=h2h&scores={which}&every=600")
    assert len(service.asked_scores) == count


async def test_a_restart_remembers_the_games_that_began_meanwhile(service: FakeService) -> None:
    service.left, service.month = {"first": 20_000}, 20_000
    service.games = playing(1)
    service.scores = lambda days: [scored(service.games[0], service.now)] if days == 2 else []
    await service.run(60, "markets=h2h")
    service.now += 30 * HOUR_MS
    await service.run(60, "markets=h2h")
    (result,) = service.results
    assert (result.status, result.kick_off) == (GameStatus.FINAL, NOW + HOUR_MS)
    await service.run(6 * 3_600, "markets=h2h")
    assert len(service.asked_scores) == 1


async def test_a_game_that_never_ends_is_asked_for_less_and_less_and_then_given_up(
    service: FakeService,
) -> None:
    service.left, service.month = {"first": 20_000}, 20_000
    service.games = playing(0)
    await service.run(5 * 24 * 3_600, "every=3600")
    assert 10 <= len(service.asked_scores) <= 16
    assert max(service.asked_scores) < 72
    pauses = [after - before for before, after in pairwise(service.asked_scores)]
    assert pauses[-1] > 10


async def test_scores_take_at_most_a_quarter_of_the_credits(service: FakeService) -> None:
    service.left = {"first": 500}
    days = 4
    service.games = playing(*range(0, days * 24, 3))
    await service.run(days * 24 * 3_600, "markets=h2h")
    per_day = 500 / 31 / 4
    assert 2 * len(service.asked_scores) <= per_day * days + 4
    assert len(service.asked_scores) >= days
    odds = service.paid[f"{SPORTS}/soccer_epl/odds"]
    assert service.left["first"] == 500 - len(odds) - 2 * len(service.asked_scores)


@pytest.mark.parametrize(
    "answer", [(404, {}), (500, {}), (422, {"message": "no scores"}), (200, "text"), (200, [{}])]
)
async def test_a_competition_without_scores_is_no_fault_of_the_feed(
    service: FakeService, caplog: pytest.LogCaptureFixture, answer: tuple[int, Any]
) -> None:
    caplog.set_level("INFO")
    service.left, service.month = {"first": 20_000}, 20_000
    service.games = playing(0.5, 60)
    service.scores = lambda _days: answer
    await service.run(5 * 3_600, "markets=h2h")
    assert len(service.asked_scores) > 2
    states = {status.state for at, status in service.seen if at > HOUR_MS}
    assert states == {FeedCondition.RUNNING}
    assert sum("scores of soccer_epl" in each for each in caplog.messages) == 1
    assert "first" not in caplog.text.replace("first answer", "")


async def test_no_connection_costs_no_request_for_scores(service: FakeService) -> None:
    service.left, service.month = {"first": 20_000}, 20_000
    service.games = playing(1)
    answers: list[Callable[[], Any]] = [
        lambda: (0, {}),
        lambda: [scored(service.games[0], service.now)],
    ]
    service.scores = lambda _days: answers.pop(0)()
    await service.run(4 * 3_600, "markets=h2h")
    assert len(service.results) == 1
    assert round(service.asked_scores[1] - service.asked_scores[0], 1) == 0


def test_other_words_for_scores_are_refused(tmp_path: Path) -> None:
    spec = read_spec("the-odds-api:soccer_epl?scores=yes")
    with pytest.raises(FeedError, match="scores: expected one of started, all, off"):
        TheOddsApi(spec)
