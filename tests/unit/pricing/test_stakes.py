"""Stakes: Kelly's worked numbers, the bounds, and that rounding never stakes more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.pricing.stakes import Bound, StakePlan, edge, kelly_fraction, stake

P = 0.4779449922
"""Fair probability of 2.05 against 1.88, margin proportional."""


def test_the_worked_numbers_of_kelly() -> None:
    assert edge(2.15, P) * 100 == pytest.approx(2.758, abs=5e-4)
    assert kelly_fraction(2.15, P) * 100 == pytest.approx(2.398, abs=5e-4)


def test_a_price_at_or_below_fair_takes_nothing() -> None:
    assert kelly_fraction(1 / P, P) == pytest.approx(0, abs=1e-12)
    assert stake(StakePlan(), 2.0, 2.1, None)[::3] == (0.0, Bound.NO_EDGE)


def test_a_share_of_kelly_is_rounded_down_to_whole_steps() -> None:
    plan = StakePlan(bankroll=1_000, kelly_share=0.25, cap=0.5, step=0.05)
    found = stake(plan, 2.15, 1 / P, None)
    assert found.full_kelly * 250 == pytest.approx(5.996, abs=5e-4)
    assert found.amount == 5.95
    assert found.bound is Bound.KELLY


@pytest.mark.parametrize(
    ("plan", "limit", "amount", "bound"),
    [
        (StakePlan(kelly_share=1.0, cap=0.01), None, 10.0, Bound.CAP),
        (StakePlan(kelly_share=1.0, cap=1.0), 7.0, 7.0, Bound.LIMIT),
        (StakePlan(kelly_share=1.0, cap=1.0, keeps_to_limit=False), 7.0, 23.95, Bound.KELLY),
        (StakePlan(step=10.0), None, 0.0, Bound.TOO_SMALL),
        (StakePlan(step=0.1, kelly_share=1.0, cap=0.0003), None, 0.3, Bound.CAP),
    ],
)
def test_the_least_bound_sets_the_stake(
    plan: StakePlan, limit: float | None, amount: float, bound: Bound
) -> None:
    found = stake(plan, 2.15, 1 / P, limit)
    assert (found.amount, found.bound) == (amount, bound)


@given(
    odds=st.floats(1.01, 100),
    fair=st.floats(1.01, 100),
    share=st.floats(0.01, 1),
    cap=st.floats(0.001, 1),
    limit=st.none() | st.floats(0, 10_000),
    step=st.sampled_from([0.01, 0.05, 0.5, 1.0, 10.0]),
)
def test_a_stake_never_exceeds_what_bounds_it(
    odds: float, fair: float, share: float, cap: float, limit: float | None, step: float
) -> None:
    plan = StakePlan(1_000, share, cap, True, step)
    found = stake(plan, odds, fair, limit)
    slack = step * 1e-6
    assert 0 <= found.amount <= 1_000 * share * found.full_kelly + slack
    assert found.amount <= 1_000 * cap + slack
    assert limit is None or found.amount <= limit + slack
    assert found.amount / step == pytest.approx(round(found.amount / step), abs=1e-4)
