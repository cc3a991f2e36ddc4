"""What is wrong with the service now, in lines that anyone may read (D82)."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Protocol

import msgspec

from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError
from oddsdesk.tasks import JobFault, Jobs

REFUSAL_S: Final = 5.0
"""For how long a refusal of the database is reported after it was last met, but for these."""
_REPORTED_S: Final = {
    Fault.DAMAGED: 60.0,  # data in use is met again by then
    # the store tells how long these last
    **dict.fromkeys(
        (Fault.FULL, Fault.READ_ONLY_DISK, Fault.NOT_ALLOWED, Fault.QUOTA, Fault.DISK), 1.0
    ),
}
NOTHING_READ: Final = "nothing can be read"
_WORDS: Final = {
    "take over": "taking over what another process did",
    "tell": "telling the other workers",
    "beat": "telling the supervisor",
    "liveness": "looking whether the threads hang",
}
"""Jobs of a process as the health endpoint calls them."""


class Trouble(msgspec.Struct, frozen=True):
    """One thing that is wrong; the line holds no names but of bookmakers, paths or secrets."""

    line: str
    fault: Fault | None = None
    """What is wrong with the database, None where it is something else."""
    stops_recording: bool = False


class Telling(Protocol):
    """A part of a process that knows what is wrong with it."""

    def troubles(self) -> Iterable[Trouble]:
        """Return what is wrong with it now."""
        ...


class Troubles:
    """Troubles by the job that has them; any thread may report, the server's loop reads.

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

    def say(self, who: str, trouble: Trouble, for_s: float = float("inf")) -> None:
        """Report a trouble until ``over``, or for ``for_s`` seconds."""
        with self._lock:
            self._said[who] = (time.monotonic() + for_s, trouble)

    def over(self, who: str) -> None:
        """Forget the trouble of a job."""
        with self._lock:
            self._said.pop(who, None)

    def met(self, who: str, error: StoreError) -> None:
        """Report that the database refused a job that does not retry."""
        trouble = refused(who, error)
        fault = trouble.fault or Fault.OTHER
        self.say(who, trouble, _REPORTED_S.get(fault, REFUSAL_S))

    def now(self) -> list[Trouble]:
        """Return what is wrong now, each trouble once."""
        others = [trouble for source in self._others for trouble in source()]
        return list(dict.fromkeys(self.own() + others))

    def own(self) -> list[Trouble]:
        """Return what is wrong now with this process."""
        moment = time.monotonic()
        with self._lock:
            said = [trouble for until, trouble in self._said.values() if moment < until]
        return said + [trouble for source in self._sources for trouble in source()]


def refused(who: str, error: StoreError) -> Trouble:
    """Return the trouble of a job that the database refuses."""
    fault = error.fault if isinstance(error, StoreUnavailableError) else Fault.OTHER
    return Trouble(f"{who}: {fault.value}", fault)


def read_only_trouble(*, should_record: bool, can_write: bool = False) -> Trouble:
    """Return the trouble of a server that was started on a database that can only be read.

    ``should_record`` says that recording, valuation or upkeep were asked of it, ``can_write``
    that it could do that by now.
    """
    what = "; it can be written now: restart the server" if can_write else ""
    line = f"nothing is recorded or valued: {Fault.READ_ONLY.value}{what}"
    return Trouble(line, Fault.READ_ONLY, stops_recording=should_record)


def job_troubles(faults: Iterable[JobFault], words: Mapping[str, str]) -> Iterator[Trouble]:
    """Yield the trouble of each job that died; ``words`` are what health calls them."""
    for fault in faults:
        yield Trouble(f"{words.get(fault.job, fault.job)} failed and is begun anew")


def troubles_of_process(jobs: Jobs, *parts: Telling | None) -> Iterator[Trouble]:
    """Yield what is wrong with the jobs and the parts of a process, whether worker or alone."""
    for part in parts:
        if part is not None:
            yield from part.troubles()
    yield from job_troubles(jobs.faults, _WORDS)
