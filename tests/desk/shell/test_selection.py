"""The price that is selected, when the board is filled with another moment or another service."""

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.window import focus_within, holds_focus
from tests.kit.board import game
from tests.kit.quoted_game import QuotedGame
from tests.kit.waiting import until


@pytest.fixture
async def made(desk: Any, quoted: QuotedGame, qtbot: QtBot) -> Desk:
    shown: Desk = desk[0]
    with qtbot.waitExposed(shown.window):
        shown.window.show()
    fill(quoted)
    return shown


def fill(quoted: QuotedGame) -> None:
    quoted.load()
    quoted.board.load_games([game(quoted.name), game("Other - Teams")])


def at_another_moment(desk: Desk, quoted: QuotedGame) -> None:
    desk.reset_desk()
    quoted.board.forget_service()
    fill(quoted)


def current(desk: Desk, game_id: str) -> RowKey | None:
    panel = desk.games.panel(game_id)
    assert isinstance(panel, MatrixPanel)
    index = panel.table.current_cell()
    return panel._model.price_key(index.row(), index.column()) if index.isValid() else None


async def test_the_price_selected_is_so_at_another_moment(made: Desk, quoted: QuotedGame) -> None:
    key = RowKey(quoted.id, "total", 0, "Under 2.5", "Matchbook")
    made.go_to_price(key)
    docks = [made.explain().parentWidget(), made.history().parentWidget()]
    assert made.explain()._key == made.history().model.key == key
    for _ in range(2):
        at_another_moment(made, quoted)
        assert current(made, quoted.id) == key
        assert made.explain()._key == made.history().model.key == key
    assert not made.window.messages._bar.isVisibleTo(made.window)
    made.reset_desk()
    made.enter_service()
    quoted.board.forget_service()
    fill(quoted)
    assert current(made, quoted.id) is None
    assert made.explain()._key is made.history().model.key is None
    assert all(dock.isHidden() for dock in docks)


async def test_a_price_that_was_not_there_then_is_found_again_later(
    made: Desk, quoted: QuotedGame
) -> None:
    key = RowKey(quoted.id, "total", 0, "Under 2.5", "Matchbook")
    made.go_to_price(key)
    made.reset_desk()
    quoted.board.forget_service()
    quoted.board.load_games([game("Other - Teams")])
    assert made.explain()._key is None
    at_another_moment(made, quoted)
    assert made.explain()._key == key
    await until(lambda: quoted.id in made.games.open_games)
    assert current(made, quoted.id) == key


async def test_the_keyboard_is_in_the_prices_again_at_another_moment_unless_it_went_elsewhere(
    made: Desk, quoted: QuotedGame, qtbot: QtBot
) -> None:
    with qtbot.waitActive(made.window):
        made.window.activateWindow()
    made.go_to_game(quoted.id)
    for _ in range(2):
        await until(lambda: holds_focus(made.games.panel(quoted.id)))
        at_another_moment(made, quoted)
    made.reset_desk()
    focus_within(made.navigator)
    quoted.board.forget_service()
    fill(quoted)
    assert quoted.id in made.games.open_games
    assert holds_focus(made.navigator)


async def test_who_looks_at_the_odds_grid_stays_there_at_another_moment(
    made: Desk, quoted: QuotedGame
) -> None:
    tabs = made.window.tabs
    made.open_game_in_new_tab(quoted.id)
    tabs.setCurrentWidget(made.grid())
    at_another_moment(made, quoted)
    await until(lambda: made.games.open_games == [quoted.id])
    assert tabs.currentWidget() is made.grid()


async def test_a_price_of_a_bookmaker_that_was_not_there_then_is_marked_again_on_return(
    made: Desk, quoted: QuotedGame
) -> None:
    """The best price was marked then, and stayed so."""
    key = RowKey(quoted.id, "total", 0, "Under 2.5", "Matchbook")
    made.go_to_price(key)
    now = quoted._markets
    quoted._markets = {
        market: {
            selection: {name: each for name, each in odds.items() if name != "Matchbook"}
            for selection, odds in rows.items()
        }
        for market, rows in now.items()
    }
    at_another_moment(made, quoted)
    assert current(made, quoted.id) is None
    quoted._markets = now
    at_another_moment(made, quoted)
    assert current(made, quoted.id) == made.explain()._key == key
