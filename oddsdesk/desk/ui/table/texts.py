"""Texts laid out once and drawn many times."""

import math
import re
from typing import Final

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QStaticText

_KEPT = 5_000
"""About a kilobyte each, for each font of each table."""
_THOUSANDTHS: Final = re.compile(r"(?:\? )?[+−]?\d+\.\d\d\d")
"""A figure whose third decimal stands right of a column's two, so that points align."""
_LINE: Final = re.compile(r" [+−-]?\d[\d.,:/]*$")
"""The line of a selection: ``Over 2.5`` is nothing without it."""


class Laid(msgspec.Struct, frozen=True):
    """A text laid out in one font; ``width`` in device-independent pixels."""

    static: QStaticText
    width: int
    hang: int = 0
    """Pixels of the third decimal, where the text is a figure with three."""


class TextCache:
    """Lays out texts in one font and keeps them."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self.metrics = QFontMetricsF(font)
        self.height = round(self.metrics.height())
        self.hang = round(self.metrics.horizontalAdvance("0"))
        """What a third decimal takes."""
        self._laid: dict[str, Laid] = {}
        self._elided: dict[tuple[str, int, bool], Laid] = {}

    def lay(self, text: str) -> Laid:
        """Return the text laid out whole."""
        laid = self._laid.get(text)
        if laid is None:
            laid = self._laid[text] = self._make(text)
        return laid

    def fit(self, text: str, width: int, *, keeps_line: bool = True) -> Laid:
        """Return the text laid out in at most ``width`` pixels; what is longer loses its end.

        With ``keeps_line`` a figure at the end stays: ``Charlotte Hornets -3.5`` loses letters of
        its name.
        """
        laid = self._laid.get(text) or self.lay(text)
        if laid.width - laid.hang <= width:
            return laid
        key = text, width, keeps_line
        elided = self._elided.get(key)
        if elided is None:
            elided = self._elided[key] = self._make(self._shorter(*key))
        return elided

    def _shorter(self, text: str, width: int, keeps_line: bool) -> str:
        cut = self.metrics.elidedText
        line = _LINE.search(text) if keeps_line else None
        if line is not None:
            room = width - self.metrics.horizontalAdvance(line.group())
            name = cut(text[: line.start()], Qt.TextElideMode.ElideRight, room)
            if name:
                return name + line.group()
        return cut(text, Qt.TextElideMode.ElideRight, width)

    def _make(self, text: str) -> Laid:
        if len(self._laid) + len(self._elided) > _KEPT:
            self._laid.clear()
            self._elided.clear()
        static = QStaticText(text)
        static.setTextFormat(Qt.TextFormat.PlainText)
        static.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
        static.prepare(font=self.font)
        hang = self.hang if _THOUSANDTHS.fullmatch(text) else 0
        return Laid(static, math.ceil(static.size().width()), hang)
