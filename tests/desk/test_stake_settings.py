"""How the user stakes is kept, checked and changed at once in the dialog."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from oddsdesk.desk.dialogs.stake_dialog import StakeDialog
from oddsdesk.desk.layout import Layout
from oddsdesk.desk.stake_settings import StakeSettings
from oddsdesk.pricing.stakes import StakePlan


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "desk.ini")


def test_a_plan_is_there_at_the_next_start(layout: Layout) -> None:
    plan = StakePlan(2_500.0, 0.3, 0.05, keeps_to_limit=False, step=0.5)
    StakeSettings(layout).choose(plan)
    assert StakeSettings(layout).plan == plan


@pytest.mark.parametrize(
    ("key", "word"), [("bankroll", "much"), ("kelly_share", "3"), ("step", "nan"), ("cap", "-1")]
)
def test_a_value_that_makes_no_sense_gives_way_to_the_default(
    layout: Layout, key: str, word: str, caplog: pytest.LogCaptureFixture
) -> None:
    StakeSettings(layout).choose(StakePlan(bankroll=500.0, cap=0.1))
    layout.put(f"stakes/{key}", word)
    plan = StakeSettings(layout).plan
    assert getattr(plan, key) == getattr(StakePlan(), key)
    assert f"stakes/{key}" in caplog.text
    assert plan.bankroll == (StakePlan().bankroll if key == "bankroll" else 500.0)


def test_the_dialog_changes_the_plan_as_it_is_typed(layout: Layout, qtbot: QtBot) -> None:
    settings = StakeSettings(layout)
    dialog = StakeDialog(settings)
    qtbot.addWidget(dialog)
    dialog.share.setValue(30)
    dialog.bankroll.setValue(2_000)
    dialog.cap.setValue(1.5)
    dialog.limit.setCheckState(Qt.CheckState.Unchecked)
    dialog.step.setCurrentIndex(dialog.step.findData(1.0))
    assert settings.plan == StakePlan(2_000.0, 0.3, 0.015, keeps_to_limit=False, step=1.0)
    again = StakeDialog(settings)
    qtbot.addWidget(again)
    assert (again.share.value(), again.cap.value()) == (30, 1.5)
    assert again.step.currentData() == 1.0
