"""A season by the client in few requests, compared with game by game.

    python benchmarks/bulk_history.py [FILE.csv ...]

Files of football-data.co.uk, or a made-up season of 380 games, are imported and served by
`oddsdesk serve`. The client reads all moves and results by `/api/history`, then by the history of
each game. The moves must be those of `oddsdesk export changes`. Meanwhile another key asks for
odds, and its waits are measured, with and without such a reader.
"""

import asyncio
import contextlib
import csv
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from oddsdesk.client import MOVES_PATH, Client, to_dicts
from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote, quote_line
from oddsdesk.contract.results import GameResult, result_line
from oddsdesk.contract.times import DAY_MS, HOUR_MS, format_ms, parse_ms
from oddsdesk.network.http import Unpacking
from oddsdesk.store.access import open_access

BEGINS = parse_ms("2024-08-16T19:00:00Z")
FIELDS = ("game_id", "bookmaker", "market_type", "selection", "scraped_at")
PAUSE_S = 0.02


class GameByGame(Client):
    """Reads a service as one without ``/api/history``."""

    async def offers(self, path: str, parameter: str = "") -> bool:
        """Return whether the service has a path, except this one."""
        return path != MOVES_PATH and await super().offers(path, parameter)


class Read(NamedTuple):
    """What reading a season took."""

    requests: int
    seconds: float
    received: int
    rows: list[dict[str, Any]]
    results: int


def season() -> Iterator[bytes]:
    """Yield lines of a season in football-data's shape: 84 moves a game."""
    for number, teams in enumerate(permutations([f"Team {each}" for each in range(20)], 2)):
        kick_off, name = BEGINS + number * 17 * HOUR_MS, " vs ".join(teams)
        sides = {
            "moneyline": (teams[0], "Draw", teams[1]),
            "total": ("Over 2.5", "Under 2.5"),
            "spread": (f"{teams[0]} -0.5", f"{teams[1]} +0.5"),
        }
        for at in (kick_off - DAY_MS, kick_off):
            for book, (market, names) in product(range(6), sides.items()):
                odds = dict.fromkeys(names, 2 + (book + number + at // HOUR_MS) % 9 / 10)
                yield quote_line(
                    Quote(f"Book {book}", name, "EPL", market, 0, odds, at, match_date=kick_off)
                )
        yield result_line(GameResult("EPL", name, kick_off, 2, 1, source="scores"))


def run(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "oddsdesk", *map(str, arguments)], check=True)


@contextlib.contextmanager
def serving(database: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "oddsdesk", "serve", "--port", "0", "--feed", "none"]
    process = subprocess.Popen(
        [*command, "--database", str(database)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield next(line for line in process.stdout if "listening" in line).split()[-1]
    finally:
        process.terminate()
        process.wait(30)


@contextlib.contextmanager
def counted_bytes() -> Iterator[list[int]]:
    """Count the bytes of all answers, as they come."""
    received, feed = [0], Unpacking.feed

    def count(self: Unpacking, chunk: bytes) -> Iterator[None]:
        received[0] += len(chunk)
        return feed(self, chunk)

    Unpacking.feed = count  # type: ignore[method-assign]
    try:
        yield received
    finally:
        Unpacking.feed = feed  # type: ignore[method-assign]


async def read_season(client: Client, span: dict[str, str]) -> Read:
    allowed = Plan.PRO_LIVE.rights.requests
    used = allowed if client.quota is None else client.quota.remaining
    began = time.perf_counter()
    with counted_bytes() as received:
        moves = [move async for move in client.all_moves(**span)]
        results = [row async for row in client.all_results(**span)]
    seconds = time.perf_counter() - began
    assert client.quota is not None
    used -= client.quota.remaining
    return Read(used, seconds, received[0], to_dicts(moves), len(results))


@contextlib.contextmanager
def another_program(url: str, key: str) -> Iterator[list[float]]:
    """Ask for odds in another process; at the end the list has the milliseconds of each answer."""
    waits: list[float] = []
    command = [sys.executable, __file__, "--ask", url, key]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield waits
        process.terminate()
        waits += map(float, process.stdout.read().split())


async def ask_for_odds(url: str, key: str) -> None:
    async with Client(url, key) as client:
        while True:
            began = time.perf_counter()
            await client.odds(limit=100)
            print((time.perf_counter() - began) * 1000, flush=True)
            await asyncio.sleep(PAUSE_S)


def shown(read: Read) -> str:
    counts = f"{len(read.rows):,} moves, {read.results} results"
    took = f"{read.requests} requests, {read.seconds:.2f} s, {read.received / 1e6:.2f} MB"
    return f"{took} ({counts})"


def waits_shown(waits: list[float]) -> str:
    ordered = sorted(waits)
    high = ordered[int(len(ordered) * 0.99)]
    return f"median {median(ordered):.1f} ms, 99 % {high:.1f} ms, of {len(ordered)}"


def identity(row: dict[str, Any]) -> tuple[str, ...]:
    odds = "" if row["odds"] in (None, "") else repr(float(row["odds"]))
    return (*(row[name] for name in FIELDS), odds, str(row["is_live"]).lower())


async def compare(url: str, keys: list[str], exported: list[dict[str, Any]]) -> bool:
    times = [row["scraped_at"] for row in exported]
    last = format_ms(parse_ms(max(times)) + DAY_MS)
    span = {"since": format_ms(parse_ms(min(times)) - DAY_MS), "until": last}
    async with Client(url, keys[0]) as client:
        with another_program(url, keys[2]) as alone:
            await asyncio.sleep(3)
        with another_program(url, keys[2]) as busy:
            reads = [await read_season(client, span) for _ in range(6)]
    async with GameByGame(url, keys[1]) as slow:
        by_game = await read_season(slow, span)
    print("at once:     ", shown(min(reads, key=lambda read: read.seconds)))
    print("game by game:", shown(by_game))
    print("odds of another key, alone:    ", waits_shown(alone))
    print("odds of another key, meanwhile:", waits_shown(busy))
    wanted = sorted(map(identity, exported))
    are_equal = [sorted(map(identity, read.rows)) == wanted for read in (*reads, by_game)]
    print("rows equal to `export changes`:", all(are_equal))
    return all(are_equal)


def main() -> int:
    if "--ask" in sys.argv:
        asyncio.run(ask_for_odds(*sys.argv[2:]))
    with TemporaryDirectory() as folder:
        database, changes = Path(folder) / "odds.db", Path(folder) / "changes.csv"
        if len(sys.argv) > 1:
            run("import", "football-data", *sys.argv[1:], "--database", database)
        else:
            lines = Path(folder) / "season.ndjson"
            lines.write_bytes(b"\n".join(season()))
            run("ingest", lines, "--database", database)
        run("export", "changes", changes, "--database", database)
        access = open_access(database)
        now = int(time.time() * 1000)
        keys = [access.keys.create(name, Plan.PRO_LIVE, None, now).secret for name in "abc"]
        access.close()
        with changes.open(newline="") as stream:
            exported = list(csv.DictReader(stream))
        with serving(database) as url:
            is_equal = asyncio.run(compare(url, keys, exported))
    return 0 if is_equal else 1


if __name__ == "__main__":
    sys.exit(main())
