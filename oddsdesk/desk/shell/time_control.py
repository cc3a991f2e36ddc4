"""The time line in the status bar: its wishes carried out, and what it shows kept true."""

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt

from oddsdesk.board.history_source import HistoryError
from oddsdesk.desk.shell.looking_back import LookingBack
from oddsdesk.desk.shell.status_bar import StatusBar
from oddsdesk.desk.timeline.bar import SPEEDS, TimeLine
from oddsdesk.desk.timeline.spans import PARTS, Span
from oddsdesk.desk.ui.actions import Actions
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.tasks import spawn


class TimeControl(QObject):
    """Shows the time line while the desk stands in the past."""

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
        self._reading: asyncio.Task[None] | None = None
        self._wanted: Span | None = None
        looking_back.game_in_front = game_in_front
        line = self.line = TimeLine(theme)
        line.hide()
        status_bar.put_time_line(line)
        self._bind(actions)
        looking_back.moved.connect(self._show)
        line.span_shown.connect(self._on_line_span_shown)
        line.speed_chosen.connect(looking_back.choose_speed)
        line.strip.moment_wanted.connect(looking_back.go_to)
        line.strip.now_wanted.connect(looking_back.return_to_now)

    def _bind(self, actions: Actions) -> None:
        past, line = self._looking_back, self.line
        places = [
            actions.bind("past.kick_off", past.go_to_kick_off),
            actions.bind("past.largest", past.go_to_largest_move),
            actions.bind("past.newest", past.go_to_newest),
        ]
        line.offer(places)
        buttons = (
            (line.play, actions.bind("past.play", past.toggle)),
            (line.back, actions.bind("past.back", lambda: past.step(back=True))),
            (line.forward, actions.bind("past.forward", lambda: past.step(back=False))),
            (line.now, actions.bind("past.now", past.return_to_now)),
        )
        for button, action in buttons:
            button.clicked.connect(action.trigger)
        actions.bind("past.faster", lambda: self._change_speed(1))
        actions.bind("past.slower", lambda: self._change_speed(-1))
        actions.bind("past.line", self._focus)

    def _show(self) -> None:
        past, line = self._looking_back, self.line
        line.show_playing(playing=past.is_playing, speed=past.speed)
        if past.at_ms is not None:
            line.show_moment(past.at_ms)
        elif line.strip.hasFocus():
            line.window().setFocus(Qt.FocusReason.OtherFocusReason)
        line.setVisible(past.at_ms is not None)

    def _change_speed(self, step: int) -> None:
        place = SPEEDS.index(self._looking_back.speed) + step
        self._looking_back.choose_speed(SPEEDS[min(max(place, 0), len(SPEEDS) - 1)])

    def _focus(self) -> None:
        if self.line.isVisible():
            self.line.strip.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self._looking_back.toggle()  # which says how to look back

    def _on_line_span_shown(self, span: Span) -> None:
        self._wanted = span
        if self._reading is None or self._reading.done():
            self._reading = spawn("desk: read the time line", self._read())

    async def _read(self) -> None:
        """Read what is wanted last, while anything is."""
        while (span := self._wanted) is not None and (log := self._looking_back.log) is not None:
            self._wanted = None
            try:
                ends = await log.ends()
                found = await log.map(span.since, span.until, PARTS)
            except HistoryError:
                return  # the strip stays empty; the panels say what is wrong
            self.line.show_log(found)
            self.line.show_ends(ends)
