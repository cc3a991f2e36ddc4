"""The window: never larger than the screen, room for the matrix, panels in turn."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QLineEdit,
    QMainWindow,
    QPushButton,
    QTabBar,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.contract.resources import Game
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.window import MainWindow, step_focus, stops_of
from oddsdesk.desk.ui.controls.messages import MessageBar
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.late_panels import make_all

EDGE, TITLE = 8, 32
"""What desktops draw around a window."""


def make(theme: Theme, tmp_path: Path, qtbot: QtBot, width: int) -> MainWindow:
    window = MainWindow(theme, Layout(tmp_path / "desk.ini"))
    qtbot.addWidget(window)
    areas = Qt.DockWidgetArea
    window.put_dock("navigator", "Navigator", QLineEdit(), areas.LeftDockWidgetArea)
    window.put_dock("explain", "Explain", QLineEdit(), areas.RightDockWidgetArea)
    window.resize(width, 700)
    window.restore_window()
    return window


def test_the_window_fits_the_screen(theme: Theme, tmp_path: Path, qtbot: QtBot) -> None:
    window = MainWindow(theme, Layout(tmp_path / "desk.ini"))
    qtbot.addWidget(window)
    available = window.screen().availableGeometry()
    assert window.width() <= available.width() - 2 * EDGE
    assert window.height() <= available.height() - TITLE - EDGE


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
    window.restore_window()
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
    window.restore_window()
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
    window.show_message("Not connected: prices are as last seen. " * 4, action="Try now")
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
        window.restore_window()
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


@pytest.fixture
def desk(theme: Theme, quoted: Any, qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    layout = Layout(tmp_path / "desk.ini")
    records = Records(tmp_path / "ledger.db")
    made = Desk(quoted.board, theme, layout, Preferences(layout), records, quoted.clock)
    qtbot.addWidget(made.window)
    make_all(made)
    made.top_bar.show_connection("Built-in server")
    made.window.resize(1_680, 1_020)
    made.window.restore_window()
    made.around.favourites.toggle(quoted.id)
    game = Game(quoted.id, quoted.name, quoted.competition, "Football", None, False, 4, None)
    quoted.board.load_games([game])
    made.open_game_in_new_tab(quoted.id)
    made.explain().show_price(RowKey(quoted.id, "moneyline", 0, "Everton", "Bovada"))
    with qtbot.waitExposed(made.window):
        made.window.show()
    made.window.activateWindow()
    made.window.empty_panels.fill()
    qtbot.waitUntil(lambda: not made.window.empty_panels.is_waiting)
    yield made
    made.close_desk()
    records.close_records()


def walk(qtbot: QtBot, key: Qt.Key = Qt.Key.Key_Tab) -> list[QWidget]:
    """Press a key until it comes back to where it began."""
    first = focus()
    stops = [first]
    while True:
        qtbot.keyClick(focus(), key)
        if focus() is first:
            return stops
        assert focus() not in stops, "Tab goes in a smaller round"
        stops.append(focus())


def focus() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None
    return found


def part_of(desk: Desk, stop: QWidget) -> str:
    parts = {
        "top bar": desk.top_bar,
        "navigator": desk.navigator,
        "tabs": desk.window.tabs,
        "value bets": desk.values(),
        "explain": desk.explain(),
        "history": desk.history(),
        "status bar": desk.status_bar,
    }
    return next(name for name, part in parts.items() if part.isAncestorOf(stop) or part is stop)


@pytest.mark.parametrize("tab", ["game", "grid"])
def test_tab_goes_through_the_window_as_one_reads_it(desk: Desk, qtbot: QtBot, tab: str) -> None:
    if tab == "grid":
        desk.window.tabs.setCurrentWidget(desk.grid())
    step_focus([desk.top_bar], forward=True)
    stops = walk(qtbot)
    names = [QAccessible.queryAccessibleInterface(s).text(QAccessible.Text.Name) for s in stops]
    assert all(names)
    shown = [part_of(desk, stop) for stop in stops]
    assert [part for part, _ in groupby(shown)] == [
        "top bar",
        "navigator",
        "tabs",
        "value bets",
        "explain",
        "status bar",
    ]
    for part in set(shown):
        inside = [stop for stop, where in zip(stops, shown, strict=True) if where == part]
        assert inside == sorted(inside, key=line_and_place)
    table = desk.grid().bar.filter if tab == "grid" else desk.games.active_panel()
    assert table is not None
    assert any(table.isAncestorOf(stop) or stop is table for stop in stops)
    assert walk(qtbot, Qt.Key.Key_Backtab) == [stops[0], *reversed(stops[1:])]


def line_and_place(stop: QWidget) -> tuple[int, int]:
    """Lines of controls are at least this far apart."""
    corner = stop.mapTo(stop.window(), QPoint(0, stop.height() // 2 if stop.height() < 40 else 0))
    return corner.y() // 8, corner.x()


def test_a_panel_that_is_moved_is_reached_where_it_stands(desk: Desk, qtbot: QtBot) -> None:
    dock = desk.explain().parentWidget()
    assert isinstance(dock, QDockWidget)
    desk.window.move_panel(dock, Qt.DockWidgetArea.LeftDockWidgetArea)
    qtbot.wait(1)
    step_focus([desk.top_bar], forward=True)
    shown = [part_of(desk, stop) for stop in walk(qtbot)]
    parts = [part for part, _ in groupby(shown)]
    assert parts.index("explain") < parts.index("tabs")


def test_tab_goes_round_a_game_in_a_window_of_its_own(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    panel = desk.games.active_panel()
    assert panel is not None
    desk.games.detach(quoted.id)
    window = panel.window()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    step_focus([panel], forward=True)
    assert walk(qtbot) == stops_of(panel)


def test_lines_are_told_apart_by_height(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    body = QWidget()
    window.setCentralWidget(body)
    window.resize(400, 300)
    places = {"third": (10, 60), "second": (200, 14), "first": (20, 10), "hidden": (0, 0)}
    for name, place in places.items():
        button = QPushButton(name, body)
        button.setGeometry(*place, 80, 24)
        button.setVisible(name != "hidden")
    with qtbot.waitExposed(window):
        window.show()
    assert [stop.text() for stop in stops_of(body)] == ["first", "second", "third"]  # type: ignore[attr-defined]
    assert not step_focus([QWidget(body)], forward=True)
