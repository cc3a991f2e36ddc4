"""How long `oddsdesk backup` takes next to a server, idle and while prices are committed.

    python benchmarks/backup.py [--mb 500] [--commits 20] [--rounds 3] [--with-keys]

Budget (D79): at most three times the idle time. Prints the seconds of each, their ratio, the
slowest commit meanwhile and without a backup, and how long the write-ahead log got; next to them
the machine's own: the seconds that a bare copy and sync of the file takes.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.access import open_access
from oddsdesk.store.store import open_store

BUDGET = 3.0
GAMES, BOOKMAKERS, A_COMMIT = 500, 20, 20
HOUR_MS = 3_600_000
GROW = """
INSERT INTO price_change (game, bookmaker, market_type, period, selection, odds, is_live,
    scraped_at, liquidity, recorded_at)
SELECT game, bookmaker, market_type, period, selection, odds + 0.01, is_live, scraped_at,
    liquidity, recorded_at FROM price_change WHERE seq <= 30000
"""


class Commits(NamedTuple):
    """What a writer saw: how many, the slowest in ms, the longest log in MB."""

    count: int
    slowest_ms: float
    wal_mb: float


def quotes(bookmaker: int, games: range, moved: int) -> list[Quote]:
    """One bookmaker's prices of some games; the later, the higher."""
    now = system_clock()
    return [
        Quote(
            f"Book {bookmaker:02}", f"Home {game} - Away {game}", "EPL", "moneyline", 0,
            {f"Home {game}": 1.5 + moved / 1000, "Draw": 4 + moved / 1000, f"Away {game}": 6.0},
            now, False, now + HOUR_MS,
        )
        for game in games
    ]  # fmt: skip


def build(database: Path, megabytes: int) -> None:
    with closing(open_store(database)) as store:
        for bookmaker in range(BOOKMAKERS):
            store.record(quotes(bookmaker, range(GAMES), 0)).result()
        wal = database.with_name(f"{database.name}-wal")
        while database.stat().st_size + wal.stat().st_size < megabytes * 1e6:
            store.run_on_writer(lambda connection: connection.execute(GROW).rowcount).result()


def write(database: Path, rate: int) -> None:
    """Commit until standard input ends, then say how that went: a process of its own."""
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    wal = database.with_name(f"{database.name}-wal")
    took, longest = [], 0
    with closing(open_store(database)) as store:
        print("ready", flush=True)
        while not ended.is_set():
            number = len(took)
            first = number * A_COMMIT % GAMES
            batch = quotes(number % BOOKMAKERS, range(first, first + A_COMMIT), number + 1)
            begun = time.perf_counter()
            store.record(batch).result()
            took.append(time.perf_counter() - begun)
            longest = max(longest, wal.stat().st_size)
            ended.wait(max(0.0, 1 / rate - took[-1]))
    print(json.dumps([len(took), max(took) * 1000, longest / 1e6]), flush=True)


@contextmanager
def committing(database: Path, rate: int) -> Iterator[list[Commits]]:
    seen: list[Commits] = []
    command = [sys.executable, __file__, "--write", str(database), "--commits", str(rate)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        writer.stdout.readline()
        yield seen
        writer.stdin.close()
        seen.append(Commits(*json.loads(writer.stdout.readline())))


@contextmanager
def serving(database: Path) -> Iterator[None]:
    command = [sys.executable, "-m", "oddsdesk", "serve", "--port", "0", "--database"]
    with subprocess.Popen([*command, str(database)], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        server.stdout.readline()
        yield
        server.terminate()


def back_up(database: Path, target: Path, options: list[str]) -> float:
    command = [sys.executable, "-m", "oddsdesk", "backup", str(target), *options]
    begun = time.perf_counter()
    subprocess.run([*command, "--database", str(database)], check=True, capture_output=True)
    return time.perf_counter() - begun


def bare_copy(database: Path, target: Path) -> float:
    begun = time.perf_counter()
    shutil.copyfile(database, target)
    handle = os.open(target, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)
    return time.perf_counter() - begun


def one_round(database: Path, folder: Path, rate: int, options: list[str]) -> bool:
    bare = bare_copy(database, folder / "bare.db")
    with committing(database, rate) as calm:
        time.sleep(5)
    idle = back_up(database, folder / "copy", options)
    with committing(database, rate) as busy:
        time.sleep(1)
        under_load = back_up(database, folder / "copy", options)
    ratio = under_load / idle
    print(
        f"{database.stat().st_size / 1e6:5.0f} MB   bare copy {bare:5.2f} s   idle {idle:5.2f} s"
        f"   with {rate} commits/s {under_load:5.2f} s   ratio {ratio:4.2f}"
        f"   slowest of {busy[0].count} commits {busy[0].slowest_ms:4.0f} ms"
        f" (without a backup {calm[0].slowest_ms:4.0f} ms)   log {busy[0].wal_mb:5.1f} MB"
        f"   load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    return ratio <= BUDGET


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=500)
    parser.add_argument("--commits", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--with-keys", action="store_true")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write is not None:
        write(arguments.write, arguments.commits)
        return
    options = ["--with-keys"] if arguments.with_keys else []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        database = folder / "odds.db"
        build(database, arguments.mb)
        open_access(database).close()
        with serving(database):
            kept = [
                one_round(database, folder, arguments.commits, options)
                for _ in range(arguments.rounds)
            ]
    if not all(kept):
        sys.exit(f"over the budget of {BUDGET:g} times the idle time")


if __name__ == "__main__":
    main()
