"""The live table paints from its model's cells, tells changes together and keeps its place."""

import pytest
from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QRegion
from PySide6.QtWidgets import QApplication, QTableView
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from oddsdesk.desk.theme.colours import mix
from oddsdesk.desk.theme.theme import Scheme, Theme
from oddsdesk.desk.theme.tokens import FLASH_SHARE, Ground, Ink
from oddsdesk.desk.widgets.cells import Align, Cell, Column, Header
from oddsdesk.desk.widgets.live_model import Index, LiveModel
from oddsdesk.desk.widgets.live_table import LiveTable

NOW = 1_000_000


class RowsModel(LiveModel):
    """Rows of cells that tests change; a row whose first text starts with # is a section."""

    def __init__(self, rows: list[list[Cell]], titles: list[str]) -> None:
        super().__init__()
        self.rows = rows
        self.titles = titles
        self.asked: list[tuple[int, int]] = []
        self.folded: set[int] = set()

    def column(self, column: int) -> Column:
        return Column("Selection name", Align.LEFT) if column == 0 else Column("88.88")

    def header(self, column: int) -> Header:
        return Header(self.titles[column])

    def cell(self, row: int, column: int) -> Cell:
        self.asked.append((row, column))
        return self.rows[row][column]

    def is_section(self, row: int) -> bool:
        return self.rows[row][0].text.startswith("#")

    def is_folded(self, row: int) -> bool:
        return row in self.folded

    def set_folded(self, row: int, folded: bool) -> None:
        (self.folded.add if folded else self.folded.discard)(row)

    def insert(self, row: int) -> None:
        self.beginInsertRows(QModelIndex(), row, row)
        self.rows.insert(row, [Cell("new") for _ in self.titles])
        self.endInsertRows()

    def put(self, row: int, column: int, cell: Cell) -> None:
        self.rows[row][column] = cell
        self.touch(row, column, row, column)

    def append_column(self, title: str) -> None:
        self.beginInsertColumns(QModelIndex(), len(self.titles), len(self.titles))
        self.titles.append(title)
        for row in self.rows:
            row.append(Cell("9.99"))
        self.endInsertColumns()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.titles)


def rows_model(rows: int, columns: int) -> RowsModel:
    return RowsModel(
        [[Cell(f"{row}.{column:02d}") for column in range(columns)] for row in range(rows)],
        [f"Book {column}" for column in range(columns)],
    )


class Clock:
    """A clock that tests turn."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def model() -> RowsModel:
    return rows_model(60, 12)


@pytest.fixture
def table(theme: Theme, model: RowsModel, clock: Clock, qtbot: QtBot) -> LiveTable:
    made = LiveTable(theme, model, clock, frozen=2, outlines_current=True)
    qtbot.addWidget(made)
    made.resize(640, 400)
    with qtbot.waitExposed(made):
        made.show()
    return made


def image_of(view: QTableView) -> QImage:
    return view.viewport().grab().toImage()


def cell_rect(view: QTableView, row: int, column: int) -> QRect:
    return view.visualRect(view.model().index(row, column))


def corner(view: QTableView, row: int, column: int) -> str:
    """The colour of a cell's ground, beside its text."""
    rect = cell_rect(view, row, column)
    return image_of(view).pixelColor(rect.left() + 2, rect.top() + 2).name()


def inked(view: QTableView, row: int, column: int) -> set[str]:
    """Every colour within a cell."""
    rect, image = cell_rect(view, row, column), image_of(view)
    return {
        image.pixelColor(x, y).name()
        for x in range(rect.left(), rect.right())
        for y in range(rect.top(), rect.bottom())
    }


def test_the_model_keeps_the_rules_of_models(model: RowsModel, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(model)


def told_by(model: LiveModel) -> list[tuple[int, int, int, int]]:
    """Return a list that grows by what the model tells of: first row and column, last ones."""
    told: list[tuple[int, int, int, int]] = []
    model.dataChanged.connect(
        lambda first, last: told.append((first.row(), first.column(), last.row(), last.column()))
    )
    return told


def test_changes_of_one_moment_are_told_together(model: RowsModel, qtbot: QtBot) -> None:
    told = told_by(model)
    for row, column in ((5, 5), (4, 9), (7, 3)):
        model.put(row, column, Cell("1.50"))
    assert told == []
    qtbot.waitUntil(lambda: bool(told))
    assert told == [(4, 3, 7, 9)]
    assert set(model.told) == {(5, 5, 5, 5), (4, 9, 4, 9), (7, 3, 7, 3)}


def test_only_what_changed_is_painted_anew(
    table: LiveTable, model: RowsModel, qtbot: QtBot
) -> None:
    table.scrolling.header.moveSection(3, 5)

    def is_calm() -> bool:
        asked = len(model.asked)
        QApplication.processEvents()
        return len(model.asked) == asked

    qtbot.waitUntil(is_calm)
    model.asked.clear()
    for row, column in ((2, 0), (3, 4), (6, 3)):
        model.put(row, column, Cell("1.50"))
    qtbot.waitUntil(lambda: len(model.asked) >= 3)
    assert set(model.asked) == {(2, 0), (3, 4), (6, 3)}


def test_a_span_that_is_gone_when_it_is_told_is_forgotten(model: RowsModel) -> None:
    told: list[QModelIndex] = []
    model.dataChanged.connect(lambda first: told.append(first))
    model.put(59, 0, Cell("1.50"))
    model.beginRemoveRows(QModelIndex(), 50, 59)
    del model.rows[50:]
    model.endRemoveRows()
    model.flush()
    assert told == []


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


@pytest.mark.parametrize("driver", ["frozen", "scrolling"])
def test_both_panes_scroll_down_together(table: LiveTable, driver: str) -> None:
    getattr(table, driver).verticalScrollBar().setValue(137)
    assert table.frozen.verticalScrollBar().value() == 137
    assert table.scrolling.verticalScrollBar().value() == 137
    assert cell_rect(table.frozen, 10, 0).top() == cell_rect(table.scrolling, 10, 5).top()


def test_both_panes_reach_the_last_row(table: LiveTable) -> None:
    bars = table.frozen.verticalScrollBar(), table.scrolling.verticalScrollBar()
    assert bars[0].maximum() == bars[1].maximum() > 0


def test_only_visible_cells_are_asked_for(table: LiveTable, model: RowsModel) -> None:
    model.asked.clear()
    table.scrolling.viewport().repaint()
    rows = {row for row, _ in model.asked}
    assert rows
    assert max(rows) < 20


def test_a_changed_cell_alone_is_painted_again(table: LiveTable, model: RowsModel) -> None:
    table.scrolling.viewport().repaint()
    model.asked.clear()
    rect = cell_rect(table.scrolling, 5, 4)
    table.scrolling.viewport().repaint(QRegion(rect))
    assert set(model.asked) == {(5, 4)}


def test_grounds_and_inks_are_those_of_the_tokens(
    table: LiveTable, model: RowsModel, theme: Theme
) -> None:
    model.rows[3][4] = Cell("2.40", Ink.BEST, Ground.BEST)
    model.rows[4][4] = Cell("2.40", Ink.STRONG)
    assert corner(table.scrolling, 3, 4) == theme.tokens.ground(Ground.BEST)
    assert corner(table.scrolling, 4, 4) == theme.tokens.ground(Ground.PANEL)
    theme.choose(Scheme.LIGHT)
    assert corner(table.scrolling, 3, 4) == theme.tokens.ground(Ground.BEST)
    assert corner(table.scrolling, 4, 4) == "#ffffff"


def test_a_value_cell_has_a_bar_at_its_left(
    table: LiveTable, model: RowsModel, theme: Theme
) -> None:
    model.rows[3][4] = Cell("2.40", Ink.VALUE, Ground.VALUE)
    rect = cell_rect(table.scrolling, 3, 4)
    edge = image_of(table.scrolling).pixelColor(rect.left(), rect.top() + 2).name()
    assert edge == theme.tokens.ink(Ink.VALUE)
    assert corner(table.scrolling, 3, 4) == theme.tokens.ground(Ground.VALUE)


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


def test_a_flash_stands_then_fades_then_is_gone(
    table: LiveTable, model: RowsModel, theme: Theme, clock: Clock
) -> None:
    model.rows[3][4] = Cell("2.40", flash=1, flashes_from=NOW)
    panel = theme.tokens.ground(Ground.PANEL)
    full = mix(theme.tokens.up, panel, FLASH_SHARE)
    seen = []
    for elapsed in (0, 499, 1_000, 1_500):
        clock.now = NOW + elapsed
        seen.append(corner(table.scrolling, 3, 4))
    assert seen[:2] == [full, full]
    assert seen[2] not in (full, panel)
    assert seen[3] == panel


def test_a_flash_scrolled_into_sight_shows_the_rest_of_its_fade(
    table: LiveTable, model: RowsModel, theme: Theme, clock: Clock
) -> None:
    model.rows[50][4] = Cell("2.40", flash=-1, flashes_from=NOW)
    clock.now = NOW + 400
    table.scrolling.verticalScrollBar().setValue(table.scrolling.verticalScrollBar().maximum())
    full = mix(theme.tokens.down, theme.tokens.ground(Ground.PANEL), FLASH_SHARE)
    assert corner(table.scrolling, 50, 4) == full


def test_flashes_are_repainted_until_they_end(
    table: LiveTable, model: RowsModel, clock: Clock, qtbot: QtBot
) -> None:
    model.put(3, 4, Cell("2.40", flash=1, flashes_from=NOW))
    model.flush()
    qtbot.waitUntil(lambda: table.scrolling.advance_flashes(), timeout=1_000)
    clock.now = NOW + 1_500
    qtbot.waitUntil(lambda: not table.scrolling.advance_flashes(), timeout=1_000)


def test_a_struck_price_has_a_line_through_it(table: LiveTable, model: RowsModel) -> None:
    def widest_line(cell: Cell) -> int:
        model.rows[3][4] = cell
        rect, image = cell_rect(table.scrolling, 3, 4), image_of(table.scrolling)
        ink = table._theme.tokens.ink(Ink.NOTE)
        return max(
            sum(image.pixelColor(x, y).name() == ink for x in range(rect.left(), rect.right()))
            for y in range(rect.top(), rect.bottom() - 1)
        )

    assert widest_line(Cell("2.40", Ink.NOTE, is_struck=True)) > 20
    assert widest_line(Cell("2.40", Ink.NOTE)) < 15


def test_an_arrow_shows_the_movement_and_pales(
    table: LiveTable, model: RowsModel, theme: Theme
) -> None:
    model.rows[3][4] = Cell("2.40", arrow=1)
    assert theme.tokens.up in inked(table.scrolling, 3, 4)
    model.rows[3][4] = Cell("2.40", arrow=1, arrow_is_pale=True)
    assert theme.tokens.up not in inked(table.scrolling, 3, 4)


def test_long_texts_and_titles_are_elided_and_whole_in_the_tooltip(
    table: LiveTable, model: RowsModel
) -> None:
    model.titles[4] = "A bookmaker with a very long name indeed"
    model.headerDataChanged.emit(Qt.Orientation.Horizontal, 4, 4)
    assert table.scrolling.columnWidth(4) <= Column("88.88").most
    tip = model.headerData(4, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip == model.titles[4]


def test_a_long_name_keeps_its_end_which_tells_it_from_the_others(
    table: LiveTable, model: RowsModel
) -> None:
    def painted(row: int) -> QImage:
        return image_of(table.frozen).copy(cell_rect(table.frozen, row, 0))

    for row, line in ((1, "1.5"), (2, "1.5"), (3, "2.5")):
        model.put(row, 0, Cell(f"Pierre-Emerick Aubameyang shots {line}"))
    model.flush()
    assert painted(1) == painted(2)
    assert painted(2) != painted(3)


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


def test_age_alone_brings_a_repaint_when_it_is_due(
    table: LiveTable, model: RowsModel, clock: Clock, qtbot: QtBot
) -> None:
    model.rows[3][4] = Cell("2.40", due=NOW + 2_000)
    table.scrolling.viewport().repaint()
    model.asked.clear()
    table.scrolling.repaint_due(NOW + 1_999)
    assert not model.asked
    table.scrolling.repaint_due(NOW + 2_000)
    qtbot.waitUntil(lambda: (3, 4) in model.asked, timeout=1_000)


def test_the_current_cell_is_framed(table: LiveTable, theme: Theme) -> None:
    table.set_current(3, 4)
    line = QColor(theme.tokens.line).name()
    rect = cell_rect(table.scrolling, 3, 4)
    edge = image_of(table.scrolling).pixelColor(rect.left(), rect.center().y()).name()
    assert edge in (theme.tokens.accent, line)
