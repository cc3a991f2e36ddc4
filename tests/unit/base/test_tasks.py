"""Jobs that must not die are restarted, and their errors are reported."""

import asyncio
import logging
import threading
from types import SimpleNamespace

import pytest

from oddsdesk.base import tasks
from oddsdesk.base.tasks import JobFault, Jobs, until_beat


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "RESTART_S", (0.0, 0.0))


class Work:
    """A job that dies a number of times, then waits until it is let go."""

    def __init__(self, deaths: int) -> None:
        self.deaths = deaths
        self.runs = 0
        self.waits = asyncio.Event()
        self.let_go = asyncio.Event()

    async def run(self) -> None:
        self.runs += 1
        if self.runs <= self.deaths:
            raise RecursionError(f"death {self.runs}\nof many")
        self.waits.set()
        await self.let_go.wait()


async def test_a_job_that_dies_is_restarted_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[tuple[JobFault, ...]] = []
    jobs = Jobs(lambda: heard.append(jobs.faults))
    work = Work(deaths=3)
    with caplog.at_level(logging.ERROR):
        jobs.start_job("hub", work.run)
        await work.waits.wait()
    expected = [(JobFault("hub", f"RecursionError: death {n} of many", n),) for n in (1, 2, 3)]
    assert heard == expected
    assert jobs.faults == expected[-1]
    traces = [record.exc_info for record in caplog.records]
    assert len(traces) == 3
    assert traces[0]
    assert not any(traces[1:]), "the trace is logged once"
    await jobs.stop_jobs()


async def test_a_job_that_runs_steadily_again_counts_as_mended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tasks, "STEADY_S", 0.0)
    mended = asyncio.Event()
    jobs = Jobs(lambda: None if jobs.faults else mended.set())
    jobs.start_job("hub", Work(deaths=1).run)
    await mended.wait()
    assert jobs.faults == ()
    await jobs.stop_jobs()


async def test_a_job_that_returns_has_ended() -> None:
    jobs = Jobs()
    work = Work(deaths=1)
    work.let_go.set()
    jobs.start_job("import", work.run)
    while work.runs < 2 or jobs.faults:
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert work.runs == 2
    jobs.start_job("import", work.run)
    await jobs.stop_jobs()


async def test_stopping_ends_jobs_and_forgets_their_faults() -> None:
    jobs = Jobs()
    one, other = Work(deaths=1), Work(deaths=0)
    jobs.start_job("one", one.run)
    jobs.start_job("other", other.run)
    await one.waits.wait()
    await jobs.stop_jobs("one")
    assert jobs.faults == ()
    assert one.runs == 2
    await jobs.stop_jobs()
    await jobs.stop_jobs()


async def test_a_job_that_says_itself_that_it_is_well_is_not_mended_by_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tasks, "STEADY_S", 0.0)
    jobs = Jobs()
    work = Work(deaths=2)
    jobs.start_job("games", work.run, says_it_is_well=True)
    await work.waits.wait()
    await asyncio.sleep(0.01)
    assert [(fault.job, fault.times) for fault in jobs.faults] == [("games", 2)]
    jobs.well("games")
    assert jobs.faults == ()
    await jobs.stop_jobs()


async def test_a_job_that_was_ended_stays_so_whatever_it_fails_at() -> None:
    begun = asyncio.Event()
    runs = 0

    async def stubborn() -> None:
        nonlocal runs
        runs += 1
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise OSError("at its end")

    jobs = Jobs()
    jobs.start_job("matrix", stubborn)
    await begun.wait()
    other = Work(deaths=0)
    jobs.end_job("matrix")
    jobs.start_job("matrix", other.run)
    await other.waits.wait()
    assert (runs, jobs.faults) == (1, ())
    await jobs.stop_jobs()
    assert runs == 1


async def test_what_hangs_in_a_thread_is_left_there_and_undone_when_it_comes_after_all() -> None:
    comes, undone = threading.Event(), threading.Event()

    def hang() -> str:
        assert comes.wait(20)
        return "late"

    waiting = asyncio.create_task(  # noqa: TID251 - cancelled here
        tasks.in_daemon_thread("hang", hang, lambda result: undone.set() if result else None)
    )
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert not undone.is_set()
    comes.set()
    assert await asyncio.to_thread(undone.wait, 20)


async def test_work_in_a_thread_gives_its_result_or_its_error() -> None:
    def fail() -> None:
        raise LookupError("nothing there")

    assert await tasks.in_daemon_thread("work", lambda: 7) == 7
    with pytest.raises(LookupError, match="nothing there"):
        await tasks.in_daemon_thread("work", fail)


def test_work_in_the_background_does_not_hold_up_the_end_of_the_program() -> None:
    release = threading.Event()
    future = tasks.in_background("waits", lambda: release.wait(30))
    thread = next(each for each in threading.enumerate() if each.name == "waits")
    assert thread.daemon
    release.set()
    assert future.result(30)
    thread.join(30)


@pytest.mark.parametrize(
    ("now", "seconds", "left"),
    [
        (100.0, 0.25, 0.25),
        (100.1, 0.25, 0.15),
        (100.1, 1.0, 0.9),
        (100.24, 0.25, 0.26),
        (7, 60, 60),
    ],
)
def test_what_is_looked_for_now_and_then_is_looked_for_together(
    now: float, seconds: float, left: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: SimpleNamespace(time=lambda: now))
    assert until_beat(seconds) == pytest.approx(left)
