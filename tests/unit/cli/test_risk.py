"""`oddsdesk ledger risk` and `oddsdesk kelly`."""

import json
from contextlib import closing
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from oddsdesk.base.clock import system_clock
from oddsdesk.base.places import default_ledger
from oddsdesk.cli.main import main
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.ledger import Ledger
from tests.unit.ledger.test_kinds_in_figures import bet as any_bet

REPLACE = msgspec.structs.replace


def bet(kind: BetKind = BetKind.BACK, **fields: Any) -> PlacedBet:
    return REPLACE(any_bet(kind, currency=""), **fields)


def run(*arguments: str, exit_code: int = 0) -> str:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == exit_code, done.output
    return done.output


def told(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


def told_only(*arguments: str) -> Any:
    return json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)


def hold(*bets: PlacedBet) -> None:
    now = system_clock()
    with closing(Ledger(default_ledger())) as held:
        held.place_all(
            [REPLACE(each, placed_at=now - 1, kick_off=now + 3_600_000) for each in bets], "placed"
        )


def test_all_open_bets_are_one_distribution_for_each_currency() -> None:
    two = bet(odds=2.0, stake=25.0, fair_odds=1 / 0.55)
    hold(two, REPLACE(two, game_id="h", match_name="C - D", selection="C", currency="EUR"))
    own, euro = told("ledger", "risk", "--down", "25", "--down", "30")
    assert (own["currency"], euro["currency"]) == ("", "EUR")
    assert (own["bets"], own["draws"], own["is_exact"], own["runs"]) == (1, 1, True, 0)
    assert own["expected"] == pytest.approx(2.5)
    assert (own["worst"], own["best"]) == (-25, 25)
    assert own["chance_down"] == pytest.approx(0.45)
    assert own["down"] == [{"by": 25, "chance": pytest.approx(0.45)}, {"by": 30, "chance": 0}]
    assert own["bankroll"] == 1_000
    assert own["kelly_share"] == pytest.approx(0.25)
    assert own["ever_down"][1] == {"to": 0.5, "chance": pytest.approx(0.0078125)}
    assert (euro["bankroll"], euro["kelly_share"]) == (None, None)
    assert told("ledger", "risk", "--bankroll", "500")[1]["kelly_share"] == pytest.approx(0.5)


def test_bets_in_several_currencies_are_added_up_by_the_users_rates() -> None:
    two = bet(odds=2.0, stake=25.0, fair_odds=1 / 0.55, currency="GBP")
    other = {"game_id": "h", "match_name": "C - D", "selection": "C", "currency": "EUR"}
    hold(two, REPLACE(two, **other))
    assert len(told_only("ledger", "risk")) == 2
    run("ledger", "accounts", "rate", "--main", "GBP")
    assert len(told_only("ledger", "risk")) == 2
    run("ledger", "accounts", "rate", "EUR", "0.8")
    *_, whole = told_only("ledger", "risk")
    assert (whole["of"], whole["currency"], whole["bets"]) == ("all currencies", "GBP", 2)
    assert (whole["worst"], whole["best"]) == (-45, 45)
    assert whole["bankroll"] == 1_000


def test_people_read_what_was_assumed() -> None:
    hold(
        bet(odds=2.0, stake=25.0, fair_odds=1 / 0.55),
        bet(BetKind.EACH_WAY, place_fraction=0.2, selection="Old Tom", game_id="i"),
        REPLACE(bet(), practice=True, game_id="j"),
    )
    shown = run("ledger", "risk")
    assert "2 open bets on 2 independent results; exact" in shown
    assert "worst -35.00, best +49.00" in shown
    assert "without fair odds, counted without an edge: 1" in shown
    assert "each-way bets, their places counted without an edge: 1" in shown
    assert "of Kelly" in shown


def test_an_expected_result_that_rounds_to_zero_has_no_sign() -> None:
    hold(bet(odds=2.0, stake=25.0, fair_odds=2.0001))
    assert "expected 0.00, standard deviation 25.00" in run("ledger", "risk")


def test_bets_that_can_lose_the_bankroll_are_named() -> None:
    hold(bet(odds=2.0, stake=25.0, fair_odds=1 / 0.55))
    assert "can lose the whole bankroll of 20.00" in run("ledger", "risk", "--bankroll", "20")


def test_bets_without_value_are_none_of_kelly() -> None:
    hold(bet(odds=2.0, stake=25.0, fair_odds=3.0))
    assert "Kelly would not make these bets" in run("ledger", "risk")
    assert told("ledger", "risk")[0]["kelly_share"] is None


def test_without_open_bets_there_is_no_risk() -> None:
    assert run("ledger", "risk") == "no open bets\n"
    assert told("ledger", "risk") == []


def test_kelly_stakes_on_one_game_and_the_chance_to_be_down() -> None:
    found = told("kelly", "2.5@55%,3.2@25%,2.8@.2", "--share", "25", "--bankroll", "1000")
    assert [each["kelly_pct"] for each in found["games"][0]] == pytest.approx(
        [27.1739, 3.2609, 0], abs=1e-4
    )
    assert found["growth_pct"] == 4.6783
    assert found["games"][0][0]["stake"] == pytest.approx(67.93, abs=0.01)
    assert found["ever_down"][1] == {"to": 0.5, "chance": 0.0078125}
    full = told("kelly", "2.5@55%", "--share", "100")
    assert full["ever_down"][1]["chance"] == 0.5
    shown = run("kelly", "2.5@55%,3.2@25%,2.8@20%", "6/5@0.5")
    assert "growth at full Kelly" in shown
    assert "always bet 25 % of Kelly, the chance that the bankroll ever falls" in shown
    assert "to 50 %: 0.78 %" in shown


@pytest.mark.parametrize("game", ["2,5@55,5%,3,2@0,25", "2.5@55,5%,3.2@,25", "2,5@0.555, 3,2@25 %"])
def test_decimal_commas_are_told_from_those_between_outcomes(game: str) -> None:
    ((first, second),) = told("kelly", game)["games"]
    assert [first["odds"], first["chance"]] == [2.5, pytest.approx(0.555)]
    assert [second["odds"], second["chance"]] == [3.2, 0.25]


@pytest.mark.parametrize("game", ["2.5", "2.5@", "2.5@120%", "2.5@-0.2", "x@50%", "2.5@60%,3@60%"])
def test_a_game_that_makes_no_sense_is_refused(game: str) -> None:
    done = CliRunner().invoke(main, ["kelly", game])
    assert done.exit_code in (1, 2)
    assert "Error" in done.output
