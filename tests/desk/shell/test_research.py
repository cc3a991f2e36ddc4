"""Backtest, scorecards and results open as tabs when they are asked for, and close."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QTabBar, QToolButton
from pytestqt.qtbot import QtBot

from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.connections import Connections
from oddsdesk.desk.shell.research import Research

Made = tuple[Desk, Connections]


def titles(desk: Desk) -> list[str]:
    tabs = desk.window.tabs
    return [tabs.tabText(index) for index in range(tabs.count())]


@pytest.mark.parametrize(
    ("ident", "title"),
    [("go.backtest", "Backtest"), ("go.scorecards", "Scorecards"), ("go.results", "Results")],
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
        assert made.window.windowTitle() == f"{title} – oddsdesk"
    button = tabs.tabBar().tabButton(tabs.currentIndex(), QTabBar.ButtonPosition.RightSide)
    assert isinstance(button, QToolButton)
    button.click()
    assert title not in titles(made)


def test_its_actions_bring_it_into_sight_and_say_where_no_log_is(desk: Made) -> None:
    made, _ = desk
    made.around.actions.trigger("backtest.run")
    panel: Any = made.window.tabs.currentWidget()
    assert panel is made.research.show_backtest()
    assert not panel.running.is_running
    sentence = panel.placeholder._state.sentence
    assert sentence == "This needs the built-in server."
    made.research.read_log_of(Path("odds.db"))
    assert panel.placeholder._state.action == "Run"


def test_tabs_that_were_open_are_there_at_the_next_start(desk: Made, qtbot: QtBot) -> None:
    made, _ = desk
    made.around.actions.trigger("go.scorecards")
    scorecards = titles(made)[-1]
    again = Research(
        made.window, made.research._board, made.research._theme, made.research._preferences,
        list, made.research._clock, made.research._layout,
    )  # fmt: skip
    made.window.tabs.removeTab(made.window.tabs.count() - 1)  # as the end of the program does
    before = made.window.tabs.currentWidget()
    again.read_log_of(Path("odds.db"))
    assert scorecards not in titles(made), "first prices come before"
    again._soon.timeout.emit()
    assert titles(made)[-1] == scorecards
    assert "Backtest" not in titles(made)
    assert made.window.tabs.currentWidget() is before
    again.read_log_of(None)
    tabs = made.window.tabs
    button = tabs.tabBar().tabButton(tabs.count() - 1, QTabBar.ButtonPosition.RightSide)
    assert isinstance(button, QToolButton)
    button.click()
    assert again._open.get_value() == []
    again.end_research()
