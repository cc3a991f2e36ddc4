"""What a feed that offers a million quotes a second costs another one: its delay, and memory.

    python benchmarks/flood.py [--seconds 20] [flood ...]

Starts `oddsdesk serve` with a calm feed, a program that says a price ten times a second and when,
and at the same time a flood: the output of a program (`program`), a package's feed in the
server's own process, in batches of 500 (`package`) or of a million (`whole`), a WebSocket
(`web-socket`), four bodies that are posted at a time (`posts`), or all but `whole` together
(`all`). Each flood has
20,000 markets whose prices move every time, and is offered as fast as it is taken; what it offers
where everything is taken is measured first. The delay counts from the calm program's writing to
the time that is recorded, and to the stream of a subscriber. Runs on Linux only.
"""

import argparse
import asyncio
import contextlib
import http.client
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from attack import resident_mb
from websockets.asyncio.client import connect
from websockets.sync.server import serve as serve_web_socket

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import format_ms, parse_ms
from oddsdesk.feeds.live.live_feed import LiveFeed, LiveSpec
from oddsdesk.store.access import open_access
from oddsdesk.store.owner_secret import owner_header

MARKETS = 20_000
FRAME_LINES = 1_000
CALM_S = 0.1
ASK_S = 0.05
WARM_S = 10.0
RENDER_MS = 200
"""So old the times of a flood's lines may be."""
POSTERS = 4
_NOW = "NOW"


class Flood(LiveFeed):
    """The package's feed: batches that were made before, of as many quotes as it is told."""

    def __init__(self, spec: LiveSpec) -> None:
        super().__init__("flood")
        self._size = int(spec.what[0])
        now = system_clock()
        self._quotes = [_quote(place, odds, now) for odds in (2.0, 2.1) for place in range(MARKETS)]

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        quotes = self._quotes
        while True:
            if self._size > len(quotes):
                yield (quotes * (self._size // len(quotes) + 1))[: self._size]
            for start in range(0, len(quotes), self._size):
                yield quotes[start : start + self._size]


def _quote(number: int, odds: float, now_ms: int) -> Quote:
    game = f"Package {number // 20}"
    return Quote(
        f"Bookmaker {number % 20}", f"{game} - Away", "EPL", "moneyline", 0,
        {game: odds, "Away": 1.8}, now_ms, match_date=now_ms + 3_600_000,
    )  # fmt: skip


def _lines(game: str) -> list[bytes]:
    """Return the lines of all markets, twice, with other prices; the time is left out."""
    return [
        json.dumps(
            {
                "bookmaker": f"Bookmaker {number % 20}",
                "match_name": f"{game} {number // 20} - Away",
                "competition": "EPL",
                "market_type": "moneyline",
                "period": 0,
                "odds": {f"{game} {number // 20}": odds, "Away": 1.8},
                "scraped_at": _NOW,
            }
        ).encode()
        + b"\n"
        for odds in (2.0, 2.1)
        for number in range(MARKETS)
    ]


def _frames(game: str) -> Iterator[bytes]:
    """Yield lines of now for ever, many at a time."""
    lines = _lines(game)
    parts = [
        b"".join(lines[start : start + FRAME_LINES]) for start in range(0, len(lines), FRAME_LINES)
    ]
    while True:
        now = system_clock()
        rendered = [part.replace(_NOW.encode(), format_ms(now).encode()) for part in parts]
        while system_clock() < now + RENDER_MS:
            yield from rendered


def say_lines() -> None:
    """The flood of a program."""
    for frame in _frames("Program"):
        sys.stdout.buffer.write(frame)


def say_calmly() -> None:
    """The calm feed."""
    number = 0
    while True:
        number += 1
        quote = {
            "bookmaker": "Calm",
            "match_name": "Calm - Away",
            "competition": "EPL",
            "market_type": "moneyline",
            "period": 0,
            "odds": {"Calm": 1.5 + number / 10_000, "Away": 1.8},
            "scraped_at": format_ms(system_clock()),
        }
        print(json.dumps(quote), flush=True)
        time.sleep(CALM_S)


def stream_lines() -> None:
    """The flood of a WebSocket; prints its port first."""

    def play(socket: Any) -> None:
        for frame in _frames("WebSocket"):
            socket.send(frame)

    with serve_web_socket(play, "127.0.0.1", 0, compression=None) as server:
        print(server.socket.getsockname()[1], flush=True)
        server.serve_forever()


def post_lines(url: str, database: str) -> None:
    """One poster: body after body of 32 MB."""
    host, headers = url.removeprefix("http://"), owner_header(Path(database))
    frames = _frames(f"Post {os.getpid()}")
    while True:
        with contextlib.closing(http.client.HTTPConnection(host, timeout=60)) as connection:
            body = (next(frames) for _ in range(150))
            connection.request("POST", "/ingest", body, headers, encode_chunked=True)
            connection.getresponse().read()


ROLES = {"program": say_lines, "calm": say_calmly, "web-socket": stream_lines, "post": post_lines}


class Figures(NamedTuple):
    recorded: list[float]
    """Seconds from writing to the time that is recorded."""
    streamed: list[float]
    asked: list[float]
    memory: list[float]
    """Resident MB, twenty times a second."""
    changes: float
    """Recorded a second, of all feeds."""

    def line(self, name: str) -> str:
        delays = "  ".join(_spread(each) for each in (self.recorded, self.streamed, self.asked))
        middle = len(self.memory) // 2
        sizes = (self.memory[0], max(self.memory[:middle]), max(self.memory[middle:]))
        memory = " ".join(f"{each:5.0f}" for each in sizes)
        return f"{name:<11}{delays}  {memory}  {self.changes:>8,.0f}"


def _spread(seconds: Sequence[float]) -> str:
    times = sorted(seconds)
    middle, late = times[len(times) // 2], times[len(times) * 99 // 100]
    return " ".join(f"{each * 1000:>6.0f}" for each in (middle, late, times[-1]))


def _itself(role: str, *more: str) -> list[str]:
    return [sys.executable, str(Path(__file__).resolve()), "--as", role, *more]


class Service:
    """The server as a program, with floods next to the calm feed."""

    def __init__(self, folder: Path, floods: Sequence[str]) -> None:
        self.database = folder / "odds.db"
        self._folder = folder
        self._helpers: list[subprocess.Popen[str]] = []
        specs = [f"exec:{' '.join(_itself('calm'))}"]
        specs += [self._spec(flood) for flood in floods if flood != "posts"]
        self.process = self._serve(specs)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip().removeprefix("listening on ")
        if "posts" in floods:
            for _ in range(POSTERS):
                self._help("post", self.url, str(self.database))
        with contextlib.closing(open_access(self.database)) as access:
            self.key = access.keys.create("calm", Plan.PRO_LIVE, None, system_clock()).secret

    def _spec(self, flood: str) -> str:
        if flood == "program":
            return f"exec:{' '.join(_itself('program'))}"
        if flood == "web-socket":
            output = self._help("web-socket").stdout
            assert output is not None
            return f"ws://127.0.0.1:{output.readline().strip()}/odds"
        return f"flood:{1_000_000 if flood == 'whole' else 500}"

    def _serve(self, specs: Sequence[str]) -> "subprocess.Popen[str]":
        package = self._folder / "flood-1.dist-info"
        package.mkdir()
        (package / "METADATA").write_text("Metadata-Version: 2.1\nName: flood\nVersion: 1\n")
        (package / "entry_points.txt").write_text("[oddsdesk.feeds]\nflood = flood:Flood\n")
        paths = (str(self._folder), str(Path(__file__).parent))
        command = [sys.executable, "-m", "oddsdesk", "serve", "--port", "0"]
        command += ["--database", str(self.database)]
        return subprocess.Popen(
            [*command, *(part for spec in specs for part in ("--feed", spec))],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdout=subprocess.PIPE,
            text=True,
        )

    def _help(self, role: str, *more: str) -> "subprocess.Popen[str]":
        command = _itself(role, *more)
        self._helpers.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return self._helpers[-1]

    def close(self) -> None:
        for each in (*self._helpers, self.process):
            each.terminate()
            each.communicate()


async def measured(floods: Sequence[str], seconds: float) -> Figures:
    """Return the figures of one server, from a while after its start."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.closing(Service(Path(folder), floods)) as service,
    ):
        await asyncio.sleep(WARM_S)
        streamed: list[float] = []
        asked: list[float] = []
        memory: list[float] = []
        began, first = system_clock(), _last_seq(service)
        async with asyncio.TaskGroup() as group:
            for work in (
                _listen(service, seconds, streamed),
                _ask(service, seconds, asked),
                _watch(service, seconds, memory),
            ):
                group.create_task(work)
        took, changes = (system_clock() - began) / 1000, _last_seq(service) - first
        recorded = [late / 1000 for (late,) in _query(service, _DELAYS, began)]
    return Figures(recorded, streamed, asked, memory, changes / took)


_DELAYS = """
SELECT recorded_at - scraped_at FROM price_change
WHERE bookmaker = 'Calm' AND selection = 'Calm' AND recorded_at >= ?
"""
_LAST = "SELECT coalesce(max(seq), 0) FROM price_change"


def _query(service: Service, sql: str, *values: Any) -> list[Any]:
    with contextlib.closing(sqlite3.connect(service.database)) as connection:
        return connection.execute(sql, values).fetchall()


def _last_seq(service: Service) -> int:
    return int(_query(service, _LAST)[0][0])


async def _listen(service: Service, seconds: float, late: list[float]) -> None:
    headers = {"X-Api-Key": service.key}
    async with httpx.AsyncClient(base_url=service.url, headers=headers, timeout=60) as client:
        token = (await client.post("/api/stream/token")).json()["token"]
    address = service.url.replace("http", "ws")
    async with connect(f"{address}/api/stream?token={token}&bookmaker=Calm") as socket:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for text in socket:
                    said = json.loads(text)
                    if said.get("selection") == "Calm":
                        late.append((system_clock() - parse_ms(said["scraped_at"])) / 1000)


async def _ask(service: Service, seconds: float, took: list[float]) -> None:
    headers = {"X-Api-Key": service.key}
    ends = time.monotonic() + seconds
    async with httpx.AsyncClient(base_url=service.url, headers=headers, timeout=60) as client:
        while (began := time.monotonic()) < ends:
            (await client.get("/api/odds?bookmaker=Calm")).raise_for_status()
            took.append(time.monotonic() - began)
            await asyncio.sleep(max(0.0, ASK_S - took[-1]))


async def _watch(service: Service, seconds: float, memory: list[float]) -> None:
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        memory.append(resident_mb(service.process.pid))
        await asyncio.sleep(ASK_S)


async def offered(seconds: float = 2.0) -> dict[str, float]:
    """Return how many quotes a second a program and a package offer to who takes them all."""
    line = len(_lines("Program")[0].replace(_NOW.encode(), format_ms(system_clock()).encode()))
    with subprocess.Popen(_itself("program"), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        os.read(process.stdout.fileno(), 1 << 20)
        size, began = 0, time.monotonic()
        while time.monotonic() - began < seconds:
            size += len(os.read(process.stdout.fileno(), 1 << 20))
        program = size / line / (time.monotonic() - began)
        process.kill()
    spec = LiveSpec("flood:500", "flood", ("500",), {})
    count, began = 0, time.monotonic()
    async with contextlib.aclosing(Flood(spec).batches(system_clock)) as batches:
        async for batch in batches:
            count += len(batch)
            if time.monotonic() - began > seconds:
                break
    return {"program": program, "package": count / (time.monotonic() - began)}


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--as", dest="role", choices=ROLES, help=argparse.SUPPRESS)
    parser.add_argument("flood", nargs="*", help="those to measure; else each")
    options = parser.parse_args()
    if options.role:
        ROLES[options.role](*options.flood)
        return
    for name, rate in (await offered()).items():
        print(f"offered by the {name}: {rate:,.0f} quotes a second")
    print("ms p50, p99, most: recorded, streamed, REST; MB at first, 1st and 2nd half; changes/s")
    each = ["program", "package", "web-socket", "posts"]
    for flood in options.flood or ["none", *each, "whole", "all"]:
        floods = each if flood == "all" else [name for name in (flood,) if name != "none"]
        print((await measured(floods, options.seconds)).line(flood), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
