"""A leg that is a lay: named so, with its backer's stake, recorded as a lay bet."""

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.contract.resources import Offer
from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
from oddsdesk.desk.opportunities.rows import OpportunityFilter, OpportunityPreset
from oddsdesk.desk.records import Records
from oddsdesk.desk.value_bets.actions import LegPlacer
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.opportunities_panel import look, record_sheet, sheet_of, shown

PROFILES = Profiles([Profile(name="Matchbook", group="Matchbook", commission=0.02)])


@pytest.fixture
def laid(panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot) -> OpportunitiesPanel:
    """Bovada backs Everton at 3.70; Matchbook takes 20 at 3.40 and 80 at 3.42, for 2 %."""
    quoted.board.set_profiles(PROFILES)
    quoted.clock.now += 1
    book = Offer(back=((3.35, 50.0),), lay=((3.40, 20.0), (3.42, 80.0)), currency="GBP")
    others = {
        name: Offer(back=((odds, 50.0),)) for name, odds in (("Draw", 3.4), ("Liverpool", 2.3))
    }
    quoted.tell_books("Matchbook", "moneyline", {"Everton": book, **others})
    quoted.tell("Bovada", "moneyline", "Everton", 3.70)
    look(panel, qtbot)
    return panel


def row_of(panel: OpportunitiesPanel, selection: str) -> int:
    return [row["Selection"] for row in shown(panel)].index(selection)


def stake_of(panel: OpportunitiesPanel, row: int) -> tuple[str, str]:
    """The stake of a row with the small figure."""
    cell = panel.model.cell(row, [column.key for column in panel.model.columns].index("stake"))
    return cell.text, cell.note


def test_a_lay_says_so_in_the_list_with_its_backers_stake_and_liability(
    laid: OpportunitiesPanel,
) -> None:
    row = row_of(laid, "Lay Everton")
    entry = laid.model.entry(row)
    told = shown(laid)[row]
    assert (told["Odds"], told["Bookmaker"]) == ("3.40", "Matchbook")
    # 20 at 3.40 are 48 of liability, the rest is at 3.42
    stake = 20 + (entry.stake - 20 * 2.40) / 2.42
    assert stake_of(laid, row) == (f"{stake:.2f}", f"{entry.stake:g} liability")
    tip = laid.model.tip(row, 0)
    assert tip.startswith("Lay Everton at Matchbook: 3.40\n")
    assert "Wins if Everton does not: " in tip
    assert f"liability {entry.stake:g}" in tip
    assert "Available to lay: 20.00 GBP at 3.4, 80.00 GBP at 3.42" in tip


def test_a_row_that_is_a_lay_is_selected_as_one(laid: OpportunitiesPanel, qtbot: QtBot) -> None:
    row = row_of(laid, "Lay Everton")
    with qtbot.waitSignal(laid.lay_selected) as chosen, qtbot.assertNotEmitted(laid.price_selected):
        laid.table.set_current(row)
    assert chosen.args == [laid.model.entry(row).leg.key]


def test_a_preset_leaves_lays_out(laid: OpportunitiesPanel, qtbot: QtBot) -> None:
    laid.presets.use_own(OpportunityPreset("Backs", OpportunityFilter(without_lays=True)))
    look(laid, qtbot)
    assert not [row for row in shown(laid) if row["Selection"].startswith("Lay ")]
    laid.presets.choose_first()
    look(laid, qtbot)
    assert row_of(laid, "Lay Everton") >= 0


def test_a_lay_of_several_levels_is_recorded_with_average_odds_and_backers_stake(
    laid: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    row = row_of(laid, "Lay Everton")
    liability = laid.model.entry(row).stake
    laid.table.set_current(row)
    laid._place_all()
    sheet = sheet_of(laid)
    back, lay = sheet.rows
    assert (back.box.text(), lay.box.text()) == ("Everton", "Lay Everton")
    # 20 at 3.40 are 48 of liability, the rest is at 3.42
    stake = 20 + (liability - 20 * 2.40) / 2.42
    assert float(lay.stake.text()) == pytest.approx(stake, abs=0.005)
    assert float(lay.odds.text()) == pytest.approx(1 + liability / stake, abs=1e-4)
    assert sheet.outcomes.text().startswith("Everton wins ")
    assert "Everton does not win" in sheet.outcomes.text()
    won, lost = sheet.profits(sheet.bets())
    backed = float(back.stake.text())
    assert won == pytest.approx(backed * 2.70 - liability, abs=0.02)
    assert lost == pytest.approx(float(lay.stake.text()) * 0.98 - backed)
    record_sheet(laid, records, qtbot)
    backed_bet, laid_bet = records.placed_bets()
    assert (backed_bet.kind, laid_bet.kind) == (BetKind.BACK, BetKind.LAY)
    assert laid_bet.liability == pytest.approx(liability, abs=0.02)
    assert laid_bet.leg
    assert laid_bet.fair_odds == pytest.approx(1 / (1 - 1 / backed_bet.fair_odds), abs=1e-3)
    look(laid, qtbot)
    placed = stake_of(laid, row_of(laid, "Lay Everton"))
    assert placed == (f"✓ {laid_bet.stake:.2f}", f"{laid_bet.liability:.12g} liability")


def test_a_lay_alone_is_asked_for_on_the_sheet_too(
    laid: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    laid.table.set_current(row_of(laid, "Lay Everton"))
    laid._place()
    back, lay = sheet_of(laid).rows
    assert (back.box.isChecked(), lay.box.isChecked()) == (False, True)
    record_sheet(laid, records, qtbot)
    assert [bet.kind for bet in records.placed_bets()] == [BetKind.LAY]
    assert [row["Stake"][:1] for row in shown(laid) if "Lay Everton" in row["Selection"]] == ["✓"]


def test_a_lay_that_is_still_to_place_is_named_with_both_amounts(
    laid: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    laid.table.set_current(row_of(laid, "Lay Everton"))
    laid._place_all()
    sheet_of(laid).rows[1].box.setChecked(False)
    record_sheet(laid, records, qtbot)
    stake, note = stake_of(laid, row_of(laid, "Lay Everton"))
    liability = note.removesuffix(" liability open")
    said = laid._facts.accessibleName()
    assert said.endswith(f"still to place: Lay Everton, stake {stake} (liability {liability})")
