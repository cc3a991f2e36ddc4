"""Panels that are made after the first prices are painted, and the sizes of docks."""

import logging
from collections.abc import Callable
from typing import Any, Final, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from oddsdesk.desk.ui.table.live_table import LiveTable

P = TypeVar("P", bound=QWidget)

_LONGEST_MS: Final = 5_000
"""The longest wait before panels are made, as a service may not answer."""

_log = logging.getLogger(__name__)


class FirstPaint(QObject):
    """Emits ``painted`` once the first table it watches has painted a row."""

    painted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._table: LiveTable | None = None

    def watch(self, table: LiveTable) -> None:
        """Watch a table, unless another one is or was watched."""
        if self._table is None:
            self._table = table
            table.scrolling.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        assert self._table is not None
        if event.type() is QEvent.Type.Paint and self._table.model.rowCount():
            _log.info("first prices painted")
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.painted.emit)  # after the paint
        return False


class Place(QWidget):
    """Placeholder in a dock or tab until the panel is made."""

    def __init__(self, fill: Callable[[], QWidget]) -> None:
        super().__init__()
        self.fill = fill
        """Makes the panel, which replaces this, and returns it."""


class LatePanel(Generic[P]):
    """A panel that is made when first needed, at the latest by ``LatePanels``."""

    def __init__(self, make: Callable[[], P], put: Callable[[QWidget, QWidget], None]) -> None:
        """``put`` replaces the placeholder by the panel."""
        self._make = make
        self._put = put
        self._acts: list[Callable[[P], object]] = []
        self._place = Place(self)
        self.made: P | None = None
        """The panel, or None if it has not been made."""

    def __call__(self) -> P:
        """Return the panel, making it if needed."""
        if self.made is None:
            made = self.made = self._make()
            self._put(self._place, made)
            self._place.deleteLater()
            for act in self._acts:
                act(made)
            self._acts.clear()
        return self.made

    @property
    def part(self) -> QWidget:
        """The widget in the window: the panel or its placeholder."""
        return self._place if self.made is None else self.made

    def then(self, act: Callable[[P], object]) -> None:
        """Call ``act`` with the panel, now or once it has been made."""
        if self.made is None:
            self._acts.append(act)
        else:
            act(self.made)


class LatePanels(QObject):
    """Makes the remaining panels, one per turn of the event loop, visible ones first.

    It starts once the first prices are painted or it is known that there are none, at the latest
    after ``_LONGEST_MS``.
    """

    begun = Signal()
    """The first prices are painted, there are none, or the wait is over."""

    def __init__(self, parent: QObject, *panels: LatePanel[Any]) -> None:
        super().__init__(parent)
        self._panels = panels
        self._waiting = list(panels)
        self._timer = QTimer(self, interval=_LONGEST_MS)
        self._timer.timeout.connect(self._make_next)
        self._timer.start()

    @property
    def is_waiting(self) -> bool:
        """Whether the first prices are still awaited."""
        return self._timer.interval() > 0

    def make_panels(self) -> None:
        """Start making panels: the first prices are painted, or the service has none or is away."""
        if self.is_waiting:
            self._timer.setInterval(0)
            self.begun.emit()

    def close_panels(self) -> None:
        """Close the panels and stop making them."""
        self._timer.stop()
        for panel in self._panels:
            if panel.made is not None:
                panel.made.close_panel()

    def _make_next(self) -> None:
        self.make_panels()
        waiting = self._waiting = [panel for panel in self._waiting if panel.made is None]
        if not waiting:
            self._timer.stop()
            return
        seen = (panel for panel in waiting if not panel.part.visibleRegion().isEmpty())
        panel = next(seen, waiting[0])
        waiting.remove(panel)  # first, so that a panel that fails is tried once only
        panel()


_TRIES: Final = 6
_SIDES: Final = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)
MOST_ACROSS: Final = 22
"""The largest percentage of the width that side panels grow to with the text size."""
MOST_BELOW: Final = 40
"""The largest percentage of the height that bottom panels grow to with the text size."""


class Dock(QDockWidget):
    """A dock that reports its size to ``PanelRooms``."""

    def __init__(self, title: str, window: QMainWindow, rooms: "PanelRooms") -> None:
        super().__init__(title, window)
        self._rooms = rooms

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._rooms.note_room(self)


class _Room(NamedTuple):
    """The size of a panel, and of the window at that time."""

    size: QSize
    window: QSize


class PanelRooms(QObject):
    """Keeps the sizes that the user gave to panels.

    A smaller window or larger text changes them, and Qt does not change them back.
    """

    changed = Signal()
    """The size of a panel has changed."""

    def __init__(self, window: QMainWindow, in_front: Callable[[], list[QDockWidget]]) -> None:
        super().__init__(window)
        self._window = window
        self._in_front = in_front
        self._given: dict[QDockWidget, _Room] = {}
        self._by_text_size: dict[int, dict[QDockWidget, QSize]] = {}
        self._stands = QSize()
        """The window's size when the panels were last arranged."""
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._give_back)

    def note_room(self, dock: QDockWidget) -> None:
        """Remember a panel's size, unless a resize of the window caused it."""
        self.changed.emit()
        if self._window.size() == self._stands and dock.isVisible() and not dock.isFloating():
            self._given[dock] = _Room(dock.size(), self._stands)

    def settle_soon(self) -> None:
        """Restore the panels' sizes soon, as the window was resized."""
        self._soon.start()

    def fit_panels(self, before: int, now: int) -> None:
        """Restore the panels' sizes of an earlier use of this text size.

        At the first use of a larger one, panels grow with it as far as the tabs keep their share.
        Text sizes are in percent.
        """
        shown = {dock: dock.size() for dock in self._in_front()}
        self._by_text_size[before] = shown
        self._settle()
        first = self._grown(shown, now / before) if now > before else {}
        for dock, size in self._by_text_size.get(now, first).items():
            if dock in shown:
                self._give(dock, size)

    def _grown(self, had: dict[QDockWidget, QSize], by: float) -> dict[QDockWidget, QSize]:
        """Return the panels' sizes for larger text; the tabs keep their share of the window."""
        most = self._window.size()
        across, down = most.width() * MOST_ACROSS // 100, most.height() * MOST_BELOW // 100
        return {
            dock: QSize(_grown(size.width(), by, across), _grown(size.height(), by, down))
            for dock, size in had.items()
        }

    def _give_back(self) -> None:
        """Give each panel the share of the window that it had."""
        now = self._window.size()
        for dock in self._in_front():
            room = self._given.get(dock)
            if room is None:
                self._given[dock] = _Room(dock.size(), now)
                continue
            wanted = QSize(
                _share(room.size.width(), room.window.width(), now.width()),
                _share(room.size.height(), room.window.height(), now.height()),
            )
            if self._extent(dock, dock.size()) < self._extent(dock, wanted):
                self._give(dock, wanted)
        self._stands = now

    def _give(self, dock: QDockWidget, size: QSize) -> None:
        """Set the width of a side panel, or the height of a bottom panel."""
        is_at_side = self._window.dockWidgetArea(dock) in _SIDES
        way = Qt.Orientation.Horizontal if is_at_side else Qt.Orientation.Vertical
        wanted = asked = self._extent(dock, size)
        before = None
        for _ in range(_TRIES):  # Qt's size includes the tabs of tabbed docks
            self._window.resizeDocks([dock], [asked], way)
            self._settle()
            has = self._extent(dock, dock.size())
            if has in (wanted, before):  # or it cannot get closer
                break
            before = has
            asked += wanted - has

    def _extent(self, dock: QDockWidget, size: QSize) -> int:
        is_at_side = self._window.dockWidgetArea(dock) in _SIDES
        return size.width() if is_at_side else size.height()

    def _settle(self) -> None:
        """Lay out the docks at once."""
        layout = self._window.layout()
        assert layout is not None
        layout.activate()


def _share(extent: int, of: int, now: int) -> int:
    return extent if now >= of else extent * now // of


def _grown(extent: int, by: float, most: int) -> int:
    return max(extent, min(round(extent * by), most))
