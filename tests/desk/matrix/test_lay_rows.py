"""Below each selection that can be laid a row shows the odds and how much can be laid."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.contract.resources import Offer
from oddsdesk.desk.matrix.layout import BEST, REFERENCE, BookmakerColumns, BookmakerOrder
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.matrix import column_of, texts

LAYS = BookmakerOrder(shows_lays=True)
PROFILES = Profiles([Profile(name="Matchbook", group="Matchbook", commission=0.02)])


def book(back: float, lay: float | None, size: float = 120.0) -> Offer:
    lays = () if lay is None else ((lay, size), (lay + 0.1, 900.0))
    return Offer(back=((back, 55.0), (back - 0.1, 300.0)), lay=lays, currency="GBP")


def tell(quoted: Any, **lays: float | None) -> None:
    quoted.clock.now += 1
    backs = {"Everton": 3.35, "Draw": 3.40, "Liverpool": 2.40}
    books = {name: book(odds, lays.get(name, odds + 0.05)) for name, odds in backs.items()}
    quoted.tell_books("Matchbook", "moneyline", books)


def lay_texts(model: MatrixModel, column: int) -> list[str]:
    rows = [row for row in range(model.rowCount()) if model.is_lay(row)]
    return [model.cell(row, column).text for row in rows]


def test_what_can_be_laid_stands_below_the_selection_once_that_is_asked_for(
    model: MatrixModel, quoted: Any
) -> None:
    tell(quoted, Draw=None)
    before = texts(model)
    assert "   Lay" not in before
    model.show_bookmakers(LAYS)
    assert texts(model)[:6] == ["Match result", "Everton", "   Lay", "Draw", "Liverpool", "   Lay"]
    column = column_of(model, "Matchbook")
    cell = model.cell(2, column)
    assert (cell.text, cell.note, cell.ink) == ("3.40", "120", TextRole.LAY)
    assert model.cell(2, column_of(model, "Bovada")).text == ""
    assert (model.cell(2, BEST).text, model.cell(2, BEST).note) == ("3.40", "Matchbook")
    assert model.cell(2, REFERENCE).text == ""
    model.show_bookmakers(BookmakerOrder())
    assert texts(model) == before


def test_a_lay_of_an_unknown_amount_shows_its_odds_alone(model: MatrixModel, quoted: Any) -> None:
    quoted.clock.now += 1
    quoted.tell_books("Matchbook", "moneyline", {"Draw": Offer(lay=((3.9, 0.0),))})
    model.show_bookmakers(LAYS)
    column = column_of(model, "Matchbook")
    (row,) = (row for row in range(model.rowCount()) if model.is_lay(row))
    assert (model.cell(row, column).text, model.cell(row, column).note) == ("3.90", "")


def test_a_lay_moves_with_its_book_and_its_row_stays_once_it_is_there(
    model: MatrixModel, quoted: Any, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)
    model.show_bookmakers(LAYS)
    assert lay_texts(model, BEST) == []
    tell(quoted, Draw=None)
    model.flush_touched()
    column = column_of(model, "Matchbook")
    assert lay_texts(model, column) == ["3.40", "2.45"]
    tell(quoted, Everton=3.45, Draw=3.5, Liverpool=None)
    model.flush_touched()
    assert texts(model)[:7] == [
        "Match result", "Everton", "   Lay", "Draw", "   Lay", "Liverpool", "   Lay",
    ]  # fmt: skip
    assert lay_texts(model, column) == ["3.45", "3.50", ""]
    assert lay_texts(model, BEST) == ["3.45", "3.50", ""]
    assert model.shown_price(6, column) is None
    assert model.best_columns(2) == [column]
    assert model.best_columns(6) == []


def test_the_best_lay_counts_commission_and_the_users_bookmakers(
    model: MatrixModel, quoted: Any
) -> None:
    """At 3.40 with 2 % a unit of liability wins 0.408; at 3.42 without any 0.413."""
    quoted.board.set_profiles(PROFILES)
    tell(quoted)
    quoted.tell_books("Bovada", "moneyline", {"Everton": book(3.20, 3.42)})
    model.show_bookmakers(LAYS)
    assert (model.cell(2, BEST).text, model.cell(2, BEST).note) == ("3.42", "Bovada")
    quoted.board.set_bookmakers(["Matchbook"])
    model.refresh_all()
    assert model.cell(2, BEST).text == "3.40"


def test_a_hidden_exchange_has_no_rows(model: MatrixModel, quoted: Any) -> None:
    tell(quoted)
    model.show_bookmakers(BookmakerOrder(shows_lays=True, hidden=frozenset({"Matchbook"})))
    assert not model.has_lays


def test_a_key_shows_and_hides_lays_and_that_is_remembered(
    panel: MatrixPanel, columns: BookmakerColumns, quoted: Any, qtbot: QtBot
) -> None:
    panel.activateWindow()
    qtbot.waitActive(panel)
    panel.table.scrolling.setFocus()
    with qtbot.waitSignal(panel.said) as told:
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_L)
    assert told.args == ["No lay odds in this game: no exchange lists any."]
    assert columns.column_order.shows_lays
    tell(quoted)
    panel.table.model.flush_touched()
    model = panel.table.model
    assert isinstance(model, MatrixModel)
    assert lay_texts(model, column_of(model, "Matchbook")) == ["3.40", "3.45", "2.45"]
    columns.reset_order()
    assert model.has_lays, "columns are reset, not rows"
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_L)
    assert not model.has_lays
    assert not columns.column_order.shows_lays


def test_a_lay_is_recorded_as_a_lay_and_explained_as_its_price(
    panel: MatrixPanel, columns: BookmakerColumns, quoted: Any, qtbot: QtBot
) -> None:
    tell(quoted)
    columns.keep_order(LAYS)
    model = panel.table.model
    assert isinstance(model, MatrixModel)
    panel.activateWindow()
    qtbot.waitActive(panel)
    panel.table.scrolling.setFocus()
    key = RowKey(quoted.id, "moneyline", 0, "Everton", "Matchbook")
    with (
        qtbot.waitSignal(panel.lay_selected) as chosen,
        qtbot.assertNotEmitted(panel.price_selected),
    ):
        panel.table.set_current(2, column_of(model, "Matchbook"))
    assert chosen.args == [key]
    with qtbot.waitSignal(panel.price_actions.lay_requested) as laid:
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_P)
    assert laid.args == [key]
    with qtbot.waitSignal(panel.price_actions.explain_requested) as explained:
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_X)
    assert explained.args == [key, True]
    said = model.tip(2, column_of(model, "Matchbook"))
    assert "back: 55.00 GBP at 3.35, 300.00 GBP at 3.25" in said
    assert "lay: 120.00 GBP at 3.4, 900.00 GBP at 3.5" in said


def test_a_cell_of_a_row_of_lays_without_a_lay_is_no_price(
    panel: MatrixPanel, columns: BookmakerColumns, quoted: Any
) -> None:
    tell(quoted)
    columns.keep_order(LAYS)
    model = panel.table.model
    assert isinstance(model, MatrixModel)
    index = model.index(2, column_of(model, "Bovada"))
    facts = panel._facts(index)
    assert facts is not None
    assert facts.odds is None


@pytest.mark.parametrize("shows", [False, True])
def test_value_prices_are_found_from_a_row_of_lays_too(
    panel: MatrixPanel, columns: BookmakerColumns, quoted: Any, shows: bool
) -> None:
    tell(quoted)
    quoted.tell("Betsson", "total", "Over 2.5", 2.10)
    columns.keep_order(BookmakerOrder(shows_lays=shows))
    panel.table.model.flush_touched()
    panel.table.set_current(2, 0)
    panel.finder.go_to_value(1)
    current = panel.table.current_cell()
    model = panel.table.model
    assert isinstance(model, MatrixModel)
    assert model.name_at(current.row(), current.column()) == "Betsson"
    assert not model.is_lay(current.row())


def test_an_export_of_the_game_has_the_best_lay(panel: MatrixPanel, quoted: Any) -> None:
    quoted.board.set_profiles(PROFILES)
    tell(quoted)
    table = panel._table()
    keys = [column.key for column in table.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in table.rows]
    (everton,) = (row for row in rows if row["selection"] == "Everton" and row["period"] == 0)
    assert (everton["best_lay_odds"], everton["best_lay_at"]) == (3.40, "Matchbook")
    assert everton["best_lay_net_odds"] == pytest.approx(1 + 0.98 / 2.40)
    assert {row["best_lay_odds"] for row in rows if row["market_type"] == "total"} == {None}


def test_a_lay_of_the_other_side_can_be_the_best_price(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot
) -> None:
    """A lay of Under at 1.90 pays 1 + 0.98/0.9 = 2.09 after commission; the best back is 2.05."""
    quoted.board.set_profiles(PROFILES)
    quoted.tell("Betsson", "total", "Over 2.5", 2.05)
    quoted.clock.now += 1
    quoted.tell_books(
        "Matchbook", "total", {"Over 2.5": book(2.0, 2.1), "Under 2.5": book(1.8, 1.9)}
    )
    model = panel.table.model
    assert isinstance(model, MatrixModel)
    model.flush_touched()
    row = texts(model).index("Over 2.5")
    cell = model.cell(row, BEST)
    assert (cell.text, cell.note, cell.ink) == ("L 2.11", "2.09 Matchbook", TextRole.LAY)
    assert "Lay Under 2.5 at Matchbook 1.90: pays 2.09 after commission" in model.tip(row, BEST)
    with qtbot.waitSignal(panel.lay_selected) as chosen:
        panel.table.set_current(row, BEST)
    assert chosen.args == [RowKey(quoted.id, "total", 0, "Under 2.5", "Matchbook")]
    quoted.clock.now += 1
    quoted.tell_books("Matchbook", "total", {"Under 2.5": book(1.8, 1.99)})
    model.flush_touched()
    assert model.cell(row, BEST).text == "2.05"
