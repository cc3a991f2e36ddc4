"""Sharing a budget of credits among what is to be read (D68)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.polling import Arrivals, Reading, poll_rates
from oddsdesk.contract.times import MINUTE_MS, WINDOW_MS
from tests.kit.board import NOW

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


LOOK_MS = 15_000


def silent_from(arrivals: Arrivals, every_ms: int, last: int, until: int) -> int | None:
    """Check as often as the desk does; return when the source is first found silent."""
    for now in range(NOW, until, LOOK_MS):
        arrivals.note_newest(NOW + (min(now, last) - NOW) // every_ms * every_ms, now)
        if arrivals.silent_since() is not None:
            return now - NOW
    return None


@pytest.mark.parametrize(
    ("every_ms", "silent_after_ms"),
    [
        (1_000, 45_000),  # half a minute at the least, and the next look
        (30_000, 75_000),
        (10 * MINUTE_MS, 20 * MINUTE_MS + LOOK_MS),
    ],
)
def test_a_source_is_silent_after_two_of_its_usual_pauses(
    every_ms: int, silent_after_ms: int
) -> None:
    last = NOW + 6 * max(every_ms, MINUTE_MS)
    found = silent_from(Arrivals(), every_ms, last, last + WINDOW_MS * 4)
    assert found == last - NOW + silent_after_ms


def test_a_source_that_is_read_as_ever_is_not_silent() -> None:
    for every_ms in (1_000, 30_000, 10 * MINUTE_MS, 25 * MINUTE_MS):
        arrivals = Arrivals()
        for now in range(NOW, NOW + 20 * max(every_ms, MINUTE_MS), LOOK_MS):
            arrivals.note_newest(NOW + (now - NOW) // every_ms * every_ms, now)
            is_known = now - NOW >= 5 * max(every_ms, MINUTE_MS)
            assert arrivals.silent_since() is None or not is_known


def test_parts_of_a_slow_source_that_come_soon_after_each_other_are_not_its_rhythm() -> None:
    """Competitions of one plan are read one after the other, then none for a while."""
    arrivals, newest = Arrivals(), NOW
    for now in range(NOW, NOW + 60 * MINUTE_MS, LOOK_MS):
        newest = now if (now - NOW) % (8 * MINUTE_MS) < 2 * MINUTE_MS else newest
        arrivals.note_newest(newest, now)
        assert arrivals.silent_since() is None or now < NOW + 16 * MINUTE_MS


def test_one_silence_teaches_nothing() -> None:
    arrivals = Arrivals()
    silent_from(arrivals, 30_000, NOW + 5 * MINUTE_MS, NOW + 12 * MINUTE_MS)
    since = arrivals.silent_since()
    assert since == NOW + 5 * MINUTE_MS
    for now in range(NOW + 12 * MINUTE_MS, NOW + 13 * MINUTE_MS, LOOK_MS):
        arrivals.note_newest(now, now)
        assert arrivals.silent_since() is None
    for now in range(NOW + 13 * MINUTE_MS, NOW + 14 * MINUTE_MS + LOOK_MS, LOOK_MS):
        arrivals.note_newest(NOW + 13 * MINUTE_MS - LOOK_MS, now)
    assert arrivals.silent_since() is not None


def test_before_its_rhythm_is_known_a_source_has_until_no_list_holds_a_price() -> None:
    arrivals = Arrivals()
    for now in range(NOW, NOW + 11 * MINUTE_MS, LOOK_MS):
        arrivals.note_newest(NOW - MINUTE_MS, now)
        assert (arrivals.silent_since() is None) is (now - NOW <= WINDOW_MS)


def test_no_price_is_expected_of_a_database_of_old_ones() -> None:
    arrivals = Arrivals()
    for now in range(NOW, NOW + 60 * MINUTE_MS, LOOK_MS):
        arrivals.note_newest(NOW - WINDOW_MS - 1, now)
        assert arrivals.silent_since() is None


def test_a_computer_that_slept_waits_for_the_next_price_before_it_says_anything() -> None:
    arrivals = Arrivals()
    silent_from(arrivals, 30_000, NOW + 5 * MINUTE_MS, NOW + 5 * MINUTE_MS)
    woke = NOW + 480 * MINUTE_MS
    for now in range(woke, woke + MINUTE_MS + LOOK_MS, LOOK_MS):
        arrivals.note_newest(NOW + 5 * MINUTE_MS, now)
        assert arrivals.silent_since() is None
    arrivals.note_newest(NOW + 5 * MINUTE_MS, now + LOOK_MS)
    assert arrivals.silent_since() == NOW + 5 * MINUTE_MS


def test_a_service_that_is_back_has_time_to_read_its_sources_again() -> None:
    arrivals = Arrivals()
    silent_from(arrivals, 30_000, NOW + 5 * MINUTE_MS, NOW + 5 * MINUTE_MS)
    arrivals.begin_counting()
    back = NOW + 5 * MINUTE_MS + 40_000
    for now in range(back, back + MINUTE_MS, LOOK_MS):
        arrivals.note_newest(NOW + 5 * MINUTE_MS, now)
        assert arrivals.silent_since() is None
