"""The bar above a list: what changes in it lays out the bar, and not the window."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from oddsdesk.desk.ui.controls.scaling import scale_height
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import BAR, LEAD, STEP


class ListBar(QWidget):
    """Holds controls in a ``line``, and asks its panel for a height only.

    What is laid out has its parent laid out, up to the window, whether or not it takes another
    room: a button that comes, goes or counts further did so several times a second. So the bar has
    no layout; it gives the line its room by itself.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        scale_height(self, theme, BAR)
        self._room = QWidget(self)
        self.line = QHBoxLayout(self._room)
        self.line.setContentsMargins(LEAD, 0, LEAD, 0)
        self.line.setSpacing(STEP)

    def parts(self) -> list[QWidget]:
        """Return what stands in the line, hidden parts too."""
        return self._room.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._room.setGeometry(self.rect())
