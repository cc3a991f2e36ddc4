"""The order of bookmakers: favourites, moves by hand, names; kept between starts."""

import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.desk.matrix.layout import BookmakerColumns, BookmakerOrder
from oddsdesk.desk.settings.saved_state import Layout

NAMES = ("Betsson", "Bovada", "Matchbook", "Unibet")


def test_a_move_to_either_side_takes_the_others_place() -> None:
    order = BookmakerOrder().with_move("Betsson", "Matchbook", NAMES)
    assert order.arranged(NAMES) == ["Bovada", "Matchbook", "Betsson", "Unibet"]
    order = order.with_move("Unibet", "Bovada", NAMES)
    assert order.arranged(NAMES) == ["Unibet", "Bovada", "Matchbook", "Betsson"]


def test_favourites_stay_before_the_others() -> None:
    order = BookmakerOrder(favourites=frozenset({"Unibet"}))
    order = order.with_move("Matchbook", "Unibet", NAMES)
    assert order.arranged(NAMES) == ["Unibet", "Matchbook", "Betsson", "Bovada"]


def test_bookmakers_of_other_games_keep_what_was_said_of_them() -> None:
    order = BookmakerOrder(
        order=("Elsewhere", "Unibet"),
        hidden=frozenset({"Elsewhere"}),
        favourites=frozenset({"Elsewhere"}),
    )
    order = order.with_columns(["Bovada", "Unibet"], {"Unibet"}).with_favourites({"Bovada"}, NAMES)
    assert order.order == ("Bovada", "Unibet", "Elsewhere")
    assert order.hidden == {"Bovada", "Elsewhere"}
    assert order.favourites == {"Bovada", "Elsewhere"}
    assert order.shown(NAMES) == ["Unibet", "Betsson", "Matchbook"]


def test_hiding_leaves_the_others_by_name() -> None:
    order = BookmakerOrder().with_columns(NAMES, {"Bovada", "Unibet"})
    assert order == BookmakerOrder(hidden=frozenset({"Betsson", "Matchbook"}))
    assert order.shown([*NAMES, "Coral"]) == ["Bovada", "Coral", "Unibet"]


@given(
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.frozensets(st.sampled_from(NAMES)),
    st.permutations(NAMES),
)
def test_a_move_loses_nobody_and_lands_where_favourites_allow(
    moved: str, onto: str, favourites: frozenset[str], before: list[str]
) -> None:
    order = BookmakerOrder(tuple(before), favourites=favourites)
    place = order.arranged(NAMES).index(onto)
    after = order.with_move(moved, onto, NAMES).arranged(NAMES)
    assert sorted(after) == sorted(NAMES)
    if (moved in favourites) == (onto in favourites):
        assert after[place] == moved


def test_the_order_is_kept_between_starts_and_reset_keeps_favourites(tmp_path: Path) -> None:
    path = tmp_path / "desk.ini"
    wanted = BookmakerOrder(("Unibet",), frozenset({"Bovada"}), frozenset({"Betsson"}))
    BookmakerColumns(Layout(path)).keep_order(wanted)
    again = BookmakerColumns(Layout(path))
    assert again.column_order == wanted
    again.reset_order()
    assert again.column_order == BookmakerOrder(favourites=frozenset({"Betsson"}))


def test_an_order_that_makes_no_sense_is_told_of_and_left(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    layout = Layout(tmp_path / "desk.ini")
    layout.keep_word("matrix/bookmakers", '{"order": 3}')
    with caplog.at_level(logging.WARNING):
        assert BookmakerColumns(layout).column_order == BookmakerOrder()
    assert "matrix/bookmakers" in caplog.text
