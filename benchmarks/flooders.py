"""How much clients that flood the server slow down an ordinary one (D83).

    PYTHONPATH=. python benchmarks/flooders.py [--connections 1 20 200] [--seconds 5] [kind ...]

Starts `oddsdesk serve` on a fresh database. A bystander asks for `/api/sports` twenty times a
second with a key: first alone, then with each kind of flooder. A flooder opens the given number
of connections, and on each repeats one request and reads the answers. The first line, without
flooders, is what the machine itself needs.
"""

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import statistics
import tempfile
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import httpx
from attack import MEGABYTE, asking, resident_mb, served
from websockets.asyncio.client import connect
from websockets.frames import Frame, Opcode

from oddsdesk.base.tasks import spawn
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access

AHEAD = 64
"""Requests that are sent before their answers are there."""


def request(path: str, key: str = "") -> bytes:
    shown = f"X-Api-Key: {key}\r\n" if key else ""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{shown}\r\n".encode()


KINDS = {
    "401": lambda _: request("/api/odds"),
    "unknown key": lambda _: request("/api/odds", "oddsdesk_live_" + "0" * 32),
    "404": lambda key: request("/nowhere", key),
    "429": lambda key: request("/api/odds", key),
    "health": lambda _: request("/api/health"),
    "docs": lambda _: request("/docs"),
    "openapi": lambda _: request("/openapi.json"),
    "ping": None,
    "text": None,
}


async def ask_on(port: int, said: bytes) -> None:
    """Send a request again and again on one connection, which is reopened when it ends."""
    while True:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writing = spawn("write", _write(writer, said * AHEAD))
                while await reader.read(1 << 16):
                    pass
                writing.cancel()
            finally:
                writer.close()
        await asyncio.sleep(0.01)


async def _write(writer: asyncio.StreamWriter, said: bytes) -> None:
    while True:
        writer.write(said)
        await writer.drain()


async def speak_on(url: str, key: str, kind: str) -> None:
    """Send frames again and again on one stream."""
    opcode = Opcode.PING if kind == "ping" else Opcode.TEXT
    frames = b"".join(Frame(opcode, b"ping").serialize(mask=True) for _ in range(AHEAD))
    while True:
        with contextlib.suppress(OSError, httpx.HTTPError, KeyError, ValueError):
            async with httpx.AsyncClient(base_url=url, headers={"X-Api-Key": key}) as http:
                token = (await http.post("/api/stream/token")).json()["token"]
            address = f"{url.replace('http', 'ws')}/api/stream?token={token}"
            async with connect(address, max_queue=None, ping_interval=None) as stream:

                async def write() -> None:
                    while True:
                        stream.transport.write(frames)
                        await asyncio.sleep(0)
                        while stream.transport.get_write_buffer_size() > 1 << 18:
                            await asyncio.sleep(0.001)

                writing = spawn("write", write())
                try:
                    async for _ in stream:
                        pass
                finally:
                    writing.cancel()
        await asyncio.sleep(0.05)


def flood(url: str, kind: str, key: str, connections: int, end: Event) -> None:
    """Flood until the end."""

    async def run() -> None:
        port = int(url.rpartition(":")[2])
        make = KINDS[kind]
        tasks = [
            spawn("flood", ask_on(port, make(key)) if make else speak_on(url, key, kind))
            for _ in range(connections)
        ]
        await asyncio.to_thread(end.wait)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())


def measured(
    url: str, pid: int, key: str, kind: str, flooder: str, connections: int, seconds: float
) -> str:
    context = multiprocessing.get_context("spawn")
    end = context.Event()
    process = context.Process(target=flood, args=(url, kind, flooder, connections, end))
    before = resident_mb(pid)
    with asking(url, key) as took:
        if connections:
            process.start()
        time.sleep(seconds)
        most = resident_mb(pid)
        end.set()
        if connections:
            process.join()
    cut = statistics.quantiles(took, n=100)
    return (
        f"{kind if connections else 'nobody':12} {connections:4}  p50 {cut[49] * 1000:7.1f}"
        f"  p99 {cut[98] * 1000:7.1f}  most {max(took) * 1000:7.1f} ms"
        f"  {before:5.0f} -> {most:5.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 20, 200])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (url, pid, key):
        with contextlib.closing(open_access(Path(folder) / "odds.db")) as access:
            now = time.time_ns() // 1_000_000
            spent = access.keys.create("spent", Plan.FREE, "Meridian", now).secret
            streaming = access.keys.create("flooder", Plan.PRO_LIVE, None, now).secret
            keys = [access.keys.create(k, Plan.PRO_LIVE, None, now).secret for k in options.kinds]
        print(f"load {os.getloadavg()[0]:.1f}; {MEGABYTE:,} bytes a MB")
        print(measured(url, pid, key, "", "", 0, options.seconds))
        for kind, asks in zip(options.kinds, keys, strict=True):  # one would spend its hour
            flooder = streaming if kind in ("ping", "text", "404") else spent
            for connections in options.connections:
                shown = measured(url, pid, asks, kind, flooder, connections, options.seconds)
                print(shown, flush=True)


if __name__ == "__main__":
    main()
