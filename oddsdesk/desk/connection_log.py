"""What becomes of the connection, in the log: the first thing that a bug report is read for."""

import logging
from collections.abc import Callable

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.notices import ConnectionChanged, Notice
from oddsdesk.clock import Clock
from oddsdesk.desk.panels.matrix_states import trouble_text

_log = logging.getLogger(__name__)


def log_connection(board: Board, clock: Clock) -> Callable[[], None]:
    """Log each change of the link, and that odds are simulated, until the answer is called."""
    link: Link | None = None
    simulated: bool | None = None

    def on_board_notice(notice: Notice) -> None:
        nonlocal link, simulated
        if not isinstance(notice, ConnectionChanged):
            return
        connection = board.connection
        if connection.link is not link:
            link = connection.link
            _log.info("%s", _link_text(connection, clock()))
        if connection.simulated and not simulated:
            _log.info("the odds are simulated")
        simulated = connection.simulated

    return board.subscribe(on_board_notice)


def _link_text(connection: Connection, now_ms: int) -> str:
    if trouble := trouble_text(connection, now_ms):
        return trouble
    reason = f" ({connection.reason})" if connection.reason else ""
    return f"connection: {connection.link.value}{reason}"
