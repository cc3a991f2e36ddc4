"""`serve --workers`: several processes on one port and one database, and any of them killed."""

import contextlib
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import ClientConnection

from oddsdesk.contract.access import Plan
from oddsdesk.store.lock import lock_path
from oddsdesk.store.store import open_store
from tests.kit import prometheus
from tests.kit.ndjson import quote
from tests.kit.program import Launch, as_owner
from tests.kit.promises import in_time
from tests.kit.workers import Heard, Workers, is_running, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

PROMISED_S = 3.0
TOLD_S = 1.0
BATCH = 10
ODDS = {"Over 2.5": 1.9, "Under 2.5": 2.0}

Start = Callable[..., Workers]


@pytest.fixture
def serve_with(launch: Launch, tmp_path: Path) -> Iterator[Start]:
    """Starts the program with so many workers."""
    with contextlib.ExitStack() as started:

        def start(count: int, *options: str) -> Workers:
            workers = Workers(launch, tmp_path / "odds.db", count, *options)
            return started.enter_context(contextlib.closing(workers))

        yield start


class Load:
    """Posts batches of quotes, each of a game of its own, and again where no answer came."""

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self._url, self._headers = url, headers
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.acknowledged: list[str] = []

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def go_on(self) -> None:
        """Wait until some more were acknowledged."""
        enough = len(self.acknowledged) + 10 * BATCH
        until(lambda: len(self.acknowledged) >= enough)

    def _run(self) -> None:
        batch = 0
        with contextlib.ExitStack() as stack:
            client = stack.enter_context(
                httpx.Client(base_url=self._url, timeout=20, headers=self._headers)
            )
            while not self._ending.is_set():
                games = [f"Home {batch * BATCH + each} - Away" for each in range(BATCH)]
                lines = "".join(quote(ODDS, market_type="total", match_name=game) for game in games)
                try:
                    answer = client.post("/ingest", content=lines)
                except httpx.TransportError:
                    client = stack.enter_context(
                        httpx.Client(base_url=self._url, timeout=20, headers=self._headers)
                    )
                    continue
                assert answer.json()["rejected"] == [], answer.text
                self.acknowledged += games
                batch += 1


@contextlib.contextmanager
def heard(*streams: ClientConnection) -> Iterator[list[Heard]]:
    """What comes on streams, to their end."""
    listening = [Heard(stream) for stream in streams]
    threads = [threading.Thread(target=each.run) for each in listening]
    for thread in threads:
        thread.start()
    yield listening
    for stream, thread in zip(streams, threads, strict=True):
        stream.close()
        thread.join()


def log_of(database: Path) -> list[tuple[str, str]]:
    with contextlib.closing(open_store(database, read_only=True)) as store:
        changes = store.reader().changes_after(0, 1_000_000)
    return [(each.match_name, each.selection) for each in changes]


@pytest.mark.parametrize("whose", ["owner", "reader"])
def test_a_worker_that_is_killed_in_mid_load_costs_nothing(
    serve_with: Start, tmp_path: Path, whose: str
) -> None:
    """Nothing acknowledged is lost, and other workers' streams have no gap and no repeat."""
    workers = serve_with(3)
    key = workers.key()
    killed = workers.owner() if whose == "owner" else workers.reader()
    assert killed is not None
    pids = workers.processes()
    streams = [workers.stream_of(each, key) for each in pids]
    with heard(*streams) as listening:
        with Load(workers.url, as_owner(workers.database)) as load:
            load.go_on()
            workers.kill(killed)
            began = time.monotonic()
            until(lambda: workers.owner() not in (None, killed) and len(workers.processes()) == 3)
            assert time.monotonic() - began < in_time(TOLD_S)
            load.go_on()
            until(lambda: "worker" in " ".join(workers.health()["reasons"]), in_time(TOLD_S))
        log = log_of(tmp_path / "odds.db")
        others = [each for pid, each in zip(pids, listening, strict=True) if pid != killed]
        until(lambda: all(len(each.messages) >= len(log) for each in others))
    assert set(load.acknowledged) <= {name for name, _ in log}
    assert len(log) == len(set(log))
    for pid, each in zip(pids, listening, strict=True):
        if pid == killed:
            assert each.messages == log[: len(each.messages)]
        else:
            assert each.messages == log
    status, out, err = workers.program.finish()
    assert (status, out) == (0, "")
    assert f"(process {killed}) was ended by signal 9; restarting it" in err
    assert "Traceback" not in err


def test_feeds_run_in_one_worker_and_go_on_in_another(serve_with: Start, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    feed = tmp_path / "feed.sh"
    feed.write_text(f"echo run >> {runs}\nexec sleep 600\n")
    workers = serve_with(3, "--feed", f"exec:sh {feed}")
    until(runs.exists)
    key = workers.key()
    first = workers.owner()
    assert first is not None
    workers.kill(first)
    until(lambda: runs.read_text() == "run\nrun\n", in_time(TOLD_S))
    sharp = {"Home": 2.1, "Draw": 3.5, "Away": 3.6}
    game = {"match_name": "Home - Away"}
    lines = quote(sharp, bookmaker="Pinnacle", **game) + quote({**sharp, "Home": 2.3}, **game)
    httpx.post(f"{workers.url}/ingest", content=lines, headers=as_owner(workers.database))
    asked = {"X-Api-Key": key}
    until(lambda: httpx.get(f"{workers.url}/api/value-bets", headers=asked).json()["data"])
    for pid in workers.processes():
        with contextlib.closing(workers.client_of(pid)) as client:
            reports = client.get("/administration/feeds", headers=as_owner(workers.database))
            assert [each["state"] for each in reports.json()] == ["waiting"], "it says nothing"
    assert runs.read_text() == "run\nrun\n"


def test_who_cannot_take_over_says_so_and_tries_again(serve_with: Start, tmp_path: Path) -> None:
    file = tmp_path / "quotes.ndjson"
    file.write_text(quote(ODDS, market_type="total", match_name="Home - Away"))
    workers = serve_with(2, "--feed", f"replay:{file}")
    aside = file.rename(tmp_path / "aside.ndjson")
    owner = workers.owner()
    assert owner is not None
    workers.kill(owner)
    told = ("taking over as leader failed", "nobody runs valuation, upkeep, feeds")
    until(lambda: all(each in " ".join(workers.health()["reasons"]) for each in told))
    aside.rename(file)
    until(lambda: workers.owner() not in (None, owner))
    until(lambda: "nobody runs" not in " ".join(workers.health()["reasons"]))
    assert workers.program.finish()[:2] == (0, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_all_workers_in_time(serve_with: Start, number: signal.Signals) -> None:
    workers = serve_with(3)  # a client that has much unread is cut off, as by one process
    key = workers.key()
    pids = workers.processes()
    with heard(*(workers.stream_of(each, key) for each in pids)) as listening:
        began = time.monotonic()
        status, out, err = workers.program.finish(number)
        seconds = time.monotonic() - began
        until(lambda: all(each.has_ended for each in listening))
    assert (status, out, err) == (0, "", "")
    assert seconds < in_time(PROMISED_S)
    assert [each.close_code for each in listening] == [1001] * 3
    assert not [each for each in pids if is_running(each)]
    assert not lock_path(workers.database).exists()


def test_no_worker_outlives_the_program(serve_with: Start) -> None:
    workers = serve_with(2, "--feed", "simulator")
    pids = workers.processes()
    workers.program.process.kill()
    until(lambda: not any(is_running(each) for each in pids), in_time(PROMISED_S))
    with socket.create_server(("127.0.0.1", workers.port)):
        pass
    assert not lock_path(workers.database).exists()


def test_a_key_s_quota_is_one_over_all_workers(serve_with: Start) -> None:
    allowed = Plan.FREE.rights.requests
    workers = serve_with(3)
    key = workers.key("Free", "--bookmaker", "Harbour")
    clients = [workers.client_of(each, headers={"X-Api-Key": key}) for each in workers.processes()]
    statuses = [client.get("/api/sports").status_code for _ in range(70) for client in clients]
    for client in clients:
        client.close()
    assert statuses == [200] * allowed + [429] * (len(statuses) - allowed)


def test_any_worker_tells_the_figures_of_all(serve_with: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    workers = serve_with(3, "--metrics-port", str(port))
    key = workers.key()
    clients = [workers.client_of(each, headers={"X-Api-Key": key}) for each in workers.processes()]
    with heard(*(workers.stream_of(each, key) for each in workers.processes())) as listening:
        for client in clients:
            for _ in range(5):
                assert client.get("/api/odds").status_code == 200
            client.close()

        def figures() -> dict[str, prometheus.Metric]:
            return prometheus.parse(httpx.get(f"http://127.0.0.1:{port}/metrics").text)

        # a stream that another worker got is closed, and would be told a price until it is gone
        until(lambda: prometheus.value(figures(), "oddsdesk_stream_subscribers") == 3)
        lines = quote(ODDS, market_type="total", match_name="Home - Away")
        assert (
            httpx.post(
                f"{workers.url}/ingest", content=lines, headers=as_owner(workers.database)
            ).json()["accepted"]
            == 1
        )
        until(lambda: all(len(each.messages) == 2 for each in listening))

        def told() -> bool:
            found = figures()
            return all(
                prometheus.value(found, name, **labels) == expected
                for name, labels, expected in (
                    ("oddsdesk_requests_total", {"endpoint": "/api/odds", "status": "200"}, 15),
                    ("oddsdesk_requests_total", {"endpoint": "/api/odds", "worker": "2"}, 5),
                    ("oddsdesk_stream_subscribers", {}, 3),
                    ("oddsdesk_stream_subscribers", {"worker": "3"}, 1),
                    ("oddsdesk_stream_messages_total", {}, 6),
                    ("oddsdesk_quotes_recorded_total", {}, 1),
                    ("oddsdesk_price_changes", {}, 2),
                    ("oddsdesk_owner", {}, 1),
                )
            )

        for _ in range(5):  # whichever answers
            until(told)


def test_a_port_of_others_is_one_line(serve_with: Start, launch: Launch, tmp_path: Path) -> None:
    """Also where they share theirs."""
    port = str(serve_with(2).port)
    for count in ("1", "2"):
        named = ("--database", str(tmp_path / "b.db"), "--port", port, "--workers", count)
        second = launch("serve", *named)
        out, err = second.process.communicate(timeout=30)
        assert (second.process.returncode, out) == (1, "")
        assert len(err.splitlines()) == 1
        assert f"{port}: the port is in use" in err


def test_a_database_that_cannot_be_used_is_one_line(launch: Launch, tmp_path: Path) -> None:
    file = tmp_path / "letter.db"
    file.write_text("Dear bookmaker, " * 100)
    program = launch("serve", "--port", "0", "--workers", "3", "--database", str(file))
    out, err = program.process.communicate(timeout=30)
    assert (program.process.returncode, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert str(file) in err
