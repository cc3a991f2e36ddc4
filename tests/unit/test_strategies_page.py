"""The page of strategies: each row of its tables is what the command says of the same seasons."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from oddsdesk.cli.backtest import backtest
from oddsdesk.cli.import_ import import_

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "strategies.md"
FOOTBALL_DATA = ROOT.parent / "shared" / "data" / "football-data"
FILES = sorted(FOOTBALL_DATA.glob("[A-Z]*_*.csv"))
COMMAND = "    oddsdesk backtest --database seasons.db"


def rows_of(page: str) -> Iterator[tuple[str, str]]:
    """Yield each row of figures with the options of its command."""
    common = ""
    for line in page.splitlines():
        if line.startswith(COMMAND):
            common = line.removeprefix(COMMAND)
        elif line.startswith("| `--"):
            yield f"{common} {line.split('`')[1]}", line


def row_of(title: str, found: dict[str, Any]) -> str:
    """Return the row of a backtest as the page should have it."""
    won = sum(row["result"] == "won" for row in found["rows"])
    profit = found["profit"]
    cells = [f"{found['bets']:,}", f"{won:,}", "none" if profit is None else f"{profit:+.2f}"]
    cells += [_with_ends(found, "yield_pct"), _with_ends(found, "clv_pct")]
    return f"| `{title}` | {' | '.join(cells)} |"


def _with_ends(found: dict[str, Any], name: str) -> str:
    figure, low, high = (found[name + end] for end in ("", "_low", "_high"))
    if figure is None:
        return "none"
    ends = "too few games" if low is None else f"{low:+.2f} to {high:+.2f}"
    return f"{figure:+.2f} % ({ends})"


@pytest.fixture(scope="module")
def seasons(tmp_path_factory: pytest.TempPathFactory) -> str:
    if len(FILES) < 5:
        pytest.skip("the real input next to the project (../shared/data) is missing")
    made = str(tmp_path_factory.mktemp("strategies") / "seasons.db")
    done = CliRunner().invoke(
        import_, ["football-data", *map(str, FILES), "--database", made], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return made


def _rows() -> Iterator[Any]:
    """Yield the first rows, and the others for those who ask for every season."""
    for place, row in enumerate(rows_of(PAGE.read_text(encoding="utf-8"))):
        yield row if place < 1 else pytest.param(*row, marks=pytest.mark.every_season)


@pytest.mark.slow
@pytest.mark.parametrize(("options", "row"), list(_rows()))
def test_figures_of_a_row_are_the_commands(seasons: str, options: str, row: str) -> None:
    arguments = ["--database", seasons, "--json", *shlex.split(options)]
    done = CliRunner().invoke(backtest, arguments)
    assert done.exit_code == 0, done.output
    assert row == row_of(row.split("`")[1], json.loads(done.stdout))


@pytest.mark.slow
@pytest.mark.every_season
def test_the_best_of_the_grid_is_the_commands(seasons: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    (grid,) = (line for line in page.splitlines() if line.startswith(f"{COMMAND} --grid"))
    arguments = ["--database", seasons, *shlex.split(grid.removeprefix(COMMAND))]
    done = CliRunner().invoke(backtest, arguments)
    assert done.exit_code == 0, done.output
    best = [line for line in done.stdout.splitlines() if line.startswith("best ")]
    assert len(best) == 2
    assert [line for line in page.splitlines() if line.startswith("best ")] == best


@pytest.mark.slow
@pytest.mark.parametrize(
    ("alpha", "above", "clv"), [("0.05", "18 of 18", "-1.55"), ("0.034", "86 of 88", "-0.19")]
)
def test_the_clv_at_recorded_prices_is_the_commands(
    seasons: str, alpha: str, above: str, clv: str
) -> None:
    asked = f"--strategy best-vs-mean --series football-data --at close --alpha {alpha}"
    done = CliRunner().invoke(backtest, ["--database", seasons, *asked.split()])
    (line,) = (each for each in done.stdout.splitlines() if "recorded here" in each)
    assert line.startswith(f"{above} best prices are above every bookmaker")
    assert f"CLV is {clv} %" in line
    assert f"{clv} %" in PAGE.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.every_season
def test_the_range_of_the_clv_is_the_commands(seasons: str) -> None:
    done = CliRunner().invoke(backtest, ["--database", seasons, "--method", "multiplicative"])
    (line,) = (each for each in done.stdout.splitlines() if "its sign is not certain" in each)
    assert line.startswith("CLV is -4.04 % (goto) to +2.22 % (multiplicative)")
    assert "a CLV of -4.04 % to +2.22 %" in PAGE.read_text(encoding="utf-8")


def test_the_page_of_research_says_what_real_seasons_showed() -> None:
    (row,) = (
        line
        for options, line in rows_of(PAGE.read_text(encoding="utf-8"))
        if "series" not in options and options.endswith(" --method multiplicative")
    )
    of_yield, of_clv = (cell.split("%")[0].strip() for cell in row.split("|")[5:7])
    text = (PAGE.parent / "research.md").read_text(encoding="utf-8")
    assert f"a yield of {of_yield} % and a CLV of {of_clv} %" in text


def test_the_page_has_rows() -> None:
    assert len(list(rows_of(PAGE.read_text(encoding="utf-8")))) > 10
