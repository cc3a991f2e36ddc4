"""How long a million prices in football-data's shape take, compared with pandas and DuckDB.

    python benchmarks/football_seasons.py [FOLDER]

Seasons 1993/94 to 2025/26 of two leagues are generated, with the columns that each era has:
results alone, bookmakers of their time, Betbrain's statistics, closing prices, hours. They are read
one by one, then imported into a new database by the command. Each count is checked against what
was written. The comparison is ``pandas.read_csv``, a row for each price, and an insert into a
DuckDB file: no checks, games, changes or indexes. Both are in the extra ``test``.
"""

import csv
import io
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import permutations, product
from pathlib import Path
from tempfile import TemporaryDirectory

from oddsdesk.contract.series import count_odds
from oddsdesk.feeds.football_data import convert
from oddsdesk.feeds.imported import SourceFile

FIRST, LAST = 1993, 2025
DIVISIONS = ("E0", "D1")
FIELDS = ("Div", "Date", "HomeTeam", "AwayTeam")
Market = tuple[str, ...]
"""The columns of one market."""


def moneyline(*codes: str) -> list[Market]:
    return [tuple(f"{code}{side}" for side in "HDA") for code in codes]


def total(*codes: str) -> list[Market]:
    return [(f"{code}>2.5", f"{code}<2.5") for code in codes]


def handicap(*codes: str) -> list[Market]:
    return [(f"{code}AHH", f"{code}AHA") for code in codes]


def modern(bookmakers: Sequence[str], others: Sequence[str], *, closing: bool) -> list[Market]:
    c = "C" if closing else ""
    lines = [f"{code}{c}" for code in ("B365", "P", *others)]
    winners = [f"{code}{c}" for code in (*bookmakers, *others)]
    return [*moneyline(*winners), *total(*lines), *handicap(*lines)]


STATISTICS = ("Max", "Avg", "BbMx", "BbAv")
HALVES = ("HTHG", "HTAG", "HTR")
FACTS = ("HS", "AS", "HST", "AST", "HF", "AF", "HC", "AC", "HY", "AY", "HR", "AR")
BETBRAIN = [*moneyline("BbMx", "BbAv"), *total("BbMx", "BbAv"), *handicap("BbMx", "BbAv")]
OLD = ("B365", "BW", "GB", "IW", "LB", "SB", "WH", "SJ", "VC", "BS")
NEW = ("B365", "BFD", "BMGM", "BV", "BW", "CL", "LB", "PS")


def markets_of(year: int) -> list[Market]:
    """Return the markets of the season that begins in a year."""
    if year < 2000:
        return []
    if year < 2002:
        return moneyline("GB", "IW", "LB", "SB", "WH", "SY")
    if year < 2005:
        return moneyline("B365", "GB", "IW", "LB", "SB", "WH", "SY", "SO")
    if year < 2012:
        return [*moneyline(*OLD), *total("GB", "B365"), *handicap("GB", "LB", "B365"), *BETBRAIN]
    if year < 2019:
        early = moneyline("B365", "BW", "IW", "LB", "PS", "WH", "SJ", "VC")
        return [*early, *BETBRAIN, *moneyline("PSC")]
    bookmakers, others = ("B365", "BW", "IW", "PS", "WH", "VC"), ("Max", "Avg")
    if year == 2024:
        bookmakers = ("B365", "BW", "BF", "PS", "WH", "1XB")
    if year > 2024:
        bookmakers = NEW
    if year > 2023:
        others = ("Max", "Avg", "BFE")
    return [each for c in (False, True) for each in modern(bookmakers, others, closing=c)]


def lines_of(year: int) -> list[str]:
    """Return the columns that hold lines of handicaps."""
    if year < 2005 or 2012 <= year < 2019:
        return ["BbAHh"] if year >= 2012 else []
    return ["GBAH", "LBAH", "B365AH", "BbAHh"] if year < 2012 else ["AHh", "AHCh"]


def prices(chance: random.Random, market: Market, shares: Sequence[float]) -> list[str]:
    margin = chance.uniform(1.02, 1.08)
    return [f"{1 / (share * margin):.2f}" for share in shares[: len(market)]]


def season(division: str, year: int) -> tuple[bytes, dict[str, int]]:
    """Return a file, and how many games, prices to keep and prices of statistics are in it."""
    chance = random.Random(f"{division} {year}")
    markets, lines = markets_of(year), lines_of(year)
    header = ["Div", "Date", *(["Time"] if year > 2018 else []), "HomeTeam", "AwayTeam"]
    header += ["FTHG", "FTAG", "FTR", *(HALVES if year > 1994 else ())]
    header += ["Referee", *FACTS] if year > 1999 else []
    header += [*lines, *(column for market in markets for column in market)]
    count = {"games": 0, "kept": 0, "statistics": 0}
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([*header, *[""] * (year % 3)])
    for game, (home, away) in enumerate(permutations(range(22 if year < 1995 else 20), 2)):
        day = date(year, 8, 12) + timedelta(days=game * 280 // 462)
        text = day.strftime("%d/%m/%Y" if year > 2016 else "%d/%m/%y")
        goals, against = chance.choice((0, 1, 1, 2, 3)), chance.choice((0, 0, 1, 1, 2))
        result = "HDA"[(goals <= against) + (goals < against)]
        cells = [
            division,
            text,
            *(["15:00"] if year > 2018 else []),
            f"Team {home}",
            f"Team {away}",
        ]
        cells += [str(goals), str(against), result]
        cells += ["0", "0", "D"] if year > 1994 else []
        cells += ["A Referee", *["5"] * len(FACTS)] if year > 1999 else []
        cells += ["-0.5"] * len(lines)
        win = chance.uniform(0.2, 0.6)
        shares = {3: (win, 0.25, 0.75 - win), 2: (0.3 + win / 2, 0.7 - win / 2)}
        for market in markets:
            cells += prices(chance, market, shares[len(market)])
            is_statistic = market[0].startswith(STATISTICS)
            count["statistics" if is_statistic else "kept"] += len(market)
        count["games"] += 1
        writer.writerow([*cells, *[""] * (year % 3)])
    writer.writerows([[""] * len(header)] * 2)
    data = stream.getvalue()
    return data.encode("utf-8-sig" if year > 2021 else "cp1252"), count


def insert_by_pandas(files: Sequence[Path], database: Path) -> tuple[int, float]:
    """Insert a row for each price into a DuckDB file; return rows and seconds of the processor."""
    import duckdb
    import pandas as pd

    began = time.process_time()
    with duckdb.connect(str(database)) as connection:
        connection.execute(
            "CREATE TABLE price"
            " (div TEXT, day TEXT, home TEXT, away TEXT, series TEXT, odds DOUBLE)"
        )
        for path in files:
            year = int(path.stem[3:5])
            year += 1900 if year > 50 else 2000
            encoding = "utf-8-sig" if year > 2021 else "cp1252"
            table = pd.read_csv(path, encoding=encoding).dropna(how="all")
            columns = [column for market in markets_of(year) for column in market]
            rows = table.melt(list(FIELDS), columns, "series", "odds").dropna(subset="odds")
            connection.register("rows", rows)
            connection.execute("INSERT INTO price SELECT * FROM rows")
        ((count,),) = connection.execute("SELECT count(*) FROM price").fetchall()
    return count, time.process_time() - began


def read_each(folder: Path) -> Iterator[tuple[int, ...]]:
    """Write and read each season; print and yield its counts."""
    print("season      columns    games  results     kept   series  seconds")
    for division, year in product(DIVISIONS, range(FIRST, LAST + 1)):
        data, count = season(division, year)
        name = f"{division}_{year % 100:02}{(year + 1) % 100:02}.csv"
        (folder / name).write_bytes(data)
        began = time.perf_counter()
        found = convert(SourceFile(name, data))
        took = time.perf_counter() - began
        statistics = sum(count_odds(found.series).values())
        counts = (count["games"], len(found.results), found.kept, statistics)
        expected = (count["games"], count["games"], count["kept"], count["statistics"])
        assert (counts, found.problems, found.skipped) == (expected, [], {}), name
        columns = data.count(b",", 0, data.find(b"\n")) + 1
        row = "  ".join(f"{each:7}" for each in (columns, *counts))
        print(f"{division} {year}/{(year + 1) % 100:02}  {row}  {took:7.3f}")
        yield *counts, round(took * 1e6)


def main(folder: Path) -> None:
    games, results, kept, series, took = map(sum, zip(*read_each(folder), strict=True))
    print(f"games {games:,}, results {results:,}, kept {kept:,}, series {series:,}")
    print(f"read in {took / 1e6:.2f} s")
    files = sorted(folder.glob("*.csv"))
    database = folder / "seasons.db"
    command = [sys.executable, "-m", "oddsdesk", "import", "football-data", *map(str, files)]
    began, began_s = time.perf_counter(), os.times().children_user
    done = subprocess.run(
        [*command, "--database", str(database)], capture_output=True, text=True, check=True
    )
    took_s, import_s = time.perf_counter() - began, os.times().children_user - began_s
    print("\n".join(done.stdout.splitlines()[-3:]))
    try:
        count, pandas_s = insert_by_pandas(files, folder / "prices.duckdb")
    except ImportError:
        print(f"imported in {took_s:.1f} s; pandas and DuckDB are not there to compare")
        return
    assert count == kept + series, (count, kept + series)
    print(f"imported in {took_s:.1f} s, {import_s:.1f} of the processor")
    print(f"pandas and DuckDB {pandas_s:.1f}; the import takes {import_s / pandas_s:.1f} times it")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with TemporaryDirectory() as made:
            main(Path(made))
