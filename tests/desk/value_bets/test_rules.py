"""Rules of the desk's own list: they are told, they hold at once, and there is a way back."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import (
    MAX_AGE_IN_PLAY,
    MAX_MARGIN,
    MIN_EV,
    VALUE_RULES,
    list_rules,
)
from oddsdesk.desk.settings.dialog import SettingsDialog
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.app import Effects
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.panel import ValuesPanel
from oddsdesk.pricing.value import SERVICE_RULES
from tests.kit.value_bets import be_value, facts


@pytest.fixture
def preferences(layout: Layout) -> Preferences:
    return Preferences(layout)


@pytest.fixture
def ruled(
    theme: Theme,
    quoted: Any,
    layout: Layout,
    records: Records,
    preferences: Preferences,
    qtbot: QtBot,
) -> Iterator[ValuesPanel]:
    quoted.board.set_connection(Connection(link=Link.LIVE, has_value_bets=True))
    effects = Effects(preferences, theme, quoted.board)
    made = ValuesPanel(quoted.board, theme, quoted.clock, preferences, layout, records)
    effects.setParent(made)
    qtbot.addWidget(made)
    made.resize(1_118, 260)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close_panel()


def test_a_minimum_ev_of_ones_own_lists_at_once_is_told_and_reset(
    ruled: ValuesPanel, quoted: Any, preferences: Preferences, qtbot: QtBot
) -> None:
    be_value(quoted, 2.03)  # EV +1.5 %
    qtbot.waitUntil(lambda: facts(ruled).startswith("0 · "))
    assert not ruled.rules.isVisible()
    preferences.keep_setting(MIN_EV, 1.3)
    qtbot.waitUntil(lambda: facts(ruled).startswith("1 · "))
    assert "EV ≥ 1.3 %" in facts(ruled)
    assert ruled.rules.isVisible()
    assert "minimum EV 1.3 % (2.01 %)" in ruled.rules.message_text
    ruled.rules.action_requested.emit()
    qtbot.waitUntil(lambda: facts(ruled).startswith("0 · "))
    assert not ruled.rules.isVisible()
    assert quoted.board.basis.rules is SERVICE_RULES


def test_what_the_service_lists_does_not_follow_ones_own_rules(
    ruled: ValuesPanel, quoted: Any, preferences: Preferences, qtbot: QtBot
) -> None:
    be_value(quoted)  # EV +3 %
    qtbot.waitUntil(lambda: facts(ruled).startswith("1 · "))
    preferences.keep_setting(MIN_EV, 4.0)
    qtbot.waitUntil(lambda: facts(ruled).startswith("0 · "))
    (entry,) = quoted.board.value_bets.values()
    assert (entry.is_in_contract, entry.is_value) == (True, False)


def test_only_what_differs_from_the_service_is_a_rule_of_ones_own(preferences: Preferences) -> None:
    assert list_rules(preferences.get_setting) == SERVICE_RULES
    preferences.keep_setting(MAX_MARGIN, 8.0)
    preferences.keep_setting(MAX_AGE_IN_PLAY, 30)
    found = list_rules(preferences.get_setting)
    assert (found.max_overround, found.max_payout) == (pytest.approx(1.08), pytest.approx(1.08))
    assert (found.max_age_of(in_play=True), found.max_age_of(in_play=False)) == (30_000, 900_000)
    assert found.min_edge == SERVICE_RULES.min_edge


def test_the_dialog_sets_them_and_restores_the_services(
    theme: Theme, preferences: Preferences, ruled: ValuesPanel
) -> None:
    dialog = SettingsDialog(theme, preferences, ruled, (VALUE_RULES,))
    control: Any = dialog.controls[MIN_EV.key]
    assert control.value() == 2.01
    control.setValue(0.5)
    assert preferences.get_setting(MIN_EV) == 0.5
    dialog.restore_defaults()
    assert (control.value(), preferences.get_setting(MIN_EV)) == (2.01, 2.01)
    dialog.reject()


@pytest.mark.parametrize("word", ["", "nan", "1e1", "60", "-1", "1.234", "2,5"])
def test_a_kept_figure_that_makes_no_sense_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="expected a number from 0 to 50 %"):
        MIN_EV.kind.parse_word(word)
