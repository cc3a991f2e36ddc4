"""A key that is refused: what is wrong, what to do, and nothing that is not so."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QAction

from oddsdesk.board.board import Board
from oddsdesk.board.intake.connection_monitor import ConnectionMonitor
from oddsdesk.board.model.notices import Connection, Link, SnapshotProgress
from oddsdesk.client.diagnosis import advice
from oddsdesk.client.errors import ForbiddenError, ServiceError, UnauthorizedError
from oddsdesk.contract.access import ErrorCode
from oddsdesk.desk.grid import panel as grid_states
from oddsdesk.desk.grid.panel import GridPanel
from oddsdesk.desk.navigator.model import Favourites
from oddsdesk.desk.navigator.panel import Navigator
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.messages import ConnectionTrouble, MessageCenter
from oddsdesk.desk.shell.status_bar import link_text
from oddsdesk.desk.ui import states as matrix_states
from oddsdesk.desk.ui.controls.messages import MessageBar
from oddsdesk.desk.ui.formatting import local_time
from oddsdesk.desk.ui.states import refusal_of, text_without_games, trouble_text
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets import panel as values_states

FORBIDDEN = [code.value for code in ErrorCode if code.status == 403]
NO_BOOKMAKER = ForbiddenError("bookmaker_not_configured", "this account has chosen none", 403)


def refused_by(error: ServiceError, board: Board | None = None) -> Connection:
    """What the board knows of a connection whose list of games is refused."""
    board = board or Board(lambda: 0)
    ConnectionMonitor(board, lambda: 0).outcome("games", error, None)
    return board.connection


def test_each_code_has_its_own_sentence_and_says_what_to_do() -> None:
    heard = set()
    for code in FORBIDDEN:
        error = ForbiddenError(code, "no", 403)
        connection = Connection(Link.REFUSED, "no", code=code, advice=advice(error))
        sentence, detail = refusal_of(connection)
        assert sentence != refusal_of(Connection(Link.REFUSED)).sentence
        assert detail
        heard |= {sentence, detail}
    assert len(heard) == 2 * len(FORBIDDEN)


def test_a_known_key_without_a_bookmaker_is_not_told_to_be_kept_out() -> None:
    connection = refused_by(NO_BOOKMAKER)
    said = [
        " ".join(matrix_states.state_without_rows(None, connection, 0)[1:3]),
        " ".join(grid_states.state_without_rows(connection, SnapshotProgress(), 0, 0)[1:3]),
        " ".join(values_states.state_without_bets(connection, 0)[1:3]),
        text_without_games(connection, own_server=False),
        matrix_states.trouble_text(connection, 0, has_prices=False),
    ]
    for text in said:
        assert text == (
            "No bookmaker is chosen for this key. "
            "The Free plan shows one bookmaker: choose it where you got the key."
        )


@pytest.mark.parametrize("link", [Link.LIVE, Link.WAITING])
def test_without_requests_no_panel_says_that_there_is_nothing(link: Link) -> None:
    connection = Connection(
        link, "this key's requests are used up", code="rate_limit_exceeded", next_try_ms=0
    )
    said = [
        " ".join(matrix_states.state_without_rows(None, connection, 0)[1:3]),
        " ".join(grid_states.state_without_rows(connection, SnapshotProgress(), 0, 0)[1:3]),
        " ".join(values_states.state_without_bets(connection, 0)[1:3]),
        text_without_games(connection, own_server=False),
    ]
    back = f"{local_time(0):%H:%M}"
    for text in said:
        assert text == (f"No requests left. Loading continues when they reset at {back}.")
    if link is Link.LIVE:
        lack = f"no requests left: lists and games are not updated until {back}"
        assert link_text(connection, 0).endswith(f"changes a minute · {lack}")
        said = trouble_text(connection, 0)
        assert said.startswith(f"{lack.capitalize()}. Streamed prices still update")


def test_an_unknown_key_is_told_as_such() -> None:
    connection = refused_by(UnauthorizedError("unauthorized", "expected a valid key", 401))
    assert refusal_of(connection).sentence == "The service does not know this key."
    unnamed = refused_by(ForbiddenError("something_new", "we are closed", 403))
    assert refusal_of(unnamed).sentence == "The service refused this key."
    assert refusal_of(unnamed).detail.startswith("We are closed.")


def test_prices_are_as_last_seen_only_where_there_are_prices(
    theme: Theme, quoted: Any, qtbot
) -> None:
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    for board, expected in ((Board(quoted.clock), False), (quoted.board, True)):
        refused_by(NO_BOOKMAKER, board)
        trouble = ConnectionTrouble(MessageCenter(bar), board, quoted.clock)
        assert bar.message_text.startswith("No bookmaker is chosen for this key")
        assert ("as last seen" in bar.message_text) is expected
        trouble.close_panel()


def test_reading_that_does_not_happen_cannot_be_stopped(
    theme: Theme, quoted: Any, tmp_path: Path, qtbot
) -> None:
    panel = GridPanel(quoted.board, theme, Layout(tmp_path / "desk.ini"), quoted.clock)
    qtbot.addWidget(panel)
    assert not panel.bar.pause.isHidden()
    refused_by(NO_BOOKMAKER, quoted.board)
    assert panel.bar.pause.isHidden()
    panel.close_panel()


@pytest.fixture
def start() -> QAction:
    """What opens the desk's own server."""
    return QAction("Feeds, keys, backup…")


@pytest.fixture
def empty(quoted: Any) -> Board:
    """A board whose service was read and has nothing."""
    board = Board(quoted.clock)
    board.set_connection(Connection(Link.LIVE))
    board.set_snapshot_progress(SnapshotProgress(1, 1, 0, finished_at=quoted.clock()))
    return board


def test_an_empty_own_server_can_be_fed_from_the_grid(
    empty: Board, theme: Theme, start: QAction, tmp_path: Path, quoted: Any, qtbot
) -> None:
    panel = GridPanel(empty, theme, Layout(tmp_path / "desk.ini"), quoted.clock)
    qtbot.addWidget(panel)
    assert "The service has no prices now." in panel.placeholder._sentence.text()
    panel.offer_server(start)
    assert "Get live odds or import files" in panel.placeholder._detail.text()
    with qtbot.waitSignal(start.triggered):
        panel.placeholder._action.click()
    start.setEnabled(False)
    assert panel.placeholder._action.isHidden()
    panel.close_panel()


def test_an_empty_own_server_can_be_fed_from_the_navigator(
    empty: Board, theme: Theme, start: QAction, tmp_path: Path, quoted: Any, qtbot
) -> None:
    layout = Layout(tmp_path / "desk.ini")
    panel = Navigator(empty, theme, quoted.clock, Favourites(layout, quoted.clock), layout)
    qtbot.addWidget(panel)
    assert panel._feed.isHidden()
    panel.offer_server(start)
    assert "Get live odds or import files" in panel._empty.text()
    with qtbot.waitSignal(start.triggered):
        panel._feed.click()
    empty.set_connection(Connection(Link.CONNECTING))
    assert panel._feed.isHidden()
    assert panel._empty.text() == "Loading games…"
    panel.close_panel()
