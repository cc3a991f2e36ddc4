"""A field with a list of choices, which the wheel scrolls past."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox


class ChoiceBox(QComboBox):
    """Offers choices; the wheel, meant for the page, leaves the chosen one and the focus."""

    def __init__(self, *args: Any, **properties: Any) -> None:
        super().__init__(*args, **properties)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # Qt's virtuals

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
