"""The time line of the past, with buttons to play, step, jump and zoom."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final, NamedTuple, TypeVar

from PySide6 import QtGui
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QToolButton, QToolTip, QWidget

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, ngettext
from oddsdesk.contract.administration import LogMap
from oddsdesk.contract.times import DAY_MS, HOUR_MS
from oddsdesk.desk.ui.controls.buttons import MenuButton
from oddsdesk.desk.ui.formatting import local_time, moment_text
from oddsdesk.desk.ui.spacing import HALF, STEP, horizontal
from oddsdesk.desk.ui.theme.theme import SIZE, Theme
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole, mix

PARTS: Final = 240
"""The number of bars that a span is divided into."""
_EDGE: Final = 0.04
"""How near the edge, as a share of the span, a moment may come before the span moves."""
_LEAST_MS: Final = 60_000


class Zoom(Enum):
    """The length of time shown, in milliseconds; 0 for the whole log."""

    HOURS = 6 * HOUR_MS
    DAY = DAY_MS
    WEEK = 7 * DAY_MS
    MONTH = 30 * DAY_MS
    ALL = 0


ZOOM_TITLES: Final = {
    Zoom.HOURS: _("6 hours"),
    Zoom.DAY: _("A day"),
    Zoom.WEEK: _("A week"),
    Zoom.MONTH: _("30 days"),
    Zoom.ALL: _("All"),
}


class Span(NamedTuple):
    """A span of time, in milliseconds."""

    since: int
    until: int

    @property
    def length(self) -> int:
        """The length, at least 1."""
        return max(self.until - self.since, 1)

    def moment_at(self, share: float) -> int:
        """Return the moment at a share of the span, clipped to it."""
        return round(self.since + min(max(share, 0.0), 1.0) * self.length)

    def share(self, at_ms: int) -> float:
        """Return a moment's position; 0 to 1 if it is within the span."""
        return (at_ms - self.since) / self.length

    def holds(self, at_ms: int) -> bool:
        """Return whether a moment is within the span and not at an edge."""
        return _EDGE <= self.share(at_ms) <= 1 - _EDGE


def span_around(at_ms: int, zoom: Zoom, ends: tuple[int, int] | None) -> Span:
    """Return the span to show around a moment.

    A day is a calendar day of the user; other lengths are centred. ``ends`` are the ends of the
    whole log, if known.
    """
    if zoom is Zoom.ALL and ends is not None:
        first, last = min(ends[0], at_ms), max(ends[1], at_ms)
        air = max(round((last - first) * _EDGE * 1.2), _LEAST_MS)
        return Span(first - air, last + air)
    length = zoom.value or DAY_MS
    if zoom is Zoom.DAY:
        begin = local_time(at_ms).replace(hour=0, minute=0, second=0, microsecond=0)
        since = round(begin.timestamp() * 1000)
        span = Span(since, since + length)
        if span.holds(at_ms):
            return span
    return Span(at_ms - length // 2, at_ms + length // 2)


def gaps(log: LogMap) -> list[tuple[int, int]]:
    """Return the times without data: silences, except where prices were imported."""
    found: list[tuple[int, int]] = []
    length = max(log.until - log.since, 1)
    for since, until in log.silences:
        begin = max(since, log.since)
        for number, moves in enumerate(log.moves):
            low = log.since + length * number // len(log.moves)
            high = log.since + length * (number + 1) // len(log.moves)
            if moves and low > since and high < until:
                if low > begin:
                    found.append((begin, low))
                begin = max(begin, high)
        if begin < min(until, log.until):
            found.append((begin, min(until, log.until)))
    return found


def described(log: LogMap, at_ms: int) -> str:
    """Return the tooltip of a moment."""
    if any(since <= at_ms < until for since, until in gaps(log)):
        return _("{moment} · nothing recorded").format(moment=moment_text(at_ms))
    length = max(log.until - log.since, 1)
    part = min(max((at_ms - log.since) * len(log.moves) // length, 0), len(log.moves) - 1)
    said = [moment_text(at_ms), _moves(log.moves[part])]
    width = length // len(log.moves)
    games = sum(count for kick_off, count in log.kick_offs if abs(kick_off - at_ms) <= width)
    if games:
        said.append(
            ngettext("{games:,} kick-off", "{games:,} kick-offs", games).format(games=num(games))
        )
    return " · ".join(said)


def _moves(count: int) -> str:
    if not count:
        return _("no moves")
    return ngettext("{count:,} move", "{count:,} moves", count).format(count=num(count))


_TRACK: Final = 2
_LEAST_WIDTH: Final = 120
_PALE: Final = 0.45
_MANY: Final = 24
_STEPS: Final = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_PageUp: -12,
    Qt.Key.Key_PageDown: 12,
}


class TimeStrip(QWidget):
    """Shows a span of the log; click, drag or use the arrow keys to go to a moment."""

    moment_wanted = Signal(object)
    """A moment in milliseconds; emitted repeatedly while dragging."""
    zoom_wanted = Signal(int)
    """1 for a shorter span, -1 for a longer one."""
    now_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._log: LogMap | None = None
        self._gaps: list[tuple[int, int]] = []
        self.span = Span(0, 1)
        """The span shown."""
        self._at_ms = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        theme.changed.connect(self.update)

    def show_span(self, span: Span) -> None:
        """Show another span; its data follows later."""
        self.span = span
        self.update()

    def show_log(self, log: LogMap) -> None:
        """Show the data of a span."""
        self._log, self._gaps = log, gaps(log)
        self.span = Span(log.since, log.until)
        self.update()

    def show_moment(self, at_ms: int) -> None:
        """Mark the moment that the desk shows."""
        if at_ms != self._at_ms:
            self._at_ms = at_ms
            self.setAccessibleName(_("Time line, as of {moment}").format(moment=moment_text(at_ms)))
            self.update()

    def _go_to_x(self, x: float) -> None:
        at_ms = self.span.moment_at((x - HALF) / max(self.width() - 2 * HALF, 1))
        self.show_moment(at_ms)
        self.moment_wanted.emit(at_ms)

    def _x(self, at_ms: int) -> float:
        return HALF + self.span.share(at_ms) * (self.width() - 2 * HALF)

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH * 3, 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, 0)

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._go_to_x(event.position().x())

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go_to_x(event.position().x())

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:
        if turned := event.angleDelta().y():
            self.zoom_wanted.emit(1 if turned > 0 else -1)
        event.accept()

    def keyPressEvent(self, event: QtGui.QKeyEvent) -> None:
        key, span = Qt.Key(event.key()), self.span
        if key in _STEPS:
            at_ms = self._at_ms + _STEPS[key] * span.length // PARTS
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            at_ms = span.since if key is Qt.Key.Key_Home else span.until
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
            self.zoom_wanted.emit(1 if key is Qt.Key.Key_Plus else -1)
            return
        elif key is Qt.Key.Key_Escape:
            self.now_wanted.emit()
            return
        else:
            super().keyPressEvent(event)
            return
        self.show_moment(at_ms)
        self.moment_wanted.emit(at_ms)

    def event(self, event: QEvent) -> bool:
        if (
            isinstance(event, QtGui.QHelpEvent)
            and event.type() is QEvent.Type.ToolTip
            and self._log
        ):
            share = (event.pos().x() - HALF) / max(self.width() - 2 * HALF, 1)
            text = described(self._log, self.span.moment_at(share))
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QtGui.QPaintEvent) -> None:
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing)
        self._paint_moves(painter)
        self._paint_track(painter)
        self._paint_kick_offs(painter)
        self._paint_moment(painter)
        if self.hasFocus():
            painter.setPen(QtGui.QPen(QtGui.QColor(self._theme.tokens.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 1.5, -0.5, -1.5), 3, 3)

    @property
    def _ground_y(self) -> float:
        return self.height() - HALF - _TRACK

    def _paint_moves(self, painter: QtGui.QPainter) -> None:
        """Draw bars by the square root of the moves, so that quiet hours remain visible."""
        log, tokens = self._log, self._theme.tokens
        if log is None or not any(log.moves):
            return
        ground = tokens.ground(SurfaceRole.WINDOW)
        ahead = QtGui.QColor(mix(tokens.ink(TextRole.NOTE), ground, _PALE))
        behind = QtGui.QColor(mix(tokens.accent, ground, _PALE))
        most, room = max(log.moves), self._ground_y - HALF
        whole = Span(log.since, log.until)
        painter.setPen(Qt.PenStyle.NoPen)
        for number, moves in enumerate(log.moves):
            if not moves:
                continue
            low, high = (whole.moment_at((number + edge) / len(log.moves)) for edge in (0, 1))
            left, right = self._x(low), self._x(high)
            height = max((moves / most) ** 0.5 * room, 1.0)
            painter.setBrush(behind if high <= self._at_ms else ahead)
            width = max(right - left - 0.5, 1.0)
            painter.drawRect(QRectF(left, self._ground_y - height, width, height))

    def _paint_track(self, painter: QtGui.QPainter) -> None:
        """Draw the line at the bottom, dotted where nothing was recorded."""
        tokens = self._theme.tokens
        left, right = HALF, self.width() - HALF
        y = self._ground_y + _TRACK / 2
        here = min(max(self._x(self._at_ms), left), right)
        painter.setPen(QtGui.QPen(QtGui.QColor(tokens.line), _TRACK))
        painter.drawLine(QPointF(here, y), QPointF(right, y))
        painter.setPen(QtGui.QPen(QtGui.QColor(tokens.accent), _TRACK))
        painter.drawLine(QPointF(left, y), QPointF(here, y))
        ground = QtGui.QColor(tokens.ground(SurfaceRole.WINDOW))
        dotted = QtGui.QPen(QtGui.QColor(tokens.ink(TextRole.NOTE)), 1)
        dotted.setDashPattern([1.0, 3.0])
        for since, until in self._gaps:
            low, high = max(self._x(since), left), min(self._x(until), right)
            if high - low >= 2:
                painter.fillRect(QRectF(low, y - _TRACK, high - low, 2 * _TRACK), ground)
                painter.setPen(dotted)
                painter.drawLine(QPointF(low, y), QPointF(high, y))

    def _paint_kick_offs(self, painter: QtGui.QPainter) -> None:
        """Draw a tick for each kick-off; if there are many, paler and below the line."""
        places = {round(self._x(at_ms)) for at_ms, _ in (self._log.kick_offs if self._log else ())}
        tokens, above, live = self._theme.tokens, HALF, self._theme.tokens.live
        if len(places) > _MANY:
            live, above = mix(live, tokens.ground(SurfaceRole.WINDOW), _PALE), 0
        painter.setPen(QtGui.QPen(QtGui.QColor(live), 1.5))
        for x in places:
            if HALF <= x <= self.width() - HALF:
                top = QPointF(x, self._ground_y - above)
                painter.drawLine(top, QPointF(x, self.height() - 2))

    def _paint_moment(self, painter: QtGui.QPainter) -> None:
        x = self._x(self._at_ms)
        if 0 <= x <= self.width():
            painter.setPen(QtGui.QPen(QtGui.QColor(self._theme.tokens.ink(TextRole.VALUE)), 2))
            painter.drawLine(QPointF(x, HALF), QPointF(x, self.height() - 2))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QtGui.QColor(self._theme.tokens.ink(TextRole.VALUE)))
            painter.drawEllipse(QPointF(x, STEP - HALF), 2.5, 2.5)


T = TypeVar("T")
SPEEDS: Final = (1, 2, 5, 10, 30, 60, 100)
_ZOOMS: Final = tuple(Zoom)


class TimeLine(QWidget):
    """The time line with its buttons; emits what the user asks for."""

    span_shown = Signal(object)
    """A ``Span`` whose data is needed."""
    speed_chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._at_ms = 0
        self._ends: tuple[int, int] | None = None
        self._zoom = Zoom.DAY
        self.strip = TimeStrip(theme)
        self.back = self._button(_("Step back: previous move (Alt+Left)"))
        self.play = self._button("")
        self.forward = self._button(_("Step forward: next move (Alt+Right)"))
        self.speed = MenuButton(_("Speed"), tells_purpose=False)
        self.places = MenuButton(_("Go to"), tells_purpose=True)
        self.zoom = MenuButton(_("Time line"), tells_purpose=False)
        self.now = self._button(_("Show current prices (Ctrl+Shift+J)"))
        self.now.setText(_("Back to now"))
        self.now.setAccessibleName(_("Back to now"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._lay_out()
        speeds = {speed: f"{speed}×" for speed in SPEEDS}
        self._speeds = self._choices(self.speed, speeds, self.speed_chosen.emit)
        self._zooms = self._choices(self.zoom, ZOOM_TITLES, self._on_zoom_chosen)
        self.strip.zoom_wanted.connect(self._on_strip_zoom_wanted)
        theme.changed.connect(self._restyle)
        self.show_playing(playing=False, speed=1)
        self._show_zoom()
        self._restyle()

    def offer_moments(self, places: list[QtGui.QAction]) -> None:
        self.places.menu_shown.addActions(places)

    def show_moment(self, at_ms: int) -> None:
        """Mark the moment that the desk shows, moving the span if needed."""
        self._at_ms = at_ms
        self.strip.show_moment(at_ms)
        if not self.strip.span.holds(at_ms):
            self._ask_for_span()

    def show_ends(self, ends: tuple[int, int] | None) -> None:
        """Set the ends of the whole log."""
        is_news, self._ends = self._ends is None, ends
        if is_news and self._zoom is Zoom.ALL:
            self._ask_for_span()

    def show_log(self, log: LogMap) -> None:
        """Show the data of a span, unless another one is shown by now."""
        if Span(log.since, log.until) == self.strip.span:
            self.strip.show_log(log)

    def show_playing(self, *, playing: bool, speed: int) -> None:
        """Show whether the past is playing, and at which speed."""
        self._is_playing = playing
        title = _("Pause") if playing else _("Play")
        self.play.setToolTip(_("{title} (Ctrl+P)").format(title=title))
        self.play.setAccessibleName(title)
        self.play.setIcon(self._theme.icon("pause" if playing else "play", TextRole.STRONG))
        self.speed.show_value(f"{speed}×")
        if speed in self._speeds:
            self._speeds[speed].setChecked(True)

    def _lay_out(self) -> None:
        row = horizontal(self, spacing=HALF)
        for button in (self.back, self.play, self.forward, self.speed, self.places):
            row.addWidget(button)
        row.addSpacing(HALF)
        row.addWidget(self.strip, 1)
        row.addSpacing(HALF)
        row.addWidget(self.zoom)
        row.addWidget(self.now)
        row.addSpacing(STEP)
        self.setMinimumWidth(0)

    def _button(self, tip: str) -> QToolButton:
        button = QToolButton()
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition(":")[0])
        button.setProperty("variant", "plain")
        button.setIconSize(QSize(SIZE, SIZE))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _choices(
        self, button: MenuButton, titles: Mapping[T, str], choose: Callable[[T], object]
    ) -> dict[T, QtGui.QAction]:
        group, made = QtGui.QActionGroup(button), dict[T, QtGui.QAction]()
        for value, title in titles.items():
            action = button.menu_shown.addAction(title)
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, chosen=value: choose(chosen))
            group.addAction(action)
            made[value] = action
        return made

    def _ask_for_span(self) -> None:
        span = span_around(self._at_ms, self._zoom, self._ends)
        self.strip.show_span(span)
        self.span_shown.emit(span)

    def _show_zoom(self) -> None:
        self.zoom.show_value(ZOOM_TITLES[self._zoom])
        self._zooms[self._zoom].setChecked(True)

    def _on_zoom_chosen(self, zoom: Zoom) -> None:
        self._zoom = zoom
        self._show_zoom()
        self._ask_for_span()

    def _on_strip_zoom_wanted(self, step: int) -> None:
        place = _ZOOMS.index(self._zoom) - step
        if 0 <= place < len(_ZOOMS):
            self._on_zoom_chosen(_ZOOMS[place])

    def _restyle(self) -> None:
        self.back.setIcon(self._theme.icon("step-back", TextRole.SOFT))
        self.forward.setIcon(self._theme.icon("step-forward", TextRole.SOFT))
        self.play.setIcon(
            self._theme.icon("pause" if self._is_playing else "play", TextRole.STRONG)
        )
