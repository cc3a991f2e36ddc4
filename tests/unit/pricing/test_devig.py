import json
import math
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oddsdesk.pricing.devig import METHODS, DevigError, Fair, devig, find_root, overround, widen

VECTORS = Path(__file__).parents[4] / "shared" / "data" / "devig_vectors.json"
REAL_METHODS = tuple(method for method in METHODS if method != "published")

PUBLISHED_NUMBERS = [
    # Lindstrøm, package `implied` (CRAN), vignette "Introduction".
    ("multiplicative", [4.20, 3.70, 1.95], [0.2331556, 0.2646631, 0.5021813], 6e-8),
    ("margin_proportional", [2.05, 3.20, 3.80], [0.4666506, 0.2913457, 0.2420036], 6e-8),
    ("shin", [2.05, 3.20, 3.80], [0.4645882, 0.2919788, 0.2434331], 3e-6),
    ("odds_ratio", [2.05, 3.20, 3.80], [0.4634406, 0.2919032, 0.2446562], 3e-6),
    ("power", [4.20, 3.70, 1.95], [0.2311414, 0.2630644, 0.5057942], 3e-6),
    # Berk, package `shin`, README.
    ("shin", [2.6, 2.4, 4.3], [0.37299406, 0.40477941, 0.22222653], 1e-8),
    # Eastwood, penaltyblog documentation, "Implied probabilities".
    ("additive", [2.7, 2.3, 4.4], [0.3595618, 0.42397404, 0.21646416], 6e-9),
    ("power", [2.7, 2.3, 4.4], [0.3591711, 0.42373075, 0.21709815], 2e-8),
    # rifterlabs.com, "Devigging".
    ("probit", [2.5, 14 / 9], [0.378, 0.622], 6e-4),
]
"""What others publish: method, odds, probabilities, and how exact these are."""

prices = st.floats(1.01, 200.0)
groups = st.lists(prices, min_size=2, max_size=8)
margins = groups.filter(lambda odds: sum(1 / price for price in odds) >= 1)
real_methods = st.sampled_from(REAL_METHODS)


def try_devig(method: str, odds: list[float]) -> Fair:
    try:
        return devig(method, odds)
    except DevigError:
        assume(False)
        raise


@pytest.mark.parametrize(("method", "odds", "probabilities", "tolerance"), PUBLISHED_NUMBERS)
def test_published_numbers_are_met(
    method: str, odds: list[float], probabilities: list[float], tolerance: float
) -> None:
    assert devig(method, odds).probabilities == pytest.approx(probabilities, abs=tolerance)


def test_each_method_has_numbers_of_somebody_elses() -> None:
    """A new method is entered above; of goto_conversion, whose pages have none, one is by hand."""
    assert {method for method, *_ in PUBLISHED_NUMBERS} == set(REAL_METHODS) - {"goto"}


def test_goto_worked_by_hand() -> None:
    """q = 0.64, 0.51: errors 0.6, 0.7, so t = 0.15 / 1.3."""
    fair = devig("goto", [1 / 0.64, 1 / 0.51]).probabilities
    assert fair == pytest.approx([0.64 - 0.6 * 0.15 / 1.3, 0.51 - 0.7 * 0.15 / 1.3])


def test_published_parameters_are_met() -> None:
    shin = devig("shin", [2.6, 2.4, 4.3]).parameter
    assert shin == pytest.approx(0.01694251276407055, abs=1e-11)  # Berk, package `shin`
    power = devig("power", [2.7, 2.3, 4.4]).parameter
    assert power == pytest.approx(1.0309132393169356, abs=1e-11)  # penaltyblog


@pytest.mark.skipif(not VECTORS.exists(), reason="../shared/data/devig_vectors.json is not here")
def test_every_collected_vector_is_met_or_refused() -> None:
    vectors = json.loads(VECTORS.read_text())
    assert len(vectors) >= 33
    for vector in vectors:
        expected = vector["probabilities"]
        if not all(0 < p < 1 for p in expected):
            with pytest.raises(DevigError, match="not in"):
                devig(vector["method"], vector["odds"])
            continue
        fair = devig(vector["method"], vector["odds"])
        assert fair.probabilities == pytest.approx(expected, abs=vector["tolerance"]), vector
        for value in (vector["parameter"] or {}).values():
            assert fair.parameter == pytest.approx(value, abs=1e-9), vector


def test_the_default_takes_margin_out_where_the_letter_adds_it() -> None:
    """The worked example of D26."""
    assert devig("margin_proportional", [2.05, 1.88]).fair_odds[0] == pytest.approx(
        2.0923, abs=5e-5
    )
    published = devig("published", [2.05, 1.88]).fair_odds[0]
    assert published == pytest.approx(2.0102, abs=5e-5)
    assert (2.05 / (published * 1.01) - 1) * 100 == pytest.approx(0.97, abs=5e-3)


@given(real_methods, groups)
def test_fair_probabilities_add_up_to_one(method: str, odds: list[float]) -> None:
    fair = try_devig(method, odds)
    assert math.fsum(fair.probabilities) == pytest.approx(1, abs=1e-11)
    assert all(0 < p < 1 for p in fair.probabilities)
    assert [1 / p for p in fair.probabilities] == pytest.approx(list(fair.fair_odds))


@given(st.sampled_from(METHODS), groups)
def test_the_order_of_prices_is_kept(method: str, odds: list[float]) -> None:
    fair = try_devig(method, odds).fair_odds
    for price, fair_price in zip(odds, fair, strict=True):
        for other, fair_other in zip(odds, fair, strict=True):
            if price < other:
                assert fair_price <= fair_other * (1 + 1e-12)


@given(
    st.sampled_from(METHODS), groups.flatmap(lambda o: st.tuples(st.just(o), st.permutations(o)))
)
def test_outcomes_in_another_order_get_the_same_prices(
    method: str, pair: tuple[list[float], list[float]]
) -> None:
    odds, shuffled = pair
    by_price = dict(zip(odds, try_devig(method, odds).fair_odds, strict=True))
    for price, fair_price in zip(shuffled, devig(method, shuffled).fair_odds, strict=True):
        assert fair_price == pytest.approx(by_price[price], rel=1e-9)


@given(st.sampled_from(METHODS), st.lists(st.floats(0.02, 1.0), min_size=2, max_size=8))
def test_prices_without_margin_stay_as_they_are(method: str, weights: list[float]) -> None:
    odds = [sum(weights) / weight for weight in weights]
    assert devig(method, odds).fair_odds == pytest.approx(odds, rel=1e-9)


@given(st.floats(0.002, 0.998), st.floats(0, 1))
def test_additive_and_shin_agree_on_two_outcomes(chance: float, margin: float) -> None:
    dearest = 0.999 / max(chance, 1 - chance)  # of prices above 1
    total = 1 + margin * (dearest - 1)
    odds = [1 / (chance * total), 1 / ((1 - chance) * total)]
    shin = try_devig("shin", odds).probabilities
    assert shin == pytest.approx(try_devig("additive", odds).probabilities, abs=1e-9)


@given(real_methods, margins)
def test_no_real_method_makes_the_references_own_price_a_bet(
    method: str, odds: list[float]
) -> None:
    """The invariant of D26: with or without the safety floor, EV <= 0."""
    for price, fair_price in zip(odds, try_devig(method, odds).fair_odds, strict=True):
        assert price <= fair_price * (1 + 1e-12)
        assert price / (fair_price * 1.01) < 1


@given(groups)
def test_additive_is_margin_proportional(odds: list[float]) -> None:
    assert try_devig("additive", odds) == devig("margin_proportional", odds)


@given(st.lists(st.floats(1.0000001, 1e12), min_size=2, max_size=8), real_methods)
def test_extreme_prices_are_solved_or_refused_in_words(odds: list[float], method: str) -> None:
    try:
        fair = devig(method, odds)
    except DevigError as error:
        assert str(error)  # noqa: PT017 - either outcome is right
    else:
        assert math.fsum(fair.probabilities) == pytest.approx(1, abs=1e-9)


@given(groups)
def test_overround_is_the_sum_of_implied_probabilities(odds: list[float]) -> None:
    assert overround(odds) == pytest.approx(sum(1 / price for price in odds))


@pytest.mark.parametrize(
    ("odds", "message"),
    [
        ([], "at least two outcomes, got 0"),
        ([2.0], "at least two outcomes, got 1"),
        ([2.0, 1.0], "above 1, got 1.0"),
        ([2.0, 0.5], "above 1, got 0.5"),
        ([2.0, -3.0], "above 1, got -3.0"),
        ([2.0, math.inf], "above 1, got inf"),
        ([math.nan, 2.0], "above 1, got nan"),
    ],
)
def test_what_is_no_decimal_odds_is_refused(odds: list[float], message: str) -> None:
    for method in METHODS:
        with pytest.raises(DevigError, match=message):
            devig(method, odds)
    with pytest.raises(DevigError, match=message):
        overround(odds)


def test_shin_refuses_prices_below_fair_and_the_others_do_not() -> None:
    odds = [2.2, 2.1]
    with pytest.raises(DevigError, match="a margin is needed"):
        devig("shin", odds)
    for method in REAL_METHODS:
        if method != "shin":
            assert math.fsum(devig(method, odds).probabilities) == pytest.approx(1)


def test_an_unknown_method_is_named_with_those_there_are() -> None:
    with pytest.raises(DevigError, match=r"'wisdom'.*margin_proportional.*shin"):
        devig("wisdom", [2.0, 2.0])


@given(st.floats(-50, 50), st.floats(0.01, 100), st.sampled_from([1, 3, 5]))
def test_a_root_is_found_to_the_last_digits(root: float, slope: float, power: int) -> None:
    found = find_root(lambda x: slope * (x - root) ** power, -60.0, 75.0)
    assert found == pytest.approx(root, rel=1e-14, abs=1e-14) or abs(found - root) ** power == 0


def test_flat_and_steep_functions_take_few_evaluations() -> None:
    calls = []

    def function(x: float) -> float:
        calls.append(x)
        return math.exp(-x) - 1e-9

    assert find_root(function, 0.0, 100.0) == pytest.approx(-math.log(1e-9), rel=1e-14)
    assert len(calls) < 40


def test_a_root_at_a_bound_is_that_bound() -> None:
    assert find_root(lambda x: -x, 0.0, 1.0) == 0.0
    assert find_root(lambda x: 1 - x, 0.0, 1.0) == 1.0


def test_equal_signs_are_refused() -> None:
    with pytest.raises(ArithmeticError, match="no sign change"):
        find_root(lambda x: 1 + x * x, -1.0, 1.0)


def test_widening_stops_where_the_sign_changes_or_gives_up() -> None:
    bound = widen(lambda x: 1e6 - x, 0.0, 1.0)
    assert 1e6 <= bound <= 4e6
    with pytest.raises(ArithmeticError):
        widen(lambda x: 1.0, 0.0, 1.0)
