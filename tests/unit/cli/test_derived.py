"""`oddsdesk derived measure`: the table, the saved file, and what is missing."""

import contextlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli.bet_sources import own_board
from oddsdesk.cli.main import main
from oddsdesk.ledger.own_tables import bands_file, known_bands
from oddsdesk.pricing.derived import LEAST_LINES, Band, BandKey
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.error_bands import shipped_bands
from oddsdesk.store.store import open_store
from tests.unit.research.test_derived_errors import PLANTED, quotes

METHOD = "multiplicative"
FAR = BandKey("Football", "total", "1")
OFF = PLANTED * 1.102
"""The error of Over 2.5 that follows from the planted Over 3.5: more than half of the lines have
this error or ``PLANTED``."""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """As many games as a band needs, each with the same planted error."""
    path = tmp_path / "season.db"
    with contextlib.closing(open_store(path)) as store:
        for number in range(LEAST_LINES):
            store.record(quotes(number)).result(10)
    return path


def measure(*arguments: str | Path) -> Result:
    named = ["derived", "measure", "--method", METHOD, *map(str, arguments)]
    return CliRunner().invoke(main, named)


def test_the_table_has_the_planted_error_and_the_counts(log: Path) -> None:
    result = measure("--database", log, "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["reference"], told["games"], told["games_predicted"]) == ("Pinnacle", 30, 30)
    rows = {
        (row["market_type"], row["distance"], row["given"]): row
        for row in told["rows"]
        if row["sport"] == "Football"
    }
    far = rows["total", "1", "one"]
    assert far["error"] == pytest.approx(OFF, rel=1e-3)
    assert (far["lines"], far["games"], far["gives_price"]) == (60, 30, True)
    result = measure("--database", log)
    assert "1.10" in result.stdout
    assert "lines of Pinnacle in 30 of 30 games" in result.stdout


def test_a_saved_table_is_used_in_place_of_the_shipped(log: Path) -> None:
    assert known_bands(METHOD).bands == shipped_bands(METHOD)
    result = measure("--database", log, "--save")
    assert result.exit_code == 0, result.output
    assert str(bands_file()) in result.stdout
    bands, problems = known_bands(METHOD)
    assert problems == []
    assert known_bands("shin").bands == shipped_bands("shin")
    assert bands[FAR] == Band(pytest.approx(OFF, rel=1e-3), 60)


def test_a_sport_and_method_measured_again_replaces_its_rows(log: Path) -> None:
    other = "Tennis,total_games,1,all,shin,0.01000,0.00000,31,31"
    same = "Football,btts,none,all,multiplicative,0.01000,0.00000,31,31"
    kept = "Football,btts,none,all,shin,0.02000,0.00000,31,31"
    path = bands_file()
    path.parent.mkdir(parents=True)
    header = "sport,market,distance,given,method,error,bias,lines,games"
    path.write_text("\n".join([header, other, same, kept, ""]), "utf-8")
    assert measure("--database", log, "--save").exit_code == 0
    lines = path.read_text("utf-8").splitlines()
    assert other in lines
    assert kept in lines
    assert same not in lines


def test_a_file_with_mistakes_is_not_replaced(log: Path) -> None:
    path = bands_file()
    path.parent.mkdir(parents=True)
    path.write_text("sport,market\nFootball,total\n", "utf-8")
    result = measure("--database", log, "--save")
    assert result.exit_code == 1
    assert "no column 'distance'" in result.output
    assert path.read_text("utf-8").startswith("sport,market\n")
    assert known_bands(METHOD).bands == shipped_bands(METHOD)
    assert len(known_bands(METHOD).problems) == 1


def test_missing_data_is_named(log: Path, tmp_path: Path) -> None:
    open_store(tmp_path / "empty.db").close()
    result = measure("--database", tmp_path / "empty.db")
    assert (result.exit_code, "has no odds" in result.output) == (1, True)
    result = measure("--database", log, "--reference", "Bet365")
    assert "no prices of Bet365; name a sharp book with --reference, such as" in result.output
    assert "Pinnacle" in result.output
    result = measure("--database", log, "--sport", "tennis")
    assert "Tennis: Pinnacle has no complete line before kick-off" in result.output
    for name in ("consensus", "Consensus (learned)"):
        result = measure("--database", log, "--reference", name)
        assert "a consensus has no modelled prices" in result.output


def test_lines_that_no_model_can_predict_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    with contextlib.closing(open_store(path)) as store:
        store.record(quotes(totals=(), spreads=())).result(10)
    result = measure("--database", path)
    assert "no line of Pinnacle could be predicted" in result.output


def test_commands_model_prices_with_the_known_bands() -> None:
    assert own_board(lambda: 0).basis.bands == known_bands(DEFAULT_METHOD).bands != {}
