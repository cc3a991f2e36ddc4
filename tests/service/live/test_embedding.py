"""The server in a thread, as the desk runs it (design.md, Threads and loops)."""

import asyncio
import logging
import os
import socket
import sys
import threading
import time
from pathlib import Path

import httpx
import msgspec
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from oddsdesk.contract.access import Plan
from oddsdesk.feeds.errors import FeedError
from oddsdesk.server.edge.listener import ListenError
from oddsdesk.server.run.embedded import EmbeddedServer
from oddsdesk.server.settings import Settings
from oddsdesk.store.errors import StoreError
from oddsdesk.store.owner_secret import owner_header
from tests.kit.promises import in_time


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "odds.db", port=0)


@pytest.fixture
def embedded(settings):
    server = EmbeddedServer(settings)
    server.start_server()
    yield server
    assert server.stop_server()


def _get(url: str, key: str) -> httpx.Response:
    return httpx.get(f"{url}/api/sports", headers={"X-Api-Key": key})


def test_answers_its_key_once_started(embedded):
    assert embedded.url.startswith("http://127.0.0.1:")
    assert _get(embedded.url, embedded.key).status_code == 200


def test_nothing_that_the_desk_asks_its_own_server_is_counted(embedded):
    """D68; a guest's key is counted, as any other of the plan is."""
    for _ in range(3):
        answer = _get(embedded.url, embedded.key)
    assert answer.headers["x-ratelimit-remaining"] == "5500"
    made = embedded.create_key("somebody", Plan.PRO_LIVE, None)
    other = embedded.calls.run_on_loop(made).result(10)
    assert _get(embedded.url, other).headers["x-ratelimit-remaining"] == "5499"


@pytest.mark.parametrize(
    "headers", [{}, {"Origin": "http://127.0.0.1"}, {"Host": "localhost"}], ids=str
)
def test_a_desk_takes_quotes_of_its_owner_only(embedded, settings, headers):
    """Other users of the machine cannot, nor pages in a browser, even with the secret."""
    url, owner = f"{embedded.url}/ingest", owner_header(settings.database)
    assert httpx.post(url, content=b"", headers=headers).status_code == 401
    with_secret = httpx.post(url, content=b"", headers=headers | owner)
    assert with_secret.status_code == (401 if "Origin" in headers else 200)
    rebound = httpx.post(url, content=b"", headers=owner | {"Host": "evil.example"})
    assert rebound.status_code == 400


def test_each_start_has_a_key_of_its_own_and_ends_the_last(settings):
    """D25: five keys at most; nothing secret on the disk."""
    old = ""
    for _ in range(7):
        server = EmbeddedServer(settings)
        url = server.start_server()
        assert _get(url, server.key).status_code == 200
        assert _get(url, old or "x").status_code == 401
        old = server.key
        assert server.stop_server()
    files = settings.database.parent.iterdir()
    assert all(old.encode() not in each.read_bytes() for each in files)


def test_stops_in_two_seconds_with_streams_and_connections_open(embedded, caplog):
    """The streams end first, with 1001; one that does not read does not hold it up."""

    async def stream() -> tuple[int | None, float]:
        async with httpx.AsyncClient(base_url=embedded.url) as http:
            headers = {"X-Api-Key": embedded.key}

            async def address() -> str:
                token = (await http.post("/api/stream/token", headers=headers)).json()["token"]
                return f"{embedded.url.replace('http', 'ws')}/api/stream?token={token}"

            stuck = await connect(await address())
            stuck.transport.pause_reading()
            half = socket.create_connection(("127.0.0.1", int(embedded.url.rpartition(":")[2])))
            half.sendall(b"GET / HTTP/1.1\r\n")
            async with connect(await address()) as client:
                began = time.monotonic()
                stopping = asyncio.to_thread(embedded.stop_server)
                stopped, closed = await asyncio.gather(stopping, _until_closed(client))
                took = time.monotonic() - began
            half.close()
            stuck.transport.abort()
            assert stopped
            return closed, took

    code, took = asyncio.run(stream())
    assert code == 1001
    assert took < in_time(2)
    assert not [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    assert not embedded.is_running
    assert not [each for each in threading.enumerate() if each.name.startswith("oddsdesk read")]


async def _until_closed(client) -> int | None:
    try:
        while True:
            await client.recv()
    except ConnectionClosed as closed:
        return None if closed.rcvd is None else closed.rcvd.code


def test_stop_may_come_twice_or_before_the_start(settings):
    server = EmbeddedServer(settings)
    assert server.stop_server()
    server = EmbeddedServer(settings)
    server.start_server()
    assert server.stop_server()
    assert server.stop_server()


def test_trouble_of_the_thread_is_raised_where_it_was_started(settings, tmp_path):
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        pytest.raises(ListenError, match="in use"),
    ):
        EmbeddedServer(
            msgspec.structs.replace(settings, port=taken.getsockname()[1])
        ).start_server()
    with pytest.raises(FeedError, match="teletext"):
        EmbeddedServer(msgspec.structs.replace(settings, feeds=("teletext",))).start_server()
    (tmp_path / "text.db").write_text("this is no database " * 100)
    with pytest.raises(StoreError, match=r"text\.db"):
        EmbeddedServer(
            msgspec.structs.replace(settings, database=tmp_path / "text.db")
        ).start_server()


def test_nothing_is_left_behind_by_a_start_that_fails(settings):
    before = set(threading.enumerate())
    with pytest.raises(FeedError):
        EmbeddedServer(msgspec.structs.replace(settings, feeds=("teletext",))).start_server()
    assert set(threading.enumerate()) <= before


def test_starts_quickly_on_a_known_database(settings):
    EmbeddedServer(settings).stop_server()
    server = EmbeddedServer(settings)
    server.start_server()
    server.stop_server()
    server = EmbeddedServer(settings)
    began = time.monotonic()
    server.start_server()
    took = time.monotonic() - began
    server.stop_server()
    assert took < in_time(1)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no FIFO")
def test_one_that_waits_for_a_feed_is_stopped_all_the_same(settings, tmp_path):
    os.mkfifo(tmp_path / "feed")
    waiting = msgspec.structs.replace(settings, feeds=(f"replay:{tmp_path / 'feed'}",))
    server = EmbeddedServer(waiting)
    failures: list[BaseException] = []

    def start() -> None:
        try:
            server.start_server()
        except TimeoutError as error:
            failures.append(error)

    starting = threading.Thread(target=start)
    starting.start()
    with (tmp_path / "feed").open("wb"):  # opens once it is read
        assert server.stop_server()
        starting.join()
    assert ["stopped before it was ready" in str(error) for error in failures] == [True]
