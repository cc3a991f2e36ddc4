"""What stands where there is nothing to show: an icon, one sentence, and what to do."""

from typing import NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

_ICON = 32
_ANY_WIDTH = 10_000


class EmptyState(NamedTuple):
    """Why there is nothing to show, and what to do; without ``action`` there is no button."""

    icon: str
    sentence: str
    detail: str = ""
    action: str = ""
    ink: TextRole = TextRole.NOTE


class Placeholder(QWidget):
    """A state in words; each state has an icon of its own, so that no two look alike.

    Where it is low the icon goes, then what to do, which the sentence tells when it is pointed at:
    a window would be higher than its screen otherwise.
    """

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
        column = self._column = QVBoxLayout(self)
        column.setSpacing(spacing.STEP)
        column.addStretch(2)
        for widget in (self._icon, self._sentence, self._detail):
            column.addWidget(widget)
        column.addWidget(self._action, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        theme.changed.connect(self._show)

    def say(self, state: EmptyState) -> None:
        """Show a state; the one that is shown lays out nothing anew."""
        if state == self._state:
            return
        self._state = state
        self._sentence.setText(state.sentence)
        self._detail.setText(state.detail)
        self._action.setText(state.action)
        self._action.setVisible(bool(state.action))
        self._show()

    def _show(self) -> None:
        ratio, state = self.devicePixelRatioF(), self._state
        self._icon.setPixmap(self._theme.pixmap(state.icon, _ICON, ratio, state.ink))
        self._fit()
        self.updateGeometry()

    def _fit(self) -> None:
        """Show as much as there is room for."""
        width = self._column.contentsRect().width()
        room = self.height() - self._least_height(width)
        detail = self._detail.heightForWidth(width) + spacing.STEP if self._state.detail else 0
        icon = self._icon.sizeHint().height() + spacing.STEP
        is_whole = detail <= room
        self._detail.setVisible(is_whole and bool(detail))
        self._icon.setVisible(detail + icon <= room)
        self._sentence.setToolTip("" if is_whole else self._state.detail)

    def _least_height(self, width: int) -> int:
        """Return how high the sentence and the action are."""
        margins = self._column.contentsMargins()
        action = self._action.sizeHint().height() + spacing.STEP if self._state.action else 0
        return self._sentence.heightForWidth(width) + action + margins.top() + margins.bottom()

    # Qt's virtuals

    def minimumSizeHint(self) -> QSize:
        # Behind another tab it is as narrow as it was made, which says nothing of its lines; Qt
        # leaves docks there visible, out of the window.
        is_seen = not self.visibleRegion().isEmpty()
        width = self._column.contentsRect().width() if is_seen else _ANY_WIDTH
        return QSize(super().minimumSizeHint().width(), self._least_height(width))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
