"""Text that others wrote is text: never markup, never a mnemonic, never a window's mark (D85)."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

_BREAKS = str.maketrans("\t\r\n", "   ")


class Label(QLabel):
    """A label that shows its text letter by letter; every label of the desk is one.

    Qt's own takes a text that looks like HTML for HTML, and reads the files that it names.
    """

    def __init__(self, *args: Any, **properties: Any) -> None:
        super().__init__(*args, **properties)
        self.setTextFormat(Qt.TextFormat.PlainText)


def literal(text: str) -> str:
    """Return what a button, menu or tab is given so that it shows a text as it is.

    There ``&`` marks the letter of a mnemonic and a tab stands before a shortcut.
    """
    return text.translate(_BREAKS).replace("&", "&&")


def literal_title(text: str) -> str:
    """Return what a window is given so that it shows a text as it is: ``[*]`` marks changes."""
    return text.translate(_BREAKS).replace("[*]", "[*][*]")
