"""Jobs that are done again and again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from oddsdesk import tasks
from oddsdesk.board.polling import Job, Poller, Work
from oddsdesk.client.budget import Budget
from oddsdesk.client.errors import (
    ForbiddenError,
    OfflineError,
    RateLimitedError,
    ServiceError,
    UnauthorizedError,
)
from oddsdesk.client.quota import Quota
from oddsdesk.clock import system_clock
from oddsdesk.poll_rates import Reading
from oddsdesk.tasks import Jobs

NOW = 1_795_000_000_000
Told = list[tuple[str, ServiceError | None, int | None]]


@asynccontextmanager
async def polling(
    budget: Budget, clock: Callable[[], int] = system_clock
) -> AsyncIterator[tuple[Poller, Told]]:
    heard: Told = []
    jobs = Jobs()
    poller = Poller(budget, clock, lambda *outcome: heard.append(outcome), lambda: 0.0, jobs)
    async with asyncio.timeout(10):
        yield poller, heard
        await jobs.stop()


def unlimited() -> Budget:
    return Budget(system_clock, lambda: None)


def paid(name: str, period_s: float, work: Work, after: Work | None = None, cost: int = 1) -> Job:
    """A job that costs requests."""
    return Job(name, work, lambda: Reading(cost, 1.0, 1.0, 3600 / period_s), after)


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
        poller.add(paid("games", 0.02, counted(done)))
        assert [await done.get() for _ in range(3)] == [1, 2, 3]
        assert heard[0] == ("games", None, None)


async def test_a_hurried_job_is_done_now() -> None:
    done: asyncio.Queue[int] = asyncio.Queue()
    async with polling(unlimited()) as (poller, _):
        job = paid("games", 3600, counted(done))
        poller.add(job)
        await job.tried.wait()
        poller.hurry(["games", "no such job"])
        assert [await done.get() for _ in range(2)] == [1, 2]


async def test_a_job_waits_until_another_was_tried_or_ended() -> None:
    for ends in (False, True):
        done: asyncio.Queue[int] = asyncio.Queue()
        way_is_free = asyncio.Event()
        async with polling(unlimited()) as (poller, _):
            first = paid("matrix", 3600, counted(asyncio.Queue()), way_is_free.wait)
            poller.add(first)
            poller.add(free("health", 3600, counted(done), lambda: poller.tried("matrix")))
            poller.add(free("rows", 3600, counted(done), lambda: poller.tried("no such job")))
            assert await done.get() == 1
            await asyncio.sleep(0)
            assert done.empty()
            if ends:
                poller.remove("matrix")
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

        poller.add(paid("games", 3600, work))
        assert [await done.get() for _ in range(2)] == [1, 2]


async def test_trouble_is_told_with_the_time_of_the_next_try() -> None:
    waits = {
        OfflineError("nobody there"): 1_000,
        UnauthorizedError("unauthorized", "who?"): 60_000,
        ForbiddenError("value_bets_not_on_plan", "no"): 6 * 3_600_000,
        ForbiddenError("bookmaker_not_configured", "no"): 900_000,
        RateLimitedError("too many", NOW + 12_345): 12_345,
    }
    for error, wait_ms in waits.items():
        async with polling(Budget(lambda: NOW, lambda: None), lambda: NOW) as (poller, heard):
            job = paid("games", 1, counted(asyncio.Queue(), error))
            poller.add(job)
            await job.tried.wait()
            assert heard == [("games", error, NOW + wait_ms)]


async def test_what_costs_no_request_is_tried_a_minute_after_the_plan_refused_it() -> None:
    """The stream comes soon after the plan allows it."""
    error = ForbiddenError("websocket_not_on_plan", "no")
    async with polling(unlimited(), lambda: NOW) as (poller, heard):
        job = free("stream", 1, counted(asyncio.Queue(), error), None)
        poller.add(job)
        await job.tried.wait()
        assert heard == [("stream", error, NOW + 60_000)]


async def test_after_a_429_no_job_asks_before_its_time() -> None:
    done: asyncio.Queue[int] = asyncio.Queue()
    budget = unlimited()
    until = system_clock() + 150
    async with polling(budget) as (poller, _):
        job = paid("games", 1, counted(asyncio.Queue(), RateLimitedError("no", until)))
        poller.add(job)
        await job.tried.wait()
        poller.add(paid("matrix", 1, counted(done)))
        await done.get()
        assert system_clock() >= until


async def test_where_the_quota_is_small_only_what_costs_requests_waits_longer() -> None:
    budget = Budget(lambda: NOW, lambda: Quota(10, NOW + 3_600_000, NOW))
    dear: asyncio.Queue[int] = asyncio.Queue()
    freely: asyncio.Queue[int] = asyncio.Queue()
    async with polling(budget) as (poller, _):
        poller.add(paid("games", 0.01, counted(dear)))
        poller.add(free("health", 0.02, counted(freely)))
        assert [await freely.get() for _ in range(4)] == [1, 2, 3, 4]
        assert dear.qsize() == 1


async def test_a_read_waits_for_as_many_requests_as_it_takes_unless_it_is_asked_for() -> None:
    left = Quota(20, NOW + 3_600_000, NOW)
    done: asyncio.Queue[int] = asyncio.Queue()
    async with polling(Budget(lambda: NOW, lambda: left), lambda: NOW) as (poller, _):
        poller.add(paid("rows", 60, counted(done), cost=19))
        games: asyncio.Queue[int] = asyncio.Queue()
        poller.add(paid("games", 60, counted(games)))
        assert await games.get() == 1
        assert done.empty()
        poller.hurry(["rows"], is_asked=True)
        assert await done.get() == 1


async def test_what_nobody_asked_for_is_hurried_only_where_it_takes_little_of_what_is_left() -> (
    None
):
    left = Quota(200, NOW + 86_400_000, NOW)
    dear: asyncio.Queue[int] = asyncio.Queue()
    cheap: asyncio.Queue[int] = asyncio.Queue()
    async with polling(Budget(lambda: NOW, lambda: left), lambda: NOW) as (poller, _):
        poller.add(paid("rows", 60, counted(dear), cost=19))
        poller.add(paid("games", 60, counted(cheap)))
        assert [await dear.get(), await cheap.get()] == [1, 1]
        poller.hurry()
        assert await cheap.get() == 2
        await asyncio.sleep(0)
        assert dear.empty()


async def test_a_removed_job_frees_its_share_and_may_come_back() -> None:
    done: asyncio.Queue[int] = asyncio.Queue()
    budget = unlimited()
    async with polling(budget) as (poller, _):
        poller.add(paid("games", 1, counted(done)))
        assert budget.periods_s() == {"games": 1}
        poller.remove("games")
        assert budget.periods_s() == {}
        poller.add(paid("games", 1, counted(done)))
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
        poller.add(paid("matrix", 1, work))
        await begun.wait()
        poller.remove("matrix")
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
        hasty.add(job)
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
        await jobs.stop()
