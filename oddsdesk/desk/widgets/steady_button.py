"""A button whose text counts, and which mostly keeps its width while it does."""

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QToolButton

from oddsdesk.desk.widgets.steady_width import steady_width


class SteadyButton(QToolButton):
    """Is of a fixed size, in steps: else each count lays out and paints its window anew."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("look", "plain")

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
