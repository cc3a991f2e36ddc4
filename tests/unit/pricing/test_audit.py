import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.pricing.audit import (
    Audit,
    AuditedRow,
    Hypothesis,
    audit,
    exact_total,
    fair_odds,
    still_fits,
    true_ev,
)
from oddsdesk.pricing.devig import METHODS, DevigError, devig, overround
from oddsdesk.pricing.value import safety_floor

CONTRACT = Hypothesis("margin_proportional", floor_in_fair_odds=False, floor_in_ev=True)


def served_rows(
    method: str, count: int, *, in_fair: bool = False, in_ev: bool = True, outcomes: int = 2
) -> list[AuditedRow]:
    """Rows as a server with this formula would send them, rounded as in D3."""
    chance = random.Random(7)
    rows = []
    for number in range(count):
        market_type = "player_prop" if number % 3 == 0 and outcomes == 2 else "total"
        weights = [chance.uniform(1, 3) for _ in range(outcomes)]
        total = chance.uniform(1.015, 1.05)
        odds = [round(sum(weights) / weight / total, 2) for weight in weights]
        fair = devig(method, odds).fair_odds[0]
        floor = safety_floor(market_type)
        price = round(fair * chance.uniform(1.03, 1.1), 2)
        ev = (price / (fair * (floor if in_ev else 1)) - 1) * 100
        shown = round(fair * (floor if in_fair else 1), 4)
        rows.append(
            AuditedRow(
                market_type,
                price,
                odds[0],
                round(overround(odds), 4),
                shown,
                round(ev, 2),
                (2, 3) if number % 2 else (outcomes,),
            )
        )
    return rows


@pytest.mark.parametrize("method", ["margin_proportional", "published", "multiplicative", "power"])
@pytest.mark.parametrize("in_fair", [False, True])
@pytest.mark.parametrize("in_ev", [False, True])
def test_the_formula_and_the_floor_are_found_out(method: str, in_fair: bool, in_ev: bool) -> None:
    found = audit(served_rows(method, 40, in_fair=in_fair, in_ev=in_ev))
    assert Hypothesis(method, in_fair, in_ev) in found.fitting
    assert found.explained == found.rows == 40
    # On two outcomes shin is margin_proportional: the same figures, told apart by no one.
    same = {method, "shin"} if method == "margin_proportional" else {method}
    assert {h.method for h in found.fitting} == same
    assert {(h.floor_in_fair_odds, h.floor_in_ev) for h in found.fitting} == {(in_fair, in_ev)}
    assert found.is_published is (method == "published")


@pytest.mark.parametrize("method", ["margin_proportional", "published", "multiplicative"])
def test_three_way_rows_tell_as_well(method: str) -> None:
    found = audit(served_rows(method, 40, outcomes=3))
    assert found.fitting == (Hypothesis(method, False, True),)


def test_the_contracts_reading_comes_first_among_those_that_fit() -> None:
    assert audit(served_rows("margin_proportional", 1)).fitting[0] == CONTRACT


def test_a_few_rows_of_newer_prices_do_not_hide_the_formula() -> None:
    rows = served_rows("published", 40)
    rows[3] = rows[3]._replace(fair_odds=rows[3].fair_odds + 0.1)
    found = audit(rows)
    assert (found.is_published, found.explained, found.rows) == (True, 39, 40)


def test_figures_that_follow_from_no_formula_are_not_given_one() -> None:
    rows = [row._replace(ev_pct=row.ev_pct + 1) for row in served_rows("shin", 20)]
    found = audit(rows)
    assert found.fitting == ()
    assert not found.is_published


def test_no_rows_say_nothing() -> None:
    assert audit([]).fitting == ()
    assert not audit([]).is_published


def test_true_ev_of_the_worked_example() -> None:
    """2.15 against 2.05/1.88, worked by hand from D26."""
    total = overround([2.05, 1.88])
    assert true_ev("total", 2.15, 2.05, total, 2) == pytest.approx(1.7407656697)
    assert true_ev("player_prop", 2.15, 2.05, total, 2) == pytest.approx(-1.2225576)


def test_the_references_own_price_is_a_bet_only_under_the_published_formula() -> None:
    total = overround([2.05, 1.88])
    assert true_ev("total", 2.05, 2.05, total, 2, "published") == pytest.approx(0.97, abs=5e-3)
    assert true_ev("total", 2.05, 2.05, total, 2) < 0


@given(st.sampled_from(METHODS), st.floats(1.2, 6), st.floats(1.0, 1.06))
def test_two_outcomes_need_only_one_price_and_the_sum(
    method: str, odds: float, total: float
) -> None:
    other = 1 / (total - 1 / odds)
    try:
        expected = devig(method, [odds, other]).fair_odds[0]
    except DevigError:
        return
    assert fair_odds(method, odds, total, 2) == pytest.approx(expected, rel=1e-9)


@given(
    st.sampled_from(["margin_proportional", "additive", "multiplicative", "published"]),
    st.lists(st.floats(2.0, 3.2), min_size=3, max_size=3),
)
def test_formulas_of_the_sum_need_only_one_price(method: str, odds: list[float]) -> None:
    expected = devig(method, odds).fair_odds[0]
    assert fair_odds(method, odds[0], overround(odds), 3) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("method", "odds", "total", "outcomes", "message"),
    [
        ("power", 2.05, 1.02, 3, "needs the odds of all 3"),
        ("margin_proportional", 200.0, 1.04, 3, "no fair price"),
        ("power", 1.01, 0.95, 2, "leave no other outcome"),
    ],
)
def test_what_one_price_cannot_tell_is_refused(
    method: str, odds: float, total: float, outcomes: int, message: str
) -> None:
    with pytest.raises(DevigError, match=message):
        fair_odds(method, odds, total, outcomes)


def test_what_was_found_fits_rows_of_the_same_formula_only() -> None:
    found = audit(served_rows("margin_proportional", 12))
    assert still_fits(found, served_rows("margin_proportional", 20)[8:])
    assert not still_fits(found, served_rows("published", 12))
    assert not still_fits(Audit(12, 0, ()), served_rows("margin_proportional", 12))


@pytest.mark.parametrize("method", ["margin_proportional", "published", "multiplicative"])
def test_the_fair_odds_of_a_long_price_tell_the_total_more_exactly_than_the_row_does(
    method: str,
) -> None:
    sides = (21.0, 1.02)
    total = sum(1 / price for price in sides)
    fair = fair_odds(method, sides[0], total, 2)
    row = AuditedRow("total", 22.5, sides[0], round(total, 4), round(fair, 4), 0.0, (2,))
    exact = exact_total(row, Hypothesis(method, floor_in_fair_odds=False, floor_in_ev=True), 2)
    assert abs(exact - total) < 3e-6 < abs(row.overround - total)
