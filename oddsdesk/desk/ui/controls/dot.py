"""A small round mark whose colour shows a state; words beside it say the same."""

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

_DIAMETER = 7.0


class Dot(QWidget):
    """A dot in the colour of an ink."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._ink = TextRole.NOTE
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_ink(self, ink: TextRole) -> None:
        """Take another colour."""
        if ink is not self._ink:
            self._ink = ink
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(_DIAMETER) + 2, round(_DIAMETER) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.colour(self._ink))
        painter.setBrush(self._theme.colour(self._ink))
        centre = QPointF(self.width() / 2, self.height() / 2)
        painter.drawEllipse(centre, _DIAMETER / 2, _DIAMETER / 2)
