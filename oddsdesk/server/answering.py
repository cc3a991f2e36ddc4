"""The side of a server that answers: the service on a socket, its streams and its counts."""

import asyncio
import socket
from collections.abc import Iterator
from typing import Final

import msgspec
from starlette.types import ASGIApp

from oddsdesk.server.access_log import AccessLog
from oddsdesk.server.app import App, create_app
from oddsdesk.server.certificate import Certificate
from oddsdesk.server.connections import Connections, ConnectionsByProxy
from oddsdesk.server.door import Door
from oddsdesk.server.figures import Sample
from oddsdesk.server.hub import Hub
from oddsdesk.server.listener import HttpServer, bind, url_of
from oddsdesk.server.owner_watch import OwnerWatch, owner_watch
from oddsdesk.server.proxies import BehindProxy, Proxies
from oddsdesk.server.reader_pool import ReaderPool
from oddsdesk.server.refusals import Refusals
from oddsdesk.server.retry import RetryWhileUnavailable
from oddsdesk.server.service import Service
from oddsdesk.server.settings import DEFAULT_HOST, Settings
from oddsdesk.server.stream import Stream
from oddsdesk.server.troubles import NOTHING_READ, Trouble, job_troubles, refused
from oddsdesk.store.tail import Tail
from oddsdesk.tasks import Jobs

SAVE_COUNTS_S: Final = 0.5

_WORDS: Final = {
    "http": "the HTTP server",
    "hub": "the stream",
    "database": "looking after the database",
    "save counts": "saving the counts of requests",
    "certificate": "looking for a renewed certificate",
    "owner": "looking who values and records",
}
"""Jobs as the health endpoint calls them."""


class Answering:
    """Answers requests and streams by what ``service`` holds and ``tail`` tells.

    Where what others ask is encrypted, programs of this machine have an address of their own: no
    certificate is for that.
    """

    def __init__(self, service: Service, tail: Tail, settings: Settings) -> None:
        access, troubles = service.access, service.troubles
        self.hub = Hub(tail, access, service.store.reference, troubles)
        stream = Stream(self.hub, access, service.clock, service.figures)
        self._service = msgspec.structs.replace(service, stream=stream)
        self._settings = settings
        self._proxies = Proxies(settings.public.behind_proxy)
        self._connections = Connections(settings.connections, self._proxies)
        self._owner: OwnerWatch | None = None
        if not service.store.is_read_only:
            self._owner = owner_watch(settings)
        self._app: App | None = None
        self._certificate: Certificate | None = None
        self._listeners: list[socket.socket] = []
        self._http: list[HttpServer] = []
        self._jobs = Jobs()
        self.local_url = ""
        """Where programs of this machine ask."""

    def listen(self, *, shared: bool = False) -> str:
        """Take the address and return it as an URL; nothing is answered before ``start``.

        Raises:
            ListenError: it cannot be listened on, or the certificate cannot be used.
        """
        settings = self._settings
        if settings.public.tls is not None:
            self._certificate = Certificate(settings.public.tls, self._service.clock)
        self._listeners.append(bind(settings.host, settings.port, shared=shared))
        if self._certificate is None:
            self.local_url = url_of(self._listeners[0])
            return self.local_url
        self._listeners.append(bind(DEFAULT_HOST, 0))
        self.local_url = url_of(self._listeners[1])
        return url_of(self._listeners[0], settings.scheme)

    async def start(self) -> None:
        """Answer.

        Raises:
            ListenError: the HTTP server ended while it started.
        """
        assert self._listeners
        self._app = create_app(self._service)
        certificate = self._certificate
        contexts = [certificate.context, None] if certificate else [None]
        counted = [self._connections, None]  # others leave programs of this machine their own
        app, limits = self._for_others(self._app, self._app.door), self._app.limits
        refusals = Refusals(self._service.figures, logs=self._settings.access_log)
        for listener, tls, connections in zip(self._listeners, contexts, counted, strict=False):
            http = HttpServer(
                app, listener, limits, tls, connections, refusals, self._app.door.sender_of
            )
            self._http.append(http)
            await http.start()
        if certificate is not None:
            self._jobs.start("certificate", certificate.follow)
        self._jobs.start("hub", self.hub.run)
        self._jobs.start("save counts", self._save_counts)
        if self._owner is not None:
            self._jobs.start("owner", self._owner.follow)
        if self._service.store.path is None:
            self._jobs.start("database", self._watch_database)

    def _for_others(self, app: ASGIApp, door: Door) -> ASGIApp:
        """Return the application with what the settings put before it."""
        if self._settings.access_log:
            app = AccessLog(app)
        if self._settings.public.behind_proxy:
            app = ConnectionsByProxy(app, self._connections, door.caller_of)
            app = BehindProxy(app, self._proxies)
        return app

    async def stop(self) -> None:
        """Close the streams first (1001), then answer what was asked, and end."""
        self.hub.close()
        await asyncio.gather(*(each.stop() for each in self._http))
        for listener in self._listeners:
            listener.close()
        await self._jobs.stop()
        if self._app is not None:
            self._app.close()

    def threads(self) -> tuple[ReaderPool, ...]:
        """Return the threads that each request needs; none before it has started."""
        return () if self._app is None else self._app.threads()

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with its jobs, and with a database that is away."""
        if (refusal := self._service.access.circuit.refusal) is not None:
            yield refused(NOTHING_READ, refusal)
        if self._certificate is not None:
            yield from map(Trouble, self._certificate.troubles())
        yield from self._connections.troubles()
        if self._owner is not None:
            yield from self._owner.troubles()
        http = (fault for each in self._http for fault in each.faults)
        yield from job_troubles((*http, *self._jobs.faults), _WORDS)

    async def samples(self) -> list[Sample]:
        """Return what it has counted."""
        own = [*self._service.figures.samples(), *self._connections.samples()]
        if self._certificate is not None and self._certificate.ends_at is not None:
            own.append(Sample("oddsdesk_certificate_end_seconds", self._certificate.ends_at / 1000))
        return [*own, *await self.hub.samples()]

    async def _watch_database(self) -> None:
        """Keep the circuit of a database across a network."""
        thread = ReaderPool("look", threads=1)
        store, access = self._service.store, self._service.access

        def look() -> None:
            store.check()
            access.read_keys()

        try:
            await access.circuit.watch(lambda: thread.begin(look))
        finally:
            thread.abandon()

    async def _save_counts(self) -> None:
        """Add counts to the file now and then; while it refuses they stay in memory (D18)."""
        patience = RetryWhileUnavailable("saving the counts of requests", self._service.troubles)
        while True:
            await asyncio.sleep(SAVE_COUNTS_S)
            await patience.do(self._flush_counts, 0)

    async def _flush_counts(self) -> None:
        if (saving := self._service.access.flush()) is not None:
            await asyncio.wrap_future(saving)
