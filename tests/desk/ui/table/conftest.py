"""What tests of the live table share: a model whose cells they change, and a look at its pixels."""

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.live_table import RowsModel, rows_model
from tests.kit.quoted_game import Clock


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
