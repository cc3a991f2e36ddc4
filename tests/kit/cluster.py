"""Processes of `oddsdesk serve` on one database of PostgreSQL, with a load and who listens."""

import contextlib
import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.store import open_store
from tests.kit.deployed import free_port, own_environment, program
from tests.kit.ndjson import quote
from tests.kit.program import Program
from tests.kit.workers import until

LIMIT_S = 30
BATCH = 5
ODDS = {"Over 2.5": 1.9, "Under 2.5": 2.0}
Said = tuple[str, str]
"""Match name and selection: a load tells each of these once."""


class Node:
    """A process with some roles; it comes back at the address where it was."""

    def __init__(self, database: str, home: Path, roles: str, *options: str) -> None:
        self.port = free_port()
        self._listens = "api" in roles or "stream" in roles
        self._home = home
        named = ["serve", "--database", database, "--roles", roles, "--port", str(self.port)]
        self._command = [*named, *options]
        self._program: Program | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._program is not None
        return self._program.process.pid

    def begin(self) -> None:
        """Run it, unless it runs; ``is_up`` says that it answers."""
        if self._program is None:
            self._program = Program(self._command, own_environment(self._home))

    def wait(self) -> None:
        """Wait for what it prints once it does what it is for."""
        assert self._program is not None
        said = self._program.first_line()
        expected = f"listening on {self.url}" if self._listens else "running "
        assert said.startswith(expected), (said, self._program.finish())

    def start(self) -> None:
        self.begin()
        self.wait()

    def kill(self) -> None:
        """End it at once."""
        if self._program is not None:
            self._program.kill()
            self._program = None

    def health(self) -> dict[str, Any]:
        answer: dict[str, Any] = httpx.get(f"{self.url}/api/health", timeout=LIMIT_S).json()
        return answer


@contextlib.contextmanager
def running(*nodes: Node) -> Iterator[None]:
    """Start processes, at the same time; none is left."""
    try:
        for each in nodes:
            each.begin()
        for each in nodes:
            each.wait()
        yield
    finally:
        for each in nodes:
            each.kill()


def make_key(database: str, *, may_write: bool = False) -> str:
    """A key that all processes know."""
    account = f"cluster {time.monotonic_ns()}" if may_write else "cluster"
    with contextlib.closing(open_access(DatabaseUrl(database))) as access:
        made = access.keys.create(account, Plan.PRO_LIVE, None, system_clock(), may_write=may_write)
        return made.secret


def log_of(database: str) -> list[Said]:
    """All that was recorded, in its order, where the log has one shard."""
    with contextlib.closing(open_store(DatabaseUrl(database), read_only=True)) as store:
        changes = store.reader().changes_after(0, 10_000_000)
    return [(each.match_name, each.selection) for each in changes]


class Load:
    """Posts batches, each of games of its own, and posts again where no answer came."""

    def __init__(
        self, database: str, *urls: str, pause_s: float = 0.005, first_batch: int = 0
    ) -> None:
        self._headers = {"X-Api-Key": make_key(database, may_write=True)}
        self._urls: Sequence[str] = urls
        self._pause_s = pause_s
        self._first = first_batch
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.acknowledged: list[str] = []
        self.times: list[float] = []
        """When each batch was acknowledged."""

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def go_on(self, batches: int = 10) -> None:
        """Wait until so many more were acknowledged."""
        enough = len(self.times) + batches
        until(lambda: len(self.times) >= enough, LIMIT_S)

    def pause_after(self, moment: float) -> float:
        """How long nothing was acknowledged, at most, since a moment."""
        return _longest_pause(self.times, moment)

    def _run(self) -> None:
        batch = self._first
        with httpx.Client(timeout=LIMIT_S, headers=self._headers) as client:
            while not self._ending.wait(self._pause_s):
                games = [f"Home {batch * BATCH + each} - Away" for each in range(BATCH)]
                if self._post(client, games):
                    self.times.append(time.monotonic())
                    self.acknowledged += games
                    batch += 1

    def _post(self, client: httpx.Client, games: Iterable[str]) -> bool:
        lines = "".join(quote(ODDS, market_type="total", match_name=game) for game in games)
        for url in self._urls:
            with contextlib.suppress(httpx.TransportError):
                answer = client.post(f"{url}/ingest", content=lines)
                if answer.status_code == 200:
                    assert answer.json()["rejected"] == [], answer.text
                    return True
                assert answer.status_code in (502, 503), answer.text
        return False


class Listener:
    """A stream from when it was opened to its end; ``messages`` are what it said."""

    def __init__(self, url: str, key: str, connect_to: Callable[..., Any] = connect) -> None:
        answer = httpx.post(f"{url}/api/stream/token", headers={"X-Api-Key": key}, timeout=LIMIT_S)
        address = f"{url.replace('http', 'ws', 1)}/api/stream?token={answer.json()['token']}"
        self._opened = contextlib.ExitStack()
        self._stream: ClientConnection = self._opened.enter_context(connect_to(address))
        self.messages: list[Said] = []
        self.times: list[float] = []
        self.has_ended = False
        self.has_broken = False
        """Whether it ended before it was closed."""
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def pause_after(self, moment: float) -> float:
        """How long nothing was heard, at most, since a moment."""
        return _longest_pause(self.times, moment)

    def close(self) -> None:
        self.has_broken = self.has_ended
        self._opened.close()
        self._thread.join()

    def _run(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                message = json.loads(self._stream.recv())
                self.times.append(time.monotonic())
                self.messages.append((message["match_name"], message["selection"]))
        self.has_ended = True


def _longest_pause(times: Iterable[float], moment: float) -> float:
    later = [each for each in times if each >= moment]
    return max((after - before for before, after in pairwise([moment, *later])), default=0.0)


class Faults:
    """What streams said against the log: ``gaps`` and ``repeats``."""

    def __init__(self, log: Sequence[Said]) -> None:
        self._places = {said: place for place, said in enumerate(log)}
        assert len(self._places) == len(log), "the load itself says nothing twice"
        self._end = len(log)
        self.gaps = self.repeats = 0

    def look_at(self, said: Sequence[Said], *, to_the_end: bool) -> None:
        """Count what a stream left out or said again; one that broke may end anywhere."""
        places = [self._places[each] for each in said]
        for before, after in pairwise(places):
            self.gaps += max(after - before - 1, 0)
            self.repeats += after <= before
        if to_the_end:
            self.gaps += self._end - 1 - places[-1] if places else self._end


class HaProxy:
    """A proxy before recorders (`/ingest`) and gateways (all else) of this machine.

    Every running server is asked, ready or not: one that is sent nothing learns late that it can.
    """

    def __init__(self, folder: Path, recorders: Sequence[Node], gateways: Sequence[Node]) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._file = folder / "cluster.cfg"
        self._file.write_text(
            _HAPROXY.format(
                port=self.port, recorders=_servers(recorders), gateways=_servers(gateways)
            )
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Run it; it listens when this returns."""
        quiet = subprocess.DEVNULL
        command = [program("haproxy"), "-db", "-f", str(self._file)]
        self._process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)
        until(lambda: can_connect(self.port), LIMIT_S)

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


_HAPROXY = """
defaults
    mode http
    option redispatch 1
    retries 2
    retry-on all-retryable-errors
    timeout connect 1s
    timeout client 30s
    timeout server 30s
    timeout tunnel 60s
    timeout check 2s
    option httpchk
    http-check send meth GET uri /api/health ver HTTP/1.1 hdr Host localhost
    default-server check inter 300ms fall 1 rise 1
frontend all
    bind 127.0.0.1:{port}
    use_backend recorders if {{ path /ingest }}
    default_backend gateways
backend recorders
{recorders}
backend gateways
    balance leastconn
{gateways}
"""


def _servers(nodes: Sequence[Node]) -> str:
    return "\n".join(f"    server n{each.port} 127.0.0.1:{each.port}" for each in nodes)


def can_connect(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
