"""Line groups: selection texts (D7, D36) and probabilities that fit together."""

import pytest

from oddsdesk.contract.competitions import sport_of
from oddsdesk.feeds.simulator.groups import (
    Axis,
    Step,
    double_chance,
    handicaps,
    offered,
    over_under,
    signed,
    three_way,
    two_way,
)
from oddsdesk.feeds.simulator.score import goals
from oddsdesk.feeds.simulator.tally import beats, poisson
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
