"""Looking at a moment of the past, going on from it and coming back: the desk's clock (D73)."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from PySide6.QtCore import QObject, Signal

from oddsdesk.board.board import Board
from oddsdesk.board.history_source import HistoryError
from oddsdesk.board.past import Past, PastLog
from oddsdesk.board.service_log import ServiceLog
from oddsdesk.client.client import Client
from oddsdesk.clock import MomentClock
from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.desk.ui.local_server import LocalServerError
from oddsdesk.desk.ui.time_format import local_time
from oddsdesk.tasks import spawn, stop

TICK_S: Final = 0.2
"""How often the past goes on while it is played."""
_LONGEST_TICK_S: Final = 1.0
"""What a tick counts for at most: on a machine that cannot keep up it plays slower."""
_NEARLY_NOW_MS: Final = 10_000
_NOW: Final = "This is now. Ctrl+J shows games of an earlier date, Alt+Left steps back."
_NOWHERE: Final = "Connect to a service first: without one there is no past to show."


class LookingBack(QObject):
    """Takes the desk to moments of the log and back to now, its own server's or another service's.

    One thing is done at a time; of moments that are wished for meanwhile the last one counts.
    """

    said = Signal(str)
    """Why something cannot be seen, or that the log ends, one line."""
    moved = Signal()
    """The moment is another one, or it is played or not, or otherwise fast."""
    jumped = Signal()
    """The moment is another one, and none that time led to: what says times says others now."""

    def __init__(self, manager: ConnectionManager, board: Board, clock: MomentClock) -> None:
        super().__init__()
        self._manager = manager
        self._board = board
        self._clock = clock
        self.speed = 1
        """How fast the past is played, beside real time."""
        self.game_in_front: Callable[[], str | None] = lambda: None
        """Returns the game that jumps and steps are about; None for every game."""
        self._past: Past | None = None
        self._of_service: ServiceLog | None = None
        self._turn = asyncio.Lock()
        self._going: asyncio.Task[None] | None = None
        self._playing: asyncio.Task[None] | None = None
        self._wished: int | None = None
        self._asking: set[asyncio.Task[None]] = set()
        manager.left.connect(self._on_manager_left)

    @property
    def at_ms(self) -> int | None:
        """The moment that is shown; None is now."""
        return self._clock.at

    @property
    def is_playing(self) -> bool:
        """Whether the past goes on by itself."""
        return self._playing is not None

    @property
    def log(self) -> PastLog | None:
        """The log that the past is read from; None where there is none to look back on."""
        session, client = self._manager.session, self._manager.client
        if session is not None and session.local is not None:
            return session.local.log
        if client is not None and self._of_service is None:
            front = lambda: self.game_in_front()  # noqa: E731 - which may be set later
            self._of_service = ServiceLog(client, self._board, self._clock.now, front)
        return self._of_service

    def show_day(self, day: date) -> None:
        """Show the games of a day as they stood at its end.

        Today is now; where nothing is fresh any more it is the newest prices, if they are of today.
        """
        at_ms, newest = end_of_day(day), self._board.connection.newest_ms
        if at_ms >= self._clock.now() and newest is not None and not self._board.games:
            at_ms = newest if local_time(newest).date() == day else at_ms
        self.go_to(at_ms)

    def go_to(self, at_ms: int) -> None:
        """Show a moment; what is to come is now."""
        if at_ms >= self._clock.now():
            self.return_to_now()
        elif self.log is None:
            self.said.emit(_NOWHERE)
        else:
            self._wished = at_ms
            if self._going is None or self._going.done():
                self._going = spawn("desk: look back", self._go())

    def return_to_now(self) -> None:
        """Show what is offered now."""
        self.pause()
        if self._clock.at is not None or self._wished is not None:
            self._wished = None
            before, self._going = self._going, None
            self._going = spawn("desk: back to now", self._return(before))
        else:
            self.said.emit(_NOW)

    def toggle(self) -> None:
        """Play the past, or pause."""
        if self.is_playing:
            self.pause()
        elif self._past is None:
            self.said.emit(_NOW)
        else:
            self._playing = spawn("desk: play the past", self._play(self._past))
            self.moved.emit()

    def pause(self) -> None:
        """Let the past stand where it is."""
        if self._playing is not None:
            self._playing = None  # it ends at its next look: a step is never torn
            self.moved.emit()

    def choose_speed(self, speed: int) -> None:
        """Play at another speed."""
        self.speed = speed
        self.moved.emit()

    def step(self, *, back: bool) -> None:
        """Go to the next move of the game in front, else of any, or to the last before."""
        self.pause()
        self._ask(self._step, back)

    def go_to_kick_off(self) -> None:
        """Go to the kick-off of the game in front, else to the next one of all games."""
        games, front = self._board.games, self.game_in_front()
        if front is not None:
            kick_offs = [games[front].kick_off] if front in games else []
        else:
            kick_offs = [game.kick_off for game in games.values()]
        now = self._clock()
        is_any = front is not None
        known = sorted(at for at in kick_offs if at is not None and (is_any or at > now))
        if not known or known[0] > self._clock.now():
            self.said.emit("No kick-off in the past is known.")
        else:
            self.go_to(known[0])

    def go_to_largest_move(self) -> None:
        """Go to where a price of the game in front moved most."""
        self._ask(self._go_to_largest)

    def go_to_newest(self) -> None:
        """Go to the newest price of the log."""
        self._ask(self._go_to_newest)

    async def close(self) -> None:
        """Cancel what is under way."""
        tasks = (self._going, self._playing, *self._asking)
        await stop(*(task for task in tasks if task is not None))

    async def _go(self) -> None:
        while (at_ms := self._wished) is not None:
            self._wished = None
            async with self._turn:
                await self._stand_at(at_ms)
            self.moved.emit()
            self.jumped.emit()

    async def _stand_at(self, at_ms: int) -> None:
        if self._past is not None:
            await self._past.go_to(at_ms)
            return
        log = self.log
        if log is None:
            return
        if isinstance(log, ServiceLog) and (why := await log.refusal(at_ms)):
            self.said.emit(why)
            return

        def read(client: Client) -> Past:
            self._past = Past(client, self._board, at_ms, log, self._set_clock)
            return self._past

        await self._manager.read_by(read)

    async def _return(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await stop(before)
        await self._manager.read_now()

    async def _play(self, past: Past) -> None:
        me, loop, newest = asyncio.current_task(), asyncio.get_running_loop(), 0
        before = loop.time()
        while True:
            await asyncio.sleep(TICK_S)
            passed_s, before = min(loop.time() - before, _LONGEST_TICK_S), loop.time()
            async with self._turn:
                if self._playing is not me:
                    return
                at_ms = self._clock() + round(passed_s * 1000 * self.speed)
                try:
                    newest = await self._newest() if at_ms >= newest else newest
                    await past.go_on(min(at_ms, newest))
                except HistoryError as error:
                    self.said.emit(str(error))
                    self.pause()
                    return
            self.moved.emit()
            if at_ms >= newest:
                self._end(newest)
                return

    def _end(self, newest: int) -> None:
        self.pause()
        if newest >= self._clock.now() - _NEARLY_NOW_MS:
            self.return_to_now()
        else:
            self.said.emit("The log ends here.")

    async def _newest(self) -> int:
        ends = None if self.log is None else await self.log.ends()
        return self._clock() if ends is None else min(ends[1], self._clock.now())

    async def _step(self, back: bool) -> None:
        assert self.log is not None
        if self._past is None and not back:
            self.said.emit("This is now.")
            return
        front = self.game_in_front()
        at_ms = await self.log.next_move(self._clock(), front, back=back)
        if at_ms is None:
            where = "of this game " if front else ""
            self.said.emit(f"No price {where}moved {'before' if back else 'after'} that.")
        elif back or self._past is None or at_ms >= self._clock.now():
            self.go_to(at_ms)
        else:  # by what moved: that is seen
            async with self._turn:
                await self._past.go_on(at_ms)
            self.moved.emit()

    async def _go_to_largest(self) -> None:
        front, log = self.game_in_front(), self.log
        if front is None or log is None:
            self.said.emit("Open a game to go to its largest move.")
        elif (at_ms := await log.largest_move(front)) is None:
            self.said.emit("No price of this game ever moved.")
        else:
            self.go_to(at_ms)

    async def _go_to_newest(self) -> None:
        assert self.log is not None
        ends = await self.log.ends()
        if ends is None:
            self.said.emit("Nothing was ever recorded here.")
        else:
            self.go_to(ends[1])

    def _ask(self, work: Callable[..., Coroutine[Any, Any, None]], *given: object) -> None:
        if self.log is None:
            self.said.emit(_NOWHERE)
            return

        async def done() -> None:
            try:
                await work(*given)
            except (HistoryError, LocalServerError) as error:
                self.said.emit(str(error))

        task = spawn("desk: look for a moment", done())
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    def _set_clock(self, at_ms: int) -> None:
        self._clock.at = at_ms

    def _on_manager_left(self) -> None:
        self.pause()
        self._past = self._of_service = None
        self._clock.at = None
        self.moved.emit()


def end_of_day(day: date) -> int:
    """Return the last millisecond of a day where the user is."""
    begin_of_next = datetime.combine(day + timedelta(days=1), time()).astimezone()
    return round(begin_of_next.timestamp() * 1000) - 1
