"""The settings dialog: every setting that is declared, holding at once."""

import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QSpinBox, QSystemTrayIcon

from oddsdesk.desk.settings.declared import (
    BANKROLL,
    KELLY_SHARE,
    SCHEME,
    SECTIONS,
    TEXT_SIZE,
    TRAY,
)
from oddsdesk.desk.settings.dialog import SettingsDialog, WholeField


def test_every_declared_setting_is_in_the_dialog_with_its_name_and_help(theme, preferences, window):
    dialog = SettingsDialog(theme, preferences, window)
    for setting in (each for section in SECTIONS for each in section.settings):
        control = dialog.controls[setting.key]
        assert control.accessibleName() == setting.label
        assert control.accessibleDescription().startswith(setting.help)


def test_where_there_is_no_tray_going_on_in_it_is_grey_says_why_and_stays_as_it_was_set(
    theme, preferences, window, monkeypatch
):
    preferences.put(TRAY, True)
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: False)
    dialog = SettingsDialog(theme, preferences, window)
    box = dialog.controls[TRAY.key]
    assert (box.isEnabled(), box.isChecked()) == (False, True)
    for said in (box.toolTip(), box.accessibleDescription()):
        assert "This desktop has no tray now: the program ends with its window." in said
    notes = [label.text() for label in dialog.findChildren(QLabel)]
    assert f"{TRAY.help} {box.toolTip()}" in notes
    dialog.reject()
    assert preferences.get(TRAY)
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    box = SettingsDialog(theme, preferences, window).controls[TRAY.key]
    assert (box.isEnabled(), box.isChecked(), box.toolTip()) == (True, True, "")


def test_what_is_chosen_holds_at_once_and_defaults_come_back(theme, preferences, window):
    dialog = SettingsDialog(theme, preferences, window)
    scheme, size = dialog.controls[SCHEME.key], dialog.controls[TEXT_SIZE.key]
    assert isinstance(scheme, QComboBox)
    assert isinstance(size, QSpinBox)
    scheme.setCurrentIndex(scheme.findData("light"))
    scheme.activated.emit(scheme.currentIndex())
    size.setValue(120)
    assert (preferences.get(SCHEME), preferences.get(TEXT_SIZE)) == ("light", 120)
    dialog.restore_defaults()
    assert (preferences.get(SCHEME), preferences.get(TEXT_SIZE)) == ("system", 100)
    assert (scheme.currentData(), size.value()) == ("system", 100)


def test_a_setting_changed_elsewhere_is_shown(theme, preferences, window):
    dialog = SettingsDialog(theme, preferences, window)
    toggles = {key: box for key, box in dialog.controls.items() if isinstance(box, QCheckBox)}
    setting = next(s for section in SECTIONS for s in section.settings if s.key in toggles)
    preferences.put(setting, not setting.default)
    assert toggles[setting.key].isChecked() is not setting.default


@pytest.mark.parametrize(
    ("setting", "typed", "expected"),
    [
        (BANKROLL, "0", "0: expected a whole number from 1 to 1,000,000,000; it stays 1,000."),
        (BANKROLL, "-50", "-50: expected a whole number from 1 to"),
        (KELLY_SHARE, "-3", "-3: expected a whole number from 1 to 100 %; it stays 25."),
        (KELLY_SHARE, "250", "250: expected a whole number from 1 to 100 %"),
        (KELLY_SHARE, "12.5", "12.5: expected a whole number from 1 to 100 %; it stays 25."),
        (BANKROLL, "2500,50", "2500,50: expected a whole number from 1 to"),
        (BANKROLL, "1000.50", "1000.50: expected a whole number from 1 to"),
        (BANKROLL, "2 500", "2 500: expected a whole number from 1 to"),
        (BANKROLL, "5k", "5k: expected a whole number from 1 to"),
    ],
)
def test_what_is_no_number_in_range_is_said_at_its_field_and_not_kept(
    theme, preferences, window, qtbot, setting, typed, expected
):
    dialog = SettingsDialog(theme, preferences, window)
    dialog.show()
    field = dialog.controls[setting.key]
    assert isinstance(field, WholeField)
    field.selectAll()
    qtbot.keyClicks(field, typed)
    assert not field.fault.isVisible()
    field.interpretText()
    assert field.fault.isVisible()
    assert field.fault.text().startswith(expected)
    assert preferences.get(setting) == field.value() == setting.default
    field.selectAll()
    qtbot.keyClicks(field, "7")
    field.interpretText()
    assert not field.fault.isVisible()
    assert preferences.get(setting) == 7


def test_thousands_may_stand_between_commas(theme, preferences, window, qtbot):
    field = SettingsDialog(theme, preferences, window).controls[BANKROLL.key]
    assert isinstance(field, WholeField)
    field.selectAll()
    qtbot.keyClicks(field, "25,000")
    field.interpretText()
    assert preferences.get(BANKROLL) == 25_000
