"""Reading from the service at intervals, within the request budget."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from oddsdesk.client.budget import Budget
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
_FORBIDDEN_S: Final = 900.0
_OTHER_PLAN_S: Final = 6 * 3600.0
"""Seconds until what the plan refused is tried again: refused requests count too (D17)."""
_UNKNOWN_KEY_S: Final = 60.0

Work = Callable[[], Awaitable[None]]
Outcome = Callable[[str, ServiceError | None, int | None], None]
"""Called with a job's name, its error and the time of the next try; None, None on success."""


def task_name(job: str) -> str:
    """Return the name of a job's task, under which its faults are reported."""
    return f"sync: {job}"


class Job:
    """One read: ``requests`` of the quota every ``period_s`` seconds, or ``least_s`` with plenty.

    ``after`` is waited for before the first read, so that what matters most is on screen first.
    """

    def __init__(
        self,
        name: str,
        period_s: float,
        requests: float,
        work: Work,
        after: Work | None = None,
        *,
        least_s: float | None = None,
    ) -> None:
        self.after = after
        self.name = name
        self.period_s = period_s
        self.least_s = least_s
        self.requests = requests
        self.work = work
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
        if job.requests:
            self._budget.plan(job.name, job.requests, job.period_s, job.least_s)
        backoff = Backoff(self._randomness)
        self._running.start(
            task_name(job.name),
            lambda: self._repeat(job, backoff),
            says_it_is_well=job.requests > 0,
        )

    def remove(self, name: str) -> None:
        """End a job."""
        job = self._jobs.pop(name, None)
        if job is not None:
            job.tried.set()
            self._budget.drop(name)
            self._running.end(task_name(name))

    def hurry(self, names: Iterable[str] | None = None) -> None:
        """Do jobs now, or once more where they are under way; all of them by default."""
        for name in list(self._jobs) if names is None else names:
            if (job := self._jobs.get(name)) is not None:
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
            if job.requests:
                # What it reads may kill it again, and each try is a request of the quota.
                await self._pause(job, backoff.next_s())
        if job.after is not None:
            await job.after()
        while True:
            job.hurried.clear()
            job.is_at_work = True
            error = await self._try(job)
            job.is_at_work = False
            if job.requests:
                self._running.well(task_name(job.name))
            if error is None:
                backoff.reset()
                self._on_outcome(job.name, None, None)
                job.tried.set()
                await self._pause(job, None)
                continue
            wait_s = self._wait_s(error, backoff)
            self._on_outcome(job.name, error, self._clock() + round(wait_s * 1000))
            job.tried.set()
            await self._pause(job, wait_s)

    async def _try(self, job: Job) -> ServiceError | None:
        try:
            if job.requests:
                await self._unblocked()
            await job.work()
        except ServiceError as error:
            return error
        return None

    async def _unblocked(self) -> None:
        while True:
            wait_s = self._budget.blocked_s()
            if wait_s <= 0:
                return
            await asyncio.sleep(min(wait_s, _LOOK_AGAIN_S))

    def _wait_s(self, error: ServiceError, backoff: Backoff) -> float:
        if isinstance(error, RateLimitedError):
            self._budget.block(error.retry_at_ms)
            return max(1.0, self._budget.blocked_s())
        if isinstance(error, ForbiddenError):
            return _OTHER_PLAN_S if error.is_about_plan else _FORBIDDEN_S
        if isinstance(error, UnauthorizedError):
            return _UNKNOWN_KEY_S
        return backoff.next_s()

    async def _pause(self, job: Job, seconds: float | None) -> None:
        """Wait until hurried, at most that long; None: the job's period by the budget."""
        since = self._clock()
        while True:
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
        return self._budget.period_s(job.name) if job.requests else job.period_s
