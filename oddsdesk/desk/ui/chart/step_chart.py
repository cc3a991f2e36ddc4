"""A step chart of prices: crosshair, zoom, keyboard, and a picture to take away."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Final

from PySide6 import QtGui
from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from oddsdesk.base.texts import _
from oddsdesk.desk.ui.chart.painter import (
    ChartData,
    ChartPainter,
    Frame,
    Line,
    Window,
    change_times,
    moved,
    within,
    zoomed,
)
from oddsdesk.desk.ui.controls.labels import literal
from oddsdesk.desk.ui.spacing import HALF, LEAD, STEP
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
        self.shown_data: ChartData | None = None
        """What is shown; None for nothing."""
        self._window: Window | None = None
        self.crosshair: int | None = None
        """The moment that the crosshair stands at, None where there is none."""
        self._pressed: QPoint | None = None
        self._marked: tuple[int, int] | None = None
        self._grabbed: tuple[int, Window] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(110)
        theme.changed.connect(self.update)

    @property
    def window_shown(self) -> Window | None:
        """The part of time that is shown; None where nothing is."""
        if self.shown_data is None:
            return None
        return self._window or self.shown_data.whole

    def show_data(self, data: ChartData | None, *, reset_zoom: bool = False) -> None:
        """Show other data; unless ``reset_zoom``, keep the zoom and follow the present."""
        before, self.shown_data = self.shown_data, data
        if reset_zoom or data is None:
            self._window = self.crosshair = self._marked = None
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
        if self.shown_data is None or window is None:
            return
        around = at_ms if at_ms is not None else self.crosshair
        if around is None or not window.since <= around <= window.until:
            around = window.since + window.span // 2
        chosen = zoomed(window, self.shown_data.whole, around, factor)
        self._window = None if chosen == self.shown_data.whole else chosen
        self.update()

    def picture(self, size: QSize, ratio: float = 1.0) -> QtGui.QImage:
        """Return the chart as a picture, ``size`` in device-independent pixels."""
        image = QtGui.QImage(size * ratio, QtGui.QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(self._theme.tokens.ground(SurfaceRole.PANEL))
        painter = QtGui.QPainter(image)
        frame = self._frame(size)
        if frame is not None and self.shown_data is not None:
            self._painter.paint(painter, frame, self.shown_data)
        painter.end()
        return image

    def _frame(self, size: QSize) -> Frame | None:
        window = self.window_shown
        if self.shown_data is None or window is None or window.span <= 0:
            return None
        return self._painter.frame(size, self.shown_data, window)

    def _point_at(self, position: QPoint) -> None:
        frame = self._frame(self.size())
        inside = frame is not None and frame.plot.adjusted(-2, 0, 2, 0).contains(position)
        self.crosshair = frame.at(position.x()) if frame is not None and inside else None
        self.update()

    def _step(self, direction: int, *, finely: bool) -> None:
        window = self.window_shown
        if self.shown_data is None or window is None:
            return
        if self.crosshair is None:
            target = window.until if direction < 0 else window.since
        elif finely:
            target = self.crosshair + round(direction * _NUDGE * window.span)
        else:
            target = self._next_move(direction)
        self._show_from(target)

    def _next_move(self, direction: int) -> int:
        assert self.shown_data is not None
        assert self.crosshair is not None
        times = change_times(self.shown_data)
        if direction > 0:
            later = times[bisect_right(times, self.crosshair) :]
            return later[0] if later else self.shown_data.whole.until
        place = bisect_left(times, self.crosshair)
        return times[place - 1] if place else self.shown_data.whole.since

    def _show_from(self, at_ms: int) -> None:
        assert self.shown_data is not None
        whole, window = self.shown_data.whole, self.window_shown
        assert window is not None
        self.crosshair = min(max(at_ms, whole.since), whole.until)
        if self.crosshair < window.since:
            self._window = moved(window, whole, self.crosshair - window.since)
        elif self.crosshair > window.until:
            self._window = moved(window, whole, self.crosshair - window.until)
        self.update()

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        return QSize(300, 180)

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:
        painter = QtGui.QPainter(self)
        painter.fillRect(self.rect(), self._theme.tokens.ground(SurfaceRole.PANEL))
        frame = self._frame(self.size())
        if frame is not None and self.shown_data is not None:
            self._painter.paint(painter, frame, self.shown_data)
            if self._marked is not None:
                self._painter.paint_choice(painter, frame, *self._marked)
            elif self.crosshair is not None:
                self._painter.paint_reading(painter, frame, self.shown_data, self.crosshair)
        if self.hasFocus():
            painter.setPen(self._theme.tokens.accent)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:
        frame = self._frame(self.size())
        turned = event.angleDelta().y()
        if frame is None or not turned:
            event.ignore()
            return
        self.zoom(_ZOOM ** (turned / 120), frame.at(event.position().x()))
        self._point_at(event.position().toPoint())
        event.accept()

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        frame, window = self._frame(self.size()), self.window_shown
        if frame is None or window is None:
            return
        at = frame.at(event.position().x())
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.button() is Qt.MouseButton.MiddleButton or is_shifted:
            self._grabbed = at, window
        elif event.button() is Qt.MouseButton.LeftButton:
            self._pressed = event.position().toPoint()

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
        frame, place = self._frame(self.size()), event.position().toPoint()
        if frame is None or self.shown_data is None:
            return
        if self._grabbed is not None:
            at, window = self._grabbed
            start = Frame(frame.plot, window, frame.low, frame.high)
            self._window = moved(window, self.shown_data.whole, at - start.at(place.x()))
        elif self._pressed is not None and abs(place.x() - self._pressed.x()) > _DRAG_PX:
            self._marked = frame.at(self._pressed.x()), frame.at(place.x())
        self._point_at(place)

    def mouseReleaseEvent(self, event: QtGui.QMouseEvent) -> None:
        marked, self._marked = self._marked, None
        self._pressed = self._grabbed = None
        if marked is not None and self.shown_data is not None:
            since, until = sorted(marked)
            span = max(until - since, 1)
            window = Window(since, until)
            self._window = within(
                zoomed(window, self.shown_data.whole, since + span // 2, 1), self.shown_data.whole
            )
        self.update()

    def mouseDoubleClickEvent(self, event: QtGui.QMouseEvent) -> None:
        self._pressed = None
        self.show_all()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if not self.hasFocus():
            self.crosshair = None
        self.update()

    def focusInEvent(self, event: QtGui.QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QtGui.QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.crosshair = None
        self.update()

    def keyPressEvent(self, event: QtGui.QKeyEvent) -> None:
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
        elif event.key() == Qt.Key.Key_Escape and self.crosshair is not None:
            self.crosshair = None
            self.update()
        else:
            super().keyPressEvent(event)


_ICON: Final = QSize(14, 12)


class ChartLegend(QWidget):
    """Names lines; those that may be taken away are buttons that do so."""

    removed = Signal(str)
    """The name of a line to be taken away."""

    def __init__(self, theme: Theme, painter: ChartPainter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._painter = painter
        self._lines: tuple[Line, ...] = ()
        self._removable: tuple[str, ...] = ()
        self._buttons: list[QToolButton] = []
        self.setAccessibleName(_("Lines of the chart"))
        theme.changed.connect(self._make)

    def show_lines(self, lines: Sequence[Line], removable: Sequence[str]) -> None:
        """Name these lines."""
        styles = [(line.name, line.ink, line.stroke) for line in lines]
        shown = [(line.name, line.ink, line.stroke) for line in self._lines]
        changed = styles != shown or tuple(removable) != self._removable
        self._lines, self._removable = tuple(lines), tuple(removable)
        if changed:
            self._make()

    def _make(self) -> None:
        for button in self._buttons:
            button.deleteLater()
        self._buttons = [self._button(line) for line in self._lines]
        self._place()

    def _button(self, line: Line) -> QToolButton:
        button = QToolButton(self)
        button.setProperty("variant", "plain")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setFont(self._theme.fonts.small)
        button.setIcon(self._swatch(line))
        button.setIconSize(_ICON)
        button.setText(literal(line.name))
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if line.name in self._removable:
            button.setText(literal(f"{line.name} ×"))
            button.setAccessibleName(_("Remove {name} from the chart").format(name=line.name))
            button.setToolTip(_("Remove {name} from the chart").format(name=line.name))
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(lambda: self.removed.emit(line.name))
        button.show()
        return button

    def _swatch(self, line: Line) -> QtGui.QIcon:
        ratio = self.devicePixelRatioF()
        pixmap = QtGui.QPixmap(_ICON * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QtGui.QPainter(pixmap)
        self._painter.paint_swatch(painter, QPoint(0, _ICON.height() // 2), line)
        painter.end()
        return QtGui.QIcon(pixmap)

    def _place(self) -> None:
        x, y, height = LEAD - HALF, 0, 0
        for button in self._buttons:
            size = button.sizeHint()
            if x > LEAD and x + size.width() > self.width() - STEP:
                x, y = LEAD - HALF, y + size.height()
            button.setGeometry(x, y, min(size.width(), self.width() - x), size.height())
            x += size.width()
            height = y + size.height()
        self.setFixedHeight(height)

    # Qt's virtuals

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()
