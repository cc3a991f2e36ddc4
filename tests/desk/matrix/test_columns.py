"""A matrix's columns: chosen, starred, hidden, dragged and moved by keys, for all games."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from oddsdesk.desk.matrix.layout import FIRST_BOOKMAKER, PAST, BookmakerColumns, BookmakerOrder
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.ui.table.column_chooser import ColumnChooser
from oddsdesk.desk.ui.theme.theme import Theme


@pytest.fixture
def panel(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> Iterator[MatrixPanel]:
    made = MatrixPanel(quoted.board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(made)
    made.resize(1_300, 400)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close_panel()


def titles(panel: MatrixPanel) -> list[str]:
    """What stands above the bookmakers' columns, from left to right as on screen."""
    header = panel.table.scrolling.header
    shown = [header.logicalIndex(place) for place in range(header.count())]
    return [
        panel.table.model.header(column).title
        for column in shown
        if not header.isSectionHidden(column) and column != PAST
    ]


def middle(panel: MatrixPanel, column: int) -> QPoint:
    header = panel.table.scrolling.header
    left = header.sectionViewportPosition(column)
    return QPoint(left + header.sectionSize(column) // 2, header.height() // 2)


def trigger(panel: MatrixPanel, title: str) -> None:
    next(action for action in panel.actions() if action.text() == title).trigger()


def test_the_chooser_hides_and_stars_bookmakers_of_every_game(
    panel: MatrixPanel, columns: BookmakerColumns
) -> None:
    panel.header.columns.click()
    chooser = panel.findChild(ColumnChooser)
    assert chooser is not None
    listed = [chooser.list.item(row).text() for row in range(chooser.list.count())]
    assert listed == ["Betsson", "Bovada", "Matchbook", "Unibet"]
    chooser.list.item(1).setCheckState(Qt.CheckState.Unchecked)
    assert titles(panel) == ["Betsson", "Matchbook", "Unibet"]
    assert panel.header.columns.text() == "Columns 3 / 4 ▾"
    chooser.list.setCurrentRow(3)
    chooser.favourite.click()
    assert titles(panel) == ["★ Unibet", "Betsson", "Matchbook"]
    assert columns.column_order.hidden == {"Bovada"}
    chooser.reset.click()
    assert titles(panel) == ["★ Unibet", "Betsson", "Bovada", "Matchbook"]


def test_a_header_dragged_onto_another_takes_its_place(
    panel: MatrixPanel, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    target = panel.table.scrolling.header.viewport()
    start, end = middle(panel, FIRST_BOOKMAKER), middle(panel, FIRST_BOOKMAKER + 2)
    end += QPoint(10, 0)
    QTest.mousePress(target, Qt.MouseButton.LeftButton, pos=start)
    for spot in (start + QPoint(20, 0), end - QPoint(5, 0), end):
        QTest.mouseMove(target, spot)
    QTest.mouseRelease(target, Qt.MouseButton.LeftButton, pos=end)
    wanted = ["Bovada", "Matchbook", "Betsson", "Unibet"]
    qtbot.waitUntil(lambda: list(panel.table.model.shown_bookmakers) == wanted)
    assert titles(panel) == wanted
    assert columns.column_order.order == tuple(wanted)
    widths = {panel.table.scrolling.columnWidth(FIRST_BOOKMAKER + place) for place in range(4)}
    assert 0 not in widths


def test_a_drag_that_favourites_forbid_puts_the_column_back(
    panel: MatrixPanel, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    columns.keep_order(BookmakerOrder(favourites=frozenset({"Betsson"})))
    header = panel.table.scrolling.header
    with qtbot.waitSignal(header.sectionMoved):
        header.moveSection(FIRST_BOOKMAKER + 1, FIRST_BOOKMAKER)
    wanted = ["★ Betsson", "Bovada", "Matchbook", "Unibet"]
    qtbot.waitUntil(lambda: titles(panel) == wanted)


def test_keys_move_star_and_hide_the_current_column(panel: MatrixPanel) -> None:
    panel.table.set_current(1, FIRST_BOOKMAKER + 1)
    trigger(panel, "Move column right")
    assert titles(panel) == ["Betsson", "Matchbook", "Bovada", "Unibet"]
    assert panel.table.current_cell().column() == FIRST_BOOKMAKER + 2
    trigger(panel, "Move column left")
    trigger(panel, "Add or remove this bookmaker as favourite")
    assert titles(panel) == ["★ Bovada", "Betsson", "Matchbook", "Unibet"]
    trigger(panel, "Hide this bookmaker")
    assert titles(panel) == ["Betsson", "Matchbook", "Unibet"]
    assert panel.table.current_cell().column() == FIRST_BOOKMAKER
    trigger(panel, "Reset bookmaker columns")
    assert titles(panel) == ["★ Bovada", "Betsson", "Matchbook", "Unibet"]


def test_the_frozen_part_has_nothing_to_arrange(
    panel: MatrixPanel, columns: BookmakerColumns
) -> None:
    panel.table.set_current(1, 0)
    for title in ("Move column right", "Hide this bookmaker"):
        trigger(panel, title)
    assert columns.column_order == BookmakerOrder()
    assert not panel.table.frozen.header.sectionsMovable()


def test_an_order_made_in_one_matrix_shows_in_the_others(
    panel: MatrixPanel, theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    other = MatrixPanel(quoted.board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(other)
    panel.table.set_current(1, FIRST_BOOKMAKER)
    trigger(panel, "Hide this bookmaker")
    assert titles(other) == titles(panel) == ["Bovada", "Matchbook", "Unibet"]
    other.close_panel()


def test_who_hides_a_column_is_told_that_its_prices_go_on_counting(
    panel: MatrixPanel, qtbot: QtBot
) -> None:
    """Best went on naming a bookmaker that was hidden, and nothing said so."""
    panel.table.set_current(1, FIRST_BOOKMAKER)
    name = panel.table.model.header(FIRST_BOOKMAKER).title
    with qtbot.waitSignal(panel.said) as said:
        panel.columns.hide()
    assert name not in titles(panel)
    assert said.args == [
        f"{name}'s column is hidden (C to show it). Its prices still count; to leave it out "
        "everywhere, use Bookmakers (Ctrl+B)."
    ]
