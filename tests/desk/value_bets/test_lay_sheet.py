"""A lay of a price is asked for on a sheet of its own, and recorded as a lay bet."""

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.contract.resources import Offer
from oddsdesk.desk.bet_sheet import BetSheet
from oddsdesk.desk.records import Records
from oddsdesk.desk.value_bets.panel import ValuesPanel
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.pricing.profiles import Profile, Profiles


def lay(panel: ValuesPanel, quoted: Any, *lays: tuple[float, float]) -> None:
    quoted.board.set_profiles(Profiles([Profile(name="Matchbook", group="", commission=0.02)]))
    quoted.clock.now += 1
    book = Offer(back=((2.0, 55.0),), lay=lays, currency="GBP")
    quoted.tell_books("Matchbook", "total", {"Over 2.5": book})
    key = RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook")
    panel.place_lay(key, panel.actions_on_bet)


def test_a_lay_is_recorded_with_the_fair_odds_of_the_other_side(
    panel: ValuesPanel, quoted: Any, records: Records, qtbot: QtBot
) -> None:
    lay(panel, quoted, (2.05, 120.0))
    sheet = panel.findChild(BetSheet)
    assert isinstance(sheet, BetSheet)
    (row,) = sheet.rows
    assert (row.box.text(), row.odds.text(), row.stake.text()) == ("Lay Over 2.5", "2.05", "")
    assert not sheet.record.isEnabled()
    assert sheet.fault.text() == ""
    row.stake.setText("40")
    assert row.money.text() == "liability 42.00"
    assert sheet.profit.text().startswith("At worst −42.00")
    assert sheet.outcomes.text() == "Over 2.5 does not win +39.20 · Over 2.5 wins −42.00"
    with qtbot.waitSignal(panel.actions_on_bet.all_placed):
        sheet.accept()
    (bet,) = records.placed_bets()
    assert (bet.kind, bet.odds, bet.stake) == (BetKind.LAY, 2.05, 40)
    assert bet.liability == pytest.approx(42)
    assert bet.fair_odds == pytest.approx(2.0)
    assert bet.ev == pytest.approx((1 + 0.98 / 1.05) / 2 * 100 - 100, abs=1e-3)
    assert not bet.leg


def test_what_cannot_be_laid_any_more_is_said(panel: ValuesPanel, quoted: Any) -> None:
    lay(panel, quoted)
    assert panel.findChild(BetSheet) is None
    assert panel.messages.message_text == "That price is no longer available."
