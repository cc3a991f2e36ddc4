"""Fields for numbers that take what is typed as it is typed, or refuse it whole.

Qt's own pass over characters that do not fit, so that 2.5 typed for a whole number is 25, and
take the wheel, and the keyboard with it, which is meant for the page.
"""

import re
from typing import Final

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox

_WHOLE: Final = re.compile(r"-?(\d{1,12}|\d{1,3}(,\d{3}){1,3})", re.ASCII)
_DECIMAL: Final = re.compile(r"-?\d{1,12}([.,]\d*)?", re.ASCII)

_State = tuple[QValidator.State, str, int]


class WholeSpin(QSpinBox):
    """A whole number, with commas between thousands or without; anything else is refused."""

    def __init__(self) -> None:
        super().__init__()
        self.setLocale(QLocale.c())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)

    def typed(self, text: str) -> str:
        """Return what stands before the unit."""
        return text.removesuffix(self.suffix()).strip()

    # Qt's virtuals

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page scrolls

    def validate(self, text: str, position: int) -> _State:
        typed = self.typed(text)
        fits = bool(_WHOLE.fullmatch(typed)) and self._holds(self.valueFromText(text))
        return _state(text, position, fits=fits)

    def valueFromText(self, text: str) -> int:
        return int(self.typed(text).replace(",", ""))

    def fixup(self, text: str) -> str:
        return text

    def _holds(self, value: int) -> bool:
        return self.minimum() <= value <= self.maximum()


class DecimalSpin(QDoubleSpinBox):
    """A number with a point or a comma before its decimals; anything else is refused."""

    def __init__(self, *, decimals: int, least: float, most: float, step: float = 1.0) -> None:
        super().__init__(decimals=decimals, minimum=least, maximum=most, singleStep=step)
        self.setLocale(QLocale.c())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)  # or 200 of at most 100 would stay at 20

    # Qt's virtuals

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page scrolls

    def validate(self, text: str, position: int) -> _State:
        is_special = bool(self.specialValueText()) and text == self.specialValueText()
        number = _DECIMAL.fullmatch(self._typed(text))
        fits = is_special or (
            number is not None
            and len(number[1] or "") <= self.decimals() + 1
            and self.minimum() <= self.valueFromText(text) <= self.maximum()
        )
        return _state(text, position, fits=fits)

    def valueFromText(self, text: str) -> float:
        if self.specialValueText() and text == self.specialValueText():
            return self.minimum()
        return float(self._typed(text).replace(",", "."))

    def fixup(self, text: str) -> str:
        return text

    def _typed(self, text: str) -> str:
        return text.removeprefix(self.prefix()).removesuffix(self.suffix()).strip()


def _state(text: str, position: int, *, fits: bool) -> _State:
    """What does not fit can be typed all the same, and is refused when the field is left."""
    state = QValidator.State.Acceptable if fits else QValidator.State.Intermediate
    return state, text, position
