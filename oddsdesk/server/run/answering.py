"""The answering side of a server: the service on a socket, its streams and its counts."""

import asyncio
import socket
from collections.abc import Iterator
from typing import Final

import msgspec
from starlette.types import ASGIApp

from oddsdesk.base.tasks import Jobs, until_beat
from oddsdesk.server.app import App, Door, create_app
from oddsdesk.server.edge.connections import Connections, ConnectionsByProxy
from oddsdesk.server.edge.listener import Certificate, HttpServer, bind, url_of
from oddsdesk.server.edge.middleware import AccessLog, BehindProxy, Proxies, RequestIds
from oddsdesk.server.edge.protocol import Refusals
from oddsdesk.server.endpoints.ingest import METRICS_PATH
from oddsdesk.server.fairness import PROBES, ReaderPool
from oddsdesk.server.gate import Service
from oddsdesk.server.rest import Sample
from oddsdesk.server.settings import DEFAULT_HOST, Settings
from oddsdesk.server.stream.endpoint import Stream
from oddsdesk.server.stream.hub import Hub
from oddsdesk.server.troubles import RetryWhileUnavailable, Trouble, job_troubles
from oddsdesk.store.reader import Tail

SAVE_COUNTS_S: Final = 0.5

_WORDS: Final = {
    "http": "the HTTP server",
    "hub": "the stream",
    "save counts": "saving request counts",
    "certificate": "checking for a renewed certificate",
}
"""Names of jobs in health."""


class Answering:
    """Answers requests and streams from ``service`` and ``tail``.

    With TLS, programs on this machine get a separate local address: the certificate does not cover
    it.
    """

    def __init__(self, service: Service, tail: Tail, settings: Settings) -> None:
        access, troubles = service.access, service.troubles
        self.hub = Hub(tail, access, service.store.reference, troubles, service.share)
        stream = Stream(self.hub, access, service.clock, service.figures)
        self._service = msgspec.structs.replace(
            service, stream=stream, open_streams=self.hub.streams_by_key
        )
        self._settings = settings
        self._proxies = Proxies(settings.public.behind_proxy)
        self._connections = Connections(settings.connections, self._proxies)
        self._app: App | None = None
        self._certificate: Certificate | None = None
        self._listeners: list[socket.socket] = []
        self._http: list[HttpServer] = []
        self._jobs = Jobs()
        self.local_url = ""
        """The address for programs on this machine."""
        self.link_url = settings.public.base_url
        """The address for links that others open; empty if it is not known."""

    def listen(self, *, shared: bool = False) -> str:
        """Bind the address and return its URL; nothing is answered before ``start_answering``.

        Raises:
            ListenError: the address or the certificate cannot be used.
        """
        settings = self._settings
        if settings.public.tls is not None:
            self._certificate = Certificate(settings.public.tls, self._service.clock)
        self._listeners.append(bind(settings.host, settings.port, shared=shared))
        url = self.local_url = url_of(self._listeners[0], settings.scheme)
        if self._certificate is not None:
            self._listeners.append(bind(DEFAULT_HOST, 0))
            self.local_url = url_of(self._listeners[1])
        if not settings.is_public:
            self.link_url = url
        return url

    async def start_answering(self) -> None:
        """Answer.

        Raises:
            ListenError: the HTTP server ended while it started.
        """
        assert self._listeners
        self._app = create_app(self._service)
        certificate = self._certificate
        certificates = [certificate, None]
        counted = [self._connections, None]  # others leave programs of this machine their own
        app = self._for_others(self._app, self._app.door)
        logs = self._settings.access_log
        refusals = Refusals(self._app.limits, self._service.figures, logs=logs)
        for listener, tls, connections in zip(self._listeners, certificates, counted, strict=False):
            http = HttpServer(app, listener, refusals, tls, connections, self._app.door.sender_of)
            self._http.append(http)
            await http.start_http()
        if certificate is not None:
            self._jobs.start_job("certificate", certificate.follow_files)
        self._jobs.start_job("hub", self.hub.tail_log)
        self._jobs.start_job("save counts", self._save_counts)

    def _for_others(self, app: ASGIApp, door: Door) -> ASGIApp:
        """Return the application with the layers from the settings in front."""
        if self._settings.access_log:
            quiet = {*PROBES, METRICS_PATH} if self._settings.quiet_probes else ()
            app = AccessLog(app, quiet)
        if self._settings.public.behind_proxy:
            app = ConnectionsByProxy(app, self._connections, door.caller_of)
            app = BehindProxy(app, self._proxies)
        return RequestIds(app)

    async def stop_answering(self) -> None:
        """Close the streams first (1001), then answer pending requests, and end."""
        self.hub.close_streams()
        await asyncio.gather(*(each.stop_http() for each in self._http))
        for listener in self._listeners:
            listener.close()
        await self._jobs.stop_jobs()
        if self._app is not None:
            self._app.end_threads()

    def threads(self) -> tuple[ReaderPool, ...]:
        """Return the threads that requests need; none before the start."""
        return () if self._app is None else self._app.threads()

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with its jobs."""
        if self._certificate is not None:
            yield from map(Trouble, self._certificate.troubles())
        yield from self._connections.troubles()
        http = (fault for each in self._http for fault in each.faults)
        yield from job_troubles((*http, *self._jobs.faults), _WORDS)

    async def samples(self) -> list[Sample]:
        """Return what was counted."""
        own = [*self._service.figures.request_samples(), *self._connections.connection_samples()]
        if self._certificate is not None and self._certificate.ends_at is not None:
            ends_s = self._certificate.ends_at / 1000
            own.append(Sample("oddsdesk_certificate_expiry_timestamp_seconds", ends_s))
        return [*own, *await self.hub.stream_samples()]

    async def _save_counts(self) -> None:
        """Add counts to the file now and then; they stay in memory if that fails."""
        patience = RetryWhileUnavailable("saving request counts", self._service.troubles)
        while True:
            await asyncio.sleep(until_beat(SAVE_COUNTS_S))
            await patience.do(self._flush_counts, 0)

    async def _flush_counts(self) -> None:
        if (saving := self._service.access.save_counts()) is not None:
            await asyncio.wrap_future(saving)
