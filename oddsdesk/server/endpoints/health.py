"""GET /api/health and /api/ready: no key, no quota (D15, D82)."""

import logging

from msgspec import UNSET

from oddsdesk import __version__
from oddsdesk.contract.resources import Health, Readiness
from oddsdesk.contract.times import format_ms
from oddsdesk.server.answers import Bare, Reply, encode
from oddsdesk.server.circuit import KnownAwayError
from oddsdesk.server.gate import GET, Gate, RequestContext
from oddsdesk.server.reader_pool import ReaderPool
from oddsdesk.server.service import Service
from oddsdesk.server.troubles import NOTHING_READ, Trouble, refused
from oddsdesk.store.errors import StoreError
from oddsdesk.store.unpriced_reference import misnamed_line

HEALTH_PATH = "/api/health"
READY_PATH = "/api/ready"

_log = logging.getLogger(__name__)


class HealthGate(Gate):
    """Tells anyone whether the database answers and the background jobs are well."""

    def __init__(self, service: Service, reads: ReaderPool) -> None:
        super().__init__(service)
        self._reads = reads

    async def reply(self, request: RequestContext) -> Reply:
        """Return the state of the service; a key is not needed, and not counted."""
        if not request.has_method(GET):
            await request.identify()
            raise request.not_allowed(GET)
        troubles = self._service.troubles.now()
        try:
            await request.identify()
            state = await self._reads.run(lambda: self._state(request.now_ms, troubles))
        except StoreError as error:
            if not isinstance(error, KnownAwayError):
                _log.warning("the database is unavailable: %s", error)
            state = self._unavailable([refused(NOTHING_READ, error), *troubles])
        return encode(state, 0)

    def _state(self, now_ms: int, troubles: list[Trouble]) -> Bare:
        reader = self._service.store.reader()
        last = reader.last_scraped_at()
        if (misnamed := misnamed_line(reader)) is not None:
            troubles = [*troubles, Trouble(misnamed)]
        faults = [trouble.fault.value for trouble in troubles if trouble.fault is not None]
        return Bare(
            Health(
                status="degraded" if troubles else "ok",
                version=__version__,
                database=faults[0] if faults else "ok",
                last_scraped_at=None if last is None else format_ms(last),
                simulated=reader.is_simulated(now_ms),
                reasons=_lines(troubles),
                sources=reader.sources(now_ms) or UNSET,
                shifted=reader.is_shifted(now_ms),
                unpriced_reference=reader.unpriced_reference() or UNSET,
            )
        )

    def _unavailable(self, troubles: list[Trouble]) -> Bare:
        health = Health("unavailable", __version__, "unavailable", None, reasons=_lines(troubles))
        return Bare(health, status=503)


class ReadyGate(HealthGate):
    """Tells anyone whether the service is fully at work: it answers, and feeds are recorded."""

    def _unavailable(self, troubles: list[Trouble]) -> Bare:
        return Bare(Readiness("not ready", _lines(troubles)), status=503)

    def _state(self, now_ms: int, troubles: list[Trouble]) -> Bare:
        self._service.store.reader().last_scraped_at()
        stopping = [trouble for trouble in troubles if trouble.stops_recording]
        return self._unavailable(stopping) if stopping else Bare(Readiness("ready"))


def _lines(troubles: list[Trouble]) -> list[str]:
    return list(dict.fromkeys(trouble.line for trouble in troubles))
