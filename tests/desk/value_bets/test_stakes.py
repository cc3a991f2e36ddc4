"""Stakes of value bets: the user's plan and its bounds, and bets marked as placed."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from oddsdesk.contract.identity import game_id
from oddsdesk.desk.settings.declared import BANKROLL, KELLY_SHARE, STAKE_CAP, STAKE_STEP
from oddsdesk.desk.value_bets.actions import PlacedDialog
from oddsdesk.desk.value_bets.model import STAKE_COLUMN
from oddsdesk.desk.value_bets.panel import ValuesPanel
from oddsdesk.desk.value_bets.records import Records
from oddsdesk.slices import exhaust
from tests.kit.value_bets import bet, row


def test_stakes_follow_the_plan_at_once(panel: ValuesPanel, quoted: Any) -> None:
    exhaust(quoted.board.merge_value_bets([bet(quoted, liquidity=None)]))
    assert row(panel)["Stake"] == "6.00"
    panel._preferences.put(BANKROLL, 10_000)
    panel._preferences.put(STAKE_STEP, "1")
    assert row(panel)["Stake"] == "60.00"


@pytest.mark.parametrize(
    ("odds", "limit", "stake", "why"),
    [
        # p = 1/2.05 - 0.0197/2 = 0.4779549; (2.15 p - 1) / 1.15 = 2.40026 % of 1000, 30 % of it
        (2.15, None, "7.20", "Stake 7.20"),
        (2.15, 10.0, "7.20", "Stake 7.20"),
        # (2.30 p - 1) / 1.30 = 7.63818 %, 30 % of it 22.91: above the cap of 2 %
        (2.30, None, "20.00", "Stake 20.00, held at the cap"),
        (2.30, 10.0, "10.00", "Stake 10.00, held at the reference's limit"),
    ],
)
def test_kelly_the_cap_and_the_limit_bound_the_stake(
    panel: ValuesPanel, quoted: Any, odds: float, limit: float | None, stake: str, why: str
) -> None:
    for setting, value in ((BANKROLL, 1_000), (KELLY_SHARE, 30), (STAKE_CAP, 2)):
        panel._preferences.put(setting, value)
    exhaust(quoted.board.merge_value_bets([bet(quoted, odds, liquidity=limit)]))
    assert row(panel)["Stake"] == stake
    assert panel.table.model.tip(0, STAKE_COLUMN).endswith(why)


def test_a_bet_is_marked_as_placed_shown_as_placed_and_taken_back(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    panel.table.set_current(0)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_P)
    dialog = panel.findChild(PlacedDialog)
    assert dialog is not None
    assert (dialog.odds.value(), dialog.stake.value()) == (2.15, 3.0)
    dialog.stake.setValue(2.5)
    with qtbot.waitSignal(records.bets_changed):
        dialog.accept()
    assert row(panel)["Stake"] == "✓ 2.50"
    assert "Placed 2.50 on Over 2.5 at Unibet" in panel.messages.text
    (placed,) = records.placed((game_id("SERA", "Milan - Inter"), "total", 0, "Over 2.5", "Unibet"))
    assert placed.placed_at == quoted.clock.now
    assert placed.true_ev == pytest.approx(1.74, abs=1e-2)
    assert placed.method == "margin_proportional"
    with qtbot.waitSignal(records.bets_changed):
        panel.messages.action_requested.emit()
    assert row(panel)["Stake"] == "3.00"
