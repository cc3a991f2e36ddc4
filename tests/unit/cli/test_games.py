"""`oddsdesk games` (D69)."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli.games import games
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.store import open_store
from tests.kit.store import NOW


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Two games that may be one, and one that is none of them."""
    path = tmp_path / "odds.db"
    with closing(open_store(path)) as store:
        store.record([quote("PSG - Lyon"), quote("PSG Stars v Lyon Lions"), quote("A - B")])
    return path


def quote(match_name: str) -> Quote:
    odds = {"Over 2.5": 1.9, "Under 2.5": 1.9}
    return Quote("Bet365", match_name, "LIG1", "total", 0, odds, NOW, match_date=NOW + 3_600_000)


def run(database: Path, *arguments: str) -> Result:
    return CliRunner().invoke(games, [arguments[0], "--database", str(database), *arguments[1:]])


def listed(database: Path, *arguments: str) -> list[dict[str, object]]:
    result = run(database, *arguments, "--json")
    assert result.exit_code == 0, result.output
    pairs: list[dict[str, object]] = json.loads(result.stdout)
    return pairs


def names(database: Path) -> list[str]:
    with closing(open_store(database)) as store:
        query = "SELECT match_name FROM game ORDER BY id"
        rows = store.run_on_writer(lambda c: c.execute(query).fetchall()).result(10)
    return [name for (name,) in rows]


def test_suggestions_are_a_table(database: Path) -> None:
    result = run(database, "suggest")
    assert result.exit_code == 0
    assert [" ".join(line.split()) for line in result.stdout.splitlines()] == [
        "ID STATE COMPETITION KICK-OFF GAME OTHER GAME",
        "1 suggested LIG1 2026-04-12T14:20:00.000Z PSG - Lyon PSG Stars v Lyon Lions",
    ]


def test_suggestions_are_json_of_one_shape(database: Path) -> None:
    (pair,) = listed(database, "suggest")
    assert list(pair) == [
        *("id", "state", "competition", "game_id", "match_name", "match_date"),
        *("other_game_id", "other_name", "other_match_date", "crosswise", "decided_at"),
    ]
    assert (pair["state"], pair["decided_at"]) == ("suggested", None)


def test_accepted_is_one_game_and_undone_two(database: Path) -> None:
    run(database, "suggest")
    result = run(database, "accept", "1")
    assert result.exit_code == 0
    assert result.stdout == "1: PSG - Lyon and PSG Stars v Lyon Lions: merged\n"
    assert names(database) == ["PSG - Lyon", "A - B"]
    assert [pair["state"] for pair in listed(database, "suggest")] == ["accepted"]
    assert [pair["state"] for pair in listed(database, "undo", "1")] == ["suggested"]
    assert names(database) == ["PSG - Lyon", "PSG Stars v Lyon Lions", "A - B"]


def test_refused_stays_two_games(database: Path) -> None:
    run(database, "suggest")
    assert run(database, "refuse", "1").stdout.endswith(": kept apart\n")
    assert [pair["state"] for pair in listed(database, "suggest")] == ["refused"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["accept", "1", "7"], "7: no such pair"), (["undo", "1"], "1: has no decision to undo")],
)
def test_what_cannot_be_done_is_one_line_and_does_nothing(
    database: Path, arguments: list[str], said: str
) -> None:
    run(database, "suggest")
    result = run(database, *arguments)
    assert result.exit_code == 1
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert len(names(database)) == 3


def test_without_a_pair_it_is_said_and_without_an_id_it_is_misuse(tmp_path: Path) -> None:
    database = tmp_path / "odds.db"
    missing = run(database, "suggest")
    assert (missing.exit_code, missing.stderr) == (1, f"Error: {database}: no such database\n")
    assert not database.exists()
    open_store(database).close()
    assert run(database, "suggest").stdout == "no games here look like the same game\n"
    assert listed(database, "suggest") == []
    assert run(database, "accept").exit_code == 2
