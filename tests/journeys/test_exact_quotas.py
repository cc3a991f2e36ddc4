"""Quotas over several processes: exactly what a plan allows, and one stream a token."""

import contextlib
import ssl
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.access import Plan
from oddsdesk.server.stream.endpoint import issue_token
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.keys import KNOWN_S
from tests.kit.cluster import Node, running
from tests.kit.deployed import Backend, Certificate, Proxy
from tests.kit.postgres import Postgres
from tests.kit.program import Launch
from tests.kit.workers import Workers, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="several processes on one port"),
]

AT_ONCE = 20
"""Connections, spread over all processes."""
LIMIT_S = 60
OPENED, ABORTED = 0, -1


class Served:
    """Several processes on one database; many connections ask at the same moment."""

    def __init__(self, access: AccessStore, *urls: str, trusted: ssl.SSLContext | None = None):
        self.access = access
        self._urls = urls
        self._trusted = trusted

    def key(self, plan: Plan) -> str:
        bookmaker = None if plan.rights.all_bookmakers else "Harbour"
        made = self.access.keys.create(f"of {plan.value}", plan, bookmaker, system_clock())
        asked = {"X-Api-Key": made.secret}
        until(lambda: all(self._status(url, asked) != 401 for url in self._urls), KNOWN_S + LIMIT_S)
        return made.secret

    def ask(self, times: int, method: str, path: str, key: str) -> Counter[int]:
        """Return how often each status was answered."""

        def of_one(place: int, start: threading.Barrier) -> Counter[int]:
            with self._client(self._url(place)) as client:
                client.get("/api/health")
                start.wait(LIMIT_S)
                asked = (
                    client.request(method, path, headers={"X-Api-Key": key})
                    for _ in range(times // AT_ONCE)
                )
                return Counter(answer.status_code for answer in asked)

        return self._at_once(of_one)

    def open(self, tokens: list[str]) -> Counter[int]:
        """Return how many streams opened (``OPENED``), and how often each close code came."""

        def of_one(place: int, start: threading.Barrier) -> Counter[int]:
            start.wait(LIMIT_S)
            own = tokens[place::AT_ONCE]
            return Counter(self._stream(self._url(place), token) for token in own)

        return self._at_once(of_one)

    def token(self, key: str) -> str:
        with self._client(self._urls[0]) as client:
            answer = client.post("/api/stream/token", headers={"X-Api-Key": key})
        token: str = answer.json()["token"]
        return token

    def signed_tokens(self, key: str, count: int) -> list[str]:
        """Return more tokens than a day allows, as at the change of two days."""
        caller = self.access.keys.caller(key)
        assert caller is not None
        return [issue_token(self.access.secret, caller, system_clock()) for _ in range(count)]

    def _stream(self, url: str, token: str) -> int:
        options: dict[str, Any] = {} if self._trusted is None else {"ssl": self._trusted}
        address = f"{url.replace('http', 'ws', 1)}/api/stream?token={token}"
        try:
            with connect(address, open_timeout=LIMIT_S, **options) as stream:
                stream.send("ping")
                assert stream.recv(timeout=LIMIT_S) == "pong"
                return OPENED
        except InvalidStatus as refused:
            if refused.response.status_code != 408:  # the proxy waited 15 s for the request
                raise
            return self._stream(url, token)
        except ConnectionClosed as closed:
            return ABORTED if closed.rcvd is None else closed.rcvd.code

    def _at_once(self, of_one: Callable[[int, threading.Barrier], Counter[int]]) -> Counter[int]:
        start = threading.Barrier(AT_ONCE)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return sum(pool.map(of_one, range(AT_ONCE), [start] * AT_ONCE), Counter())

    def _url(self, place: int) -> str:
        return self._urls[place % len(self._urls)]

    def _client(self, url: str) -> httpx.Client:
        verify = True if self._trusted is None else self._trusted
        return httpx.Client(base_url=url, verify=verify, timeout=LIMIT_S)

    def _status(self, url: str, asked: dict[str, str]) -> int:
        with self._client(url) as client:
            return client.put("/api/stream/token", headers=asked).status_code  # is not counted


@contextlib.contextmanager
def workers(request: pytest.FixtureRequest, folder: Path) -> Iterator[Served]:
    """Four workers on a file."""
    launch: Launch = request.getfixturevalue("launch")
    database = folder / "odds.db"
    with contextlib.closing(Workers(launch, database, 4)) as started:
        with contextlib.closing(open_access(database)) as access:
            yield Served(access, started.url)
        assert started.program.finish()[0] == 0


@contextlib.contextmanager
def gateways(request: pytest.FixtureRequest, folder: Path) -> Iterator[Served]:
    """Two gateways on PostgreSQL."""
    postgres: Postgres = request.getfixturevalue("postgres")
    url = postgres.url_with_tables()
    both = [Node(url, folder, "api,stream") for _ in range(2)]
    with running(*both), contextlib.closing(open_access(DatabaseUrl(url))) as access:
        yield Served(access, *(each.url for each in both))


@contextlib.contextmanager
def proxied(request: pytest.FixtureRequest, folder: Path) -> Iterator[Served]:
    """Two processes on a file, behind HAProxy with the shipped configuration."""
    both = (
        Backend(folder, "--behind-proxy"),
        Backend(folder, "--roles", "api,stream", "--behind-proxy"),
    )
    with contextlib.ExitStack() as opened:
        for each in both:
            opened.callback(each.kill)
            each.start()
        certificate = Certificate(folder)
        proxy = Proxy("haproxy", folder, (both[0].port, both[1].port), certificate)
        opened.callback(proxy.close)
        proxy.wait()
        access = opened.enter_context(contextlib.closing(open_access(both[0].database)))
        yield Served(access, proxy.url, trusted=certificate.trusted)


@pytest.fixture(params=[workers, gateways, proxied], ids=["workers", "gateways", "haproxy"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    with request.param(request, tmp_path) as started:
        yield started


def test_free_gets_exactly_what_it_includes_and_a_token_opens_one_stream(served: Served) -> None:
    free = served.key(Plan.FREE)
    assert served.ask(400, "GET", "/api/sports", free) == {200: 200, 429: 200}
    assert served.ask(60, "POST", "/api/stream/token", free) == {200: 30, 429: 30}
    assert served.open(served.signed_tokens(free, 60)) == {OPENED: 30, 4029: 30}
    paid = served.key(Plan.PRO_RT)
    assert served.open([served.token(paid)] * 20) == {OPENED: 1, 4001: 19}


def test_what_a_killed_process_granted_is_counted(launch: Launch, tmp_path: Path) -> None:
    """`kill -9` between the answer and the next save grants nothing twice."""
    database = tmp_path / "odds.db"
    with contextlib.ExitStack() as opened:
        started = opened.enter_context(contextlib.closing(Workers(launch, database, 1)))
        access = opened.enter_context(contextlib.closing(open_access(database)))
        served = Served(access, started.url)
        free, paid = served.key(Plan.FREE), served.key(Plan.PRO_RT)
        assert served.ask(120, "GET", "/api/sports", free) == {200: 120}
        used, unused = served.token(paid), served.token(paid)
        assert served.open([used]) == {OPENED: 1}
        started.program.kill()
        again = opened.enter_context(contextlib.closing(Workers(launch, database, 2)))
        served = Served(access, again.url)
        assert served.ask(120, "GET", "/api/sports", free) == {200: 80, 429: 40}
        assert served.open([used, unused, unused]) == {OPENED: 1, 4001: 2}
