"""Number fields whose texts stand in one line with those of other fields."""

from typing import Final, TypeVar

from PySide6.QtWidgets import QAbstractSpinBox

from oddsdesk.desk.theme.spacing import STEP

_BORDER: Final = 1
"""A number field's editor begins at its outer edge, others' within the border."""
_Spin = TypeVar("_Spin", bound=QAbstractSpinBox)


def inset(spin: _Spin) -> _Spin:
    """Set the text of a number field in from its edge: Qt's style sheets do not reach it."""
    spin.lineEdit().setTextMargins(STEP + _BORDER, 0, 0, 0)
    return spin
