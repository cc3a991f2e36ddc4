"""Labels and buttons whose changing text does not lay out the window again."""

import re
from typing import Any, Final

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolButton, QWidget

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, ngettext
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

_BREAKS = str.maketrans("\t\r\n", "   ")


class Label(QLabel):
    """A label that shows its text letter by letter; every label of the desk is one.

    Qt's own takes a text that looks like HTML for HTML, and reads the files that it names.
    """

    def __init__(self, *args: Any, **properties: Any) -> None:
        super().__init__(*args, **properties)
        self.setTextFormat(Qt.TextFormat.PlainText)


def literal(text: str) -> str:
    """Return a text escaped for a button, menu or tab, so that it shows as it is.

    There ``&`` marks the letter of a mnemonic and a tab stands before a shortcut.
    """
    return text.translate(_BREAKS).replace("&", "&&")


def literal_title(text: str) -> str:
    """Return a text escaped for a window title, where ``[*]`` marks changes."""
    return text.translate(_BREAKS).replace("[*]", "[*][*]")


def announce(widget: QWidget, text: str) -> None:
    """Have a screen reader speak a text, without moving the keyboard focus."""
    if text and QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


_STEP = 16


def steady_width(width: int) -> int:
    """Return the least step that has room for a width in pixels."""
    return -(-width // _STEP) * _STEP


_LEAST = 40


class ElidedLabel(Label):
    """Shows one line of plain text.

    It paints its text itself: ``QLabel.setText`` has the whole window laid out and painted
    again, which costs milliseconds where a figure moves several times a second.
    """

    _flags = Qt.TextFlag.TextSingleLine

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = self._shown = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def show_text(self, text: str) -> None:
        if text != self._whole:
            asked = self.sizeHint()
            self._whole = text
            self.setAccessibleName(text)
            if self.sizeHint() != asked:
                self.updateGeometry()
            self._elide()

    def text(self) -> str:
        """Return what is shown, elided where it does not fit."""
        return self._shown

    def width_of(self, text: str) -> int:
        """Return the pixels that a text takes here whole."""
        margins = self.contentsMargins()
        margin = margins.left() + margins.right() + 2
        return self.fontMetrics().horizontalAdvance(text) + margin

    def _height(self) -> int:
        """Return the pixels that a line takes; Qt keeps those of the font that it had first."""
        margins = self.contentsMargins()
        return self.fontMetrics().lineSpacing() + margins.top() + margins.bottom()

    def _elide(self) -> None:
        right, room = Qt.TextElideMode.ElideRight, self.contentsRect().width()
        shown = self.fontMetrics().elidedText(self._whole, right, room)
        if shown != self._shown:
            self._shown = shown
            self.update()
        self.setToolTip(self._whole if shown != self._whole else "")

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        width = steady_width(self.width_of(self._whole)) if self._whole else 0
        return QSize(width, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(_LEAST, self.sizeHint().width()), self._height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)  # the style's ground
        self.style().drawItemText(
            QPainter(self),
            self.contentsRect(),
            self.alignment() | self._flags,
            self.palette(),
            self.isEnabled(),
            self._shown,
            self.foregroundRole(),
        )


_BEFORE_UNIT: Final = re.compile(r"(?<=\d) (?=(?:s|min|h|d|pp)\b|%)")


class WrappedLabel(ElidedLabel):
    """Shows plain text whole, in as many lines as needed; lays out when their number changes."""

    _flags = Qt.TextFlag.TextWordWrap

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def text(self) -> str:
        """Return the text, which is always shown whole."""
        return self._whole

    def show_text(self, text: str) -> None:
        lines = self.heightForWidth(self.width())
        super().show_text(text)
        if self.heightForWidth(self.width()) != lines:
            self.updateGeometry()

    @property
    def _tied(self) -> str:
        """The text with each figure and its unit on one line."""
        return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", self._whole)

    def _elide(self) -> None:
        if self._shown != (tied := self._tied):
            self._shown = tied
            self.update()

    # Qt's virtuals

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        margins = self.contentsMargins()
        room = max(1, width - margins.left() - margins.right())
        flags = Qt.TextFlag.TextWordWrap
        taken = self.fontMetrics().boundingRect(0, 0, room, 10_000, flags, self._tied).height()
        return max(self._height(), taken + margins.top() + margins.bottom())


_BETWEEN = " · "


class FactsLabel(ElidedLabel):
    """Shows as many facts of a line as there is room for, each whole: "1…" may be 1 or 13."""

    def width_of_first(self, facts: int) -> int:
        """Return the pixels that the first facts take whole, in steps."""
        first = _BETWEEN.join(self._whole.split(_BETWEEN)[:facts])
        return steady_width(self.width_of(first)) if first else 0

    def _elide(self) -> None:
        facts, room = self._whole.split(_BETWEEN), self.contentsRect().width()
        shown = self._whole
        while facts and self.fontMetrics().horizontalAdvance(shown) > room:
            facts.pop()
            shown = _BETWEEN.join(facts)
        if shown != self._shown:
            self._shown = shown
            self.update()
        self.setToolTip(self._whole if shown != self._whole else "")

    # Qt's virtuals

    def minimumSizeHint(self) -> QSize:
        return QSize(min(2 * _LEAST, self.width_of_first(1)), self._height())


class SteadyButton(QToolButton):
    """Its width grows in steps, since each other width lays out and paints the whole window."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("variant", "plain")

    def show_text(self, text: str) -> bool:
        """Show another text; return whether that takes another width."""
        if text == self.text():
            return False
        self.setText(text)
        return self._fit()

    def _fit(self) -> bool:
        asked = self.sizeHint()
        differs = asked != self.size()
        if differs:
            self.setFixedSize(asked)
        return differs

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        asked = super().sizeHint()
        return QSize(steady_width(asked.width()), asked.height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()


class SortButton(SteadyButton):
    """Says how many rows would move if a list were sorted, and is pressed to sort it."""

    def __init__(self) -> None:
        super().__init__()
        self.setToolTip(_("Re-sort: put rows in order, drop old ones (S)"))
        self.setAccessibleName(_("Re-sort"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_waiting(self, rows: int, *, in_short: bool = False) -> bool:
        """Say how many rows would move; return whether that takes another width."""
        count = f"{num(rows):,}"
        if in_short:
            return self.show_text(_("Sort {rows}").format(rows=count))
        text = ngettext("{rows} change – re-sort (S)", "{rows} changes – re-sort (S)", rows)
        return self.show_text(text.format(rows=count))


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
