"""The ground of a row in a list that its delegate paints, the same in all lists."""

from typing import Final

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from oddsdesk.desk.ui.theme.tokens import SurfaceRole, Tokens

_BAR: Final = 3
"""Pixels of accent at the left of the chosen row."""


def paint_row_ground(
    painter: QPainter, option: QStyleOptionViewItem, tokens: Tokens, *, hovers: bool = False
) -> None:
    """Fill a row; the chosen one is marked, and with ``hovers`` the one under the mouse.

    The one that the keyboard is on has a frame.
    """
    is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
    ground = SurfaceRole.SELECTED if is_chosen else SurfaceRole.PANEL
    if hovers and not is_chosen and option.state & QStyle.StateFlag.State_MouseOver:
        ground = SurfaceRole.RAISED
    painter.fillRect(option.rect, QColor(tokens.ground(ground)))
    if is_chosen:
        bar = QRect(option.rect.left(), option.rect.top(), _BAR, option.rect.height())
        painter.fillRect(bar, QColor(tokens.accent))
    if option.state & QStyle.StateFlag.State_HasFocus:
        painter.setPen(QColor(tokens.accent))
        painter.drawRect(option.rect.adjusted(0, 0, -1, -1))
