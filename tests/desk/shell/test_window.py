"""The window: never larger than the screen, room for the matrix, panels in turn."""

from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QLineEdit, QTabBar, QTableView
from pytestqt.qtbot import QtBot

from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.theme.theme import Theme

EDGE, TITLE = 8, 32
"""What desktops draw around a window."""


def make(theme: Theme, tmp_path: Path, qtbot: QtBot, width: int) -> MainWindow:
    window = MainWindow(theme, Layout(tmp_path / "desk.ini"))
    qtbot.addWidget(window)
    areas = Qt.DockWidgetArea
    window.put_dock("navigator", "Navigator", QLineEdit(), areas.LeftDockWidgetArea)
    window.put_dock("explain", "Explain", QLineEdit(), areas.RightDockWidgetArea)
    window.resize(width, 700)
    window.restore()
    return window


def test_the_window_fits_the_screen(theme: Theme, tmp_path: Path, qtbot: QtBot) -> None:
    window = MainWindow(theme, Layout(tmp_path / "desk.ini"))
    qtbot.addWidget(window)
    available = window.screen().availableGeometry()
    assert window.width() <= available.width() - 2 * EDGE
    assert window.height() <= available.height() - TITLE - EDGE


def test_the_menu_ends_with_quit(theme: Theme, tmp_path: Path, qtbot: QtBot) -> None:
    window = make(theme, tmp_path, qtbot, 1_280)
    window.end_menu(QAction("Quit", window))
    for name in ("Settings", "Bookmakers"):
        window.offer_in_menu(QAction(name, window))
    texts = [action.text() for action in window.menu.actions()]
    assert texts[-4:] == ["Settings", "Bookmakers", "", "Quit"]


def test_a_narrow_window_begins_without_the_panels_at_its_right(
    theme: Theme, tmp_path: Path, qtbot: QtBot
) -> None:
    shown = {
        width: [
            dock.objectName()
            for dock in make(theme, tmp_path / str(width), qtbot, width).panels()
            if not dock.isHidden()
        ]
        for width in (1_280, 1_680)
    }
    assert shown == {1_280: ["navigator"], 1_680: ["navigator", "explain"]}


def test_a_panel_is_moved_and_gets_the_focus(theme: Theme, tmp_path: Path, qtbot: QtBot) -> None:
    window = make(theme, tmp_path, qtbot, 1_680)
    with qtbot.waitExposed(window):
        window.show()
    dock = window.findChild(QDockWidget, "explain")
    assert dock is not None
    window.move_panel(dock, Qt.DockWidgetArea.LeftDockWidgetArea)
    assert window.dockWidgetArea(dock) is Qt.DockWidgetArea.LeftDockWidgetArea
    window.activateWindow()
    window.show_panel(dock)
    assert dock.widget().hasFocus()
    window.turn_panel(-1)
    assert not dock.widget().hasFocus()


def test_a_panel_behind_another_has_a_tab_and_is_passed_over_until_it_is_in_front(
    theme: Theme, tmp_path: Path, qtbot: QtBot
) -> None:
    window = MainWindow(theme, Layout(tmp_path / "desk.ini"))
    qtbot.addWidget(window)
    below = Qt.DockWidgetArea.BottomDockWidgetArea
    front, back = QLineEdit(), QLineEdit()
    window.put_dock("values", "Value bets", front, below)
    window.put_dock("opportunities", "Opportunities", back, below, behind="values")
    window.resize(900, 700)
    window.restore()
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    values, opportunities = window.panels()
    assert window.tabifiedDockWidgets(values) == [opportunities]
    assert not front.visibleRegion().isEmpty()
    window.turn_panel(1)
    assert front.hasFocus()
    window.turn_panel(1)
    assert not back.hasFocus()
    window.reveal(back)
    qtbot.waitUntil(lambda: not back.visibleRegion().isEmpty())
    assert front.visibleRegion().isEmpty()


def test_who_clicks_a_panels_tab_has_the_keyboard_there(
    theme: Theme, tmp_path: Path, qtbot: QtBot
) -> None:
    """Keys do other things elsewhere: L in the bets settles one as lost."""
    window = MainWindow(theme, Layout(tmp_path / "desk.ini"))
    qtbot.addWidget(window)
    below = Qt.DockWidgetArea.BottomDockWidgetArea
    front, back, bets = QLineEdit(), QLineEdit(), QLineEdit()
    window.put_dock("values", "Value bets", front, below)
    window.put_dock("opportunities", "Opportunities", back, below, behind="values")
    window.tabs.addTab(bets, "Bets")
    window.resize(900, 700)
    window.restore()
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    docks = next(bar for bar in window.findChildren(QTabBar) if bar is not window.tabs.tabBar())
    for bar, title, part in (
        (window.tabs.tabBar(), "Bets", bets),
        (docks, "Opportunities", back),
        (window.tabs.tabBar(), "Bets", bets),
        (docks, "Opportunities", back),
        (docks, "Value bets", front),
    ):
        index = next(each for each in range(bar.count()) if bar.tabText(each) == title)
        spot = bar.tabRect(index).center()
        qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=spot)
        qtbot.waitUntil(part.hasFocus)


def test_no_message_makes_the_window_higher(theme: Theme, tmp_path: Path, qtbot: QtBot) -> None:
    window = make(theme, tmp_path, qtbot, 900)
    table = QTableView()
    window.tabs.addTab(table, "Odds grid")
    with qtbot.waitExposed(window):
        window.show()
    qtbot.waitUntil(lambda: window.minimumHeight() > table.minimumSizeHint().height())
    window.resize(900, 1)
    lowest, had = window.height(), table.height()
    window.say("Not connected: prices are as last seen. " * 4, action="Try now")
    bar = window.findChild(MessageBar)
    assert bar is not None
    qtbot.waitUntil(lambda: table.height() < had)
    assert window.height() == lowest
    assert bar.height() >= bar.minimumSizeHint().height()
    assert bar.mapTo(window, bar.rect().bottomLeft()).y() < lowest


def test_a_folded_panel_that_needs_room_makes_no_window_wider_when_it_is_kept(
    theme: Theme, tmp_path: Path, qtbot: QtBot
) -> None:
    """A narrow window was wider at each next start, and after its layout was saved."""

    def start() -> MainWindow:
        window = MainWindow(theme, Layout(tmp_path / "desk.ini"))
        qtbot.addWidget(window)
        wide = QLineEdit(minimumWidth=400)
        window.put_dock(
            "explain", "Explain", wide, Qt.DockWidgetArea.RightDockWidgetArea, folds_empty=True
        )
        window.restore()
        with qtbot.waitExposed(window):
            window.show()
        return window

    window = start()
    window.resize(1_500, 600)
    window.arrange_first()
    qtbot.waitUntil(lambda: window.minimumWidth() < 300)
    window.resize(300, 500)
    kept = window.arrangement()
    assert window.width() == 300
    assert window.arrange(kept)
    assert window.width() == 300
    window.close()
    again = start()
    assert again.size() == QSize(300, 500)
    assert all(dock.isHidden() for dock in again.panels())
