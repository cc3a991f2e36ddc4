"""The navigator's two parts: as high as the user made them, and as texts need."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.desk.navigator.split import Split
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.theme.theme import Theme


def make(theme: Theme, layout: Layout, qtbot: QtBot, height: int = 700) -> Split:
    made = Split(theme, layout, QWidget(), QWidget())
    qtbot.addWidget(made)
    made.resize(240, height)
    with qtbot.waitExposed(made):
        made.show()
    return made


def drag(split: Split, by: int, qtbot: QtBot) -> None:
    handle = split.handle(1)
    left, spot = Qt.MouseButton.LeftButton, QPoint(100, 0)
    qtbot.mousePress(handle, left, pos=spot)
    qtbot.mouseMove(handle, spot + QPoint(0, by))
    qtbot.mouseRelease(handle, left, pos=spot + QPoint(0, by))


def test_what_the_user_moved_is_kept_without_a_farewell(
    theme: Theme, layout: Layout, qtbot: QtBot
) -> None:
    split = make(theme, layout, qtbot)
    assert split.sizes()[0] == 260
    drag(split, -60, qtbot)
    upper = split.sizes()[0]
    assert upper < 260
    qtbot.waitUntil(lambda: make(theme, layout, qtbot).sizes()[0] == upper)


def test_the_upper_part_grows_with_texts_and_leaves_games_half(
    theme: Theme, layout: Layout, qtbot: QtBot
) -> None:
    split = make(theme, layout, qtbot)
    for percent, upper in ((120, 312), (160, 350), (80, 208), (100, 260)):
        theme.zoom(percent)
        assert split.sizes()[0] == upper
    split.resize(240, 400)
    assert split.sizes()[0] == 260
