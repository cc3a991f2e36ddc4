"""How the user stakes follows the settings at once."""

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.desk.settings.declared import (
    BANKROLL,
    FLASH,
    GAME_CAP,
    KELLY_SHARE,
    OUTCOME_CAP,
    STAKE_STEP,
    STAKES,
    TOTAL_CAP,
)
from oddsdesk.desk.settings.dialog import SettingsDialog
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.stake_settings import StakeSettings
from oddsdesk.pricing.exposure import StakePlan


def test_at_first_the_plan_is_the_careful_one(preferences: Preferences) -> None:
    assert StakeSettings(preferences).plan == StakePlan()


def test_the_plan_follows_every_setting(preferences: Preferences) -> None:
    settings = StakeSettings(preferences)
    heard: list[StakePlan] = []
    settings.changed.connect(lambda: heard.append(settings.plan))
    for setting, value in (
        (BANKROLL, 2_500), (KELLY_SHARE, 30), (OUTCOME_CAP, 5), (GAME_CAP, 7), (TOTAL_CAP, 40),
        (STAKE_STEP, "0.5"),
    ):  # fmt: skip
        preferences.put(setting, value)
    assert len(heard) == 6
    assert heard[-1] == StakePlan(
        bankroll=2_500, kelly_share=0.3, outcome_cap=0.05, game_cap=0.07, total_cap=0.4, step=0.5
    )
    preferences.put(FLASH, False)
    assert len(heard) == 6


def test_stakes_alone_are_asked_for_in_a_small_dialog(
    preferences: Preferences, theme: Theme, qtbot: QtBot
) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    dialog = SettingsDialog(theme, preferences, owner, (STAKES,))
    assert dialog.windowTitle() == "Stakes"
    assert set(dialog.controls) == {setting.key for setting in STAKES.settings}
