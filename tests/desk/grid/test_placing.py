"""Rows of the grid that would move: they wait, are counted, and are put where they belong."""

import pytest
from PySide6.QtCore import QPersistentModelIndex

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.desk.grid.columns import BY_KEY
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.filter import GridFilter, Range
from oddsdesk.desk.grid.model import GridModel
from tests.kit.grid import BOOKMAKER, ODDS, SELECTION, marks_of, shown, sorted_by, take_in, words

EV = BY_KEY["ev_pct"]


def test_rows_keep_their_place_until_arranged(model, quoted, qtbot):
    sorted_by(model, "odds", descending=True)
    before = shown(model, SELECTION, BOOKMAKER)
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Liverpool", 9.0)
    take_in(model, qtbot)
    assert shown(model, SELECTION, BOOKMAKER) == before
    assert "9.00" in shown(model, ODDS)
    assert model.misplaced == 3  # Bovada's other sides fell
    model.arrange()
    assert shown(model, SELECTION, BOOKMAKER)[0] == ("Liverpool", "Bovada")
    assert model.misplaced == 0


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("shape", Shape)
@pytest.mark.parametrize("chosen", [GridFilter(), GridFilter(odds=Range(2.0)), words("eve")])
def test_what_moved_is_put_where_a_grid_read_afresh_has_it(
    model, quoted, qtbot, shape, grouped, chosen
):
    model.show_as(shape, grouped=grouped)
    model.show(chosen)
    sorted_by(model, "odds", descending=True)
    quoted.clock.now += 1_000
    moved = (("Bovada", 9.0), ("Unibet", 1.5), ("Betsson", 3.1), ("Stake", 2.9))
    for bookmaker, odds in moved:
        quoted.tell(bookmaker, "moneyline", "Everton", odds)
    take_in(model, qtbot)
    held = QPersistentModelIndex(model.index(model.rowCount() - 1, ODDS))
    name = model.cell(held.row(), SELECTION).text
    model.arrange()
    assert model.misplaced == 0
    assert model.cell(held.row(), SELECTION).text == name
    afresh = GridModel(quoted.board, quoted.clock)
    quoted.board.keep_all_rows(True)
    take_in(afresh, qtbot)
    afresh.show_as(shape, grouped=grouped)
    afresh.show(chosen)
    sorted_by(afresh, "odds", descending=True)
    rows = shown(model, SELECTION, BOOKMAKER, ODDS)
    assert sorted(rows) == sorted(shown(afresh, SELECTION, BOOKMAKER, ODDS))
    assert [odds for *_, odds in rows] == shown(afresh, ODDS)
    afresh.stop_listening()


def test_a_row_that_comes_back_into_order_is_not_counted(model, quoted, qtbot):
    sorted_by(model, "odds", descending=True)
    moves = (("Liverpool", 9.0), ("Liverpool", 2.27), ("Everton", 3.2), ("Draw", 3.3))
    for selection, odds in moves:
        quoted.clock.now += 1_000
        quoted.tell("Bovada", "moneyline", selection, odds)
        take_in(model, qtbot)
    assert model.misplaced == 0


def test_a_new_price_waits_and_counts_unless_the_filter_leaves_it_out(model, quoted, qtbot):
    model.show(GridFilter(words=("bovada",)))
    rows = model.rowCount()
    quoted.tell("Bovada", "btts", "Yes", 1.9)
    quoted.tell("Stake", "btts", "Yes", 1.9)
    take_in(model, qtbot)
    assert (model.rowCount(), model.misplaced) == (rows, 1)
    model.arrange()
    assert model.rowCount() == rows + 1


def test_a_price_that_leaves_the_filters_range_waits_to_go(model, quoted, qtbot):
    model.show(GridFilter(odds=Range(3.0)))
    rows = model.rowCount()
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Everton", 2.5)
    take_in(model, qtbot)
    assert (model.rowCount(), model.misplaced) == (rows, 1)
    model.arrange()
    assert model.rowCount() == rows - 1


def test_one_that_left_while_another_came_is_no_longer_among_the_rows(model, quoted, qtbot):
    model.show(GridFilter(odds=Range(3.45)))
    left = model.entry(0)
    quoted.clock.now += 1_000
    quoted.tell("Unibet", "moneyline", "Everton", 2.0, period=1)
    quoted.tell("Bovada", "moneyline", "Everton", 3.5)
    take_in(model, qtbot)
    model.arrange()
    assert model.rowCount() == 1
    assert model.entry(0) is not left
    assert left not in model.entries()


def test_a_folded_row_that_the_filter_drops_is_not_waited_for(model, quoted, qtbot):
    model.show_as(Shape.PRICES, grouped=True)
    model.set_folded(0, True)
    model.show(GridFilter(words=("unibet",)))
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Everton", 3.5)
    take_in(model, qtbot)
    assert model.misplaced == 0


@pytest.mark.parametrize("shape", Shape)
def test_a_moved_reference_judges_every_price_anew(model, quoted, qtbot, shape):
    model.show_as(shape, grouped=False)
    sorted_by(model, "ev_pct", descending=True)
    before = dict(zip(shown(model, SELECTION, BOOKMAKER), shown(model, EV), strict=True))
    quoted.clock.now += 1_000
    quoted.tell(quoted.board.reference_name, "total", "Over 2.5", 2.3)
    take_in(model, qtbot)
    fresh = GridModel(quoted.board, quoted.clock)
    quoted.board.keep_all_rows(True)
    take_in(fresh, qtbot)
    fresh.show_as(shape, grouped=False)
    sorted_by(fresh, "ev_pct", descending=True)
    now = dict(zip(shown(model, SELECTION, BOOKMAKER), shown(model, EV), strict=True))
    assert now == dict(zip(shown(fresh, SELECTION, BOOKMAKER), shown(fresh, EV), strict=True))
    moved = {
        selection for (selection, _), text in now.items() if before.get((selection, _)) != text
    }
    assert moved == {"Over 2.5", "Under 2.5"}
    model.arrange()
    assert shown(model, EV) == shown(fresh, EV)
    fresh.stop_listening()


def test_who_may_move_with_a_moved_reference_is_every_price_of_its_line_groups(model, quoted):
    quoted.clock.now += 1_000
    reference = quoted.board.desk_reference.bookmaker
    quoted.tell(reference, "total", "Over 2.5", 2.3)
    key = RowKey(quoted.id, "total", 0, "Under 2.5", reference)
    changed, selections = model.book.take_prices(marks_of([key]))
    assert {entry.bookmaker for entry in changed} == {reference, "Bovada", "Matchbook", "Betsson"}
    assert {entry.key.selection for entry in selections} >= {"Under 2.5"}
