"""Settling bets before their games have begun, which nobody means as a rule."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from oddsdesk.desk.bet_cells import at_bookmaker, bet_named
from oddsdesk.desk.bets.actions import change_text
from oddsdesk.desk.value_bets.placing import placed_text
from oddsdesk.ledger.bets import settled
from oddsdesk.ledger.ledger import Change, Ledger
from oddsdesk.pricing.selections import Result
from tests.desk.bets.conftest import BEGUN, HOUR, NOW, OVER, Make, act, bet, held, press, select


@pytest.mark.parametrize("result", [Result.WON, Result.LOST, Result.VOID, Result.HALF_WON])
def test_a_bet_whose_game_has_not_begun_is_settled_only_when_that_is_meant(
    make_panel: Make, qtbot: QtBot, path: Path, result: Result
) -> None:
    panel = make_panel(bet(kick_off=NOW + 52 * HOUR))
    panel.activateWindow()
    select(panel, 0)
    panel.table.setFocus()
    press(panel, f"bets.{result.value}")
    assert panel.question.message_text == (
        "Leeds -0.75 at Betfair Exchange: the game starts in 2 d 4 h. "
        f"Settle the bet as {result.value.replace('_', ' ')}?"
    )
    button = panel.question.findChild(QPushButton)
    qtbot.waitUntil(button.hasFocus)
    qtbot.keyClick(button, Qt.Key.Key_Escape)
    assert not panel.question.isVisible()
    assert panel.table.scrolling.hasFocus()
    assert [each.result for each in held(path)] == [None]
    press(panel, f"bets.{result.value}")
    with qtbot.waitSignal(panel._records.bets_changed):
        qtbot.keyClick(button, Qt.Key.Key_Return)
    assert [each.result for each in held(path)] == [result]
    assert panel.table.scrolling.hasFocus()
    with qtbot.waitSignal(panel._records.bets_changed):
        panel.messages.action_requested.emit()
    assert [each.result for each in held(path)] == [None]


def test_of_many_bets_it_is_said_how_many_games_have_not_begun(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    undated = bet(kick_off=None, selection="Leeds -1")
    panel = make_panel(bet(), BEGUN, undated)
    select(panel, 0, 1, 2)
    press(panel, "bets.lost")
    assert panel.question.message_text == (
        "1 of 3 bets are on games that have not started. Settle all 3 as lost?"
    )
    select(panel, 1)  # what was asked about is not what is selected now
    with closing(Ledger(path)) as other:
        (changed,) = (each for each in other.read_bets() if each.kick_off is None)
        other.edit(changed, msgspec.structs.replace(changed, note="late"))
    with qtbot.waitSignal(panel._records.bets_changed):
        panel._records.read_again()
    with qtbot.waitSignal(panel._records.bets_changed):
        panel.question.action_requested.emit()
    assert [each.result for each in held(path)] == [Result.LOST] * 3
    assert [each.note for each in held(path)] == ["", "", "late"]


def test_a_question_goes_with_what_is_done_in_its_place(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(bet(), OVER)
    select(panel, 0)
    press(panel, "bets.won")
    assert panel.question.isVisible()
    select(panel, 1)
    act(panel, qtbot, "bets.won")
    assert not panel.question.isVisible()
    assert panel.messages.message_text == "Wolves +0.75 at Betfair Exchange won."


def test_half_a_result_of_a_match_result_is_refused_in_a_line(make_panel: Make, path: Path) -> None:
    whole = bet(market_type="moneyline", selection="Leeds", kick_off=NOW - 5 * HOUR)
    panel = make_panel(whole)
    select(panel, 0)
    press(panel, "bets.half_won")
    assert panel.messages.message_text == (
        "Leeds is won or lost in full: half results are for quarter lines such as -0.75 or 2.25."
    )
    assert [each.result for each in held(path)] == [None]


def test_a_bet_without_a_bookmaker_is_named_without_a_hole() -> None:
    """It said "Leeds -0.75 at , won"."""
    alone = bet(bookmaker="")
    assert at_bookmaker(alone) == ""
    assert at_bookmaker(bet()) == " at Betfair Exchange"
    won = settled(alone, Result.WON, NOW)
    change = Change(1, "Settled as won:", {1: alone}, {1: won}, is_earlier=False)
    for said in (bet_named(alone), change_text(change), placed_text(alone)):
        assert ", ," not in said
        assert " at ," not in said
