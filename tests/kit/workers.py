"""`oddsdesk serve --workers N` as tests look at it: its processes, and who serves a connection."""

import contextlib
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from oddsdesk.store.lock import lock_path
from tests.kit.program import Launch, Program

LIMIT_S = 30


def until(what: Callable[[], Any], limit_s: float = LIMIT_S) -> Any:
    """Return what a question is answered with once that is true."""
    deadline = time.monotonic() + limit_s
    while not (answer := what()):
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.01)
    return answer


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Workers:
    """A running program of several workers; on Linux only."""

    def __init__(self, launch: Launch, database: Path, count: int, *options: str) -> None:
        self.database = database
        self.count = count
        named = ("--database", str(database))
        self.program: Program = launch(
            "serve", *named, "--port", "0", "--workers", str(count), *options
        )
        self.url = self.program.first_line().removeprefix("listening on ")
        assert self.url.startswith("http://127.0.0.1:")
        self.port = int(self.url.rpartition(":")[2])
        self._launch = launch
        self._opened = contextlib.ExitStack()

    def close(self) -> None:
        """Close the streams."""
        self._opened.close()

    def key(self, plan: str = "Pro+ Live", *options: str) -> str:
        made = self._launch(
            "keys", "create", "--plan", plan, *options, "--database", str(self.database)
        )
        return made.process.communicate(timeout=30)[0].strip()

    def processes(self) -> list[int]:
        """The workers that run now."""
        parent = self.program.process.pid
        path = Path(f"/proc/{parent}/task/{parent}/children")
        return [each for each in map(int, path.read_text().split()) if is_running(each)]

    def owner(self) -> int | None:
        """Who says that it has the database's lock and where it answers."""
        try:
            said = json.loads(lock_path(self.database).read_bytes())
        except (OSError, ValueError):
            return None
        return said["pid"] if said["url"] else None

    def reader(self) -> int:
        """A worker that has not the lock."""
        return next(each for each in self.processes() if each != self.owner())

    def serving(self, port: int) -> int:
        """The worker that serves the connection of a client's port."""
        ends = (f"{self.port:04X}", f"{port:04X}")

        def found() -> int | None:
            for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
                fields = line.split()
                if tuple(each.rpartition(":")[2] for each in fields[1:3]) == ends:
                    return self._holder(f"socket:[{fields[9]}]")
            return None

        pid: int = until(found)
        return pid

    def _holder(self, link: str) -> int | None:
        for pid in self.processes():
            for handle in Path(f"/proc/{pid}/fd").iterdir():
                try:
                    if str(handle.readlink()) == link:
                        return pid
                except OSError:
                    continue
        return None

    def stream_of(self, worker: int, key: str) -> ClientConnection:
        """A stream that this worker serves."""
        for _ in range(200):
            with contextlib.ExitStack() as opened:
                answer = httpx.post(f"{self.url}/api/stream/token", headers={"X-Api-Key": key})
                address = f"{self.url.replace('http', 'ws')}/api/stream"
                stream = opened.enter_context(connect(f"{address}?token={answer.json()['token']}"))
                if self.serving(stream.socket.getsockname()[1]) == worker:
                    self._opened.push(opened.pop_all())
                    return stream
        raise AssertionError("the system gives that worker no connection")

    def client_of(self, worker: int, **options: Any) -> httpx.Client:
        """A client with one connection, to this worker; the test closes it."""
        for _ in range(200):
            client = httpx.Client(base_url=self.url, timeout=LIMIT_S, **options)
            if self.serving(_port(client)) == worker:
                return client
            client.close()
        raise AssertionError("the system gives that worker no connection")

    def health(self) -> dict[str, Any]:
        """Ask any worker; one that was killed meanwhile had the connection: then another is."""
        return until(self._health)

    def _health(self) -> dict[str, Any]:
        with contextlib.suppress(httpx.TransportError):
            answer: dict[str, Any] = httpx.get(f"{self.url}/api/health").json()
            return answer
        return {}

    def kill(self, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)


def _port(client: httpx.Client) -> int:
    with client.stream("GET", "/api/health") as answer:
        network = answer.extensions["network_stream"]
        port: int = network.get_extra_info("client_addr")[1]
        answer.read()
    return port


class Heard:
    """What comes on a stream until it is closed; to be run in a thread."""

    def __init__(self, stream: ClientConnection) -> None:
        self.stream = stream
        self.messages: list[tuple[str, str]] = []
        self.close_code: int | None = None
        self.has_ended = False

    def run(self) -> None:
        try:
            while True:
                message = json.loads(self.stream.recv())
                self.messages.append((message["match_name"], message["selection"]))
        except ConnectionClosed as closed:
            self.close_code = None if closed.rcvd is None else closed.rcvd.code
            self.has_ended = True
