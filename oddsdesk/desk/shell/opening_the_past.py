"""Opens the past by itself where nothing else can be shown: an archive, an import of seasons."""

import asyncio

from PySide6.QtCore import QObject

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Link
from oddsdesk.board.notices import ConnectionChanged, Notice
from oddsdesk.clock import Clock
from oddsdesk.contract.times import WINDOW_MS
from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.desk.shell.looking_back import LookingBack
from oddsdesk.desk.ui.local_server import LocalServerError
from oddsdesk.desk.ui.time_format import moment_text
from oddsdesk.tasks import spawn


class PastOpener(QObject):
    """Looks once at each new connection; who came back to now stays there."""

    def __init__(
        self, looking_back: LookingBack, manager: ConnectionManager, board: Board, wall: Clock
    ) -> None:
        super().__init__()
        self._looking_back = looking_back
        self._manager = manager
        self._board = board
        self._wall = wall
        self._is_due = False
        self._asking: asyncio.Task[None] | None = None
        manager.entered.connect(self._on_manager_entered)
        self._unsubscribe = board.subscribe(self._on_board_notice, ConnectionChanged)

    def close(self) -> None:
        """Stop listening to the board."""
        self._unsubscribe()

    def show_imported(self, newest_ms: int) -> None:
        """Show what was imported of the past, unless real odds of now are shown."""
        if self._looking_back.at_ms is None and (
            not self._board.games or self._board.connection.simulated
        ):
            self._show(newest_ms, "The imported prices are from the past")

    def _show(self, newest_ms: int, why: str) -> None:
        self._looking_back.go_to(newest_ms)
        at = moment_text(newest_ms)
        self._looking_back.said.emit(f"{why}: shown as of {at}. Ctrl+Shift+J goes back to now.")

    def _on_manager_entered(self) -> None:
        self._is_due = True

    def _on_board_notice(self, _notice: Notice) -> None:
        connection = self._board.connection
        is_heard = connection.link in (Link.LIVE, Link.POLLING)
        if not (self._is_due and is_heard):
            return
        if connection.newest_ms is None:
            return
        self._is_due = False
        if self._wall() - connection.newest_ms > WINDOW_MS and not self._board.games:
            self._asking = spawn("desk: open the past", self._ask(connection.newest_ms))

    async def _ask(self, newest_ms: int) -> None:
        session = self._manager.session
        if session is None or session.local is None:
            return
        try:
            feeds = await session.local.feeds()
        except LocalServerError:
            return  # it is being left
        if not any(feed.is_running for feed in feeds) and self._looking_back.at_ms is None:
            self._show(newest_ms, "Nothing is offered now")
