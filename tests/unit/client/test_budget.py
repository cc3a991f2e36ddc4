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
    budget.wish("games", 1, 10)
    assert budget.stretch() == 1
    budget.learn(Quota(5_500, NOW + HOUR_MS, NOW))
    assert budget.stretch() == 1
    assert budget.wished_per_hour == 360


@given(
    remaining=st.integers(10, 6_000),
    left_s=st.integers(1, 86_400),
    periods=st.lists(st.floats(1, 600), min_size=1, max_size=8),
)
def test_the_stretched_polls_fit_into_what_is_left(
    remaining: int, left_s: int, periods: list[float]
) -> None:
    budget = Budget(lambda: NOW)
    for number, period in enumerate(periods):
        budget.wish(str(number), 1, period)
    budget.learn(Quota(remaining, NOW + left_s * 1000, NOW))
    asked = sum(left_s / (period * budget.stretch()) for period in periods)
    assert asked <= remaining


def test_what_is_polled_no_more_frees_its_share() -> None:
    budget = Budget(lambda: NOW)
    budget.wish("rows", 100, 1)
    budget.learn(Quota(100, NOW + HOUR_MS, NOW))
    assert budget.stretch() > 1
    budget.drop("rows")
    assert budget.stretch() == 1


def test_a_refusal_blocks_until_its_time() -> None:
    now = [NOW]
    budget = Budget(lambda: now[0])
    budget.block(NOW + 5_000)
    assert budget.blocked_s() == pytest.approx(5)
    now[0] += 5_000
    assert budget.blocked_s() == 0
