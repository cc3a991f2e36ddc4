"""Latency of each list at 10,000, 100,000 and 1,000,000 quotes: it should not grow.

    python benchmarks/rest_flat.py [quotes ...]

Asked one after another over one keep-alive connection, from the process that serves: the
median of 40 in milliseconds. Forty bookmakers; four markets a game.
"""

import asyncio
import http.client
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

from machine import echo_line
from record import BOOKMAKERS, START_MS, fresh_quotes

from oddsdesk.base.tasks import new_loop
from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import game_id
from oddsdesk.server.app import create_app
from oddsdesk.server.edge.listener import HttpServer, bind, url_of
from oddsdesk.server.edge.protocol import Refusals
from oddsdesk.server.gate import LoopAccess, Service
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.store import Store, open_store

TIMES = 40
COUNTS = (10_000, 100_000, 1_000_000)
PATHS = (
    "/api/sports",
    "/api/bookmakers",
    "/api/events",
    "/api/events?bookmaker=Bookmaker%2030",
    "/api/games",
    "/api/games?sport=hockey",
    "/api/odds",
    "/api/odds?limit=500",
    "/api/odds?bookmaker=Bookmaker%2030",
    "/api/odds?bookmaker=nobody",
    "/api/odds?market_type=total",
    "/api/odds?market_type=yes_no",
    "/api/odds?competition=NHL",
    "/api/odds/live",
    "/api/value-bets",
    "/api/events/Home%201%20-%20Away%201",
    f"/api/games/{game_id('NBA', 'Home 1 - Away 1')}",
)


def clock() -> int:
    return START_MS


@contextmanager
def served(store: Store, access: AccessStore) -> Iterator[str]:
    """Serve from a thread; yields the address."""
    started: Future[str] = Future()
    stopping: Future[None] = Future()

    async def serve() -> None:
        listener = bind("127.0.0.1", 0)
        app = create_app(Service(store, LoopAccess(access, clock), clock, no_stream))
        server = HttpServer(app, listener, Refusals(app.limits))
        await server.start_http()
        started.set_result(url_of(listener))
        await asyncio.wrap_future(stopping)
        await server.stop_http()
        app.end_threads()

    def run() -> None:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run)
    thread.start()
    yield started.result()
    stopping.set_result(None)
    thread.join()


async def no_stream(*_: object) -> None:
    raise AssertionError("nobody opens a stream here")


def median_ms(function: Callable[[], object]) -> float:
    function()
    taken = []
    for _ in range(TIMES):
        began = time.perf_counter()
        function()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1000


def measure(folder: Path, count: int) -> dict[str, float]:
    store, access = open_store(folder / "odds.db", BOOKMAKERS[0]), open_access(folder / "odds.db")
    with closing(store), closing(access):
        quotes = fresh_quotes(count, Random(7))
        for start in range(0, count, 5_000):
            store.record(quotes[start : start + 5_000]).result()
        del quotes
        key = access.keys.create("bench", Plan.PRO_LIVE, None, START_MS).secret
        with served(store, access) as url:
            connection = http.client.HTTPConnection(url.removeprefix("http://"))

            def ask(path: str) -> None:
                connection.request("GET", path, headers={"X-Api-Key": key})
                answer = connection.getresponse()
                body = answer.read()
                assert answer.status == 200, body

            found = {path: median_ms(lambda path=path: ask(path)) for path in PATHS}
            reader = store.reader()
            found["sports, once a minute"] = median_ms(lambda: reader.list_sports(START_MS))
            found["bookmakers, once a minute"] = median_ms(lambda: reader.list_bookmakers(START_MS))
            connection.close()
    return found


def main() -> None:
    counts = [int(argument) for argument in sys.argv[1:]] or COUNTS
    columns = []
    for count in counts:
        with tempfile.TemporaryDirectory() as folder:
            columns.append(measure(Path(folder), count))
    print("| milliseconds | " + " | ".join(f"{count:,}" for count in counts) + " |")
    print("| --- |" + " ---: |" * len(counts))
    for name in columns[0]:
        print(f"| `{name}` | " + " | ".join(f"{column[name]:.1f}" for column in columns) + " |")
    print(echo_line())


if __name__ == "__main__":
    main()
