"""The live table is two panes that scroll and are used as one, and keeps its place."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.table.cells import Align, Cell, Column
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.live_table import RowsModel, cell_rect, corner, image_of
from tests.kit.quoted_game import Clock


def test_frozen_columns_stay_while_the_others_scroll(table: LiveTable) -> None:
    assert [table.frozen.isColumnHidden(column) for column in range(4)] == [
        False, False, True, True,
    ]  # fmt: skip
    assert [table.scrolling.isColumnHidden(column) for column in range(4)] == [
        True, True, False, False,
    ]  # fmt: skip
    bar = table.scrolling.horizontalScrollBar()
    assert bar.maximum() > 0
    bar.setValue(bar.maximum())
    assert cell_rect(table.frozen, 0, 0).left() == 0


@pytest.mark.parametrize("column", [0, 5])
@pytest.mark.parametrize("sizes", [(640, 140), (640, 300, 140), (900, 140), (640, 900, 200, 640)])
@pytest.mark.parametrize("row", [59, 30, 4])
def test_rows_stay_beside_themselves_while_the_window_changes_its_size(
    table: LiveTable, column: int, sizes: tuple[int, ...], row: int
) -> None:
    table.set_current(row, column)
    width, *heights = sizes
    for height in heights:
        table.resize(width, height)
        QApplication.processEvents()
        frozen, scrolling = table.frozen, table.scrolling
        assert frozen.verticalScrollBar().value() == scrolling.verticalScrollBar().value()
        assert cell_rect(frozen, row, 0).top() == cell_rect(scrolling, row, 5).top()
        assert row in table.rows_in_view()


@pytest.mark.parametrize("driver", ["frozen", "scrolling"])
def test_both_panes_scroll_down_together(table: LiveTable, driver: str) -> None:
    getattr(table, driver).verticalScrollBar().setValue(137)
    assert table.frozen.verticalScrollBar().value() == 137
    assert table.scrolling.verticalScrollBar().value() == 137
    assert cell_rect(table.frozen, 10, 0).top() == cell_rect(table.scrolling, 10, 5).top()


def test_both_panes_reach_the_last_row(table: LiveTable) -> None:
    bars = table.frozen.verticalScrollBar(), table.scrolling.verticalScrollBar()
    assert bars[0].maximum() == bars[1].maximum() > 0


def test_the_pane_that_takes_the_focus_has_the_tables_name(
    theme: Theme, model: RowsModel, clock: Clock, qtbot: QtBot
) -> None:
    table = LiveTable(theme, model, clock)
    qtbot.addWidget(table)
    table.setAccessibleName("Value bets")
    table.show()
    focused = table.focusProxy()
    assert focused is not None
    assert focused.accessibleName() == "Value bets"


def test_a_stretching_column_takes_the_width_that_is_left(
    theme: Theme, clock: Clock, qtbot: QtBot
) -> None:
    class Stretching(RowsModel):
        def column(self, column: int) -> Column:
            return Column("Selection", Align.LEFT, stretches=True) if column == 0 else Column("88")

    table = LiveTable(theme, Stretching([[Cell("a"), Cell("1")]], ["Name", "Odds"]), clock)
    qtbot.addWidget(table)
    table.show()
    for width in (700, 400):
        table.resize(width, 200)
        qtbot.waitUntil(lambda: table.scrolling.header.length() == width, timeout=1_000)  # noqa: B023


def test_the_keyboard_reaches_frozen_columns_and_both_ends(table: LiveTable, qtbot: QtBot) -> None:
    table.set_current(0, 2)
    view = table.scrolling

    def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        qtbot.keyClick(view, key, modifier)

    def place() -> tuple[int, int]:
        return table.current().row(), table.current().column()

    press(Qt.Key.Key_Left)
    assert place() == (0, 1)
    press(Qt.Key.Key_Home)
    assert place() == (0, 0)
    press(Qt.Key.Key_End)
    assert place() == (0, 11)
    press(Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert place() == (59, 11)
    assert table.scrolling.viewport().rect().contains(cell_rect(view, 59, 11))
    press(Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    press(Qt.Key.Key_PageDown)
    assert place()[0] > 5


def test_enter_and_double_click_open_a_cell(
    table: LiveTable, model: RowsModel, qtbot: QtBot
) -> None:
    opened: list[tuple[int, int]] = []
    table.opened.connect(lambda index: opened.append((index.row(), index.column())))
    table.set_current(2, 5)
    qtbot.keyClick(table.scrolling, Qt.Key.Key_Return)
    centre = cell_rect(table.frozen, 4, 0).center()
    qtbot.mouseClick(table.frozen.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    qtbot.mouseDClick(table.frozen.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    assert opened == [(2, 5), (4, 0)]


def test_who_presses_the_current_cell_anew_is_told_of_it(table: LiveTable, qtbot: QtBot) -> None:
    """Another table may have been asked since: what a panel beside shows is of that one."""
    told: list[tuple[int, int]] = []
    table.current_changed.connect(lambda index: told.append((index.row(), index.column())))
    for pane, row, column in (
        (table.scrolling, 1, 2),
        (table.scrolling, 1, 2),
        (table.frozen, 2, 0),
        (table.frozen, 2, 0),
    ):
        spot = cell_rect(pane, row, column).center()
        qtbot.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert told == [(1, 2), (1, 2), (2, 0), (2, 0)]


def test_who_presses_the_first_row_of_all_has_chosen_it_once_that_is_told(
    table: LiveTable, qtbot: QtBot
) -> None:
    """Qt told of the cell before its row was selected: nothing was explained until the second."""
    told: list[tuple[int, bool]] = []
    table.current_changed.connect(lambda index: told.append((index.row(), table.has_choice)))
    for row in (1, 2):
        spot = cell_rect(table.scrolling, row, 2).center()
        qtbot.mouseClick(table.scrolling.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert told == [(1, True), (2, True)]
    assert table.selected_rows() == [2]


def test_a_section_row_folds_by_key_and_click(
    table: LiveTable, model: RowsModel, qtbot: QtBot
) -> None:
    model.rows[1][0] = Cell("# Result")
    table.set_current(1, 0)
    for key, is_folded in (
        (Qt.Key.Key_Space, True),
        (Qt.Key.Key_Right, False),
        (Qt.Key.Key_Left, True),
    ):
        qtbot.keyClick(table.scrolling, key)
        assert (1 in model.folded) is is_folded
    centre = cell_rect(table.frozen, 1, 0).center()
    qtbot.mouseClick(table.frozen.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    assert model.folded == set()


def test_rows_added_above_leave_what_is_on_screen_where_it_is(
    table: LiveTable, model: RowsModel
) -> None:
    table.set_current(25, 3)
    table.scrolling.verticalScrollBar().setValue(20 * 22 + 7)
    before = cell_rect(table.scrolling, 25, 3).topLeft()
    model.insert(2)
    assert cell_rect(table.scrolling, 26, 3).topLeft() == before
    assert (table.current().row(), table.current().column()) == (26, 3)
    assert table.frozen.verticalScrollBar().value() == table.scrolling.verticalScrollBar().value()


def test_a_column_added_at_the_end_moves_no_other(table: LiveTable, model: RowsModel) -> None:
    before = [table.scrolling.columnViewportPosition(column) for column in range(2, 12)]
    model.append_column("New book")
    assert [table.scrolling.columnViewportPosition(column) for column in range(2, 12)] == before
    assert table.frozen.isColumnHidden(12)
    assert not table.scrolling.isColumnHidden(12)


def test_the_row_under_the_pointer_is_tinted_in_both_panes(table: LiveTable, qtbot: QtBot) -> None:
    plain = corner(table.frozen, 3, 0)
    centre = cell_rect(table.scrolling, 3, 4).center()
    qtbot.mouseMove(table.scrolling.viewport(), QPoint(1, 1))
    qtbot.mouseMove(table.scrolling.viewport(), centre)
    qtbot.waitUntil(lambda: corner(table.frozen, 3, 0) != plain, timeout=1_000)
    assert corner(table.frozen, 3, 0) == corner(table.scrolling, 3, 4)


def test_the_current_cell_is_framed(table: LiveTable, theme: Theme) -> None:
    table.set_current(3, 4)
    line = QColor(theme.tokens.line).name()
    rect = cell_rect(table.scrolling, 3, 4)
    edge = image_of(table.scrolling).pixelColor(rect.left(), rect.center().y()).name()
    assert edge in (theme.tokens.accent, line)
