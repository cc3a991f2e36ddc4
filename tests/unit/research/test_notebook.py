"""docs/analysis.ipynb: its cells run, print what is kept in it, and find what was put in."""

import re
from itertools import permutations
from pathlib import Path

import pytest

from tests.kit import notebook as notebooks
from tests.kit.documented import DOCS

duckdb = pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def ran() -> tuple[list[str], list[str]]:
    """What each cell printed before, and what it prints now."""
    read = notebooks.read(Path(DOCS) / "analysis.ipynb")
    return [notebooks.shown(cell) for cell in notebooks.code_cells(read)], notebooks.run(read)


def test_cells_print_what_the_notebook_shows(ran: tuple[list[str], list[str]]) -> None:
    kept, now = ran
    assert now == kept


def test_it_answers_what_is_known_of_the_prices(ran: tuple[list[str], list[str]]) -> None:
    _, _, first, sharp, _, _, _, wire = ran[1]
    assert first.splitlines()[0].startswith("Sharp")
    holds = {
        name: float(hold)
        for name, hold in re.findall(r"(\w+(?: \w+)?) +\d+ games.*hold ([\d.]+) %", sharp)
    }
    assert sorted(holds, key=holds.__getitem__) == ["Betfair Exchange", "Sharp", "Slow", "Soft"]
    assert holds["Soft"] == pytest.approx(100 * (1 - 1 / 1.06), abs=0.2)
    over_the_wire, exported = re.findall(r"(\d+) moves over the wire, (\d+) in", wire)[0]
    assert over_the_wire == exported


def test_its_value_bets_are_those_of_the_command(ran: tuple[list[str], list[str]]) -> None:
    """Bets, CLV, coverage, prices refused; nearly the interval, which the command draws."""
    *_, value, command, missing, _ = ran[1]
    assert command.splitlines()[1] == "the same as above: True True"
    assert missing.splitlines()[-1] == "the command says the same: True"
    clv, nearly = map(float, re.findall(r"all .* CLV ([+-][\d.]+) \+- ([\d.]+) %", value)[0])
    low, high = map(float, re.findall(r"\(([+-][\d.]+) to ([+-][\d.]+)\)", command)[0])
    assert clv - nearly > 0
    assert (low, high) == pytest.approx((clv - nearly, clv + nearly), abs=nearly / 10)


def test_gross_of_commission_its_bets_would_be_others() -> None:
    read = notebooks.read(Path(DOCS) / "analysis.ipynb")
    for cell in notebooks.code_cells(read):
        source = "".join(cell["source"])
        cell["source"] = source.replace("profiles.profile_of(n).commission", "0.0")
    *_, value, command, _, _ = notebooks.run(read)
    assert "Betfair Exchange 203 bets" in value
    assert command.splitlines()[1] == "the same as above: False False"


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
