"""How fast quotes are recorded on each engine, in turns, and what of the processor that takes.

    python benchmarks/engines.py [--quotes 27500] [--batch 2000] [--rounds 3]
        [--database postgresql://...]

Budget on PostgreSQL: 50,000 selections a second and 20 microseconds of the processor for each,
of this process and of PostgreSQL's together, on an empty database and on one that holds the
quotes already while a tenth of the prices moves. Without ``--database``, which has to be on this
machine and may be written to, PostgreSQL's programs run a server that waits for the disk.

With ``--at-once 2 4 8``, first 2, then 4, then 8 `ingest` commands record at the same time into a
fresh database of each engine. Each reads a file of ``--quotes`` quotes, while ``--busy`` other
processes keep the machine busy. With ``--same-file`` they all read one file, which has each market
five times. Budget: all end with status 0, and the database holds each market and each change once.
"""

import argparse
import contextlib
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple
from urllib.parse import quote as quoted

import msgspec
import psycopg
from record import BUDGET, fresh_quotes, moved

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.quotes import Quote, quote_line
from oddsdesk.store.databases import DatabaseUrl, database_named
from oddsdesk.store.store import Store, open_store

CPU_BUDGET_US = 20.0
TIMES = 5
"""How many times each market is in a file that several commands read."""
_TICKS = os.sysconf("SC_CLK_TCK")
_PIDS = "SELECT pid FROM pg_stat_activity"


class Cost(NamedTuple):
    per_s: float
    own_us: float
    server_us: float

    @property
    def cpu_us(self) -> float:
        return self.own_us + self.server_us


class Server:
    """A PostgreSQL server on this machine."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._schemas = 0

    @contextlib.contextmanager
    def empty(self) -> Iterator[str]:
        """Yield the URL of a schema that is gone afterwards."""
        self._schemas += 1
        name = f"benchmark_{os.getpid()}_{self._schemas}"
        self._do(f"CREATE SCHEMA {name}")
        joint = "&" if "?" in self._url else "?"
        yield f"{self._url}{joint}options={quoted(f'-csearch_path={name}')}"
        self._do(f"DROP SCHEMA {name} CASCADE")

    def cpu_s(self) -> float:
        """Seconds of the processor that its present processes took."""
        with psycopg.connect(self._url) as connection:
            pids = [pid for (pid,) in connection.execute(_PIDS).fetchall()]
        return sum(map(_seconds, pids))

    def _do(self, statement: str) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(statement)


def _seconds(pid: int) -> float:
    with contextlib.suppress(FileNotFoundError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS
    return 0.0


def record(store: Store, quotes: list[Quote], batch: int, server_s: Callable[[], float]) -> Cost:
    """Record everything, batch after batch."""
    selections = sum(len(quote.odds) for quote in quotes)
    server, own, begin = server_s(), time.process_time(), time.perf_counter()
    for start in range(0, len(quotes), batch):
        store.record(quotes[start : start + batch]).result()
    seconds, own = time.perf_counter() - begin, time.process_time() - own
    server = server_s() - server
    micro = 1e6 / selections
    return Cost(selections / seconds, own * micro, server * micro)


def measure(store: Store, count: int, batch: int, server_s: Callable[[], float]) -> dict[str, Cost]:
    random = Random(7)
    quotes = fresh_quotes(count, random)
    with contextlib.closing(store):
        fresh = record(store, quotes, batch, server_s)
        again = record(store, moved(quotes, random), batch, server_s)
    return {"empty": fresh, "again, 10 % changed": again}


def in_turns(server: Server, options: argparse.Namespace) -> dict[tuple[str, str], list[Cost]]:
    found: dict[tuple[str, str], list[Cost]] = {}
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder, server.empty() as url:
            turns: list[tuple[str, Path | DatabaseUrl, Callable[[], float]]] = [
                ("SQLite", Path(folder, "odds.db"), float),
                ("PostgreSQL", DatabaseUrl(url), server.cpu_s),
            ]
            for engine, database, server_s in turns:
                store = open_store(database, "Bookmaker 00")
                for title, cost in measure(store, options.quotes, options.batch, server_s).items():
                    found.setdefault((engine, title), []).append(cost)
    return found


@contextlib.contextmanager
def busy_machine(count: int) -> Iterator[None]:
    """Run ``count`` processes that keep the processor busy, while inside."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for each in busy:
            each.kill()
            each.wait()


class Said(NamedTuple):
    """Files to record at the same time, and the counts expected afterwards."""

    files: list[Path]
    lines: int
    """Quotes in each file."""
    changes: int
    markets: int


def different_files(folder: Path, count: int, quotes: int) -> Said:
    """Write files, each with quotes of different bookmakers."""
    made = fresh_quotes(quotes, Random(7))
    now, files = system_clock(), []
    for number in range(count):
        named = [
            msgspec.structs.replace(each, bookmaker=f"{each.bookmaker} of {number}", scraped_at=now)
            for each in made
        ]
        files.append(folder / f"{number}.ndjson")
        files[-1].write_bytes(b"".join(quote_line(each) + b"\n" for each in named))
    return Said(files, quotes, count * sum(len(each.odds) for each in made), count * quotes)


def same_file(folder: Path, count: int, quotes: int) -> Said:
    """Write one file for all commands: each market several times, a tenth of the prices moving."""
    random = Random(7)
    made = fresh_quotes(quotes // TIMES, random)
    first, changes, path = system_clock(), sum(len(each.odds) for each in made), folder / "same"
    with path.open("wb") as file:
        for number in range(TIMES):
            at = first + number
            for each in made:
                file.write(quote_line(msgspec.structs.replace(each, scraped_at=at)) + b"\n")
            before, made = made, moved(made, random)
            if number < TIMES - 1:
                pairs = zip(before, made, strict=True)
                changes += sum(len(new.odds.items() - old.odds.items()) for old, new in pairs)
    return Said([path] * count, len(made) * TIMES, changes, len(made))


def count_quotes(database: str) -> int:
    is_url = isinstance(database_named(database), DatabaseUrl)
    opened = psycopg.connect(database) if is_url else sqlite3.connect(database)
    with contextlib.closing(opened) as connection:
        ((count,),) = connection.execute("SELECT count(*) FROM quote").fetchall()
    return int(count)


def ingest_at_once(database: str, said: Said) -> str:
    """Record files at the same time; return what went wrong, empty if all is complete."""
    command = [sys.executable, "-m", "oddsdesk", "ingest", "--database", database]
    started = [
        subprocess.Popen([*command, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for file in said.files
    ]
    wrong, changes = "", 0
    for each in started:
        out, error = each.communicate()
        counted = re.fullmatch(r"quotes (\d+), changes (\d+), skipped (\d+), bad 0\n", out.decode())
        if each.returncode or counted is None:
            wrong = wrong or f"status {each.returncode}: {error.decode().strip()[-200:]}"
            continue
        quotes, changed, skipped = map(int, counted.groups())
        changes += changed
        if quotes + skipped != said.lines:
            wrong = wrong or f"{quotes} quotes and {skipped} skipped of {said.lines}"
    found = (changes, count_quotes(database))
    if not wrong and found != (said.changes, said.markets):
        wrong = f"changes and markets: {found}, not {(said.changes, said.markets)}"
    return wrong


def all_at_once(server: Server, options: argparse.Namespace) -> bool:
    """Have several commands record at once on each engine; return whether all is complete."""
    kept = True
    for count in options.at_once:
        with tempfile.TemporaryDirectory() as folder, server.empty() as url:
            write = same_file if options.same_file else different_files
            said = write(Path(folder), count, options.quotes)
            for engine, database in (("SQLite", f"{folder}/odds.db"), ("PostgreSQL", url)):
                begin = time.perf_counter()
                with busy_machine(options.busy):
                    wrong = ingest_at_once(database, said)
                seconds = time.perf_counter() - begin
                kept = kept and not wrong
                print(f"{engine:<12}{count} at once{seconds:8.1f} s   {wrong or 'all complete'}")
    return kept


@contextlib.contextmanager
def server_of(url: str | None) -> Iterator[Server]:
    if url is not None:
        yield Server(url)
        return
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.kit.postgres import running_postgres

    with running_postgres(fsync="on", full_page_writes="on") as postgres:
        yield Server(postgres.server_url)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quotes", type=int, default=27_500)
    parser.add_argument("--batch", type=int, default=2_000, help="quotes a recording")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--database", help="a PostgreSQL database of this machine")
    parser.add_argument("--at-once", type=int, nargs="+", metavar="COUNT")
    parser.add_argument("--same-file", action="store_true", help="for all of --at-once")
    parser.add_argument("--busy", type=int, default=8, help="processes that keep the machine busy")
    options = parser.parse_args()
    with server_of(options.database) as server:
        if options.at_once:
            return 0 if all_at_once(server, options) else 1
        found = in_turns(server, options)
    kept = True
    print(f"{options.quotes:,} quotes in recordings of {options.batch:,}; medians, best in ()")
    for (engine, title), costs in found.items():
        rate, cpu = median(each.per_s for each in costs), median(each.cpu_us for each in costs)
        best = min(each.cpu_us for each in costs)
        own = median(each.own_us for each in costs)
        print(
            f"{engine:<12}{title:<22}{rate:>9,.0f} selections/s"
            f"   {cpu:5.1f} us ({best:.1f}), {own:.1f} of them here"
        )
        if engine == "PostgreSQL":
            kept = kept and rate >= BUDGET and cpu <= CPU_BUDGET_US
    print(f"budget {BUDGET:,} and {CPU_BUDGET_US:g} us: {'kept' if kept else 'MISSED'}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
