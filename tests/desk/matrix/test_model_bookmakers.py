"""Bookmakers' columns in the matrix model: their order, favourites, hidden and new ones."""

import math
from typing import Any

from PySide6.QtCore import QPersistentModelIndex
from pytestqt.modeltest import ModelTester

from oddsdesk.base.tasks import returned
from oddsdesk.board.board import Board
from oddsdesk.board.valuation.bets import listing_bets
from oddsdesk.desk.matrix.layout import (
    BEST,
    FAIR,
    FIRST_BOOKMAKER,
    REFERENCE,
    BookmakerOrder,
    mean_holds,
)
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.pricing.exposure import StakePlan
from tests.kit.matrix import cell_of, column_of, row_of, texts

UNIBET_FIRST = BookmakerOrder(favourites=frozenset({"Unibet"}))


def test_a_hidden_bookmakers_best_price_is_named_all_the_same(
    model: MatrixModel, quoted: Any
) -> None:
    model.show_bookmakers(BookmakerOrder(hidden=frozenset({"Matchbook"})))
    row = row_of(model, "Draw")
    assert model.cell(row, BEST).note == "Matchbook"
    assert model.best_columns(row) == []
    quoted.tell("Matchbook", "moneyline", "Draw", 3.45)
    model.flush_touched()
    assert model.cell(row, BEST).text == "3.45"


def test_of_equal_prices_the_best_names_whom_the_list_stakes_whatever_stands_first(
    model: MatrixModel, quoted: Any
) -> None:
    """The list stakes the first by name, and so are legs and the grid's best."""
    quoted.board.want_values(True)
    for bookmaker in ("Matchbook", "Bovada"):
        quoted.tell(bookmaker, "moneyline", "Draw", 3.60)
        quoted.tell(bookmaker, "moneyline", "Liverpool", 2.25)
    model.show_bookmakers(BookmakerOrder(favourites=frozenset({"Matchbook"})))
    model.flush_touched()
    row, board = row_of(model, "Draw"), quoted.board
    assert column_of(model, "Matchbook") < column_of(model, "Bovada")
    prices, now = board.value_bets.values(), quoted.clock.now
    listed = returned(listing_bets(prices, board.basis, StakePlan(), now_ms=now))
    (carrier,) = [bet.price.bookmaker for bet in listed if bet.same_bet_as is None]
    assert model.cell(row, BEST).note == f"{carrier} +1" == "Bovada +1"
    assert model.name_at(row, BEST) == carrier
    assert model.best_columns(row) == [column_of(model, name) for name in ("Matchbook", "Bovada")]


def test_new_bookmakers_are_appended_and_new_rows_take_their_place(
    model: MatrixModel, quoted: Any
) -> None:
    before = model.shown_bookmakers
    reset: list[None] = []
    model.modelReset.connect(lambda: reset.append(None))
    quoted.quote("total", {"Over 1.5": {"Aardvark": 1.3}, "Under 1.5": {"Aardvark": 3.4}})
    quoted.load()
    model.flush_touched()
    assert model.shown_bookmakers == (*before, "Aardvark")
    assert texts(model)[6:] == ["Total 2.5", "Over 2.5", "Under 2.5", "Total 1.5"]
    assert not reset


def test_bookmakers_stand_by_name_with_favourites_first(quoted: Any) -> None:
    model = MatrixModel(quoted.board, quoted.id, quoted.clock, UNIBET_FIRST)
    assert model.shown_bookmakers == ("Unibet", "Betsson", "Bovada", "Matchbook")
    assert model.header(FIRST_BOOKMAKER).title == "★ Unibet"
    assert "favourite" in model.header(FIRST_BOOKMAKER).tip


def test_those_where_the_user_bets_stand_before_all_others(model: MatrixModel, quoted: Any) -> None:
    quoted.board.set_bookmakers(("Unibet", "Matchbook"))
    model.show_bookmakers(BookmakerOrder(favourites=frozenset({"Bovada"})))
    assert model.shown_bookmakers == ("Matchbook", "Unibet", "Bovada", "Betsson")
    quoted.board.set_bookmakers(())
    model.show_bookmakers(BookmakerOrder())
    assert model.shown_bookmakers == ("Betsson", "Bovada", "Matchbook", "Unibet")


def test_columns_come_go_and_move_as_the_user_wants(
    model: MatrixModel, quoted: Any, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)
    model.set_folded(0, True)
    row = row_of(model, "Over 2.5")
    held = QPersistentModelIndex(model.index(row, column_of(model, "Betsson")))
    gone = QPersistentModelIndex(model.index(row, column_of(model, "Matchbook")))
    order = BookmakerOrder(("Unibet", "Betsson"), hidden=frozenset({"Matchbook"}))
    model.show_bookmakers(order)
    assert model.shown_bookmakers == ("Unibet", "Betsson", "Bovada")
    assert cell_of(model, "Over 2.5", "Betsson").text == "1.92"
    assert (held.row(), held.column()) == (row, FIRST_BOOKMAKER + 1)
    assert not gone.isValid()
    assert model.is_folded(0)
    model.show_bookmakers(BookmakerOrder())
    assert model.shown_bookmakers == ("Betsson", "Bovada", "Matchbook", "Unibet")
    assert held.column() == FIRST_BOOKMAKER
    assert cell_of(model, "Over 2.5", "Matchbook").text == "2.00"


def test_a_hidden_bookmaker_that_begins_to_quote_stays_hidden(
    model: MatrixModel, quoted: Any
) -> None:
    model.show_bookmakers(BookmakerOrder(hidden=frozenset({"Newbook"})))
    quoted.quote("btts", {"Yes": {"Newbook": 1.67, "Other": 1.7}})
    quoted.load()
    model.flush_touched()
    assert model.shown_bookmakers[-1] == "Other"
    assert "Newbook" not in model.shown_bookmakers


def test_columns_are_ordered_once_the_whole_picture_is_read(quoted: Any) -> None:
    quoted.board = Board(quoted.clock)
    quoted.board.keep_all_rows(True)
    model = MatrixModel(quoted.board, quoted.id, quoted.clock)
    for bookmaker in ("Unibet", "Betsson"):
        quoted.tell(bookmaker, "total", "Over 2.5", 1.9)
        model.flush_touched()
    assert model.shown_bookmakers == ("Unibet", "Betsson")
    quoted.load()
    model.flush_touched()
    assert model.shown_bookmakers == ("Betsson", "Bovada", "Matchbook", "Unibet")


def test_headers_carry_name_and_age(model: MatrixModel, quoted: Any) -> None:
    quoted.clock.now += 7_000
    header = model.header(column_of(model, "Bovada"))
    assert (header.title, header.note) == ("Bovada", "7 s")
    quoted.tell("Bovada", "total", "Over 2.5", 1.91)
    model.flush_touched()
    assert model.header(column_of(model, "Bovada")).note == "0 s"
    assert model.header(REFERENCE).title == "Pinnacle"
    assert model.header(FAIR).note == "margin prop."


def test_folding_takes_nothing_from_headers(model: MatrixModel, quoted: Any) -> None:
    quoted.clock.now += 7_000
    quoted.tell("Bovada", "total", "Over 2.5", 1.91)
    model.flush_touched()
    quoted.clock.now += 5_000
    before = [model.header(column) for column in range(model.columnCount())]
    assert before[REFERENCE].note.endswith("· limit")
    assert before[column_of(model, "Bovada")].note == "5 s"
    for row in reversed(range(model.rowCount())):
        if model.is_section(row):
            model.set_folded(row, True)
            assert [model.header(column) for column in range(model.columnCount())] == before
    model.fold_all(folded=False)
    assert [model.header(column) for column in range(model.columnCount())] == before


def test_those_that_keep_least_stand_first_where_that_is_wished(
    model: MatrixModel, quoted: Any
) -> None:
    matrix = quoted.board.matrix(quoted.id)
    holds = mean_holds(matrix.sections)
    assert len(set(holds.values())) > 1
    model.show_bookmakers(BookmakerOrder(by_hold=True))
    found = [holds.get(name, math.inf) for name in model.shown_bookmakers]
    assert found == sorted(found)
    worst = model.shown_bookmakers[-1]
    model.show_bookmakers(BookmakerOrder(by_hold=True, favourites=frozenset({worst})))
    assert model.shown_bookmakers[0] == worst
    moved = BookmakerOrder(by_hold=True).with_move("Unibet", "Betsson", ["Unibet", "Betsson"])
    assert (moved.by_hold, moved.order[0]) == (False, "Unibet")
