"""The choice of numbers and dates: saved, applied at once, and as the system by default."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QLocale, Qt

from oddsdesk.base.numbers import (
    COMMA,
    DAY_FIRST,
    MONTH_FIRST,
    POINT,
    YEAR_FIRST,
    Style,
    choose_numbers,
)
from oddsdesk.desk.matrix.cells import best_hold_cell
from oddsdesk.desk.navigator.panel import DayPopup
from oddsdesk.desk.settings import declared, numbers
from oddsdesk.desk.settings.dialog import SettingsDialog
from oddsdesk.desk.settings.numbers import chosen_style, system_style
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.top_bar import OddsFormat
from oddsdesk.desk.ui import formatting
from oddsdesk.desk.ui.chart.painter import even
from oddsdesk.desk.ui.controls.fields import DecimalSpin
from oddsdesk.desk.ui.table.cell_painter import TextCache
from oddsdesk.pricing.formats import OddsFormatError

_LATE_MS = 1_777_149_900_000


def _choose(preferences: Preferences, decimal="comma", hours="12", dates="month", first="sunday"):
    for setting, word in zip(
        declared.NUMBERS.settings, (decimal, hours, dates, first), strict=True
    ):
        preferences.keep_setting(setting, word)


@pytest.mark.parametrize(
    ("name", "decimal", "is_24h", "dates", "first"),
    [
        ("de_DE", COMMA, True, DAY_FIRST, 0),
        ("es_ES", COMMA, True, DAY_FIRST, 0),
        ("en_GB", POINT, True, DAY_FIRST, 0),
        ("en_US", POINT, False, MONTH_FIRST, 6),
        ("sv_SE", COMMA, True, YEAR_FIRST, 0),
        ("C", POINT, True, DAY_FIRST, 0),
    ],
)
def test_the_system_has_its_own_style(name, decimal, is_24h, dates, first):
    expected = Style(decimal, is_24h, dates, first, is_chosen=True)
    assert system_style(QLocale(name)) == expected


def test_a_system_without_a_language_writes_as_the_texts_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert system_style(QLocale.c()).decimal == POINT
    monkeypatch.setattr(numbers, "language", lambda: "de")
    assert system_style(QLocale.c()).decimal == COMMA
    assert system_style(QLocale("en_GB")).decimal == POINT


def test_settings_without_the_choice_are_as_the_system_has_it(tmp_path):
    path = tmp_path / "desk.ini"
    path.write_text("[look]\nscheme=dark\n[prices]\nodds_format=american\n[numbers]\nhours=25\n")
    preferences = Preferences(Layout(path))
    assert preferences.get_setting(declared.ODDS_FORMAT) == "american"
    assert chosen_style(preferences.get_setting) == system_style()


def test_a_choice_is_saved_and_applied_at_once(qtbot, layout):
    preferences = Preferences(layout)
    chosen = OddsFormat(preferences)
    with qtbot.waitSignals([chosen.changed] * 4):
        _choose(preferences)
    expected = Style(COMMA, is_24h=False, dates=MONTH_FIRST, first_weekday=6, is_chosen=True)
    assert chosen_style(Preferences(layout).get_setting) == expected
    assert formatting.odds_text(2.1) == "2,10"
    assert formatting.exact_odds_text(2.125) == "2,125"
    assert formatting.signed_text(3.25) == "+3,3"
    assert formatting.window_text(1.9, 2.5) == "1,900 – 2,500"
    assert formatting.amount_text(1_234_567) == "1,2M"
    assert formatting.read_odds(formatting.typed_text(2.125)) == 2.125
    assert formatting.moment_text(_LATE_MS).endswith(("AM", "PM"))


def test_american_odds_that_may_be_decimal_are_refused(american_odds: None) -> None:
    assert formatting.read_odds("1,500") == 16
    choose_numbers(Style(COMMA, is_chosen=True))
    assert (formatting.read_odds("+1,500"), formatting.read_odds("1,85")) == (16, 1.85)
    with pytest.raises(OddsFormatError, match="1,500 may mean thousands: write them without a co"):
        formatting.read_odds("1,500")


def test_the_dialog_shows_an_example_of_the_choice(theme, preferences, window):
    dialog = SettingsDialog(theme, preferences, window)
    assert "1,234.50 EUR" in dialog.example.text()
    _choose(preferences)
    assert dialog.example.text() == ("2,10 · 1.234,50 EUR · +3,2 % · Sat Apr 25, 2026 8:45 PM")


def test_figures_align_and_stay_short_with_a_decimal_comma(theme):
    texts = TextCache(theme.fonts.body)
    assert (texts.lay("1.925").hang, texts.lay("1,925").hang) == (texts.hang, 0)
    choose_numbers(Style(COMMA))
    texts.follow_marks()
    assert (texts.lay("1.925").hang, texts.lay("1,925").hang) == (0, texts.hang)
    assert even(["1,9", "2", "2,25"]) == ["1,90", "2,00", "2,25"]
    assert best_hold_cell(SimpleNamespace(best_hold=11.93)).text == "+11 %"


def test_a_field_shows_and_takes_the_decimal_comma(qtbot, layout):
    preferences = Preferences(layout)
    chosen = OddsFormat(preferences)
    _choose(preferences)
    assert chosen.style == "decimal"
    field = DecimalSpin(decimals=2, least=0, most=50)
    qtbot.addWidget(field)
    field.setValue(2.25)
    assert field.text() == "2,25"
    field.selectAll()
    qtbot.keyClicks(field, "3.5")
    field.interpretText()
    assert (field.value(), field.text()) == (3.5, "3,50")


def test_a_calendar_begins_with_the_chosen_day(layout, window):
    preferences = Preferences(layout)
    chosen = OddsFormat(preferences)
    _choose(preferences)
    assert DayPopup(window, _LATE_MS).calendar.firstDayOfWeek() is Qt.DayOfWeek.Sunday
    _choose(preferences, first="monday")
    assert DayPopup(window, _LATE_MS).calendar.firstDayOfWeek() is Qt.DayOfWeek.Monday
    assert chosen.style == "decimal"
