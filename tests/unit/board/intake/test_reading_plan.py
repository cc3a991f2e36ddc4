"""What each reading costs and how much depends on it."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

import pytest
from msgspec.structs import replace

from oddsdesk.base import tasks
from oddsdesk.base.clock import system_clock
from oddsdesk.base.polling import Reading
from oddsdesk.base.tasks import Jobs
from oddsdesk.board.intake.connection_monitor import HEALTH
from oddsdesk.board.intake.reading_plan import GAMES, ROWS, VALUE_BETS, Pace, ReadingPlan, open_game
from oddsdesk.board.intake.sync import Job, Poller, Quiet, Work
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.client.errors import (
    ForbiddenError,
    OfflineError,
    RateLimitedError,
    ServiceError,
    UnauthorizedError,
)
from oddsdesk.client.quota import Budget, Quota
from oddsdesk.contract.times import format_ms
from tests.kit.board import GAME, NOW, Desk, game

HOUR_MS = 3_600_000


@pytest.fixture
def plan(desk: Desk) -> ReadingPlan:
    return ReadingPlan(desk.board, lambda: desk.now, Pace())


def listed(desk: Desk, in_hours: float, *, is_live: bool = False, competition: str = "EPL") -> None:
    kick_off = format_ms(NOW + round(in_hours * HOUR_MS))
    desk.board.load_games([game(competition=competition, match_date=kick_off, is_live=is_live)])


@pytest.mark.parametrize(("pages", "seconds"), [(1, 10), (33, 33), (100, 100), (500, 300)])
def test_the_more_rows_there_are_the_rarer_they_are_read(
    plan: ReadingPlan, pages: int, seconds: float
) -> None:
    plan.pages[ROWS] = pages
    assert plan.rows_reading().most == 3600 / seconds
    assert plan.rows_reading().cost == pages


def test_a_game_counts_by_how_soon_it_begins(desk: Desk, plan: ReadingPlan) -> None:
    rates = []
    for hours in (0.1, 2, 30, 90):
        listed(desk, hours)
        rates.append(plan.game_reading(GAME).change_rate)
    assert rates == sorted(rates, reverse=True)
    listed(desk, -1, is_live=True)
    assert (
        plan.game_reading(GAME).change_rate == rates[0] == plan.game_reading("unknown").change_rate
    )


def test_all_games_count_as_one_that_is_open(desk: Desk, plan: ReadingPlan) -> None:
    listed(desk, 2)
    assert plan.rows_reading().weight == plan.game_reading(GAME).weight
    assert plan.rows_reading().change_rate == plan.game_reading(GAME).change_rate


def test_the_kick_offs_of_all_games_are_looked_at_again_in_time(
    desk: Desk, plan: ReadingPlan
) -> None:
    listed(desk, 2)
    before = plan.rows_reading().change_rate
    desk.now += 2 * HOUR_MS
    assert plan.rows_reading().change_rate > before


def test_what_is_streamed_needs_less_reading_and_value_bets_are_not(
    desk: Desk, plan: ReadingPlan
) -> None:
    listed(desk, 2)
    before = [
        plan.rows_reading(),
        plan.game_reading(GAME),
        plan.value_bets_reading(),
        plan.games_reading(),
    ]
    desk.board.set_connection(Connection(link=Link.LIVE))
    after = [
        plan.rows_reading(),
        plan.game_reading(GAME),
        plan.value_bets_reading(),
        plan.games_reading(),
    ]
    shares = [b.change_rate / a.change_rate for a, b in zip(before, after, strict=True)]
    assert shares == pytest.approx([0.1, 0.1, 1, 1])


def test_what_the_plan_lacks_is_neither_read_nor_told(desk: Desk, plan: ReadingPlan) -> None:
    periods = {GAMES: 300.0, VALUE_BETS: 60.0}
    said = "Value bets every 60 seconds, the list of games every 5 minutes"
    assert plan.in_words(periods) == said
    desk.board.set_connection(replace(desk.board.connection, has_value_bets=False))
    assert plan.value_bets_reading().weight == 0
    assert plan.in_words(periods) == "The list of games every 5 minutes"


def test_the_plan_reads_as_that_of_feeds_does(desk: Desk, plan: ReadingPlan) -> None:
    listed(desk, 2)
    periods = {ROWS: 840.0, open_game(GAME): 20.0, open_game("other"): 34.0}
    said = "Prices of 1 competition every 14 minutes, of open games every 20 and 34 seconds"
    assert plan.in_words(periods) == said
    assert plan.in_words({}) == ""


NOW_OF_POLLING = 1_795_000_000_000
Told = list[tuple[str, ServiceError | None, int | None]]


@asynccontextmanager
async def polling(
    budget: Budget,
    clock: Callable[[], int] = system_clock,
    quiet_now: Callable[[], Quiet | None] = lambda: None,
) -> AsyncIterator[tuple[Poller, Told]]:
    heard: Told = []
    jobs = Jobs()
    poller = Poller(
        budget, clock, lambda *outcome: heard.append(outcome), lambda: 0.0, jobs, quiet_now
    )
    async with asyncio.timeout(10):
        yield poller, heard
        await jobs.stop_jobs()


def unlimited() -> Budget:
    return Budget(system_clock, lambda: None)


def paid(name: str, period_s: float, work: Work, after: Work | None = None, cost: int = 1) -> Job:
    """A job that costs requests."""
    return Job(name, work, lambda: Reading(cost, 1.0, 1.0, 3600 / period_s), after)


def resting(name: str, period_s: float, work: Work) -> Job:
    """A paid job that waits while nothing is new."""
    return Job(name, work, lambda: Reading(1, 1.0, 1.0, 3600 / period_s), longest_rest_s=600.0)


def free(name: str, period_s: float, work: Work, after: Work | None = None) -> Job:
    return Job(name, work, after=after, period_s=period_s)


def counted(queue: asyncio.Queue[int], error: ServiceError | None = None) -> Work:
    """Work that says how often it was done, and fails the first time where told to."""
    count = 0

    async def work() -> None:
        nonlocal count
        count += 1
        queue.put_nowait(count)
        if error is not None and count == 1:
            raise error

    return work


async def test_a_job_is_done_at_once_and_again_after_its_period() -> None:
    done: asyncio.Queue[int] = asyncio.Queue()
    async with polling(unlimited()) as (poller, heard):
        poller.add_job(paid("games", 0.02, counted(done)))
        assert [await done.get() for _ in range(3)] == [1, 2, 3]
        assert heard[0] == ("games", None, None)


async def test_while_nothing_is_new_a_job_waits_longer_and_soon_goes_on() -> None:
    done: asyncio.Queue[int] = asyncio.Queue()
    quiet = Quiet(0, math.inf)
    async with polling(unlimited(), quiet_now=lambda: quiet) as (poller, _):
        poller.add_job(resting("games", 0.02, counted(done)))
        assert await done.get() == 1
        await asyncio.sleep(0.1)
        assert done.empty()
        quiet = Quiet(system_clock(), math.inf)
        assert [await done.get() for _ in range(2)] == [2, 3]


@pytest.mark.parametrize(
    ("quiet_s", "rests_s"),
    [
        (None, (10, 80)),
        (-5, (10, 80)),
        (29, (10, 80)),
        (31, (60, 480)),
        (90, (90, 480)),
        (3_600, (600, 600)),
    ],
)
def test_the_longer_nothing_was_new_the_longer_a_job_rests(
    quiet_s: int | None, rests_s: tuple[float, float]
) -> None:
    quiet = None if quiet_s is None else Quiet(NOW_OF_POLLING - quiet_s * 1_000, math.inf)
    budget = unlimited()
    poller = Poller(
        budget, lambda: NOW_OF_POLLING, lambda *_: None, lambda: 0.0, Jobs(), lambda: quiet
    )
    work = counted(asyncio.Queue())
    short, long = resting("games", 10.0, work), resting(ROWS, 80.0, work)
    health, bets = Job(HEALTH, work, period_s=15.0), paid("bets", 20.0, work)
    for job in (short, long, health, bets):
        job.began_ms = NOW_OF_POLLING
        if job.reading is not None:
            budget.plan_reading(job.name, job.reading)
    assert (poller.rest_s(short), poller.rest_s(long)) == rests_s
    assert (poller.rest_s(health), poller.rest_s(bets)) == (15, 20)
    if quiet_s == 3_600:  # a price is too old to be listed before
        quiet = Quiet(quiet.since_ms, NOW_OF_POLLING + 45_000)
        assert (poller.rest_s(short), poller.rest_s(long)) == (45, 80)


async def test_what_is_new_ends_the_rest_of_jobs_whose_period_is_over() -> None:
    done: asyncio.Queue[str] = asyncio.Queue()

    async def work(name: str) -> None:
        done.put_nowait(name)

    quiet = Quiet(0, math.inf)
    async with polling(unlimited(), quiet_now=lambda: quiet) as (poller, _):
        for name, period_s in ("short", 0.2), ("long", 60.0):
            poller.add_job(resting(name, period_s, partial(work, name)))
        assert {await done.get() for _ in range(2)} == {"short", "long"}
        await asyncio.sleep(0.3)
        poller.end_rest()
        assert await done.get() == "short"
        assert done.empty()


async def test_a_hurried_job_is_done_now() -> None:
    done: asyncio.Queue[int] = asyncio.Queue()
    async with polling(unlimited()) as (poller, _):
        job = paid("games", 3600, counted(done))
        poller.add_job(job)
        await job.tried.wait()
        poller.hurry(["games", "no such job"])
        assert [await done.get() for _ in range(2)] == [1, 2]


async def test_a_job_waits_until_another_was_tried_or_ended() -> None:
    for ends in (False, True):
        done: asyncio.Queue[int] = asyncio.Queue()
        way_is_free = asyncio.Event()
        async with polling(unlimited()) as (poller, _):
            first = paid("matrix", 3600, counted(asyncio.Queue()), way_is_free.wait)
            poller.add_job(first)
            poller.add_job(free("health", 3600, counted(done), lambda: poller.tried("matrix")))
            poller.add_job(free("rows", 3600, counted(done), lambda: poller.tried("no such job")))
            assert await done.get() == 1
            await asyncio.sleep(0)
            assert done.empty()
            if ends:
                poller.remove_job("matrix")
            else:
                way_is_free.set()
            assert await done.get() == 1


async def test_a_job_that_is_hurried_while_it_is_done_is_done_once_more() -> None:
    done: asyncio.Queue[int] = asyncio.Queue()
    async with polling(unlimited()) as (poller, _):
        count = 0

        async def work() -> None:
            nonlocal count
            count += 1
            if count == 1:
                poller.hurry()
            done.put_nowait(count)

        poller.add_job(paid("games", 3600, work))
        assert [await done.get() for _ in range(2)] == [1, 2]


async def test_trouble_is_told_with_the_time_of_the_next_try() -> None:
    waits = {
        OfflineError("nobody there"): 1_000,
        UnauthorizedError("unauthorized", "who?"): 60_000,
        ForbiddenError("value_bets_not_on_plan", "no"): 6 * 3_600_000,
        ForbiddenError("bookmaker_not_configured", "no"): 900_000,
        RateLimitedError("too many", NOW_OF_POLLING + 12_345): 12_345,
    }
    for error, wait_ms in waits.items():
        async with polling(
            Budget(lambda: NOW_OF_POLLING, lambda: None), lambda: NOW_OF_POLLING
        ) as (poller, heard):
            job = paid("games", 1, counted(asyncio.Queue(), error))
            poller.add_job(job)
            await job.tried.wait()
            assert heard == [("games", error, NOW_OF_POLLING + wait_ms)]


async def test_a_free_job_is_tried_a_minute_after_the_plan_refused_it() -> None:
    """The stream comes soon after the plan allows it."""
    error = ForbiddenError("websocket_not_on_plan", "no")
    async with polling(unlimited(), lambda: NOW_OF_POLLING) as (poller, heard):
        job = free("stream", 1, counted(asyncio.Queue(), error), None)
        poller.add_job(job)
        await job.tried.wait()
        assert heard == [("stream", error, NOW_OF_POLLING + 60_000)]


async def test_after_a_429_no_job_asks_before_its_time() -> None:
    done: asyncio.Queue[int] = asyncio.Queue()
    budget = unlimited()
    until = system_clock() + 150
    async with polling(budget) as (poller, _):
        job = paid("games", 1, counted(asyncio.Queue(), RateLimitedError("no", until)))
        poller.add_job(job)
        await job.tried.wait()
        poller.add_job(paid("matrix", 1, counted(done)))
        await done.get()
        assert system_clock() >= until


async def test_where_the_quota_is_small_only_what_costs_requests_waits_longer() -> None:
    budget = Budget(
        lambda: NOW_OF_POLLING, lambda: Quota(10, NOW_OF_POLLING + 3_600_000, NOW_OF_POLLING)
    )
    dear: asyncio.Queue[int] = asyncio.Queue()
    freely: asyncio.Queue[int] = asyncio.Queue()
    async with polling(budget) as (poller, _):
        poller.add_job(paid("games", 0.01, counted(dear)))
        poller.add_job(free("health", 0.02, counted(freely)))
        assert [await freely.get() for _ in range(4)] == [1, 2, 3, 4]
        assert dear.qsize() == 1


async def test_a_read_waits_for_as_many_requests_as_it_takes_unless_it_is_asked_for() -> None:
    left = Quota(20, NOW_OF_POLLING + 3_600_000, NOW_OF_POLLING)
    done: asyncio.Queue[int] = asyncio.Queue()
    async with polling(Budget(lambda: NOW_OF_POLLING, lambda: left), lambda: NOW_OF_POLLING) as (
        poller,
        _,
    ):
        poller.add_job(paid("rows", 60, counted(done), cost=19))
        games: asyncio.Queue[int] = asyncio.Queue()
        poller.add_job(paid("games", 60, counted(games)))
        assert await games.get() == 1
        assert done.empty()
        poller.hurry(["rows"], is_asked=True)
        assert await done.get() == 1


async def test_what_nobody_asked_for_is_hurried_only_where_it_takes_little_of_what_is_left() -> (
    None
):
    left = Quota(200, NOW_OF_POLLING + 86_400_000, NOW_OF_POLLING)
    dear: asyncio.Queue[int] = asyncio.Queue()
    cheap: asyncio.Queue[int] = asyncio.Queue()
    async with polling(Budget(lambda: NOW_OF_POLLING, lambda: left), lambda: NOW_OF_POLLING) as (
        poller,
        _,
    ):
        poller.add_job(paid("rows", 60, counted(dear), cost=19))
        poller.add_job(paid("games", 60, counted(cheap)))
        assert [await dear.get(), await cheap.get()] == [1, 1]
        poller.hurry()
        assert await cheap.get() == 2
        await asyncio.sleep(0)
        assert dear.empty()


async def test_a_removed_job_frees_its_share_and_may_come_back() -> None:
    done: asyncio.Queue[int] = asyncio.Queue()
    budget = unlimited()
    async with polling(budget) as (poller, _):
        poller.add_job(paid("games", 1, counted(done)))
        assert budget.periods_s() == {"games": 1}
        poller.remove_job("games")
        assert budget.periods_s() == {}
        poller.add_job(paid("games", 1, counted(done)))
        assert await done.get() == 1


async def test_stopping_waits_for_a_removed_job_that_is_still_ending() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(5):
                await asyncio.sleep(0)
            ended.set()

    async with polling(unlimited()) as (poller, _):
        poller.add_job(paid("matrix", 1, work))
        await begun.wait()
        poller.remove_job("matrix")
    assert ended.is_set()


async def test_a_read_that_dies_is_begun_anew_and_asks_again_only_after_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tasks, "RESTART_S", (0.0,))
    waits: list[float] = []
    begun = asyncio.Queue[int]()

    class Hasty(Poller):
        async def _pause(self, job: Job, seconds: float | None) -> None:
            if seconds is None:
                await asyncio.Event().wait()
            waits.append(seconds or 0)

    async def work() -> None:
        begun.put_nowait(len(waits))
        if len(waits) < 4:
            raise RecursionError

    jobs = Jobs()
    hasty = Hasty(unlimited(), system_clock, lambda *_: None, lambda: 1.0, jobs)
    async with asyncio.timeout(10):
        job = paid("games", 10, work)
        hasty.add_job(job)
        for _ in range(4):
            await begun.get()
        assert job.tried.is_set(), "others may wait for it"
        assert [(fault.job, fault.reason) for fault in jobs.faults] == [
            ("sync: games", "RecursionError")
        ]
        assert await begun.get() == 4
        await asyncio.sleep(0)
        assert waits == [1, 2, 4, 8]
        assert jobs.faults == ()
        await jobs.stop_jobs()
