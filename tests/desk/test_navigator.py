"""The navigator by keyboard: type, go down, open."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from oddsdesk.contract.resources import Game
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.layout import Layout
from oddsdesk.desk.models.games import GAME_ROLE
from oddsdesk.desk.panels.navigator import Navigator
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.watch_list import WatchList


def game(number: int, name: str, kick_off: int) -> Game:
    return Game(f"id{number}", name, "EPL", "Football", format_ms(kick_off), False, 5, None)


@pytest.fixture
def navigator(quoted: Any, theme: Theme, layout: Layout, qtbot: QtBot) -> Navigator:
    made = Navigator(quoted.board, theme, quoted.clock, WatchList(layout, quoted.clock))
    qtbot.addWidget(made)
    now = quoted.clock.now
    names = ("Everton - Liverpool", "Arsenal - Chelsea", "Leeds - Everton")
    quoted.board.load_games(game(n, name, now + n * 1_000) for n, name in enumerate(names, 1))
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_down_from_the_filter_chooses_the_first_game_and_enter_opens_it(
    navigator: Navigator, qtbot: QtBot
) -> None:
    opened: list[str] = []
    navigator.game_requested.connect(opened.append)
    navigator.filter.setFocus()
    qtbot.keyClicks(navigator.filter, "ever")
    qtbot.keyClick(navigator.filter, Qt.Key.Key_Down)
    chosen = navigator._list.selectionModel().selectedIndexes()
    assert [index.data(GAME_ROLE).game_id for index in chosen] == ["id1"]
    qtbot.keyClick(navigator._list, Qt.Key.Key_Down)
    qtbot.keyClick(navigator._list, Qt.Key.Key_Return)
    assert opened == ["id3"]
