"""Where Tab goes: through the parts of a window in turn, in each as one reads.

Qt's own order is that in which widgets were created. It is wrong once docks move, and where tabs
and chips are created later.
"""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget


def step_focus(parts: Iterable[QWidget], *, forward: bool) -> bool:
    """Give the focus to what Tab reaches next, round the end; whether there was any."""
    stops = [stop for part in parts for stop in stops_of(part)]
    if not stops:
        return False
    focus, step = QApplication.focusWidget(), 1 if forward else -1
    before = -1 if forward else 0
    place = step + (stops.index(focus) if focus in stops else before)
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    stops[place % len(stops)].setFocus(reason)
    return True


def stops_of(part: QWidget) -> list[QWidget]:
    """Return what Tab reaches in a part, line by line from the left."""
    return _as_read([widget for widget in part.findChildren(QWidget) if _is_stop(widget, part)])


def _is_stop(widget: QWidget, part: QWidget) -> bool:
    return (
        bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        and widget.isVisible()
        and widget.isEnabled()
        and widget.focusProxy() is None
        and widget.window() is part.window()
    )


def _as_read(widgets: Sequence[QWidget]) -> list[QWidget]:
    lines: list[list[tuple[int, QWidget]]] = []
    bottom = 0
    placed = [(_corner(widget), widget) for widget in widgets]
    for corner, widget in sorted(placed, key=lambda one: (one[0].y(), one[0].x())):
        if not lines or corner.y() >= bottom:
            lines.append([])
            bottom = corner.y() + widget.height()
        bottom = min(bottom, corner.y() + widget.height())
        lines[-1].append((corner.x(), widget))
    return [widget for line in lines for _, widget in sorted(line, key=lambda one: one[0])]


def _corner(widget: QWidget) -> QPoint:
    return widget.mapTo(widget.window(), QPoint(0, 0))
