"""The server: the service on a socket, with hub, valuation, feeds and background jobs."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from oddsdesk.clock import Clock, system_clock
from oddsdesk.contract.administration import FeedReport
from oddsdesk.places import can_write
from oddsdesk.server.app import App, create_app
from oddsdesk.server.hub import Hub
from oddsdesk.server.key_store import open_key_store
from oddsdesk.server.listener import HttpServer, bind, url_of
from oddsdesk.server.pruning import Pruning
from oddsdesk.server.retry import RetryWhileUnavailable
from oddsdesk.server.running_feeds import RunningFeeds
from oddsdesk.server.service import Service
from oddsdesk.server.settings import Settings, is_loopback
from oddsdesk.server.stream import Stream
from oddsdesk.server.troubles import Trouble, Troubles
from oddsdesk.server.valuation import Valuation
from oddsdesk.store.access import AccessStore
from oddsdesk.store.errors import Fault
from oddsdesk.store.lock import DatabaseLock, lock_database
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.write_lock import WriteLockProbe
from oddsdesk.tasks import Jobs, in_daemon_thread

SAVE_COUNTS_S: Final = 0.5
LOOK_S: Final = 2.0
"""How often the server looks whether another program keeps the database locked."""
OPEN_S: Final = 1.0
"""How long a stop during the start waits for the files to be opened, and closed again."""

_WORDS: Final = {
    "http": "the HTTP server",
    "hub": "the stream",
    "save counts": "saving the counts of requests",
    "valuation": "the valuation",
    "valuation rounds": "the rounds of the valuation",
    "prune": "removing what is too old",
    "write lock": "looking whether the database is locked",
}
"""Jobs as the health endpoint calls them."""

_log = logging.getLogger(__name__)


class Server:
    """The whole service on one event loop. It does not close the stores that it is given."""

    def __init__(
        self, store: Store, access: AccessStore, settings: Settings, clock: Clock = system_clock
    ) -> None:
        self.store = store
        self.access = access
        self._settings = settings
        self._clock = clock
        self.feeds = RunningFeeds(
            store, clock, is_local=is_loopback(settings.host), share=settings.share
        )
        self.troubles = Troubles([self._own_troubles, self.feeds.troubles])
        self._hub = Hub(store, access, store.reference, self.troubles)
        self._valuation = Valuation(store, clock, settings.devig_method, self.troubles)
        self.pruning = Pruning(store, clock)
        self._write_lock = WriteLockProbe(store.path)
        self._app: App | None = None
        self._http: HttpServer | None = None
        self._jobs = Jobs()
        self.url = ""
        self.owner_secret = secrets.token_hex(16)
        """A caller on this machine who knows it may see the state of the feeds."""

    async def start(self) -> None:
        """Listen, answer, and start the background jobs; ``url`` is set then.

        Raises:
            ListenError: the address cannot be listened on.
            FeedError: a feed cannot be opened.
        """
        listener = bind(self._settings.host, self._settings.port)
        try:
            await self.feeds.open(self._settings.feeds, self._settings.speed)
        except BaseException:
            listener.close()
            raise
        self.url = url_of(listener)
        stream = Stream(self._hub, self.access, self._clock)
        hosts = frozenset({self._settings.host})
        self._app = create_app(
            Service(
                self.store,
                self.access,
                self._clock,
                stream,
                hosts,
                lambda: [FeedReport.of(feed) for feed in self.feeds.states()],
                self.owner_secret,
                self.troubles,
            )
        )
        self._http = HttpServer(self._app, listener, self._app.limits)
        await self._http.start()
        self._jobs.start("hub", self._hub.run)
        self._jobs.start("save counts", self._save_counts)
        if not self.store.is_read_only:
            self._jobs.start("valuation", self._valuation.follow)
            self._jobs.start("valuation rounds", self._valuation.rounds)
            self._jobs.start("prune", self.pruning.run)
            self._jobs.start("write lock", self._watch_write_lock)
        await self.feeds.start_all()

    async def stop(self) -> None:
        """End within 2 s: the streams first (1001), then requests, then the background jobs."""
        self._hub.close()
        if self._http is not None:
            await self._http.stop()
        await self.feeds.stop_all()
        await self._jobs.stop()
        self._write_lock.close()
        if self._app is not None:
            self._app.close()

    def _own_troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with the jobs, and with recording."""
        http = () if self._http is None else self._http.faults
        for fault in (*http, *self._jobs.faults):
            yield Trouble(f"{_WORDS.get(fault.job, fault.job)} failed and is begun anew")
        if self._valuation.failing:
            yield Trouble(f"{self._valuation.failing} markets cannot be valued")
        refusal = self.store.refusal()
        held = Fault.LOCKED if self._write_lock.is_held else None
        if (why := held if refusal is None else refusal.fault) is not None:
            yield Trouble(f"prices cannot be recorded: {why.value}", why, stops_recording=True)

    async def _watch_write_lock(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            self._write_lock.check()

    async def _save_counts(self) -> None:
        """Add counts to the file now and then; while it refuses they stay in memory (D18)."""
        patience = RetryWhileUnavailable("saving the counts of requests", self.troubles)
        while True:
            await asyncio.sleep(SAVE_COUNTS_S)
            await patience.do(self._flush_counts, 0)

    async def _flush_counts(self) -> None:
        if (saving := self.access.quotas.flush()) is not None:
            await asyncio.wrap_future(saving)


@contextlib.asynccontextmanager
async def serving(settings: Settings, clock: Clock = system_clock) -> AsyncIterator[Server]:
    """Open the database, run the server on it, and close both in order.

    Raises:
        StoreError, ListenError, FeedError: one line that says what cannot be used;
            DatabaseInUseError where another process serves the database.
    """
    work = partial(_open, settings, clock)  # what an older version made takes its time
    with await in_daemon_thread("open database", work, _Opened.close, OPEN_S) as opened:
        server = Server(opened.store, opened.access, settings, clock)
        try:
            await server.start()
            if opened.lock is not None:
                opened.lock.announce(server.url, opened.keys_path, server.owner_secret)
            yield server
        finally:
            await server.stop()


class _Opened(contextlib.ExitStack):
    """The files of a database, closed in order."""

    lock: DatabaseLock | None
    store: Store
    access: AccessStore
    keys_path: Path


def _open(settings: Settings, clock: Clock) -> _Opened:
    with _Opened() as opened:
        lock = opened.lock = _lock(settings.database)
        if lock is not None:
            opened.callback(lock.release)
        opened.store = open_store(
            settings.database,
            settings.reference,
            read_only=lock is None,
            durable=settings.durable,
            lock=lock,
            clock=clock,
        )
        opened.callback(opened.store.close)
        if settings.keep_days is not None:
            opened.store.keep_log(settings.keep_days).result()
        access, keys_path = open_key_store(settings, lock, opened)
        kept = opened.pop_all()
        kept.lock, kept.store, kept.access = lock, opened.store, access
        kept.keys_path = keys_path
        return kept


def _lock(database: Path) -> DatabaseLock | None:
    """Lock the database; None for one that can only be read."""
    if can_write(database) or not database.exists():
        return lock_database(database)
    _log.warning("%s cannot be written: it is served as it is", database)
    return None
