"""The style that all is drawn with: Qt's Fusion, in which no label guesses at markup."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProxyStyle


class PlainStyle(QProxyStyle):
    """Makes the labels that Qt makes itself, such as a tooltip's, show their text letter by letter.

    Every label is polished before it measures its text, and a tooltip's before it gets one. So
    none is rich text by its looks; who wants rich text has to say so.
    """

    def __init__(self) -> None:
        super().__init__("Fusion")

    # Qt's virtuals

    def polish(self, what: Any) -> Any:
        """Take part in what Qt does with a widget before it is first shown."""
        polished = super().polish(what)
        if isinstance(what, QLabel) and what.textFormat() is Qt.TextFormat.AutoText:
            what.setTextFormat(Qt.TextFormat.PlainText)
        return polished
