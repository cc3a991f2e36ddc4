"""Distributions and what a line on them is worth."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.feeds.simulator.tally import Bell, Table, above, beats, below, even_line, poisson

means = st.floats(0.05, 12)
quarters = st.integers(-8, 60).map(lambda number: number / 4)


@given(means)
def test_poisson_sums_to_one_and_has_its_mean(mean: float) -> None:
    table = Table(poisson(mean))
    assert math.isclose(sum(poisson(mean)), 1, abs_tol=1e-5)
    assert math.isclose(table.mean, mean, abs_tol=1e-4)


@given(means, quarters)
def test_above_and_below_leave_only_the_line_itself(mean: float, line: float) -> None:
    chances = poisson(mean)
    table = Table(chances)
    on_line = chances[int(line)] if line.is_integer() and 0 <= line < len(chances) else 0
    rest = 1 - above(table, line) - below(table, line)
    assert math.isclose(rest, on_line, abs_tol=1e-5)


@given(means, quarters)
def test_a_higher_line_is_never_easier_to_beat(mean: float, line: float) -> None:
    bell = Bell(mean, 3)
    assert beats(bell, line) >= beats(bell, line + 0.25) - 1e-9


def test_a_whole_line_gives_stakes_back() -> None:
    coin = Table([0.25, 0.5, 0.25])
    assert beats(coin, 1) == 0.5
    assert beats(coin, 0.5) == 0.75


def test_a_quarter_line_is_two_half_bets() -> None:
    coin = Table([0.25, 0.5, 0.25])
    assert beats(coin, 0.75) == pytest.approx(0.5 / (0.5 + 0.25))


@given(means)
def test_the_even_line_is_the_nearest_to_even(mean: float) -> None:
    table = Table(poisson(mean))
    line = even_line(table)
    distances = [abs(above(table, at + 0.5) - 0.5) for at in range(30)]
    assert abs(above(table, line) - 0.5) <= min(distances) + 1e-9
