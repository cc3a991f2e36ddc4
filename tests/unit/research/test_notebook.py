"""docs/analysis.ipynb: its cells run, print what is kept in it, and find what was put in."""

import json
import re
from itertools import permutations
from pathlib import Path

import pytest
from click.testing import CliRunner

from oddsdesk.cli.main import main
from tests.kit import notebook as notebooks
from tests.kit.documented import DOCS

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def ran() -> tuple[list[str], list[str]]:
    """What each cell printed before, and what it prints now."""
    read = notebooks.read(Path(DOCS) / "analysis.ipynb")
    return [notebooks.shown(cell) for cell in notebooks.code_cells(read)], notebooks.run(read)


@pytest.fixture
def odds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The database that the first cell makes."""
    monkeypatch.chdir(tmp_path)
    notebooks.run_cell(notebooks.code_cells(notebooks.read(Path(DOCS) / "analysis.ipynb"))[0], {})
    return tmp_path / "odds.db"


def test_cells_print_what_the_notebook_shows(ran: tuple[list[str], list[str]]) -> None:
    kept, now = ran
    assert now == kept


def test_it_answers_what_is_known_of_the_prices(ran: tuple[list[str], list[str]]) -> None:
    _, _, first, sharp, *_, wire = ran[1]
    assert first.splitlines()[0].startswith("Sharp")
    holds = {
        name: (float(hold), float(net))
        for name, hold, net in re.findall(
            r"(\w+(?: \w+)?) +\d+ games.*hold ([\d.]+) %, after commission ([\d.]+) %", sharp
        )
    }
    assert sorted(holds, key=holds.__getitem__) == ["Betfair Exchange", "Sharp", "Slow", "Soft"]
    assert holds["Soft"] == pytest.approx([100 * (1 - 1 / 1.06)] * 2, abs=0.2)
    assert holds["Betfair Exchange"][1] > holds["Sharp"][1] == holds["Sharp"][0]
    over_the_wire, logged = re.findall(r"(\d+) moves over the wire, (\d+) in", wire)[0]
    assert over_the_wire == logged


def test_its_value_bets_are_those_of_the_command(
    ran: tuple[list[str], list[str]], odds: Path
) -> None:
    """Bets, CLV with its interval, and notes."""
    *_, value, _, missing, _ = ran[1]
    how = ["--method", "multiplicative", "--close-method", "multiplicative", "--json"]
    done = CliRunner().invoke(main, ["backtest", "--database", str(odds), *how])
    command = json.loads(done.stdout)
    pattern = r"all +(\d+) bets, CLV ([+-][\d.]+) \(([+-][\d.]+) to ([+-][\d.]+)\)"
    bets, clv, low, high = map(float, re.findall(pattern, value)[0])
    assert (bets, clv) == (command["bets"], pytest.approx(command["clv_pct"], abs=0.005))
    drawn = command["clv_pct_low"], command["clv_pct_high"]
    assert (low, high) == pytest.approx(drawn, abs=0.005)
    assert low > 0
    covered = command["coverage"]
    head, games = missing.splitlines()[:2]
    assert head == "judged by Sharp, multiplicative; CLV vs the Sharp close, multiplicative"
    assert games.startswith(f"{covered['games']} games; Sharp priced {covered['games']} (100 %)")
    assert f"results for {covered['games']} (100 %)" in missing
    assert f"({covered['refused']['above_window']})" in missing


def test_commission_takes_its_part_of_each_win(ran: tuple[list[str], list[str]]) -> None:
    """The exchange's profit at the odds on the screen is counted here from the same bets."""
    *_, value, forgotten, _, _ = ran[1]
    shown, net = map(float, re.findall(r"CLV ([+-][\d.]+)", forgotten))
    assert f"Betfair Exchange 128 bets, CLV {net:+.2f} " in value
    assert shown - net > 2


def test_of_moves_of_one_reading_nobody_is_first_whatever_the_order_of_the_rows() -> None:
    cell = notebooks.code_cells(notebooks.read(Path(DOCS) / "analysis.ipynb"))[2]
    of_one_reading = ["1, 0, 'A', 2.0", "2, 0, 'B', 2.0", "3, 20, 'A', 2.1", "4, 20, 'B', 2.1"]
    later = ["5, 60, 'B', 2.2", "6, 66, 'A', 2.3", "7, 90, 'A', NULL", "8, 110, 'A', 2.0"]
    for order in permutations(of_one_reading):
        rows = ", ".join(f"({row})" for row in [*order, *later])
        db = duckdb.connect()
        db.execute(
            "CREATE TABLE change AS SELECT *, 'game' AS game_id, 'home' AS selection,"
            " TIMESTAMP '2026-01-01' + to_minutes(minute) AS scraped_at, FALSE AS is_live"
            f" FROM (VALUES {rows}) AS told(seq, minute, bookmaker, odds)"
        )
        printed = notebooks.run_cell(cell, {"db": db})
        assert printed == "B                    1 first moves, 100 % followed\n"
