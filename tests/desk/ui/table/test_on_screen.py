"""What stands on the screen is what a whole repaint would show, however little was repainted."""

from random import Random

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QTableView

from oddsdesk.desk.ui.table.cells import Cell
from oddsdesk.desk.ui.table.live_table import LiveTable
from tests.kit.live_table import RowsModel, image_of


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
    model.flush()


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
