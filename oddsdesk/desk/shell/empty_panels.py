"""Panels that take no room while they have nothing to show."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QDockWidget


class EmptyPanels(QObject):
    """Folds docks away until there is something to show in them.

    What the user closed stays closed, and what they opened stays open, empty or not; a folded
    dock counts as open in every layout that is kept.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._docks: list[QDockWidget] = []
        self._folded: set[QDockWidget] = set()
        self._is_empty = True
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._unfold)

    @property
    def is_waiting(self) -> bool:
        """Whether docks are about to unfold."""
        return self._soon.isActive()

    def add(self, dock: QDockWidget) -> None:
        """Fold a dock from now on, whenever there is nothing to show in it."""
        self._docks.append(dock)
        dock.visibilityChanged.connect(lambda shown: self._on_dock_shown(dock, shown))

    @property
    def folded(self) -> list[str]:
        """The names of the docks that are folded now."""
        return sorted(dock.objectName() for dock in self._folded)

    def restore(self, folded: list[str]) -> None:
        """Fold what is open and empty, and have docks that were folded and are hidden as such."""
        self.fold()
        again = {dock for dock in self._docks if dock.isHidden() and dock.objectName() in folded}
        if self._is_empty:
            self._folded |= again

    def fold(self) -> None:
        """Fold what is open and empty; those that are closed are the user's choice."""
        is_empty = self._is_empty
        self._folded = {dock for dock in self._docks if is_empty and not dock.isHidden()}
        for dock in self._folded:
            dock.hide()

    def fill(self) -> None:
        """There is something to show from now on.

        Docks come after a moment: the second click of a double click has to meet the cell that
        the first one met.
        """
        if self._is_empty:
            self._is_empty = False
            self._soon.start(QApplication.doubleClickInterval())

    def empty(self) -> None:
        """There is nothing to show any more."""
        self._soon.stop()
        if not self._is_empty:
            self._is_empty = True
            self.fold()

    @contextmanager
    def as_wished(self) -> Iterator[None]:
        """Within the block, have every dock as the user wants it, folded ones open."""
        folded = self._folded
        for dock in folded:
            dock.show()
        yield
        for dock in folded:
            dock.hide()
        self._folded = folded

    def _unfold(self) -> None:
        for dock in tuple(self._folded):
            dock.show()
        self._folded = set()

    def _on_dock_shown(self, dock: QDockWidget, shown: bool) -> None:
        if shown:
            self._folded = self._folded - {dock}
