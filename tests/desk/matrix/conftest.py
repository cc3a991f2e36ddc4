"""The model and the panel of the matrix of a quoted game."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.desk.matrix.layout import BookmakerColumns
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.matrix import LIVE


@pytest.fixture
def panel(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> Iterator[MatrixPanel]:
    quoted.board.set_connection(LIVE)
    made = MatrixPanel(quoted.board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(made)
    made.resize(1_118, 600)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close_panel()


@pytest.fixture
def model(quoted: Any) -> MatrixModel:
    return MatrixModel(quoted.board, quoted.id, quoted.clock)
