"""What connections that are slow cost somebody who asks in measure, and in memory (D83).

    PYTHONPATH=. python benchmarks/slow_connections.py [--connections 1000 10000] [--seconds 15] \
        [kind ...]

Starts `oddsdesk serve` on a fresh database. A bystander asks for `/api/sports` twenty times a
second with a key, at first alone, then with many connections that are reopened as soon as
the server ends them: they say nothing, a byte of a head or of a body a second, begin no TLS, or
say its first words a byte a second. They come from many addresses of the loopback network, so this
runs on Linux only. Both processes need as many descriptors (`ulimit -n`); the first line says how
many there are.
"""

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import socket
import statistics
import tempfile
import time
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from pathlib import Path

from attack import asking, resident_mb, served

from oddsdesk.base.tasks import spawn
from oddsdesk.server.edge.connections import make_room, most_connections
from tests.kit.deployed import Certificate

PACE_S = 1.0
OF_AN_ADDRESS = 500
OPENING = 200
"""How many of a process are being opened at a time."""
HEAD = b"GET /api/sports HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
BODY = b"POST /api/odds HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60000\r\n\r\n"
HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
"""How TLS begins."""
KINDS = {"silent": b"", "head": HEAD, "body": BODY, "tls": b"", "tls, hello": HELLO}
"""What each says at first."""


async def hold(
    number: int, port: int, first: bytes, opening: asyncio.Semaphore, held: "Synchronized[int]"
) -> None:
    """Be one of them until cancelled."""
    loop = asyncio.get_running_loop()
    address = f"127.0.{1 + number // OF_AN_ADDRESS}.1"
    while True:
        with contextlib.suppress(OSError), socket.socket() as connection:
            connection.setblocking(False)
            connection.bind((address, 0))
            async with opening:
                await loop.sock_connect(connection, ("127.0.0.1", port))
            held.value += 1
            try:
                if first:
                    await loop.sock_sendall(connection, first)
                    dribbling = spawn("dribble", dribble(connection))
                while await loop.sock_recv(connection, 4096):
                    pass
            finally:
                held.value -= 1
                if first:
                    dribbling.cancel()
        await asyncio.sleep(0.1)


async def dribble(connection: socket.socket) -> None:
    """Say a byte now and then."""
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while True:
            await asyncio.sleep(PACE_S)
            await loop.sock_sendall(connection, b"a")


def hold_all(
    port: int, first: bytes, connections: int, held: "Synchronized[int]", end: Event
) -> None:
    """Be all of them until the end."""
    make_room(connections)

    async def run() -> None:
        opening = asyncio.Semaphore(OPENING)
        tasks = [
            spawn("hold", hold(number, port, first, opening, held)) for number in range(connections)
        ]
        await asyncio.to_thread(end.wait)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())


def measured(url: str, pid: int, key: str, kind: str, connections: int, seconds: float) -> str:
    """Return the line of one kind on a running server."""
    context = multiprocessing.get_context("spawn")
    end, held = context.Event(), context.Value("i", 0)
    arguments = (int(url.rpartition(":")[2]), KINDS.get(kind, b""), connections, held, end)
    process = context.Process(target=hold_all, args=arguments)
    before = most = resident_mb(pid)
    most_held = 0
    with asking(url, key) as took:
        if connections:
            process.start()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(0.25)
            most, most_held = max(most, resident_mb(pid)), max(most_held, held.value)
        end.set()
        if connections:
            process.join()
    cut = statistics.quantiles(took, n=100)
    return (
        f"{kind:16} {connections:6} {most_held:6} held  p50 {cut[49] * 1000:7.1f}"
        f"  p99 {cut[98] * 1000:7.1f}  most {max(took) * 1000:7.1f} ms"
        f"  {before:5.0f} -> {most:5.0f} MB"
    )


def main() -> None:
    """Print a line for each kind and number of connections."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, nargs="+", default=[1000])
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    options = parser.parse_args()
    most = max(options.connections)
    make_room(most)
    print(f"load {os.getloadavg()[0]:.1f}; room for {most_connections()} connections")
    for kind in ("nobody", *options.kinds):
        for connections in options.connections if kind != "nobody" else [0]:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                given = ["--max-connections", str(most + 100)]
                if kind.startswith("tls"):
                    certificate = Certificate(folder)
                    given += ["--tls-cert", str(certificate.file)]
                    given += ["--tls-key", str(certificate.key)]
                    os.environ["SSL_CERT_FILE"] = str(certificate.file)
                with served(folder, *given) as (url, pid, key):
                    named = url.replace("127.0.0.1", "localhost")
                    line = measured(named, pid, key, kind, connections, options.seconds)
                    print(line, flush=True)


if __name__ == "__main__":
    main()
