"""Processor time of a request, a message and a change, by how many workers serve (scale.md).

Servers of 1, 2 and 4 workers run next to each other on one database, without valuation and feeds,
and are asked in turns, so that what the machine does besides touches all alike. What is told is the
processor time of all their processes, from the scheduler's own count; Linux only. Every worker
reads and encodes each price change, with or without listeners. Runs with few and with many
subscribers show what a message to a subscriber takes.

    python benchmarks/workers.py [--rounds N]
"""

import argparse
import asyncio
import contextlib
import itertools
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import httpx
from rest_odds import Asker, quotes
from stream import Subscriber, quote

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import new_loop
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.store import Store, open_store

WORKERS = (1, 2, 4)
QUOTES = 20_000
PATH = "/api/odds?limit=100"
CONNECTIONS = 16
REQUESTS = 500
FEW, MANY = 20, 300
CHANGES = 1_000
AT_ONCE = 10
LIMIT_S = 60


class Served(NamedTuple):
    """A running server and its processes."""

    url: str
    processes: list[int]

    def spent_s(self) -> float:
        """Seconds of a processor until now."""
        paths = (each.glob("task/*/schedstat") for each in map(_process, self.processes))
        return sum(int(path.read_text().split()[0]) for path in itertools.chain(*paths)) / 1e9


def _process(pid: int) -> Path:
    return Path(f"/proc/{pid}")


@contextlib.contextmanager
def serving(database: Database, workers: int) -> Iterator[Served]:
    named = database.url if isinstance(database, DatabaseUrl) else str(database)
    options = ["--port", "0", "--roles", "api,stream", "--workers", str(workers)]
    program = subprocess.Popen(
        [sys.executable, "-m", "oddsdesk", "serve", "--database", named, *options],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    url = program.stdout.readline().strip().removeprefix("listening on ")
    children = _process(program.pid) / "task" / str(program.pid) / "children"
    try:
        yield Served(url, [program.pid, *map(int, children.read_text().split())])
    finally:
        program.terminate()
        program.communicate()


async def a_request_us(served: Served, key: str) -> float:
    """Ask over connections of its own; microseconds of the servers' processors a request."""
    left = iter(range(REQUESTS))
    began = served.spent_s()

    async def ask() -> None:
        asker = Asker(served.url, PATH, key)
        await asker.connect()
        for _ in left:
            await asker.ask()
        asker.close()

    await asyncio.gather(*(ask() for _ in range(CONNECTIONS)))
    return (served.spent_s() - began) / REQUESTS * 1e6


async def changes_s(
    served: Served, key: str, store: Store, first: int, subscribers_count: int
) -> float:
    """Record changes from outside; seconds of the servers' processors until all were heard."""
    host, port = served.url.removeprefix("http://").split(":")
    loop = asyncio.get_running_loop()
    subscribers = []
    async with httpx.AsyncClient(base_url=served.url) as client:
        for _ in range(subscribers_count):
            answer = await client.post("/api/stream/token", headers={"X-Api-Key": key})
            path = f"/api/stream?token={answer.json()['token']}"
            made = partial(Subscriber, path, f"{host}:{port}")
            subscribers.append(await loop.create_connection(made, host, int(port)))
    heard = [subscriber for _, subscriber in subscribers]
    async with asyncio.timeout(LIMIT_S):
        while not all(each.chunks for each in heard):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.5)
        began = served.spent_s()
        for number in range(first, first + CHANGES, AT_ONCE):
            batch = [quote(each) for each in range(number, number + AT_ONCE, 2)]
            await asyncio.wrap_future(store.record(batch))
            await asyncio.sleep(0.02)
        size = -1
        while size != (size := sum(len(data) for each in heard for _, data in each.chunks)):
            await asyncio.sleep(1)
    spent = served.spent_s() - began
    assert all(messages(each) == CHANGES for each in heard), "messages were lost, or came twice"
    for transport, _ in subscribers:
        transport.abort()
    return spent


def messages(subscriber: Subscriber) -> int:
    """Count the messages that came: frames of text of at most 64 KiB."""
    stream = b"".join(data for _, data in subscriber.chunks)
    place, count = stream.index(b"\r\n\r\n") + 4, 0
    while place < len(stream):
        size, head = stream[place + 1] & 127, 2
        if size == 126:
            size, head = int.from_bytes(stream[place + 2 : place + 4]), 4
        count += stream[place] == 0x81
        place += head + size
    return count


async def measure(database: Path, rounds: int) -> None:
    with contextlib.ExitStack() as opened:
        store = opened.enter_context(contextlib.closing(open_store(database)))
        access = opened.enter_context(contextlib.closing(open_access(database)))
        store.record(quotes(QUOTES, system_clock())).result()
        servers = {count: opened.enter_context(serving(database, count)) for count in WORKERS}
        requests: dict[int, list[float]] = {count: [] for count in WORKERS}
        told: dict[int, list[float]] = {count: [] for count in WORKERS}
        changes: dict[int, list[float]] = {count: [] for count in WORKERS}
        numbers = itertools.count(1)
        for turn in range(rounds + 1):
            for count, served in servers.items():
                number = next(numbers)
                made = access.keys.create(f"bench {number}", Plan.PRO_LIVE, None, system_clock())
                request_us = await a_request_us(served, made.secret)
                first = number * CHANGES * 2
                few = await changes_s(served, made.secret, store, first, FEW)
                many = await changes_s(served, made.secret, store, first + CHANGES, MANY)
                message_us = (many - few) / (MANY - FEW) / CHANGES * 1e6
                change_us = (few / CHANGES * 1e6 - FEW * message_us) / count
                if turn:  # the first one fills caches
                    requests[count].append(request_us)
                    told[count].append(message_us)
                    changes[count].append(change_us)
    report({"a request": requests, "a message": told, "a change of a worker": changes})


def report(figures: dict[str, dict[int, list[float]]]) -> None:
    rounds = len(figures["a request"][1])
    print(
        f"{REQUESTS} requests of {PATH}; {CHANGES} changes, {AT_ONCE} a commit, to {FEW} and {MANY}"
    )
    print(f"microseconds of processors, median of {rounds} rounds (and of the ratios to 1 worker)")
    for count in WORKERS:
        told = [f"{count} workers"]
        for name, found in figures.items():
            ratio = statistics.median(
                each / one for each, one in zip(found[count], found[1], strict=True)
            )
            told.append(f"{name} {statistics.median(found[count]):,.2f} ({ratio:.2f})")
        print(", ".join(told))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(measure(Path(folder) / "odds.db", options.rounds))


if __name__ == "__main__":
    main()
