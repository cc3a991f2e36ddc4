"""The icon set: SVG files of ``resources/icons``, drawn in the colour asked for."""

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from oddsdesk.resource_files import resource_path

SIZE = 16
_SCALES = (1, 2, 3)


@cache
def icon(name: str, colour: str) -> QIcon:
    """Return an icon of the set, such as ``search``, in one colour.

    Raises:
        FileNotFoundError: the set has no icon of that name.
    """
    made = QIcon()
    for scale in _SCALES:
        made.addPixmap(pixmap(name, colour, SIZE, scale))
    return made


@cache
def pixmap(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    """Return an icon of ``size`` device-independent pixels for a screen of that pixel ratio."""
    text = resource_path("icons", f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(text.replace("currentColor", colour).encode()))
    drawn = QPixmap(round(size * ratio), round(size * ratio))
    drawn.setDevicePixelRatio(ratio)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return drawn
