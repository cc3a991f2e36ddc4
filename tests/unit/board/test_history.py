"""Steps, gaps and thinning of price histories."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.board.history import (
    Gap,
    Point,
    Why,
    is_in_gap,
    marks,
    odds_at,
    segments,
    thin,
    tidy,
    without_known,
)

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
