"""Heights and widths that grow with the size of texts."""

from collections.abc import Callable
from typing import Final, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QAbstractSpinBox, QWidget

from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import STEP


class Scaled(QObject):
    """Scales a size of a widget, given for texts of 100 %, with the size of texts."""

    def __init__(
        self, widget: QWidget, theme: Theme, size: int, give: Callable[[int], object]
    ) -> None:
        super().__init__(widget)
        self._theme = theme
        self._size = size
        self._give = give
        theme.changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        self._give(self._theme.fonts.scaled(self._size))


def resize_scaled(window: QWidget, theme: Theme, width: int, height: int) -> None:
    """Size a window for the size of texts, within the screen."""
    room, scaled = window.screen().availableGeometry(), theme.fonts.scaled
    window.resize(min(scaled(width), room.width()), min(scaled(height), room.height()))


def scale_height(widget: QWidget, theme: Theme, height: int) -> None:
    """Give a widget a fixed height that grows with the size of texts."""
    Scaled(widget, theme, height, widget.setFixedHeight)


def scale_least_width(
    widget: QWidget, theme: Theme, width: int, *, most_share: float = 1.0
) -> None:
    """Give a widget a least width that grows with the size of texts, up to a share of the screen.

    It is never less than ``width``.
    """
    most = max(width, round(widget.screen().availableGeometry().width() * most_share))
    Scaled(widget, theme, width, lambda wanted: widget.setMinimumWidth(min(wanted, most)))


def scale_most_width(widget: QWidget, theme: Theme, width: int) -> None:
    """Give a widget a greatest width that grows with the size of texts."""
    Scaled(widget, theme, width, widget.setMaximumWidth)


_BORDER: Final = 1
"""The editor of a number field begins at its outer edge, those of others within the border."""
_Spin = TypeVar("_Spin", bound=QAbstractSpinBox)


def inset(spin: _Spin) -> _Spin:
    """Set the text of a number field in from its edge: Qt's style sheets do not reach it."""
    spin.lineEdit().setTextMargins(STEP + _BORDER, 0, 0, 0)
    return spin
