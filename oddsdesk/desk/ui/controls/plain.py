"""Showing foreign text literally: no markup, no mnemonics, no ``[*]`` of window titles (D85)."""

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
    """Return a text escaped for a button, menu or tab, so that it shows as it is.

    There ``&`` marks the letter of a mnemonic and a tab stands before a shortcut.
    """
    return text.translate(_BREAKS).replace("&", "&&")


def literal_title(text: str) -> str:
    """Return a text escaped for a window title, where ``[*]`` marks changes."""
    return text.translate(_BREAKS).replace("[*]", "[*][*]")
