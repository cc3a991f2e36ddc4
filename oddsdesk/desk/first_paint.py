"""Says once when the first prices are on the screen: the figure that start-up is judged by."""

import logging

from PySide6.QtCore import QEvent, QObject

from oddsdesk.desk.widgets.live_table import LiveTable

_log = logging.getLogger(__name__)


class FirstPaint(QObject):
    """Watches a table until it paints a row; then logs it and lets go."""

    def __init__(self, table: LiveTable) -> None:
        super().__init__(table)
        self._table = table
        self._viewport = table.scrolling.viewport()
        self._viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and self._table.model.rowCount():
            _log.info("first prices painted")
            self._viewport.removeEventFilter(self)
        return False
