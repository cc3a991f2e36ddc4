"""Requests a second of /api/odds?limit=500 over 100,000 quotes, beside a bare route.

The bare route runs the same query and encoding in the same server, without key, quota,
filters and headers. Both are asked in turns over keep-alive connections from a process of
its own, so that what the machine does besides touches both.

    python benchmarks/rest_odds.py [quotes] [rounds]
"""

import asyncio
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from oddsdesk.clock import system_clock
from oddsdesk.contract.plans import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import Answer, Meta
from oddsdesk.server.app import create_app
from oddsdesk.server.listener import HttpServer, bind, url_of
from oddsdesk.server.loops import new_loop
from oddsdesk.server.service import Service
from oddsdesk.store.access import open_access
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Sight

LIMIT = 500
CONNECTIONS = 8
ROUND_S = 1.0


def quotes(count: int, now_ms: int) -> list[Quote]:
    return [
        Quote(
            bookmaker=f"Bookmaker {number % 25}",
            match_name=f"Home {number // 100} - Away {number // 100}",
            competition="EPL",
            market_type="total",
            period=number % 100 // 25,
            odds={"Over 2.5": 1.8 + number % 50 / 100, "Under 2.5": 2.1},
            scraped_at=now_ms,
            match_date=now_ms + 3_600_000 + number // 100,
            url="https://example.org/a/b/c",
        )
        for number in range(count)
    ]


def bare_app(store: Store) -> Starlette:
    def rows() -> bytes:
        page = store.reader().odds(system_clock(), Filters(), Sight(), LIMIT, None)
        return msgspec.json.encode(
            Answer(page.items, Meta(0, len(page.items), page.next_cursor or ""))
        )

    async def odds(_: Request) -> Response:
        return Response(await run_in_threadpool(rows), media_type="application/json")

    return Starlette(routes=[Route("/api/odds", odds)])


async def ask(url: str, key: str, seconds: float) -> tuple[int, list[float]]:
    """Ask over keep-alive connections; return how often and how long each took."""
    host, port = url.removeprefix("http://").split(":")
    request = (
        f"GET /api/odds?limit={LIMIT} HTTP/1.1\r\nHost: {host}\r\nX-Api-Key: {key}\r\n\r\n"
    ).encode()
    ends = time.perf_counter() + seconds
    took: list[float] = []

    async def connection() -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        while (started := time.perf_counter()) < ends:
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            assert b" 200 " in head.splitlines()[0], head
            length = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            took.append(time.perf_counter() - started)
        writer.close()

    await asyncio.gather(*(connection() for _ in range(CONNECTIONS)))
    return len(took), took


async def serve(folder: Path, count: int, rounds: int) -> None:
    store, access = open_store(folder / "odds.db"), open_access(folder / "odds.db")
    with contextlib.closing(store), contextlib.closing(access):
        store.record(quotes(count, system_clock())).result()
        keys = [
            access.keys.create(f"bench {number}", Plan.PRO_LIVE, None, system_clock()).secret
            for number in range(2 * rounds)
        ]
        app = create_app(Service(store, access, system_clock, bare_app(store)))
        servers = {"service": HttpServer(app, whole := bind("127.0.0.1", 0))}
        servers["bare"] = HttpServer(bare_app(store), bare := bind("127.0.0.1", 0))
        urls = {"service": url_of(whole), "bare": url_of(bare)}
        for server in servers.values():
            await server.start()
        rates: dict[str, list[float]] = {"service": [], "bare": []}
        for number in range(rounds):
            for name, url in urls.items():
                rates[name].append(await _ask_from_outside(url, keys[number]))
        for server in servers.values():
            await server.stop()
        app.close()
    report(count, rates)


async def _ask_from_outside(url: str, key: str) -> float:
    process = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "ask", url, key, stdout=subprocess.PIPE
    )
    out, _ = await process.communicate()
    asked, took = json.loads(out)
    print(f"  {url} {asked / ROUND_S:8.0f}/s  p99 {took * 1000:6.1f} ms", file=sys.stderr)
    return float(asked) / ROUND_S


def report(count: int, rates: dict[str, list[float]]) -> None:
    ratios = [ours / bare for ours, bare in zip(rates["service"], rates["bare"], strict=True)]
    print(
        json.dumps(
            {
                "quotes": count,
                "service_per_s": round(statistics.median(rates["service"])),
                "bare_per_s": round(statistics.median(rates["bare"])),
                "ratio": round(statistics.median(ratios), 3),
            }
        )
    )


def main() -> None:
    if sys.argv[1:2] == ["ask"]:
        asked, took = asyncio.run(ask(sys.argv[2], sys.argv[3], ROUND_S))
        print(json.dumps([asked, sorted(took)[int(len(took) * 0.99) - 1]]))
        return
    numbers = [int(argument) for argument in sys.argv[1:]]
    count, rounds = (*numbers, *(100_000, 5)[len(numbers) :])
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(serve(Path(folder), count, rounds))


if __name__ == "__main__":
    main()
