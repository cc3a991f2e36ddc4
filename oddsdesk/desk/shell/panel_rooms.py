"""The room of panels beside the tabs: given back after the window, or texts, were another size."""

from collections.abc import Callable
from typing import Final, NamedTuple

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow

_TRIES: Final = 6
_SIDES: Final = (Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea)
MOST_BESIDE: Final = 22
"""In percent of the window's width, what panels at a side grow to with texts."""
MOST_BELOW: Final = 40
"""In percent of the window's height, what panels below the tabs grow to with texts."""


class Dock(QDockWidget):
    """A dock that tells when it is resized."""

    def __init__(self, title: str, window: QMainWindow, rooms: "PanelRooms") -> None:
        super().__init__(title, window)
        self._rooms = rooms

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._rooms.note(self)


class _Room(NamedTuple):
    """What a panel had, and how large the window was."""

    size: QSize
    window: QSize


class PanelRooms(QObject):
    """Keeps what room panels were given.

    A smaller window takes room from them, and larger texts may give them some; Qt leaves it so.
    """

    changed = Signal()
    """A panel has another size."""

    def __init__(self, window: QMainWindow, in_front: Callable[[], list[QDockWidget]]) -> None:
        super().__init__(window)
        self._window = window
        self._in_front = in_front
        self._given: dict[QDockWidget, _Room] = {}
        self._by_text_size: dict[int, dict[QDockWidget, QSize]] = {}
        self._stands = QSize()
        """How large the window was when panels had settled in it."""
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._give_back)

    def note(self, dock: QDockWidget) -> None:
        """Keep the room that a panel has now, unless it has it from a resize of the window."""
        self.changed.emit()
        if self._window.size() == self._stands and dock.isVisible() and not dock.isFloating():
            self._given[dock] = _Room(dock.size(), self._stands)

    def settle_soon(self) -> None:
        """Give panels back what they had, as the window has another size."""
        self._soon.start()

    def fit(self, before: int, now: int) -> None:
        """Give panels the room that they had when texts were of this size the last time.

        Larger texts may take more; without this it would stay theirs. At the first time of larger
        ones panels grow with them, as far as tabs keep theirs. Sizes are in percent.
        """
        shown = {dock: dock.size() for dock in self._in_front()}
        self._by_text_size[before] = shown
        self._settle()
        first = self._grown(shown, now / before) if now > before else {}
        for dock, size in self._by_text_size.get(now, first).items():
            if dock in shown:
                self._give(dock, size)

    def _grown(self, had: dict[QDockWidget, QSize], by: float) -> dict[QDockWidget, QSize]:
        """Return the sizes of panels whose texts grow: tabs keep their share of the window."""
        most = self._window.size()
        across, down = most.width() * MOST_BESIDE // 100, most.height() * MOST_BELOW // 100
        return {
            dock: QSize(_grown(size.width(), by, across), _grown(size.height(), by, down))
            for dock, size in had.items()
        }

    def _give_back(self) -> None:
        """Have each panel its share of the window; in one as large as then, all that it had."""
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
        """Have a panel as wide at a side, or as high below, as it was."""
        is_at_side = self._window.dockWidgetArea(dock) in _SIDES
        way = Qt.Orientation.Horizontal if is_at_side else Qt.Orientation.Vertical
        wanted = asked = self._extent(dock, size)
        before = None
        for _ in range(_TRIES):  # what Qt gives is for the tabs of panels behind each other, too
            self._window.resizeDocks([dock], [asked], way)
            self._settle()
            has = self._extent(dock, dock.size())
            if has in (wanted, before):  # or there is no more to be had
                break
            before = has
            asked += wanted - has

    def _extent(self, dock: QDockWidget, size: QSize) -> int:
        is_at_side = self._window.dockWidgetArea(dock) in _SIDES
        return size.width() if is_at_side else size.height()

    def _settle(self) -> None:
        """Have docks take their places now, not when Qt comes to it."""
        layout = self._window.layout()
        assert layout is not None
        layout.activate()


def _share(extent: int, of: int, now: int) -> int:
    return extent if now >= of else extent * now // of


def _grown(extent: int, by: float, most: int) -> int:
    return max(extent, min(round(extent * by), most))
