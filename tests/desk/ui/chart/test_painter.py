"""Round prices and round local times; windows that stay within what there is."""

from datetime import UTC
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.desk.ui.chart.painter import (
    Window,
    even,
    moved,
    price_range,
    price_ticks,
    time_ticks,
    within,
    zoomed,
)
from oddsdesk.desk.ui.formatting import odds_text

HOUR = 3_600_000
WINDOWS = st.tuples(st.integers(0, 1000), st.integers(1, 1000)).map(
    lambda pair: Window(pair[0] * 1000, (pair[0] + pair[1]) * 1000)
)


@given(st.floats(1.01, 500), st.floats(0.01, 300), st.integers(2, 8))
def test_price_ticks_are_few_even_and_within(low: float, span: float, most: int) -> None:
    ticks = price_ticks(low, low + span, most)
    assert len(ticks) <= most + 1
    assert all(low - 1e-6 <= tick <= low + span + 1e-6 for tick in ticks)
    steps = {round(two - one, 4) for one, two in pairwise(ticks)}
    assert len(steps) <= 1


def test_price_ticks_are_round() -> None:
    assert price_ticks(2.58, 3.21, 4) == [2.6, 2.8, 3.0, 3.2]


@given(st.floats(1.01, 900), st.floats(0.01, 3), st.integers(2, 8))
def test_what_stands_at_a_tick_is_where_it_stands(odds: float, share: float, most: int) -> None:
    ticks = price_ticks(*price_range([odds, odds * (1 + share)]), most)
    texts = even([odds_text(tick) for tick in ticks])
    assert [float(text) for text in texts] == ticks
    assert len({len(text.partition(".")[2]) for text in texts}) <= 1


def test_figures_of_an_axis_have_the_same_decimals() -> None:
    assert even(["3.20", "3.225"]) == ["3.200", "3.225"]
    assert even(["99.5", "100"]) == ["99.5", "100.0"]
    assert even(["−120", "+105"]) == ["−120", "+105"]
    assert even(["6/4", "1.97/1"]) == ["6/4", "1.97/1"]


@given(st.lists(st.floats(1.01, 1000), min_size=1))
def test_the_price_axis_reaches_past_every_price(odds: list[float]) -> None:
    low, high = price_range(odds)
    assert 1 < low < min(odds) <= max(odds) < high


def test_times_are_round_on_the_wall_of_the_zone() -> None:
    kolkata = ZoneInfo("Asia/Kolkata")
    ticks = time_ticks(0, 6 * HOUR, 4, kolkata)
    assert [tick.text for tick in ticks] == ["06:00", "08:00", "10:00"]
    assert [tick.at for tick in ticks] == [HOUR // 2, HOUR // 2 + 2 * HOUR, HOUR // 2 + 4 * HOUR]


def test_midnight_names_the_day_and_short_spans_show_seconds() -> None:
    assert [tick.text for tick in time_ticks(20 * HOUR, 30 * HOUR, 4, UTC)] == [
        "21:00", "2 Jan", "03:00", "06:00",
    ]  # fmt: skip
    assert [tick.text for tick in time_ticks(500, 20_500, 4, UTC)] == [
        "00:00:05", "00:00:10", "00:00:15", "00:00:20",
    ]  # fmt: skip


@given(WINDOWS, WINDOWS)
def test_a_window_lies_in_the_whole(window: Window, whole: Window) -> None:
    found = within(window, whole)
    assert whole.since <= found.since <= found.until <= whole.until
    assert found.span == min(window.span, whole.span)


@given(WINDOWS, st.floats(0.1, 10), st.floats(0, 1))
def test_zooming_in_keeps_the_moment_under_the_pointer(
    whole: Window, factor: float, share: float
) -> None:
    at = whole.since + round(share * whole.span)
    found = zoomed(whole, whole, at, factor)
    assert found == within(found, whole)
    if factor < 1:
        assert (at - found.since) / found.span == pytest.approx(share, abs=2 / found.span)
    assert zoomed(found, whole, at, 1000) == whole


def test_moving_stops_at_the_ends() -> None:
    whole = Window(0, 100)
    assert moved(Window(10, 30), whole, 20) == (30, 50)
    assert moved(Window(10, 30), whole, 500) == (80, 100)
    assert moved(Window(10, 30), whole, -500) == (0, 20)
