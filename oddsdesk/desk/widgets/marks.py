"""Small marks beside texts: arrows of movement and the sign of a fold."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap, QPolygonF

MARK = 7
"""Size of a mark in device-independent pixels."""
_UP = ((0, 6), (7, 6), (3.5, 1))
_DOWN = ((0, 1), (7, 1), (3.5, 6))
_RIGHT = ((1.5, 0), (1.5, 7), (6.5, 3.5))


class Marks:
    """Draws each mark once for each colour and pixel ratio."""

    def __init__(self) -> None:
        self._drawn: dict[tuple[tuple[tuple[float, float], ...], int, float], QPixmap] = {}

    def arrow(self, direction: int, colour: QColor, ratio: float) -> QPixmap:
        """Return a triangle that points up for 1 and down for -1."""
        return self._mark(_UP if direction > 0 else _DOWN, colour, ratio)

    def fold(self, is_folded: bool, colour: QColor, ratio: float) -> QPixmap:
        """Return a triangle that points right where rows are hidden, else down."""
        return self._mark(_RIGHT if is_folded else _DOWN, colour, ratio)

    def _mark(
        self, corners: tuple[tuple[float, float], ...], colour: QColor, ratio: float
    ) -> QPixmap:
        key = (corners, colour.rgba(), ratio)
        drawn = self._drawn.get(key)
        if drawn is None:
            drawn = self._drawn[key] = _triangle(corners, colour, ratio)
        return drawn


def _triangle(corners: tuple[tuple[float, float], ...], colour: QColor, ratio: float) -> QPixmap:
    drawn = QPixmap(round(MARK * ratio), round(MARK * ratio))
    drawn.setDevicePixelRatio(ratio)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
    painter.end()
    return drawn
