"""Settings: declared once; defaults, checks and the documentation come from that."""

import logging
from pathlib import Path

import pytest

from oddsdesk.cli.own_records import own_setting
from oddsdesk.desk.settings.declared import (
    BANKROLL,
    FLASH,
    METHOD,
    MINE,
    SCHEME,
    SECTIONS,
    TEXT_SIZE,
)
from oddsdesk.desk.settings.dialog import settings_page
from oddsdesk.desk.settings.saved_state import Layout, Preferences

DECLARED = [setting for section in SECTIONS for setting in section.settings]
DOCUMENT = Path(__file__).parents[3] / "docs" / "settings.md"


def test_the_documentation_is_what_the_program_declares():
    assert DOCUMENT.read_text(encoding="utf-8") == settings_page(), (
        "run: python -m oddsdesk.desk.settings.dialog > docs/settings.md"
    )


def test_no_two_settings_are_kept_under_one_key():
    keys = [setting.key for setting in DECLARED]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("setting", DECLARED, ids=lambda setting: setting.key)
def test_what_was_never_set_has_a_default_that_the_setting_may_have(setting, preferences):
    assert setting.kind.parse_word(setting.kind.word_of(setting.default)) == setting.default
    assert preferences.get_setting(setting) == setting.default


def test_a_value_is_kept_between_starts(tmp_path, qapp):
    Preferences(Layout(tmp_path / "desk.ini")).keep_setting(TEXT_SIZE, 120)
    assert Preferences(Layout(tmp_path / "desk.ini")).get_setting(TEXT_SIZE) == 120


def test_names_of_bookmakers_come_back_and_a_command_reads_the_same(qapp):
    names = ("Betfair Exchange UK", "a|b, c; d=e", '"quoted" 100 %', "Bücher", "@b", "[x]", "#1")
    Preferences(Layout()).keep_setting(MINE, names)
    assert Preferences(Layout()).get_setting(MINE) == names
    assert own_setting(MINE) == names


def test_a_command_reads_what_the_desk_keeps(qapp):
    for setting, value in ((BANKROLL, 2_500), (METHOD, "power"), (FLASH, False)):
        Preferences(Layout()).keep_setting(setting, value)
        assert own_setting(setting) == value


def test_a_change_is_told_once_and_only_if_it_is_one(preferences):
    heard: list[str] = []
    preferences.changed.connect(heard.append)
    preferences.keep_setting(FLASH, False)
    preferences.keep_setting(FLASH, False)
    assert heard == [FLASH.key]


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        (SCHEME, "purple"),
        (FLASH, "maybe"),
        (TEXT_SIZE, "79"),
        (TEXT_SIZE, "161"),
        (TEXT_SIZE, "-"),
        (TEXT_SIZE, "٣"),
        (TEXT_SIZE, "9" * 5000),
        (METHOD, ""),
    ],
)
def test_a_kept_word_that_makes_no_sense_is_told_and_the_default_holds(
    setting, word, tmp_path, qapp, caplog
):
    layout = Layout(tmp_path / "desk.ini")
    layout.keep_word(setting.key, word)
    with caplog.at_level(logging.WARNING):
        assert Preferences(layout).get_setting(setting) == setting.default
    assert setting.key in caplog.text


def test_a_value_outside_its_range_is_not_kept(preferences):
    with pytest.raises(ValueError, match="from 80 to 160 %"):
        preferences.keep_setting(TEXT_SIZE, 0)
    assert preferences.get_setting(TEXT_SIZE) == TEXT_SIZE.default
