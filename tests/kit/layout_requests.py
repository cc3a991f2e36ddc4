"""How often a widget is asked to lay itself out: what that costs is a window's, not a label's."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

_MOST_DEEP = 8
"""How many widgets stand in each other, at most."""


class LayoutRequests(QObject):
    """Counts them from now on, once what is waiting was done."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        _let_ask()
        self._count = 0
        watched.installEventFilter(self)

    def count(self) -> int:
        """Return how many came, with those that wait."""
        _let_ask()
        return self._count

    # Qt's virtuals

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self._count += event.type() is QEvent.Type.LayoutRequest
        return super().eventFilter(watched, event)


def _let_ask() -> None:
    """Let who was laid out ask its parent, and that one its own: each does in another turn."""
    for _ in range(_MOST_DEEP):
        QApplication.processEvents()
