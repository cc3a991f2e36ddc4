"""Line groups: selection texts (D7, D36) and probabilities that fit together."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.competitions import sport_of
from oddsdesk.feeds.simulator.contests import goals
from oddsdesk.feeds.simulator.groups import (
    Axis,
    Bell,
    Step,
    Table,
    above,
    beats,
    below,
    double_chance,
    even_line,
    handicaps,
    offered,
    over_under,
    poisson,
    signed,
    three_way,
    two_way,
)
from oddsdesk.pricing.selections import line_groups

SCORE = goals(poisson(1.6), poisson(1.1))


@pytest.mark.parametrize(("line", "text"), [(0.0, "+0"), (-0.0, "+0"), (-1.25, "-1.25"), (2, "+2")])
def test_lines_carry_their_sign(line: float, text: str) -> None:
    assert signed(line) == text


def test_three_way_is_the_whole_game() -> None:
    group = three_way(("Arsenal -1", "Draw -1", "Chelsea +1"), SCORE.margin, -1)
    assert sum(group.probabilities) == pytest.approx(1)
    assert group.probabilities[0] == pytest.approx(SCORE.margin.at_least(2))


def test_double_chance_counts_every_outcome_twice() -> None:
    group = double_chance(SCORE.margin)
    assert group.selections == ("1X", "X2", "12")
    assert sum(group.probabilities) == pytest.approx(2)


def test_both_sides_of_a_handicap_carry_opposite_lines() -> None:
    (group,) = handicaps("Arsenal", "Chelsea", SCORE.margin, -0.5, (Step(0.25, 0),))
    assert group.selections == ("Arsenal -0.25", "Chelsea +0.25")
    assert group.probabilities[0] == pytest.approx(beats(SCORE.margin, 0.25))


def test_totals_below_zero_are_not_made() -> None:
    groups = over_under(SCORE.total, 0.5, (Step(-1, 1), Step(0, 0)))
    assert [group.selections for group in groups] == [("Over 0.5", "Under 0.5")]


def test_certain_and_hopeless_outcomes_are_not_offered() -> None:
    fine, certain = (two_way("Yes", "No", chance, Axis.SIZE) for chance in (0.5, 0.97))
    assert offered([fine, certain]) == (fine,)


def test_the_pricing_room_reads_our_texts_as_whole_line_groups() -> None:
    steps = (Step(-0.25, 1), Step(0, 0), Step(0.25, 1))
    groups = handicaps("Arsenal", "Chelsea", SCORE.margin, 0, steps)
    selections = [selection for group in groups for selection in group.selections]
    read = line_groups("spread", "Arsenal vs Chelsea", selections, sport_of("EPL"))
    assert [group.selections for group in read] == [group.selections for group in groups]
    assert all(group.complete for group in read)


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
