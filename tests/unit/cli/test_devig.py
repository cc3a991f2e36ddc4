import json

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli.devig import devig
from oddsdesk.pricing.devig import METHODS


def run(*arguments: str) -> Result:
    return CliRunner().invoke(devig, arguments)


def test_the_table_has_a_line_for_every_method_in_aligned_columns() -> None:
    result = run("2.05", "1.88")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[2 : 2 + len(METHODS)]] == list(METHODS)
    default = next(line for line in lines if line.startswith("margin_proportional"))
    assert default.split() == [
        "margin_proportional",
        "2.0923",
        "1.9155",
        *["47.7945", "%", "52.2055", "%"],
    ]
    ends = {line.index("%") for line in lines[1 : 2 + len(METHODS)]}
    assert len(ends) == 1
    assert lines[-1] == "margin 1.9720 %"


def test_a_method_without_answer_says_why_in_its_line() -> None:
    line = next(
        line for line in run("1.15", "5", "10", "25").stdout.splitlines() if line.startswith("goto")
    )
    assert "odds 25.0 get a probability of -0.0244871" in line


def test_json_is_keyed_by_method() -> None:
    answers = json.loads(run("--json", "2.05", "1.88").stdout)
    assert list(answers) == list(METHODS)
    assert answers["margin_proportional"]["probabilities"] == pytest.approx(
        [0.477945, 0.522055], abs=1e-6
    )
    assert answers["margin_proportional"]["fair_odds"][0] == pytest.approx(2.0922909881)
    assert answers["margin_proportional"]["parameter"] is None
    assert answers["power"]["parameter"] == pytest.approx(1.029031, abs=1e-6)


def test_odds_are_read_with_a_comma_too() -> None:
    assert run("2,05", "1,877").stdout == run("2.05", "1.877").stdout


def test_json_gives_an_error_where_a_method_has_no_answer() -> None:
    answers = json.loads(run("--json", "2.2", "2.1").stdout)
    assert list(answers["shin"]) == ["error"]
    assert "margin is needed" in answers["shin"]["error"]
    assert answers["power"]["fair_odds"]


@pytest.mark.parametrize("bad", ["abc", "1", "0.5", "nan", "inf", "1e3", "2,0,5", "9" * 5000])
def test_a_bad_number_is_one_line_and_misuse(bad: str) -> None:
    result = run("2.05", bad)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: expected decimal odds such as 2.05, got '")
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 120


def test_one_price_is_not_a_market() -> None:
    result = run("2.05")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "at least two outcomes" in result.stderr


def test_no_price_is_misuse() -> None:
    assert run().exit_code == 2


def test_help_shows_an_example() -> None:
    assert "oddsdesk devig 2.05 1.88" in run("--help").stdout
