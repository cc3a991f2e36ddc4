"""A minute of polling: bytes received with ETag and gzip, and the server's processor time.

    python benchmarks/polling.py FILE...

The files are answers of The Odds API, imported with ``--shift-to-now``, served by the real program.

- Quiet: nothing is recorded. Each list is polled 60 times, as once a second for a minute, over one
  connection and without the waits.
- Moving: the simulator sees its prices again and again. Lists are polled once a second for a
  minute, and a stream is open meanwhile.
"""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import httpx
from websockets.asyncio.client import connect

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access

POLLS = 60
PATHS = ("/api/odds?limit=500", "/api/odds?limit=500&format=csv", "/api/games", "/api/events")
MOVING = (
    "/api/odds?competition=EPL&limit=500",
    "/api/odds?competition=EPL&limit=500&bookmaker=Pinnacle",
    "/api/games",
    "/api/value-bets",
)
STREAMED = {"competition": "EPL"}
WARM_S = 20
MODES = {
    "as it is": ({}, False),
    "ETag": ({}, True),
    "gzip": ({"Accept-Encoding": "gzip"}, False),
    "ETag, gzip": ({"Accept-Encoding": "gzip"}, True),
}
PROGRAM = Path(sys.executable).with_name("oddsdesk")


def cpu_s(pid: int) -> float:
    """Return the processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Polls:
    """Polls a list in a mode, and counts."""

    def __init__(self, url: str, key: str, path: str, mode: str) -> None:
        self._connection = HTTPConnection(url.removeprefix("http://"))
        self._path, self._mode = path, mode
        more, self._has_tags = MODES[mode]
        self._headers = {"X-Api-Key": key, **more}
        self._received, self._statuses = 0, {200: 0, 304: 0}

    def poll(self) -> None:
        """Send one request."""
        self._connection.request("GET", self._path, headers=self._headers)
        answer = self._connection.getresponse()
        head = sum(len(name) + len(value) + 4 for name, value in answer.getheaders()) + 19
        self._received += head + len(answer.read())
        self._statuses[answer.status] += 1
        if self._has_tags:
            self._headers["If-None-Match"] = answer.headers["ETag"]

    def tell(self, spent: str = "") -> None:
        """Print the figures, and close the connection."""
        self._connection.close()
        counts = f"{self._statuses[200]:3} {self._statuses[304]:3}"
        said = f"{counts} {self._received / 1000:10,.1f} kB {spent:8}"
        print(said, self._path, f"({self._mode})", flush=True)


@contextmanager
def served(database: Path, *options: str) -> Iterator[tuple[str, str, int]]:
    """Run the program; yield its address, a key and its process."""
    with subprocess.Popen(
        [PROGRAM, "serve", "--port", "0", "--database", database, *options],
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            assert found is not None
            with closing(open_access(database)) as access:
                key = access.keys.create("polls", Plan.PRO_LIVE, None, system_clock()).secret
            yield found[0], key, server.pid
        finally:
            server.terminate()


def poll_quiet(database: Path) -> None:
    """Poll lists that do not change."""
    with served(database) as (url, key, pid):
        print("nothing changes\n200 304    received server CPU")
        for path in PATHS:
            for mode in MODES:
                polls, before = Polls(url, key, path, mode), cpu_s(pid)
                for _ in range(POLLS):
                    polls.poll()
                polls.tell(f"{cpu_s(pid) - before:6.2f} s")


async def poll_moving(database: Path) -> None:
    """Poll lists while a feed keeps re-reading the prices; a stream runs too, to compare."""
    with served(database, "--feed", "simulator") as (url, key, _):
        await asyncio.sleep(WARM_S)
        polls = [Polls(url, key, path, mode) for path in MOVING for mode in MODES]
        received, messages = 0, 0

        async def listen() -> None:
            nonlocal received, messages
            token = httpx.post(f"{url}/api/stream/token", headers={"X-Api-Key": key}).json()
            query = urlencode({"token": token["token"], **STREAMED})
            async with connect(f"ws{url.removeprefix('http')}/api/stream?{query}") as stream:
                async for text in stream:
                    received, messages = received + len(text), messages + 1

        async with asyncio.timeout(POLLS + WARM_S), asyncio.TaskGroup() as tasks:
            listening = tasks.create_task(listen())
            begin = time.monotonic()
            for second in range(POLLS):
                await asyncio.sleep(max(begin + second - time.monotonic(), 0))
                for each in polls:
                    await asyncio.to_thread(each.poll)
            listening.cancel()
        print("a simulator sees prices again\n200 304    received")
        for each in polls:
            each.tell()
        print(f"stream, {STREAMED}: {messages} messages, {received / 1000:,.1f} kB")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "odds.db"
        files = ["the-odds-api", *sys.argv[1:], "--database", str(database), "--shift-to-now"]
        subprocess.run([PROGRAM, "import", *files], check=True, stdout=subprocess.DEVNULL)
        poll_quiet(database)
        asyncio.run(poll_moving(Path(folder) / "simulated.db"))


if __name__ == "__main__":
    main()
