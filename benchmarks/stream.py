"""The stream: from commit to receipt at 1,000 changes a second, and messages a second.

Subscribers are bare sockets in a process of their own; they note when bytes come and
look into them afterwards. Latency counts from before the recording is asked for.
Throughput is an import at once, compared with `websockets.broadcast` of the same frames.

    python benchmarks/stream.py [seconds]
"""

import asyncio
import base64
import contextlib
import json
import multiprocessing
import os
import struct
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import cast

from machine import echo_ms
from websockets.asyncio.server import broadcast
from websockets.asyncio.server import serve as serve_websockets

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import new_loop
from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.run.runner import Server, serving
from oddsdesk.server.settings import Settings
from oddsdesk.server.stream.endpoint import issue_token

RATE = 1_000
MESSAGES = 400_000
"""Of a flood, to all subscribers together."""
STEP = 1e-6
"""Each change has odds of its own: 1 + its number times this."""

Paths = Callable[[int], list[str]]
"""Returns this many paths of the stream, each with a different token."""


class Subscriber(asyncio.Protocol):
    """Shakes hands, then keeps every chunk with the time it came."""

    def __init__(self, path: str, host: str) -> None:
        self.path, self.host = path, host
        self.chunks: list[tuple[float, bytes]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast(asyncio.Transport, transport)  # uvloop's is none by class
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET {self.path} HTTP/1.1\r\nHost: {self.host}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self.chunks.append((time.monotonic(), data))

    def messages(self) -> list[tuple[float, int]]:
        """When each change came, and its number."""
        stream = b"".join(data for _, data in self.chunks)
        place = stream.index(b"\r\n\r\n") + 4
        ends = iter(self.chunks)
        when, data = next(ends)
        have = len(data)
        found = []
        while place + 4 <= len(stream):
            size, head = stream[place + 1] & 127, 2
            if size == 126:
                size, head = struct.unpack_from("!H", stream, place + 2)[0], 4
            place += head + size
            if place > len(stream):  # the rest is on its way
                break
            while have < place:
                when, data = next(ends)
                have += len(data)
            if stream[place - size - head] == 0x81:
                odds = json.loads(stream[place - size : place])["odds"]
                found.append((when, round((odds - 1) / STEP)))
        return found


def subscribe(address: str, paths: Sequence[str], pipe: Connection) -> None:
    """The process of the subscribers; answers with what they heard when told to end."""
    asyncio.run(_subscribe(address, paths, pipe))


async def _subscribe(address: str, paths: Sequence[str], pipe: Connection) -> None:
    host, port = address.removeprefix("http://").split(":")
    loop = asyncio.get_running_loop()
    subscribers = []
    for path in paths:
        _, made = await loop.create_connection(
            partial(Subscriber, path, f"{host}:{port}"), host, int(port)
        )
        subscribers.append(made)
    while not all(each.chunks for each in subscribers):
        await asyncio.sleep(0.01)
    noted = asyncio.Event()
    loop.add_reader(pipe.fileno(), noted.set)  # no thread: the machine may have none left by now
    pipe.send("ready")
    await noted.wait()
    loop.remove_reader(pipe.fileno())
    pipe.send([each.messages() for each in subscribers])


@contextlib.asynccontextmanager
async def subscribed(address: str, paths: Sequence[str]) -> AsyncIterator[Connection]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=subscribe, args=(address, paths, theirs))
    process.start()
    await asyncio.to_thread(ours.recv)
    try:
        yield ours
    finally:
        await asyncio.to_thread(process.join)


async def heard(pipe: Connection) -> list[list[tuple[float, int]]]:
    await asyncio.sleep(1.5)
    pipe.send("end")
    found: list[list[tuple[float, int]]] = await asyncio.to_thread(pipe.recv)
    return found


def quote(number: int) -> Quote:
    """Two changes, with the numbers ``number`` and ``number + 1``."""
    market = number // 2 % 5_000
    return Quote(
        bookmaker=f"Bookmaker {market % 25}",
        match_name=f"Home {market // 25} - Away {market // 25}",
        competition="EPL",
        market_type="total",
        period=0,
        odds={"Over 2.5": 1 + number * STEP, "Under 2.5": 1 + (number + 1) * STEP},
        scraped_at=system_clock(),
    )


async def latency(server: Server, paths: Paths, count: int, seconds: float, *, stuck: int) -> None:
    """Record ``RATE`` changes a second, ten at a time."""
    idle = [await asyncio.open_connection(*_endpoint(server), limit=1) for _ in range(stuck)]
    for _, writer in idle:
        handshake = Subscriber(paths(1)[0], "127.0.0.1")
        handshake.connection_made(writer.transport)
        writer.transport.pause_reading()
    async with subscribed(server.url, paths(count)) as pipe:
        sent: dict[int, float] = {}
        # Each run has numbers of its own: the same odds again would be no changes.
        first = number = (1 + bool(stuck)) * 1_000_000
        began = time.monotonic()
        while (elapsed := time.monotonic() - began) < seconds:
            while number - first < elapsed * RATE:
                sent.update(dict.fromkeys(range(number, number + 10), time.monotonic()))
                batch = [quote(each) for each in range(number, number + 10, 2)]
                await asyncio.wrap_future(server.store.record(batch))
                number += 10
            await asyncio.sleep(0.002)
        found = await heard(pipe)
    for _, writer in idle:
        writer.transport.abort()
    late = sorted((when - sent[n]) * 1000 for each in found for when, n in each)
    assert len(late) == count * len(sent), "messages were lost"
    p50, p99 = late[len(late) // 2], late[int(len(late) * 0.99)]
    bare = await echo_ms()
    print(
        f"{RATE} changes/s to {count} subscribers, {stuck} more stuck:"
        f" p50 {p50:.1f} ms, p99 {p99:.1f} ms, slowest {late[-1]:.1f} ms"
        f"   (bare loopback echo here: {bare[0]:.2f}, {bare[1]:.2f} ms)"
    )


async def flood(server: Server, paths: Paths, count: int) -> float:
    """Record many changes at once; return messages a second to the last subscriber."""
    changes = MESSAGES // count
    batch = [quote(count * 1_000_000 + number) for number in range(0, changes, 2)]
    async with subscribed(server.url, paths(count)) as pipe:
        began = time.monotonic()
        await asyncio.wrap_future(server.store.record(batch))
        committed = time.monotonic()
        await asyncio.sleep(2)
        found = await heard(pipe)
    assert all(len(each) == changes for each in found), "messages were lost"
    last = max(each[-1][0] for each in found)
    rate = count * changes / (last - committed)
    print(
        f"{changes} changes at once to {count} subscribers: {rate:,.0f} messages/s"
        f" (recorded in {committed - began:.2f} s)"
    )
    return rate


async def plain_broadcast(count: int) -> float:
    """The same frames by `websockets.broadcast`."""
    message = json.dumps({"match_name": "Home 1 - Away 1", "odds": 1.5, "filler": "x" * 190})
    async with serve_websockets(lambda c: c.wait_closed(), "127.0.0.1", 0, compression=None) as s:
        host, port = s.sockets[0].getsockname()[:2]
        async with subscribed(f"http://{host}:{port}", ["/"] * count) as pipe:
            began = time.monotonic()
            for number in range(MESSAGES // count):
                broadcast(s.connections, message)
                if number % 50 == 0:
                    await asyncio.sleep(0)
            await asyncio.sleep(4)
            found = await heard(pipe)
    last = max(each[-1][0] for each in found)
    rate = MESSAGES / (last - began)
    print(f"  websockets.broadcast: {rate:,.0f} messages/s")
    return rate


def _endpoint(server: Server) -> tuple[str, int]:
    host, port = server.url.removeprefix("http://").split(":")
    return host, int(port)


async def main(seconds: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with serving(Settings(Path(folder) / "odds.db", port=0)) as server:
            secret = server.access.keys.create("b", Plan.PRO_LIVE, None, system_clock()).secret
            caller = server.access.keys.caller(secret)
            assert caller is not None

            def paths(count: int) -> list[str]:
                issue = partial(issue_token, server.access.secret, caller, system_clock())
                return [f"/api/stream?token={issue()}" for _ in range(count)]

            await latency(server, paths, 20, seconds, stuck=0)
            await latency(server, paths, 20, seconds, stuck=10)
            for count in (20, 200):
                ours = await flood(server, paths, count)
                theirs = await plain_broadcast(count)
                print(f"  ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0))
