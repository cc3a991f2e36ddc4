"""Going to a price: asked for elsewhere, while the game is read, and from value to value."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from oddsdesk.board.matrix import RowKey
from oddsdesk.desk.matrix.bookmakers import BookmakerColumns, BookmakerOrder
from oddsdesk.desk.matrix.layout import BEST
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.ui.theme.theme import Theme

MANY = {f"Book {number:02d}": 1.90 for number in range(40)}


def key(quoted: Any, market: str, selection: str, bookmaker: str, period: int = 0) -> RowKey:
    return RowKey(quoted.id, market, period, selection, bookmaker)


def at(panel: MatrixPanel) -> tuple[str, str | None] | None:
    """Selection and bookmaker of the current cell."""
    index = panel.table.current()
    if not index.isValid():
        return None
    found = panel._model.key(index.row(), index.column())
    return None if found is None else (found.selection, found.bookmaker)


def is_in_sight(panel: MatrixPanel) -> bool:
    pane, index = panel.table.scrolling, panel.table.current()
    rect = pane.visualRect(index)
    return not rect.isEmpty() and pane.viewport().rect().contains(rect)


@pytest.fixture
def narrow(panel: MatrixPanel, quoted: Any) -> MatrixPanel:
    """A matrix of many bookmakers and rows, most of them out of sight."""
    for line in range(3, 30):
        sides = {f"Over {line}.5": MANY | {"Pinnacle": 1.95}, f"Under {line}.5": MANY}
        quoted.quote("total", sides, period=line % 2)
    quoted.load()
    panel.table.model.flush()
    panel.resize(700, 260)
    return panel


def test_a_price_out_of_sight_is_made_current_and_brought_into_sight(
    narrow: MatrixPanel, quoted: Any
) -> None:
    wanted = key(quoted, "total", "Over 28.5", "Book 37")
    narrow.finder.go_to(wanted)
    assert at(narrow) == ("Over 28.5", "Book 37")
    assert is_in_sight(narrow)


def test_a_price_of_a_folded_section_and_of_markets_not_shown_is_found(
    narrow: MatrixPanel, quoted: Any
) -> None:
    narrow._model.fold_all(folded=True)
    narrow.header.chips.choose("result")
    narrow.finder.go_to(key(quoted, "total", "Over 2.5", "Betsson"))
    assert at(narrow) == ("Over 2.5", "Betsson")
    assert narrow.header.chips.current == ""


def test_a_price_of_a_game_that_is_not_read_yet_is_gone_to_once_it_is(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    quoted.board.unsubscribe_game(quoted.id)
    quoted.board.want_rows(True)
    panel = MatrixPanel(quoted.board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(panel)
    panel.resize(700, 300)
    panel.finder.go_to(key(quoted, "moneyline", "Draw", "Matchbook"))
    assert at(panel) is None
    with qtbot.waitExposed(panel):
        panel.show()
    quoted.tell("Bovada", "moneyline", "Draw", 3.30)
    panel.table.model.flush()
    assert panel.table.current().isValid(), "the row is there, its bookmaker is not"
    quoted.load()
    panel.table.model.flush()
    assert at(panel) == ("Draw", "Matchbook")
    panel.close_panel()


def test_who_goes_elsewhere_meanwhile_is_left_there(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    quoted.board.unsubscribe_game(quoted.id)
    quoted.board.want_rows(True)
    quoted.tell("Bovada", "moneyline", "Liverpool", 2.30)
    panel = MatrixPanel(quoted.board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(panel)
    panel.finder.go_to(key(quoted, "moneyline", "Draw", "Matchbook"))
    panel.table.set_current(0, 0)
    assert panel.table.current().isValid()
    quoted.load()
    panel.table.model.flush()
    assert at(panel) is None
    panel.close_panel()


def test_a_price_that_is_gone_and_a_column_that_is_hidden_are_told(
    panel: MatrixPanel, quoted: Any, columns: BookmakerColumns
) -> None:
    said: list[str] = []
    panel.said.connect(said.append)
    panel.finder.go_to(key(quoted, "total", "Over 9.5", "Bovada"))
    columns.put(BookmakerOrder(hidden=frozenset({"Bovada"})))
    panel.finder.go_to(key(quoted, "total", "Over 2.5", "Bovada"))
    assert said == [
        "Over 9.5 is not priced here any more.",
        "The column of Bovada is hidden (C shows it).",
    ]
    assert panel.table.current().column() == BEST


@pytest.fixture
def with_values(panel: MatrixPanel, quoted: Any) -> MatrixPanel:
    """Three prices are value, the last one in a folded section."""
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Everton", 3.60)
    quoted.tell("Matchbook", "moneyline", "Draw", 3.60)
    quoted.tell("Matchbook", "moneyline", "Liverpool", 2.25)
    quoted.tell("Matchbook", "total", "Over 2.5", 2.06)
    quoted.tell("Matchbook", "total", "Under 2.5", 1.90)
    panel.table.model.flush()
    model = panel._model
    title = next(row for row in range(model.rowCount()) if model.cell(row, 0).text == "Total 2.5")
    model.set_folded(title, True)
    return panel


def test_n_goes_from_value_to_value_in_folded_sections_too_and_round_the_end(
    with_values: MatrixPanel, qtbot: QtBot
) -> None:
    table = with_values.table
    with_values.activateWindow()
    table.scrolling.setFocus()
    found = []
    for _ in range(4):
        qtbot.keyClick(table.scrolling, Qt.Key.Key_N)
        found.append(at(with_values))
    assert found == [
        ("Everton", "Bovada"),
        ("Draw", "Matchbook"),
        ("Over 2.5", "Matchbook"),
        ("Everton", "Bovada"),
    ]
    for wanted in (("Over 2.5", "Matchbook"), ("Draw", "Matchbook")):
        qtbot.keyClick(table.scrolling, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
        assert at(with_values) == wanted


def test_where_nothing_is_value_n_says_so_and_stays(panel: MatrixPanel, qtbot: QtBot) -> None:
    said: list[str] = []
    panel.said.connect(said.append)
    panel.table.set_current(1, 0)
    panel.finder.go_to_value(1)
    assert said == ["No other price is value among the markets and bookmakers shown."]
    assert (panel.table.current().row(), panel.table.current().column()) == (1, 0)
