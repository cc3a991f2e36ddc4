"""Explain and history take no room before a price is selected; what the user chose holds."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QLineEdit, QTextEdit
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.theme.theme import Theme

Make = Callable[[], MainWindow]


@pytest.fixture
def start(theme: Theme, tmp_path: Path, qtbot: QtBot) -> Make:
    """Opens a window as a start of the program does, each time with what the last one kept."""

    def made() -> MainWindow:
        window = MainWindow(theme, Layout(tmp_path / "desk.ini"))
        qtbot.addWidget(window)
        areas = Qt.DockWidgetArea
        window.put_dock("navigator", "Navigator", QLineEdit(), areas.LeftDockWidgetArea)
        for name in ("explain", "history"):
            right = areas.RightDockWidgetArea
            window.put_dock(name, name.title(), QTextEdit(), right, folds_empty=True)
        window.resize(1_680, 700)
        window.restore_window()
        window.resize(1_680, 700)
        with qtbot.waitExposed(window):
            window.show()
        return window

    return made


def dock(window: MainWindow, name: str) -> QDockWidget:
    found = window.findChild(QDockWidget, name)
    assert found is not None
    return found


def shown(window: MainWindow) -> list[str]:
    return [dock.objectName() for dock in window.panels() if not dock.isHidden()]


def is_waiting(window: MainWindow) -> bool:
    return window.empty_panels.is_waiting


def fill(window: MainWindow, qtbot: QtBot) -> None:
    window.empty_panels.fill()
    qtbot.waitUntil(lambda: not is_waiting(window))


def test_empty_panels_take_no_room_until_there_is_something_to_show(
    start: Make, qtbot: QtBot
) -> None:
    window = start()
    assert shown(window) == ["navigator"]
    assert window.tabs.width() > 1_400
    fill(window, qtbot)
    assert shown(window) == ["navigator", "explain", "history"]
    assert 300 < dock(window, "explain").width() < 400


def test_panels_come_after_the_time_of_a_double_click(start: Make) -> None:
    window = start()
    window.empty_panels.fill()
    assert shown(window) == ["navigator"]


def test_a_panel_that_was_closed_stays_closed(start: Make, qtbot: QtBot) -> None:
    window = start()
    fill(window, qtbot)
    dock(window, "explain").toggleViewAction().trigger()
    window.empty_panels.empty()
    assert shown(window) == ["navigator"]
    fill(window, qtbot)
    assert shown(window) == ["navigator", "history"]


def test_a_panel_that_was_opened_empty_and_closed_again_stays_closed(
    start: Make, qtbot: QtBot
) -> None:
    window = start()
    for _ in range(2):
        dock(window, "explain").toggleViewAction().trigger()
    fill(window, qtbot)
    assert shown(window) == ["navigator", "history"]


def test_what_is_folded_is_kept_as_open_and_what_is_closed_as_closed(
    start: Make, qtbot: QtBot
) -> None:
    window = start()
    fill(window, qtbot)
    dock(window, "history").hide()
    window.empty_panels.empty()
    for _ in range(2):  # it is kept of panels that were not shown since, too
        window.close()
        window = start()
        assert shown(window) == ["navigator"]
    fill(window, qtbot)
    assert shown(window) == ["navigator", "explain"]


def test_a_layout_saved_with_empty_panels_has_them_open(start: Make, qtbot: QtBot) -> None:
    window = start()
    docks = window.arrangement()
    assert shown(window) == ["navigator"]
    fill(window, qtbot)
    for name in ("navigator", "explain"):
        dock(window, name).hide()
    assert window.arrange(docks)
    assert shown(window) == ["navigator", "explain", "history"]


async def test_a_selected_price_brings_the_panels_and_another_service_takes_them_away(
    desk: tuple[Desk, Connections], qtbot: QtBot
) -> None:
    made, _ = desk
    window = made.window
    window.resize(1_680, 900)
    window.arrange_first()
    with qtbot.waitExposed(window):
        window.show()
    assert not {"explain", "history"} & set(shown(window))
    made.grid().price_selected.emit(None)
    assert not is_waiting(window)
    made.open_game("game")
    panel = made.games.active_panel()
    assert panel is not None
    key = RowKey("game", "moneyline", 0, "Everton", "Bovada")
    panel.price_selected.emit(key)  # type: ignore[attr-defined]
    assert is_waiting(window)
    made.reset_desk()
    made.enter_service()
    assert not is_waiting(window)
