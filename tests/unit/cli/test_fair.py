import json
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import get_completion_class
from click.testing import CliRunner, Result

from oddsdesk.cli.fair import fair
from oddsdesk.cli.main import main

GIVEN = ("Football", "--moneyline", "2.05", "3.50", "3.70", "--total", "2.5", "1.95", "1.90")


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without settings and bands of the machine's user."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(fair, arguments)


def answer(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_rates_give_the_published_example() -> None:
    found = answer(
        *("Football", "--rates", "1.9358658956305108", "1.103726188219536"),
        *("--rho", "0.0060581511544"),
    )
    markets = found["markets"]
    assert markets["moneyline"]["Home"]["probability"] == pytest.approx(0.5679744, abs=1e-6)
    assert markets["moneyline"]["Draw"]["probability"] == pytest.approx(0.2183378, abs=1e-6)
    assert markets["btts"]["Yes"]["probability"] == pytest.approx(0.5713026487, abs=1e-6)
    assert markets["total"]["Under 2.5"]["probability"] == pytest.approx(0.4143785822, abs=1e-6)
    assert found["fit"]["scores"]["2-1"] == pytest.approx(0.0989700572, abs=1e-6)
    assert found["fit"]["home_rate"] == 1.9358658956305108
    assert markets["draw_no_bet"]["Home"] == {
        "probability": pytest.approx(0.5679744 / 0.7816622, abs=1e-6),
        "fair_odds": pytest.approx(0.7816622 / 0.5679744, abs=1e-5),
        "kind": "modelled",
        "band": None,
    }


def test_odds_give_given_implied_and_modelled_lines() -> None:
    markets = answer(*GIVEN)["markets"]
    assert list(markets)[:3] == ["moneyline", "spread", "total"]
    assert markets["double_chance"]["X2"] == {
        "probability": pytest.approx(1 / 1.8983, abs=1e-4),
        "fair_odds": pytest.approx(1.898, abs=5e-4),
        "kind": "implied",
        "band": None,
    }
    assert markets["moneyline"]["Draw"]["kind"] == "given"
    assert markets["spread"]["Away +0.25"]["kind"] == "implied"
    over = markets["total"]["Over 3.5"]
    assert over["kind"] == "modelled"
    assert 0 < over["band"] < 0.05
    for market in markets.values():
        for price in market.values():
            assert price["fair_odds"] == pytest.approx(1 / price["probability"])


def test_lines_without_a_measured_band_say_why() -> None:
    found = answer(*GIVEN)
    assert found["markets"]["3way_handicap"]["Draw -1"]["band"] is None
    assert "not been measured" in found["fit"]["without_band"]["3way_handicap"]["Draw -1"]
    assert "lines without a band (3-way handicap): the model's error on lines" in run(*GIVEN).stdout


def test_the_fit_is_printed_with_its_misses() -> None:
    found = answer(*GIVEN, "--btts", "1.60", "2.30")["fit"]
    misses = {(each["market_type"], each["selection"]): each["miss"] for each in found["misses"]}
    assert abs(misses["btts", "Yes"]) > 0.01
    assert ("total", "Over 2.5") in misses
    assert "worst fit: " in run(*GIVEN, "--btts", "1.60", "2.30").stdout


def test_the_method_removes_the_margin() -> None:
    odds = ("2.05", "3.50", "3.70")
    found = answer("Football", "--moneyline", *odds, "--method", "multiplicative")
    chances = [1 / float(each) for each in odds]
    assert found["markets"]["moneyline"]["Home"]["probability"] == pytest.approx(
        chances[0] / sum(chances)
    )


def test_options_repeat_and_odds_may_be_american_and_lines_negative() -> None:
    found = answer(
        *("soccer", "--spread", "-0.5", "+105", "-125", "--spread", "-1.5", "4.1", "1.27"),
        *("--team-total", "away", "1.5", "3.3", "1.35"),
    )
    markets = found["markets"]
    assert markets["spread"]["Home -1"]["kind"] == "implied"
    assert markets["3way_handicap"]["Draw -1"]["kind"] == "implied"
    assert markets["team_total"]["Away Over 1.5"]["kind"] == "given"


def test_other_sports_have_lines_around_those_given() -> None:
    result = run("Rugby", "--spread", "-3.5", "1.9", "1.9", "--spread", "-4.5", "2", "1.85")
    assert "Home -4" in result.stdout
    assert "there is no model of Rugby" in result.stdout
    tennis = answer("Tennis", "--total", "22.5", "1.9", "1.9", "--total", "23.5", "2.1", "1.72")
    assert tennis["markets"]["total_games"]["Over 23"]["kind"] == "implied"
    basketball = answer(
        *("Basketball", "--moneyline", "1.6", "2.45", "--spread", "-4.5", "1.95", "1.9"),
        *("--total", "221.5", "1.92", "1.92"),
    )
    assert basketball["markets"]["total"]["Over 224.5"]["kind"] == "modelled"
    assert basketball["fit"].get("scores") is None


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("Football",), "give odds or --rates"),
        (("Chess", "--rates", "1", "1"), "no sport 'Chess'; expected one of Football, "),
        (("Football", "--rates", "0", "2"), "the expected goals must be"),
        (("Football", "--rates", "2", "2", "--rho", "0.4"), "a probability below 0"),
        (("Football", "--rates", "1", "1", *GIVEN[1:]), "give --rates or odds, not both"),
        (("Football", "--rates", "1", "1", "--method", "power"), "rates have none"),
        (("Basketball", "--rates", "1", "2"), "--rates is for football only"),
        ((*GIVEN, "--rho", "0.1"), "with odds it is fitted"),
        (("Football", "--moneyline", "2", "3"), "takes three odds: home, draw and away"),
        (("Football", "--moneyline", "2"), "expected the odds of home, draw and away"),
        (("Football", "--total", "2.5", "1.9"), "a line and the odds of over and under"),
        (("Football", "--total"), "a line and the odds of over and under"),
        (("Football", "--total", "2.6", "1.9", "1.9"), "a line such as 2.5, 3 or 2.25"),
        (("Football", "--total", "-1", "1.9", "1.9"), "a line such as 2.5, 3 or 2.25"),
        (("Football", "--total", "nan", "1.9", "1.9"), "a line such as 2.5, 3 or 2.25"),
        (("Football", "--total", "2.5", "x", "1.9"), "expected decimal odds such as 2.05"),
        (("Football", "--team-total", "Leeds", "1.5", "2", "2"), "expected Home or Away"),
        (("Football", "--total", "2.5", "2.1", "2.1"), "the odds imply 95.24 %, below 100 %"),
        ((*GIVEN, "--total", "2.5", "1.9", "1.9"), "--total 2.5: given twice"),
        ((*GIVEN, "--moneyline", "2", "3", "4"), "--moneyline: given twice"),
        (
            ("Football", "--moneyline", "1.01", "20", "50", "--method", "additive"),
            "try another --method",
        ),
    ],
)
def test_wrong_input_is_named(arguments: tuple[str, ...], reason: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert reason in " ".join(result.output.split())


def test_too_few_lines_for_a_model_are_reported() -> None:
    result = run("Football", "--total", "2.5", "1.9", "1.9")
    assert result.stdout.endswith(
        "no model fits: give a match result or a handicap, and a total, that do not contradict "
        "each other\n"
    )


def test_a_shell_completes_its_options() -> None:
    kind = get_completion_class("bash")
    assert kind is not None
    complete = kind(main, {}, "oddsdesk", "_ODDSDESK_COMPLETE")
    words = ["fair", "Football", "--moneyline", "2.05", "3.5", "3.7"]
    assert [each.value for each in complete.get_completions(words, "--te")] == ["--team-total"]
