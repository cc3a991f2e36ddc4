"""The Explain dock of a game."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.desk.explain.panel import ExplainPanel
from oddsdesk.desk.ui.theme.theme import Theme


@pytest.fixture
def panel(theme: Theme, quoted: Any, qtbot: QtBot) -> Iterator[ExplainPanel]:
    made = ExplainPanel(quoted.board, theme, quoted.clock)
    qtbot.addWidget(made)
    made.resize(316, 800)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close_panel()
