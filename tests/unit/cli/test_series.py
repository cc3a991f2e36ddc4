"""Statistics of many bookmakers are imported, counted, exported, and never taken for prices."""

import csv
import io
import json
import random
from collections.abc import Sequence
from contextlib import closing
from datetime import date, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

from oddsdesk.base.clock import system_clock
from oddsdesk.cli.main import main
from oddsdesk.contract.times import format_ms
from oddsdesk.research.export import SERIES
from oddsdesk.store.series import StoredSeries
from oddsdesk.store.store import open_store

GAMES = 12
STATISTICS = tuple(
    f"{name}{phase}{side}"
    for phase in ("", "C")
    for name in ("Max", "Avg")
    for side in ("H", "D", "A", ">2.5", "<2.5", "AHH", "AHA")
)
SERIES_LINE = (
    f"series football-data: {14 * GAMES} best and {14 * GAMES} mean odds of many bookmakers,"
    f" of {GAMES} games"
)


def write_season(path: Path, *, statistics: Sequence[str] = STATISTICS, first: str = "2.9") -> Path:
    """Write a season of four teams; ``first`` is the first odds of each statistic."""
    chance = random.Random(3)
    books = [f"{name}{c}{side}" for c in ("", "C") for name in ("PS", "B365") for side in "HDA"]
    header = [
        *("Div", "Date", "Time", "HomeTeam", "AwayTeam", "FTHG", "FTAG"),
        *("AHh", "AHCh", *books, *statistics),
    ]
    sides = {"AHH": "1.95", "AHA": "1.9", ">2.5": "1.9", "<2.5": "2"}
    sides |= {"H": first, "D": "3.5", "A": "2.9"}
    lines = []
    for number, teams in enumerate(permutations(("Leeds", "Hull", "Derby", "Stoke"), 2)):
        day = date(2024, 8, 16) + timedelta(number)
        odds = [f"{each + chance.uniform(-0.1, 0.1):.3f}" for each in (2.2, 3.4, 3.3) * 4]
        values = [
            next(odds for side, odds in sides.items() if name.endswith(side)) for name in statistics
        ]
        goals = [str(chance.randint(0, 3)) for _ in range(2)]
        row = ["E0", f"{day:%d/%m/%Y}", "17:30", *teams, *goals, "-0.25", "-0.5", *odds, *values]
        lines.append(",".join(row))
    path.write_text("\n".join([",".join(header), *lines]) + "\n")
    return path


def run(*arguments: object) -> Result:
    done = CliRunner().invoke(main, [str(each) for each in arguments])
    assert done.exit_code == 0, done.output
    return done


def imported(database: Path, *files: Path) -> Result:
    return run("import", "football-data", *files, "--database", database)


def stored(database: Path) -> list[StoredSeries]:
    with closing(open_store(database)) as store:
        return store.reader().series()


@pytest.fixture
def season(tmp_path: Path) -> Path:
    return write_season(tmp_path / "E0_2425.csv")


@pytest.fixture
def database(season: Path, tmp_path: Path) -> Path:
    path = tmp_path / "odds.db"
    imported(path, season)
    return path


def test_an_import_says_how_many_statistics_it_stored(season: Path, tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    assert imported(path, season).stdout.splitlines()[-3:] == [
        f"prices {12 * GAMES}, kept {12 * GAMES}, skipped 0",
        SERIES_LINE,
        f"quotes {4 * GAMES}, changes {12 * GAMES}, skipped 0, bad 0, results {GAMES}",
    ]
    found = stored(path)
    assert {(len(each.points), each.has_game, each.source) for each in found} == {
        (12, True, "football-data")
    }
    for each in found:
        for point in each.points:
            assert point.scraped_at <= each.kick_off
            assert (point.scraped_at == each.kick_off) >= point.closing
        lines = {(each.closing, *each.odds) for each in each.points if each.market_type == "spread"}
        home, away = each.match_name.split(" (")[0].split(" vs ")
        assert lines == {
            (False, f"{home} -0.25", f"{away} +0.25"),
            (True, f"{home} -0.5", f"{away} +0.5"),
        }


def test_a_second_import_and_a_corrected_file_double_nothing(
    season: Path, database: Path, tmp_path: Path
) -> None:
    before = stored(database)
    assert SERIES_LINE in imported(database, season).stdout
    assert stored(database) == before
    imported(database, write_season(tmp_path / "corrected.csv", first="2.8"))
    after = stored(database)
    assert [len(each.points) for each in after] == [12] * GAMES
    home = {
        next(iter(point.odds.values()))
        for each in after
        for point in each.points
        if point.market_type == "moneyline"
    }
    assert home == {2.8}


def test_an_older_database_gets_them_with_the_next_import(season: Path, tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    imported(path, write_season(tmp_path / "plain.csv", statistics=()))
    assert stored(path) == []
    imported(path, season)
    assert [each.has_game for each in stored(path)] == [True] * GAMES


def test_a_file_of_quotes_has_none_and_counts_them(season: Path, tmp_path: Path) -> None:
    target = tmp_path / "quotes.ndjson"
    said = run("import", "football-data", season, "--to", target).stdout.splitlines()
    assert said[-2] == (
        f"prices {40 * GAMES}, kept {12 * GAMES}, skipped {28 * GAMES}: best odds of many"
        f" bookmakers {14 * GAMES}, mean odds of many bookmakers {14 * GAMES}"
    )
    assert "Max" not in target.read_text()


def test_shifted_statistics_stay_with_their_games(season: Path, tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    run("import", "football-data", season, "--shift-to-now", "--database", path)
    found = stored(path)
    assert [each.has_game for each in found] == [True] * GAMES
    newest = max(point.scraped_at for each in found for point in each.points)
    assert 0 <= system_clock() - newest < 600_000
    assert newest == max(each.kick_off for each in found)


def test_games_that_lie_ahead_are_left_out(tmp_path: Path) -> None:
    row = "E0,16/08/2199,20:00,Home,Away,{},2.5,3.3,2.9"
    header = "Div,Date,Time,HomeTeam,AwayTeam,{},MaxH,MaxD,MaxA"
    played, upcoming = tmp_path / "played.csv", tmp_path / "upcoming.csv"
    played.write_text(f"{header.format('FTHG,FTAG')}\n{row.format('1,0')}\n")
    upcoming.write_text(f"{header.format('PSH,PSD,PSA')}\n{row.format('2.4,3.2,2.8')}\n")
    path = tmp_path / "odds.db"
    words = ["import", "football-data", str(played), "--database", str(path)]
    refused = CliRunner().invoke(main, words)
    assert "skipped 3: finished game with a kick-off in the future 3" in refused.stdout
    assert stored(path) == []
    before = system_clock()
    imported(path, upcoming)
    ((point,),) = [each.points for each in stored(path)]
    assert before <= point.scraped_at <= system_clock()


def comparable(database: Path) -> dict[str, Any]:
    """Return what the commands say about a database, without the times of recording."""
    of_database = ("--database", database)
    exported = {}
    for name in ("changes", "quotes", "results"):
        text = run("export", name, "--format", "csv", *of_database, "-").stdout
        exported[name] = [
            {key: value for key, value in row.items() if key != "recorded_at"}
            for row in csv.DictReader(io.StringIO(text))
        ]
    asked = {
        "scorecard": ("scorecard", "--json", *of_database),
        "backtest": ("backtest", "--json", *of_database),
        "consensus": ("backtest", "--json", "--reference", "consensus", *of_database),
        "suppliers": ("suppliers", "--json", *of_database),
    }
    return exported | {name: json.loads(run(*words).stdout) for name, words in asked.items()}


def test_no_command_takes_them_for_prices(database: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.db"
    imported(plain, write_season(tmp_path / "plain.csv", statistics=()))
    one, other = comparable(plain), comparable(database)
    assert len(one["changes"]) == 12 * GAMES
    for name, said in one.items():
        assert other[name] == said, name


def test_series_are_the_same_in_every_format(database: Path, tmp_path: Path) -> None:
    parquet, lines = tmp_path / "series.parquet", tmp_path / "series.ndjson"
    of_database = ("--database", database)
    told = run("export", "series", *of_database, parquet).stderr
    assert f"{28 * GAMES} odds of series of {GAMES} games" in told
    assert "includes series from football-data" in told
    names = "match_name, kind, closing, selection, odds, epoch_ms(scraped_at)"
    rows = duckdb.sql(f"SELECT {names} FROM '{parquet}'").fetchall()
    assert rows == [
        (each.match_name, point.kind, point.closing, selection, odds, point.scraped_at)
        for each in stored(database)
        for point in each.points
        for selection, odds in point.odds.items()
    ]
    run("export", "series", *of_database, lines)
    text = run("export", "series", *of_database, "--format", "csv", "-").stdout
    read = list(csv.DictReader(io.StringIO(text)))
    assert list(read[0]) == [column.name for column in SERIES]
    for row, line in zip(read, map(json.loads, lines.read_text().splitlines()), strict=True):
        assert row["odds"] == str(line["odds"])
        assert {row["closing"], row["has_time"]} <= {"true", "false"}
        assert (row["scraped_at"], row["kind"]) == (line["scraped_at"], line["kind"])
    last = stored(database)[-1].kick_off
    some = run("export", "series", *of_database, "--from", format_ms(last), "-").stdout
    assert len(some.splitlines()) == 28
