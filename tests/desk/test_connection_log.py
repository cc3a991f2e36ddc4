"""What the log says of the connection."""

import logging

import pytest
from msgspec.structs import replace

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link
from oddsdesk.desk.shell.messages import log_connection

NOW_MS = 1_776_340_800_000


def test_each_change_of_the_link_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    board = Board(lambda: NOW_MS)
    end = log_connection(board, lambda: NOW_MS)
    live = Connection(Link.LIVE, simulated=True)
    lost = Connection(Link.WAITING, "No answer", NOW_MS - 2_000, NOW_MS + 4_000, simulated=True)
    for connection in (live, replace(live, messages_per_minute=7), lost, live):
        board.set_connection(connection)
    end()
    board.set_connection(lost)
    assert caplog.messages == [
        "connection: live",
        "the odds are simulated",
        "Not connected: prices are as last seen. No answer. Away for 2 s. Next try in 4 s.",
        "connection: live",
    ]
