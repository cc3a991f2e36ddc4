"""The archive of price history: bytes a row, what finding one selection takes, memory.

An hour of the log is made up as it would be recorded: 4,000 markets of 1,000 games, which 10
bookmakers move by a few ticks in any order. It is archived by the program's own code, once
small and once larger, each in a process of its own. Then a file of as many moves as are asked
for is written in the same form, already in order, and histories of single selections are read
from it with pyarrow, with DuckDB, and as the service answers them.

    python benchmarks/archive.py [--rows 20000000]
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
from machine import sorting_ms

from oddsdesk.archive import parquet
from oddsdesk.archive.archive import Archive
from oddsdesk.archive.older import ArchivedLog
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import HOUR_MS
from oddsdesk.store.spans import ArchivedRow, OldMoves, Span

BEGAN = 1_776_002_400_000
GAMES, BOOKMAKERS = 1_000, 10
MARKETS = (
    ("moneyline", 0, "Draw"),
    ("moneyline", 1, "Draw"),
    ("total", 0, "Over 2.5"),
    ("spread", 0, "Home -1.5"),
)
SIZES = (300_000, 1_500_000)
TRIED = 100_000
FOUND = 20


class Hour:
    """What the archive asks of a reader, for an hour of so many moves."""

    shards = 1

    def __init__(self, rows: int) -> None:
        self._chance = Random(7)
        self._span = Span(0, 1, rows, rows, BEGAN, BEGAN + HOUR_MS - 1)
        self._series = [
            (name(game), market, f"Bookmaker {bookmaker}")
            for game in range(GAMES)
            for market in MARKETS
            for bookmaker in range(BOOKMAKERS)
        ]
        self._ticks = [self._chance.randrange(20, 300) for _ in self._series]

    def last_seq(self, shard: int) -> int:
        return self._span.last

    def first_after(self, shard: int, seq: int) -> int | None:
        return seq + 1 if seq < self._span.last else None

    def hour_after(self, shard: int, seq: int, until: int) -> Span | None:
        return self._span if seq == 0 else None

    def between(self, shard: int, first: int, last: int) -> Span | None:
        return self._span

    def rows_of(self, span: Span, after: int, limit: int) -> Sequence[ArchivedRow]:
        last = min(after + limit, span.last)
        return [self._row(seq) for seq in range(after + 1, last + 1)]

    def _row(self, seq: int) -> ArchivedRow:
        number = self._chance.randrange(len(self._series))
        ticks = self._ticks[number] = max(self._ticks[number] + self._chance.choice((-1, 1, 2)), 5)
        match_name, (market, period, selection), bookmaker = self._series[number]
        recorded_at = BEGAN + seq * (HOUR_MS - 1) // self._span.rows
        scraped_at = recorded_at - self._chance.randrange(2_000)
        odds = 1 + ticks % 400 / 100
        kick_off = BEGAN + number // 40 * 60_000
        liquidity = 500.0 if bookmaker == "Bookmaker 0" else None
        game = _ids[match_name], match_name, "EPL", "Football", kick_off
        price = bookmaker, market, period, selection, odds, seq % 5 == 0
        return (seq, *game, *price, scraped_at, recorded_at, liquidity)


def name(game: int) -> str:
    return f"Home United {game} - Away City"


_ids = {name(game): game_id("EPL", name(game)) for game in range(GAMES)}


def archive(folder: Path, rows: int) -> None:
    """Archive an hour and print what that took."""
    hour = Hour(rows)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    generated = -time.process_time()
    for after in range(0, TRIED, 5_000):
        hour.rows_of(Span(0, 1, rows, rows, 0, 0), after, 5_000)
    generated += time.process_time()
    made = Hour(rows)
    spent = -time.process_time()
    assert Archive(folder, lambda: made).seal(BEGAN + HOUR_MS) == rows  # type: ignore[arg-type,return-value]
    spent += time.process_time() - generated * rows / TRIED
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    (file,) = folder.glob("date=*/*.parquet")
    size = file.stat().st_size / rows
    print(
        f"{rows:>12,} rows  {size:5.2f} bytes a row  {spent / rows * 1e6:5.2f} us a row"
        f"  {memory:5.0f} MB of memory",
        flush=True,
    )


def write_in_order(file: Path, rows: int) -> None:
    """Write the moves of a large hour as archiving would, game by game."""
    chance = numpy.random.default_rng(7)
    with pyarrow.parquet.ParquetWriter(file, parquet.SCHEMA, **parquet._how()) as writer:
        games = sorted(range(GAMES), key=lambda game: _ids[name(game)])
        together = max(parquet.PART_ROWS * GAMES // rows, 1)
        for first in range(0, GAMES, together):
            part = [moves_of(game, rows, chance) for game in games[first : first + together]]
            writer.write_table(pyarrow.concat_tables(part))


def moves_of(game: int, rows: int, chance: numpy.random.Generator) -> pyarrow.Table:
    """Return the moves of one game, in the order of the archive."""
    series = [(*market, each) for market in sorted(MARKETS) for each in range(BOOKMAKERS)]
    count = rows // GAMES // len(series)
    shape = (len(series), count)
    seq = numpy.cumsum(chance.integers(1, 2 * rows // count, shape), axis=1)
    ticks = numpy.cumsum(chance.choice([-1, 1, 2], shape), axis=1) + chance.integers(
        20, 300, (len(series), 1)
    )
    recorded_at = BEGAN + seq * (HOUR_MS - 1) // rows
    is_first = numpy.repeat([each[3] == 0 for each in series], count)
    columns: dict[str, Any] = {
        "seq": seq.ravel(),
        "odds": 1 + ticks.ravel() % 400 / 100,
        "is_live": (seq.ravel() % 5 == 0),
        "scraped_at": (recorded_at - chance.integers(0, 2_000, shape)).ravel(),
        "recorded_at": recorded_at.ravel(),
        "liquidity": pyarrow.array(numpy.full(seq.size, 500.0), mask=~is_first),
    }
    alike = {
        "game_id": _ids[name(game)],
        "match_name": name(game),
        "competition": "EPL",
        "sport": "Football",
        "match_date": BEGAN + game * 60_000,
    }
    for column, value in alike.items():
        columns[column] = pyarrow.array([value]).take(pyarrow.array(numpy.zeros(seq.size, int)))
    for place, column in enumerate(("market_type", "period", "selection", "bookmaker")):
        values = pyarrow.array(
            [f"Bookmaker {each[3]}" if column == "bookmaker" else each[place] for each in series]
        )
        columns[column] = values.take(pyarrow.array(numpy.repeat(range(len(series)), count)))
    return pyarrow.table(
        [pyarrow.array(columns[each]).cast(kind) for each, kind in parquet._COLUMNS.items()],
        schema=parquet.SCHEMA,
    )


def found_by_pyarrow(folder: Path, match_name: str) -> int:
    wanted = {"game_id": _ids[match_name], "market_type": "total", "selection": "Over 2.5"}
    conditions = [pyarrow.dataset.field(column) == value for column, value in wanted.items()]
    files = pyarrow.dataset.dataset(folder, partitioning="hive")
    columns = ["seq", "bookmaker", "odds", "scraped_at", "recorded_at"]
    both = conditions[0] & conditions[1] & conditions[2]
    return int(files.to_table(columns=columns, filter=both).num_rows)


def found_by_duckdb(folder: Path, match_name: str) -> int:
    query = (
        "SELECT seq, bookmaker, odds, epoch_ms(scraped_at), epoch_ms(recorded_at)"
        f" FROM '{folder}/date=*/*.parquet' WHERE game_id = '{_ids[match_name]}'"
        " AND market_type = 'total' AND period = 0 AND selection = 'Over 2.5'"
        " ORDER BY recorded_at, seq"
    )
    return len(duckdb.sql(query).fetchall())


def read(folder: Path) -> None:
    """Print what finding one selection of all bookmakers takes."""
    log = ArchivedLog(folder)

    def found_by_readers(_folder: Path, match_name: str) -> int:
        asked = OldMoves(2**62, (_ids[match_name],), "total", 0, "Over 2.5")
        return len(log.archived_moves(asked))

    chance = Random(11)
    games = [name(chance.randrange(GAMES)) for _ in range(FOUND)]
    ways = {"pyarrow": found_by_pyarrow, "DuckDB": found_by_duckdb, "readers": found_by_readers}
    for how, find in ways.items():
        taken, spent, counts = [], [], []
        for game in games:
            began, before = time.perf_counter(), time.process_time()
            counts.append(find(folder, game))
            taken.append((time.perf_counter() - began) * 1_000)
            spent.append((time.process_time() - before) * 1_000)
        print(
            f"one selection by {how:8} median {statistics.median(taken):6.1f} ms, "
            f"fastest {min(taken):6.1f} ms, of the processor {statistics.median(spent):6.1f} ms,"
            f" {statistics.mean(counts):,.0f} rows"
        )


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rows", type=int, default=20_000_000)
    options.add_argument("--into", type=Path)
    asked = options.parse_args()
    if asked.into is not None:
        archive(asked.into, asked.rows)
        return
    print(f"sorting 50,000 pairs in Python: {sorting_ms():.1f} ms")
    with tempfile.TemporaryDirectory() as place:
        for rows in SIZES:
            folder = Path(place) / str(rows)
            command = [sys.executable, __file__, "--rows", str(rows), "--into", str(folder)]
            subprocess.run(command, check=True)
        file = Path(place) / "large" / "date=2026-04-12" / "14h-0-1-2.parquet"
        file.parent.mkdir(parents=True)
        write_in_order(file, asked.rows)
        rows = pyarrow.parquet.read_metadata(file).num_rows
        print(f"{rows:>12,} rows  {file.stat().st_size / rows:5.2f} bytes a row, in order")
        read(Path(place) / "large")


if __name__ == "__main__":
    main()
