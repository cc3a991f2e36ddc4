"""Requests a second of /api/odds?limit=500 over 100,000 quotes, compared with a bare route.

The bare route runs the same query and encoding in the same server, without key, quota,
filters and headers. Both are asked in turns over keep-alive connections from a process of
its own, so that what the machine does besides touches both. Then the service alone is asked
300 times a second, each request at its time whatever came of those before. Where a Datasette
is named, it serves 500 rows of the same file's table of quotes in the same run.

    python benchmarks/rest_odds.py [--quotes N] [--rounds N] [--datasette PROGRAM]
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
from machine import echo_line
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import new_loop
from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import Answer, Meta
from oddsdesk.server.app import create_app
from oddsdesk.server.edge.listener import HttpServer, bind, url_of
from oddsdesk.server.edge.protocol import Refusals
from oddsdesk.server.gate import LoopAccess, Service
from oddsdesk.store.access import open_access
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Visibility

LIMIT = 500
CONNECTIONS = 8
ROUND_S = 1.0
PACE = 300
PACE_S = 10.0
OURS = f"/api/odds?limit={LIMIT}"
DATASETTE = f"/odds/quote.json?_size={LIMIT}&_shape=objects&_nocount=1"


def quotes(count: int, now_ms: int, kick_off_ms: int | None = None) -> list[Quote]:
    """Return what 25 bookmakers offer of games with four periods each.

    The first game begins at ``kick_off_ms``, or in an hour.
    """
    first_ms = now_ms + 3_600_000 if kick_off_ms is None else kick_off_ms
    return [
        Quote(
            bookmaker=f"Bookmaker {number % 25}",
            match_name=f"Home {number // 100} - Away {number // 100}",
            competition="EPL",
            market_type="total",
            period=number % 100 // 25,
            odds={"Over 2.5": 1.8 + number % 50 / 100, "Under 2.5": 2.1},
            scraped_at=now_ms,
            match_date=first_ms + number // 100,
            url="https://example.org/a/b/c",
        )
        for number in range(count)
    ]


def bare_app(store: Store) -> Starlette:
    def rows() -> bytes:
        page = store.reader().list_odds(system_clock(), Filters(), Visibility(), LIMIT, None)
        return msgspec.json.encode(
            Answer(page.items, Meta(0, len(page.items), page.next_cursor or ""))
        )

    async def odds(_: Request) -> Response:
        return Response(await run_in_threadpool(rows), media_type="application/json")

    return Starlette(routes=[Route("/api/odds", odds)])


class Asker:
    """A keep-alive connection that asks for one path."""

    def __init__(self, url: str, path: str, key: str) -> None:
        self._host, port = url.removeprefix("http://").split(":")
        self._port = int(port)
        self._request = (
            f"GET {path} HTTP/1.1\r\nHost: {self._host}\r\nX-Api-Key: {key}\r\n\r\n"
        ).encode()

    async def connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(self._host, self._port)

    async def ask(self) -> None:
        self._writer.write(self._request)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        assert b" 200 " in head.splitlines()[0], head
        if b"chunked" in head:
            while size := int(await self._reader.readline(), 16):
                await self._reader.readexactly(size + 2)
            await self._reader.readline()
        else:
            length = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
            await self._reader.readexactly(length)

    def close(self) -> None:
        self._writer.close()


async def ask(url: str, path: str, key: str, rate: int) -> list[float]:
    """Ask over keep-alive connections for a round, or ``rate`` times a second; seconds each."""
    took: list[float] = []
    began = time.perf_counter()
    numbers = itertools.count()

    async def connection() -> None:
        asker = Asker(url, path, key)
        await asker.connect()
        while True:
            due = began + next(numbers) / rate if rate else time.perf_counter()
            if due >= began + (PACE_S if rate else ROUND_S):
                break
            await asyncio.sleep(max(due - time.perf_counter(), 0))
            await asker.ask()
            took.append(time.perf_counter() - due)
        asker.close()

    await asyncio.gather(*(connection() for _ in range(4 * CONNECTIONS if rate else CONNECTIONS)))
    return took


async def serve(folder: Path, count: int, rounds: int, datasette: str | None) -> None:
    store, access = open_store(folder / "odds.db"), open_access(folder / "odds.db")
    with contextlib.closing(store), contextlib.closing(access):
        store.record(quotes(count, system_clock())).result()
        keys = [
            access.keys.create(f"bench {number}", Plan.PRO_LIVE, None, system_clock()).secret
            for number in range(rounds + 1)
        ]
        app = create_app(
            Service(store, LoopAccess(access, system_clock), system_clock, bare_app(store))
        )
        servers = {"service": HttpServer(app, whole := bind("127.0.0.1", 0), Refusals(app.limits))}
        servers["bare"] = HttpServer(bare_app(store), bare := bind("127.0.0.1", 0))
        asked = {"service": (url_of(whole), OURS), "bare": (url_of(bare), OURS)}
        for server in servers.values():
            await server.start_http()
        async with contextlib.AsyncExitStack() as stack:
            if datasette is not None:
                url = await stack.enter_async_context(running(datasette, folder / "odds.db"))
                asked["datasette"] = (url, DATASETTE)
            rates: dict[str, list[float]] = {name: [] for name in asked}
            for number in range(rounds):
                for name, address in asked.items():
                    took = await ask_from_outside(*address, keys[number])
                    rates[name].append(len(took) / ROUND_S)
        paced = sorted(await ask_from_outside(*asked["service"], keys[rounds], PACE))
        for server in servers.values():
            await server.stop_http()
        app.end_threads()
    report(count, rates, paced)


@contextlib.asynccontextmanager
async def running(datasette: str, database: Path) -> AsyncIterator[str]:
    """A Datasette on the same file; yields its address."""
    with contextlib.closing(bind("127.0.0.1", 0)) as free:
        url = url_of(free)
    port = url.rpartition(":")[2]
    process = await asyncio.create_subprocess_exec(
        datasette,
        "serve",
        str(database),
        "--port",
        port,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    asker = Asker(url, DATASETTE, "")
    try:
        async with asyncio.timeout(30):
            while True:
                with contextlib.suppress(OSError):
                    await asker.connect()
                    break
                await asyncio.sleep(0.1)
        asker.close()
        yield url
    finally:
        process.terminate()
        await process.wait()


async def ask_from_outside(url: str, path: str, key: str, rate: int = 0) -> list[float]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "ask", url, path, key, str(rate), stdout=subprocess.PIPE
    )
    out, _ = await process.communicate()
    took: list[float] = json.loads(out)
    return took


def report(count: int, rates: dict[str, list[float]], paced: list[float]) -> None:
    print(f"{count:,} quotes, {LIMIT} rows an answer, median of {len(rates['service'])} rounds")
    for name, found in rates.items():
        ratios = [ours / theirs for ours, theirs in zip(rates["service"], found, strict=True)]
        print(
            f"{name:<10}{statistics.median(found):>8,.0f} requests/s"
            f"   service/{name} {statistics.median(ratios):.2f}"
        )
    p50, p99 = (paced[int(len(paced) * share)] * 1000 for share in (0.5, 0.99))
    print(f"{PACE} requests/s: p50 {p50:.1f} ms, p99 {p99:.1f} ms")


def main() -> None:
    if sys.argv[1:2] == ["ask"]:
        url, path, key, rate = sys.argv[2:]
        print(json.dumps(asyncio.run(ask(url, path, key, int(rate)))))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quotes", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--datasette", metavar="PROGRAM")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(serve(Path(folder), options.quotes, options.rounds, options.datasette))
    print(echo_line())


if __name__ == "__main__":
    main()
