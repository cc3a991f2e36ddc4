"""One of several does what is done once; another takes over, and who lost its lease stops."""

import asyncio
from pathlib import Path

import pytest

from oddsdesk.base.tasks import Jobs
from oddsdesk.cluster.succession import Succession
from oddsdesk.server.troubles import Troubles
from oddsdesk.store.errors import StoreUnavailableError
from tests.kit.waiting import until


class Right:
    """What one of several has at a time; ``holder`` says which, by its number."""

    def __init__(self) -> None:
        self.holder: int | None = None
        self.is_away = False


class PartOfRight:
    """A lease on it."""

    def __init__(self, right: Right, number: int, *, is_for_good: bool = False) -> None:
        self._right = right
        self._number = number
        self.is_for_good = is_for_good

    def take_lease(self) -> bool:
        if self._right.is_away:
            raise StoreUnavailableError("nobody is there")
        if self._right.holder is None:
            self._right.holder = self._number
        return self.is_held()

    def is_held(self) -> bool:
        return self._right.holder == self._number and not self._right.is_away

    def announce_holder(self, url: str, access: Path | None = None, link_url: str = "") -> None:
        pass

    def release_lease(self) -> None:
        if self._right.holder == self._number:
            self._right.holder = None


class Contender:
    """A process that would do the work; ``is_at_work`` says whether it does."""

    def __init__(self, right: Right, number: int, *, is_for_good: bool = False) -> None:
        self.lease = PartOfRight(right, number, is_for_good=is_for_good)
        self.is_at_work = False
        self.failures = 0
        self.jobs = Jobs()
        self.succession = Succession(
            self.lease, f"process {number}", self._begin, self._end, Troubles()
        )

    async def start(self) -> None:
        await self.succession.start_succession()
        self.jobs.start_job("succession", self.succession.follow_lease)

    async def _begin(self) -> None:
        if self.failures:
            self.failures -= 1
            raise ValueError("cannot begin")
        self.is_at_work = True

    async def _end(self) -> None:
        self.is_at_work = False


@pytest.fixture
def right() -> Right:
    return Right()


async def test_the_second_begins_when_the_first_is_gone(right: Right) -> None:
    first, second = Contender(right, 1), Contender(right, 2)
    for each in (first, second):
        await each.start()
    assert (first.is_at_work, second.is_at_work) == (True, False)
    await first.jobs.stop_jobs()
    first.lease.release_lease()
    await until(lambda: second.is_at_work)
    await second.jobs.stop_jobs()


async def test_who_lost_its_lease_stops_and_stands_by(right: Right) -> None:
    first = Contender(right, 1)
    await first.start()
    right.holder = 2
    await until(lambda: not first.is_at_work)
    right.holder = None
    await until(lambda: first.is_at_work)
    await first.jobs.stop_jobs()


async def test_a_database_that_is_away_at_the_start_is_waited_for(right: Right) -> None:
    right.is_away = True
    first = Contender(right, 1)
    await first.start()
    assert not first.is_at_work
    right.is_away = False
    await until(lambda: first.is_at_work)
    await first.jobs.stop_jobs()


async def test_who_cannot_begin_lets_another_try(right: Right) -> None:
    first, second = Contender(right, 1), Contender(right, 2)
    first.failures = 1
    with pytest.raises(ValueError, match="cannot begin"):
        await first.start()
    assert right.holder is None
    await second.start()
    assert second.is_at_work
    await second.jobs.stop_jobs()


async def test_what_cannot_be_lost_is_not_asked_for_again(right: Right) -> None:
    first = Contender(right, 1, is_for_good=True)
    await first.succession.start_succession()
    assert first.succession.has_ended
    await first.succession.follow_lease()


async def test_the_word_of_an_end_hastens_it(right: Right, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oddsdesk.cluster.succession.TRY_S", 1_000.0)
    second, ended = Contender(right, 2), asyncio.Event()
    right.holder = 1
    await second.succession.start_succession()
    second.jobs.start_job("succession", lambda: second.succession.follow_lease(ended))
    right.holder = None
    ended.set()
    await until(lambda: second.is_at_work)
    await second.jobs.stop_jobs()
