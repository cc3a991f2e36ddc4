"""The matrix panel without prices, or with old ones: each state says so."""

from typing import Any

import msgspec
from pytestqt.qtbot import QtBot

from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.matrix.layout import BookmakerColumns
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.ui.controls.messages import Placeholder
from oddsdesk.desk.ui.states import state_without_rows, text_without_games, trouble_text
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.board import game
from tests.kit.matrix import LIVE, header_texts, said
from tests.kit.quoted_game import NOW_MS


def test_lost_prices_stay(panel: MatrixPanel, quoted: Any) -> None:
    quoted.board.set_connection(Connection(link=Link.WAITING, reason="The service is away"))
    assert panel.table.isVisible()


def test_before_its_prices_are_read_a_game_is_loading(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    board = Board(quoted.clock)
    board.set_connection(LIVE)
    panel = MatrixPanel(board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(panel)
    panel.show()
    assert "Loading the prices" in said(panel, Placeholder)
    panel.close_panel()


def test_a_game_that_the_service_does_not_know_is_not_loading_for_ever(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    """As one of yesterday's tabs, or a simulated one once there are real odds."""
    board = Board(quoted.clock)
    board.set_connection(LIVE)
    board.subscribe_game(quoted.id)
    board.end_game(quoted.id)
    panel = MatrixPanel(board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(panel)
    panel.show()
    assert "The service no longer shows this game." in said(panel, Placeholder)
    board.unsubscribe_game(quoted.id)
    assert not board.is_gone(quoted.id)
    panel.close_panel()


def test_each_state_looks_different(quoted: Any) -> None:
    matrix = quoted.board.matrix(quoted.id)
    states = [
        state_without_rows(None, LIVE, NOW_MS),
        state_without_rows(matrix, LIVE, NOW_MS),
        state_without_rows(None, Connection(link=Link.WAITING), NOW_MS),
        state_without_rows(None, Connection(link=Link.REFUSED), NOW_MS),
    ]
    assert len({state.icon for state in states}) == len(states)
    assert len({state.sentence for state in states}) == len(states)


def test_nothing_is_read_where_no_service_could_be_had() -> None:
    none = Connection(reason="it is served by another program")
    assert state_without_rows(None, none, NOW_MS).sentence == "Not connected."
    assert text_without_games(none, own_server=True) == "Not connected."
    assert state_without_rows(None, Connection(), NOW_MS).sentence.startswith("Loading")
    assert text_without_games(Connection(), own_server=True) == "Loading games…"


def test_a_refused_key_is_told_with_its_reason() -> None:
    text = trouble_text(Connection(link=Link.REFUSED, reason="The key was revoked."), NOW_MS)
    assert text.endswith("The key was revoked.")
    advised = Connection(link=Link.REFUSED, reason="unknown key", advice="Copy it again.")
    assert trouble_text(advised, NOW_MS).endswith("Unknown key. Copy it again.")
    assert state_without_rows(None, advised, NOW_MS).detail == "Unknown key. Copy it again."
    away = Connection(link=Link.WAITING, reason="no such host", advice="Check the address.")
    assert trouble_text(away, NOW_MS).endswith("No such host. Check the address.")
    assert trouble_text(LIVE, NOW_MS) == ""


def test_prices_that_come_no_more_are_trouble_though_the_service_answers() -> None:
    silent = Connection(link=Link.LIVE, silent_since_ms=NOW_MS - 208_000)
    said = (
        "No new price for 3 min in any game, though the service answers: prices are as last seen."
    )
    assert trouble_text(silent, NOW_MS) == said


def test_a_game_that_is_gone_offers_no_markets_and_counts_no_columns_until_it_is_back(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    quoted.load()
    board, counted = quoted.board, list[tuple[bool, str]]()
    board.set_connection(LIVE)
    board.subscribe_game(quoted.id)
    panel = MatrixPanel(board, theme, quoted.clock, quoted.id, columns)
    panel.resize(1_400, 600)
    qtbot.addWidget(panel)
    panel.show()
    panel.header.chips.choose_chip("totals")
    for turn in (lambda: None, lambda: gone(board, quoted.id), quoted.load):
        turn()
        qtbot.waitUntil(lambda: panel.table.isVisible() is not board.is_gone(quoted.id))
        panel._show_moment()
        counted.append((panel.header.chips.isVisible(), panel.header.columns.text()))
    assert counted == [(True, counted[0][1]), (False, "Columns ▾"), (True, counted[0][1])]
    assert panel.header.chips.chosen_chip == "totals"
    panel.close_panel()


def test_that_a_game_is_gone_is_said_at_once_and_not_only_when_its_prices_are_let_go(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    """It was "Live" above prices that were struck through, for half a minute."""
    quoted.load()
    board = quoted.board
    board.set_connection(LIVE)
    board.subscribe_game(quoted.id)
    board.load_games([msgspec.structs.replace(game(quoted.name), is_live=True)])
    panel = MatrixPanel(board, theme, quoted.clock, quoted.id, columns)
    panel.resize(1_400, 600)
    qtbot.addWidget(panel)
    panel.show()
    assert "Live" in header_texts(panel)
    board.end_game(quoted.id)
    panel._show_moment()
    assert "Live" not in header_texts(panel)
    assert any("no longer listed" in text for text in header_texts(panel))
    assert panel.table.isVisible()
    panel.close_panel()


def gone(board: Board, game_id: str) -> None:
    board.end_game(game_id)
    board.forget_game(game_id)
