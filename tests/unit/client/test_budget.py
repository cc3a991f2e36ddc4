"""Polling that fits the quota."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.client.budget import Budget
from oddsdesk.client.quota import Quota

NOW = 1_795_000_000_000
HOUR_MS = 3_600_000


def test_nothing_is_slowed_down_where_the_quota_is_wide_or_unknown() -> None:
    budget = Budget(lambda: NOW)
    budget.plan("games", 1, 10)
    assert budget.period_s("games") == 10
    budget.learn(Quota(5_500, NOW + HOUR_MS, NOW))
    assert budget.period_s("games") == 10
    assert budget.needed_per_hour == 360


@given(
    remaining=st.integers(10, 6_000),
    left_s=st.integers(1, 86_400),
    plans=st.lists(
        st.tuples(st.floats(1, 600), st.floats(0.01, 1), st.integers(1, 80)),
        min_size=1,
        max_size=8,
    ),
)
def test_all_polls_fit_into_what_is_left(
    remaining: int, left_s: int, plans: list[tuple[float, float, int]]
) -> None:
    budget = Budget(lambda: NOW)
    names = [str(number) for number in range(len(plans))]
    for name, (period, least, requests) in zip(names, plans, strict=True):
        budget.plan(name, requests, period, period * least)
    budget.learn(Quota(remaining, NOW + left_s * 1000, NOW))
    asked = sum(
        requests * left_s / budget.period_s(name)
        for name, (_, _, requests) in zip(names, plans, strict=True)
    )
    assert asked <= remaining
    slower = [
        budget.period_s(name) > planned[0] for name, planned in zip(names, plans, strict=True)
    ]
    assert all(slower) or not any(slower)


def test_requests_to_spare_go_to_who_can_do_with_more() -> None:
    budget = Budget(lambda: NOW)
    budget.plan("games", 1, 10)
    budget.plan("rows", 20, 60, 10)
    assert budget.period_s("rows") == 60
    budget.learn(Quota(5_500, NOW + HOUR_MS, NOW))
    assert budget.period_s("games") == 10
    assert budget.period_s("rows") == pytest.approx(20 / (5_500 * 0.9 / 3600 - 0.1))
    assert budget.needed_per_hour == pytest.approx(360 + 1200)
    budget.plan("rows", 2, 60, 10)
    assert budget.period_s("rows") == 10
    budget.learn(Quota(100, NOW + HOUR_MS, NOW))
    assert budget.period_s("rows") > 60


def test_what_is_polled_no_more_frees_its_share() -> None:
    budget = Budget(lambda: NOW)
    budget.plan("games", 1, 60)
    budget.plan("rows", 100, 1)
    budget.learn(Quota(100, NOW + HOUR_MS, NOW))
    assert budget.period_s("games") > 60
    budget.drop("rows")
    assert budget.period_s("games") == 60


def test_a_refusal_blocks_until_its_time() -> None:
    now = [NOW]
    budget = Budget(lambda: now[0])
    budget.block(NOW + 5_000)
    assert budget.blocked_s() == pytest.approx(5)
    now[0] += 5_000
    assert budget.blocked_s() == 0
