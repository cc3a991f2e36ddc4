"""The live table is two panes that scroll and are used as one, and keeps its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.table.cells import Align, Cell, Column, Priority
from oddsdesk.desk.ui.table.live_table import LiveTable, WidthRequest, share_width
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
def test_rows_stay_aligned_while_the_window_changes_its_size(
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
        return table.current_cell().row(), table.current_cell().column()

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


def test_pressing_the_current_cell_again_reports_it(table: LiveTable, qtbot: QtBot) -> None:
    """A panel next to it may have changed to another table's row since."""
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
    assert (table.current_cell().row(), table.current_cell().column()) == (26, 3)
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


GAME = WidthRequest(0, 100, 300, 400)
MARKET = WidthRequest(1, 60, 100, 150)
ODDS = WidthRequest(2, 50, 50, 50)
LIMIT = WidthRequest(3, 40, 40, 40, priority=Priority.EXTRA)
AGE = WidthRequest(4, 40, 40, 40, priority=Priority.USEFUL)
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
    edge = WidthRequest(5, 60, 60, 60, priority=Priority.IMPORTANT, narrow=30)
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
        st.sampled_from(Priority),
        st.none() | st.integers(1, 200),
    ),
    min_size=1,
    max_size=12,
).map(
    lambda rows: [
        WidthRequest(column, least, least + likes, least + likes + most, priority, narrow)
        for column, (least, likes, most, priority, narrow) in enumerate(rows)
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
    assert all(
        request.priority is not Priority.ESSENTIAL
        for request in asked
        if request.column not in widths
    )
