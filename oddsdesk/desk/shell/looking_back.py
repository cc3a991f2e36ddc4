"""Looking at a moment of the past and coming back: the desk's clock, and what it reads."""

import asyncio
from datetime import date, datetime, time, timedelta

from PySide6.QtCore import QObject, Signal

from oddsdesk.board.board import Board
from oddsdesk.board.past import Past
from oddsdesk.client.client import Client
from oddsdesk.clock import MomentClock
from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.tasks import spawn, stop


class LookingBack(QObject):
    """Takes the desk to the end of a day and back to now; only its own server keeps the past."""

    said = Signal(str)
    """Why the past cannot be seen, one line."""

    def __init__(self, manager: ConnectionManager, board: Board, clock: MomentClock) -> None:
        super().__init__()
        self._manager = manager
        self._board = board
        self._clock = clock
        self._going: asyncio.Task[None] | None = None
        manager.left.connect(self._on_manager_left)

    @property
    def can_look_back(self) -> bool:
        """Whether what the desk is connected to answers for the past."""
        session = self._manager.session
        return session is not None and session.local is not None

    def show_day(self, day: date) -> None:
        """Show the games of a day as they stood at its end; today is now."""
        at_ms = end_of_day(day)
        if at_ms >= self._clock.now():
            self.return_to_now()
        elif self.can_look_back:
            self._go(at_ms)
        else:
            self.said.emit("Games of a date are shown of the desk's own server only.")

    def return_to_now(self) -> None:
        """Show what is offered now."""
        if self._clock.at is not None:
            self._go(None)

    async def close(self) -> None:
        """Cancel what is under way."""
        if self._going is not None:
            await stop(self._going)

    def _go(self, at_ms: int | None) -> None:
        before, self._going = self._going, None
        self._going = spawn("desk: look back", self._gone(at_ms, before))

    async def _gone(self, at_ms: int | None, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await stop(before)
        if at_ms is None:
            await self._manager.read_now()
            return

        def read(client: Client) -> Past:
            self._clock.at = at_ms
            return Past(client, self._board, at_ms)

        await self._manager.read_by(read)

    def _on_manager_left(self) -> None:
        self._clock.at = None


def end_of_day(day: date) -> int:
    """Return the last millisecond of a day where the user is."""
    begin_of_next = datetime.combine(day + timedelta(days=1), time()).astimezone()
    return round(begin_of_next.timestamp() * 1000) - 1
