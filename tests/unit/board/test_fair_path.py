"""Fair odds over time agree with the board's own at each moment."""

import pytest

from oddsdesk.board.fair_path import MOST_POINTS, fair_points
from oddsdesk.board.history import Point, odds_at
from oddsdesk.slices import exhaust
from tests.kit.board import GAME, NOW, REFERENCE, Desk, matrix, message

SELECTIONS = ("Arsenal", "Draw", "Chelsea")


def paths_of(desk: Desk) -> dict[str, list[Point]]:
    seen, board = desk.board.seen, desk.board
    section = board.section(GAME, "moneyline", 0, "Arsenal")
    assert section is not None
    return {
        line.selection: list(
            seen.path(GAME, ("moneyline", 0, line.selection), None, line.reference)
        )
        for line in section.rows
    }


def test_fair_odds_follow_every_move_of_the_group(desk: Desk) -> None:
    board = desk.board
    board.subscribe_game(GAME)
    exhaust(board.merge_matrix(matrix()))
    section = board.section(GAME, "moneyline", 0, "Arsenal")
    assert section is not None
    expected = {NOW: section.row_of("Arsenal").fair}
    for step, (selection, odds) in enumerate((("Draw", 3.4), ("Arsenal", 2.1)), start=1):
        board.apply_all([message(selection, odds, NOW + step, bookmaker=REFERENCE)])
        expected[NOW + step] = section.row_of("Arsenal").fair
    found = list(fair_points(section, paths_of(desk), "Arsenal", board.method))
    assert {point.at: point.odds for point in found} == pytest.approx(expected)


def test_a_group_that_breaks_has_no_fair_odds(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix()))
    section = desk.board.section(GAME, "moneyline", 0, "Arsenal")
    assert section is not None
    paths = {name: [Point(0, 3.0)] for name in SELECTIONS}
    paths["Chelsea"].append(Point(10, None))
    found = list(fair_points(section, paths, "Arsenal", desk.board.method))
    assert [point.at for point in found] == [0, 10]
    assert (odds_at(found, 0), found[1].odds) == (pytest.approx(3.0), None)


def test_a_long_history_is_thinned_before_it_is_devigged(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix()))
    section = desk.board.section(GAME, "moneyline", 0, "Arsenal")
    assert section is not None
    paths = {name: [Point(at, 3.0 + at % 7 / 10) for at in range(3000)] for name in SELECTIONS}
    found = list(fair_points(section, paths, "Arsenal", desk.board.method))
    assert 50 < len(found) <= MOST_POINTS + 8
