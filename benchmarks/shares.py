"""How much one busy key slows down another: p50 and p99 of the other key's answers.

    PYTHONPATH=. python benchmarks/shares.py [--connections 1 4 16 50 400] [--seconds 5] [load ...]

Starts `oddsdesk serve` on a file with 50,000 quotes and a log of a million rows. A caller
alternates between `/api/sports` and `/api/odds?limit=100`, forty requests a second: first alone,
then while `wrk` sends requests with another key on each number of `--connections`. `wrk` asks for
500 rows (`page`), for 500 games (`games`), for 500 rows as of a minute ago (`past`), or for a path
that does not exist (`none`). The bound is three times the idle figure and 20 ms. With `--url` and
`--database` it measures a server that already runs, such as one behind a proxy, in several
processes or on PostgreSQL; `--database` is where its keys are.
"""

import argparse
import http.client
import os
import re
import sqlite3
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from rest_odds import quotes
from workers import serving

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import Database, DatabaseUrl, database_named
from oddsdesk.store.store import open_store

ASKED = ("/api/sports", "/api/odds?limit=100")
PAUSE_S = 0.025
HOUR_MS = 3_600_000
KICK_OFF_MS = (system_clock() // (24 * HOUR_MS) + 2) * 24 * HOUR_MS
DAYS = 7
_INSERT = """
INSERT INTO price_change (game, bookmaker, market_type, period, selection, odds, is_live,
    scraped_at, recorded_at) VALUES (?, ?, 'total', ?, ?, ?, 0, ?, ?)
"""


def load_path(kind: str) -> str:
    """Return the path that the busy key asks for."""
    if kind == "none":
        return "/nowhere"
    if kind == "page":
        return "/api/odds?limit=500"
    if kind == "games":
        return "/api/games?limit=500"
    then = datetime.now(UTC) - timedelta(minutes=1)
    return f"/api/odds?limit=500&as_of={then:%Y-%m-%dT%H:%M:%SZ}"


def fill(database: Database, count: int, rows: int) -> None:
    """Record quotes, and in a file also a log of a week."""
    offer(database, count)
    if isinstance(database, DatabaseUrl):
        return
    with closing(sqlite3.connect(database)) as connection:
        connection.executemany(_INSERT, _moves(count, rows, system_clock()))
        connection.commit()


def offer(database: Database, count: int) -> None:
    """Record quotes that stay fresh for ten minutes."""
    offered = quotes(count, system_clock(), KICK_OFF_MS)
    with closing(open_store(database)) as store:
        for start in range(0, count, 500):
            store.record(offered[start : start + 500]).result()


def _moves(count: int, rows: int, now_ms: int) -> Iterator[tuple[object, ...]]:
    chance, length = Random(7), DAYS * 24 * HOUR_MS
    for row in range(rows):
        at, number = now_ms - length + length * row // rows, chance.randrange(count)
        selection, odds = chance.choice(["Over 2.5", "Under 2.5"]), chance.uniform(1.8, 2.2)
        game, bookmaker, period = number // 100 + 1, f"Bookmaker {number % 25}", number % 100 // 25
        yield game, bookmaker, period, selection, round(odds, 2), at, at


@contextmanager
def asking(url: str, path: str, key: str, connections: int, seconds: float) -> Iterator[list[str]]:
    """Run wrk while inside; afterwards the list holds what it printed."""
    printed: list[str] = []
    if not connections:
        yield printed
        return
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds + 2:g}s", "--timeout", "30s"]
    command += ["-H", f"X-Api-Key: {key}", url + path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        time.sleep(1)
        yield printed
        assert process.stdout is not None
        printed += process.stdout.read().splitlines()


def ask(url: str, key: str, seconds: float) -> tuple[dict[str, list[float]], Counter[int]]:
    """Ask for the paths alternately; return how long answers took (ms), and their statuses."""
    took: dict[str, list[float]] = {path: [] for path in ASKED}
    statuses: Counter[int] = Counter()
    end = time.monotonic() + seconds
    host = url.removeprefix("http://")
    with closing(http.client.HTTPConnection(host, timeout=60)) as connection:
        while time.monotonic() < end:
            for path in ASKED:
                began = time.monotonic()
                connection.request("GET", path, headers={"X-Api-Key": key})
                answer = connection.getresponse()
                answer.read()
                took[path].append((time.monotonic() - began) * 1000)
                statuses[answer.status] += 1
                time.sleep(PAUSE_S)
    return took, statuses


def of_wrk(printed: list[str]) -> str:
    """Return how many answers a second wrk got, and how many of them were errors."""
    said = "\n".join(printed)
    found = re.search(r"(\d+) requests in ([\d.]+)s", said)
    if found is None:
        return "no other load"
    count, seconds = int(found[1]), float(found[2])
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    others = int(refused[1]) if refused else 0
    return f"{(count - others) / seconds:7.1f} answers/s, {others / seconds:7.1f} refusals/s"


def measured(url: str, keys: tuple[str, str], kind: str, connections: int, seconds: float) -> str:
    """Return a line of the table."""
    asks, caller = keys
    with asking(url, load_path(kind), asks, connections, seconds) as printed:
        took, statuses = ask(url, caller, seconds)
    cells = []
    for times in took.values():
        cut = statistics.quantiles(times * 2, n=100)  # of one that took all the time as well
        cells.append(f"{cut[49]:8.1f} {cut[98]:8.1f}")
    bad = "" if set(statuses) == {200} else f"  caller's statuses {dict(statuses)}"
    name = kind if connections else "idle"
    return f"{name:5} {connections:4}   {'   '.join(cells)}   {of_wrk(printed)}{bad}"


def main() -> None:
    """Print a line for each load and number of connections."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 4, 16, 50, 400])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--quotes", type=int, default=50_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--url")
    parser.add_argument("--database", help="file or postgresql://...; is filled if it is new")
    parser.add_argument("kinds", nargs="*", default=["page", "games", "past", "none"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = database_named(options.database or str(Path(folder, "odds.db")))
        if options.url is None and not (isinstance(database, Path) and database.exists()):
            fill(database, options.quotes, options.rows)
        if options.url is not None:
            table(options.url, database, options)
            return
        with serving(database, 1) as served:
            table(served.url, database, options)


def table(url: str, database: Database, options: argparse.Namespace) -> None:
    """Print the table of a server that answers there."""
    offer(database, options.quotes)
    with closing(open_access(database)) as access:

        def key() -> str:  # a new one has its hour's requests
            name = f"shares {time.monotonic_ns()}"
            return access.keys.create(name, Plan.PRO_LIVE, None, system_clock()).secret

        print(f"load {os.getloadavg()[0]:.1f}; ms p50, p99 of {', '.join(ASKED)}")
        time.sleep(1)
        print(measured(url, (key(), key()), "none", 0, options.seconds), flush=True)
        for kind in options.kinds:
            for connections in options.connections:
                keys = key(), key()
                time.sleep(0.6)  # until the server knows them
                line = measured(url, keys, kind, connections, options.seconds)
                print(line, flush=True)


if __name__ == "__main__":
    main()
