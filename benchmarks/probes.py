"""What a flood of strangers does to health probes and to a caller with a key (D83, D82).

    PYTHONPATH=. python benchmarks/probes.py [--seconds 6] [--front direct,haproxy,...] [kind ...]

Runs `oddsdesk serve`, alone or as two processes behind a shipped proxy (`packaging/deploy`, with
other names, ports and certificates). For each kind `wrk` asks one public path without a key on
`--connections` connections; `loris` holds connections that send a byte now and then, `held` those
that send nothing. Meanwhile `/api/ready` and `/api/health` are asked eight times, each on a fresh
connection, and a caller with a key asks for `/api/sports` twenty times a second. The first line of
each front is without a flood. Needs `wrk`; Linux only.
"""

import argparse
import contextlib
import http.client
import os
import resource
import shutil
import socket
import ssl
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from attack import served

from tests.kit.deployed import Backend, Certificate, Proxy

PATHS: Final = (
    "/api/odds", "/api/sports", "/api/bookmakers", "/api/events", "/api/games", "/api/value-bets",
    "/api/health", "/api/ready", "/docs", "/openapi.json", "/api/stream/token", "/api/stream",
    "/ingest", "/nowhere",
)  # fmt: skip
KINDS: Final = (*PATHS, "unknown key", "closing", "loris", "held")
POSTED: Final = ("/api/stream/token", "/ingest")
PROBES: Final = 8
PACE_S: Final = 0.05
LIMIT_S: Final = 10.0
HELD: Final = 1_200
"""Connections that are held open: more than one address may have."""
HEAD: Final = b"GET /api/odds HTTP/1.1\r\nHost: localhost\r\nX-Slow: "


class Front(NamedTuple):
    """An address at which the service is asked."""

    url: str
    key: str
    trusted: ssl.SSLContext | None

    def connect(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.url)
        assert parts.hostname is not None
        if self.trusted is None:
            return http.client.HTTPConnection(parts.hostname, parts.port, LIMIT_S)
        return http.client.HTTPSConnection(
            parts.hostname, parts.port, timeout=LIMIT_S, context=self.trusted
        )


class Caller(threading.Thread):
    """Asks with a key until ``end``, and records how long each answer took (s)."""

    def __init__(self, front: Front) -> None:
        super().__init__()
        self._front = front
        self._ended = threading.Event()
        self.took: list[float] = []
        self.failed = 0

    def run(self) -> None:
        connection = self._front.connect()
        while not self._ended.is_set():
            began = time.monotonic()
            try:
                connection.request("GET", "/api/sports", headers={"X-Api-Key": self._front.key})
                answer = connection.getresponse()
                answer.read()
                self.failed += answer.status != 200
            except (OSError, http.client.HTTPException):
                self.failed += 1
                connection.close()
            self.took.append(time.monotonic() - began)
            self._ended.wait(max(0.0, PACE_S - self.took[-1]))
        connection.close()

    def end(self) -> None:
        self._ended.set()
        self.join()


def probe(front: Front, path: str) -> tuple[int, float]:
    """Ask once on a fresh connection; return the status, 0 for none, and how long it took (s)."""
    began, status = time.monotonic(), 0
    with (
        contextlib.closing(front.connect()) as connection,
        contextlib.suppress(OSError, http.client.HTTPException),
    ):
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        status = answer.status
    return status, time.monotonic() - began


@contextlib.contextmanager
def wrk(
    front: Front, path: str, connections: int, seconds: float, *more: str
) -> Iterator[list[str]]:
    """Flood a path while inside; afterwards the list holds what wrk printed."""
    script = Path(tempfile.gettempdir()) / f"post.{os.getpid()}.lua"
    script.write_text('wrk.method = "POST"\n')
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds:g}s", "--timeout", "8s", *more]
    if path in POSTED:
        command += ["-s", str(script)]
    said: list[str] = []
    with subprocess.Popen(
        [*command, front.url + path], stdout=subprocess.PIPE, text=True
    ) as process:
        yield said
        assert process.stdout is not None
        said += [line.strip() for line in process.stdout]
    script.unlink()


@contextlib.contextmanager
def held(front: Front, first: bytes) -> Iterator[list[str]]:
    """Hold connections open while inside; each sends ``first`` and a byte a second, if anything."""
    ended = threading.Event()
    parts = urlsplit(front.url)
    opened: list[socket.socket] = []

    def hold() -> None:
        while not ended.is_set():
            while len(opened) < HELD and not ended.is_set():
                with contextlib.suppress(OSError):
                    each = socket.create_connection((parts.hostname, parts.port), 2)
                    each.setblocking(False)
                    if first and front.trusted is None:
                        each.send(first)
                    opened.append(each)
            for each in tuple(opened):
                try:
                    if first:
                        each.send(b"a")
                    if each.recv(4096) == b"":
                        raise ConnectionError
                except BlockingIOError:
                    continue
                except OSError:
                    each.close()
                    opened.remove(each)
            ended.wait(0.2)

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        yield []
    finally:
        ended.set()
        thread.join()
        for each in opened:
            each.close()


def flooded(
    front: Front, kind: str, connections: int, seconds: float
) -> contextlib.AbstractContextManager[list[str]]:
    if not kind:
        return contextlib.nullcontext([])
    if kind in ("loris", "held"):
        return held(front, HEAD if kind == "loris" else b"")
    more: tuple[str, ...] = ()
    if kind == "unknown key":
        more = ("-H", "X-Api-Key: oddsdesk_live_" + "0" * 32)
    if kind == "closing":
        more = ("-H", "Connection: close")
    path = kind if kind in PATHS else "/api/odds"
    return wrk(front, path, connections, seconds, *more)


def measured(name: str, front: Front, kind: str, connections: int, seconds: float) -> str:
    """Return the line of one flood."""
    caller = Caller(front)
    found: dict[str, list[tuple[int, float]]] = {"/api/ready": [], "/api/health": []}
    with flooded(front, kind, connections, seconds) as said:
        time.sleep(1)
        caller.start()
        for _ in range(PROBES):
            for path, answers in found.items():
                answers.append(probe(front, path))
            time.sleep(max(0.0, (seconds - 2) / PROBES - 0.05))
        caller.end()
    shown = []
    for path, answers in found.items():
        good = sum(status == 200 for status, _ in answers)
        late = sorted(took for _, took in answers)[-1]
        shown.append(f"{path[5:]} {good}/{PROBES} {late * 1000:6.0f}")
    cut = statistics.quantiles(caller.took, n=100)
    rate = next((line.split()[1] for line in said if line.startswith("Requests/sec")), "-")
    return (
        f"{name:8}{kind or 'nobody':18} {'  '.join(shown)} ms  key p50 {cut[49] * 1000:7.1f}"
        f" p99 {cut[98] * 1000:7.1f} ms, {caller.failed:3} of {len(caller.took):3} failed"
        f"  {rate:>9} answers/s"
    )


@contextlib.contextmanager
def fronted(name: str, folder: Path, options: list[str]) -> Iterator[Front]:
    """Run the service at one of the fronts."""
    if name == "direct":
        with served(folder, *options) as (url, _, key):
            yield Front(url, key, None)
        return
    known = ("--behind-proxy", "--base-url", "https://odds.example.org", *options)
    pair = Backend(folder, *known), Backend(folder, "--roles", "api,stream", *known)
    certificate = Certificate(folder)
    with contextlib.ExitStack() as stack:
        for each in pair:
            stack.callback(each.kill)
            each.start()
        proxy = Proxy(name, folder, (pair[0].port, pair[1].port), certificate, connections=8_000)
        stack.callback(proxy.close)
        proxy.wait()
        yield Front(proxy.url, pair[0].key(), certificate.trusted)


def main() -> None:
    """Print a line for each front and kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=260)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--front", default="direct,haproxy,caddy")
    parser.add_argument("--serve", default="", help="further options of serve")
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    options = parser.parse_args()
    assert shutil.which("wrk"), "wrk is not installed"
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    load = os.getloadavg()[0]
    print(f"load {load:.1f}; {options.connections} connections; of probes the longest time")
    given = options.serve.split()
    for name in options.front.split(","):
        with tempfile.TemporaryDirectory() as folder, fronted(name, Path(folder), given) as front:
            for kind in ("", *options.kinds):
                print(measured(name, front, kind, options.connections, options.seconds), flush=True)


if __name__ == "__main__":
    main()
