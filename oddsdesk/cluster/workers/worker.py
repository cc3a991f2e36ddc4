"""One worker: each answers, and one is the leader."""

import asyncio
import contextlib
import logging
from collections.abc import Iterator
from functools import partial
from typing import Final

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.base.ending import Ending
from oddsdesk.base.tasks import Jobs, in_daemon_thread, new_loop
from oddsdesk.cluster.server import SharedFiles, Watches, open_first, open_shared
from oddsdesk.cluster.succession import Lease, Succession
from oddsdesk.cluster.tails import FollowedLog
from oddsdesk.cluster.valuation import divided_valuing
from oddsdesk.cluster.workers.colleagues import (
    FRESH_S,
    SUPERVISOR,
    Alive,
    CannotStart,
    Colleagues,
    Condition,
    Mailboxes,
    Ready,
)
from oddsdesk.contract.administration import FeedReport
from oddsdesk.feeds.errors import FeedError
from oddsdesk.server.edge.listener import ListenError
from oddsdesk.server.gate import LoopAccess, Service
from oddsdesk.server.rest import Sample
from oddsdesk.server.run.answering import Answering
from oddsdesk.server.run.duties import Duties
from oddsdesk.server.run.feeds import left_out_line
from oddsdesk.server.run.monitoring import Liveness, MetricsServer, of_database, of_worker, render
from oddsdesk.server.run.runner import OPEN_S
from oddsdesk.server.settings import Role, Settings
from oddsdesk.server.troubles import Trouble, Troubles, read_only_trouble, troubles_of_process
from oddsdesk.store.errors import StoreError
from oddsdesk.store.owner_secret import owner_secret_of

TELL_S: Final = 0.5
"""How often workers report their state to each other (s)."""
BEAT_S: Final = 1.0
"""How often they report to the supervisor (s)."""
MOST_TOLD: Final = 5
"""The most troubles sent to the supervisor, so that the message is never too long."""

_log = logging.getLogger(__name__)


class Place(msgspec.Struct, frozen=True):
    """A worker's input; ``is_first`` makes the database and takes its lock, or fails."""

    number: int
    is_first: bool
    mailboxes: Mailboxes


def run_worker(place: Place, settings: Settings, clock: Clock, ending: Ending) -> int:
    """Run until told to stop; return the exit status."""
    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(_work(place, settings, clock, ending))
    except (StoreError, ListenError, FeedError) as error:
        place.mailboxes.send_message(SUPERVISOR, CannotStart(place.number, str(error)))
        return 1
    return 0


async def _work(place: Place, settings: Settings, clock: Clock, ending: Ending) -> None:
    ending.cancel_this_task()
    open_all = open_first if place.is_first else open_shared
    work, undo = partial(open_all, settings, clock), SharedFiles.close
    with contextlib.suppress(asyncio.CancelledError):
        opened = await in_daemon_thread("open database", work, undo, OPEN_S)
        with opened:
            await _serve(Worker(place, opened, settings, clock), place)


async def _serve(worker: "Worker", place: Place) -> None:
    with worker.colleagues.listening():
        try:
            await worker.start_worker()
            place.mailboxes.send_message(SUPERVISOR, Ready(place.number))
            await asyncio.Event().wait()
        finally:
            await worker.stop_worker()


class Worker:
    """The service in one of several processes; it does not close its files."""

    def __init__(self, place: Place, opened: SharedFiles, settings: Settings, clock: Clock) -> None:
        self._place = place
        self._opened = opened
        self._settings = settings
        self._clock = clock
        self.colleagues = Colleagues(place.number, place.mailboxes)
        self._troubles = Troubles([self._own_troubles], [self.colleagues.troubles])
        access = LoopAccess(opened.access, clock)
        self._watches = Watches(opened.store, access, settings)
        service = Service(
            opened.store,
            access,
            clock,
            hosts=settings.host_names,
            base_url=settings.public.base_url,
            feeds=self._reports,
            owner=owner_secret_of(settings.database),
            troubles=self._troubles,
            roles=settings.roles,
            share=settings.share,
            has_dashboard=settings.dashboard,
            judge=settings.judge,
            devig_method=settings.devig_method,
            serve_as=settings.serve_as,
            metrics=self._metrics_text,
        )
        self._log = FollowedLog(opened.store, opened.access, settings, self.colleagues.on_growth)
        self._answering = Answering(service, self._log.tail, settings)
        self._liveness = Liveness(opened.store, self._answering.threads)
        self._metrics = MetricsServer(self._metrics_text)
        self._duties: Duties | None = None
        growth = self.colleagues.on_growth
        self._valuing = divided_valuing(opened.store, settings, clock, self._troubles, growth)
        self._jobs = Jobs()
        self._began = 0.0

    async def start_worker(self) -> None:
        """Listen, answer, and start the leader's duties or wait for them.

        Raises:
            ListenError, FeedError: one line with the reason.
        """
        settings = self._settings
        self._began = asyncio.get_running_loop().time()
        self._opened.callback(self._opened.store.on_commit(self.colleagues.tell_growth))
        self._log.start_following()
        if settings.listens:
            self._answering.listen(shared=True)
        if (lease := self._opened.lease) is not None:
            await self._begin_duties(lease)
        if self._valuing is not None:
            self._valuing.start_valuing()
        if settings.listens:
            await self._answering.start_answering()
            self._watches.start_watches(self._jobs)
        await self._metrics.start_metrics(settings, shared=True)
        self._jobs.start_job("liveness", self._liveness.check_forever)
        self._jobs.start_job("tell", self._keep_telling)
        self._jobs.start_job("beat", self._beat)

    async def stop_worker(self) -> None:
        """End within 2 s: the streams first (1001), then requests, then the rest."""
        await self._jobs.stop_jobs()  # first: the others end, too, and nobody should take over
        await self._metrics.stop_metrics()
        await self._answering.stop_answering()
        if self._duties is not None:
            await self._duties.stop_duties()
        if self._valuing is not None:
            await self._valuing.stop_valuing()
        await self._log.stop_following()

    async def _begin_duties(self, lease: Lease) -> None:
        """Start the leader's duties if there is no leader, else wait."""
        who = f"worker {self._place.number}"
        begin = partial(self._take_up, lease)
        succession = Succession(lease, who, begin, self._lay_down, self._troubles)
        if self._place.is_first:
            await succession.start_succession()
            await self._tell_what_is_left_out()
        if not succession.has_ended:
            follow = partial(succession.follow_lease, self.colleagues.somebody_ended)
            self._jobs.start_job("take over", follow)

    async def _tell_what_is_left_out(self) -> None:
        told = set() if self._duties is None else self._duties.feeds.sources_left_out()
        left_out = await asyncio.to_thread(self._opened.store.sources_left_out)
        for source in set(left_out) - told:
            _log.warning("%s", left_out_line(source))

    async def _take_up(self, lease: Lease) -> None:
        """Become the leader; nothing keeps running if that fails."""
        duties = Duties(
            self._opened.store,
            self._settings,
            self._clock,
            self._troubles,
            self.colleagues.on_growth,
        )
        try:
            await duties.open_feeds()
            await duties.start_duties()
            urls = self._answering.local_url, self._answering.link_url
            lease.announce_holder(urls[0], self._opened.keys_path, urls[1])
        except BaseException:
            await duties.stop_duties()
            raise
        self._duties = duties
        await self._tell()

    async def _lay_down(self) -> None:
        """Stop the leader's duties: another process may have them by now."""
        duties, self._duties = self._duties, None
        if duties is not None:
            await duties.stop_duties()
        await self._tell()

    def _reports(self) -> list[FeedReport]:
        if self._duties is not None:
            return self._duties.reports()
        owner = self.colleagues.owner()
        return [] if owner is None else owner.feeds

    def _own_troubles(self) -> Iterator[Trouble]:
        parts = self._answering, self._log, self._valuing, self._duties, self._liveness
        yield from troubles_of_process(self._jobs, self._watches, *parts)
        if self._opened.store.is_read_only and self._duties is None:
            yield read_only_trouble(should_record=self._settings.needs_lock)
        if self._duties is None and self._is_left_alone():
            left = ", ".join(each for each in Role if each in self._settings.run_once)
            yield Trouble(f"nobody runs {left}")

    def _is_left_alone(self) -> bool:
        """Return whether there is no leader; unknown at the start."""
        if not self._settings.needs_lock or self._opened.store.is_read_only:
            return False
        lately = asyncio.get_running_loop().time() - self._began < FRESH_S
        return self.colleagues.owner() is None and not lately

    async def _beat(self) -> None:
        """Report periodically that the loop runs and no thread hangs, even without a database."""
        while True:
            if self._liveness.is_well:
                lines = [each.line for each in self._troubles.own()[:MOST_TOLD]]
                self._place.mailboxes.send_message(SUPERVISOR, Alive(self._place.number, lines))
            await asyncio.sleep(BEAT_S)

    async def _keep_telling(self) -> None:
        while True:
            await self._tell()
            await asyncio.sleep(TELL_S)

    async def _tell(self) -> None:
        is_owner = self._duties is not None
        feeds = self._reports() if is_owner else []
        figures = await self._figures()  # any worker may be asked for /metrics
        own = self._troubles.own()
        self.colleagues.tell_condition(Condition(self._place.number, is_owner, own, feeds, figures))

    async def _figures(self) -> list[Sample]:
        return await of_worker(self._opened.store, self._troubles, self._answering, self._duties)

    async def _metrics_text(self) -> bytes:
        of_all = {each.worker: each.figures for each in self.colleagues.conditions()}
        of_all[self._place.number] = await self._figures()
        return render(await of_database(self._opened.store, self._log.tail, self._clock), of_all)
