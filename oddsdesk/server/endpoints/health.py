"""GET /api/health and /api/ready: no key, no quota, no wait behind others."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import UNSET

from oddsdesk import __version__
from oddsdesk.contract.resources import Health, Readiness
from oddsdesk.contract.times import format_ms
from oddsdesk.server.fairness import KnownAwayError, Lane, ReaderPool, slow_error
from oddsdesk.server.gate import GET, Gate, RequestContext, Service, known_caller
from oddsdesk.server.rest import Bare, Reply, encode_bare
from oddsdesk.server.troubles import NOTHING_READ, Trouble, refused_trouble
from oddsdesk.store.errors import StoreError
from oddsdesk.store.reader import misnamed_line

LOOKS_A_SECOND: Final = 10.0
LOOKS_AT_ONCE: Final = 10
"""Checks of the database for probes. Further probes get the result of the last check."""
OLDEST_S: Final = 1.0
"""The age up to which a probe may get an earlier result (s)."""
PATIENCE_S: Final = 0.25
"""How long a probe waits for a check while the last result is not too old."""
LIMIT_S: Final = 3.0
"""After this time a check hangs: the database does not answer. Longer than in ``Circuit``."""


_log = logging.getLogger(__name__)


class Look(msgspec.Struct, frozen=True):
    """The result of a check of the database, and when it began (s, monotonic clock)."""

    began: float
    error: StoreError | None = None
    last_scraped_at: int | None = None
    is_simulated: bool = False
    is_shifted: bool = False
    sources: list[str] = []
    unpriced_reference: str | None = None
    misnamed: str | None = None


class Looks:
    """Checks the database for probes, one check at a time, on a separate thread.

    For the server's loop. A probe gets a check that began after it arrived; if there are many
    probes, or the machine is busy, one that is at most ``OLDEST_S`` old. If the machine is too busy
    even for that, it gets the last result while other requests still get answers.
    """

    def __init__(
        self,
        service: Service,
        now: Callable[[], float] = time.monotonic,
        others: Sequence[ReaderPool] = (),
    ) -> None:
        """``others`` read the same database: while they succeed, a slow check is not a hang."""
        self._service = service
        self._others = others
        self._circuit = service.access.circuit
        self._now = now
        self._thread = ReaderPool("probe", threads=1)
        self._lane = Lane(LOOKS_A_SECOND, LOOKS_AT_ONCE)
        self._looking: asyncio.Future[None] | None = None
        self._began = 0.0
        self._last: Look | None = None
        self._is_refused = False

    async def newest(self) -> Look:
        """Return the current state of the database; waits 3 s at most."""
        now = self._now()
        has_turn = not self._lane.wait_s(now)
        if has_turn:
            self._lane.take(now)
        is_recent = self._last is not None and now - self._last.began <= OLDEST_S
        try:
            self._circuit.check_database()
            if has_turn or not is_recent:
                limit = PATIENCE_S if is_recent else self._limit_s(now)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(limit):
                        await self._look_again()
        except KnownAwayError as error:
            return Look(now, error)
        last = self._last
        is_old = last is None or (last.began < now and self._now() - last.began > OLDEST_S)
        is_well = last is not None and last.error is None and self._others_are_answered()
        if last is None or (is_old and not is_well):
            last = Look(now, slow_error(LIMIT_S))
        self._note(last.error)
        return last

    def end_looks(self) -> None:
        """End the thread, before the stores are closed."""
        self._thread.close()

    def _others_are_answered(self) -> bool:
        """Return whether other reads succeed: then the machine is only busy."""
        return any(self._now() - each.answered_at <= OLDEST_S for each in self._others)

    def _note(self, error: StoreError | None) -> None:
        """Log only the first error, as anyone can send any number of probes."""
        if error is not None and not self._is_refused:
            _log.warning("the database is unavailable: %s", error)
        self._is_refused = error is not None

    def _limit_s(self, now: float) -> float:
        """Return how long to wait; 0 if the running check already hangs."""
        return 0.0 if self._is_looking and now - self._began > LIMIT_S else LIMIT_S

    @property
    def _is_looking(self) -> bool:
        return self._looking is not None and not self._looking.done()

    async def _look_again(self) -> None:
        """Wait for a check that starts from now on; all probes of that time share it.

        Raises:
            KnownAwayError: the database is known to be unreachable.
        """
        if self._looking is not None and self._is_looking:
            await self._wait(self._looking)
        if self._looking is None or not self._is_looking:
            self._began = self._now()
            self._looking = self._thread.begin(self._look)
        await self._wait(self._looking)

    async def _wait(self, looking: asyncio.Future[None]) -> None:
        try:
            await self._circuit.wait_for_database(asyncio.shield(looking))
        except KnownAwayError:
            raise
        except StoreError as error:
            self._last = Look(self._began, error)

    def _look(self) -> None:
        """Check the odds and the keys; on the thread."""
        began, now_ms = self._began, self._service.clock()
        if not self._circuit.is_watched:  # otherwise its looks read the keys, too
            self._service.access.read_keys()
        reader = self._service.store.reader()
        self._last = Look(
            began,
            last_scraped_at=reader.last_standing(now_ms),
            is_simulated=reader.is_simulated(now_ms),
            is_shifted=reader.is_shifted(now_ms),
            sources=reader.sources(now_ms),
            unpriced_reference=reader.unpriced_reference(),
            misnamed=misnamed_line(reader),
        )


class HealthGate(Gate):
    """Reports whether the database answers and the background jobs are well."""

    def __init__(self, service: Service, looks: Looks) -> None:
        super().__init__(service)
        self._looks = looks

    async def reply(self, request: RequestContext) -> Reply:
        """Return the state of the service; no key needed, not counted."""
        await self._recognize(request)
        if not request.has_method(GET):
            raise request.not_allowed(GET)
        return encode_bare(await self.present())

    async def present(self) -> Bare:
        """Return the present state."""
        look = await self._looks.newest()
        troubles = self._service.troubles.now()
        if look.error is None:
            return self._state(look, troubles)
        return self._unavailable([refused_trouble(NOTHING_READ, look.error), *troubles])

    async def _recognize(self, request: RequestContext) -> None:
        """Return the counts of a known key for the headers, with only a short wait."""
        if known_caller(self._service.access, request.scope["headers"]) is not None:
            with contextlib.suppress(TimeoutError, StoreError):
                async with asyncio.timeout(PATIENCE_S):
                    await request.identify()

    def _state(self, look: Look, troubles: list[Trouble]) -> Bare:
        if look.misnamed is not None:
            troubles = [*troubles, Trouble(look.misnamed)]
        faults = [trouble.fault.value for trouble in troubles if trouble.fault is not None]
        last = look.last_scraped_at
        return Bare(
            Health(
                status="degraded" if troubles else "ok",
                version=__version__,
                database=faults[0] if faults else "ok",
                last_scraped_at=None if last is None else format_ms(last),
                simulated=look.is_simulated,
                reasons=_lines(troubles),
                sources=look.sources or UNSET,
                shifted=look.is_shifted,
                unpriced_reference=look.unpriced_reference or UNSET,
            )
        )

    def _unavailable(self, troubles: list[Trouble]) -> Bare:
        health = Health("unavailable", __version__, "unavailable", None, reasons=_lines(troubles))
        return Bare(health, status=503)


class ReadyGate(HealthGate):
    """Reports whether the service is fully working: it answers, and feeds are recorded."""

    def _unavailable(self, troubles: list[Trouble]) -> Bare:
        return Bare(Readiness("not ready", _lines(troubles)), status=503)

    def _state(self, look: Look, troubles: list[Trouble]) -> Bare:
        stopping = [trouble for trouble in troubles if trouble.stops_recording]
        return self._unavailable(stopping) if stopping else Bare(Readiness("ready"))


def _lines(troubles: list[Trouble]) -> list[str]:
    return list(dict.fromkeys(trouble.line for trouble in troubles))
