"""The wheel scrolls a page of fields, and changes none that comes under the pointer."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

import oddsdesk.desk
from oddsdesk.desk.ui.controls.fields import ChoiceBox, DecimalSpin, WholeSpin


def choices() -> ChoiceBox:
    box = ChoiceBox(editable=True)
    box.addItems(["Power", "Shin", "Published"])
    box.setCurrentIndex(1)
    return box


def whole() -> WholeSpin:
    spin = WholeSpin()
    spin.setValue(25)
    return spin


def decimal() -> DecimalSpin:
    spin = DecimalSpin(decimals=1, least=0, most=100)
    spin.setValue(2.5)
    return spin


@pytest.mark.parametrize("make", [choices, whole, decimal])
def test_the_wheel_changes_no_field(
    make: Callable[[], QComboBox | QAbstractSpinBox], qtbot: QtBot
) -> None:
    field = make()
    qtbot.addWidget(field)
    field.show()
    field.setFocus(Qt.FocusReason.TabFocusReason)
    before = said(field)
    for turn in (120, -120):
        middle = QPointF(field.rect().center())
        wheel = QWheelEvent(
            middle, field.mapToGlobal(middle), QPoint(), QPoint(0, turn),
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase,
            False,
        )  # fmt: skip
        QApplication.sendEvent(field, wheel)
        assert not wheel.isAccepted(), "the page has it"
        assert said(field) == before


@pytest.mark.parametrize("make", [choices, whole, decimal])
def test_the_wheel_leaves_the_keyboard_where_it_is(
    make: Callable[[], QComboBox | QAbstractSpinBox], qtbot: QtBot
) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    typed, field = QLineEdit(), make()
    column = QVBoxLayout(page)
    column.addWidget(typed)
    column.addWidget(field)
    page.show()
    qtbot.waitUntil(page.isActiveWindow)
    typed.setFocus()
    QTest.wheelEvent(page.windowHandle(), field.geometry().center(), QPoint(0, -120))
    assert typed.hasFocus()
    QTest.keyClick(typed, Qt.Key.Key_Tab)
    assert field.hasFocus()
    typed.setFocus()
    where = field.geometry().center()
    QTest.mouseClick(page.windowHandle(), Qt.MouseButton.LeftButton, pos=where)
    assert page.focusWidget() is field


def said(field: QComboBox | QAbstractSpinBox) -> str:
    return field.currentText() if isinstance(field, QComboBox) else field.text()


def test_no_other_field_is_made() -> None:
    made = re.compile(r"\bQ(ComboBox|SpinBox|DoubleSpinBox|DateEdit|TimeEdit|DateTimeEdit)\(")
    files = list(Path(oddsdesk.desk.__file__).parent.rglob("*.py"))
    found = [
        path.name
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if made.search(line) and not line.startswith("class ")
    ]
    assert found == []
    assert len(files) > 100
