"""Matrix and grid tell which price is current, so that it can be explained."""

from pathlib import Path
from typing import Any

from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.matrix import CellKey, RowKey
from oddsdesk.desk.grid.panel import GridPanel
from oddsdesk.desk.matrix.layout import FAIR, FIRST_BOOKMAKER, BookmakerColumns
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.theme.theme import Theme


def test_a_cell_of_the_matrix_is_about_its_price(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    panel = MatrixPanel(quoted.board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(panel)
    heard: list[RowKey | None] = []
    panel.price_selected.connect(heard.append)
    for row, column in ((1, FIRST_BOOKMAKER + 1), (1, FAIR), (0, FIRST_BOOKMAKER)):
        panel.table.set_current(row, column)
    everton = (quoted.id, "moneyline", 0, "Everton")
    assert heard == [RowKey(*everton, "Bovada"), RowKey(*everton, "Pinnacle"), None]
    panel.close_panel()


def test_a_row_of_the_grid_is_about_its_price(
    theme: Theme, quoted: Any, qtbot: QtBot, tmp_path: Path
) -> None:
    panel = GridPanel(quoted.board, theme, Layout(tmp_path / "desk.ini"), quoted.clock)
    qtbot.addWidget(panel)
    spy = QSignalSpy(panel.price_selected)
    quoted.board.keep_all_rows(True)
    qtbot.waitUntil(lambda: panel.model.total > 0, timeout=2_000)
    panel.model.arrange()
    row = next(row for row in range(panel.model.rowCount()) if panel.model.entry(row) is not None)
    panel.table.set_current(row)
    (key,) = spy.at(spy.count() - 1)
    assert key.game_id == quoted.id
    assert quoted.board.price(key.game_id, CellKey(*key[1:])) is not None
    panel.close_panel()
