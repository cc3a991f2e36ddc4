"""GET /api/health and /api/ready: no key, no quota, no wait behind others (D15, D82)."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import UNSET
from starlette.types import ASGIApp, Receive, Scope, Send

from oddsdesk import __version__
from oddsdesk.contract.resources import Health, Readiness
from oddsdesk.contract.times import format_ms
from oddsdesk.server.access import known_caller
from oddsdesk.server.answers import Bare, Reply, encode, going_down, refuse, send_reply
from oddsdesk.server.circuit import KnownAwayError, slow_error
from oddsdesk.server.fairness import Lane
from oddsdesk.server.gate import GET, Gate, RequestContext
from oddsdesk.server.reader_pool import ReaderPool
from oddsdesk.server.service import Service
from oddsdesk.server.troubles import NOTHING_READ, Trouble, refused
from oddsdesk.store.errors import StoreError
from oddsdesk.store.unpriced_reference import misnamed_line

HEALTH_PATH = "/api/health"
READY_PATH = "/api/ready"
PROBES: Final = frozenset({HEALTH_PATH, READY_PATH})

LOOKS_A_SECOND: Final = 10.0
LOOKS_AT_ONCE: Final = 10
"""Looks at the database that probes cause. Probes beyond these repeat what the last look found."""
OLDEST_S: Final = 1.0
"""How old may be what a probe repeats."""
PATIENCE_S: Final = 0.25
"""How long a probe waits for a look while the last one is not too old."""
LIMIT_S: Final = 3.0
"""A look that takes longer hangs: the database does not answer. Longer than that of ``Circuit``."""

ANSWERS_A_SECOND: Final = 100.0
ANSWERS_AT_ONCE: Final = 50
"""Probes that are answered at once. Each further one waits, and then is answered."""
PAUSES_S: Final = (0.5, 1.5)
"""How long it waits. The waits differ, so that those who ask again at once do not come together."""
_GOLDEN: Final = 0.618034
"""Its multiples, without the whole part, are spread evenly over 0 to 1, however many there are."""
HURRY: Final = "oddsdesk.hurry"
"""Where a scope has the event that ends this wait: a newer connection needs the place."""

_log = logging.getLogger(__name__)


class Look(msgspec.Struct, frozen=True):
    """What a look at the database found, and when it began (s, of the clock that never jumps)."""

    began: float
    error: StoreError | None = None
    last_scraped_at: int | None = None
    is_simulated: bool = False
    is_shifted: bool = False
    sources: list[str] = []
    unpriced_reference: str | None = None
    misnamed: str | None = None


class Looks:
    """Looks at the database for probes, one look at a time, on a thread that nothing else uses.

    For the server's loop. A probe gets a look that began after it was asked; where there are many
    probes, or the machine is busy, one that is at most ``OLDEST_S`` old. On a machine too busy for
    that it gets the last look while other requests still get answers.
    """

    def __init__(
        self,
        service: Service,
        now: Callable[[], float] = time.monotonic,
        others: Sequence[ReaderPool] = (),
    ) -> None:
        """``others`` read the same database: while they get answers a slow look does not hang."""
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
        """Return what is known of the database now; it waits 3 s at most."""
        now = self._now()
        has_turn = not self._lane.wait_s(now)
        if has_turn:
            self._lane.take(now)
        is_recent = self._last is not None and now - self._last.began <= OLDEST_S
        try:
            self._circuit.check()
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

    def close(self) -> None:
        """End the thread, before the stores are closed."""
        self._thread.close()

    def _others_are_answered(self) -> bool:
        """Say whether the database answers others: then the machine is only busy."""
        return any(self._now() - each.answered_at <= OLDEST_S for each in self._others)

    def _note(self, error: StoreError | None) -> None:
        """Log the first only: anybody may ask, as often as they like."""
        if error is not None and not self._is_refused:
            _log.warning("the database is unavailable: %s", error)
        self._is_refused = error is not None

    def _limit_s(self, now: float) -> float:
        """Return how long to wait; not at all where the look under way hangs already."""
        return 0.0 if self._is_looking and now - self._began > LIMIT_S else LIMIT_S

    @property
    def _is_looking(self) -> bool:
        return self._looking is not None and not self._looking.done()

    async def _look_again(self) -> None:
        """Wait for a look that begins from now on; all who ask meanwhile share it.

        Raises:
            KnownAwayError: the database is known to be away.
        """
        if self._looking is not None and self._is_looking:
            await self._wait(self._looking)
        if self._looking is None or not self._is_looking:
            self._began = self._now()
            self._looking = self._thread.begin(self._look)
        await self._wait(self._looking)

    async def _wait(self, looking: asyncio.Future[None]) -> None:
        try:
            await self._circuit.wait(asyncio.shield(looking))
        except KnownAwayError:
            raise
        except StoreError as error:
            self._last = Look(self._began, error)

    def _look(self) -> None:
        """Look at the odds and the keys; on the thread."""
        began, now_ms = self._began, self._service.clock()
        if not self._circuit.is_watched:  # else its own looks read the keys, too
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
    """Tells anyone whether the database answers and the background jobs are well."""

    def __init__(self, service: Service, looks: Looks) -> None:
        super().__init__(service)
        self._looks = looks

    async def reply(self, request: RequestContext) -> Reply:
        """Return the state of the service; a key is not needed, and not counted."""
        await self._recognize(request)
        if not request.has_method(GET):
            raise request.not_allowed(GET)
        look = await self._looks.newest()
        troubles = self._service.troubles.now()
        if look.error is None:
            return encode(self._state(look, troubles), 0)
        return encode(self._unavailable([refused(NOTHING_READ, look.error), *troubles]), 0)

    async def _recognize(self, request: RequestContext) -> None:
        """Find out where a known key stands, for the headers (D17), but hardly wait for it."""
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
    """Tells anyone whether the service is fully at work: it answers, and feeds are recorded."""

    def _unavailable(self, troubles: list[Trouble]) -> Bare:
        return Bare(Readiness("not ready", _lines(troubles)), status=503)

    def _state(self, look: Look, troubles: list[Trouble]) -> Bare:
        stopping = [trouble for trouble in troubles if trouble.stops_recording]
        return self._unavailable(stopping) if stopping else Bare(Readiness("ready"))


class ProbesFirst:
    """Passes probes to ``probed`` at once and everything else to ``app``, where it has its turn.

    A flood of probes is slowed down, so that it does not take the loop from others; each is
    answered all the same.
    """

    def __init__(
        self, app: ASGIApp, probed: ASGIApp, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._probed = probed
        self._now = now
        self._lane = Lane(ANSWERS_A_SECOND, ANSWERS_AT_ONCE)
        self._part = 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or stream."""
        if scope["type"] != "http" or scope["path"] not in PROBES:
            await self._app(scope, receive, send)
            return
        now = self._now()
        if not self._lane.wait_s(now):
            self._lane.take(now)
        else:
            hurry: asyncio.Event = scope.get(HURRY) or asyncio.Event()
            try:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._pause_s()):
                        await hurry.wait()
            except asyncio.CancelledError:  # the server ends
                await send_reply(scope, send, refuse(going_down(), ""))
                return
        await self._probed(scope, receive, send)

    def _pause_s(self) -> float:
        self._part = (self._part + _GOLDEN) % 1
        least, most = PAUSES_S
        return least + self._part * (most - least)


def _lines(troubles: list[Trouble]) -> list[str]:
    return list(dict.fromkeys(trouble.line for trouble in troubles))
