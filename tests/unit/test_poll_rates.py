"""Sharing a budget of credits among what is to be read (D68)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.poll_rates import Reading, poll_rates

amounts = st.floats(0.01, 100)
readings = st.lists(
    st.builds(
        Reading,
        cost=amounts,
        weight=st.just(0.0) | amounts,
        change_rate=st.just(0.0) | amounts,
        most=st.just(math.inf) | amounts,
    ),
    max_size=8,
)
budgets = st.floats(0, 10_000)


def cost(these: list[Reading], rates: list[float]) -> float:
    return math.fsum(each.cost * rate for each, rate in zip(these, rates, strict=True))


def unseen(these: list[Reading], rates: list[float]) -> float:
    """Return how many changes are unseen on the average, by weight."""
    return math.fsum(
        each.weight * each.change_rate / (2 * rate)
        for each, rate in zip(these, rates, strict=True)
        if each.pull > 0
    )


def test_rates_without_bounds_are_those_of_the_formula() -> None:
    these = [Reading(2, 10, 0.32), Reading(1, 8, 0.2), Reading(3, 1, 0.62)]
    whole = sum(math.sqrt(each.weight * each.change_rate * each.cost) for each in these)
    heard = [27 * math.sqrt(each.weight * each.change_rate / each.cost) / whole for each in these]
    assert poll_rates(these, 27) == pytest.approx(heard)


def test_what_one_at_its_most_leaves_over_is_shared_in_proportion() -> None:
    these = [Reading(1, 1, 1, most=2), Reading(1, 1, 1), Reading(1, 4, 1)]
    assert poll_rates(these, 14) == pytest.approx([2, 4, 8])


def test_with_more_than_can_be_used_all_are_read_at_their_most() -> None:
    these = [Reading(1, 1, 1, most=2), Reading(5, 1, 1, most=3)]
    assert poll_rates(these, 1_000) == [2, 3]


@given(readings, budgets)
def test_no_budget_is_exceeded_and_none_that_can_be_used_is_left(
    these: list[Reading], budget: float
) -> None:
    rates = poll_rates(these, budget)
    useful = [each for each in these if each.pull > 0]
    usable = min(budget, math.fsum(each.cost * each.most for each in useful))
    assert cost(these, rates) == pytest.approx(usable, rel=1e-9, abs=1e-9)


@given(readings, budgets)
def test_none_is_read_above_its_most_and_all_below_it_are_in_proportion(
    these: list[Reading], budget: float
) -> None:
    rates = poll_rates(these, budget)
    assert all(rate <= each.most for each, rate in zip(these, rates, strict=True))
    levels = [
        rate / each.pull
        for each, rate in zip(these, rates, strict=True)
        if each.pull > 0 and rate < each.most
    ]
    assert levels == pytest.approx([max(levels, default=0)] * len(levels))


@given(readings, budgets)
def test_what_nobody_watches_or_never_changes_is_not_read(
    these: list[Reading], budget: float
) -> None:
    rates = poll_rates(these, budget)
    idle = [each.weight == 0 or each.change_rate == 0 for each in these]
    assert all(rate == 0 for rate, is_idle in zip(rates, idle, strict=True) if is_idle)


@given(
    st.lists(st.builds(Reading, cost=amounts, weight=amounts, change_rate=amounts), min_size=1),
    st.floats(1, 1_000),
    st.data(),
)
def test_no_other_way_to_spend_the_budget_leaves_less_unseen(
    these: list[Reading], budget: float, data: st.DataObject
) -> None:
    shares = data.draw(st.lists(amounts, min_size=len(these), max_size=len(these)))
    other = [
        budget * share / sum(shares) / each.cost for each, share in zip(these, shares, strict=True)
    ]
    assert unseen(these, poll_rates(these, budget)) <= unseen(these, other) * (1 + 1e-9)
