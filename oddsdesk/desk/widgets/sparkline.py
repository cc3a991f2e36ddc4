"""A price path small enough for a cell: laid out once, drawn many times."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPolygonF

Run = Sequence[tuple[float, float]]
"""Corners of a line, both coordinates 0..1: left to right, low to high."""


class Sparkline:
    """Unbroken runs of a path; keeps its shape for the size it was last drawn in."""

    __slots__ = ("_size", "_where", "runs", "shapes")

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = runs
        self.shapes: list[QPolygonF] = []
        self._size = self._where = (-1, -1)

    def laid_in(self, left: int, top: int, width: int, height: int) -> list[QPolygonF]:
        """Return the lines in a rectangle."""
        if (width, height) != self._size:
            self._size, self._where = (width, height), (left, top)
            self.shapes = [
                QPolygonF(
                    [
                        QPointF(round(left + x * (width - 1)), round(top + (1 - y) * (height - 1)))
                        for x, y in run
                    ]
                )
                for run in self.runs
            ]
        elif (left, top) != self._where:
            by = QPointF(left - self._where[0], top - self._where[1])
            self._where = (left, top)
            for shape in self.shapes:
                shape.translate(by)
        return self.shapes
