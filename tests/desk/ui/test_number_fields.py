"""Fields for numbers take what is typed as it is typed, or refuse it whole."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QToolTip

from oddsdesk.desk.ui.controls.fields import DecimalSpin


@pytest.fixture(autouse=True)
def german() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale("de_DE"))
    yield
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("2.5", 2.5),
        ("2,5", 2.5),
        ("12", 12.0),
        ("7.", 7.0),
        ("-3,5", -3.5),
        ("2.55", 1.0),
        ("1.234,5", 1.0),
        ("25x", 1.0),
        ("200", 1.0),
        ("-", 1.0),
    ],
)
def test_a_comma_is_a_point_and_what_does_not_fit_is_refused_whole(qtbot, typed, value):
    field = DecimalSpin(decimals=1, least=-100, most=100)
    qtbot.addWidget(field)
    field.setPrefix("EV ")
    field.setSuffix(" %")
    field.setValue(1.0)
    field.selectAll()
    qtbot.keyClicks(field, typed)
    field.interpretText()
    assert field.value() == value
    assert field.text() == f"EV {value:.1f} %".replace("-", "−")


def test_the_true_minus_is_read_and_written(qtbot):
    field = DecimalSpin(decimals=1, least=-100, most=100)
    qtbot.addWidget(field)
    field.lineEdit().setText("−3.")  # as if pasted
    field.interpretText()
    assert (field.value(), field.text()) == (-3.0, "−3.0")
    field.stepDown()
    assert (field.value(), field.text()) == (-4.0, "−4.0")


def test_the_word_for_the_least_is_taken(qtbot):
    field = DecimalSpin(decimals=0, least=0, most=100)
    qtbot.addWidget(field)
    field.setSpecialValueText("any")
    field.setValue(30)
    field.setValue(0)
    field.interpretText()
    assert (field.value(), field.text()) == (0, "any")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("1.500", "1.500 may mean thousands: write them without a point."),
        ("2000", "“2000” was not taken: enter a number from 0.0 to 1,000.0."),
        ("much", "“much” was not taken: enter a number from 0.0 to 1,000.0."),
    ],
)
def test_a_number_that_is_not_taken_is_told(qtbot, typed, said):
    field = DecimalSpin(decimals=1, least=0, most=1_000)
    qtbot.addWidget(field)
    field.setSuffix(" %")
    field.setValue(30)
    field.show()
    field.lineEdit().setText(f"{typed} %")
    field.interpretText()
    assert field.value() == 30
    qtbot.waitUntil(lambda: QToolTip.text() == said)
    QToolTip.hideText()


def test_a_figure_that_may_be_thousands_is_told_while_it_is_typed(qtbot):
    field = DecimalSpin(decimals=2, least=0, most=10_000)
    qtbot.addWidget(field)
    field.setSuffix(" EUR")
    field.show()
    field.selectAll()
    qtbot.keyClicks(field, "1.500")
    assert QToolTip.text() == "1.500 may mean thousands: write them without a point."
    qtbot.keyClicks(field, ",5")
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
    field.interpretText()
    assert field.value() == 1500.5


def test_a_number_that_is_taken_needs_no_word(qtbot):
    field = DecimalSpin(decimals=1, least=0, most=10_000)
    qtbot.addWidget(field)
    field.show()
    field.lineEdit().setText("1.500,5")
    field.interpretText()
    assert (field.value(), QToolTip.text()) == (1500.5, "")
