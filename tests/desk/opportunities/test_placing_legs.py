"""Legs of opportunities are marked as placed, one alone or all on a sheet, and taken back."""

from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.opportunities.offers import LegsToPlace
from oddsdesk.desk.export.files import table_of
from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.value_bets.actions import LegPlacer
from tests.kit.opportunities_panel import (
    asked,
    leg_of,
    look,
    place,
    place_leg,
    place_then_ask,
    record_sheet,
    sheet_of,
    shown,
    tell,
)


def test_a_leg_that_got_less_is_followed_by_stakes_that_pay_as_much(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """48 at 1.6 pay 76.80; 39 at a net 1.98 pay 77.22: 87 staked, 76.80 come back at worst."""
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    panel._place()
    asked(panel).odds.setText("1.6")
    second = place_then_ask(panel, records, qtbot, "Under 2.5")
    assert (second.bookmaker.currentText(), second.stake.text()) == ("Matchbook", "39")
    said = "Completes the legs you placed · worst case a loss of 11.72 % with this stake"
    assert leg_of(second) == said


def test_a_leg_tells_of_the_doubt_about_another_which_tells_it_once(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot, 2.60)
    first = panel.model.entry(0).found
    legs.place_legs(LegsToPlace(first, (1,), (1, 0)))
    dialog = asked(panel)
    assert "Warning for Over 2.5 at Betsson: likely error, far above fair" in dialog.warning.text()
    dialog.reject()
    legs.place_legs(LegsToPlace(first, (0,), (1, 0)))
    dialog = asked(panel)
    assert dialog.warning.text().count("likely error, far above fair") == 1
    assert "Suspicious" not in dialog.fault.text()
    dialog.odds.setText("2.7")
    assert "probably an error" in dialog.fault.text()


def test_a_placed_leg_is_confirmed_where_it_was_asked_for_and_its_undo_takes_it_back(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel._place()
    place(panel, qtbot)
    assert panel.messages.isVisible()
    assert panel.messages.message_text == "Recorded 51.00 on Under 2.5 at Matchbook, 1.98."
    (undo,) = (each for each in panel.messages.findChildren(QPushButton) if each.isVisible())
    assert undo.text() == "Undo"
    with qtbot.waitSignal(records.bets_changed):
        undo.click()
    assert list(records.placed_bets()) == []
    assert panel.messages.message_text == (
        "Undone: 51.00 on Under 2.5 (Total, Everton v Liverpool), Matchbook, odds 1.98."
    )
    assert not undo.isVisible()


def test_of_a_leg_that_is_not_placed_its_keys_say_so(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel.activateWindow()
    panel.table.scrolling.setFocus()
    qtbot.waitUntil(panel.table.scrolling.hasFocus)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    assert panel.messages.message_text == "No bet is recorded on this leg."
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert panel.messages.message_text.startswith("Nothing to undo here")


def test_of_two_placed_legs_the_selected_one_is_taken_back_by_its_key(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel._place_all()
    record_sheet(panel, records, qtbot)
    panel.table.set_current(0)
    panel.activateWindow()
    panel.table.scrolling.setFocus()
    qtbot.waitUntil(panel.table.scrolling.hasFocus)
    with qtbot.waitSignal(records.bets_changed):
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    assert [bet.selection for bet in records.placed_bets()] == ["Under 2.5"]
    assert panel.messages.message_text == (
        "Undone: 48.00 on Over 2.5 (Total, Everton v Liverpool), Betsson, odds 2.10."
    )
    assert [row["Stake"] for row in shown(panel)] == ["48", "✓ 51"]


def test_the_menu_takes_back_only_what_is_placed_and_leaves_the_key_alone(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(0)
    (undo,) = (each for each in panel.menu.actions() if "Undo" in each.text())
    panel.table.scrolling.customContextMenuRequested.emit(QPoint(0, 0))
    assert not undo.isEnabled()
    panel.menu.hide()
    assert undo.isEnabled(), "a leg may be placed before the key is pressed"


def test_what_cannot_be_kept_is_said_where_it_was_asked_for(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records
) -> None:
    records.failed.emit("Your records: the disk is full")
    assert panel.messages.message_text == "Your records: the disk is full"


def quote_across_markets(panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot) -> None:
    """Quote a draw no bet and a handicap of 0 that are an arbitrage together."""
    quoted.clock.now += 1
    quoted.tell("Betsson", "draw_no_bet", "Everton", 2.21)
    quoted.tell("Unibet", "spread", "Liverpool +0", 1.95)
    look(panel, qtbot)


def test_legs_in_several_markets_show_and_record_their_own_market(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    """A draw returns both stakes; any other result leaves 3.59 % or more of 45 and 51."""
    quote_across_markets(panel, quoted, qtbot)
    rows = [row for row in shown(panel) if row["Market"] in ("Draw no bet", "Handicap")]
    assert [(row["Selection"], row["Market"], row["Stake"]) for row in rows] == [
        ("Everton", "Draw no bet", "45"),
        ("Liverpool +0", "Handicap", "51"),
    ]
    assert rows[0]["Middle, push"].startswith("push +0.00, else +3.4")
    table = table_of(panel.model)
    keys = [column.key for column in table.columns]
    exported = [row[keys.index("market_type")] for row in table.rows]
    assert {"draw_no_bet", "spread"} <= {*exported}
    panel.table.set_current(_row_of(panel, "Everton"))
    panel._place_all()
    sheet = sheet_of(panel)
    assert sheet.view.about == "Arbitrage · Everton v Liverpool · Draw no bet, Handicap"
    assert "push +0.00" in sheet.outcomes.text()
    record_sheet(panel, records, qtbot)
    assert [(bet.market_type, bet.selection) for bet in records.placed_bets()] == [
        ("draw_no_bet", "Everton"),
        ("spread", "Liverpool +0"),
    ]
    look(panel, qtbot)
    stakes = {row["Selection"]: row["Stake"] for row in shown(panel)}
    assert (stakes["Everton"], stakes["Liverpool +0"]) == ("✓ 45", "✓ 51")


def _row_of(panel: OpportunitiesPanel, selection: str) -> int:
    return [row["Selection"] for row in shown(panel)].index(selection)


def test_a_leg_that_was_placed_in_one_market_is_completed_in_another(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    quote_across_markets(panel, quoted, qtbot)
    place_leg(panel, records, qtbot, _row_of(panel, "Everton"), stake="45", odds="2.21")
    quoted.clock.now += 1
    quoted.tell("Unibet", "spread", "Liverpool +0", 1.5)
    quoted.tell("Matchbook", "draw_no_bet", "Liverpool", 1.7)
    look(panel, qtbot)
    placed, other, *_ = shown(panel)
    assert placed["Stake"] == "✓ 45"
    assert (other["Selection"], other["Market"]) == ("Liverpool", "")
    assert placed["Market"] == "Draw no bet"


def test_legs_of_simulated_prices_are_practice(
    panel: OpportunitiesPanel, legs: LegPlacer, records: Records, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board.set_connection(Connection(link=Link.LIVE, simulated=True))
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    panel._place_all()
    said = sheet_of(panel).news.text()
    assert said.startswith("Simulated odds: saved as practice bets.")
    record_sheet(panel, records, qtbot)
    assert len(list(records.placed_bets())) == 2
    assert all(bet.practice for bet in records.placed_bets())


def test_nothing_is_staked_while_not_connected(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    for link, stakes in ((Link.WAITING, ["–", "–"]), (Link.LIVE, ["48", "51"])):
        quoted.board.set_connection(Connection(link=link))
        panel.model.sort_now()
        assert [row["Stake"] for row in shown(panel)] == stakes
        said = panel._facts.accessibleName()
        first = "no stakes · not connected" if link is Link.WAITING else "1 arb"
        assert said.startswith(f"{first} · ")  # what stands last is cut first
        exported = [row[-8] for row in table_of(panel.model).rows]
        assert exported == ([0.0, 0.0] if link is Link.WAITING else [48.0, 51.0])


def test_legs_that_were_read_again_after_a_loss_are_listed_once_they_are_looked_at(
    panel: OpportunitiesPanel, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.list.stop_looking()
    quoted.board.set_connection(Connection(link=Link.LIVE, is_catching_up=True))
    panel.model.sort_now()
    assert [row["Stake"] for row in shown(panel)] == ["–", "–"]
    quoted.clock.now += 1
    quoted.tell("Betsson", "total", "Over 2.5", 2.09)
    quoted.board.set_connection(Connection(link=Link.LIVE))
    panel.model.sort_now()
    assert shown(panel) == []
    look(panel, qtbot)
    assert len(shown(panel)) == 2


def test_a_leg_asked_for_while_not_connected_has_no_stake(
    panel: OpportunitiesPanel, legs: LegPlacer, quoted: Any, qtbot: QtBot
) -> None:
    tell(panel, quoted, qtbot)
    panel.table.set_current(1)
    quoted.board.set_connection(Connection(link=Link.WAITING))
    panel._place()
    assert asked(panel).stake.text() == ""
    assert not asked(panel).record.isEnabled()
    assert "Not connected" in asked(panel).warning.text()
