"""The settings dialog: every setting that is declared, holding at once."""

import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QScrollArea, QSpinBox, QSystemTrayIcon

from oddsdesk.desk.settings.declared import BANKROLL, KELLY_SHARE, SCHEME, SECTIONS, TEXT_SIZE, TRAY
from oddsdesk.desk.settings.dialog import SettingsDialog, WholeField


def test_every_declared_setting_is_in_the_dialog_with_its_name_and_help(theme, preferences, window):
    dialog = SettingsDialog(theme, preferences, window)
    for setting in (each for section in SECTIONS for each in section.settings):
        control = dialog.controls[setting.key]
        assert control.accessibleName() == setting.label
        assert control.accessibleDescription().startswith(setting.help)


def test_no_setting_is_cut_at_the_right(theme, preferences, window):
    dialog = SettingsDialog(theme, preferences, window)
    dialog.show()
    area = dialog.findChild(QScrollArea)
    assert area.widget().minimumSizeHint().width() <= area.viewport().width()
    assert area.horizontalScrollBar().maximum() == 0


def test_where_there_is_no_tray_going_on_in_it_is_grey_says_why_and_stays_as_it_was_set(
    theme, preferences, window, monkeypatch
):
    preferences.keep_setting(TRAY, True)
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: False)
    dialog = SettingsDialog(theme, preferences, window)
    box = dialog.controls[TRAY.key]
    assert (box.isEnabled(), box.isChecked()) == (False, True)
    for said in (box.toolTip(), box.accessibleDescription()):
        assert "This desktop has no tray, so closing the window quits oddsdesk." in said
    notes = [label.text() for label in dialog.findChildren(QLabel)]
    assert f"{TRAY.help} {box.toolTip()}" in notes
    dialog.reject()
    assert preferences.get_setting(TRAY)
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
    assert (preferences.get_setting(SCHEME), preferences.get_setting(TEXT_SIZE)) == ("light", 120)
    dialog.restore_defaults()
    assert (preferences.get_setting(SCHEME), preferences.get_setting(TEXT_SIZE)) == ("system", 100)
    assert (scheme.currentData(), size.value()) == ("system", 100)


def test_a_setting_changed_elsewhere_is_shown(theme, preferences, window):
    dialog = SettingsDialog(theme, preferences, window)
    toggles = {key: box for key, box in dialog.controls.items() if isinstance(box, QCheckBox)}
    setting = next(s for section in SECTIONS for s in section.settings if s.key in toggles)
    preferences.keep_setting(setting, not setting.default)
    assert toggles[setting.key].isChecked() is not setting.default


@pytest.mark.parametrize(
    ("setting", "typed", "expected"),
    [
        (
            BANKROLL,
            "0",
            "0 is not valid: enter a whole number from 1 to 1,000,000,000. It stays 1,000.",
        ),
        (BANKROLL, "-50", "-50 is not valid: enter a whole number from 1 to"),
        (KELLY_SHARE, "-3", "-3 is not valid: enter a whole number from 1 to 100 %. It stays 25."),
        (KELLY_SHARE, "250", "250 is not valid: enter a whole number from 1 to 100 %"),
        (
            KELLY_SHARE,
            "12.5",
            "12.5 is not valid: enter a whole number from 1 to 100 %. It stays 25.",
        ),
        (BANKROLL, "2500,50", "2500,50 is not valid: enter a whole number from 1 to"),
        (BANKROLL, "1000.50", "1000.50 is not valid: enter a whole number from 1 to"),
        (BANKROLL, "2.500", "2.500 is not valid: enter a whole number from 1 to"),
        (BANKROLL, "5k", "5k is not valid: enter a whole number from 1 to"),
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
    assert preferences.get_setting(setting) == field.value() == setting.default
    field.selectAll()
    qtbot.keyClicks(field, "7")
    field.interpretText()
    assert not field.fault.isVisible()
    assert preferences.get_setting(setting) == 7


@pytest.mark.parametrize("typed", ["25,000", "25000", "25 000", "€25,000", "25.000,00"])
def test_a_bankroll_is_typed_as_people_write_it(theme, preferences, window, qtbot, typed):
    field = SettingsDialog(theme, preferences, window).controls[BANKROLL.key]
    assert isinstance(field, WholeField)
    field.lineEdit().setText(typed)
    field.interpretText()
    assert preferences.get_setting(BANKROLL) == 25_000


def test_a_setting_is_gone_to_where_it_is_below_what_is_shown(theme, preferences, window, qtbot):
    dialog = SettingsDialog(theme, preferences, window)
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.open()
    last = SECTIONS[-1].settings[-1].key
    assert dialog.controls[last].visibleRegion().isEmpty()
    dialog.go_to_setting(last)
    assert not dialog.controls[last].visibleRegion().isEmpty()
    assert dialog.focusWidget() is dialog.controls[last]
