"""The arithmetic of a price: the worked numbers, every method, every rule, and why not."""

import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.valuation.explaining import REAL_METHODS, Explanation, NoFairOdds, explain
from oddsdesk.board.valuation.verdict_words import explanation_text
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.value import Rule
from tests.kit.board import NOW, REFERENCE, Desk, Odds, matrix, message, row_key, value_bet

NAME = "Levante - Sevilla"
GAME = game_id("LIGA", NAME)
SHARP = {"Levante": 2.72, "Draw": 3.34, "Sevilla": 2.78}


def sevilla(desk: Desk, odds: float = 3.05, **more: object) -> None:
    book = {"Levante": 2.5, "Draw": 3.2, "Sevilla": odds}
    exhaust(
        desk.board.merge_matrix(
            matrix({REFERENCE: SHARP, "Betfair Ex": book}, name=NAME, competition="LIGA", **more)
        )
    )


def at(desk: Desk, bookmaker: str = "Betfair Ex", selection: str = "Sevilla") -> Explanation:
    said = explain(desk.board, RowKey(GAME, "moneyline", 0, selection, bookmaker), desk.now)
    assert said is not None
    return said


def check(said: Explanation, rule: Rule) -> tuple[bool, float | None]:
    found = next(check for check in said.assessment.checks if check.rule is rule)
    return found.holds, found.margin


def test_sevilla_at_levante_step_by_step(desk: Desk) -> None:
    sevilla(desk)
    said = at(desk)
    assert said.quoted == tuple(SHARP.items())
    assert said.overround == pytest.approx(1.0268, abs=5e-5)
    assert said.assessment.fair_odds == pytest.approx(2.8507, abs=5e-5)
    assert said.ev == pytest.approx(6.9916, abs=5e-4)
    assert said.window is not None
    assert said.window.least == pytest.approx(2.8507 * 1.01 * 1.01, abs=5e-4)
    assert said.window.most == pytest.approx(1 / (0.99 - 1 / 2.72 - 1 / 3.34), abs=5e-4)


def test_the_same_price_against_the_line_of_the_snapshot(desk: Desk) -> None:
    sharp = {"Levante": 2.58, "Draw": 3.32, "Sevilla": 2.78}
    odds = {REFERENCE: sharp, "Betfair Ex": {"Sevilla": 3.05}}
    exhaust(desk.board.merge_matrix(matrix(odds, name=NAME, competition="LIGA")))
    said = at(desk)
    assert said.overround == pytest.approx(1.0485, abs=5e-5)
    assert said.ev == pytest.approx(4.78, abs=5e-3)
    assert said.window is not None
    assert said.window.least == pytest.approx(2.969, abs=5e-4)


def test_every_rule_is_there_with_its_margin(desk: Desk) -> None:
    sevilla(desk)
    desk.now += 5_000
    said = at(desk)
    assert said.assessment.is_value
    assert check(said, Rule.MIN_EDGE)[1] == pytest.approx(4.9816, abs=5e-4)
    assert check(said, Rule.EDGE_CAP)[1] == pytest.approx(4.1084, abs=5e-4)
    assert check(said, Rule.OVERROUND)[1] == pytest.approx(0.0232, abs=5e-5)
    assert check(said, Rule.BOOK_AGE)[1] == 3 * MINUTE_MS - 5_000


@pytest.mark.parametrize("is_live", [False, True])
def test_the_ages_are_shown_by_the_limits_that_call_a_price_stale(
    desk: Desk, is_live: bool
) -> None:
    sevilla(desk)
    where = {"match_name": NAME, "competition": "LIGA", "is_live": is_live, "at": NOW}
    for name in (REFERENCE, "Betfair Ex"):
        desk.board.apply_all([message("Draw", 3.34, bookmaker=name, **where)])
    usual = MINUTE_MS if is_live else 3 * MINUTE_MS
    for age in (usual, usual + 1):
        desk.now = NOW + age
        said = at(desk)
        holds = age <= usual
        assert check(said, Rule.BOOK_AGE) == (holds, usual - age)
        assert check(said, Rule.REFERENCE_AGE) == (holds, usual - age)
        assert (Caution.STALE not in said.assessment.cautions) == holds
        assert (Caution.REFERENCE_STALE not in said.assessment.cautions) == holds
        desk.board.sweep()
        entry = desk.board.value_bets[said.key]
        assert entry.is_value == holds
        assert entry.is_in_contract  # whose limit is 15 minutes, as before


def test_all_methods_stand_side_by_side_and_the_worst_is_the_lowest(desk: Desk) -> None:
    sevilla(desk)
    said = at(desk)
    figures = {figure.method: figure.ev for figure in said.methods}
    assert tuple(figures) == REAL_METHODS
    assert figures["multiplicative"] == pytest.approx(6.853, abs=5e-4)
    assert figures["power"] == pytest.approx(6.973, abs=5e-4)
    assert figures["shin"] == pytest.approx(6.956, abs=5e-4)
    assert said.worst is not None
    assert said.worst.method == "multiplicative"


def test_the_users_method_decides_the_ev(desk: Desk) -> None:
    sevilla(desk)
    desk.board.set_method("multiplicative")
    assert at(desk).ev == pytest.approx(6.853, abs=5e-4)


def test_a_price_in_play_is_not_judged_by_a_reference_from_before_the_game(desk: Desk) -> None:
    sevilla(desk)
    assert check(at(desk), Rule.SAME_STATE)[0]
    where = {"match_name": NAME, "competition": "LIGA", "bookmaker": "Betfair Ex"}
    desk.board.apply_all([message("Sevilla", 3.05, is_live=True, **where)])
    assert not check(at(desk), Rule.SAME_STATE)[0]
    assert Caution.STATE_DIFFERS in at(desk).assessment.cautions
    assert not at(desk).assessment.is_value


def test_the_references_own_price_is_explained_and_never_value(desk: Desk) -> None:
    sevilla(desk)
    said = at(desk, REFERENCE)
    assert said.is_reference
    assert said.bookmaker == said.reference == REFERENCE
    assert said.ev is not None
    assert said.ev < 0
    assert not check(said, Rule.OTHER_BOOKMAKER)[0]


def test_without_the_references_price_there_is_nothing_to_judge_by(desk: Desk) -> None:
    exhaust(
        desk.board.merge_matrix(
            matrix({"Betfair Ex": {"Sevilla": 3.05}}, name=NAME, competition="LIGA")
        )
    )
    said = at(desk)
    assert (said.no_fair_odds, said.ev, said.methods) == (NoFairOdds.NO_REFERENCE, None, ())


def test_a_missing_side_of_the_reference_is_told(desk: Desk) -> None:
    odds = {REFERENCE: {"Levante": 2.72, "Sevilla": 2.78}, "Betfair Ex": {"Sevilla": 3.05}}
    exhaust(desk.board.merge_matrix(matrix(odds, name=NAME, competition="LIGA")))
    said = at(desk)
    assert said.no_fair_odds is NoFairOdds.SIDE_MISSING
    assert not check(said, Rule.REFERENCE_SIDES)[0]


def test_overlapping_outcomes_are_told(desk: Desk) -> None:
    odds = {REFERENCE: {"1X": 1.4, "X2": 1.5, "12": 1.3}, "Betfair Ex": {"1X": 1.5}}
    exhaust(
        desk.board.merge_matrix(
            matrix(odds, market_type="double_chance", name=NAME, competition="LIGA")
        )
    )
    said = explain(desk.board, RowKey(GAME, "double_chance", 0, "1X", "Betfair Ex"), NOW)
    assert said is not None
    assert said.no_fair_odds is NoFairOdds.OVERLAPPING


def test_a_selection_that_fits_no_form_is_told(desk: Desk) -> None:
    odds = {REFERENCE: SHARP, "Betfair Ex": {"Sevilla to nil": 3.05}}
    exhaust(desk.board.merge_matrix(matrix(odds, name=NAME, competition="LIGA")))
    assert at(desk, selection="Sevilla to nil").no_fair_odds is NoFairOdds.UNREAD


def test_a_bookmaker_that_bets_without_the_draw_is_another_bet(desk: Desk) -> None:
    odds = {REFERENCE: SHARP, "Betfair Ex": {"Levante": 1.9, "Sevilla": 1.9}}
    exhaust(desk.board.merge_matrix(matrix(odds, name=NAME, competition="LIGA")))
    said = at(desk)
    assert (said.no_fair_odds, said.ev is not None) == (None, True)
    assert said.assessment.cautions[0] is Caution.NOT_COMPARABLE
    assert not check(said, Rule.COMPARABLE)[0]


def test_a_value_bet_of_a_game_that_is_not_read_is_explained_by_its_row(desk: Desk) -> None:
    exhaust(desk.board.merge_value_bets([value_bet()]))
    (entry,) = desk.board.value_bets.values()
    said = explain(desk.board, entry.key, desk.now)
    assert said is not None
    assert said.from_row
    assert said.ev == pytest.approx(entry.assessment.ev)
    assert said.assessment.cautions == (Caution.AGE_UNKNOWN,)
    assert {c.rule for c in said.assessment.checks}.isdisjoint({Rule.BOOK_AGE, Rule.COMPARABLE})
    assert all(figure.ev is not None for figure in said.methods)


def test_a_method_that_needs_the_other_prices_says_so_on_a_row(desk: Desk) -> None:
    fair = 1 / (1 / 2.05 - 0.0197 / 3)
    bet = value_bet(
        market_type="moneyline",
        selection="Arsenal",
        fair_odds=round(fair, 4),
        ev_pct=round((2.15 / (fair * 1.01) - 1) * 100, 2),
    )
    exhaust(desk.board.merge_value_bets([bet]))
    (entry,) = desk.board.value_bets.values()
    said = explain(desk.board, entry.key, desk.now)
    assert said is not None
    problems = {figure.method: figure.problem for figure in said.methods}
    assert problems["margin_proportional"] is None
    assert "needs the odds of all 3 outcomes" in (problems["power"] or "")


def test_the_published_formula_stands_there_only_where_the_service_runs_it(desk: Desk) -> None:
    published = 2.05 * 2 / (2 - 2.05 * (1 / 1.0197 - 1))
    bet = value_bet(
        fair_odds=round(published, 4), ev_pct=round((2.15 / (published * 1.01) - 1) * 100, 2)
    )
    exhaust(desk.board.merge_value_bets([bet]))
    (entry,) = desk.board.value_bets.values()
    said = explain(desk.board, entry.key, desk.now)
    assert said is not None
    assert said.methods[-1].method == "published"
    assert said.worst is not None
    assert said.worst.method != "published"


def test_commission_is_taken_off_and_the_window_is_in_the_bookmakers_own_prices(desk: Desk) -> None:
    sevilla(desk)
    gross = at(desk)
    desk.board.set_profiles(
        Profiles([Profile(name="Betfair Ex", group="Betfair", commission=0.02)])
    )
    said = at(desk)
    assert (said.odds, said.net_odds) == (3.05, pytest.approx(1 + 2.05 * 0.98))
    assert said.ev == pytest.approx((said.net_odds / 2.850692 - 1) * 100, abs=1e-4)
    assert said.assessment.service_ev_pct == pytest.approx(gross.assessment.ev_pct)
    assert gross.window is not None
    assert said.window is not None
    assert said.window.least == pytest.approx(1 + (gross.window.least - 1) / 0.98)
    assert said.window.most == pytest.approx(1 + (gross.window.most - 1) / 0.98)
    figures = {figure.method: figure.ev for figure in said.methods}
    assert figures[said.method] == said.ev


def test_of_a_price_that_is_not_held_nothing_is_explained(desk: Desk) -> None:
    assert explain(desk.board, RowKey(GAME, "moneyline", 0, "Sevilla", "Nobody"), NOW) is None


def test_the_best_prices_are_named_with_what_is_higher_but_doubted() -> None:
    desk = Desk()
    odds: Odds = {
        REFERENCE: {"Over 2.5": 7.0, "Under 2.5": 1.12},
        "Betfair": {"Over 2.5": 6.5, "Under 2.5": 1.05},
        "Unibet": {"Over 2.5": 6.9, "Under 2.5": 1.05},
        "Betsson": {"Over 2.5": 9.6, "Under 2.5": 1.05},
    }
    exhaust(desk.board.merge_matrix(matrix(odds, market_type="total")))
    key = row_key("Over 2.5", "Betfair", "total")
    desk.board.set_bookmakers(("Betfair",))
    said = explain(desk.board, key, desk.now)
    assert said is not None
    assert [(each.title, each.odds, each.bookmaker) for each in said.best] == [
        ("Best of mine", 6.5, "Betfair"),
        ("Best of all", 6.9, "Unibet"),
        ("Doubtful", 9.6, "Betsson"),
    ]
    assert "Doubtful 9.6 at Betsson: " in explanation_text(said)
