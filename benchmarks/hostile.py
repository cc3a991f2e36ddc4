"""What a service that misbehaves costs a desk: memory, blocked time, and what the desk says.

    python benchmarks/hostile.py [misbehaviour ...]

The service is a process of its own; the desk's side is a board that is kept current from it, as
in the desk but without a window. Resident memory is read from /proc, so this runs on Linux only.
"""

import asyncio
import json
import logging
import multiprocessing
import re
import resource
import subprocess
import sys
import time
import zlib
from collections.abc import AsyncIterator
from multiprocessing.connection import Connection as Pipe
from typing import Final

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from oddsdesk.board.board import Board
from oddsdesk.board.sync import Sync
from oddsdesk.client import Client
from oddsdesk.clock import system_clock
from oddsdesk.contract.resources import PriceMessage
from oddsdesk.desk.shell.status_bar import link_text

KEY: Final = "oddsdesk_live_" + "0123456789abcdef" * 2
MIB: Final = 1024 * 1024
WATCHED_S: Final = 4.0
_MOVES: Final = re.compile(r"lag |for |next try |.* changes a minute$")
"""What of the status bar's line is another every second."""
_EMPTY: Final = {"data": [], "meta": {"rate_limit_remaining": 99, "count": 0}}
_MESSAGE: Final = PriceMessage(
    "B", "A - C", "EPL", "Football", "moneyline", "A", 2.0, 0, False, "2026-11-20T18:30:00.000Z"
)


def bomb() -> bytes:
    """Return 300 KB of gzip that are 300 MiB of blanks."""
    packing = zlib.compressobj(9, wbits=31)
    return b"".join([*(packing.compress(b" " * MIB) for _ in range(300)), packing.flush()])


async def _for_ever() -> AsyncIterator[bytes]:
    while True:
        yield b" " * 65_536


class Service:
    """Answers everything with an empty list, but for its one misbehaviour."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.bomb = bomb()

    async def answer(self, request: Request) -> Response:
        if request.url.path == "/api/stream/token":
            return JSONResponse({"token": "t", "expires_in": 300})
        if request.url.path != "/api/games":
            return JSONResponse(_EMPTY)
        match self.name:
            case "gzip bomb":
                return Response(self.bomb, headers={"Content-Encoding": "gzip"})
            case "endless body":
                return StreamingResponse(_for_ever())
            case "repeated cursor":
                meta = {"rate_limit_remaining": 99, "count": 0, "next_cursor": "same"}
                return JSONResponse({"data": [], "meta": meta})
            case "nested body":
                return Response(b"[" * MIB)
            case "reset in ms":
                headers = {"X-RateLimit-Reset": str(system_clock()), "X-RateLimit-Remaining": "9"}
                return JSONResponse(_EMPTY, headers=headers)
        return JSONResponse(_EMPTY)

    async def stream(self, socket: WebSocket) -> None:
        await socket.accept()
        good = msgspec.json.encode(_MESSAGE).decode()
        if self.name == "nested frames":
            for _ in range(200):
                await socket.send_text("[" * 60_000)
        if self.name == "70 KB name":
            await socket.send_text(json.dumps({**json.loads(good), "match_name": "x" * 70_000}))
        await socket.send_text(good)
        await socket.receive()


def serve(name: str, heard: Pipe) -> None:
    """Be the service until the process is ended."""
    service = Service(name)
    paths = Route("/{path:path}", service.answer, methods=["GET", "POST"])
    app = Starlette(routes=[WebSocketRoute("/api/stream", service.stream), paths])
    config = uvicorn.Config(app, port=0, log_config=None, ws="websockets-sansio")
    server = uvicorn.Server(config)

    async def run() -> None:
        serving = asyncio.ensure_future(server.serve())  # noqa: TID251 - no program of ours
        while not server.started:
            await asyncio.sleep(0.01)
        heard.send(server.servers[0].sockets[0].getsockname()[1])
        await serving

    asyncio.run(run())


class FailingBoard(Board):
    """A board that is broken: it cannot take in a list of games."""

    def load_games(self, games: object) -> None:
        raise KeyError("what nobody foresaw")


class Watch:
    """Notes what the desk says and when, and how long the loop was held."""

    def __init__(self, board: Board) -> None:
        self.began = time.monotonic()
        self.said: list[tuple[float, str]] = []
        self.longest_s = 0.0
        self._board = board
        board.subscribe(lambda _: self._look())

    def _look(self) -> None:
        text = link_text(self._board.connection, system_clock()).split(" · ")
        shown = " · ".join(
            part
            for part in text
            if not part.endswith("minute") and not part.startswith(("for ", "lag", "next"))
        )
        if not self.said or self.said[-1][1] != shown:
            self.said.append((time.monotonic() - self.began, shown))

    async def beat(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.005)
            self.longest_s = max(self.longest_s, time.monotonic() - before - 0.005)


async def misbehave(name: str, port: int) -> None:
    """Keep a board current from the service for a while, and print what came of it."""
    board: Board = (FailingBoard if name == "failing job" else Board)(system_clock)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    async with Client(f"http://127.0.0.1:{port}", KEY) as client:
        watch, sync = Watch(board), Sync(client, board, system_clock)
        sync.start()
        beating = asyncio.get_running_loop().create_task(watch.beat())
        await asyncio.sleep(WATCHED_S)
        beating.cancel()
        said = watch.said[:]
        await sync.stop()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name}: {before:.0f} -> {after:.0f} MiB, loop held {watch.longest_s * 1000:.0f} ms")
    for at, text in said:
        print(f"    {at * 1000:6.0f} ms  {text[:150]}")


NAMES: Final = (
    "gzip bomb", "endless body", "repeated cursor", "nested body", "reset in ms", "nested frames",
    "70 KB name", "failing job",
)  # fmt: skip


def main() -> None:
    """Do one misbehaviour, or each in a process of its own: memory is told as the most so far."""
    if len(sys.argv) != 2:
        for name in sys.argv[1:] or NAMES:
            subprocess.run([sys.executable, __file__, name], check=True)
        return
    logging.disable()
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    service = context.Process(target=serve, args=(sys.argv[1], there), daemon=True)
    service.start()
    asyncio.run(misbehave(sys.argv[1], here.recv()))
    service.kill()
    service.join()


if __name__ == "__main__":
    main()
