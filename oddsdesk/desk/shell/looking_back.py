"""Looking at a moment of the past, going on from it and coming back: the desk's clock."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject, Qt, Signal

from oddsdesk.base.clock import Clock, MomentClock
from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.base.texts import _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.history.past import Past, PastLog, ServiceLog
from oddsdesk.board.history.sources import HistoryError
from oddsdesk.board.model.notices import ConnectionChanged, Link, Notice
from oddsdesk.client.client import Client
from oddsdesk.contract.administration import LocalServerError
from oddsdesk.contract.times import WINDOW_MS
from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.desk.shell.status_bar import StatusBar
from oddsdesk.desk.ui.actions import Actions
from oddsdesk.desk.ui.formatting import local_time, moment_text
from oddsdesk.desk.ui.theme.theme import Theme

if TYPE_CHECKING:
    from oddsdesk.desk.timeline import Span, TimeLine

TICK_S: Final = 0.2
"""The interval of updates while the past is playing."""
_LONGEST_TICK_S: Final = 1.0
"""The longest tick, so that a slow machine plays slower."""
_NEARLY_NOW_MS: Final = 10_000
_NOW: Final = _(
    "These are the current prices. Ctrl+J shows a past day, Alt+Left steps back one price move."
)
_NOWHERE: Final = _("Connect to a service first: the past is read from it.")


class LookingBack(QObject):
    """Shows past moments of the built-in server's log or of a service, and returns to now.

    One move is made at a time; of several requests meanwhile, only the last one counts.
    """

    said = Signal(str)
    """A message in one line: why something cannot be shown, or that the log ends."""
    moved = Signal()
    """The moment, the speed, or whether it is playing has changed."""
    jumped = Signal()
    """The moment has changed by a jump, so all displayed times have changed."""

    def __init__(self, manager: ConnectionManager, board: Board, clock: MomentClock) -> None:
        super().__init__()
        self._manager = manager
        self._board = board
        self._clock = clock
        self.speed = 1
        """The playing speed as a multiple of real time."""
        self.game_in_front: Callable[[], str | None] = lambda: None
        """Returns the game that jumps and steps apply to; None for all games."""
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
        """The moment shown; None for now."""
        return self._clock.at

    @property
    def is_playing(self) -> bool:
        """Whether the past is playing."""
        return self._playing is not None

    @property
    def log(self) -> PastLog | None:
        """The log of the past; None if there is none."""
        session, client = self._manager.session, self._manager.client
        if session is not None and session.local is not None:
            return session.local.log
        if client is not None and self._of_service is None:
            front = lambda: self.game_in_front()  # noqa: E731 - which may be set later
            self._of_service = ServiceLog(client, self._board, self._clock.now, front)
        return self._of_service

    def show_day(self, day: date) -> None:
        """Show the closing view of a day.

        Today means now, or the newest prices if they are from today but no longer fresh.
        """
        at_ms, newest = end_of_day(day), self._board.connection.newest_ms
        if at_ms >= self._clock.now() and newest is not None and not self._board.games:
            at_ms = newest if local_time(newest).date() == day else at_ms
        self.go_to(at_ms)

    def go_to(self, at_ms: int) -> None:
        """Show a moment; the future means now."""
        if at_ms >= self._clock.now():
            self.return_to_now()
        elif self.log is None:
            self.said.emit(_NOWHERE)
        else:
            self._wished = at_ms
            if self._going is None or self._going.done():
                self._going = spawn("desk: look back", self._go())

    def return_to_now(self) -> None:
        """Show current prices."""
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
        """Pause playing."""
        if self._playing is not None:
            self._playing = None  # the task ends after its current step
            self.moved.emit()

    def choose_speed(self, speed: int) -> None:
        """Set the playing speed."""
        self.speed = speed
        self.moved.emit()

    def step(self, *, back: bool) -> None:
        """Go to the next or previous price move of the front game, or of any game."""
        self.pause()
        self._ask(self._step, back)

    def go_to_kick_off(self) -> None:
        """Go to the kick-off of the front game, or to the next one of all games."""
        games, front = self._board.games, self.game_in_front()
        if front is not None:
            kick_offs = [games[front].kick_off] if front in games else []
        else:
            kick_offs = [game.kick_off for game in games.values()]
        now = self._clock()
        is_any = front is not None
        known = sorted(at for at in kick_offs if at is not None and (is_any or at > now))
        if not known or known[0] > self._clock.now():
            self.said.emit(_("No past kick-off is known."))
        else:
            self.go_to(known[0])

    def go_to_largest_move(self) -> None:
        """Go to the largest price move of the front game."""
        self._ask(self._go_to_largest)

    def go_to_newest(self) -> None:
        """Go to the newest price of the log."""
        self._ask(self._go_to_newest)

    async def cancel_looking_back(self) -> None:
        """Cancel all tasks."""
        tasks = (self._going, self._playing, *self._asking)
        await cancel_tasks(*(task for task in tasks if task is not None))

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
        if isinstance(log, ServiceLog) and (why := await log.why_not_shown(at_ms)):
            self.said.emit(translated(why))
            return

        def read_past(client: Client) -> Past:
            self._past = Past(client, self._board, at_ms, log, self._set_clock)
            return self._past

        await self._manager.read_by(read_past)

    async def _return(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await cancel_tasks(before)
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
                    self.said.emit(translated(str(error)))
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
            self.said.emit(_("The log ends here."))

    async def _newest(self) -> int:
        ends = None if self.log is None else await self.log.ends()
        return self._clock() if ends is None else min(ends[1], self._clock.now())

    async def _step(self, back: bool) -> None:
        assert self.log is not None
        if self._past is None and not back:
            self.said.emit(_("These are the current prices."))
            return
        front = self.game_in_front()
        at_ms = await self.log.move_after(self._clock(), front, back=back)
        if at_ms is None:
            self.said.emit(_no_move(back, is_in_game=bool(front)))
        elif back or self._past is None or at_ms >= self._clock.now():
            self.go_to(at_ms)
        else:  # forward by single moves, which are shown
            async with self._turn:
                await self._past.go_on(at_ms)
            self.moved.emit()

    async def _go_to_largest(self) -> None:
        front, log = self.game_in_front(), self.log
        if front is None or log is None:
            self.said.emit(_("Open a game to go to its largest move."))
        elif (at_ms := await log.largest_price_move(front)) is None:
            self.said.emit(_("No price has moved in this game."))
        else:
            self.go_to(at_ms)

    async def _go_to_newest(self) -> None:
        assert self.log is not None
        ends = await self.log.ends()
        if ends is None:
            self.said.emit(_("Nothing has been recorded here."))
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
                self.said.emit(translated(str(error)))

        task = spawn("desk: find a moment", done())
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
    """Return the last millisecond of a day in local time."""
    begin_of_next = datetime.combine(day + timedelta(days=1), time()).astimezone()
    return round(begin_of_next.timestamp() * 1000) - 1


class PastOpener(QObject):
    """Shows the past once for a new connection that has only old prices."""

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

    def stop_opener(self) -> None:
        """Stop listening to the board."""
        self._unsubscribe()

    def show_imported(self, newest_ms: int) -> None:
        """Show imported old prices, unless current real odds are shown."""
        if self._looking_back.at_ms is None and (
            not self._board.games or self._board.connection.simulated
        ):
            self._show(newest_ms, _("All imported prices are from the past"))

    def _show(self, newest_ms: int, why: str) -> None:
        self._looking_back.go_to(newest_ms)
        at = moment_text(newest_ms)
        self._looking_back.said.emit(
            _("{why}. You see them as of {at}; Ctrl+Shift+J goes back to now.").format(
                why=why, at=at
            )
        )

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
            feeds = await session.local.feed_reports()
        except LocalServerError:
            return  # it is being disconnected
        if not any(feed.is_running for feed in feeds) and self._looking_back.at_ms is None:
            self._show(newest_ms, _("There are only past prices"))


class TimeControl(QObject):
    """Shows the time line while the desk shows the past."""

    def __init__(
        self,
        looking_back: LookingBack,
        theme: Theme,
        status_bar: StatusBar,
        actions: Actions,
        game_in_front: Callable[[], str | None],
    ) -> None:
        super().__init__(status_bar)
        self._looking_back = looking_back
        self._theme = theme
        self._status_bar = status_bar
        self._actions = actions
        self._line: TimeLine | None = None
        self._reading: asyncio.Task[None] | None = None
        self._wanted: Span | None = None
        looking_back.game_in_front = game_in_front
        self._bind()
        looking_back.moved.connect(self._show)

    @property
    def time_line(self) -> "TimeLine":
        """The time line, made when first needed."""
        if self._line is None:
            self._line = self._make_line()
        return self._line

    def _make_line(self) -> "TimeLine":
        from oddsdesk.desk.timeline import TimeLine  # noqa: PLC0415 - late

        past, line, actions = self._looking_back, TimeLine(self._theme), self._actions
        line.hide()
        self._status_bar.put_time_line(line)
        line.offer_moments(
            [actions[name] for name in ("past.kick_off", "past.largest", "past.newest")]
        )
        buttons = (
            (line.play, "past.play"),
            (line.back, "past.back"),
            (line.forward, "past.forward"),
            (line.now, "past.now"),
        )
        for button, name in buttons:
            button.clicked.connect(actions[name].trigger)
        line.span_shown.connect(self._on_line_span_shown)
        line.speed_chosen.connect(past.choose_speed)
        line.strip.moment_wanted.connect(past.go_to)
        line.strip.now_wanted.connect(past.return_to_now)
        return line

    def _bind(self) -> None:
        past, bind = self._looking_back, self._actions.bind
        bind("past.kick_off", past.go_to_kick_off)
        bind("past.largest", past.go_to_largest_move)
        bind("past.newest", past.go_to_newest)
        bind("past.play", past.toggle)
        bind("past.back", lambda: past.step(back=True))
        bind("past.forward", lambda: past.step(back=False))
        bind("past.now", past.return_to_now)
        bind("past.faster", lambda: self._change_speed(1))
        bind("past.slower", lambda: self._change_speed(-1))
        bind("past.line", self._focus)

    def _show(self) -> None:
        past = self._looking_back
        if past.at_ms is None and self._line is None:
            return
        line = self.time_line
        line.show_playing(playing=past.is_playing, speed=past.speed)
        if past.at_ms is not None:
            line.show_moment(past.at_ms)
        elif line.strip.hasFocus():
            line.window().setFocus(Qt.FocusReason.OtherFocusReason)
        line.setVisible(past.at_ms is not None)

    def _change_speed(self, step: int) -> None:
        from oddsdesk.desk.timeline import SPEEDS  # noqa: PLC0415 - late

        place = SPEEDS.index(self._looking_back.speed) + step
        self._looking_back.choose_speed(SPEEDS[min(max(place, 0), len(SPEEDS) - 1)])

    def _focus(self) -> None:
        if self._line is not None and self._line.isVisible():
            self._line.strip.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self._looking_back.toggle()  # shows a message on how to view the past

    def _on_line_span_shown(self, span: "Span") -> None:
        self._wanted = span
        if self._reading is None or self._reading.done():
            self._reading = spawn("desk: read the time line", self._read())

    async def _read(self) -> None:
        """Read the latest requested span until none is waiting."""
        from oddsdesk.desk.timeline import PARTS  # noqa: PLC0415 - late

        while (span := self._wanted) is not None and (log := self._looking_back.log) is not None:
            self._wanted = None
            try:
                ends = await log.ends()
                found = await log.map(span.since, span.until, PARTS)
            except HistoryError:
                return  # the strip stays empty; the panels show the error
            self.time_line.show_log(found)
            self.time_line.show_ends(ends)


def _no_move(back: bool, *, is_in_game: bool) -> str:
    if is_in_game:
        return (
            _("No earlier price move in this game in the log.")
            if back
            else _("No later price move in this game in the log.")
        )
    return _("No earlier price move in the log.") if back else _("No later price move in the log.")
