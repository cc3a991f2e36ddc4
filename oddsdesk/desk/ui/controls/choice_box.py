"""A field with a list of choices, which the wheel scrolls past."""

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox


class ChoiceBox(QComboBox):
    """Offers choices; the wheel leaves the chosen one, since it is meant for the page."""

    # Qt's virtuals

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
