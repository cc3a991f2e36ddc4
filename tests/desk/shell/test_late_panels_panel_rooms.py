"""The room of panels: what the user gave them is theirs again in a window as large as then."""

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QTreeWidget
from pytestqt.qtbot import QtBot

from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.theme.theme import Theme

WIDTH, HEIGHT = 760, 600
GIVEN = 300


@pytest.fixture
def window(theme: Theme, tmp_path: Path, qtbot: QtBot) -> MainWindow:
    made = make(theme, tmp_path / "desk.ini", qtbot)
    resize(made, WIDTH, HEIGHT, qtbot)
    return made


def make(theme: Theme, kept: Path, qtbot: QtBot) -> MainWindow:
    made = MainWindow(theme, Layout(kept))
    qtbot.addWidget(made)
    areas = Qt.DockWidgetArea
    made.put_dock("navigator", "Navigator", QTreeWidget(), areas.LeftDockWidgetArea)
    made.put_dock("values", "Value bets", QTreeWidget(), areas.BottomDockWidgetArea)
    made.restore_window()
    made.centralWidget().setMinimumSize(240, 200)
    with qtbot.waitExposed(made):
        made.show()
    return made


def resize(window: MainWindow, width: int, height: int, qtbot: QtBot) -> None:
    window.resize(width, height)
    qtbot.waitUntil(lambda: window.rooms._stands == window.size())


def drag(window: MainWindow, dock: QDockWidget, extent: int, way: Qt.Orientation) -> None:
    """Give a panel room, as who drags its edge does."""
    window.resizeDocks([dock], [extent], way)
    window.layout().activate()


def test_panels_have_the_room_again_that_the_user_gave_them(
    window: MainWindow, qtbot: QtBot
) -> None:
    navigator, values = window.panels()
    drag(window, navigator, GIVEN, Qt.Orientation.Horizontal)
    drag(window, values, GIVEN, Qt.Orientation.Vertical)
    for _ in range(2):
        resize(window, 400, 340, qtbot)
        assert navigator.width() < GIVEN
        assert values.height() < GIVEN
        resize(window, WIDTH, HEIGHT, qtbot)
        assert (navigator.width(), values.height()) == (GIVEN, GIVEN)


def test_in_a_smaller_window_a_panel_has_its_share(window: MainWindow, qtbot: QtBot) -> None:
    navigator, _ = window.panels()
    drag(window, navigator, GIVEN, Qt.Orientation.Horizontal)
    resize(window, 400, HEIGHT, qtbot)
    resize(window, WIDTH - 60, HEIGHT, qtbot)
    assert navigator.width() == GIVEN * (WIDTH - 60) // WIDTH


def test_what_the_user_makes_narrower_stays_so(window: MainWindow, qtbot: QtBot) -> None:
    navigator, _ = window.panels()
    drag(window, navigator, GIVEN, Qt.Orientation.Horizontal)
    resize(window, 700, HEIGHT, qtbot)
    drag(window, navigator, 160, Qt.Orientation.Horizontal)
    for width in (500, WIDTH):
        resize(window, width, HEIGHT, qtbot)
        assert navigator.width() == 160


def test_what_the_user_arranged_is_kept_without_a_farewell(
    window: MainWindow, theme: Theme, tmp_path: Path, qtbot: QtBot
) -> None:
    """A process that is killed closes no window."""
    navigator, values = window.panels()
    kept = tmp_path / "desk.ini"
    qtbot.waitUntil(kept.exists)
    drag(window, navigator, GIVEN, Qt.Orientation.Horizontal)
    values.hide()
    before = kept.read_bytes()
    qtbot.waitUntil(lambda: kept.read_bytes() != before)
    shutil.copy(kept, tmp_path / "read.ini")
    again = make(theme, tmp_path / "read.ini", qtbot)
    navigator, values = again.panels()
    assert navigator.width() == GIVEN
    assert values.isHidden()


def test_panels_grow_with_texts_as_far_as_tabs_keep_their_share(
    window: MainWindow, qtbot: QtBot
) -> None:
    navigator, values = window.panels()
    drag(window, navigator, 120, Qt.Orientation.Horizontal)
    drag(window, values, 160, Qt.Orientation.Vertical)
    window.rooms.fit_panels(100, 120)
    assert (navigator.width(), values.height()) == (144, 192)
    window.rooms.fit_panels(120, 240)
    assert (navigator.width(), values.height()) == (WIDTH * 22 // 100, HEIGHT * 40 // 100)
    window.rooms.fit_panels(240, 120)
    assert (navigator.width(), values.height()) == (144, 192)


def test_panels_that_have_more_than_that_keep_it(window: MainWindow, qtbot: QtBot) -> None:
    navigator, _ = window.panels()
    drag(window, navigator, 420, Qt.Orientation.Horizontal)
    window.rooms.fit_panels(100, 120)
    assert navigator.width() == 420
