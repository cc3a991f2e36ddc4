"""What is wrong with the service now, in lines without secrets."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Final, Protocol

import msgspec

from oddsdesk.base.tasks import JobFault, Jobs
from oddsdesk.base.texts import N_
from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError

REFUSAL_S: Final = 5.0
"""How long a database failure is reported after it last happened (s), except these."""
_REPORTED_S: Final = {
    Fault.DAMAGED: 60.0,  # data in use is met again by then
    # the store reports how long these last
    **dict.fromkeys(
        (Fault.FULL, Fault.READ_ONLY_DISK, Fault.NOT_ALLOWED, Fault.QUOTA, Fault.DISK), 1.0
    ),
}
NOTHING_READ: Final = N_("nothing can be read")
_WORDS: Final = {
    "take over": "taking over as leader",
    "database": "checking the database",
    "owner": "checking for a leader",
    "tell": "sending to the other workers",
    "beat": "reporting to the supervisor",
    "liveness": "checking whether the threads hang",
}
"""Names of a process's jobs in health."""


class Trouble(msgspec.Struct, frozen=True):
    """One thing that is wrong; the line names bookmakers, but no paths or secrets."""

    line: str
    fault: Fault | None = None
    """What is wrong with the database, None if it is something else."""
    stops_recording: bool = False


class Telling(Protocol):
    """A part of a process that reports its troubles."""

    def troubles(self) -> Iterable[Trouble]:
        """Return what is wrong with it now."""


class Troubles:
    """Troubles by job; any thread may report, the server's loop reads.

    ``sources`` are called for further ones, on the loop, and ``others`` for those of other
    processes of this server.
    """

    def __init__(
        self,
        sources: Iterable[Callable[[], Iterable[Trouble]]] = (),
        others: Iterable[Callable[[], Iterable[Trouble]]] = (),
    ) -> None:
        self._sources = tuple(sources)
        self._others = tuple(others)
        self._lock = threading.Lock()
        self._said: dict[str, tuple[float, Trouble]] = {}

    def report_trouble(self, who: str, trouble: Trouble, for_s: float = float("inf")) -> None:
        """Report a trouble until ``over``, or for ``for_s`` seconds."""
        with self._lock:
            self._said[who] = (time.monotonic() + for_s, trouble)

    def over(self, who: str) -> None:
        """End the trouble of a job."""
        with self._lock:
            self._said.pop(who, None)

    def met(self, who: str, error: StoreError) -> None:
        """Report a database failure of a job that does not retry."""
        trouble = refused_trouble(who, error)
        fault = trouble.fault or Fault.OTHER
        self.report_trouble(who, trouble, _REPORTED_S.get(fault, REFUSAL_S))

    def now(self) -> list[Trouble]:
        """Return what is wrong now, each trouble once."""
        others = [trouble for source in self._others for trouble in source()]
        return list(dict.fromkeys(self.own() + others))

    def own(self) -> list[Trouble]:
        """Return what is wrong with this process now."""
        moment = time.monotonic()
        with self._lock:
            said = [trouble for until, trouble in self._said.values() if moment < until]
        return said + [trouble for source in self._sources for trouble in source()]


def refused_trouble(who: str, error: StoreError) -> Trouble:
    """Return the trouble of a job with a database failure."""
    fault = error.fault if isinstance(error, StoreUnavailableError) else Fault.OTHER
    return Trouble(f"{who}: {fault.value}", fault)


def read_only_trouble(*, should_record: bool, can_write: bool = False) -> Trouble:
    """Return the trouble of a server that was started on a read-only database.

    ``should_record``: its roles include recording, valuation or upkeep; ``can_write``: the database
    has become writable.
    """
    line = N_(f"nothing is recorded or valued: {Fault.READ_ONLY.value}")
    if can_write:
        line += "; " + N_("it is writable now: restart the server")
    return Trouble(line, Fault.READ_ONLY, stops_recording=should_record)


def job_troubles(faults: Iterable[JobFault], words: Mapping[str, str]) -> Iterator[Trouble]:
    """Yield the trouble of each job that died; ``words`` are their names in health."""
    for fault in faults:
        yield Trouble(N_(f"{words.get(fault.job, fault.job)} failed; restarting"))


def troubles_of_process(jobs: Jobs, *parts: Telling | None) -> Iterator[Trouble]:
    """Yield the troubles of a process: its jobs and parts."""
    for part in parts:
        if part is not None:
            yield from part.troubles()
    yield from job_troubles(jobs.faults, _WORDS)


_log = logging.getLogger(__name__)


class RetryWhileUnavailable:
    """Retries the steps of one task, named ``who`` in the log and in ``Troubles``."""

    def __init__(self, who: str, troubles: Troubles | None = None) -> None:
        self._who = who
        self._troubles = troubles or Troubles()
        self.is_refused = False
        """Whether the last step failed at the database."""

    async def do(self, step: Callable[[], Awaitable[None]], retry_s: float) -> None:
        """Do a step; if the database fails, wait and retry until it succeeds."""
        try:
            await step()
        except StoreError as error:
            if not self.is_refused:
                _log.warning("%s is waiting for the database: %s", self._who, error)
            self.is_refused = True
            self._troubles.report_trouble(self._who, refused_trouble(f"{self._who} waits", error))
            await asyncio.sleep(retry_s)
        else:
            self._troubles.over(self._who)
            self.is_refused = False
