"""Fields for numbers that take what is typed as it is typed, or refuse it whole.

Qt's own pass over characters that do not fit, so that 2.5 typed for a whole number is 25, and
take the wheel, and the keyboard with it, which is meant for the page.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from PySide6 import QtWidgets
from PySide6.QtCore import QLocale, Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent, QValidator, QWheelEvent

from oddsdesk.base.figures import FigureError, Habit, read_typed_amount
from oddsdesk.base.numbers import DAY_FIRST, MONTH_FIRST, num, number_style, with_marks
from oddsdesk.base.texts import _, translated
from oddsdesk.desk.ui.controls.messages import sentence
from oddsdesk.desk.ui.formatting import read_odds, style_word, typed_text
from oddsdesk.desk.ui.theme.theme import Theme, inset
from oddsdesk.desk.ui.theme.tokens import TextRole

_LONGEST: Final = 24
_SAY_MS: Final = 200
_HALF_TYPED: Final = re.compile(r"[-−]?\d{1,12}[.,]", re.ASCII)

_State = tuple[QValidator.State, str, int]


class WholeSpin(QtWidgets.QSpinBox):
    """A whole number as people type it: ``1500``, ``1,500``, ``€1,500``; others are refused."""

    def __init__(self) -> None:
        super().__init__()
        self.setLocale(QLocale.c())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)
        self.lineEdit().textEdited.connect(lambda text: _tell_edited(self, self.typed(text)))

    def typed(self, text: str) -> str:
        """Return what stands before the unit."""
        return text.removesuffix(self.suffix()).strip()

    # Qt's virtuals

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page scrolls

    def validate(self, text: str, position: int) -> _State:
        number = _figure(self.typed(text))
        fits = number is not None and number.is_integer() and self._holds(int(number))
        return _state(text, position, fits=fits)

    def valueFromText(self, text: str) -> int:
        return int(_figure(self.typed(text)) or 0)

    def fixup(self, text: str) -> str:
        _tell_refused(self, self.typed(text))
        return text

    def _holds(self, value: int) -> bool:
        return self.minimum() <= value <= self.maximum()


class DecimalSpin(QtWidgets.QDoubleSpinBox):
    """A number as people type it: ``2.5``, ``2,5``, ``1.500,50``; others are refused."""

    def __init__(self, *, decimals: int, least: float, most: float, step: float = 1.0) -> None:
        super().__init__(decimals=decimals, minimum=least, maximum=most, singleStep=step)
        self.setLocale(QLocale.c())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)  # or 200 of at most 100 would stay at 20
        self.lineEdit().textEdited.connect(lambda text: _tell_edited(self, self._typed(text)))

    # Qt's virtuals

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the page scrolls

    def validate(self, text: str, position: int) -> _State:
        is_special = bool(self.specialValueText()) and text == self.specialValueText()
        number = _figure(self._typed(text))
        fits = is_special or (
            number is not None
            and number == round(number, self.decimals())
            and self.minimum() <= number <= self.maximum()
        )
        return _state(text, position, fits=fits)

    def textFromValue(self, value: float) -> str:
        return with_marks(f"{value:.{self.decimals()}f}").replace("-", "−")

    def valueFromText(self, text: str) -> float:
        if self.specialValueText() and text == self.specialValueText():
            return self.minimum()
        return _figure(self._typed(text)) or 0.0

    def fixup(self, text: str) -> str:
        _tell_refused(self, self._typed(text))
        return text

    def _typed(self, text: str) -> str:
        return text.removeprefix(self.prefix()).removesuffix(self.suffix()).strip()


def _figure(text: str) -> float | None:
    """Return what a figure means; None for another text, or one that may be thousands."""
    if len(text) > _LONGEST:
        return None
    try:
        return read_typed_amount("", text[:-1] if _HALF_TYPED.fullmatch(text) else text)
    except FigureError:
        return None


def _thousands(typed: str) -> str:
    """Return why a figure that may be thousands is refused; empty for others."""
    try:
        read_typed_amount("", typed)
    except FigureError as error:
        return translated(str(error)) if "thousands" in str(error) else ""
    return ""


def _tell_edited(field: WholeSpin | DecimalSpin, typed: str) -> None:
    """Say below a field, while it is edited, that its figure may be thousands."""
    if why := _thousands(typed):
        _say_below(field, why)
    elif QtWidgets.QToolTip.text():
        QtWidgets.QToolTip.hideText()


def _tell_refused(field: WholeSpin | DecimalSpin, typed: str) -> None:
    """Say below a field why it goes back to its last number."""
    decimals = 0 if isinstance(field, WholeSpin) else field.decimals()
    least, most = (f"{num(each):,.{decimals}f}" for each in (field.minimum(), field.maximum()))
    text = _("“{typed}” was not taken: enter a number from {least} to {most}")
    why = _thousands(typed) or text.format(typed=typed, least=least, most=most)
    # after the click or the change of focus that would hide it
    QTimer.singleShot(_SAY_MS, field, lambda: _say_below(field, why))


def _say_below(field: QtWidgets.QWidget, text: str) -> None:
    if field.isVisible():
        below = field.mapToGlobal(field.rect().bottomLeft())
        QtWidgets.QToolTip.showText(below, sentence(text), field)


def _state(text: str, position: int, *, fits: bool) -> _State:
    """What does not fit can be typed all the same, and is refused when the field is left."""
    state = QValidator.State.Acceptable if fits else QValidator.State.Intermediate
    return state, text, position


def date_habit() -> Habit | None:
    """Return whether the user writes the day or the month first, for dates that may be both.

    None if the year is first: 08/09/2026 is then refused.
    """
    return {DAY_FIRST: Habit.DAY_FIRST, MONTH_FIRST: Habit.MONTH_FIRST}.get(number_style().dates)


class ChoiceBox(QtWidgets.QComboBox):
    """Offers choices; the wheel, meant for the page, leaves the chosen one and the focus.

    An editable one lists the choices that start with the typed text, but selects none: Qt would
    complete one bookmaker's name to another's.
    """

    def __init__(self, *args: Any, **properties: Any) -> None:
        super().__init__(*args, **properties)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        if (completer := self.completer()) is not None:
            completer.setCompletionMode(QtWidgets.QCompleter.CompletionMode.PopupCompletion)

    def setAccessibleName(self, name: str) -> None:
        """Name it, also in its description: on Linux Qt has the current choice for the name."""
        super().setAccessibleName(name)
        self.setAccessibleDescription(name)

    # Qt's virtuals

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


ANY: Final = _("Any")
"""What a field says whose bound is left open."""


def bound_spin(
    value: float | None, suffix: str, *, decimals: int, step: float, most: float, least: float = 0.0
) -> DecimalSpin:
    """Return a field for a bound; its least value leaves it open."""
    spin = inset(DecimalSpin(decimals=decimals, least=least, most=most, step=step))
    spin.setSuffix(suffix)
    spin.setSpecialValueText(ANY)
    spin.setValue(least if value is None else value)
    return spin


def given_bound(spin: DecimalSpin) -> float | None:
    """Return the bound as it is given, None where it is left open."""
    return None if spin.value() <= spin.minimum() else spin.value()


class OddsEdit(QtWidgets.QLineEdit):
    """Odds, none where it is empty; those filled in stand for themselves: they may be rounded."""

    def __init__(self, purpose: str, odds: float | None, placeholder: str) -> None:
        super().__init__("" if odds is None else typed_text(odds))
        self._filled_in = self.text(), odds
        self.setAccessibleName(purpose)
        self.setPlaceholderText(placeholder)
        self.setToolTip(_("{style} odds").format(style=style_word().capitalize()))

    def decimal_odds(self) -> float | None:
        """Return decimal odds.

        Raises:
            OddsFormatError: what was typed is none of the style of the desk.
        """
        text, odds = self._filled_in
        if self.text() == text:
            return odds
        return read_odds(self.text()) if self.text().strip() else None


class CheckList(QtWidgets.QListWidget):
    """Keys with their texts; Space ticks the current one."""

    def __init__(
        self,
        purpose: str,
        entries: Sequence[tuple[str, str]],
        ticked: Iterable[str],
        parent: QtWidgets.QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(purpose)
        self.setSpacing(2)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        wanted = set(ticked)
        for key, text in entries:
            item = QtWidgets.QListWidgetItem(text, self)
            item.setData(Qt.ItemDataRole.UserRole, key)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if key in wanted else Qt.CheckState.Unchecked)

    def ticked(self) -> tuple[str, ...]:
        """Return the keys that are ticked, in the order of the list."""
        items = (self.item(row) for row in range(self.count()))
        return tuple(
            item.data(Qt.ItemDataRole.UserRole)
            for item in items
            if item.checkState() is Qt.CheckState.Checked
        )


class FilterEdit(QtWidgets.QLineEdit):
    """A line edit whose placeholder says what it filters; that is its accessible name too."""

    def __init__(self, theme: Theme, purpose: str, parent: QtWidgets.QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._items: QtWidgets.QListWidget | None = None
        self.setPlaceholderText(purpose)
        self.setAccessibleName(purpose)
        self._search = QAction(self, toolTip=purpose)
        self.addAction(self._search, QtWidgets.QLineEdit.ActionPosition.LeadingPosition)
        self._clear = QAction(self, toolTip=_("Clear the filter"), visible=False)
        self.addAction(self._clear, QtWidgets.QLineEdit.ActionPosition.TrailingPosition)
        _name_buttons(self)
        self._clear.triggered.connect(self.clear)
        self.textChanged.connect(self._on_text_changed)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def lead_to(self, items: QtWidgets.QListWidget) -> None:
        """Let Down go from here to the items; the one where the keyboard is can be seen."""
        self._items = items
        items.currentItemChanged.connect(_select)

    def _on_text_changed(self, text: str) -> None:
        self._clear.setVisible(bool(text))

    def _on_theme_changed(self) -> None:
        self._search.setIcon(self._theme.icon("search", TextRole.NOTE))
        self._clear.setIcon(self._theme.icon("close", TextRole.NOTE))

    # Qt's virtuals

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down and self._items is not None:
            _enter(self._items)
        else:
            super().keyPressEvent(event)


def name_clear_button(edit: QtWidgets.QLineEdit) -> None:
    """Give the clear button that Qt makes in a line edit its tooltip and accessible name."""
    found = edit.findChild(QAction, "_q_qlineeditclearaction")
    if found is not None:
        found.setToolTip(_("Clear"))
    _name_buttons(edit)


def _name_buttons(edit: QtWidgets.QLineEdit) -> None:
    for button in edit.findChildren(QtWidgets.QToolButton):
        button.setAccessibleName(button.toolTip())


def _enter(items: QtWidgets.QListWidget) -> None:
    every = (items.item(row) for row in range(items.count()))
    first = next((item for item in every if not item.isHidden()), None)
    if first is not None:
        items.setCurrentItem(first)
        items.setFocus(Qt.FocusReason.TabFocusReason)


def _select(item: QtWidgets.QListWidgetItem | None) -> None:
    if item is not None:
        item.setSelected(True)
