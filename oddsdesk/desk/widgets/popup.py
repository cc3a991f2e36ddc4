"""A frame that stands below the widget that asked for it."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from oddsdesk.desk.theme import spacing
from oddsdesk.desk.widgets.plain import Label


class Popup(QFrame):
    """A frame that stands below a widget until one clicks elsewhere or presses Escape."""

    def __init__(self, parent: QWidget, title: str) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("look", "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(title)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(*[spacing.GAP] * 4)
        self.column.setSpacing(spacing.STEP)
        heading = Label(title)
        heading.setProperty("look", "soft")
        self.column.addWidget(heading)

    def open_below(self, widget: QWidget) -> None:
        """Show it below a widget, within the screen."""
        self.adjustSize()
        corner = widget.mapToGlobal(QPoint(0, widget.height() + spacing.HALF))
        room = widget.screen().availableGeometry()
        corner.setX(max(room.left(), min(corner.x(), room.right() - self.width())))
        corner.setY(max(room.top(), min(corner.y(), room.bottom() - self.height())))
        self.move(corner)
        self.show()
