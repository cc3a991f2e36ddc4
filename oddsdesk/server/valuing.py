"""The jobs of the valuation: alone on a file, beside those of other processes on PostgreSQL."""

from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Final

from oddsdesk.clock import Clock
from oddsdesk.server.head_start import HeadStart
from oddsdesk.server.log_watch import OnGrowth
from oddsdesk.server.settings import Settings
from oddsdesk.server.troubles import Trouble, Troubles, job_troubles
from oddsdesk.server.valuation import Valuation
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.shares import shares_of
from oddsdesk.store.store import Store
from oddsdesk.tasks import Jobs, in_daemon_thread

_Job = Callable[[], Coroutine[Any, Any, None]]
SHARES: Final = 16
"""Into how many parts games are divided: so many processes can value at a time."""

_WORDS: Final = {
    "valuation": "the valuation",
    "valuation rounds": "revaluing all games",
    "valuation shares": "dividing the games to value",
    "valuation takeovers": "valuing the games of another process",
}
"""Jobs as the health endpoint calls them."""


class Valuing:
    """The valuation of one process: of all games, or of those that fall to it."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Clock,
        troubles: Troubles,
        on_growth: OnGrowth,
    ) -> None:
        self.head_start = HeadStart(settings.head_start_s)
        database = settings.database
        self._is_divided = isinstance(database, DatabaseUrl)
        shares = (
            shares_of(database, "valuation", SHARES) if isinstance(database, DatabaseUrl) else None
        )
        method = settings.devig_method
        self._valuation = Valuation(store, clock, method, troubles, on_growth, shares)
        self._jobs = Jobs()

    def start(self) -> None:
        """Begin."""
        self._jobs.start("valuation", self._after_head_start(self._valuation.follow))
        self._jobs.start("valuation rounds", self._after_head_start(self._valuation.rounds))
        if self._is_divided:
            self._jobs.start("valuation shares", self._valuation.divide)
            self._jobs.start("valuation takeovers", self._valuation.take_over)

    async def stop(self) -> None:
        """End; what was found stays."""
        await self._jobs.stop()
        await in_daemon_thread("end valuation", self._valuation.close)  # may wait for a database

    def _after_head_start(self, job: _Job) -> _Job:
        async def run() -> None:
            await self.head_start.over()
            await job()

        return run

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with it."""
        yield from job_troubles(self._jobs.faults, _WORDS)
        if self._valuation.failing:
            yield Trouble(f"{self._valuation.failing} markets cannot be valued")
