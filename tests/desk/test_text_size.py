"""The text size is stepped and put back, and rows grow with it."""

import pytest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.commands import TextSize
from oddsdesk.desk.ui.theme.theme import Theme


def test_text_grows_with_its_rows_and_stays_so(theme: Theme, layout: Layout, qtbot: QtBot) -> None:
    label = QLineEdit()
    qtbot.addWidget(label)
    label.setFont(theme.fonts.title)
    before, row = label.font().pointSizeF(), theme.fonts.row_height(22)
    size = TextSize(Preferences(layout), theme)
    for _ in range(20):
        size.step(1)
    assert theme.text_size == 160
    assert label.font().pointSizeF() == pytest.approx(before * 1.6)
    assert theme.fonts.row_height(22) > row * 1.4
    size.reset()
    assert label.font().pointSizeF() == pytest.approx(before)
