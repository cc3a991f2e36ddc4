"""One line for expected trouble: what happened, and what to do."""

from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.icons import SIZE
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

_PASSING_MS: Final = 20_000
"""Time enough to read what was done, and to take it back."""


class MessageBar(QWidget):
    """A strip that is there only while it has something to say."""

    action_requested = Signal()
    closed = Signal()
    """The user closed it."""

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, closable: bool = True
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon_name = "info"
        self._ink = TextRole.NOTE
        self.setProperty("variant", "foot")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._icon = Label()
        self._text = Label(wordWrap=True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._action = QPushButton(autoDefault=True)  # Enter presses it, in a panel too
        self._action.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keyboard alone
        self._action.clicked.connect(self.action_requested)
        self._cancel = QPushButton("Cancel", autoDefault=True)
        self._cancel.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._close = QToolButton(autoRaise=True)
        self._close.setProperty("variant", "plain")
        self._close.setAccessibleName("Close this message")
        self._close.setToolTip("Close this message")
        self._close.clicked.connect(self.hide)
        self._close.clicked.connect(self.closed)
        self._cancel.clicked.connect(self._close.click)
        if not closable:
            self._close.setEnabled(False)  # for Escape, too
            self._close.hide()
        self._passing = QTimer(self, singleShot=True, interval=_PASSING_MS)
        self._passing.timeout.connect(self._on_passing_timeout)
        self._what_passes: QWidget = self
        line = QHBoxLayout(self)
        line.setContentsMargins(spacing.GAP, spacing.HALF, spacing.STEP, spacing.HALF)
        line.setSpacing(spacing.STEP)
        line.addWidget(self._icon)
        line.addWidget(self._text, 1)
        line.addWidget(self._action)
        line.addWidget(self._cancel)
        line.addWidget(self._close)
        theme.changed.connect(self._show_icons)
        self.hide()

    @property
    def text(self) -> str:
        """What the bar says, or said last."""
        return self._text.text()

    def say(
        self,
        text: str,
        *,
        icon: str = "info",
        action: str = "",
        ink: TextRole = TextRole.SOFT,
        passes: bool = False,
        action_passes: bool = False,
    ) -> None:
        """Show a message, in place of the one before; without ``action`` there is no button.

        ``passes``: it goes by itself, but not below the pointer nor while the keyboard is on it;
        ``action_passes``: its button does, and the text stays.
        """
        (self._passing.start if passes or action_passes else self._passing.stop)()
        self._what_passes = self._action if action_passes else self
        self._icon_name, self._ink = icon, ink
        self._text.setText(text)
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self._cancel.hide()
        self._show_icons()
        self.show()

    def ask(self, text: str, action: str, *, is_grave: bool = False) -> None:
        """Show a question with the keyboard on its answer; Escape is no.

        ``is_grave``: there is no way back, so the keyboard is on Cancel.
        """
        self.say(text, icon="warning", action=action, ink=TextRole.DOWN)
        self._cancel.setVisible(is_grave)
        button = self._cancel if is_grave else self._action
        button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_icons(self) -> None:
        ratio = self.devicePixelRatioF()
        self._icon.setPixmap(self._theme.pixmap(self._icon_name, SIZE, ratio, self._ink))
        self._close.setIcon(self._theme.icon("close", TextRole.NOTE))

    def _on_passing_timeout(self) -> None:
        focus = QApplication.focusWidget()
        if self.underMouse() or (focus is not None and self.isAncestorOf(focus)):
            self._passing.start()
        else:
            self._what_passes.hide()

    # Qt's virtuals

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._close.click()
        else:
            super().keyPressEvent(event)


def sentence(text: str) -> str:
    """Return a message as a sentence of its own."""
    end = "" if text.endswith(("?", "!")) else "."
    return f"{text[:1].upper()}{text[1:].rstrip('.')}{end}"
