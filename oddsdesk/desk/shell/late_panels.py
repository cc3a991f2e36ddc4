"""Panels that the first prices do not wait for: they are made once these are painted."""

import logging
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from oddsdesk.desk.ui.table.live_table import LiveTable

P = TypeVar("P", bound=QWidget)

_LONGEST_MS: Final = 5_000
"""So long at most panels wait: a service may not answer."""

_log = logging.getLogger(__name__)


class FirstPaint(QObject):
    """Waits at the first table it is given until that paints a row; then tells it and lets go."""

    painted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._table: LiveTable | None = None

    def watch(self, table: LiveTable) -> None:
        """Wait there, unless it waits or has waited elsewhere."""
        if self._table is None:
            self._table = table
            table.scrolling.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        assert self._table is not None
        if event.type() is QEvent.Type.Paint and self._table.model.rowCount():
            _log.info("first prices painted")
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.painted.emit)  # once the paint is done
        return False


class Place(QWidget):
    """Stands in a dock or a tab until its panel is made."""

    def __init__(self, fill: Callable[[], QWidget]) -> None:
        super().__init__()
        self.fill = fill
        """Makes the panel, which stands here from then on, and returns it."""


class LatePanel(Generic[P]):
    """A panel of the window that is made when it is asked for, at the latest by ``LatePanels``."""

    def __init__(self, make: Callable[[], P], put: Callable[[QWidget, QWidget], None]) -> None:
        """``put`` sets the panel in the place of what stood for it."""
        self._make = make
        self._put = put
        self._acts: list[Callable[[P], object]] = []
        self._place = Place(self)
        self.made: P | None = None
        """The panel, if it is there yet."""

    def __call__(self) -> P:
        """Return the panel, made now if it is not there yet."""
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
        """What stands in the window now: the panel, or what its place is kept by."""
        return self._place if self.made is None else self.made

    def then(self, act: Callable[[P], object]) -> None:
        """Do something with the panel: now, or as soon as it is there."""
        if self.made is None:
            self._acts.append(act)
        else:
            act(self.made)


class LatePanels(QObject):
    """Makes the panels that nobody has asked for, one a turn of the loop.

    They are made once it is known what there is to show, prices or none, at the latest after
    ``_LONGEST_MS``; those in sight come first.
    """

    begun = Signal()
    """It is known what there is to show, or nothing came for so long."""

    def __init__(self, parent: QObject, *panels: LatePanel[Any]) -> None:
        super().__init__(parent)
        self._panels = panels
        self._waiting = list(panels)
        self._timer = QTimer(self, interval=_LONGEST_MS)
        self._timer.timeout.connect(self._make_next)
        self._timer.start()

    @property
    def is_waiting(self) -> bool:
        """Whether it is not known yet what there is to show."""
        return self._timer.interval() > 0

    def begin(self) -> None:
        """Wait no longer: the first prices are painted, or the service is without any or away."""
        if self.is_waiting:
            self._timer.setInterval(0)
            self.begun.emit()

    def close(self) -> None:
        """Close those that were made, and make no more."""
        self._timer.stop()
        for panel in self._panels:
            if panel.made is not None:
                panel.made.close_panel()

    def _make_next(self) -> None:
        self.begin()
        waiting = self._waiting = [panel for panel in self._waiting if panel.made is None]
        if not waiting:
            self._timer.stop()
            return
        seen = (panel for panel in waiting if not panel.part.visibleRegion().isEmpty())
        panel = next(seen, waiting[0])
        waiting.remove(panel)  # at once: one that cannot be made is not tried again and again
        panel()
