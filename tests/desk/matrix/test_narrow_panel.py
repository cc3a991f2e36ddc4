"""What gives way in a narrow matrix, and what never does."""

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from oddsdesk.desk.matrix.layout import (
    BEST,
    BEST_OF_ALL,
    FAIR,
    FIRST_BOOKMAKER,
    FROZEN,
    PAST,
    REFERENCE,
    WINDOW,
)
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.ui.controls.buttons import MenuButton
from oddsdesk.desk.ui.formatting import kick_off_text
from oddsdesk.desk.ui.spacing import CELL_MARGIN, HALF
from oddsdesk.desk.ui.table.cell_painter import TextCache
from oddsdesk.desk.ui.table.cells import Header
from oddsdesk.desk.ui.theme.theme import Theme, make_fonts
from tests.kit.quoted_game import NOW_MS


def test_no_column_is_cut_off_in_a_wide_frozen_part(panel: MatrixPanel) -> None:
    panel.resize(1_800, 600)
    model, pane = panel.table.model, panel.table.frozen
    assert pane.width() == sum(pane.columnWidth(column) for column in range(FROZEN))
    for column in range(FROZEN):
        if model.is_hidden(column):
            continue
        title = Header(model.header(column).title)
        assert pane.header.width_of(title) <= pane.columnWidth(column)


@pytest.mark.parametrize("width", [600, 700, 850, 1_025, 1_116, 1_400])
def test_the_frozen_part_leaves_bookmakers_more_than_half(panel: MatrixPanel, width: int) -> None:
    panel.resize(width, 600)
    table = panel.table
    share = table.frozen.width() / table.width()
    # A frozen column more wants a step in which it gives way ("A column" in CONTRIBUTING.md).
    assert share <= (0.43 if width > 1_100 else 0.60)
    assert not table.frozen.isColumnHidden(WINDOW)
    if width > 1_300:
        limited = table.frozen.columnWidth(REFERENCE)
        panel.resize(1_800, 600)
        assert limited == table.frozen.columnWidth(REFERENCE)
    assert table.frozen.isColumnHidden(FAIR) == (width < 700)


@pytest.mark.parametrize("percent", [100, 130, 160])
def test_the_hold_of_a_market_is_whole_however_narrow_and_large(
    panel: MatrixPanel, theme: Theme, percent: int
) -> None:
    """Its unit was cut: "+1.6…"."""
    theme.zoom(percent)
    panel.resize(700, 600)
    table = panel.table
    lane = table._painter.lane(table.model, BEST, 0, table.frozen.columnWidth(BEST))
    room = lane.width - lane.note_width - CELL_MARGIN - HALF
    said = table.model.cell(0, BEST).text
    assert said.endswith(" %")
    theme.zoom(100)
    assert TextCache(make_fonts(percent).body).lay(said).width <= room


def test_names_are_whole_where_bookmakers_need_no_more_room(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot
) -> None:
    long = "Wolverhampton Wanderers Under-21 -0.5"
    quoted.quote("spread", {long: {"Bovada": 2.0}, "Everton +0.5": {"Bovada": 1.9}})
    quoted.load()
    name = panel.table.frozen
    text = QFontMetrics(panel.table.font()).horizontalAdvance(long)
    panel.resize(900, 600)
    assert name.columnWidth(0) < text
    panel.resize(2_000, 600)
    qtbot.waitUntil(lambda: name.columnWidth(0) >= text)


def test_what_a_narrow_matrix_leaves_out_is_skipped_by_the_keyboard_and_comes_back(
    panel: MatrixPanel, qtbot: QtBot
) -> None:
    panel.resize(600, 600)
    table = panel.table
    assert table.frozen.isColumnHidden(FAIR)
    assert table.scrolling.isColumnHidden(PAST)
    assert table.model.names_without_room() == ["Fair", "6 h"]
    table.set_current(1, REFERENCE)
    table.setFocus()
    for column in (WINDOW, BEST, FIRST_BOOKMAKER):
        qtbot.keyClick(table.scrolling, Qt.Key.Key_Right)
        assert table.current_cell().column() == column
    panel.resize(1_400, 600)
    assert not table.frozen.isColumnHidden(FAIR)
    assert not table.scrolling.isColumnHidden(PAST)
    assert table.model.names_without_room() == []


def test_the_table_is_sized_while_a_column_of_best_prices_comes_or_goes(
    panel: MatrixPanel, quoted: Any
) -> None:
    """It raised KeyError: a step narrowed a column that was hidden, or not yet shown."""
    model, table = panel.table.model, panel.table
    panel.resize(700, 600)
    for mine in (("Bovada",), (), ("Bovada",)):
        quoted.board.set_bookmakers(mine)
        table._widths.fit_columns(0, model.columnCount() - 1)
        table.show_columns()
        assert table.frozen.isColumnHidden(BEST_OF_ALL) == model.is_hidden(BEST_OF_ALL)


def test_columns_are_counted_where_the_game_has_some(panel: MatrixPanel, quoted: Any) -> None:
    matrix = quoted.board.matrix(quoted.id)
    header, shown = panel.header, len(matrix.bookmakers)
    assert header.columns.text() == f"Columns {shown} / {shown} ▾"
    for width in (1_400, 300):
        panel.resize(width, 600)
        header.show_markets(replace(matrix, bookmakers=()), 12)
        assert header.columns.text() == "Columns ▾"
        assert header.columns.accessibleName() == "Columns"


def test_chips_give_way_to_a_menu_in_a_narrow_window(panel: MatrixPanel) -> None:
    assert panel.header.chips.isVisible()
    panel.resize(560, 600)
    assert not panel.header.chips.isVisible()
    menu = panel.header.findChild(MenuButton)
    assert menu is not None
    assert menu.text() == "All markets ▾"
    menu.menu_shown.aboutToShow.emit()
    menu.menu_shown.actions()[1].trigger()
    assert panel.header.chips.chosen_chip == "result"
    assert menu.text() == "Result ▾"


@pytest.mark.parametrize("width", range(480, 1_300, 60))
def test_chips_give_way_before_anything_of_the_kick_off_does(
    panel: MatrixPanel, width: int
) -> None:
    panel.resize(width, 600)
    facts = next(
        label for label in panel.header.findChildren(QLabel) if label.property("variant") == "soft"
    )
    kick_off = kick_off_text(NOW_MS + 241_200_000, NOW_MS)
    assert kick_off in facts.text()
    assert facts.width() >= facts.fontMetrics().horizontalAdvance(facts.text())
    if panel.header.chips.isVisible():
        assert facts.text() == f"EPL · {kick_off} · in 2 d 19 h"
    assert kick_off in panel.header.toolTip()
