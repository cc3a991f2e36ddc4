"""Long work goes on in slices: others have the loop in between, and nothing is done twice."""

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from oddsdesk.base import tasks
from oddsdesk.base.tasks import in_slices, one_slice, returned, spawn


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time as a list of one number, which only the test moves."""
    now = [0.0]
    monkeypatch.setattr(tasks, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    return now


def steps(clock: list[float], done: list[int], count: int, each_s: float) -> Iterator[None]:
    for number in range(count):
        done.append(number)
        clock[0] += each_s
        yield


async def test_others_have_the_loop_after_each_slice(clock: list[float]) -> None:
    done: list[int] = []
    seen: list[int] = []

    async def other() -> None:
        while len(done) < 6:
            seen.append(len(done))
            await asyncio.sleep(0)

    await asyncio.gather(in_slices(steps(clock, done, 6, 0.5), 0.9), other())
    assert (done, seen) == ([0, 1, 2, 3, 4, 5], [2, 4])


async def test_work_that_is_cancelled_is_closed_before_anybody_hears_of_it(
    clock: list[float],
) -> None:
    ended: list[str] = []

    def work() -> Iterator[None]:
        try:
            yield from steps(clock, [], 6, 0.5)
        finally:
            ended.append("closed")

    task = spawn("work", in_slices(work(), 0.1))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == ["closed"]


async def test_work_of_less_than_a_slice_is_done_before_anybody_else_has_the_loop(
    clock: list[float],
) -> None:
    done: list[int] = []
    others: list[int] = []
    asyncio.get_running_loop().call_soon(lambda: others.append(len(done)))
    await in_slices(steps(clock, done, 6, 0.1), 0.9)
    assert (done, others) == ([0, 1, 2, 3, 4, 5], [])


def test_one_slice_says_whether_there_may_be_more_and_the_next_goes_on_there(
    clock: list[float],
) -> None:
    done: list[int] = []
    work = steps(clock, done, 3, 0.5)
    assert one_slice(work, 0.9)
    assert done == [0, 1]
    assert not one_slice(work, 0.9)
    assert done == [0, 1, 2]
    assert not one_slice(work, 0.9)


def test_an_error_in_a_step_is_the_workers(clock: list[float]) -> None:
    def broken() -> Iterator[None]:
        yield
        raise ValueError("no such price")

    with pytest.raises(ValueError, match="no such price"):
        one_slice(broken(), 0.9)


def test_steps_may_come_to_something() -> None:
    def adding() -> Iterator[None]:
        yield
        return 7

    assert returned(adding()) == 7
