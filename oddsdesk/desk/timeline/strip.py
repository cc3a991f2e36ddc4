"""The strip of a time line: how much moved when, kick-offs, gaps, and the moment shown."""

from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from oddsdesk.contract.administration import LogMap
from oddsdesk.desk.timeline.spans import PARTS, Span, described, gaps
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import HALF, STEP, SurfaceRole, TextRole, mix
from oddsdesk.desk.ui.time_format import moment_text

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
    """Shows a span of the log; a click, a drag or the arrow keys go to another moment."""

    moment_wanted = Signal(object)
    """A moment in milliseconds; while one drags, many."""
    zoom_wanted = Signal(int)
    """1 for a shorter span, -1 for a longer one."""
    now_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._log: LogMap | None = None
        self._gaps: list[tuple[int, int]] = []
        self._span = Span(0, 1)
        self._at_ms = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        theme.changed.connect(self.update)

    @property
    def span(self) -> Span:
        """What it spans."""
        return self._span

    def show_span(self, span: Span) -> None:
        """Span another time; what is known of it comes later."""
        self._span = span
        self.update()

    def show_log(self, log: LogMap) -> None:
        """Show what the log has in the span."""
        self._log, self._gaps = log, gaps(log)
        self._span = Span(log.since, log.until)
        self.update()

    def show_moment(self, at_ms: int) -> None:
        """Show at which moment the desk stands."""
        if at_ms != self._at_ms:
            self._at_ms = at_ms
            self.setAccessibleName(f"Time line, as of {moment_text(at_ms)}")
            self.update()

    def _go_to_x(self, x: float) -> None:
        at_ms = self._span.at((x - HALF) / max(self.width() - 2 * HALF, 1))
        self.show_moment(at_ms)
        self.moment_wanted.emit(at_ms)

    def _x(self, at_ms: int) -> float:
        return HALF + self._span.share(at_ms) * (self.width() - 2 * HALF)

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH * 3, 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._go_to_x(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go_to_x(event.position().x())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if turned := event.angleDelta().y():
            self.zoom_wanted.emit(1 if turned > 0 else -1)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, span = Qt.Key(event.key()), self._span
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
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip and self._log:
            share = (event.pos().x() - HALF) / max(self.width() - 2 * HALF, 1)
            text = described(self._log, self._span.at(share))
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_moves(painter)
        self._paint_track(painter)
        self._paint_kick_offs(painter)
        self._paint_moment(painter)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.tokens.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 1.5, -0.5, -1.5), 3, 3)

    @property
    def _ground_y(self) -> float:
        return self.height() - HALF - _TRACK

    def _paint_moves(self, painter: QPainter) -> None:
        """Draw bars by the square root of how much moved: a quiet hour is seen beside a goal."""
        log, tokens = self._log, self._theme.tokens
        if log is None or not any(log.moves):
            return
        ground = tokens.ground(SurfaceRole.WINDOW)
        ahead = QColor(mix(tokens.ink(TextRole.NOTE), ground, _PALE))
        behind = QColor(mix(tokens.accent, ground, _PALE))
        most, room = max(log.moves), self._ground_y - HALF
        whole = Span(log.since, log.until)
        painter.setPen(Qt.PenStyle.NoPen)
        for number, moves in enumerate(log.moves):
            if not moves:
                continue
            low, high = (whole.at((number + edge) / len(log.moves)) for edge in (0, 1))
            left, right = self._x(low), self._x(high)
            height = max((moves / most) ** 0.5 * room, 1.0)
            painter.setBrush(behind if high <= self._at_ms else ahead)
            width = max(right - left - 0.5, 1.0)
            painter.drawRect(QRectF(left, self._ground_y - height, width, height))

    def _paint_track(self, painter: QPainter) -> None:
        """Draw the line below; where nothing was recorded it is dotted."""
        tokens = self._theme.tokens
        left, right = HALF, self.width() - HALF
        y = self._ground_y + _TRACK / 2
        here = min(max(self._x(self._at_ms), left), right)
        painter.setPen(QPen(QColor(tokens.line), _TRACK))
        painter.drawLine(QPointF(here, y), QPointF(right, y))
        painter.setPen(QPen(QColor(tokens.accent), _TRACK))
        painter.drawLine(QPointF(left, y), QPointF(here, y))
        ground = QColor(tokens.ground(SurfaceRole.WINDOW))
        dotted = QPen(QColor(tokens.ink(TextRole.NOTE)), 1)
        dotted.setDashPattern([1.0, 3.0])
        for since, until in self._gaps:
            low, high = max(self._x(since), left), min(self._x(until), right)
            if high - low >= 2:
                painter.fillRect(QRectF(low, y - _TRACK, high - low, 2 * _TRACK), ground)
                painter.setPen(dotted)
                painter.drawLine(QPointF(low, y), QPointF(high, y))

    def _paint_kick_offs(self, painter: QPainter) -> None:
        """Draw a tick each; where they are many, paler and below the line, one a pixel."""
        places = {round(self._x(at_ms)) for at_ms, _ in (self._log.kick_offs if self._log else ())}
        tokens, above, live = self._theme.tokens, HALF, self._theme.tokens.live
        if len(places) > _MANY:
            live, above = mix(live, tokens.ground(SurfaceRole.WINDOW), _PALE), 0
        painter.setPen(QPen(QColor(live), 1.5))
        for x in places:
            if HALF <= x <= self.width() - HALF:
                top = QPointF(x, self._ground_y - above)
                painter.drawLine(top, QPointF(x, self.height() - 2))

    def _paint_moment(self, painter: QPainter) -> None:
        x = self._x(self._at_ms)
        if 0 <= x <= self.width():
            painter.setPen(QPen(QColor(self._theme.tokens.ink(TextRole.VALUE)), 2))
            painter.drawLine(QPointF(x, HALF), QPointF(x, self.height() - 2))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._theme.tokens.ink(TextRole.VALUE)))
            painter.drawEllipse(QPointF(x, STEP - HALF), 2.5, 2.5)
