"""What stands on the screen is what a whole repaint would show, however little was repainted."""

from random import Random

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QTableView

from oddsdesk.desk.ui.table.cells import Cell
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from oddsdesk.desk.ui.theme.tokens import SurfaceRole
from tests.kit.live_table import RowsModel, cell_rect, image_of


def on_screen(table: LiveTable, pane: QTableView) -> QImage:
    QApplication.processEvents()
    port = pane.viewport()
    at, size = port.mapTo(table, QPoint(0, 0)), port.size()
    shot = QApplication.primaryScreen().grabWindow(
        table.winId(), at.x(), at.y(), size.width(), size.height()
    )
    return shot.toImage()


def do_something(table: LiveTable, model: RowsModel, chance: Random) -> None:
    row, column = chance.randrange(60), chance.randrange(2, 12)
    match chance.choice(("scroll", "drag", "select", "insert", "nothing")):
        case "scroll":
            table.scrolling.verticalScrollBar().setValue(chance.randrange(400))
            table.scrolling.horizontalScrollBar().setValue(chance.randrange(200))
        case "drag":
            table.scrolling.header.moveSection(column, chance.randrange(2, 12))
        case "select":
            table.set_current(row, column)
        case "insert":
            model.insert(row)
    for _ in range(chance.choice((1, 4, 60))):
        odds = f"{chance.uniform(1.1, 9):.2f}"
        model.put(chance.randrange(60), chance.randrange(12), Cell(odds, is_struck=column == 3))
    model.flush_touched()


@pytest.mark.parametrize("seed", range(5))
def test_the_screen_shows_what_a_whole_repaint_would(
    table: LiveTable, model: RowsModel, seed: int
) -> None:
    chance = Random(seed)
    for pane in (table.frozen, table.scrolling):
        pane.outlines_current = False  # a frame cut by an edge differs in a corner's pixel
        pane.viewport().update()
    for _ in range(20):
        do_something(table, model, chance)
        for pane in (table.frozen, table.scrolling):
            seen = on_screen(table, pane)
            assert seen == image_of(pane).convertToFormat(seen.format())


def test_the_screen_shows_that_a_title_is_folded(table: LiveTable, model: RowsModel) -> None:
    model.rows[3][0] = Cell("# Totals")
    table.frozen.viewport().update()
    before = on_screen(table, table.frozen)
    model.set_folded(3, True)
    model.touch(3, 0, 3, 11)
    model.flush_touched()
    seen = on_screen(table, table.frozen)
    assert seen != before
    assert seen == image_of(table.frozen).convertToFormat(seen.format())


@pytest.mark.parametrize("cut", [(0, 10, 0, 0), (0, 0, 0, -12), (40, 0, 0, 0), (0, 0, -20, 0)])
def test_a_cell_seen_in_part_before_it_is_told_of_is_painted_whole(
    table: LiveTable, model: RowsModel, cut: tuple[int, int, int, int]
) -> None:
    rect = cell_rect(table.scrolling, 5, 4)
    on_screen(table, table.scrolling)
    model.rows[5][4] = Cell("1.50")
    table.scrolling.viewport().update(rect.adjusted(*cut))
    QApplication.processEvents()
    model.touch(5, 4, 5, 4)
    model.flush_touched()
    seen = on_screen(table, table.scrolling)
    assert seen == image_of(table.scrolling).convertToFormat(seen.format())


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_what_is_gone_leaves_no_trace_next_to_the_cells(
    table: LiveTable, model: RowsModel, theme: Theme, scheme: Scheme
) -> None:
    theme.choose_scheme(scheme)
    on_screen(table, table.scrolling)
    model.keep(rows=5, columns=4)
    seen = on_screen(table, table.scrolling)
    end = cell_rect(table.scrolling, 4, 3).bottomRight()
    grounds = {
        seen.pixelColor(x, y).name()
        for x in range(seen.width())
        for y in range(seen.height())
        if x > end.x() or y > end.y()
    }
    assert grounds == {theme.tokens.ground(SurfaceRole.PANEL)}


def test_a_cell_is_painted_without_what_lies_behind_the_table(
    table: LiveTable, model: RowsModel
) -> None:
    """A window has ten parts behind a table, each with a style of its own."""
    QApplication.processEvents()
    painted = list[QObject]()

    class Painted(QObject):
        def eventFilter(self, part: QObject, event: QEvent) -> bool:
            if event.type() is QEvent.Type.Paint:
                painted.append(part)
            return False

    watch = Painted()
    for part in (table, table.scrolling, table.scrolling.viewport()):
        part.installEventFilter(watch)
    model.put(3, 4, Cell("2.50"))
    model.flush_touched()
    QApplication.processEvents()
    assert painted == [table.scrolling.viewport()]
