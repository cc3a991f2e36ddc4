"""The server: the service on a socket, with hub, valuation, feeds and background jobs."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

from oddsdesk.clock import Clock, system_clock
from oddsdesk.server.answering import Answering
from oddsdesk.server.duties import Duties
from oddsdesk.server.files import ServerFiles, open_files
from oddsdesk.server.followed_log import FollowedLog
from oddsdesk.server.head_start import HeadStart
from oddsdesk.server.liveness import Liveness
from oddsdesk.server.loop_access import LoopAccess
from oddsdesk.server.metrics import MetricsServer, of_database, of_worker, render
from oddsdesk.server.running_feeds import RunningFeeds, left_out_line
from oddsdesk.server.service import Service
from oddsdesk.server.settings import Settings
from oddsdesk.server.succession import Succession
from oddsdesk.server.troubles import Troubles, troubles_of_process
from oddsdesk.server.valuing import Valuing
from oddsdesk.store.access import AccessStore
from oddsdesk.store.leases import Lease
from oddsdesk.store.owner_secret import owner_secret_of
from oddsdesk.store.store import Store
from oddsdesk.tasks import Jobs, in_daemon_thread

OPEN_S: Final = 1.0
"""How long a stop during the start waits for the files to be opened, and closed again."""

_log = logging.getLogger(__name__)


class Server:
    """The whole service on one event loop, as far as the roles of ``settings`` go.

    It does not close the stores that it is given.
    """

    def __init__(
        self,
        store: Store,
        access: AccessStore,
        settings: Settings,
        clock: Clock = system_clock,
        lease: Lease | None = None,
    ) -> None:
        """Without ``lease`` it does what is done once without asking whether others do."""
        self.store = store
        self.access = access
        self._settings = settings
        self.troubles = Troubles(
            [
                lambda: troubles_of_process(
                    self._jobs,
                    self._answering,
                    self._log,
                    self._valuing,
                    self._duties,
                    self.liveness,
                )
            ]
        )
        self._valuing: Valuing | None = None
        if settings.divides_valuation and not store.is_read_only:
            self._valuing = Valuing(store, settings, clock, self.troubles, store.on_commit)
        self._new_duties = partial(Duties, store, settings, clock, self.troubles, store.on_commit)
        self._duties = self._new_duties()
        self._is_at_work = False
        self._succession: Succession | None = None
        if lease is not None:
            self._succession = Succession(
                lease, "this server", self._take_up, self._lay_down, self.troubles
            )
        self._jobs = Jobs()
        service = Service(
            store,
            LoopAccess(access, clock),
            clock,
            hosts=settings.names,
            base_url=settings.public.base_url,
            feeds=lambda: self._duties.reports(),
            owner=owner_secret_of(settings.database),
            troubles=self.troubles,
            roles=settings.roles,
        )
        self._log = FollowedLog(store, access, settings)
        self._answering = Answering(service, self._log.tail, settings)
        self.liveness = Liveness(store, self._answering.threads)
        self._metrics = MetricsServer(self._metrics_text)
        self.url = ""

    async def start(self) -> None:
        """Listen, answer, and start the background jobs; ``url`` is set then, if it listens.

        Raises:
            ListenError: the address cannot be listened on.
            FeedError: a feed cannot be opened.
        """
        if self._settings.listens:
            self.url = self._answering.listen()
        self._log.start()
        await self._duties.open()
        if self._settings.listens:
            await self._answering.start()
        await self._metrics.start(self._settings)
        self._jobs.start("liveness", self.liveness.run)
        await self._begin_duties()
        if self._valuing is not None:
            self._valuing.start()
        left_out = await asyncio.to_thread(self.store.left_out)
        for source in set(left_out) - self.feeds.left_out():
            _log.warning("%s", left_out_line(source))

    async def stop(self) -> None:
        """End within 2 s: the streams first (1001), then requests, then the background jobs."""
        await self._jobs.stop()
        await self._metrics.stop()
        await self._answering.stop()
        await self._duties.stop()
        if self._valuing is not None:
            await self._valuing.stop()
        await self._log.stop()

    @property
    def stands_by(self) -> bool:
        """Whether another process does what one process does at a time."""
        return not self._is_at_work and self._settings.needs_lock

    @property
    def local_url(self) -> str:
        """Where programs of this machine reach it, without encryption."""
        return self._answering.local_url

    @property
    def head_start(self) -> HeadStart:
        """What the valuation waits for, and a simulation once it has its first prices."""
        return self._duties.head_start

    @property
    def feeds(self) -> RunningFeeds:
        """The feeds of this server, whether they run here or another process has the lease."""
        return self._duties.feeds

    async def _begin_duties(self) -> None:
        if self._succession is None:
            await self._take_up()
            return
        await self._succession.start()
        if not self._succession.is_over:
            self._jobs.start("take over", self._succession.follow)

    async def _take_up(self) -> None:
        await self._duties.start()
        self._is_at_work = True

    async def _lay_down(self) -> None:
        self._is_at_work = False
        await self._duties.stop()
        self._duties = self._new_duties()
        await self._duties.open()

    async def _metrics_text(self) -> bytes:
        is_owner = self._is_at_work and self._settings.needs_lock
        duties = self._duties if is_owner else None
        own = await of_worker(self.store, self.troubles, self._answering, duties)
        return render(await of_database(self.store, self._log.tail), {1: own})


@contextlib.asynccontextmanager
async def serving(settings: Settings, clock: Clock = system_clock) -> AsyncIterator[Server]:
    """Open the database, run the server on it, and close both in order.

    Raises:
        StoreError, ListenError, FeedError: one line that says what cannot be used;
            DatabaseInUseError where another process serves the database.
    """
    work = partial(open_files, settings, clock)  # what an older version made takes its time
    undo = ServerFiles.close
    with await in_daemon_thread("open database", work, undo, OPEN_S) as opened:
        server = Server(opened.store, opened.access, settings, clock, opened.lease)
        try:
            await server.start()
            if opened.lease is not None:
                opened.lease.announce(server.local_url, opened.keys_path)
            yield server
        finally:
            await server.stop()
