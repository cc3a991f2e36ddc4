"""What is no word by itself says in its tooltip what it does, or what it holds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.ui.table.live_model import LiveModel
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.late_panels import make_all

SAY_THEMSELVES = {
    *("Selection", "Market", "Bookmaker", "Game", "Sport", "Competition", "Kick-off", "Note"),
    "Odds",
}
QTS_OWN = ("qt_", "ScrollLeftButton", "ScrollRightButton")
LEAST_WORDS = 2
MARKS = " ▾▴²"


@pytest.fixture
def window(theme: Theme, quoted: Any, qtbot: QtBot, tmp_path: Path) -> Iterator[QWidget]:
    layout = Layout(tmp_path / "desk.ini")
    records = Records(tmp_path / "ledger.db")
    desk = Desk(quoted.board, theme, layout, Preferences(layout), records, quoted.clock)
    qtbot.addWidget(desk.window)
    make_all(desk)
    desk.top_bar.show_connection("Built-in server")
    desk.open_game_in_new_tab(quoted.id)
    desk.research.show_backtest()
    desk.research.scorecards()
    desk.research.results()
    with qtbot.waitExposed(desk.window):
        desk.window.show()
    yield desk.window
    desk.close_desk()
    records.close_records()


def buttons(window: QWidget) -> list[QAbstractButton]:
    """Return the desk's buttons, those of tabs and panels that are not in front too."""
    found = window.findChildren(QAbstractButton)
    return [each for each in found if not each.objectName().startswith(QTS_OWN)]


def is_icon_only(button: QAbstractButton) -> bool:
    if button.icon().isNull():
        return False
    style = Qt.ToolButtonStyle.ToolButtonIconOnly
    is_tool = isinstance(button, QToolButton) and button.toolButtonStyle() is style
    return is_tool or not button.text()


def described(button: QAbstractButton) -> str:
    parent = button.parentWidget()
    where = "" if parent is None else f"{type(parent).__name__} {parent.accessibleName()!r}"
    return f"{button.text() or button.accessibleName()!r} in {where}"


def test_a_button_with_an_icon_only_says_what_it_does(window: QWidget) -> None:
    icons = [button for button in buttons(window) if is_icon_only(button)]
    assert len(icons) > 10
    assert [described(each) for each in icons if not each.toolTip().strip()] == []


def test_a_button_that_opens_a_menu_says_what_is_in_it(window: QWidget) -> None:
    menus = [each for each in buttons(window) if isinstance(each, QToolButton) and each.menu()]
    assert len(menus) > 5
    said = {described(each): each.toolTip() for each in menus}
    assert {name: tip for name, tip in said.items() if len(tip.split()) < LEAST_WORDS} == {}


def test_a_column_whose_title_is_no_whole_word_says_what_it_holds(window: QWidget) -> None:
    views = window.findChildren(QAbstractItemView)
    models = {id(view.model()): view.model() for view in views}
    tables = [model for model in models.values() if isinstance(model, LiveModel)]
    assert len(tables) > 7
    bare = []
    for model in tables:
        for column in range(model.columnCount()):
            title, tip = (
                str(model.headerData(column, Qt.Orientation.Horizontal, role) or "").rstrip(MARKS)
                for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
            )
            if title not in SAY_THEMSELVES and (tip == title or len(tip.split()) < LEAST_WORDS):
                bare.append((type(model).__name__, title, tip))
    assert bare == []
