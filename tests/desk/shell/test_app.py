"""The strip of the first start takes only the room that its text needs."""

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QTextEdit, QVBoxLayout, QWidget

from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.shell.app import Introduction
from tests.kit.layout_requests import LayoutRequests


@pytest.mark.parametrize("widths", [(600, 1_600), (1_600, 600)])
def test_it_is_as_high_as_its_text_however_wide_the_window_was(
    theme, preferences, quoted, qtbot, widths
):
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    strip = Introduction(theme, Board(quoted.clock), preferences, QAction())
    column.addWidget(strip)
    column.addWidget(QTextEdit(), 1)
    text = next(label for label in strip.findChildren(QLabel) if label.wordWrap())
    with qtbot.waitExposed(window):
        window.show()
    for width in widths:
        window.resize(width, 700)
        qtbot.waitUntil(lambda: text.height() == needed_lines(text) * text.fontMetrics().height())
    strip.close_panel()


def test_what_else_is_known_of_the_connection_lays_out_no_window(theme, preferences, quoted, qtbot):
    window, board = QWidget(), Board(quoted.clock)
    qtbot.addWidget(window)
    strip = Introduction(theme, board, preferences, QAction())
    QVBoxLayout(window).addWidget(strip)
    with qtbot.waitExposed(window):
        window.show()
    board.set_connection(Connection(Link.LIVE, simulated=True))
    (text,) = (label for label in strip.findChildren(QLabel) if label.wordWrap())
    assert "are simulated" in text.text()
    requests = LayoutRequests(window)
    board.set_connection(Connection(Link.LIVE, simulated=True, has_value_bets=True))
    assert requests.count() == 0
    board.set_connection(Connection(Link.LIVE, simulated=False))
    assert "are simulated" not in text.text()
    strip.close_panel()


def test_it_names_the_key_of_imports_only_where_files_can_be_imported(theme, preferences, quoted):
    importing = QAction()
    strip = Introduction(theme, Board(quoted.clock), preferences, importing)
    (text,) = (label for label in strip.findChildren(QLabel) if label.wordWrap())
    assert text.text().endswith("import your own files (Ctrl+I).")
    importing.setEnabled(False)
    assert text.text().endswith("import your own files into the built-in server.")
    strip.close_panel()


def needed_lines(text: QLabel) -> int:
    """Return in how many lines the text wraps at its width."""
    other = QLabel(text.text(), wordWrap=True)
    other.setFont(text.font())
    return other.heightForWidth(text.width()) // text.fontMetrics().height()
