"""One line for expected trouble: what happened, and what to do."""

from typing import Final, NamedTuple

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from oddsdesk.base.texts import _
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.controls.labels import Label, announce
from oddsdesk.desk.ui.theme.theme import SIZE, Theme
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
        self._cancel = QPushButton(_("Cancel"), autoDefault=True)
        self._cancel.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._close = QToolButton(autoRaise=True)
        self._close.setProperty("variant", "plain")
        self._close.setAccessibleName(_("Close this message"))
        self._close.setToolTip(_("Close this message"))
        self._close.clicked.connect(self._on_close_clicked)
        self._cancel.clicked.connect(self._close.click)
        if not closable:
            self._close.setEnabled(False)  # for Escape, too
            self._close.hide()
        self._passing = QTimer(self, singleShot=True, interval=_PASSING_MS)
        self._passing.timeout.connect(self._on_passing_timeout)
        self._before: QWidget | None = None
        """The widget with the focus when the message appeared."""
        line = spacing.horizontal(
            self,
            margins=(spacing.GAP, spacing.HALF, spacing.STEP, spacing.HALF),
            spacing=spacing.STEP,
        )
        line.addWidget(self._icon)
        line.addWidget(self._text, 1)
        line.addWidget(self._action)
        line.addWidget(self._cancel)
        line.addWidget(self._close)
        theme.changed.connect(self._show_icons)
        self.hide()

    @property
    def message_text(self) -> str:
        """What the bar says, or said last."""
        return self._text.text()

    def show_message(
        self,
        text: str,
        *,
        icon: str = "info",
        action: str = "",
        ink: TextRole = TextRole.SOFT,
        passes: bool = False,
    ) -> None:
        """Show a message, in place of the one before; without ``action`` there is no button.

        ``passes``: it disappears by itself, but not while the pointer or keyboard focus is on it.
        """
        if not self._has_focus():
            self._before = QApplication.focusWidget()
        (self._passing.start if passes else self._passing.stop)()
        self._icon_name, self._ink = icon, ink
        self._text.setText(text)
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self._cancel.hide()
        self._show_icons()
        self.show()
        announce(self, text)

    def hide_action(self) -> None:
        """Hide the button; the text stays."""
        self._action.hide()

    def ask_question(self, text: str, action: str, *, is_grave: bool = False) -> None:
        """Show a question with the keyboard on its answer; Escape is no.

        ``is_grave``: there is no way back, so the keyboard is on Cancel.
        """
        self.show_message(text, icon="warning", action=action, ink=TextRole.DOWN)
        self._cancel.setVisible(is_grave)
        button = self._cancel if is_grave else self._action
        button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_icons(self) -> None:
        ratio = self.devicePixelRatioF()
        self._icon.setPixmap(self._theme.pixmap(self._icon_name, SIZE, ratio, self._ink))
        self._close.setIcon(self._theme.icon("close", TextRole.NOTE))

    def _has_focus(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    def _on_close_clicked(self) -> None:
        """Close and return the focus; Qt would pass it to the next widget, or to none."""
        had_focus, before = self._has_focus(), self._before
        self.hide()
        if had_focus and before is not None and isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.closed.emit()

    def _on_passing_timeout(self) -> None:
        if self.underMouse() or self._has_focus():
            self._passing.start()
        else:
            self.hide()

    # Qt's virtuals

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._close.click()
        else:
            super().keyPressEvent(event)


def sentence(text: str) -> str:
    """Return a message as a full sentence."""
    end = "" if text.endswith(("?", "!")) else "."
    return f"{capitalized(text.rstrip('.'))}{end}"


def capitalized(text: str) -> str:
    """Return a text with a capital at its beginning; the rest keeps its own."""
    return f"{text[:1].upper()}{text[1:]}"


_ICON = 32
_ANY_WIDTH = 10_000


def message_area(name: str, *parts: QWidget) -> tuple[QScrollArea, QWidget]:
    """Return a fixed area for messages that come and go, so that no button moves, and its page.

    A click on a button that moved would hit something else. ``name`` is for screen readers. The
    caller sets the height; longer content scrolls.
    """
    lines = QWidget()
    spacing.vertical(lines, *parts, spacing=spacing.STEP).addStretch(1)
    area = QScrollArea(widgetResizable=True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setAccessibleName(name)
    area.setWidget(lines)
    return area, lines


class EmptyState(NamedTuple):
    """Why there is nothing to show, and what to do; without ``action`` there is no button."""

    icon: str
    sentence: str
    detail: str = ""
    action: str = ""
    ink: TextRole = TextRole.NOTE


class Placeholder(QWidget):
    """A state in words; each state has a different icon.

    If it is low it hides the icon, then the advice, which becomes the sentence's tooltip.
    Otherwise the window could be higher than its screen.
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

    @property
    def action(self) -> str:
        """What its button offers; empty where there is none."""
        return self._state.action

    def show_state(self, state: EmptyState) -> None:
        """Show a state; showing the same one again costs no layout."""
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
