"""A step chart of prices: crosshair, zoom, keyboard, and a picture to take away."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import (
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from oddsdesk.desk.ui.chart.data import ChartData, Window, change_times, moved, within, zoomed
from oddsdesk.desk.ui.chart.painter import ChartPainter, Frame
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import SurfaceRole

_ZOOM: Final = 0.8
_DRAG_PX: Final = 4
"""A press that moves less is a click."""
_NUDGE: Final = 0.02
"""The share of the window by which an arrow key with Shift moves the crosshair."""


class StepChart(QWidget):
    """Shows ``ChartData``.

    Wheel zooms at the pointer, a drag zooms into what it marks, a drag with Shift or the
    middle button moves, a double click shows all. Keys: Left and Right go from move to move,
    with Shift a little; Home and End to the ends; + and - zoom; 0 shows all; Escape takes
    the crosshair away.
    """

    def __init__(
        self, theme: Theme, odds_text: Callable[[float], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._painter = ChartPainter(theme, odds_text)
        self._data: ChartData | None = None
        self._window: Window | None = None
        self._cross: int | None = None
        self._pressed: QPoint | None = None
        self._marked: tuple[int, int] | None = None
        self._grabbed: tuple[int, Window] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(110)
        theme.changed.connect(self.update)

    @property
    def data(self) -> ChartData | None:
        """What is shown; None for nothing."""
        return self._data

    @property
    def window_shown(self) -> Window | None:
        """The part of time that is shown; None where nothing is."""
        if self._data is None:
            return None
        return self._window or self._data.whole

    @property
    def crosshair(self) -> int | None:
        """The moment that the crosshair stands at, None where there is none."""
        return self._cross

    def show_data(self, data: ChartData | None, *, anew: bool = False) -> None:
        """Show other data; ``anew`` zooms out, else the zoom is kept and follows the present."""
        before, self._data = self._data, data
        if anew or data is None:
            self._window = self._cross = self._marked = None
        elif self._window is not None:
            if before is not None and self._window.until == before.whole.until:
                grown = data.whole.until - before.whole.until
                self._window = Window(self._window.since + grown, data.whole.until)
            self._window = within(self._window, data.whole)
        self.update()

    def show_all(self) -> None:
        """Zoom out to all that is known."""
        self._window = None
        self.update()

    def zoom(self, factor: float, at_ms: int | None = None) -> None:
        """Show a window ``factor`` times as long, around a moment (the crosshair's, the middle)."""
        window = self.window_shown
        if self._data is None or window is None:
            return
        around = at_ms if at_ms is not None else self._cross
        if around is None or not window.since <= around <= window.until:
            around = window.since + window.span // 2
        chosen = zoomed(window, self._data.whole, around, factor)
        self._window = None if chosen == self._data.whole else chosen
        self.update()

    def picture(self, size: QSize, ratio: float = 1.0) -> QImage:
        """Return the chart as a picture, ``size`` in device-independent pixels."""
        image = QImage(size * ratio, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(self._theme.tokens.ground(SurfaceRole.PANEL))
        painter = QPainter(image)
        frame = self._frame(size)
        if frame is not None and self._data is not None:
            self._painter.paint(painter, frame, self._data)
        painter.end()
        return image

    def _frame(self, size: QSize) -> Frame | None:
        window = self.window_shown
        if self._data is None or window is None or window.span <= 0:
            return None
        return self._painter.frame(size, self._data, window)

    def _point_at(self, position: QPoint) -> None:
        frame = self._frame(self.size())
        inside = frame is not None and frame.plot.adjusted(-2, 0, 2, 0).contains(position)
        self._cross = frame.at(position.x()) if frame is not None and inside else None
        self.update()

    def _step(self, direction: int, *, finely: bool) -> None:
        window = self.window_shown
        if self._data is None or window is None:
            return
        if self._cross is None:
            target = window.until if direction < 0 else window.since
        elif finely:
            target = self._cross + round(direction * _NUDGE * window.span)
        else:
            target = self._next_move(direction)
        self._show_from(target)

    def _next_move(self, direction: int) -> int:
        assert self._data is not None
        assert self._cross is not None
        times = change_times(self._data)
        if direction > 0:
            later = times[bisect_right(times, self._cross) :]
            return later[0] if later else self._data.whole.until
        place = bisect_left(times, self._cross)
        return times[place - 1] if place else self._data.whole.since

    def _show_from(self, at_ms: int) -> None:
        assert self._data is not None
        whole, window = self._data.whole, self.window_shown
        assert window is not None
        self._cross = min(max(at_ms, whole.since), whole.until)
        if self._cross < window.since:
            self._window = moved(window, whole, self._cross - window.since)
        elif self._cross > window.until:
            self._window = moved(window, whole, self._cross - window.until)
        self.update()

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        return QSize(300, 180)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.tokens.ground(SurfaceRole.PANEL))
        frame = self._frame(self.size())
        if frame is not None and self._data is not None:
            self._painter.paint(painter, frame, self._data)
            if self._marked is not None:
                self._painter.paint_choice(painter, frame, *self._marked)
            elif self._cross is not None:
                self._painter.paint_reading(painter, frame, self._data, self._cross)
        if self.hasFocus():
            painter.setPen(self._theme.tokens.accent)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        frame = self._frame(self.size())
        turned = event.angleDelta().y()
        if frame is None or not turned:
            event.ignore()
            return
        self.zoom(_ZOOM ** (turned / 120), frame.at(event.position().x()))
        self._point_at(event.position().toPoint())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        frame, window = self._frame(self.size()), self.window_shown
        if frame is None or window is None:
            return
        at = frame.at(event.position().x())
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.button() is Qt.MouseButton.MiddleButton or is_shifted:
            self._grabbed = at, window
        elif event.button() is Qt.MouseButton.LeftButton:
            self._pressed = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        frame, place = self._frame(self.size()), event.position().toPoint()
        if frame is None or self._data is None:
            return
        if self._grabbed is not None:
            at, window = self._grabbed
            start = Frame(frame.plot, window, frame.low, frame.high)
            self._window = moved(window, self._data.whole, at - start.at(place.x()))
        elif self._pressed is not None and abs(place.x() - self._pressed.x()) > _DRAG_PX:
            self._marked = frame.at(self._pressed.x()), frame.at(place.x())
        self._point_at(place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        marked, self._marked = self._marked, None
        self._pressed = self._grabbed = None
        if marked is not None and self._data is not None:
            since, until = sorted(marked)
            span = max(until - since, 1)
            window = Window(since, until)
            self._window = within(
                zoomed(window, self._data.whole, since + span // 2, 1), self._data.whole
            )
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pressed = None
        self.show_all()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if not self.hasFocus():
            self._cross = None
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._cross = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        window = self.window_shown
        finely = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if window is None:
            super().keyPressEvent(event)
            return
        acts: dict[int, Callable[[], None]] = {
            Qt.Key.Key_Left: lambda: self._step(-1, finely=finely),
            Qt.Key.Key_Right: lambda: self._step(1, finely=finely),
            Qt.Key.Key_Home: lambda: self._show_from(window.since),
            Qt.Key.Key_End: lambda: self._show_from(window.until),
            Qt.Key.Key_Plus: lambda: self.zoom(_ZOOM),
            Qt.Key.Key_Minus: lambda: self.zoom(1 / _ZOOM),
            Qt.Key.Key_0: self.show_all,
        }
        act = acts.get(event.key())
        if act is not None:
            act()
        elif event.key() == Qt.Key.Key_Escape and self._cross is not None:
            self._cross = None
            self.update()
        else:
            super().keyPressEvent(event)
