"""Where the navigator's competitions end and their games begin."""

from typing import Final

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.theme.theme import Theme

_HEIGHT: Final = 260
_KEPT_AFTER_MS: Final = 500


class Split(QSplitter):
    """Gives the upper part the height that the user gave it, as much larger as texts are."""

    def __init__(self, theme: Theme, layout: Layout, upper: QWidget, lower: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, handleWidth=1, childrenCollapsible=False)
        self._theme = theme
        self._saved = Saved(layout, "navigator/upper_height", int, _HEIGHT)
        self._height = self._saved.get()
        """At texts of 100 %."""
        self._keep_soon = QTimer(self, singleShot=True, interval=_KEPT_AFTER_MS)
        self._keep_soon.timeout.connect(lambda: self._saved.put(self._height))
        self.addWidget(upper)
        self.addWidget(lower)
        self.setStretchFactor(1, 1)
        self.splitterMoved.connect(self._on_splitter_moved)
        theme.changed.connect(self._fit)

    def _fit(self) -> None:
        """Lay both out; games have half of the height, however large texts are."""
        whole = self.height()
        upper = min(self._theme.fonts.scaled(self._height), max(self._height, whole // 2))
        self.setSizes([upper, whole - upper])

    def _on_splitter_moved(self) -> None:
        self._height = round(self.sizes()[0] * 100 / self._theme.text_size)
        self._keep_soon.start()

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
