import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.pricing.roots import find_root, widen


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
