"""Panels that the first prices do not wait for: when they are made, and where they stand then."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget, QLabel, QLineEdit, QSystemTrayIcon, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.contract.resources import Game
from oddsdesk.desk.alerts import controller
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import TRAY
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.docks import LatePanel, LatePanels
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.late_panels import late_ones


class Panel(QLineEdit):
    def close_panel(self) -> None:
        self.setText("closed")


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "desk.ini")


@pytest.fixture
def window(theme: Theme, layout: Layout, qtbot: QtBot) -> MainWindow:
    made = MainWindow(theme, layout)
    qtbot.addWidget(made)
    return made


def late(window: MainWindow, make: Callable[[], QWidget] = Panel) -> LatePanel[Any]:
    made = LatePanel(make, window.put_in_place)
    window.put_dock("bets", "Bets", made.part, Qt.DockWidgetArea.BottomDockWidgetArea)
    return made


def test_a_panel_is_made_once_and_stands_in_its_dock(window: MainWindow, qtbot: QtBot) -> None:
    shown = late(window)
    (dock,) = window.panels()
    with qtbot.waitExposed(window):
        window.show()
    assert shown.made is None
    panel = shown()
    assert shown() is panel is shown.part is dock.widget()
    assert panel.isVisible()


@pytest.mark.parametrize("in_front", [True, False])
def test_a_panel_stands_in_its_tab_and_the_one_in_front_stays_there(
    window: MainWindow, qtbot: QtBot, in_front: bool
) -> None:
    tabs: QTabWidget = window.tabs
    shown = LatePanel(Panel, window.put_in_place)
    before, behind = QLabel("before"), QLabel("behind")
    for title, part in (("Before", before), ("Bets", shown.part), ("Behind", behind)):
        tabs.addTab(part, title)
    tabs.setCurrentWidget(shown.part if in_front else behind)
    with qtbot.waitExposed(window):
        window.show()
    panel = shown()
    assert [tabs.tabText(place) for place in range(tabs.count())] == ["Before", "Bets", "Behind"]
    assert [tabs.widget(place) for place in range(tabs.count())] == [before, panel, behind]
    assert tabs.currentWidget() is (panel if in_front else behind)
    assert panel.isVisible() is in_front


def test_what_is_to_be_done_with_a_panel_is_done_as_soon_as_it_is_there(window: MainWindow) -> None:
    shown, done = late(window), []
    shown.then(lambda panel: done.append(("first", panel)))
    assert done == []
    panel = shown()
    shown.then(lambda panel: done.append(("second", panel)))
    assert done == [("first", panel), ("second", panel)]


def test_a_panel_that_is_gone_to_is_made_and_has_the_keyboard(
    window: MainWindow, qtbot: QtBot
) -> None:
    shown = late(window)
    (dock,) = window.panels()
    with qtbot.waitExposed(window):
        window.show()
    window.activateWindow()
    window.show_panel(dock)
    assert shown.made is not None
    qtbot.waitUntil(shown.made.hasFocus)


def test_panels_are_made_after_the_first_prices_those_in_sight_first(
    window: MainWindow, qtbot: QtBot
) -> None:
    made: list[str] = []

    def maker(name: str) -> Callable[[], QWidget]:
        def make() -> QWidget:
            made.append(name)
            return Panel()

        return make

    behind, seen = (LatePanel(maker(name), window.put_in_place) for name in ("behind", "seen"))
    window.tabs.addTab(seen.part, "Seen")
    window.tabs.addTab(behind.part, "Behind")
    with qtbot.waitExposed(window):
        window.show()
    panels, told = LatePanels(window, behind, seen), list[bool]()
    panels.begun.connect(lambda: told.append(True))
    for _ in range(2):
        panels.make_panels()
    qtbot.waitUntil(lambda: len(made) == 2)
    assert made == ["seen", "behind"]
    assert told == [True]
    panels.close_panels()
    assert [late().text() for late in (behind, seen)] == ["closed", "closed"]


def test_a_panel_that_cannot_be_made_keeps_none_of_the_others(
    window: MainWindow, qtbot: QtBot
) -> None:
    def fail() -> QWidget:
        raise RuntimeError("cannot be made")

    broken, sound = late(window, fail), LatePanel(Panel, window.put_in_place)
    window.tabs.addTab(sound.part, "Sound")
    panels = LatePanels(window, broken, sound)
    with qtbot.capture_exceptions() as errors:
        panels.make_panels()
        qtbot.waitUntil(lambda: sound.made is not None and len(errors) > 0)
    assert [str(error) for _, error, _ in errors] == ["cannot be made"]
    panels.close_panels()


@pytest.fixture
def desk(theme: Theme, quoted: Any, qtbot: QtBot, layout: Layout, tmp_path: Path) -> Iterator[Desk]:
    records = Records(tmp_path / "ledger.db")
    made = Desk(quoted.board, theme, layout, Preferences(layout), records, quoted.clock)
    qtbot.addWidget(made.window)
    yield made
    made.close_desk()
    records.close_records()


class Tray(QSystemTrayIcon):
    @staticmethod
    def isSystemTrayAvailable() -> bool:
        return True


def test_the_tray_is_asked_for_when_the_panels_are_made(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controller, "QSystemTrayIcon", Tray)
    assert desk.alerting.notifier._tray is None
    desk.late_panels.make_panels()
    assert desk.alerting.notifier._tray is not None


def test_a_tray_that_comes_or_goes_later_is_as_good_as_one_that_was_there(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asked for the tray gets it whenever there is one, and no window that never comes back."""
    desk._preferences.keep_setting(TRAY, True)
    desk.late_panels.make_panels()
    assert not desk.window.stays_running()
    monkeypatch.setattr(controller, "QSystemTrayIcon", Tray)
    assert desk.window.stays_running()
    assert desk.alerting.notifier._tray is not None
    monkeypatch.setattr(Tray, "isSystemTrayAvailable", lambda: False)
    assert not desk.window.stays_running()
    monkeypatch.setattr(Tray, "isSystemTrayAvailable", lambda: True)
    desk._preferences.keep_setting(TRAY, False)
    assert not desk.window.stays_running()


def test_the_first_prices_are_painted_before_any_panel_that_is_not_needed_for_them(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    there_before: list[object] = []
    desk.window.restore_window()
    desk.first_paint.painted.disconnect(desk.late_panels.make_panels)
    desk.first_paint.painted.connect(
        lambda: there_before.extend(late for late in late_ones(desk) if late.made is not None)
    )
    desk.first_paint.painted.connect(desk.late_panels.make_panels)
    with qtbot.waitExposed(desk.window):
        desk.window.show()
    with qtbot.waitSignal(desk.first_paint.painted, timeout=30_000):
        game = Game(quoted.id, quoted.name, quoted.competition, "Football", None, False, 4, None)
        quoted.board.load_games([game])
    assert there_before == []
    qtbot.waitUntil(lambda: all(late.made is not None for late in late_ones(desk)), timeout=30_000)
    assert len(late_ones(desk)) == 8


def test_a_dock_that_was_open_is_open_again_and_filled(
    desk: Desk, theme: Theme, quoted: Any, qtbot: QtBot, layout: Layout, tmp_path: Path
) -> None:
    desk.window.restore_window()
    with qtbot.waitExposed(desk.window):
        desk.window.show()
    desk.window.reveal(desk.alerting.panel())
    desk.window.close()
    records = Records(tmp_path / "other.db")
    again = Desk(quoted.board, theme, layout, Preferences(layout), records, quoted.clock)
    qtbot.addWidget(again.window)
    again.window.restore_window()
    with qtbot.waitExposed(again.window):
        again.window.show()
    dock = again.alerting.panel.part.parentWidget()
    assert isinstance(dock, QDockWidget)
    again.late_panels.make_panels()
    qtbot.waitUntil(lambda: again.alerting.panel.made is not None)
    assert dock.widget() is again.alerting.panel.made
    assert not dock.visibleRegion().isEmpty()
    again.close_desk()
    records.close_records()


def test_the_palette_knows_what_a_panel_can_do_before_it_is_there(desk: Desk) -> None:
    desk.window.show()
    assert desk.grid.made is None
    desk.around.actions.trigger("grid.group")
    assert desk.window.tabs.currentWidget() is desk.grid.made
    assert desk.grid().model.is_grouped


def test_where_a_service_is_away_panels_wait_for_no_prices(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    desk.window.show()
    quoted.board.set_connection(Connection(link=Link.CONNECTING))
    assert desk.late_panels.is_waiting
    quoted.board.set_connection(Connection(link=Link.REFUSED, reason="The key is unknown"))
    assert not desk.late_panels.is_waiting
    qtbot.waitUntil(lambda: desk.grid.made is not None, timeout=30_000)
