"""All legs of an opportunity are recorded on one sheet, as one change."""

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.value_bets.actions import LegPlacer
from tests.kit.opportunities_panel import (
    left_pct,
    look,
    move,
    place_leg,
    record_sheet,
    sheet_of,
    shown,
    tell,
)


def open_sheet(panel: OpportunitiesPanel, row: int = 0) -> None:
    panel.table.set_current(row)
    panel._place_all()


def test_all_legs_stand_on_the_sheet_with_the_stakes_of_the_list(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    open_sheet(panel, 1)
    sheet = sheet_of(panel)
    filled = [(row.bookmaker.text(), row.odds.text(), row.stake.text()) for row in sheet.rows]
    assert filled == [("Betsson", "2.1", "48"), ("Matchbook", "1.98", "51")]
    assert sheet.windowTitle() == "Record arbitrage"
    assert sheet.view.about == "Arbitrage · Everton v Liverpool · Total"
    worst = left_pct((48, 2.10), (51, 1.98))
    assert sheet.profit.text() == (
        f"Guaranteed +1.80 ({worst:+.2f} %), at best +1.98 (+2.00 %) of 99.00"
    )
    assert sheet.outcomes.text() == "Over 2.5 wins +1.80 · Under 2.5 wins +1.98"
    record_sheet(panel, records, qtbot)
    placed = list(records.placed_bets())
    assert [(bet.selection, bet.stake, bet.odds) for bet in placed] == [
        ("Over 2.5", 48.0, 2.10),
        ("Under 2.5", 51.0, 1.98),
    ]
    assert all(bet.leg and bet.fair_odds and bet.true_ev is not None for bet in placed)
    assert not any(bet.practice for bet in placed)
    assert [row["Stake"] for row in shown(panel)] == ["✓ 48", "✓ 51"]


def test_a_sheet_is_undone_as_one_change(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    open_sheet(panel)
    record_sheet(panel, records, qtbot)
    assert panel.messages.message_text == "Recorded 2 legs, 99.00 staked."
    (undo,) = (each for each in panel.messages.findChildren(QPushButton) if each.isVisible())
    with qtbot.waitSignal(records.bets_changed):
        undo.click()
    assert list(records.placed_bets()) == []
    assert panel.messages.message_text == "Undone: 2 legs."


def test_legs_of_which_one_was_changed_since_all_stay(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    open_sheet(panel)
    record_sheet(panel, records, qtbot)
    _, second = records.placed_bets()
    with qtbot.waitSignal(records.bets_changed):
        records.change_bets([replace(second, note="at half time")], "edited")
    panel.activateWindow()
    panel.table.scrolling.setFocus()
    qtbot.waitUntil(panel.table.scrolling.hasFocus)
    with qtbot.waitSignal(records.bets_changed):
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(list(records.placed_bets())) == 2
    assert panel.messages.message_text.startswith("A leg was edited or settled since")


def test_an_unticked_leg_is_left_to_be_completed(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    open_sheet(panel)
    sheet_of(panel).rows[1].box.click()
    record_sheet(panel, records, qtbot)
    assert [row["Stake"] for row in shown(panel)] == ["✓ 48", "51"]
    assert panel._facts.accessibleName().endswith(" · still to place: Under 2.5, stake 51")


def test_legs_are_divided_by_another_total_and_by_the_stake_that_was_got(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    open_sheet(panel)
    sheet = sheet_of(panel)
    over, under = sheet.rows
    sheet.total.clear()
    qtbot.keyClicks(sheet.total, "50")
    # of those near 24.2 and 25.7, which pay the same: 22 and 23 leave most, 0.54 of 45
    assert (over.stake.text(), under.stake.text()) == ("22", "23")
    over.stake.clear()
    qtbot.keyClicks(over.stake, "40")
    sheet.update_stakes.click()
    assert (over.stake.text(), under.stake.text(), sheet.total.text()) == ("40", "42", "82")


def test_the_stakes_follow_typed_odds_except_a_typed_stake(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    open_sheet(panel)
    sheet = sheet_of(panel)
    over, under = sheet.rows
    assert (over.stake.text(), under.stake.text()) == ("48", "51")
    over.odds.clear()
    qtbot.keyClicks(over.odds, "2.07")
    assert (over.stake.text(), under.stake.text()) == ("47", "49")
    assert sheet.profit.text().startswith("Guaranteed +1.02 (+1.06 %)")
    over.odds.clear()
    qtbot.keyClicks(over.odds, "1.8")
    paid = float(over.stake.text()) * 1.8
    assert float(under.stake.text()) * 1.98 == pytest.approx(paid, abs=2), "hedged at a loss too"
    over.stake.clear()
    qtbot.keyClicks(over.stake, "40")
    over.odds.clear()
    qtbot.keyClicks(over.odds, "2.1")
    assert (over.stake.text(), under.stake.text()) == ("40", "42")


def test_a_price_that_moved_is_marked_and_taken_with_the_stakes_of_now(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """47 at 2.07 pay 97.29, 49 at 1.98 pay 97.02: 96 staked, 1.02 left at worst."""
    tell(panel, quoted, qtbot)
    open_sheet(panel)
    sheet = sheet_of(panel)
    move(quoted, "Betsson", "Over 2.5", 2.07)
    sheet.look_again()
    assert sheet.rows[0].now.text() == "2.07 ▼"
    assert sheet.rows[0].odds.text() == "2.1"
    assert sheet.news.text().splitlines() == [
        "Over 2.5 at Betsson: 2.07 now, 2.10 when you started.",
        "The arbitrage has changed: +1.06 % now if every leg stands, +1.82 % when you started.",
    ]
    sheet.update_stakes.click()
    assert [row.stake.text() for row in sheet.rows] == ["47", "49"]
    assert sheet.profit.text().startswith("Guaranteed +1.02 (+1.06 %)")


def test_legs_that_are_no_arbitrage_any_more_have_no_stakes(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.list.stop_looking()
    move(quoted, "Betsson", "Over 2.5", 1.868)
    open_sheet(panel)
    sheet = sheet_of(panel)
    assert [row.stake.text() for row in sheet.rows] == ["", ""]
    assert not sheet.record.isEnabled()
    assert "These legs are no longer an arbitrage. Do not bet." in sheet.news.text()


def test_nothing_is_staked_on_a_sheet_while_not_connected(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    quoted.board.set_connection(Connection(link=Link.WAITING))
    panel._place_all()
    sheet = sheet_of(panel)
    assert [row.stake.text() for row in sheet.rows] == ["", ""]
    assert "Not connected" in sheet.news.text()
    assert not sheet.record.isEnabled()


@pytest.mark.parametrize(
    ("above", "below", "kind", "said"),
    [
        ("2.5", "3.5", "middle", "between the lines +97.80"),
        ("3", "3", "low-hold", "push +0.00"),
        ("2.25", "2.25", "low-hold", "push −1.50"),
    ],
)
def test_where_both_legs_may_stand_that_is_an_outcome(
    panel: OpportunitiesPanel,
    legs: LegPlacer,
    records: Records,
    quoted: Any,
    qtbot: QtBot,
    above: str,
    below: str,
    kind: str,
    said: str,
) -> None:
    """48 at 2.10 and 50 at 1.90: 100.80 and 95 come back of 98 between 2.5 and 3.5."""
    for line in {above, below}:
        quoted.tell("Matchbook", "total", f"Over {line}", 1.2)
        quoted.tell("Betsson", "total", f"Under {line}", 1.1)
    quoted.tell("Betsson", "total", f"Over {above}", 2.10)
    quoted.tell("Matchbook", "total", f"Under {below}", 1.9)
    tell(panel, quoted, qtbot, 2.10 if above == "2.5" else 1.5)
    panel.chips.choose_chip(kind)
    open_sheet(panel, [row["Selection"] for row in shown(panel)].index(f"Over {above}"))
    sheet = sheet_of(panel)
    for row, stake in zip(sheet.rows, ("48", "50"), strict=True):
        row.stake.setText(stake)
    assert sheet.outcomes.text().endswith(said)
    assert sheet.profit.text().startswith("At worst −3.00 (−3.06 %)")


def test_stakes_above_the_total_and_above_a_cap_are_doubted(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """Of a bank of 1,000 at most 250 may be lost: with one leg all of its stake, with both 6."""
    tell(panel, quoted, qtbot)
    open_sheet(panel)
    sheet = sheet_of(panel)
    for row in sheet.rows:
        row.stake.clear()
        qtbot.keyClicks(row.stake, "300")
    assert sheet.fault.text() == "All legs cost 600.00, above the total of 100. Check the stakes."
    sheet.rows[1].box.click()
    assert sheet.fault.text().splitlines()[1:] == [
        "300 in open bets is above your limit of 250. Check the stake."
    ]
    assert sheet.record.isEnabled()


def test_the_rest_of_three_legs_is_asked_for_with_the_one_that_is_placed(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    for bookmaker, selection, odds in (
        ("Betsson", "Everton", 3.2),
        ("Matchbook", "Draw", 3.9),
        ("Bovada", "Liverpool", 3.1),
    ):
        quoted.tell(bookmaker, "moneyline", selection, odds)
    look(panel, qtbot)
    names = [row["Selection"] for row in shown(panel)]
    place_leg(panel, records, qtbot, names.index("Everton"), stake="30", odds="3.2")
    open_sheet(panel, [row["Selection"] for row in shown(panel)].index("Draw"))
    sheet = sheet_of(panel)
    told = [(row.leg.title, row.now.text(), row.stake.text()) for row in sheet.rows]
    assert told[0] == ("Everton", "recorded", "30")
    assert [text for _, _, text in told[1:]] == [
        row["Stake"] for row in shown(panel) if row["Selection"] in ("Draw", "Liverpool")
    ]
    record_sheet(panel, records, qtbot)
    assert len(list(records.placed_bets())) == 3
