"""`oddsdesk export`: what the log and the ledger hold, whole, in files that others read (D74)."""

import csv
import errno
import gzip
import io
import json
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from oddsdesk.archive.archive import Archive
from oddsdesk.cli.main import main
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, PeriodScore, SelectionResult
from oddsdesk.contract.times import DAY_MS, HOUR_MS, MINUTE_MS, format_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.research.export import BETS, CHANGES, QUOTES, RESULTS
from oddsdesk.research.parquet import ParquetWriter
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.store import open_store

BEGIN = 1_776_000_000_000
LIMIT_S = 20
ALL_OF_CHANGES = [column.name for column in CHANGES]


def run(*arguments: object) -> Result:
    texts = [each.url if isinstance(each, DatabaseUrl) else str(each) for each in arguments]
    return CliRunner().invoke(main, ["export", *texts])


def done(*arguments: object) -> Result:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def random_quotes(count: int, every_ms: int = MINUTE_MS) -> list[Quote]:
    """Moves, withdrawals and returns of a few markets, in and out of play."""
    chance = random.Random(7)
    selections = {"moneyline": ["Home", "Draw", "Away"], "total": ["Over 2.5", "Under 2.5"]}
    made = []
    for number in range(count):
        market_type = chance.choice(list(selections))
        priced = chance.sample(selections[market_type], chance.randint(0, 2) or 2)
        made.append(
            Quote(
                chance.choice(["A", "Pinnacle"]),
                chance.choice(["Home - Away", "Ânn - Bäck"]),
                "EPL",
                market_type,
                0,
                {name: 1.5 + chance.randint(0, 3) / 4 for name in priced} if number % 9 else {},
                BEGIN + number * every_ms,
                is_live=number % 3 == 0,
                match_date=BEGIN + DAY_MS,
                liquidity=chance.choice([None, 100.0]),
            )
        )
    return made


def record(database: Database, quotes: list[Quote], every_ms: int = 0) -> None:
    now = [BEGIN]
    with closing(open_store(database, clock=lambda: now[0])) as store:
        if not every_ms:
            store.record(quotes).result(LIMIT_S)
        for quote in quotes if every_ms else ():
            now[0] = quote.scraped_at
            store.record([quote]).result(LIMIT_S)


def log_of(database: Database) -> list[Any]:
    """The whole log but for when it was recorded."""
    with closing(open_store(database, read_only=True)) as store:
        reader = store.reader()
        rows = reader.logged(0, 0, reader.last_seq(), 0, 2**60)
    return [(row[0], *row[2:]) for row in rows]


def test_changes_are_the_same_in_every_format(database: Database, tmp_path: Path) -> None:
    record(database, random_quotes(300))
    parquet = tmp_path / "changes.parquet"
    said = done("changes", "--database", database, parquet).stderr
    log = log_of(database)
    assert f"{len(log):,} price changes of 2 games" in said
    table = duckdb.sql(f"SELECT * FROM '{parquet}'")
    assert table.columns == ALL_OF_CHANGES
    columns = "seq, epoch_ms(scraped_at), bookmaker, selection, odds, is_live"
    assert duckdb.sql(f"SELECT {columns} FROM '{parquet}'").fetchall() == [
        (row[0], row[1], row[7], row[10], row[11], bool(row[12])) for row in log
    ]
    [counted] = duckdb.sql(f"SELECT count(*), count(odds), sum(odds) FROM '{parquet}'").fetchall()
    odds = [row[11] for row in log if row[11] is not None]
    assert counted == (len(log), len(odds), pytest.approx(sum(odds)))
    lines = done("changes", "--database", database, "-").stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    assert rows[0] == {
        "seq": 1, "recorded_at": format_ms(BEGIN), "scraped_at": format_ms(log[0][1]),
        "game_id": log[0][2], "match_name": log[0][3], "competition": "EPL", "sport": "Football",
        "match_date": format_ms(BEGIN + DAY_MS), "bookmaker": log[0][7],
        "market_type": log[0][8], "period": 0, "selection": log[0][10], "odds": log[0][11],
        "is_live": bool(log[0][12]),
    }  # fmt: skip
    packed = tmp_path / "changes.csv.gz"
    done("changes", "--database", database, packed)
    table_of = csv.DictReader(io.StringIO(gzip.decompress(packed.read_bytes()).decode()))
    written = list(table_of)
    assert table_of.fieldnames == ALL_OF_CHANGES
    assert [row["odds"] for row in written] == [
        "" if row["odds"] is None else str(row["odds"]) for row in rows
    ]
    described = json.loads((tmp_path / "schema.json").read_text())["exports"]["changes"]
    assert [column["name"] for column in described] == ALL_OF_CHANGES


def test_quotes_that_were_exported_give_the_same_log_again(
    new_database: Callable[[], Database], tmp_path: Path
) -> None:
    first, second = new_database(), new_database()
    record(first, random_quotes(400))
    file = tmp_path / "quotes.ndjson.gz"
    done("quotes", "--database", first, file)
    place = second.url if isinstance(second, DatabaseUrl) else str(second)
    ingested = CliRunner().invoke(main, ["ingest", "--database", place, str(file)])
    assert ingested.exit_code == 0, ingested.output
    assert len(log_of(first)) > 500
    assert log_of(second) == log_of(first)


@pytest.mark.one_engine
def test_an_older_file_that_came_too_late_is_had_in_a_new_database(
    new_database: Callable[[], Database], tmp_path: Path
) -> None:
    """As what is said of skipped quotes tells to: the older first, then what was recorded."""
    in_order, too_late, fresh = new_database(), new_database(), new_database()
    quotes = [quote for quote in random_quotes(400) if quote.odds]
    older, newer = quotes[:150], quotes[150:]
    for database, said in (
        (in_order, quotes), (too_late, newer), (too_late, older), (fresh, older),
    ):  # fmt: skip
        with closing(open_store(database, clock=lambda: BEGIN + DAY_MS)) as store:
            store.record(said).result(LIMIT_S)
    assert len(log_of(too_late)) < len(log_of(in_order))
    file = tmp_path / "recorded.ndjson"
    done("quotes", "--database", too_late, file)
    ingested = CliRunner().invoke(main, ["ingest", "--database", str(fresh), str(file)])
    assert ingested.stdout.endswith(", skipped 0, bad 0\n")
    assert log_of(fresh) == log_of(in_order)


@pytest.mark.one_engine
def test_a_quote_of_a_span_is_whole_though_only_one_price_moved_in_it(
    database: Database, tmp_path: Path
) -> None:
    odds = {"Home": 2.0, "Away": 1.9}
    quote = Quote("A", "Home - Away", "NBA", "moneyline", 0, odds, BEGIN)
    later = Quote("A", "Home - Away", "NBA", "moneyline", 0, {**odds, "Home": 2.1}, BEGIN + 1000)
    record(database, [quote, later])
    span = ("--from", format_ms(BEGIN + 1000), "--to", format_ms(BEGIN + 1001))
    [line] = done("quotes", "--database", database, *span, "-").stdout.splitlines()
    assert json.loads(line)["odds"] == {"Away": 1.9, "Home": 2.1}
    assert list(json.loads(line)) == [column.name for column in QUOTES]
    [line] = done("changes", "--database", database, *span, "-").stdout.splitlines()
    assert json.loads(line)["odds"] == 2.1
    parquet = tmp_path / "quotes.parquet"
    done("quotes", "--database", database, parquet)
    assert duckdb.sql(f"SELECT odds['Home'] FROM '{parquet}'").fetchall() == [(2.0,), (2.1,)]


@pytest.mark.one_engine
def test_what_is_not_there_is_said(database: Database, tmp_path: Path) -> None:
    record(database, random_quotes(4, every_ms=HOUR_MS), every_ms=HOUR_MS)
    said = done("changes", "--database", database, tmp_path / "a.csv").stderr
    assert f"nothing was recorded {format_ms(BEGIN + HOUR_MS)} to" in said
    empty = tmp_path / "empty.parquet"
    said = done("changes", "--database", database, "--to", "2001-01-01", empty).stderr
    assert said == f"no price changes in that time: {empty} has no rows\n"
    assert duckdb.sql(f"SELECT count(*) FROM '{empty}'").fetchall() == [(0,)]
    for wrong, why in (
        (["--from", "2026-01-02", "--to", "2026-01-01", "x.csv"], "later than --from"),
        (["--from", "2026-01-01T00:00:00", "x.csv"], "expected a date, or a time with an offset"),
        (["x.xls"], "unknown ending"),
        (["x.xlsx"], "x.xlsx: a log can be too long for a sheet; use x.csv, which"),
        ([tmp_path / "nowhere" / "x.csv"], "cannot write"),
    ):
        result = run("changes", "--database", database, *wrong)
        assert result.exit_code in (1, 2)
        assert why in result.stderr
    assert run("changes", "--database", tmp_path / "none.db", "-").exit_code == 1
    workbook = run("bets", "my bets.xlsx")
    assert workbook.exit_code == 2
    assert "use `oddsdesk ledger export 'my bets.xlsx'`" in workbook.stderr


def test_rows_that_went_to_the_archive_are_exported_from_there(
    database: Database, tmp_path: Path
) -> None:
    quotes = random_quotes(60, every_ms=4 * MINUTE_MS)
    record(database, quotes, every_ms=1)
    before = {
        what: done(what, "--database", database, "-").stdout for what in ("changes", "quotes")
    }
    folder, now = tmp_path / "archive", BEGIN + 3 * DAY_MS
    folder.mkdir()
    with closing(open_store(database, clock=lambda: now)) as store:
        archive = Archive(folder, store.reader)
        archive.seal(now)
        through = archive.through(BEGIN + 2 * HOUR_MS)
        assert store.prune(now, 1, archived=through) > 0
    left = done("changes", "--database", database, "-")
    assert "older price changes were removed from the database; --archive" in left.stderr
    assert left.stdout != before["changes"]
    for what, whole in before.items():
        assert done(what, "--database", database, "--archive", folder, "-").stdout == whole
    with closing(open_store(database)) as store:  # as who archives does
        store.keep_archive(folder).result(LIMIT_S)
    assert done("changes", "--database", database, "-").stdout == before["changes"]


class FullDisk(io.BytesIO):
    """Takes a few bytes."""

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > 100:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


def test_a_disk_that_fills_ends_parquet_without_its_end() -> None:
    disk = FullDisk()
    with pytest.raises(OSError, match="No space left"), ParquetWriter(disk, CHANGES, {}) as writer:
        writer.write_rows([(1, 2, 3, *"abcd", 4, *"ef", 0, "g", 2.0, False)])
    assert not disk.getvalue().endswith(b"PAR1")


@pytest.mark.one_engine
@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_disk_that_fills_leaves_nothing(database: Database, tmp_path: Path) -> None:
    record(database, random_quotes(500))
    most = 40_000  # SQLite's own shared memory is 32 KB
    limited = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most})); "
        "from oddsdesk.cli.main import main; main()"
    )
    folder = tmp_path / "out"
    folder.mkdir()
    target = folder / "changes.csv"
    ended = subprocess.run(
        [sys.executable, "-c", limited, "export", "changes", "--database", database, target],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert f"cannot write {target}" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert list(folder.iterdir()) == []


@pytest.mark.one_engine
def test_bets_are_exported_by_the_time_they_were_placed(tmp_path: Path) -> None:
    book = tmp_path / "ledger.db"
    with closing(Ledger(book)) as ledger:
        for day in range(3):
            ledger.record_bet(
                PlacedBet(
                    game_id="00000000-0000-0000-0000-000000000000",
                    market_type="moneyline",
                    period=0,
                    selection="=Home",
                    bookmaker="A",
                    odds=2.1,
                    stake=10.0,
                    placed_at=BEGIN + day * DAY_MS,
                    match_name="Home - Away",
                    competition="EPL",
                    sport="Football",
                )
            )
    parquet = tmp_path / "bets.parquet"
    done("bets", "--ledger", book, "--from", format_ms(BEGIN + 1), parquet)
    table = duckdb.sql(f"SELECT * FROM '{parquet}'")
    assert table.columns == [column.name for column in BETS]
    found = duckdb.sql(f"SELECT bet, epoch_ms(placed_at), stake FROM '{parquet}'").fetchall()
    assert found == [(2, BEGIN + DAY_MS, 10.0), (3, BEGIN + 2 * DAY_MS, 10.0)]
    assert "'=Home" in done("bets", "--ledger", book, "--format", "csv", "-").stdout


def test_results_are_the_same_in_every_format(database: Database, tmp_path: Path) -> None:
    game = {"competition": "NBA", "match_name": "A - B", "sport": "Basketball"}
    quarters = tuple(PeriodScore(number, 25, 24) for number in range(1, 5))
    won = SelectionResult("moneyline", 0, "A", "won", 0.5)
    first = GameResult(kick_off=BEGIN, home=100, away=96, source="x", reported_at=BEGIN, **game)
    whole = replace(first, periods=quarters, overtime=False, selections=(won,), bookmaker="Kalshi")
    later = GameResult(kick_off=BEGIN + 9 * DAY_MS, has_time=False, source="y", home=88, **game)
    later = replace(later, kick_off=later.kick_off // DAY_MS * DAY_MS + DAY_MS // 2, away=92)
    with closing(open_store(database, clock=lambda: BEGIN)) as store:
        store.record_results([replace(whole, home=101), whole, later]).result(LIMIT_S)
        held = [each.result for each in store.reader().results()]
    parquet, lines = tmp_path / "results.parquet", tmp_path / "results.ndjson"
    told = done("results", "--database", database, parquet).stderr
    assert "2 results of 1 games" in told
    assert "includes results from x, y" in told
    names = "home, away, periods, overtime, epoch_ms(kick_off), epoch_ms(reported_at), corrections"
    (row, other) = duckdb.sql(f"SELECT {names} FROM '{parquet}'").fetchall()
    assert row[:-1] == (100, 96, "[[1,25,24],[2,25,24],[3,25,24],[4,25,24]]", False, BEGIN, BEGIN)
    assert json.loads(row[-1])[0]["home"] == 101
    assert other[3] is None
    assert other[5] is None
    text = done("results", "--database", database, "--format", "csv", "-").stdout
    read = list(csv.DictReader(io.StringIO(text)))
    assert (read[0]["home"], read[0]["overtime"], read[1]["overtime"]) == ("100", "false", "")
    assert list(read[0]) == [column.name for column in RESULTS]
    some = done("results", "--database", database, "--from", format_ms(BEGIN + 1), "-").stdout
    assert [json.loads(line)["source"] for line in some.splitlines()] == ["y"]
    done("results", "--database", database, lines)
    copy = tmp_path / "copy.db"
    copied = CliRunner().invoke(main, ["ingest", "--database", str(copy), str(lines)])
    assert copied.exit_code == 0, copied.output
    with closing(open_store(copy)) as store:
        assert [each.result for each in store.reader().results()] == held
