"""Tab walks through the whole window as one reads it, and says where it is."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.board.matrix import RowKey
from oddsdesk.contract.resources import Game
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.tab_order import step_focus, stops_of
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.late_panels import make_all


@pytest.fixture
def desk(theme: Theme, quoted: Any, qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    layout = Layout(tmp_path / "desk.ini")
    records = Records(tmp_path / "ledger.db")
    made = Desk(quoted.board, theme, layout, Preferences(layout), records, quoted.clock)
    qtbot.addWidget(made.window)
    make_all(made)
    made.top_bar.show_connection("Embedded server")
    made.window.resize(1_680, 1_020)
    made.window.restore()
    made.around.favourites.toggle(quoted.id)
    game = Game(quoted.id, quoted.name, quoted.competition, "Football", None, False, 4, None)
    quoted.board.load_games([game])
    made.open_game_beside(quoted.id)
    made.explain().show_price(RowKey(quoted.id, "moneyline", 0, "Everton", "Bovada"))
    with qtbot.waitExposed(made.window):
        made.window.show()
    made.window.activateWindow()
    made.window.empty_panels.fill()
    qtbot.waitUntil(lambda: not made.window.empty_panels.is_waiting)
    yield made
    made.close()
    records.close()


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
