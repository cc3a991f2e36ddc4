"""Many processes on PostgreSQL: from a recording to streams of other processes, and its cost.

One `oddsdesk serve` records what is posted to it, two others stream to 20 subscribers each: without
a bus, with one, and with one that is killed half-way. Latency counts from before the POST. Needs
PostgreSQL (with fsync) and nats-server, both begun here.

    PYTHONPATH=. python benchmarks/cluster.py [--seconds 10]
"""

import argparse
import asyncio
import contextlib
import json
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
from machine import echo_ms
from stream import heard, quote, subscribed
from workers import Served

from oddsdesk.base.tasks import new_loop
from oddsdesk.contract.times import format_ms
from tests.kit.cluster import Node, make_key, running
from tests.kit.nats import Nats, running_nats
from tests.kit.postgres import Postgres, running_postgres

RATE = 1_000
AT_ONCE = 10
SUBSCRIBERS = 20
POSTS = 3
"""At a time: a process reads at most four bodies."""
IDLE_S = 5.0


class Cluster(NamedTuple):
    """What is measured, and where it lives."""

    postgres: Postgres
    recorder: Node
    gateways: list[Node]
    key: str

    def database_s(self) -> float:
        """Seconds of a processor that PostgreSQL took until now, all of its processes together."""
        postmaster = self.postgres.pid
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        return Served("", [postmaster, *map(int, children)]).spent_s()

    def gateways_s(self) -> float:
        """The same for the processes that stream."""
        return Served("", [each.pid for each in self.gateways]).spent_s()

    def spent_s(self) -> list[float]:
        """The same for PostgreSQL, the gateways, the recorder, and who posts."""
        recorder = Served("", [self.recorder.pid]).spent_s()
        return [self.database_s(), self.gateways_s(), recorder, time.process_time()]


def lines(first: int) -> str:
    """Ten changes as they are posted, with their numbers in their odds."""
    rows = [quote(number) for number in range(first, first + AT_ONCE, 2)]
    return "".join(
        json.dumps(
            {
                "bookmaker": each.bookmaker,
                "match_name": each.match_name,
                "competition": each.competition,
                "market_type": each.market_type,
                "period": each.period,
                "odds": each.odds,
                "scraped_at": format_ms(each.scraped_at),
            }
        )
        + "\n"
        for each in rows
    )


@contextlib.contextmanager
def cluster(postgres: Postgres, bus: Nats | None) -> Iterator[Cluster]:
    database = postgres.url_with_tables()
    options = () if bus is None else ("--bus", bus.url)
    with tempfile.TemporaryDirectory() as folder:
        recorder = Node(database, Path(folder), "api", *options)
        gateways = [Node(database, Path(folder), "api,stream", *options) for _ in range(2)]
        with running(recorder, *gateways):
            yield Cluster(postgres, recorder, gateways, make_key(database, may_write=True))


@contextlib.asynccontextmanager
async def listening(made: Cluster) -> AsyncIterator[list[list[tuple[float, int]]]]:
    """Subscribers at each gateway; what they heard is there at the end."""
    found: list[list[tuple[float, int]]] = []
    async with contextlib.AsyncExitStack() as opened, httpx.AsyncClient() as client:
        pipes = []
        for each in made.gateways:
            asked = {"X-Api-Key": made.key}
            paths = []
            for _ in range(SUBSCRIBERS):
                answer = await client.post(f"{each.url}/api/stream/token", headers=asked)
                paths.append(f"/api/stream?token={answer.json()['token']}")
            pipes.append(await opened.enter_async_context(subscribed(each.url, paths)))
        try:
            yield found
        finally:
            for pipe in pipes:
                found += await heard(pipe)


class Poster:
    """Posts bodies on one connection, with as little of the processor as can be."""

    def __init__(self, url: str, key: str) -> None:
        host, _, port = url.removeprefix("http://").partition(":")
        self._where = (host, int(port))
        self._head = f"POST /ingest HTTP/1.1\r\nHost: {host}:{port}\r\n"
        self._head += f"X-Api-Key: {key}\r\nContent-Length: "

    async def __aenter__(self) -> "Poster":
        self._reader, self._writer = await asyncio.open_connection(*self._where)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def post(self, body: str) -> None:
        self._writer.write(f"{self._head}{len(body.encode())}\r\n\r\n{body}".encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        assert head.startswith(b"http/1.1 200 "), head
        await self._reader.readexactly(int(head.partition(b"content-length: ")[2].split()[0]))


async def post(made: Cluster, seconds: float) -> dict[int, float]:
    """Post ``RATE`` changes a second; return when each was."""
    sent: dict[int, float] = {}
    first = number = 1_000_000
    async with contextlib.AsyncExitStack() as opened, asyncio.TaskGroup() as all_:
        posters: asyncio.Queue[Poster] = asyncio.Queue()
        for _ in range(POSTS):
            poster = Poster(made.recorder.url, made.key)
            posters.put_nowait(await opened.enter_async_context(poster))

        async def one(number: int, body: str) -> None:
            poster = await posters.get()
            sent.update(dict.fromkeys(range(number, number + AT_ONCE), time.monotonic()))
            await poster.post(body)
            posters.put_nowait(poster)

        began = time.monotonic()
        while (elapsed := time.monotonic() - began) < seconds:
            while number - first < elapsed * RATE:
                all_.create_task(one(number, lines(number)))
                number += AT_ONCE
            await asyncio.sleep(0.002)
    return sent


async def latency(made: Cluster, seconds: float, killed: Nats | None) -> str:
    """Post and listen; return a line of figures."""
    async with listening(made) as found:
        resting = made.spent_s()
        await asyncio.sleep(IDLE_S)
        before = made.spent_s()
        kill = asyncio.get_running_loop().call_later(seconds / 2, killed.kill if killed else print)
        if killed is None:
            kill.cancel()
        sent = await post(made, seconds)
        after = made.spent_s()
    late = sorted((when - sent[number]) * 1000 for each in found for when, number in each)
    for each in found:
        assert sorted(number for _, number in each) == sorted(sent), "a gap, or a repeat"
    p50, p99 = late[len(late) // 2], late[int(len(late) * 0.99)]
    rest, load = (
        [(end - begin) / over * 100 for begin, end in zip(*pair, strict=True)]
        for pair, over in (((resting, before), IDLE_S), ((before, after), seconds))
    )
    return (
        f"p50 {p50:.1f}, p99 {p99:.1f}, slowest {late[-1]:.1f} ms;"
        f" processors: PostgreSQL {load[0]:.0f} % (at rest {rest[0]:.1f} %),"
        f" a gateway {load[1] / 2:.0f} % (at rest {rest[1] / 2:.1f} %),"
        f" the recorder {load[2]:.0f} %, who posts {load[3]:.0f} %"
    )


async def measure(seconds: float) -> None:
    print(f"{RATE} changes/s, {AT_ONCE} a POST, to 2 processes with {SUBSCRIBERS} streams each")
    with running_postgres(fsync="on", full_page_writes="on") as postgres, running_nats() as nats:
        for name, bus, killed in (
            ("without a bus", None, None),
            ("with NATS", nats, None),
            ("NATS killed half-way", nats, nats),
        ):
            with cluster(postgres, bus) as made:
                print(f"{name}: {await latency(made, seconds, killed)}")
    bare = await echo_ms()
    print(f"(bare loopback echo here: {bare[0]:.2f}, {bare[1]:.2f} ms)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(measure(options.seconds))


if __name__ == "__main__":
    main()
