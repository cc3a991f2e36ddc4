"""One worker: it answers, and one of them does what is done once."""

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from functools import partial
from typing import Final

import msgspec

from oddsdesk.clock import Clock
from oddsdesk.contract.administration import FeedReport
from oddsdesk.ending import Ending
from oddsdesk.feeds.errors import FeedError
from oddsdesk.server.answering import Answering
from oddsdesk.server.bus.errors import BusError
from oddsdesk.server.duties import Duties
from oddsdesk.server.figures import Sample
from oddsdesk.server.files import ServerFiles, open_files, open_shared
from oddsdesk.server.followed_log import FollowedLog
from oddsdesk.server.listener import ListenError
from oddsdesk.server.liveness import Liveness
from oddsdesk.server.loop_access import LoopAccess
from oddsdesk.server.loops import new_loop
from oddsdesk.server.metrics import MetricsServer, of_database, of_worker, render
from oddsdesk.server.runner import OPEN_S
from oddsdesk.server.running_feeds import left_out_line
from oddsdesk.server.service import Service
from oddsdesk.server.settings import Role, Settings
from oddsdesk.server.succession import Succession
from oddsdesk.server.troubles import (
    Trouble,
    Troubles,
    read_only_trouble,
    troubles_of_process,
)
from oddsdesk.server.valuing import Valuing
from oddsdesk.server.workers.colleagues import FRESH_S, Colleagues
from oddsdesk.server.workers.mailboxes import (
    SUPERVISOR,
    Alive,
    CannotStart,
    Condition,
    Mailboxes,
    Ready,
)
from oddsdesk.store.errors import StoreError
from oddsdesk.store.leases import Lease
from oddsdesk.store.owner_secret import owner_secret_of
from oddsdesk.tasks import Jobs, in_daemon_thread

TELL_S: Final = 0.5
"""How often workers tell each other how they are."""
BEAT_S: Final = 1.0
"""How often they tell the supervisor that they go on."""
MOST_TOLD: Final = 5
"""How many troubles the supervisor gets, so that the message is never too long to be sent."""

_log = logging.getLogger(__name__)


class Place(msgspec.Struct, frozen=True):
    """What a worker is given; ``is_first`` makes the database and takes its lock, or fails."""

    number: int
    is_first: bool
    mailboxes: Mailboxes


def run_worker(place: Place, settings: Settings, clock: Clock, ending: Ending) -> int:
    """Work until the end is asked for; return the exit status."""
    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(_work(place, settings, clock, ending))
    except (StoreError, ListenError, FeedError, BusError) as error:
        place.mailboxes.send(SUPERVISOR, CannotStart(place.number, str(error)))
        return 1
    return 0


async def _work(place: Place, settings: Settings, clock: Clock, ending: Ending) -> None:
    loop = asyncio.get_running_loop()
    running = asyncio.current_task()
    assert running is not None
    ending.listen_on(loop)
    ending.then(lambda: loop.call_soon_threadsafe(running.cancel))
    open_all = open_files if place.is_first else open_shared
    work, undo = partial(open_all, settings, clock), ServerFiles.close
    with contextlib.suppress(asyncio.CancelledError):
        opened = await in_daemon_thread("open database", work, undo, OPEN_S)
        with opened:
            await _serve(Worker(place, opened, settings, clock), place)


async def _serve(worker: "Worker", place: Place) -> None:
    with worker.colleagues.listening():
        try:
            await worker.start()
            place.mailboxes.send(SUPERVISOR, Ready(place.number))
            await asyncio.Event().wait()
        finally:
            await worker.stop()


class Worker:
    """The service in one of several processes; it does not close the files that it is given."""

    def __init__(self, place: Place, opened: ServerFiles, settings: Settings, clock: Clock) -> None:
        self._place = place
        self._opened = opened
        self._settings = settings
        self._clock = clock
        self.colleagues = Colleagues(place.number, place.mailboxes)
        self._troubles = Troubles([self._own_troubles], [self.colleagues.troubles])
        service = Service(
            opened.store,
            LoopAccess(opened.access, clock),
            clock,
            hosts=settings.names,
            base_url=settings.public.base_url,
            feeds=self._reports,
            owner=owner_secret_of(settings.database),
            troubles=self._troubles,
            roles=settings.roles,
        )
        self._log = FollowedLog(opened.store, opened.access, settings, self.colleagues.on_growth)
        self._answering = Answering(service, self._log.tail, settings)
        self._liveness = Liveness(opened.store, self._answering.threads)
        self._metrics = MetricsServer(self._metrics_text)
        self._duties: Duties | None = None
        self._valuing: Valuing | None = None
        if settings.divides_valuation and not opened.store.is_read_only:
            growth = self.colleagues.on_growth
            self._valuing = Valuing(opened.store, settings, clock, self._troubles, growth)
        self._jobs = Jobs()
        self._began = 0.0

    async def start(self) -> None:
        """Listen, answer, and take up what is done once, or wait for that.

        Raises:
            ListenError, FeedError: one line that says what cannot be used.
        """
        settings = self._settings
        self._began = asyncio.get_running_loop().time()
        self._opened.callback(self._opened.store.on_commit(self.colleagues.tell_growth))
        self._log.start()
        if settings.listens:
            self._answering.listen(shared=True)
        if (lease := self._opened.lease) is not None:
            await self._begin_duties(lease)
        if self._valuing is not None:
            self._valuing.start()
        if settings.listens:
            await self._answering.start()
        await self._metrics.start(settings, shared=True)
        self._jobs.start("liveness", self._liveness.run)
        self._jobs.start("tell", self._keep_telling)
        self._jobs.start("beat", self._beat)

    async def stop(self) -> None:
        """End within 2 s: the streams first (1001), then requests, then the rest."""
        await self._jobs.stop()  # first: the others end, too, and nobody is to take over
        await self._metrics.stop()
        await self._answering.stop()
        if self._duties is not None:
            await self._duties.stop()
        if self._valuing is not None:
            await self._valuing.stop()
        await self._log.stop()

    async def _begin_duties(self, lease: Lease) -> None:
        """Do what is done once where nobody does yet, and wait for that where somebody does."""
        who = f"worker {self._place.number}"
        begin = partial(self._take_up, lease)
        succession = Succession(lease, who, begin, self._lay_down, self._troubles)
        if self._place.is_first:
            await succession.start()
            await self._tell_what_is_left_out()
        if not succession.is_over:
            follow = partial(succession.follow, self.colleagues.somebody_ended)
            self._jobs.start("take over", follow)

    async def _tell_what_is_left_out(self) -> None:
        told = set() if self._duties is None else self._duties.feeds.left_out()
        left_out = await asyncio.to_thread(self._opened.store.left_out)
        for source in set(left_out) - told:
            _log.warning("%s", left_out_line(source))

    async def _take_up(self, lease: Lease) -> None:
        """Do from now on what is done once; nothing of it goes on where that fails."""
        duties = Duties(
            self._opened.store,
            self._settings,
            self._clock,
            self._troubles,
            self.colleagues.on_growth,
        )
        try:
            await duties.open()
            await duties.start()
            lease.announce(self._answering.local_url, self._opened.keys_path)
        except BaseException:
            await duties.stop()
            raise
        self._duties = duties
        await self._tell()

    async def _lay_down(self) -> None:
        """Stop what is done once: another process may do it by now."""
        duties, self._duties = self._duties, None
        if duties is not None:
            await duties.stop()
        await self._tell()

    def _reports(self) -> list[FeedReport]:
        if self._duties is not None:
            return self._duties.reports()
        owner = self.colleagues.owner()
        return [] if owner is None else owner.feeds

    def _own_troubles(self) -> Iterator[Trouble]:
        parts = self._answering, self._log, self._valuing, self._duties, self._liveness
        yield from troubles_of_process(self._jobs, *parts)
        if self._opened.store.is_read_only and self._duties is None:
            yield read_only_trouble(should_record=self._settings.needs_lock)
        if self._duties is None and self._is_left_alone():
            left = ", ".join(each for each in Role if each in self._settings.run_once)
            yield Trouble(f"nobody runs {left}")

    def _is_left_alone(self) -> bool:
        """Say whether nobody does what is done once; at the start it is not known yet."""
        if not self._settings.needs_lock or self._opened.store.is_read_only:
            return False
        lately = asyncio.get_running_loop().time() - self._began < FRESH_S
        return self.colleagues.owner() is None and not lately

    async def _beat(self) -> None:
        """Say again and again that the loop turns and no thread hangs, also without a database."""
        while True:
            if self._liveness.is_well:
                lines = [each.line for each in self._troubles.own()[:MOST_TOLD]]
                self._place.mailboxes.send(SUPERVISOR, Alive(self._place.number, lines))
            await asyncio.sleep(BEAT_S)

    async def _keep_telling(self) -> None:
        while True:
            await self._tell()
            await asyncio.sleep(TELL_S)

    async def _tell(self) -> None:
        is_owner = self._duties is not None
        feeds = self._reports() if is_owner else []
        figures = await self._figures() if self._settings.metrics_port is not None else []
        own = self._troubles.own()
        self.colleagues.tell(Condition(self._place.number, is_owner, own, feeds, figures))

    async def _figures(self) -> list[Sample]:
        return await of_worker(self._opened.store, self._troubles, self._answering, self._duties)

    async def _metrics_text(self) -> bytes:
        of_all = {each.worker: each.figures for each in self.colleagues.conditions()}
        of_all[self._place.number] = await self._figures()
        return render(await of_database(self._opened.store, self._log.tail), of_all)
