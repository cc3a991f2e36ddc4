"""What stands where there is nothing to show: an icon, one sentence, and what to do."""

from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

_ICON = 32


class EmptyState(NamedTuple):
    """Why there is nothing to show, and what to do; without ``action`` there is no button."""

    icon: str
    sentence: str
    detail: str = ""
    action: str = ""
    ink: TextRole = TextRole.NOTE


class Placeholder(QWidget):
    """A state in words; each state has an icon of its own, so that no two look alike."""

    action_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = EmptyState("info", "")
        self.setProperty("variant", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        centred = Qt.AlignmentFlag.AlignCenter
        self._icon = Label(alignment=centred)
        self._sentence = Label(alignment=centred, wordWrap=True)
        self._sentence.setFont(theme.fonts.medium)
        self._detail = Label(alignment=centred, wordWrap=True)
        self._detail.setProperty("variant", "note")
        self._action = QPushButton()
        self._action.clicked.connect(self.action_requested)
        column = QVBoxLayout(self)
        column.setSpacing(spacing.STEP)
        column.addStretch(2)
        for widget in (self._icon, self._sentence, self._detail):
            column.addWidget(widget)
        column.addWidget(self._action, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        theme.changed.connect(self._show_icon)

    def say(self, state: EmptyState) -> None:
        """Show a state."""
        self._state = state
        self._sentence.setText(state.sentence)
        self._detail.setText(state.detail)
        self._detail.setVisible(bool(state.detail))
        self._action.setText(state.action)
        self._action.setVisible(bool(state.action))
        self._show_icon()

    def _show_icon(self) -> None:
        ratio = self.devicePixelRatioF()
        state = self._state
        self._icon.setPixmap(self._theme.pixmap(state.icon, _ICON, ratio, state.ink))
