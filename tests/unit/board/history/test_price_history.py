"""What the desk has seen: moves of subscribed games, gaps, bounded memory."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.history.price_history import (
    MOST_FAIR_POINTS,
    Gap,
    Origin,
    Point,
    PriceHistory,
    PricePath,
    Why,
    fair_points,
    is_in_gap,
    marks,
    odds_at,
    segments,
    thin,
    tidy,
    without_known,
)
from oddsdesk.board.model.matrix import Price
from oddsdesk.board.model.notices import Connection, Link
from tests.kit.board import GAME, MONEYLINE, NOW, REFERENCE, Desk, matrix, message

ARSENAL = ("moneyline", 0, "Arsenal")


def history_of(desk: Desk, bookmaker: str = "Betfair") -> PricePath:
    section = desk.board.section(GAME, *ARSENAL)
    held = None if section is None else section.selection_row("Arsenal")
    return desk.board.price_history.seen_history(GAME, ARSENAL, held).paths.get(bookmaker, ())


def subscribed(desk: Desk) -> Desk:
    desk.board.subscribe_game(GAME)
    exhaust(desk.board.merge_matrix(matrix()))
    return desk


def test_a_price_that_never_moved_is_one_point_and_takes_no_room(desk: Desk) -> None:
    assert history_of(subscribed(desk)) == [(NOW, 2.06)]
    assert history_of(desk, REFERENCE) == [(NOW, 2.0)]
    assert desk.board.price_history.point_count == 0


def test_moves_of_a_subscribed_game_are_kept_from_the_price_before_on(desk: Desk) -> None:
    subscribed(desk)
    desk.board.apply_all([message("Arsenal", 2.08, NOW + 1000)])
    desk.board.apply_all([message("Arsenal", 2.04, NOW + 2000)])
    assert history_of(desk) == [(NOW, 2.06), (NOW + 1000, 2.08), (NOW + 2000, 2.04)]


def test_moves_of_a_game_that_is_not_subscribed_are_not_kept(desk: Desk) -> None:
    desk.board.keep_all_rows(True)
    exhaust(desk.board.merge_matrix(matrix()))
    desk.board.apply_all([message("Arsenal", 2.08, NOW + 1000)])
    assert history_of(desk) == [(NOW + 1000, 2.08)]
    assert desk.board.price_history.since(GAME) is None


def test_a_withdrawn_price_ends_and_its_return_begins_anew(desk: Desk) -> None:
    subscribed(desk)
    without = {**MONEYLINE, "Betfair": {"Draw": 3.5, "Chelsea": 4.1}}
    desk.now = NOW + 5000
    exhaust(desk.board.merge_matrix(matrix(without, NOW + 4000)))
    assert history_of(desk) == [(NOW, 2.06), (NOW + 5000, None)]
    desk.now = NOW + 90_000
    desk.board.sweep()
    assert history_of(desk) == [(NOW, 2.06), (NOW + 5000, None)]
    desk.board.apply_all([message("Arsenal", 2.06, NOW + 4500)])
    assert history_of(desk) == [(NOW, 2.06)]
    desk.board.apply_all([message("Arsenal", 2.07, NOW + 95_000)])
    assert history_of(desk) == [(NOW, 2.06), (NOW + 95_000, 2.07)]


def test_a_lost_connection_is_a_gap_until_it_is_back(desk: Desk) -> None:
    subscribed(desk)
    desk.board.set_connection(Connection(Link.LIVE))
    desk.now += 1000
    desk.board.set_connection(Connection(Link.WAITING, "unreachable"))
    desk.board.set_connection(Connection(Link.CONNECTING))
    assert desk.board.price_history.gaps(GAME) == ((NOW + 1000, None, Why.STREAM_DOWN),)
    desk.now += 60_000
    desk.board.set_connection(Connection(Link.LIVE))
    assert desk.board.price_history.gaps(GAME) == ((NOW + 1000, NOW + 61_000, Why.STREAM_DOWN),)


def test_connecting_for_the_first_time_is_no_gap(desk: Desk) -> None:
    desk.board.set_connection(Connection(Link.CONNECTING))
    desk.board.set_connection(Connection(Link.LIVE))
    assert subscribed(desk).board.price_history.gaps(GAME) == ()


def test_a_closed_game_keeps_what_was_seen_with_a_gap(desk: Desk) -> None:
    subscribed(desk)
    desk.board.apply_all([message("Arsenal", 2.08, NOW + 1000)])
    desk.now += 2000
    desk.board.unsubscribe_game(GAME)
    desk.board.unsubscribe_game(GAME)
    desk.now += 50_000
    desk.board.subscribe_game(GAME)
    exhaust(desk.board.merge_matrix(matrix(at=desk.now)))
    assert desk.board.price_history.gaps(GAME) == ((NOW + 2000, NOW + 52_000, Why.NOT_SUBSCRIBED),)
    assert history_of(desk) == [(NOW, 2.06), (NOW + 1000, 2.08), (NOW + 52_000, 2.06)]
    assert desk.board.price_history.since(GAME) == NOW


def test_a_computer_that_slept_leaves_a_gap(desk: Desk) -> None:
    subscribed(desk)
    for step in (0, 2000, 2000, 3_600_000, 2000):
        desk.now += step
        desk.board.sweep()
    assert desk.board.price_history.gaps(GAME) == (Gap(NOW + 4000, NOW + 3_604_000, Why.ASLEEP),)


def test_memory_is_bounded_and_the_newest_moves_stay() -> None:
    seen = PriceHistory(most_points=100)
    quote, names = ("moneyline", 0, "Betfair"), [f"Selection {number}" for number in range(20)]
    prices = [Price(2 + step / 100, NOW, NOW + step, NOW) for step in range(200)]
    for before, after in pairwise(prices):
        seen.keep_moves(GAME, [(quote, name, before, after) for name in names])
        assert seen.point_count <= 100 + 2 * len(names)
    for name in names:
        path = seen.path(GAME, ("moneyline", 0, name), "Betfair", prices[-1])
        assert path[-1] == (NOW + 199, prices[-1].odds)


def test_a_history_says_where_it_is_from_and_since_when(desk: Desk) -> None:
    heard = subscribed(desk).board.price_history.seen_history(GAME, ARSENAL, None)
    assert (heard.origin, heard.since_ms, heard.paths) == (Origin.SEEN, NOW, {})


def test_a_quiet_while_is_no_gap_where_the_connection_holds(desk: Desk) -> None:
    subscribed(desk)
    for link in (Link.LIVE, Link.POLLING):
        desk.board.set_connection(Connection(link=link))
        for second in range(0, 1_800, 2):
            desk.board.price_history.note_time(desk.now + second * 1000)
        assert desk.board.price_history.gaps(GAME) == ()
        desk.now += 1_800_000


ODDS = st.one_of(st.none(), st.sampled_from([1.5, 1.8, 2.0, 2.2, 3.0]))
POINTS = st.lists(st.builds(Point, st.integers(0, 300), ODDS), max_size=60)
GAPS = st.lists(
    st.tuples(st.integers(0, 300), st.one_of(st.none(), st.integers(1, 80))).map(
        lambda pair: Gap(pair[0], None if pair[1] is None else pair[0] + pair[1], Why.STREAM_DOWN)
    ),
    max_size=4,
)


@given(POINTS)
def test_a_tidy_path_rises_in_time_and_says_nothing_twice(points: list[Point]) -> None:
    path = tidy(points)
    assert all(one.at < other.at for one, other in pairwise(path))
    assert all(one.odds != other.odds for one, other in pairwise(path))
    assert not path or path[0].odds is not None


@given(POINTS, POINTS)
def test_what_comes_to_a_tidy_path_is_as_if_all_were_tidied(
    known: list[Point], points: list[Point]
) -> None:
    path = tidy(known)
    assert tidy(points, path) == tidy([*path, *points])


@given(POINTS, st.integers(-5, 310))
def test_a_tidy_path_holds_what_was_said_last(points: list[Point], at: int) -> None:
    said = [point for point in points if point.at <= at]
    newest = max((point.at for point in said), default=0)
    expected = [point.odds for point in said if point.at == newest][-1:] or [None]
    assert odds_at(tidy(points), at) == expected[0]


@given(POINTS, GAPS, st.integers(0, 300))
def test_what_is_drawn_is_what_stood_and_nothing_in_a_gap(
    points: list[Point], gaps: list[Gap], at: int
) -> None:
    path = tidy(points)
    drawn = [
        span.odds
        for run in segments(path, gaps, 20, 280)
        for span in run
        if span.since <= at < span.until
    ]
    is_known = 20 <= at < 280 and not is_in_gap(gaps, at)
    standing = odds_at(path, at)
    assert drawn == ([standing] if is_known and standing is not None else [])


@given(POINTS, GAPS)
def test_each_run_is_unbroken_and_no_two_runs_meet(points: list[Point], gaps: list[Gap]) -> None:
    found = segments(tidy(points), gaps, 0, 300)
    for run in found:
        assert all(one.until == other.since for one, other in pairwise(run))
    for one, other in pairwise(found):
        withdrawn = odds_at(tidy(points), one[-1].until) is None
        assert other[0].since > one[-1].until or withdrawn or is_in_gap(gaps, one[-1].until)


def test_a_withdrawn_price_ends_its_line() -> None:
    path = [Point(0, 2.0), Point(50, None), Point(80, 2.1)]
    assert segments(path, (), 0, 100) == [[(0, 50, 2.0)], [(80, 100, 2.1)]]


def test_a_gap_is_not_drawn_across_and_a_move_within_shows_at_its_end() -> None:
    path = [Point(0, 2.0), Point(50, 2.2)]
    gaps = [Gap(40, 60, Why.STREAM_DOWN)]
    assert segments(path, gaps, 0, 100) == [[(0, 40, 2.0)], [(60, 100, 2.2)]]


@given(POINTS, st.integers(2, 40))
def test_thinning_keeps_what_stands_after_each_step_and_its_extremes(
    points: list[Point], step: int
) -> None:
    path = tidy(points)
    thinned = thin(path, step)
    assert len(thinned) <= 4 * len({point.at // step for point in path})
    assert set(thinned) <= set(path)
    for start in range(0, 301, step):
        end = start + step - 1
        assert odds_at(thinned, end) == odds_at(path, end)
        within = [p.odds for p in path if start <= p.at <= end and p.odds is not None]
        kept = [p.odds for p in thinned if start <= p.at <= end and p.odds is not None]
        assert (min(kept, default=0), max(kept, default=0)) == (
            min(within, default=0),
            max(within, default=0),
        )


def test_marks_name_opening_low_and_high_of_the_window() -> None:
    path = [Point(0, 2.0), Point(10, 1.8), Point(20, None), Point(30, 2.4), Point(90, 3.0)]
    assert marks(path, 5, 50) == ((0, 2.0), (10, 1.8), (30, 2.4))
    assert marks([], 0, 50) is None


def test_a_silent_while_that_holds_prices_is_no_gap() -> None:
    silent, empty = Gap(10, 20, Why.NOT_RECORDED), Gap(30, 40, Why.NOT_RECORDED)
    assert without_known([silent, empty], [[Point(15, 2.0)], [Point(40, 2.1)]]) == (empty,)


SELECTIONS = ("Arsenal", "Draw", "Chelsea")


def paths_of(desk: Desk) -> dict[str, list[Point]]:
    seen, board = desk.board.price_history, desk.board
    section = board.section(GAME, "moneyline", 0, "Arsenal")
    assert section is not None
    return {
        line.selection: list(
            seen.path(GAME, ("moneyline", 0, line.selection), REFERENCE, line.reference)
        )
        for line in section.rows
    }


def test_fair_odds_follow_every_move_of_the_group(desk: Desk) -> None:
    board = desk.board
    board.subscribe_game(GAME)
    exhaust(board.merge_matrix(matrix()))
    section = board.section(GAME, "moneyline", 0, "Arsenal")
    assert section is not None
    expected = {NOW: section.selection_row("Arsenal").fair}
    for step, (selection, odds) in enumerate((("Draw", 3.4), ("Arsenal", 2.1)), start=1):
        board.apply_all([message(selection, odds, NOW + step, bookmaker=REFERENCE)])
        expected[NOW + step] = section.selection_row("Arsenal").fair
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
    assert 50 < len(found) <= MOST_FAIR_POINTS + 8
