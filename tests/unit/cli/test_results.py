"""`oddsdesk results`: recorded from files, and listed as the service answers them."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli.main import main
from oddsdesk.contract.results import GameResult, GameStatus, PeriodScore
from oddsdesk.store.databases import Database
from oddsdesk.store.store import open_store
from tests.kit.running_service import NOW, RunningService

SCORES = """Date,Time,Sport,Competition,Home,Away,HG,AG,Status,P1H,P1A,P2H,P2A
2024-11-16,15:00,,E0,Leeds,Hull,2,1,,1,0,1,1
2024-11-17,,Basketball,NBA,Lakers,Celtics,101,99,,,,,
2024-11-18,19:30,,E0,Leeds,Luton,,,postponed,,,,
"""


def run(*arguments: Any) -> Result:
    words = [str(getattr(each, "url", each)) for each in arguments]
    return CliRunner().invoke(main, ["results", *words])


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    path.write_text(SCORES)
    return path


@pytest.fixture
def filled(database: Database, scores: Path) -> Database:
    """A database with these scores."""
    made = run("import", "scores", scores, "--database", database)
    assert (made.exit_code, made.stdout) == (0, "results 3, bad 0\n"), made.output
    return database


def listed(database: Database, *arguments: str) -> list[dict[str, Any]]:
    done = run("list", "--database", database, "--json", *arguments)
    assert done.exit_code == 0, done.output
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def test_scores_are_recorded_and_listed(filled: Database) -> None:
    first, second, third = listed(filled)
    assert first == {
        "game_id": first["game_id"],
        "match_name": "Leeds vs Hull",
        "competition": "EPL",
        "sport": "Football",
        "kick_off": "2024-11-16T15:00:00.000Z",
        "status": "final",
        "home": 2,
        "away": 1,
        "periods": [[1, 1, 0], [2, 1, 1]],
        "overtime": False,
        "selections": [],
        "bookmaker": "",
        "source": "scores",
        "reported_at": None,
        "simulated": False,
        "corrections": [],
    }
    assert (second["kick_off"], second["sport"], second["overtime"]) == (
        *("2024-11-17", "Basketball", None),
    )
    assert (third["status"], third["home"]) == ("postponed", None)
    assert [row["home"] for row in listed(filled, "--competition", "NBA")] == [101]
    assert len(listed(filled, "--from", "2024-11-17", "--to", "2024-11-18")) == 1


def test_people_read_a_table(filled: Database) -> None:
    done = run("list", "--database", filled)
    line = done.stdout.splitlines()[1].split("  ")
    assert [cell.strip() for cell in line if cell] == [
        *("2024-11-16T15:00:00.000Z", "EPL", "Leeds v Hull", "final", "2-1", "1-0 1-1", "scores")
    ]
    assert "2024-11-17 " in done.stdout
    assert run("list", "--database", filled, "--competition", "X").stdout == "no results\n"


def test_a_file_that_was_corrected_replaces_its_scores(filled: Database, scores: Path) -> None:
    scores.write_text(SCORES.replace("Hull,2,1,,1,0,1,1", "Hull,2,2,,,,,"))
    assert run("import", "scores", scores, "--database", filled).exit_code == 0
    row = listed(filled)[0]
    assert (row["home"], row["away"], len(listed(filled))) == (2, 2, 3)
    assert [(each["home"], each["away"]) for each in row["corrections"]] == [(2, 1)]


def test_bad_rows_are_reported_and_the_others_recorded(database: Database, scores: Path) -> None:
    name = database if isinstance(database, Path) else database.url
    scores.write_text(SCORES.replace("2,1,,1,0,1,1", "two,1,,1,0,1,1"))
    done = run("import", "scores", scores, "--database", name)
    assert (done.exit_code, done.stdout) == (1, "results 2, bad 1\n")
    assert done.stderr.startswith(f"{scores} line 2: expected a number such as 2 in HG")
    scores.write_text("Stake,Odds\n1,2\n")
    done = run("import", "scores", scores, "--database", name)
    assert (done.exit_code, done.stdout) == (1, "results 0, bad 1\n")
    assert "a list of bets" in done.stderr


@pytest.mark.one_engine
def test_a_file_with_odds_gives_its_results_alone(database: Database, tmp_path: Path) -> None:
    season = tmp_path / "E0.csv"
    season.write_text(
        "Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,B365H,B365D,B365A\n"
        "E0,16/08/2024,20:00,Leeds,Hull,2,1,2.0,3.5,4.0\n"
    )
    done = run("import", "football-data", season, "--database", database)
    assert done.stdout.splitlines()[-1] == "results 1, bad 0"
    assert [row["source"] for row in listed(database)] == ["football-data"]
    with closing(open_store(database)) as store:
        assert store.reader().last_seq() == 0
    season.write_text(
        "Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,B365H,B365D,B365A\n"
        "E0,16/08/2024,20:00,Leeds,Hull,,,2.0,3.5,4.0\n"
    )
    done = run("import", "football-data", season, "--database", database)
    assert (done.exit_code, "no results in" in done.stderr) == (1, True)


@pytest.mark.one_engine
def test_the_results_of_a_service_are_listed_alike(database: Database, tmp_path: Path) -> None:
    service = RunningService(database)
    try:
        game = {"competition": "EPL", "match_name": "A - B", "source": "x"}
        results = [
            GameResult(kick_off=NOW - 7_200_000 * number, home=2, away=number, **game)
            for number in range(3)
        ]
        halves = (PeriodScore(1, 1, 0),)
        going = GameResult(
            kick_off=NOW, home=1, away=0, periods=halves, status=GameStatus.IN_PLAY, **game
        )
        service.store.record_results([*results[1:], going]).result(10)
        key = tmp_path / "key"
        key.write_text(service.key())
        asked = ("list", "--json", "--url", service.url, "--key-file", key)
        done = run(*asked)
        some = run(*asked, "--to", "2026-11-20T17:00:00Z")
        key.write_text("oddsdesk_live_0")
        refused = run(*asked)
    finally:
        service.close()
    assert json.loads(done.stdout) == listed(database)
    assert [row["away"] for row in json.loads(some.stdout)] == [2, 1]
    assert refused.exit_code == 1
    assert refused.stdout == ""


def test_options_that_contradict_each_other_are_refused() -> None:
    assert "--url needs --key-file" in run("list", "--url", "http://localhost").stderr
    span = run("list", "--from", "2024-01-02", "--to", "2024-01-01")
    assert "--from must be earlier than --to" in span.stderr
