"""The strip of the first start takes no more room than its text."""

import pytest
from PySide6.QtWidgets import QLabel, QTextEdit, QVBoxLayout, QWidget

from oddsdesk.board.board import Board
from oddsdesk.desk.shell.introduction import Introduction


@pytest.mark.parametrize("widths", [(600, 1_600), (1_600, 600)])
def test_it_is_as_high_as_its_text_however_wide_the_window_was(
    theme, preferences, quoted, qtbot, widths
):
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    strip = Introduction(theme, Board(quoted.clock), preferences)
    column.addWidget(strip)
    column.addWidget(QTextEdit(), 1)
    text = next(label for label in strip.findChildren(QLabel) if label.wordWrap())
    with qtbot.waitExposed(window):
        window.show()
    for width in widths:
        window.resize(width, 700)
        qtbot.waitUntil(lambda: text.height() == needed_lines(text) * text.fontMetrics().height())
    strip.close_panel()


def needed_lines(text: QLabel) -> int:
    """Return in how many lines the text wraps at its width."""
    other = QLabel(text.text(), wordWrap=True)
    other.setFont(text.font())
    return other.heightForWidth(text.width()) // text.fontMetrics().height()
