"""Garbage is collected on the window's thread only.

Python collects wherever an allocation tips a counter, the server's thread included; a Qt
object that dies there takes timers and sockets of the window's thread with it and the
process crashes. So the automatic collector is off, and a timer collects instead.
"""

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 250
WHOLE_MS = 600_000
"""Milliseconds between two full collections; the youngest generation is collected often."""
_YOUNG = 2_000


class Garbage(QObject):
    """Collects from now on, until it is deleted; made on the thread that owns the widgets."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect_young)
        self._timer.start()
        self._wholes = QTimer(self, interval=WHOLE_MS)
        self._wholes.timeout.connect(gc.collect)
        self._wholes.start()

    def collect_young(self) -> None:
        """Collect the youngest generation, where enough objects gathered.

        Objects that survive wait for the full collection: one of the middle generation would
        hold the window up as long.
        """
        if gc.get_count()[0] > _YOUNG:
            gc.collect(0)
