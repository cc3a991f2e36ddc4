"""A window of its own for one game."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from oddsdesk.desk.tab_order import step_focus
from oddsdesk.desk.widgets.plain import literal_title

_SIZE = (1_000, 640)


class GameWindow(QWidget):
    """Holds the panel of a game that was taken out of the tabs."""

    closed = Signal()
    """The user closed it."""

    def __init__(self, title: str, panel: QWidget) -> None:
        super().__init__()
        self.setWindowTitle(literal_title(f"{title} – oddsdesk"))
        self.panel = panel
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(panel)
        panel.show()
        available = self.screen().availableGeometry()
        self.resize(min(_SIZE[0], available.width()), min(_SIZE[1], available.height()))

    # Qt's virtuals

    def focusNextPrevChild(self, forward: bool) -> bool:
        return step_focus([self.panel], forward=forward)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
        self.closed.emit()
