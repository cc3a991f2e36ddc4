"""Reading that fits the quota."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.polling import Reading
from oddsdesk.client.quota import Budget, Quota

NOW = 1_795_000_000_000
HOUR_MS = 3_600_000
GAMES = Reading(cost=1, weight=1, change_rate=1, most=360)


def budget_of(quota: Quota | None) -> Budget:
    return Budget(lambda: NOW, lambda: quota)


def left(requests: int, seconds: float = 3_600) -> Quota:
    return Quota(requests, NOW + round(seconds * 1000), NOW)


@pytest.mark.parametrize("quota", [None, left(5_500), left(7, -1)])
def test_all_is_read_as_often_as_it_is_of_use_where_the_quota_is_wide_or_not_known(
    quota: Quota | None,
) -> None:
    budget = budget_of(quota)
    budget.plan_reading("games", lambda: GAMES)
    assert budget.period_s("games") == 10


@given(
    remaining=st.integers(0, 6_000),
    left_s=st.integers(60, 86_400),
    plans=st.lists(
        st.builds(
            Reading,
            cost=st.integers(1, 80),
            weight=st.floats(0.01, 1),
            change_rate=st.floats(0.01, 1),
            most=st.floats(1, 720),
        ),
        min_size=1,
        max_size=8,
    ),
)
def test_what_is_read_fits_into_what_is_left(
    remaining: int, left_s: int, plans: list[Reading]
) -> None:
    budget = budget_of(left(remaining, left_s))
    for number, reading in enumerate(plans):
        budget.plan_reading(str(number), lambda reading=reading: reading)
    if remaining == 0:
        assert set(budget.periods_s().values()) == {86_400}
        return
    asked = math.fsum(
        reading.cost * left_s / period
        for reading, period in zip(plans, budget.periods_s().values(), strict=True)
        if period < 86_400
    )
    assert asked <= budget.spendable * (1 + 1e-9) <= remaining


def test_the_formula_shares_what_is_left() -> None:
    budget = budget_of(left(100))
    budget.plan_reading("open game", lambda: Reading(cost=1, weight=4, change_rate=1))
    budget.plan_reading("rows", lambda: Reading(cost=4, weight=1, change_rate=1))
    assert budget.spendable == 90
    assert budget.periods_s() == pytest.approx({"open game": 80, "rows": 320})


@pytest.mark.parametrize(
    ("requests", "seconds", "kept"), [(5_500, 3_600, 60), (200, 86_400, 20), (200, 600, 10)]
)
def test_requests_are_kept_for_games_that_are_opened(
    requests: int, seconds: float, kept: float
) -> None:
    """One a minute until they come back, a tenth of what is left at most."""
    assert budget_of(left(requests, seconds)).spendable == requests - kept


def test_a_window_that_nobody_says_the_end_of_is_a_day() -> None:
    budget = budget_of(Quota(96, None, NOW))
    budget.plan_reading("games", lambda: GAMES)
    assert budget.period_s("games") == pytest.approx(86_400 / (96 * 0.9))


def test_what_is_read_no_more_frees_its_share() -> None:
    budget = budget_of(left(100))
    budget.plan_reading("games", lambda: Reading(cost=1, weight=1, change_rate=1, most=60))
    budget.plan_reading("rows", lambda: Reading(cost=100, weight=1, change_rate=1))
    assert budget.period_s("games") > 60
    budget.drop_reading("rows")
    assert budget.period_s("games") == 60


def test_a_refusal_blocks_until_its_time() -> None:
    now = [NOW]
    budget = Budget(lambda: now[0], lambda: None)
    budget.block(NOW + 5_000)
    assert budget.blocked_s() == pytest.approx(5)
    now[0] += 5_000
    assert budget.blocked_s() == 0
