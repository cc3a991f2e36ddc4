"""Rows that the user marked are marked again after the grid showed another moment."""

from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import SnapshotProgress
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.panel import GridPanel
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.grid import PRICES

_Flag = QItemSelectionModel.SelectionFlag


@pytest.fixture
def panel(theme: Theme, layout: Layout, quoted: Any, qtbot: QtBot) -> Any:
    made = GridPanel(quoted.board, theme, layout, quoted.clock)
    qtbot.addWidget(made)
    quoted.board.keep_all_rows(True)
    with qtbot.waitExposed(made):
        made.show()
    qtbot.waitUntil(lambda: made.model.kept_count == PRICES)
    yield made
    made.close_panel()


def mark(panel: GridPanel, rows: tuple[int, ...]) -> list[RowKey | None]:
    """Select rows, the last one being current."""
    for row in rows:
        index, flags = panel.model.index(row, 2), _Flag.Select | _Flag.Rows
        panel.table.scrolling.selectionModel().setCurrentIndex(index, flags)
    return marked(panel)


def marked(panel: GridPanel) -> list[RowKey | None]:
    return [panel.model.key_at(row) for row in panel.table.selected_rows()]


def look_away(panel: GridPanel, quoted: Any, qtbot: QtBot) -> None:
    """Show another moment in which there is nothing."""
    quoted.board.forget_service()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 0)
    assert marked(panel) == []


def come_back(panel: GridPanel, quoted: Any, qtbot: QtBot) -> None:
    quoted.load()
    quoted.board.keep_all_rows(True)
    quoted.board.set_snapshot_progress(SnapshotProgress(1, 1, PRICES, finished_at=1))


@pytest.mark.parametrize("shape", Shape)
def test_they_are_marked_again_when_they_return_and_the_current_one_is_current(
    panel: GridPanel, quoted: Any, shape: Shape, qtbot: QtBot
) -> None:
    panel.bar.shapes.choose_chip(shape.value)
    before = mark(panel, (1, 3, 4))
    current = panel.model.key_at(panel.table.current_cell().row())
    told: list[RowKey | None] = []
    for _ in range(2):
        look_away(panel, quoted, qtbot)
    panel.price_selected.connect(told.append)
    come_back(panel, quoted, qtbot)
    qtbot.waitUntil(lambda: len(marked(panel)) == len(before))
    assert set(marked(panel)) == set(before)
    index = panel.table.current_cell()
    assert (panel.model.key_at(index.row()), index.column()) == (current, 2)
    assert told[-1] == current


def test_who_marks_another_row_meanwhile_has_that_one_only(
    panel: GridPanel, quoted: Any, qtbot: QtBot
) -> None:
    mark(panel, (1, 3))
    look_away(panel, quoted, qtbot)
    quoted.load()
    quoted.board.keep_all_rows(True)
    qtbot.waitUntil(lambda: panel.model.kept_count == PRICES)
    own = mark(panel, (0,))
    panel._marked.mark_again()
    assert marked(panel) == own
