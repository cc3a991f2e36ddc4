"""Reading from the service at intervals, within the request budget."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final

from oddsdesk.client.budget import Budget, ReadingNow
from oddsdesk.client.errors import (
    ForbiddenError,
    RateLimitedError,
    ServiceError,
    UnauthorizedError,
)
from oddsdesk.clock import Clock
from oddsdesk.network.backoff import Backoff, Randomness
from oddsdesk.tasks import Jobs

_LOOK_AGAIN_S: Final = 30.0
"""How often a long wait is recalculated, since the budget may have changed."""
_MOST_HURRIED: Final = 0.1
"""The share of the requests left that a read may take which nobody asked for by then."""
_FORBIDDEN_S: Final = 900.0
_OTHER_PLAN_S: Final = 6 * 3600.0
"""Seconds until what the plan refused is tried again: refused requests count too (D17)."""
_OTHER_PLAN_FREE_S: Final = 60.0
"""The same for a job that costs no requests: a stream token that is refused costs none (D22)."""
_UNKNOWN_KEY_S: Final = 60.0

Work = Callable[[], Awaitable[None]]
Outcome = Callable[[str, ServiceError | None, int | None], None]
"""Called with a job's name, its error and the time of the next try; None, None on success."""


def task_name(job: str) -> str:
    """Return the name of a job's task, under which its faults are reported."""
    return f"sync: {job}"


class Job:
    """One thing that is read again and again.

    Where it costs requests of the quota, ``reading`` says how many and how much depends on it, and
    the budget how often; else it is read every ``period_s`` seconds. ``after`` is waited for before
    the first read, so that what matters most is on screen first.
    """

    def __init__(
        self,
        name: str,
        work: Work,
        reading: ReadingNow | None = None,
        after: Work | None = None,
        *,
        period_s: float = 0.0,
        is_asked: bool = False,
    ) -> None:
        self.name = name
        self.work = work
        self.reading = reading
        self.after = after
        self.period_s = period_s
        self.is_asked = is_asked
        """Whether the user waits for its next read, which may take what is kept for that."""
        self.hurried = asyncio.Event()
        self.tried = asyncio.Event()
        """Set once its first try is over: done, failed or cancelled."""
        self.is_at_work = False
        """Whether its work is under way; still true at a restart where the work failed."""


class Poller:
    """Runs reads, one of ``jobs`` each, until they are removed."""

    def __init__(
        self,
        budget: Budget,
        clock: Clock,
        on_outcome: Outcome,
        randomness: Randomness,
        jobs: Jobs,
    ) -> None:
        self._budget = budget
        self._clock = clock
        self._on_outcome = on_outcome
        self._randomness = randomness
        self._running = jobs
        self._jobs: dict[str, Job] = {}

    def add(self, job: Job) -> None:
        """Begin a job, unless one of the same name is running."""
        if job.name in self._jobs:
            return
        self._jobs[job.name] = job
        if job.reading is not None:
            self._budget.plan(job.name, job.reading)
        backoff = Backoff(self._randomness)
        self._running.start(
            task_name(job.name),
            lambda: self._repeat(job, backoff),
            says_it_is_well=job.reading is not None,
        )

    def remove(self, name: str) -> None:
        """End a job."""
        job = self._jobs.pop(name, None)
        if job is not None:
            job.tried.set()
            self._budget.drop(name)
            self._running.end(task_name(name))

    def hurry(self, names: Iterable[str] | None = None, *, is_asked: bool = False) -> None:
        """Do jobs now, or once more where they are under way; all of them by default.

        Unless the user asks for it, only those that take little of what is left.
        """
        for name in list(self._jobs) if names is None else names:
            if (job := self._jobs.get(name)) is None:
                continue
            job.is_asked |= is_asked
            if is_asked or _cost(job) <= self._budget.spendable * _MOST_HURRIED:
                job.hurried.set()

    async def tried(self, name: str) -> None:
        """Wait until the first try of a job is over; return at once where there is no such job."""
        job = self._jobs.get(name)
        if job is not None:
            await job.tried.wait()

    def stop(self) -> None:
        """End every job soon."""
        for name in list(self._jobs):
            self.remove(name)

    async def _repeat(self, job: Job, backoff: Backoff) -> None:
        if job.is_at_work:
            job.tried.set()
            if job.reading is not None:
                # What it reads may kill it again, and each try is a request of the quota.
                await self._pause(job, backoff.next_s())
        if job.after is not None:
            await job.after()
        while True:
            job.hurried.clear()
            job.is_at_work = True
            error = await self._try(job)
            job.is_at_work = False
            if job.reading is not None:
                self._running.well(task_name(job.name))
            if error is None:
                backoff.reset()
                self._on_outcome(job.name, None, None)
                job.tried.set()
                await self._pause(job, None)
                continue
            wait_s = self._wait_s(job, error, backoff)
            self._on_outcome(job.name, error, self._clock() + round(wait_s * 1000))
            job.tried.set()
            await self._pause(job, wait_s)

    async def _try(self, job: Job) -> ServiceError | None:
        try:
            if job.reading is not None:
                await self._room(job)
            await job.work()
        except ServiceError as error:
            return error
        finally:
            job.is_asked = False
        return None

    async def _room(self, job: Job) -> None:
        """Wait until requests are taken, and as many are left as a read takes.

        Those that are kept count, too, where the user asked for it. Where none is left at all, the
        read is begun: it says so, and when they come back.
        """
        while True:
            wait_s = self._budget.blocked_s()
            if wait_s <= 0:
                spendable = self._budget.spendable
                if job.is_asked or not 0 < spendable < _cost(job):
                    return
                wait_s = _LOOK_AGAIN_S
            with suppress(TimeoutError):
                async with asyncio.timeout(min(wait_s, _LOOK_AGAIN_S)):
                    await job.hurried.wait()
            job.hurried.clear()

    def _wait_s(self, job: Job, error: ServiceError, backoff: Backoff) -> float:
        if isinstance(error, RateLimitedError):
            self._budget.block(error.retry_at_ms)
            return max(1.0, self._budget.blocked_s())
        if isinstance(error, ForbiddenError):
            if not error.is_about_plan:
                return _FORBIDDEN_S
            return _OTHER_PLAN_FREE_S if job.reading is None else _OTHER_PLAN_S
        if isinstance(error, UnauthorizedError):
            return _UNKNOWN_KEY_S
        return backoff.next_s()

    async def _pause(self, job: Job, seconds: float | None) -> None:
        """Wait until hurried, at most that long; None: the job's period by the budget."""
        since = self._clock()
        while True:
            since = min(since, self._clock())  # the clock may be put back
            whole_s = self._period_s(job) if seconds is None else seconds
            left_s = whole_s - (self._clock() - since) / 1000
            if left_s <= 0:
                return
            try:
                async with asyncio.timeout(min(left_s, _LOOK_AGAIN_S)):
                    await job.hurried.wait()
            except TimeoutError:
                continue
            return

    def _period_s(self, job: Job) -> float:
        return job.period_s if job.reading is None else self._budget.period_s(job.name)


def _cost(job: Job) -> float:
    """Return how many requests a read takes."""
    return 0.0 if job.reading is None else job.reading().cost
