"""100,000 lines with 1 % bad over each way in: what was counted, which lines were named, how fast.

    python benchmarks/lines.py [--lines 100000] [--seed 7]

Bad lines lie at random places (seeded) and are of nine kinds: cut short, no JSON, other types,
missing fields, odds of 1, times far ahead, bytes that are no text, blank but for a brace, nested
without end. They go to `oddsdesk serve` as the output of a program, as the body of `POST /ingest`,
plain and packed, and as messages of a WebSocket, ten lines each. Prices are counted in the
database, bad lines by what the log or the answer names. Ends with 1 where anything differs. Lines a
second count from the server's start, for posts from the request.
"""

import argparse
import gzip
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve as serve_web_socket

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.times import format_ms
from oddsdesk.store.owner_secret import owner_header

MESSAGE_LINES = 10
LIMIT_S = 300.0
SELECTIONS = 2
_NAMED = re.compile(r"bad lines ([\d, ]+);")


class Lines(NamedTuple):
    text: list[bytes]
    bad: list[int]
    """Numbers, from 1."""

    @property
    def whole(self) -> bytes:
        return b"\n".join(self.text) + b"\n"


def good(number: int, **changes: Any) -> bytes:
    home = f"Home {number // 20}"
    row = {
        "bookmaker": f"Bookmaker {number % 20}",
        "match_name": f"{home} vs Away",
        "competition": "EPL",
        "market_type": "moneyline",
        "period": 0,
        "odds": {home: 2.0, "Away": 1.9},
        "scraped_at": format_ms(system_clock()),
    }
    return json.dumps(row | changes).encode()


def made(count: int, random: Random) -> Lines:
    """Return so many lines, one in a hundred bad."""
    bad = sorted(random.sample(range(1, count + 1), count // 100))
    kinds = [
        lambda n: good(n)[:40],
        lambda n: b"Home 3 vs Away 2.10",
        lambda n: good(n, period="first"),
        lambda n: b'{"bookmaker": "A"}',
        lambda n: good(n, odds={"Home": 1.0}),
        lambda n: good(n, scraped_at="2199-01-01T00:00:00Z"),
        lambda n: good(n).replace(b"Away", b"\xff\xfe", 1),
        lambda n: b"{",
        lambda n: b"[" * 5_000,
    ]
    places = set(bad)
    text = [
        random.choice(kinds)(number) if number in places else good(number)
        for number in range(1, count + 1)
    ]
    return Lines(text, bad)


class Outcome(NamedTuple):
    changes: int
    named: list[int]
    seconds: float

    def line(self, way: str, lines: Lines) -> str:
        good_lines = len(lines.text) - len(lines.bad)
        right = "right" if self.is_right(lines) else "WRONG"
        return (
            f"{way:<12}{self.changes // SELECTIONS:>9,} of {good_lines:,} recorded,"
            f" {len(self.named):,} of {len(lines.bad):,} bad lines named: {right};"
            f" {len(lines.text) / self.seconds:,.0f} lines/s"
        )

    def is_right(self, lines: Lines) -> bool:
        good_lines = len(lines.text) - len(lines.bad)
        return (self.changes, self.named) == (good_lines * SELECTIONS, lines.bad)


class Service:
    """A server on a fresh database, with at most one feed; its log is kept."""

    def __init__(self, folder: Path, *feeds: str) -> None:
        self._database, self._log = folder / "odds.db", folder / "log"
        command = [sys.executable, "-m", "oddsdesk", "serve", "--port", "0"]
        command += ["--database", str(self._database)]
        self._began = time.monotonic()
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*command, *(part for feed in feeds for part in ("--feed", feed))],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip().removeprefix("listening on ")

    def owner(self) -> dict[str, str]:
        return owner_header(self._database)

    def changes(self) -> int:
        with closing(sqlite3.connect(self._database)) as connection:
            return int(connection.execute("SELECT count(*) FROM price_change").fetchone()[0])

    def outcome(self, lines: Lines) -> Outcome:
        """Wait until all is recorded and named, or nothing has moved for a while."""
        before, moved_at = (-1, -1), time.monotonic()
        while True:
            counts = (self.changes(), len(self._named()))
            if counts != before:
                before, moved_at = counts, time.monotonic()
            wanted = ((len(lines.text) - len(lines.bad)) * SELECTIONS, len(lines.bad))
            if counts == wanted or time.monotonic() - moved_at > 10:
                return Outcome(counts[0], self._named(), moved_at - self._began)
            time.sleep(0.2)

    def _named(self) -> list[int]:
        found = _NAMED.findall(self._log.read_text(errors="replace"))
        return [int(number) for numbers in found for number in numbers.split(",")]

    def close(self) -> None:
        self._process.terminate()
        self._process.communicate()


def by_exec(folder: Path, lines: Lines) -> Outcome:
    (folder / "lines").write_bytes(lines.whole)
    with closing(Service(folder, f"exec:cat {folder / 'lines'}")) as service:
        return service.outcome(lines)


def by_post(folder: Path, lines: Lines, *, packed: bool = False) -> Outcome:
    with closing(Service(folder)) as service:
        body = gzip.compress(lines.whole, 1) if packed else lines.whole
        headers = service.owner()
        headers |= {"Content-Encoding": "gzip"} if packed else {}
        began = time.monotonic()
        answer = httpx.post(f"{service.url}/ingest", content=body, headers=headers, timeout=LIMIT_S)
        seconds = time.monotonic() - began
        said = answer.raise_for_status().json()
        accepted = int(said["accepted"])
        changes = service.changes()
        if accepted * SELECTIONS != changes:
            changes = -1
        return Outcome(changes, [each["line"] for each in said["rejected"]], seconds)


@contextmanager
def streaming(lines: Lines) -> Iterator[str]:
    def play(socket: Any) -> None:
        for start in range(0, len(lines.text), MESSAGE_LINES):
            socket.send(b"\n".join(lines.text[start : start + MESSAGE_LINES]))
        with suppress(ConnectionClosed):
            socket.recv()

    with serve_web_socket(play, "127.0.0.1", 0, compression=None) as server:
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}/odds"
        server.shutdown()


def by_web_socket(folder: Path, lines: Lines) -> Outcome:
    with streaming(lines) as address, closing(Service(folder, address)) as service:
        return service.outcome(lines)


WAYS = {
    "exec": by_exec,
    "POST": by_post,
    "POST, packed": lambda folder, lines: by_post(folder, lines, packed=True),
    "WebSocket": by_web_socket,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    is_right = True
    for way, run in WAYS.items():
        lines = made(options.lines, Random(options.seed))
        with tempfile.TemporaryDirectory() as folder:
            outcome = run(Path(folder), lines)
        is_right = is_right and outcome.is_right(lines)
        print(outcome.line(way, lines), flush=True)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
