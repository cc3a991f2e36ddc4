"""Backtest and scorecards open as tabs when they are asked for, and close."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QTabBar, QToolButton

from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections

Made = tuple[Desk, Connections]


def titles(desk: Desk) -> list[str]:
    tabs = desk.window.tabs
    return [tabs.tabText(index) for index in range(tabs.count())]


@pytest.mark.parametrize(
    ("ident", "title"), [("go.backtest", "Backtest"), ("go.scorecards", "Bookmakers")]
)
def test_a_tab_comes_when_it_is_asked_for_and_goes_by_its_button(
    desk: Made, ident: str, title: str
) -> None:
    made, _ = desk
    tabs = made.window.tabs
    assert title not in titles(made)
    for _ in range(2):
        made.around.actions.trigger(ident)
        assert titles(made).count(title) == 1
        assert tabs.tabText(tabs.currentIndex()) == title
    button = tabs.tabBar().tabButton(tabs.currentIndex(), QTabBar.ButtonPosition.RightSide)
    assert isinstance(button, QToolButton)
    button.click()
    assert title not in titles(made)


def test_its_actions_bring_it_into_sight_and_say_where_no_log_is(desk: Made) -> None:
    made, _ = desk
    made.around.actions.trigger("backtest.run")
    panel: Any = made.window.tabs.currentWidget()
    assert panel is made.research.backtest()
    assert not panel.running.is_running
    sentence = panel.placeholder._state.sentence
    assert sentence == "The log of a service elsewhere cannot be gone through."
    made.research.read(Path("odds.db"))
    assert panel.placeholder._state.action == "Run"
