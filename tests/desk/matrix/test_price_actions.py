"""What a matrix offers for the price of a cell, by its menu and by keys."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.matrix import CellKey, RowKey
from oddsdesk.desk.matrix.layout import BEST, REFERENCE
from oddsdesk.desk.matrix.panel import MatrixPanel

DRAW = 2


@pytest.fixture
def shown(panel: MatrixPanel, qtbot: QtBot) -> Iterator[MatrixPanel]:
    panel.activateWindow()
    qtbot.waitActive(panel)
    panel.table.scrolling.setFocus()
    yield panel
    panel.price_actions.menu.hide()


def column_of(panel: MatrixPanel, bookmaker: str) -> int:
    model = panel.table.model
    return next(
        column for column in range(model.columnCount()) if model.header(column).name == bookmaker
    )


def ask_by_mouse(panel: MatrixPanel, row: int, column: int) -> None:
    """Press the right button on a cell, as Qt tells of it."""
    table = panel.table
    pane = table.frozen if column < table.frozen_count else table.scrolling
    spot = pane.visualRect(table.model.index(row, column)).center()
    QApplication.sendEvent(
        pane.viewport(),
        QContextMenuEvent(QContextMenuEvent.Reason.Mouse, spot, pane.viewport().mapToGlobal(spot)),
    )


def offered(panel: MatrixPanel) -> dict[str, bool]:
    """The texts of the open menu, and whether each makes sense."""
    actions = panel.price_actions.menu.actions()
    return {
        action.text().partition("\t")[0]: action.isEnabled()
        for action in actions
        if not action.isSeparator()
    }


def test_a_menu_over_a_cell_offers_what_can_be_done_with_its_price(
    shown: MatrixPanel, quoted: Any
) -> None:
    column = column_of(shown, "Matchbook")
    shown.table.set_current(DRAW, column)
    ask_by_mouse(shown, DRAW, column)
    assert shown.price_actions.menu.isVisible()
    assert offered(shown) == {
        "Explain": True,
        "Record bet…": True,
        "Add to multiple…": True,
        "Alert me when the price reaches…": True,
        "Copy price": True,
        "Open at matchbook.example": True,
        "Hide this bookmaker": True,
    }


@pytest.mark.parametrize(
    ("column", "senseless"),
    [
        (REFERENCE, {"Open at the bookmaker", "Hide this bookmaker"}),
        (BEST, {"Hide this bookmaker"}),
        ("Betsson", {"Record bet…", "Add to multiple…", "Copy price", "Open at the bookmaker"}),
    ],
)
def test_what_makes_no_sense_for_a_cell_is_pale(
    shown: MatrixPanel, column: int | str, senseless: set[str]
) -> None:
    at = column_of(shown, column) if isinstance(column, str) else column
    shown.table.set_current(DRAW, at)
    ask_by_mouse(shown, DRAW, at)
    assert {text for text, enabled in offered(shown).items() if not enabled} == senseless
    shown.price_actions.menu.hide()
    assert all(offered(shown).values()), "keys work at the next cell"


def test_a_title_row_has_no_menu(shown: MatrixPanel) -> None:
    shown.table.set_current(0, BEST)
    ask_by_mouse(shown, 0, BEST)
    assert not shown.price_actions.menu.isVisible()


def test_the_menu_key_opens_the_menu_below_the_cell(shown: MatrixPanel) -> None:
    column = column_of(shown, "Bovada")
    shown.table.set_current(DRAW, column)
    pane = shown.table.scrolling
    key = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(pane.viewport(), QContextMenuEvent(key, QPoint(1, 1), QPoint(1, 1)))
    rect = pane.visualRect(pane.model().index(DRAW, column))
    below = pane.viewport().mapToGlobal(rect.bottomLeft())
    assert shown.price_actions.menu.y() == below.y()


def test_keys_act_on_the_current_price(shown: MatrixPanel, quoted: Any, qtbot: QtBot) -> None:
    shown.table.set_current(DRAW, BEST)
    key = RowKey(quoted.id, "moneyline", 0, "Draw", "Matchbook")
    actions, pane = shown.price_actions, shown.table.scrolling
    with qtbot.waitSignal(actions.explain_requested) as asked:
        qtbot.keyClick(pane, Qt.Key.Key_X)
    assert asked.args == [key, False]
    with qtbot.waitSignal(actions.place_requested) as placed:
        qtbot.keyClick(pane, Qt.Key.Key_P)
    assert placed.args == [key]
    with qtbot.waitSignal(actions.target_requested) as target:
        qtbot.keyClick(pane, Qt.Key.Key_T)
    assert target.args == [key]
    qtbot.keyClick(pane, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "3.40"


def test_the_bookmakers_page_is_opened(
    shown: MatrixPanel, quoted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    column = column_of(shown, "Bovada")
    price = quoted.board.price(quoted.id, CellKey("moneyline", 0, "Draw", "Bovada"))
    assert price is not None
    assert price.url is not None
    shown.table.set_current(DRAW, column)
    ask_by_mouse(shown, DRAW, column)
    page = next(a for a in shown.price_actions.menu.actions() if "Open at " in a.text())
    page.trigger()
    assert [url.toString() for url in opened] == [price.url]
