"""The server: the service on a socket, with hub, valuation, feeds and background jobs."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Final

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.base.tasks import Jobs, in_daemon_thread
from oddsdesk.server.gate import LoopAccess, Service
from oddsdesk.server.run.answering import Answering
from oddsdesk.server.run.duties import Duties
from oddsdesk.server.run.feeds import RunningFeeds, left_out_line
from oddsdesk.server.run.files import ServerFiles, open_files
from oddsdesk.server.run.monitoring import Liveness, MetricsServer, of_database, of_worker, render
from oddsdesk.server.settings import Settings
from oddsdesk.server.stream.log_tail import LogTail
from oddsdesk.server.troubles import Telling, Troubles, troubles_of_process
from oddsdesk.server.valuation import HeadStart
from oddsdesk.store.access import AccessStore
from oddsdesk.store.databases import part_of_cluster
from oddsdesk.store.owner_secret import owner_secret_of
from oddsdesk.store.reader import Tail
from oddsdesk.store.store import Store

OPEN_S: Final = 1.0
"""How long a stop during the start waits for the files to be opened and closed again (s)."""

_log = logging.getLogger(__name__)


class Server:
    """The whole service of a file, on one event loop; it does not close the stores it is given."""

    def __init__(
        self,
        store: Store,
        access: AccessStore,
        settings: Settings,
        clock: Clock = system_clock,
        tail: Tail | None = None,
    ) -> None:
        """Make it; ``tail`` is the end of the log if the database is not a file."""
        self.store = store
        self.access = access
        self._settings = settings
        self._clock = clock
        self.troubles = Troubles([lambda: troubles_of_process(self._jobs, *self._parts())])
        self._new_duties = partial(Duties, store, settings, clock, self.troubles, store.on_commit)
        self._duties = self._new_duties()
        self._jobs = Jobs()
        self._loop_access = LoopAccess(access, clock)
        service = Service(
            store,
            self._loop_access,
            clock,
            hosts=settings.host_names,
            base_url=settings.public.base_url,
            feeds=lambda: self._duties.reports(),
            owner=owner_secret_of(settings.database),
            troubles=self.troubles,
            roles=settings.roles,
            share=settings.share,
            has_dashboard=settings.dashboard,
            judge=settings.judge,
            devig_method=settings.devig_method,
            serve_as=settings.serve_as,
            metrics=self._metrics_text,
        )
        self._tail = tail or LogTail(store, keys=access.path)
        self._answering = Answering(service, self._tail, settings)
        self.liveness = Liveness(store, self._answering.threads)
        self._metrics = MetricsServer(self._metrics_text)
        self.url = ""

    async def start_server(self) -> None:
        """Listen, answer, and start the background jobs; sets ``url`` if it listens.

        Raises:
            ListenError: the address cannot be listened on.
            FeedError: a feed cannot be opened.
        """
        if self._settings.listens:
            self.url = self._answering.listen()
        await self._duties.open_feeds()
        if self._settings.listens:
            await self._answering.start_answering()
        await self._metrics.start_metrics(self._settings)
        self._jobs.start_job("liveness", self.liveness.check_forever)
        await self._begin_duties()
        left_out = await asyncio.to_thread(self.store.sources_left_out)
        for source in set(left_out) - self.running_feeds.sources_left_out():
            _log.warning("%s", left_out_line(source))

    async def stop_server(self) -> None:
        """End within 2 s: the streams first (1001), then requests, then the background jobs."""
        await self._jobs.stop_jobs()
        await self._metrics.stop_metrics()
        await self._answering.stop_answering()
        await self._duties.stop_duties()

    @property
    def stands_by(self) -> bool:
        """Whether another process is the leader."""
        return False

    @property
    def local_url(self) -> str:
        """The unencrypted address for programs on this machine."""
        return self._answering.local_url

    @property
    def link_url(self) -> str:
        """The address for links that others open; empty if it is not known."""
        return self._answering.link_url

    @property
    def head_start(self) -> HeadStart:
        """What the valuation, and a simulation after its first prices, wait for."""
        return self._duties.head_start

    @property
    def running_feeds(self) -> RunningFeeds:
        """The feeds of this server."""
        return self._duties.feeds

    def _parts(self) -> Iterator[Telling]:
        """Yield the parts that report troubles."""
        yield from (self._answering, self._duties, self.liveness)

    def _working_duties(self) -> Duties | None:
        """Return the leader's duties, None if another process is the leader."""
        return self._duties

    async def _begin_duties(self) -> None:
        await self._duties.start_duties()

    async def _metrics_text(self) -> bytes:
        own = await of_worker(self.store, self.troubles, self._answering, self._working_duties())
        return render(await of_database(self.store, self._tail, self._clock), {1: own})


@contextlib.asynccontextmanager
async def serving(settings: Settings, clock: Clock = system_clock) -> AsyncIterator[Server]:
    """Open the database, run the server on it, and close both in order.

    Raises:
        StoreError, ListenError, FeedError: one line with the reason;
                DatabaseInUseError if another process serves the database.
    """
    if not settings.is_alone:
        async with part_of_cluster("server")(settings, clock) as other:
            yield other
        return
    work = partial(open_files, settings, clock)  # what an older version made takes its time
    undo = ServerFiles.close
    with await in_daemon_thread("open database", work, undo, OPEN_S) as opened:
        server = Server(opened.store, opened.access, settings, clock)
        try:
            await server.start_server()
            if opened.lock is not None:
                urls = server.local_url, server.link_url
                opened.lock.announce_owner(urls[0], opened.keys_path, urls[1])
            yield server
        finally:
            await server.stop_server()
