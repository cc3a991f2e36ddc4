"""The time line in the status bar: its wishes carried out, and what it shows kept true."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

from oddsdesk.board.history_source import HistoryError
from oddsdesk.desk.shell.looking_back import LookingBack
from oddsdesk.desk.shell.status_bar import StatusBar
from oddsdesk.desk.ui.actions import Actions
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.tasks import spawn

if TYPE_CHECKING:
    from oddsdesk.desk.timeline.bar import TimeLine
    from oddsdesk.desk.timeline.spans import Span


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
    def line(self) -> "TimeLine":
        """The time line, made when the desk first stands in the past: few starts look back."""
        if self._line is None:
            self._line = self._make_line()
        return self._line

    def _make_line(self) -> "TimeLine":
        from oddsdesk.desk.timeline.bar import TimeLine  # noqa: PLC0415 - late

        past, line, actions = self._looking_back, TimeLine(self._theme), self._actions
        line.hide()
        self._status_bar.put_time_line(line)
        line.offer([actions[name] for name in ("past.kick_off", "past.largest", "past.newest")])
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
        line = self.line
        line.show_playing(playing=past.is_playing, speed=past.speed)
        if past.at_ms is not None:
            line.show_moment(past.at_ms)
        elif line.strip.hasFocus():
            line.window().setFocus(Qt.FocusReason.OtherFocusReason)
        line.setVisible(past.at_ms is not None)

    def _change_speed(self, step: int) -> None:
        from oddsdesk.desk.timeline.bar import SPEEDS  # noqa: PLC0415 - late

        place = SPEEDS.index(self._looking_back.speed) + step
        self._looking_back.choose_speed(SPEEDS[min(max(place, 0), len(SPEEDS) - 1)])

    def _focus(self) -> None:
        if self._line is not None and self._line.isVisible():
            self._line.strip.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self._looking_back.toggle()  # which says how to look back

    def _on_line_span_shown(self, span: "Span") -> None:
        self._wanted = span
        if self._reading is None or self._reading.done():
            self._reading = spawn("desk: read the time line", self._read())

    async def _read(self) -> None:
        """Read what is wanted last, while anything is."""
        from oddsdesk.desk.timeline.spans import PARTS  # noqa: PLC0415 - late

        while (span := self._wanted) is not None and (log := self._looking_back.log) is not None:
            self._wanted = None
            try:
                ends = await log.ends()
                found = await log.map(span.since, span.until, PARTS)
            except HistoryError:
                return  # the strip stays empty; the panels say what is wrong
            self.line.show_log(found)
            self.line.show_ends(ends)
