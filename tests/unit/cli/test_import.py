"""`oddsdesk import` converts, records, and accounts for every price."""

import contextlib
import gzip
import json
import shlex
import sqlite3
import subprocess
import sys
import time
from datetime import date, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from oddsdesk.base.clock import system_clock
from oddsdesk.cli.import_ import import_
from oddsdesk.cli.ingest import ingest
from oddsdesk.contract.identity import without_date
from oddsdesk.contract.times import parse_ms
from oddsdesk.store.store import open_store
from oddsdesk.store.values import Filters, Visibility

SEEN = "2026-04-16T19:00:00Z"
LABELS = ("1", "X", "2", "1X", "12", "X2", "btts_yes", "btts_no")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "odds.db"


@pytest.fixture(autouse=True)
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not turn short work into long work."""
    monkeypatch.setattr("oddsdesk.cli.terminal.FIRST_AFTER_S", float("inf"))


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    return write_answer(tmp_path / "odds.json")


def write_answer(path: Path, seen: str = SEEN) -> Path:
    outcomes = [{"name": "Home", "price": 2.0}, {"name": "Away", "price": 1.9}]
    lay = [{"name": "Home", "price": 2.1}]
    bookmaker = {
        "key": "pinnacle",
        "title": "Pinnacle",
        "last_update": seen,
        "markets": [{"key": "h2h", "outcomes": outcomes}, {"key": "h2h_lay", "outcomes": lay}],
    }
    event = {
        "sport_key": "basketball_nba",
        "commence_time": "2026-04-17T00:00:00Z",
        "home_team": "Home",
        "away_team": "Away",
        "bookmakers": [bookmaker],
    }
    path.write_text(json.dumps([event]))
    return path


def run(database: Path, *arguments: object) -> Result:
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(import_, [*words, "--database", str(database)])


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_prices_are_recorded_and_accounted_for(database: Path, answer: Path) -> None:
    result = run(database, "the-odds-api", answer)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "prices 3, kept 3, skipped 0",
        "quotes 1, changes 2, skipped 0, bad 0",
    ]


def test_a_file_of_another_kind_is_told_in_one_line(database: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text("no odds")
    for target in ([], ["--to", tmp_path / "quotes.ndjson"]):
        result = run(database, "the-odds-api", wrong, *target)
        assert (result.exit_code, result.stdout) == (1, "")
        (line,) = result.stderr.splitlines()
        assert str(wrong) in line


def test_what_an_older_file_adds_nothing_to_is_told(database: Path, tmp_path: Path) -> None:
    run(database, "the-odds-api", write_answer(tmp_path / "newer.json"))
    older = write_answer(tmp_path / "older.json", "2026-04-16T18:00:00Z")
    result = run(database, "the-odds-api", older)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "prices 3, kept 0, skipped 3: older than the recorded price 3",
        "quotes 0, changes 0, skipped 1, bad 0",
    ]
    assert result.stderr == (
        "quotes skipped, because newer ones of their markets are recorded: 1. History is not filled"
        " in later: record these in a new database first, then what `oddsdesk export quotes` writes"
        " from this one\n"
    )


def test_files_of_one_command_are_recorded_in_the_order_of_time(
    database: Path, tmp_path: Path
) -> None:
    newer = write_answer(tmp_path / "a.json")
    older = write_answer(tmp_path / "b.json", "2026-04-16T18:00:00Z")
    result = run(database, "the-odds-api", newer, older)
    assert result.stdout.splitlines()[-1] == "quotes 2, changes 2, skipped 0, bad 0"


def test_odds_that_are_read_as_american_are_told(database: Path, answer: Path) -> None:
    answer.write_text(
        answer.read_text().replace("2.0", "150").replace("1.9", "120").replace("2.1", "160")
    )
    lines = run(database, "the-odds-api", answer).stdout.splitlines()
    assert lines == [
        f"read as American odds (a price of -100 or less, or none below 100): {answer}",
        "prices 3, kept 3, skipped 0",
        "quotes 1, changes 2, skipped 0, bad 0",
    ]


def test_to_a_file_writes_quotes_that_ingest_reads(
    database: Path, answer: Path, tmp_path: Path
) -> None:
    target = tmp_path / "quotes.ndjson"
    result = run(database, "the-odds-api", answer, "--to", target)
    assert result.stdout.splitlines()[-1] == "quotes 1, changes 0, skipped 0, bad 0"
    assert not database.exists()
    (row,) = rows(target)
    assert (row["odds"], row["scraped_at"]) == ({"Home": 2.0, "Away": 1.9}, f"{SEEN[:-1]}.000Z")
    again = CliRunner().invoke(ingest, [str(target), "--database", str(database)])
    assert again.stdout == "quotes 1, changes 2, skipped 0, bad 0\n"


@pytest.mark.parametrize("is_piped", [False, True])
def test_two_events_of_a_day_are_two_games(
    database: Path, answer: Path, tmp_path: Path, is_piped: bool
) -> None:
    """D51: a doubleheader 5.5 hours apart was one game."""
    (event,) = json.loads(answer.read_text())
    later = event | {"id": "second", "commence_time": "2026-04-17T05:30:00Z"}
    answer.write_text(json.dumps([event | {"id": "first"}, later]))
    if is_piped:
        target = tmp_path / "quotes.ndjson"
        run(database, "the-odds-api", answer, "--to", target)
        CliRunner().invoke(ingest, [str(target), "--database", str(database)])
    else:
        run(database, "the-odds-api", answer)
    with contextlib.closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT match_date FROM game ORDER BY match_date").fetchall()
    assert len(rows) == 2
    assert rows[1][0] - rows[0][0] == 5.5 * 3_600_000


def test_files_that_hold_nothing_leave_the_target_as_it_was(database: Path, tmp_path: Path) -> None:
    target, empty = tmp_path / "quotes.ndjson", tmp_path / "not.csv"
    target.write_text("precious\n")
    empty.write_text("this is no such file\n")
    for source in (empty, tmp_path / "missing.csv"):
        result = run(database, "football-data", source, "--to", target)
        assert result.exit_code == 1
        assert target.read_text() == "precious\n"


def test_shifting_moves_every_time_by_one_offset(database: Path, tmp_path: Path) -> None:
    for number, seen in enumerate((SEEN, "2026-04-16T18:30:00Z")):
        write_answer(tmp_path / f"{number}.json", seen)
    target = tmp_path / "quotes.ndjson"
    before = system_clock()
    told = run(database, "the-odds-api", tmp_path / "*.json", "--to", target, "--shift-to-now")
    assert told.stderr.startswith("times are shifted: old prices will be shown")
    older, newest = rows(target)
    now = parse_ms(newest["scraped_at"])
    assert before <= now <= system_clock()
    assert now - parse_ms(older["scraped_at"]) == 30 * 60_000
    assert parse_ms(newest["match_date"]) - now == 5 * 3_600_000
    assert older["match_date"] == newest["match_date"]


def kick_off_of(database: Path, competition: str = "NBA") -> int:
    connection = sqlite3.connect(database)
    query = "SELECT match_date FROM game WHERE competition = ?"
    (kick_off,) = connection.execute(query, (competition,)).fetchone()
    connection.close()
    return kick_off


def test_a_second_import_is_moved_as_the_first_was(database: Path, tmp_path: Path) -> None:
    """Finding F6.2, D72: kick-offs of two sources stay together."""
    first = write_answer(tmp_path / "first.json")
    second = write_answer(tmp_path / "second.json", "2026-04-16T18:30:00Z")
    assert run(database, "the-odds-api", first, "--shift-to-now").stderr == ""
    with contextlib.closing(open_store(database, read_only=True)) as store:
        assert store.reader().is_shifted(system_clock())
    kick_off = kick_off_of(database)
    again = run(database, "the-odds-api", second, "--shift-to-now")
    assert again.exit_code == 0
    assert "like the first import here" in again.stderr
    assert kick_off_of(database) == kick_off


def test_what_the_first_offset_leaves_ahead_is_counted_and_named(
    database: Path, tmp_path: Path
) -> None:
    run(database, "the-odds-api", write_answer(tmp_path / "first.json"), "--shift-to-now")
    later = write_answer(tmp_path / "later.json", "2026-04-16T21:00:00Z")
    result = run(database, "the-odds-api", later, "--shift-to-now")
    assert result.exit_code == 1
    assert "1 quotes were scraped more than 5 minutes in the future" in result.stderr
    assert "for Home vs Away; --shift-to-now=again shifts the newest scrape to now" in result.stderr
    assert "into a new database: oddsdesk import the-odds-api" in result.stderr
    assert "scraped in the future 3" in result.stdout
    again = run(database, "the-odds-api", later, "--shift-to-now=again")
    assert again.exit_code == 0
    assert "a game in both imports is listed twice" in again.stderr
    last = run(database, "the-odds-api", later, "--shift-to-now")
    assert (last.exit_code, last.stderr) == (0, "")


@pytest.mark.parametrize("first", [["--shift-to-now"], []])
def test_shifted_times_among_real_ones_name_the_command_for_a_new_database(
    database: Path, answer: Path, tmp_path: Path, first: list[str]
) -> None:
    season = write_season(tmp_path / "a season.csv", date(2024, 8, 16), ["Leeds", "Burnley"])
    assert run(database, "the-odds-api", answer, *first).exit_code == 0
    then = [] if first else ["--shift-to-now"]
    result = run(database, "football-data", season, *then)
    assert result.exit_code == 0
    [line] = [line for line in result.stderr.splitlines() if "keep them apart" in line]
    command = shlex.split(line.split("new database: ")[1])
    assert command[:4] == ["oddsdesk", "import", "football-data", str(season)]
    assert command[4:] == [*then, "--database", str(database.with_name("football-data.db"))]
    apart = CliRunner().invoke(import_, command[2:])
    assert (apart.exit_code, apart.stderr) == (0, "")
    again = run(database, "football-data", season, *then)
    if first:
        assert "football-data-1.db" in again.stderr
    else:
        assert "keep them apart" not in again.stderr, "they are mixed already"


def test_shifting_knows_no_other_word(database: Path, answer: Path) -> None:
    assert run(database, "the-odds-api", answer, "--shift-to-now=twice").exit_code == 2
    assert not database.exists()


def test_prices_of_a_season_that_lie_ahead_are_left_out(database: Path, tmp_path: Path) -> None:
    """Inferred times, too: moved to now they would be prices of games that are far off."""
    teams = ["Leeds", "Burnley", "Hull"]
    first = write_season(tmp_path / "first.csv", date(2024, 8, 16), teams)
    second = write_season(tmp_path / "second.csv", date(2024, 9, 16), teams)
    assert run(database, "football-data", first, "--shift-to-now").exit_code == 0
    result = run(database, "football-data", second, "--shift-to-now")
    assert "12 quotes were scraped more than 5 minutes in the future" in result.stderr
    assert "for Leeds vs Burnley, Leeds vs Hull, Burnley vs Leeds and 3 more games" in result.stderr


def test_a_file_that_cannot_be_read_is_named_and_the_others_kept(
    database: Path, answer: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.txt"
    broken.write_text("{")
    result = run(database, "the-odds-api", broken, answer, tmp_path / "none")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == "quotes 1, changes 2, skipped 0, bad 2"
    missing, refused = sorted(result.stderr.splitlines(), key=lambda line: str(broken) in line)
    assert missing.startswith(f"{tmp_path / 'none'}: no such file")
    assert refused.startswith(f"{broken}: expected a v4 odds answer")


def test_quotes_from_the_future_are_refused_in_one_line(database: Path, tmp_path: Path) -> None:
    answer = write_answer(tmp_path / "odds.json", "2199-01-01T00:00:00Z")
    result = run(database, "the-odds-api", answer)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "prices 3, kept 0, skipped 3: scraped in the future 3",
        "quotes 0, changes 0, skipped 0, bad 1",
    ]
    assert result.stderr.count("\n") == 1
    assert "1 quotes were scraped more than 5 minutes in the future" in result.stderr
    assert run(database, "the-odds-api", answer, "--shift-to-now").exit_code == 0


def test_inferred_times_are_marked_and_never_later_than_now(database: Path, tmp_path: Path) -> None:
    season = tmp_path / "E0.csv"
    season.write_text(
        "Div,Date,Time,HomeTeam,AwayTeam,PSH,PSD,PSA\nE0,16/08/2199,20:00,Home,Away,2.5,3.3,2.9\n"
    )
    result = run(database, "football-data", season)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].startswith("the files have no scrape times")
    assert result.stdout.splitlines()[-1] == "quotes 1, changes 3, skipped 0, bad 0"


def test_an_unknown_format_is_misuse_and_names_the_known(database: Path, answer: Path) -> None:
    result = run(database, "odds-api", answer)
    assert result.exit_code == 2
    assert "the-odds-api" in result.stderr


def test_a_target_that_cannot_be_written_is_one_line(
    database: Path, answer: Path, tmp_path: Path
) -> None:
    result = run(database, "the-odds-api", answer, "--to", tmp_path / "none" / "q.ndjson")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: cannot write")
    assert result.stderr.count("\n") == 1


def test_the_real_moment_is_imported_whole_and_fast(database: Path, shared_data: Path) -> None:
    began = time.process_time()
    result = run(database, "the-odds-api", shared_data / "the-odds-api/*.json.gz", "--shift-to-now")
    assert time.process_time() - began < 10  # of the processor: others may be at work, too
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "prices 38278, kept 38277, skipped 1: not offered 1",
        "quotes 15036, changes 36509, skipped 0, bad 0",
    ]
    store = open_store(database)
    try:
        games = store.reader().list_games(system_clock(), Filters(), Visibility(), limit=1_000)
    finally:
        store.close()
    assert len(games.items) == 202
    names = [game.match_name for game in games.items]
    assert sum(name.startswith("Cleveland Guardians vs Baltimore Orioles") for name in names) == 2


def write_season(path: Path, begin: date, teams: list[str]) -> Path:
    """A football-data season: each pair twice, a game a day, before closing and closing."""
    header = "Div,Date,Time,HomeTeam,AwayTeam,B365H,B365D,B365A,B365CH,B365CD,B365CA"
    lines = [
        f"E0,{begin + timedelta(number):%d/%m/%Y},17:30,{home},{away},2.1,3.4,3.6,2.0,3.5,3.8"
        for number, (home, away) in enumerate(permutations(teams, 2))
    ]
    path.write_text("\n".join([header, *lines]))
    return path


def games_of(database: Path) -> set[tuple[str, int]]:
    """Plain name and kick-off of every game; the names told apart."""
    connection = sqlite3.connect(database)
    rows = connection.execute("SELECT match_name, match_date FROM game").fetchall()
    connection.close()
    games = {(without_date(name), kick_off) for name, kick_off in rows}
    assert len(games) == len(rows)
    return games


def test_seasons_in_any_order_are_the_same_games(tmp_path: Path) -> None:
    """Finding F2.3: the older season first made one game of two."""
    teams = ["Leeds", "Burnley", "Hull", "Derby", "Stoke"]
    old = write_season(tmp_path / "old.csv", date(2024, 8, 16), [*teams, "Ipswich"])
    new = write_season(tmp_path / "new.csv", date(2025, 8, 15), [*teams, "Wrexham"])
    found = []
    for number, commands in enumerate(([[old], [new]], [[new], [old]], [[old, new]])):
        database = tmp_path / f"{number}.db"
        for files in commands:
            assert run(database, "football-data", *files).exit_code == 0
        found.append(games_of(database))
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 60
    assert ("Leeds vs Burnley", parse_ms("2024-08-16T16:30:00Z")) in found[0]
    assert ("Leeds vs Burnley", parse_ms("2025-08-15T16:30:00Z")) in found[0]


def test_a_dash_is_standard_output_and_the_counts_go_next_to_it(
    database: Path, answer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(database, "the-odds-api", answer, "--to", "-")
    assert result.exit_code == 0
    (row,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert row["odds"] == {"Home": 2.0, "Away": 1.9}
    assert result.stderr.splitlines() == [
        "prices 3, kept 3, skipped 0",
        "quotes 1, changes 0, skipped 0, bad 0",
    ]
    assert list(tmp_path.iterdir()) == [answer]


def test_a_file_called_dash_is_written_where_a_path_says_so(
    database: Path, answer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(database, "the-odds-api", answer, "--to", "./-")
    assert result.stdout.splitlines()[-1] == "quotes 1, changes 0, skipped 0, bad 0"
    assert len(rows(tmp_path / "-")) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX names standard output so")
def test_standard_output_by_its_path_is_piped_on_and_stays(database: Path, answer: Path) -> None:
    program = f"from oddsdesk.cli.main import main; main({['import', 'the-odds-api', str(answer)]}"
    link = Path("/dev/stdout").readlink()
    ended = subprocess.run(
        [sys.executable, "-c", f"{program} + ['--to', '/dev/stdout'])"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert len(ended.stdout.splitlines()) == 1
    assert ended.stderr.splitlines()[-1] == "quotes 1, changes 0, skipped 0, bad 0"
    assert Path("/dev/stdout").readlink() == link


@pytest.mark.skipif(sys.platform == "win32", reason="a shell's pipe")
def test_a_reader_who_has_gone_ends_it_without_a_trace(tmp_path: Path) -> None:
    answers = [write_answer(tmp_path / f"{number}.json") for number in range(300)]
    words = ["import", "the-odds-api", *map(str, answers), "--to", "-"]
    child = subprocess.Popen(
        [sys.executable, "-c", f"from oddsdesk.cli.main import main; main({words})"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    assert child.stderr.read() == ""
    child.stderr.close()
    assert child.wait(60) == 1


def test_a_dash_is_standard_input(database: Path, answer: Path) -> None:
    words = ["the-odds-api", "-", "--database", str(database)]
    result = CliRunner().invoke(import_, words, input=gzip.compress(answer.read_bytes()))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1] == "quotes 1, changes 2, skipped 0, bad 0"


def test_a_planted_link_next_to_the_target_is_not_followed(
    database: Path, answer: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "quotes.ndjson.part").symlink_to(victim)
    assert run(database, "the-odds-api", answer, "--to", tmp_path / "quotes.ndjson").exit_code == 0
    assert victim.read_text() == "precious"
    assert len(rows(tmp_path / "quotes.ndjson")) == 1


def test_quotes_older_than_the_database_keeps_are_said_to_stay(database: Path, answer: Path):
    store = open_store(database)
    store.keep_log(7).result(10)
    store.close()
    result = run(database, "the-odds-api", answer)
    assert "1 quotes are older than 7 days, the time that price history is kept" in result.stderr
    assert "being imported, they are kept, too" in result.stderr


def test_what_oddsharvester_wrote_is_recorded(
    database: Path, tmp_path: Path, shared_data: Path
) -> None:
    files = sorted((shared_data / "live" / "oddsharvester").glob("*.json"))
    out = tmp_path / "quotes.ndjson"
    result = CliRunner().invoke(import_, ["oddsharvester", *map(str, files), "--to", str(out)])
    assert result.exit_code == 0, result.output
    written = sum(file.read_text().count(f'"{label}": "') for file in files for label in LABELS)
    assert sum(len(row["odds"]) for row in rows(out)) == written
    assert run(database, "oddsharvester", *files).exit_code == 0
    with contextlib.closing(open_store(database, read_only=True)) as store:
        assert store.reader().last_scraped_at()
