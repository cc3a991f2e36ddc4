"""What tests of the grid share: its model and its panel, of a quoted game."""

import pytest

from oddsdesk.desk.grid.model import GridModel
from oddsdesk.desk.grid.panel import GridPanel
from tests.kit.grid import PRICES


@pytest.fixture
def model(quoted, qtbot):
    quoted.board.keep_all_rows(True)
    made = GridModel(quoted.board, quoted.clock)
    quoted.board.keep_all_rows(True)
    qtbot.waitUntil(lambda: made.total == PRICES)
    made.arrange()
    yield made
    made.stop_listening()


@pytest.fixture
def make_panel(theme, layout, quoted, qtbot):
    made = []

    def make() -> GridPanel:
        panel = GridPanel(quoted.board, theme, layout, quoted.clock)
        made.append(panel)
        qtbot.addWidget(panel)
        quoted.board.keep_all_rows(True)
        qtbot.waitUntil(lambda: panel.model.book.price_rows.count_present == PRICES)
        panel.model.arrange()
        return panel

    yield make
    for panel in made:
        panel.close_panel()


@pytest.fixture
def panel(make_panel):
    return make_panel()
