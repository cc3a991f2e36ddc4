"""What tests of the matrix panel share: the panel of a quoted game, and what is written on it."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from oddsdesk.board.connection import Connection, Link
from oddsdesk.desk.matrix.bookmakers import BookmakerColumns
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.ui.controls.placeholder import Placeholder
from oddsdesk.desk.ui.theme.theme import Theme

NOW_MS = 1_776_340_800_000
LIVE = Connection(link=Link.LIVE)


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


def said(panel: MatrixPanel, kind: type[Placeholder]) -> str:
    """Every text on show in a part of the panel."""
    part = panel.findChild(kind)
    if part is None or not part.isVisible():
        return ""
    return " ".join(label.text() for label in part.findChildren(QLabel) if label.isVisible())


def header_texts(panel: MatrixPanel) -> list[str]:
    return [label.text() for label in panel.header.findChildren(QLabel) if label.isVisible()]
