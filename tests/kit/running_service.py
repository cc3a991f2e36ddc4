"""A real server on a real socket over a real store, at a time that the test sets."""

import asyncio
import itertools
import threading
from collections.abc import Callable, Collection, Coroutine
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx
from starlette.types import ASGIApp

from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote, check_quote
from oddsdesk.server.app import create_app
from oddsdesk.server.edge.listener import HttpServer, bind, url_of
from oddsdesk.server.edge.protocol import Refusals
from oddsdesk.server.gate import LoopAccess, Service
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import Database
from oddsdesk.store.store import open_store

T = TypeVar("T")

NOW = int(datetime(2026, 11, 20, 18, 0, tzinfo=UTC).timestamp()) * 1000
REFERENCE = "Pinnacle"
HOUR_MS = 3_600_000
LIMIT_S = 30


class RunningService:
    """The service in a thread of its own; ``now`` is its clock, in milliseconds."""

    def __init__(
        self,
        database: Database,
        reference: str = REFERENCE,
        share: Collection[str] | None = None,
        **served: Any,
    ) -> None:
        """Start it; ``served`` are further fields of its ``Service``."""
        self._served = served
        self.database = database
        self.now = NOW
        self._numbers = itertools.count(1)
        self.store = open_store(database, reference, clock=self._clock, share=share)
        self.access = open_access(database)
        self._loop_access = LoopAccess(self.access, self._clock)
        self._started: Future[str] = Future()
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="service under test")
        self._thread.start()
        self.url = self._started.result(timeout=LIMIT_S)
        self.http = httpx.Client(base_url=self.url, timeout=LIMIT_S)

    @property
    def path(self) -> Path:
        """The file, where the database is one."""
        assert isinstance(self.database, Path)
        return self.database

    def key(
        self, plan: Plan = Plan.PRO_LIVE, bookmaker: str | None = None, account: str | None = None
    ) -> str:
        """Return a new key, of an account of its own unless one is named."""
        name = account or f"account {next(self._numbers)}"
        return self.access.keys.create(name, plan, bookmaker, self.now).secret

    def record(self, *quotes: Quote) -> None:
        """Record quotes as a feed would."""
        checked = [check_quote(quote, self.now) for quote in quotes]
        self.store.record(checked).result(timeout=LIMIT_S)

    def quote(self, **changed: Any) -> Quote:
        """Record and return a football moneyline of now with some fields changed."""
        fields: dict[str, Any] = {
            "bookmaker": "Betfair",
            "match_name": "Arsenal - Chelsea",
            "competition": "EPL",
            "market_type": "moneyline",
            "period": 0,
            "odds": {"Arsenal": 2.1, "Draw": 3.4, "Chelsea": 3.6},
            "scraped_at": self.now,
            "match_date": NOW + HOUR_MS,
        }
        made = Quote(**{**fields, **changed})
        self.record(made)
        return made

    def on_loop(self, ask: Callable[[LoopAccess], Coroutine[Any, Any, T]]) -> T:
        """Ask for keys and counts on the loop of the service, as it does itself."""
        asked = asyncio.run_coroutine_threadsafe(ask(self._loop_access), self._loop)
        return asked.result(timeout=LIMIT_S)

    def get(self, path: str, key: str, **parameters: Any) -> httpx.Response:
        """Ask for a path with a key."""
        return self.http.get(path, params=parameters, headers={"X-Api-Key": key})

    def data(self, path: str, key: str, **parameters: Any) -> Any:
        """Return the data of an answer that is a success."""
        answer = self.get(path, key, **parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def close(self) -> None:
        """Stop everything; may be called twice."""
        self.http.close()
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(timeout=LIMIT_S)
            self.store.close()
            self.access.close()

    def _clock(self) -> int:
        return self.now

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    def _front(self, app: ASGIApp) -> ASGIApp:
        """Return what stands between the socket and the application."""
        return app

    async def _serve(self) -> None:
        listener = bind("127.0.0.1", 0)
        app = create_app(
            Service(self.store, self._loop_access, self._clock, _no_stream, **self._served)
        )
        server = HttpServer(self._front(app), listener, Refusals(app.limits))
        await server.start_http()
        self._started.set_result(url_of(listener))
        await self._stopping.wait()
        await server.stop_http()
        app.end_threads()


async def _no_stream(_scope: Any, _receive: Any, _send: Any) -> None:
    raise AssertionError("the stream is tested with the whole server")
