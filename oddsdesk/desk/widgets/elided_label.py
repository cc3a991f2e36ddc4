"""A label that gives way: what does not fit is elided and whole in the tooltip."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

_LEAST = 40


class ElidedLabel(QLabel):
    """Shows one line of plain text; names of two sides are best elided in the middle."""

    def __init__(
        self,
        parent: QWidget | None = None,
        elided: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(parent)
        self._whole = ""
        self._mode = elided
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def show_text(self, text: str) -> None:
        """Show another text."""
        if text != self._whole:
            self._whole = text
            self.setAccessibleName(text)
            self.updateGeometry()
            self._elide()

    def width_of(self, text: str) -> int:
        """Return the pixels that a text takes here whole."""
        margins = self.contentsMargins()
        beside = margins.left() + margins.right() + 2
        return self.fontMetrics().horizontalAdvance(text) + beside

    def _elide(self) -> None:
        shown = self.fontMetrics().elidedText(self._whole, self._mode, self.contentsRect().width())
        if shown != self.text():
            self.setText(shown)
        self.setToolTip(self._whole if shown != self._whole else "")

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        return QSize(self.width_of(self._whole), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(_LEAST, self.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()
