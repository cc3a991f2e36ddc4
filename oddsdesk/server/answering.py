"""The side of a server that answers: the service on a socket, its streams and its counts."""

import asyncio
import socket
from collections.abc import Iterator
from typing import Final

import msgspec

from oddsdesk.server.app import App, create_app
from oddsdesk.server.figures import Sample
from oddsdesk.server.hub import Hub
from oddsdesk.server.listener import HttpServer, bind, url_of
from oddsdesk.server.reader_pool import ReaderPool
from oddsdesk.server.retry import RetryWhileUnavailable
from oddsdesk.server.service import Service
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
}
"""Jobs as the health endpoint calls them."""


class Answering:
    """Answers requests and streams on one socket, by what ``service`` holds and ``tail`` tells."""

    def __init__(self, service: Service, tail: Tail) -> None:
        access, troubles = service.access, service.troubles
        self.hub = Hub(tail, access, service.store.reference, troubles)
        stream = Stream(self.hub, access, service.clock, service.figures)
        self._service = msgspec.structs.replace(service, stream=stream)
        self._app: App | None = None
        self._http: HttpServer | None = None
        self._listener: socket.socket | None = None
        self._jobs = Jobs()

    def listen(self, host: str, port: int, *, shared: bool = False) -> str:
        """Take the address and return it as an URL; nothing is answered before ``start``.

        Raises:
            ListenError: it cannot be listened on.
        """
        self._listener = bind(host, port, shared=shared)
        return url_of(self._listener)

    async def start(self) -> None:
        """Answer.

        Raises:
            ListenError: the HTTP server ended while it started.
        """
        assert self._listener is not None
        self._app = create_app(self._service)
        self._http = HttpServer(self._app, self._listener, self._app.limits)
        await self._http.start()
        self._jobs.start("hub", self.hub.run)
        self._jobs.start("save counts", self._save_counts)
        if self._service.store.path is None:
            self._jobs.start("database", self._watch_database)

    async def stop(self) -> None:
        """Close the streams first (1001), then answer what was asked, and end."""
        self.hub.close()
        if self._http is not None:
            await self._http.stop()
        elif self._listener is not None:
            self._listener.close()
        await self._jobs.stop()
        if self._app is not None:
            self._app.close()

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with its jobs, and with a database that is away."""
        if (refusal := self._service.access.circuit.refusal) is not None:
            yield refused(NOTHING_READ, refusal)
        http = () if self._http is None else self._http.faults
        yield from job_troubles((*http, *self._jobs.faults), _WORDS)

    async def samples(self) -> list[Sample]:
        """Return what it has counted."""
        return [*self._service.figures.samples(), *await self.hub.samples()]

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
