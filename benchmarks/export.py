"""The export of the log: seconds, bytes and memory; DuckDB's figures compared with SQLite's.

A log is made up in a file as it would be recorded: 4,000 selections of 1,000 games, which 10
bookmakers move in any order, every tenth move withdrawing. The program itself exports it, a
process each, in two sizes, so that memory that grows with the log shows.

    python benchmarks/export.py [--rows 10000000]
"""

import argparse
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
from machine import sorting_ms

from oddsdesk.contract.identity import game_id
from oddsdesk.store.store import open_store

BEGAN = 1_776_002_400_000
GAMES = 1_000
SMALLER = 5
"""The smaller log has that many times fewer rows."""
_GAME = """
INSERT INTO game (id, game_id, competition, sport, match_name, match_date, plain_name)
VALUES (?, ?, 'EPL', 'Football', ?, ?, ?)
"""
_MOVES = """
WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < :rows)
INSERT INTO price_change
SELECT n, 1 + abs(random() % :games), 'Bookmaker ' || abs(random() % 10),
    CASE n % 4 WHEN 0 THEN 'total' WHEN 1 THEN 'spread' ELSE 'moneyline' END, n % 2,
    CASE n % 4 WHEN 0 THEN 'Over 2.5' WHEN 1 THEN 'Home -1.5' WHEN 2 THEN 'Draw' ELSE 'Away' END,
    CASE WHEN n % 10 = 0 THEN NULL ELSE 1.5 + abs(random() % 400) / 100.0 END,
    0, :began + n * 5, NULL, :began + n * 5 + 400
FROM number
"""
_INDEXES = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'price_change'"
_FIGURES = "count(*), count(odds), sum(odds), sum(seq)"
_RUN = "from oddsdesk.cli.main import main; main()"


def make(path: Path, rows: int) -> None:
    """Make a database whose log has that many rows; its indexes are made when it has them.

    To keep them while it is written takes several times as long where they outgrow the memory.
    """
    open_store(path, "Bookmaker 0").close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = OFF").fetchall()
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -65536")
        indexes = connection.execute(_INDEXES).fetchall()
        for name, _ in indexes:
            connection.execute(f"DROP INDEX {name}")
        names = [f"Home {number} - Away {number}" for number in range(GAMES)]
        games = [
            (number, game_id("EPL", name), name, BEGAN, name.lower())
            for number, name in enumerate(names, 1)
        ]
        connection.executemany(_GAME, games)
        connection.execute(_MOVES, {"rows": rows, "games": GAMES, "began": BEGAN})
        connection.commit()
        for _, sql in indexes:
            connection.execute(sql)
        connection.execute("PRAGMA journal_mode = WAL").fetchall()


def export(what: str, database: Path, target: Path) -> tuple[float, float, float]:
    """Run the command; return seconds, those of the processor, and MB of memory."""
    command = [sys.executable, "-c", f"{_PEAK}; {_RUN}", "export", what]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ended = subprocess.run(
        [*command, "--database", database, target], capture_output=True, text=True, check=True
    )
    took = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    (peak,) = [line for line in ended.stderr.splitlines() if line.startswith("peak ")]
    return took, used, int(peak.removeprefix("peak ")) / 1024


_PEAK = (
    "import atexit, resource, sys; atexit.register(lambda: print('peak', "
    "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr))"
)


def timed(ask: Callable[[], list[tuple[float, ...]]]) -> tuple[tuple[float, ...], float]:
    """Return the one row of a question, and seconds."""
    began = time.perf_counter()
    (row,) = ask()
    return row, time.perf_counter() - began


def main() -> None:
    """Print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    rows = parser.parse_args().rows
    print(f"sorting 50,000 pairs takes {sorting_ms():.0f} ms here")
    with tempfile.TemporaryDirectory() as folder:
        for count in (rows // SMALLER, rows):
            database = Path(folder) / f"{count}.db"
            began = time.perf_counter()
            make(database, count)
            size = database.stat().st_size / 1e6
            print(f"{count:,} rows, {size:,.0f} MB, made in {time.perf_counter() - began:.0f} s")
            for what, ending in (("changes", "parquet"), ("quotes", "ndjson.gz")):
                target = Path(folder) / f"{what}.{ending}"
                took, used, peak = export(what, database, target)
                size = target.stat().st_size
                print(f"{count:,} rows, {what} to {ending}: {took:.1f} s, {used:.1f} of them the")
                print(
                    f"  processor's; {size / 1e6:.1f} MB, {size / count:.1f} bytes a row;", end=""
                )
                print(f" {peak:.0f} MB of memory")
            compare(database, Path(folder) / "changes.parquet")
            database.unlink()


def compare(database: Path, parquet: Path) -> None:
    """Ask SQLite of the log and DuckDB of the export: the figures have to be equal."""
    with closing(sqlite3.connect(database)) as connection:
        query = f"SELECT {_FIGURES} FROM price_change"
        said, slow = timed(lambda: connection.execute(query).fetchall())
    other, fast = timed(lambda: duckdb.sql(f"SELECT {_FIGURES} FROM '{parquet}'").fetchall())
    exact = [(one, two) for one, two in zip(said, other, strict=True) if isinstance(one, int)]
    assert all(one == two for one, two in exact), (said, other)
    assert abs(said[2] - other[2]) < 1e-9 * said[2], (said, other)
    print(f"  SQLite {said} in {slow:.2f} s; DuckDB the same in {fast:.2f} s")


if __name__ == "__main__":
    main()
