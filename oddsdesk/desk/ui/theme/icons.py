"""The icon set: SVG files of ``resources/icons``, drawn in the colour asked for."""

from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt, QTemporaryDir
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
def icon_file(name: str, colour: str) -> str:
    """Return a path of an icon in one colour, for style sheets: they take files only."""
    folder = _drawn_folder()
    text = _source(name).replace("currentColor", colour)
    file = Path(folder.path()) / f"{name}-{colour.removeprefix('#')}.svg"
    file.write_text(text, encoding="utf-8")
    return file.as_posix()


@cache
def pixmap(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    """Return an icon of ``size`` device-independent pixels for a screen of that pixel ratio."""
    drawn = QPixmap(round(size * ratio), round(size * ratio))
    drawn.setDevicePixelRatio(ratio)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    _drawing(name, colour).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return drawn


@cache
def _drawing(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))


def _source(name: str) -> str:
    return resource_path("icons", f"{name}.svg").read_text(encoding="utf-8")


@cache
def _drawn_folder() -> QTemporaryDir:
    """A folder of this run; it goes with the program."""
    return QTemporaryDir()
