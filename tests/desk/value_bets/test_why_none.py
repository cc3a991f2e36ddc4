"""An empty list says why it is empty, and offers what to do about it."""

from typing import Any

from msgspec.structs import replace
from pytestqt.qtbot import QtBot

from oddsdesk.board.board import Board
from oddsdesk.contract.resources import Game
from oddsdesk.desk.value_bets.panel import MISSES, ValuesPanel, state_of_prices
from tests.kit.value_bets import be_value, facts

MINUTE = 60_000


def words(panel: ValuesPanel) -> tuple[str, str, str]:
    state = panel._state()
    return state.sentence, state.detail, state.action


def test_bookmakers_of_mine_without_a_price_here_are_the_reason(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted)
    qtbot.waitUntil(lambda: facts(panel).startswith("1 · "))
    quoted.board.set_bookmakers(("Nobody Here",))
    qtbot.waitUntil(lambda: facts(panel).startswith("0 · "))
    sentence, detail, action = words(panel)
    assert sentence == "None of your bookmakers has prices here."
    assert "Matchbook" in detail or "more" in detail
    assert action == "My bookmakers…"
    with qtbot.waitSignal(panel.bookmakers_requested):
        panel.placeholder.action_requested.emit()
    panel.show_list(MISSES)
    assert words(panel)[0] == "None of your bookmakers has prices here."


def test_value_at_other_bookmakers_is_counted(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted)
    quoted.tell("Bovada", "total", "Over 2.5", 1.8)
    quoted.board.set_bookmakers(("Bovada",))
    qtbot.waitUntil(lambda: facts(panel).startswith("0 · "))
    assert words(panel) == (
        "No value bets at your bookmakers now.",
        "Other bookmakers have 1 value bet. Tick more to see them.",
        "My bookmakers…",
    )


def test_old_prices_are_the_reason(panel: ValuesPanel, quoted: Any) -> None:
    quoted.board.load_games([Game(quoted.id, "A - B", "EPL", "Football", None, False, 4, None)])
    now = quoted.clock.now
    connection = replace(quoted.board.connection, newest_ms=now - 40 * MINUTE)
    quoted.board.set_connection(connection)
    assert words(panel)[0] == "No new price for 40 min."
    assert "15 min" in words(panel)[1]


def test_without_any_game_it_says_so(quoted: Any) -> None:
    state = state_of_prices(Board(quoted.clock), quoted.clock.now)
    assert state.sentence == "Loading games…"
