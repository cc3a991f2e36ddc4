"""The columns of a table share its width to the pixel, the least important giving way."""

from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.desk.ui.table.column_widths import WidthRequest, share_width

GAME = WidthRequest(0, 100, 300, 400)
MARKET = WidthRequest(1, 60, 100, 150)
ODDS = WidthRequest(2, 50, 50, 50)
LIMIT = WidthRequest(3, 40, 40, 40, drops=1)
AGE = WidthRequest(4, 40, 40, 40, drops=2)
TABLE = (GAME, MARKET, ODDS, LIMIT, AGE)


def test_every_column_has_what_it_needs_before_any_has_what_it_likes() -> None:
    assert share_width(TABLE, 290) == {0: 100, 1: 60, 2: 50, 3: 40, 4: 40}
    assert share_width(TABLE, 410) == {0: 200, 1: 80, 2: 50, 3: 40, 4: 40}


def test_the_least_important_columns_give_way_first() -> None:
    assert share_width(TABLE, 289) == {0: 133, 1: 66, 2: 50, 4: 40}
    assert share_width(TABLE, 240) == {0: 125, 1: 65, 2: 50}


def test_where_nothing_is_left_to_hide_columns_are_narrowed_as_far_as_they_can_be() -> None:
    table = (GAME._replace(narrow=40), MARKET._replace(narrow=30), ODDS, LIMIT)
    assert share_width(table, 250) == {0: 100, 1: 60, 2: 50, 3: 40}
    assert share_width(table, 210) == {0: 100, 1: 60, 2: 50}
    assert share_width(table, 165) == {0: 70, 1: 45, 2: 50}
    assert share_width(table, 120) == {0: 40, 1: 30, 2: 50}
    assert share_width(table, 100) == {0: 40, 1: 30, 2: 50}, "the table is scrolled"


def test_of_narrowed_columns_the_one_that_says_what_a_row_is_about_is_widened_first() -> None:
    game = GAME._replace(narrow=40, before_others=80)
    table = (game, MARKET._replace(narrow=30), ODDS)
    assert share_width(table, 150) == {0: 70, 1: 30, 2: 50}
    assert share_width(table, 160) == {0: 80, 1: 30, 2: 50}
    assert share_width(table, 185) == {0: 90, 1: 45, 2: 50}
    assert share_width(table, 210) == {0: 100, 1: 60, 2: 50}


def test_a_column_that_can_be_narrowed_is_hidden_only_where_that_is_not_enough() -> None:
    edge = WidthRequest(5, 60, 60, 60, drops=3, narrow=30)
    table = (GAME._replace(narrow=80), ODDS, LIMIT, edge)
    assert share_width(table, 210) == {0: 100, 2: 50, 5: 60}
    assert share_width(table, 160) == {0: 80, 2: 50, 5: 30}
    assert share_width(table, 159) == {0: 109, 2: 50}


def test_what_is_left_stretches_some_and_in_the_end_widens_all() -> None:
    assert share_width(TABLE, 530) == {0: 300, 1: 100, 2: 50, 3: 40, 4: 40}
    assert share_width(TABLE, 680) == {0: 400, 1: 150, 2: 50, 3: 40, 4: 40}
    assert share_width(TABLE, 780) == {0: 420, 1: 170, 2: 70, 3: 60, 4: 60}


def test_a_column_that_stretches_without_end_takes_the_rest() -> None:
    assert share_width((GAME._replace(most=None), ODDS), 1_000) == {0: 950, 2: 50}


requests = st.lists(
    st.tuples(
        st.integers(1, 200),
        st.integers(0, 200),
        st.integers(0, 200),
        st.integers(0, 3),
        st.none() | st.integers(1, 200),
    ),
    min_size=1,
    max_size=12,
).map(
    lambda rows: [
        WidthRequest(column, least, least + likes, least + likes + most, drops, narrow)
        for column, (least, likes, most, drops, narrow) in enumerate(rows)
        if narrow is None or narrow <= least
    ]
)


@given(requests, st.integers(0, 4_000))
def test_the_width_is_filled_to_the_pixel_where_the_columns_that_stay_have_room(
    asked: list[WidthRequest], room: int
) -> None:
    widths = share_width(asked, room)
    kept = [request for request in asked if request.column in widths]
    needed = sum(request.least if request.narrow is None else request.narrow for request in kept)
    if widths:
        assert sum(widths.values()) == max(room, needed)
    has_room = sum(request.least for request in kept) <= room
    for request in kept:
        least = request.least if has_room or request.narrow is None else request.narrow
        assert widths[request.column] >= least
    assert all(request.drops for request in asked if request.column not in widths)
