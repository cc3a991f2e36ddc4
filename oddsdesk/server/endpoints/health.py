"""GET /api/health: no key, no quota (D15)."""

import logging

from oddsdesk import __version__
from oddsdesk.contract.resources import Health
from oddsdesk.contract.times import format_ms
from oddsdesk.server.answers import Bare, Reply, encode
from oddsdesk.server.gate import GET, Gate, Turn
from oddsdesk.server.reads import Reads
from oddsdesk.server.service import Service
from oddsdesk.store.errors import StoreError

PATH = "/api/health"

_log = logging.getLogger(__name__)


class HealthGate(Gate):
    """Says whether the database answers, to anyone."""

    def __init__(self, service: Service, reads: Reads) -> None:
        super().__init__(service)
        self._reads = reads

    async def reply(self, turn: Turn) -> Reply:
        """Return the state of the service; a key is not needed, and not counted."""
        if not turn.has_method(GET):
            turn.identify()
            raise turn.not_allowed(GET)
        return encode(await self._reads.run(lambda: self._state(turn)), 0)

    def _state(self, turn: Turn) -> Bare:
        try:
            turn.identify()
            reader = self._service.store.reader()
            last = reader.last_scraped_at()
            simulated = reader.is_simulated(turn.now_ms)
        except StoreError as error:
            _log.warning("the database is unavailable: %s", error)
            return Bare(Health("unavailable", __version__, "unavailable", None), status=503)
        shown = None if last is None else format_ms(last)
        return Bare(Health("ok", __version__, "ok", shown, simulated))
