"""Settling bets as results propose, and by mistake before their games have begun."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from oddsdesk.desk.bet_cells import at_bookmaker, bet_named
from oddsdesk.desk.bets.actions import change_text
from oddsdesk.desk.bets.bet_dialog import BetDialog
from oddsdesk.desk.bets.panel import BetsPanel
from oddsdesk.desk.settings.declared import SETTLE_BETS
from oddsdesk.desk.value_bets.placing import placed_text
from oddsdesk.ledger.bets import settled
from oddsdesk.ledger.ledger import Change, Ledger
from oddsdesk.ledger.settling import ToCheck
from oddsdesk.pricing.selections import Result
from tests.desk.bets.conftest import (
    BEGUN,
    HOUR,
    LOST,
    NOW,
    OVER,
    WON,
    Make,
    act,
    bet,
    column,
    held,
    press,
    select,
)


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


def propose(panel: BetsPanel, **by_selection: tuple[str, Result | None]) -> None:
    """Have results say something about bets: why they are open, and how they would end."""
    found = {}
    for each in panel._records.placed_bets():
        team, _, _ = each.selection.partition(" ")
        if team in by_selection:
            why, proposed = by_selection[team]
            found[each.ident or 0] = ToCheck(each, why, None, proposed, "football-data 2-1")
    panel._records.show_proposals(found)


def settle_menu(panel: BetsPanel) -> list[str]:
    menu = panel.actions_on_bets.settle_menu
    menu.aboutToShow.emit()
    texts = [action.text() for action in menu.actions() if action.isVisible() and action.text()]
    menu.aboutToHide.emit()
    return texts


def test_what_results_propose_is_listed_with_the_reason_and_settled_by_enter(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    late = bet(selection="Hull +0.5", kick_off=NOW - 4 * HOUR)
    panel = make_panel(OVER, late)
    panel.choose_view("to settle")
    assert column(panel, "settled") == ["", ""]
    propose(panel, Wolves=("the game was moved by 2 days", Result.WON), Hull=("no score", None))
    assert sorted(column(panel, "settled")) == [
        "no score",
        "→ won (football-data 2-1) · the game was moved by 2 days",
    ]
    row = column(panel, "settled").index("no score")
    select(panel, row)
    assert panel.found.message_text == "No score."
    assert "Settle as" not in " ".join(settle_menu(panel))
    press(panel, "bets.found")
    assert "No recorded result" in panel.messages.message_text
    select(panel, 1 - row)
    assert settle_menu(panel)[0] == "Settle as won (football-data 2-1)"
    assert panel.found.message_text == "The game was moved by 2 days."
    panel.activateWindow()
    panel.table.setFocus()
    with qtbot.waitSignal(panel._records.bets_changed):
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    assert [(each.result, each.settled_by) for each in held(path)] == [
        (Result.WON, "football-data 2-1"),
        (None, ""),
    ]
    said = "Wolves +0.75 at Betfair Exchange won (football-data 2-1)."
    assert panel.messages.message_text == said
    assert column(panel, "settled") == ["no score"]
    panel.choose_view("settled")
    assert column(panel, "settled") == ["football-data 2-1"]
    with qtbot.waitSignal(panel._records.bets_changed):
        panel.messages.action_requested.emit()
    assert [each.result for each in held(path)] == [None, None]


def test_a_corrected_result_is_to_be_settled_again(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    by_itself = msgspec.structs.replace(LOST, settled_by="football-data 0-1")
    panel = make_panel(by_itself, msgspec.structs.replace(WON, selection="Wolves +0.75"))
    waiting: list[int] = []
    panel.waiting_changed.connect(waiting.append)
    panel.choose_view("to settle")
    assert panel.model.rowCount() == 0
    propose(panel, Leeds=("settled lost by football-data 0-1; now football-data 2-1", Result.WON))
    select(panel, 0)
    assert waiting[-1] == panel.model.rowCount()
    assert settle_menu(panel)[0] == "Settle again as won (football-data 2-1)"
    buttons = (each for each in panel.found.findChildren(QPushButton) if each.isVisible())
    (button,) = buttons
    assert button.text() == "Settle again as won (football-data 2-1)"
    with qtbot.waitSignal(panel._records.bets_changed):
        button.click()
    assert (held(path)[0].result, held(path)[0].settled_by) == (Result.WON, "football-data 2-1")


@pytest.mark.parametrize("ident", ["bets.lost", "bets.won"])
def test_the_result_of_a_corrected_bet_is_confirmed_by_hand(
    make_panel: Make, qtbot: QtBot, path: Path, ident: str
) -> None:
    """The same result did nothing, so the bet stayed in the list for good."""
    by_itself = msgspec.structs.replace(LOST, settled_by="football-data 0-1", settled_at=NOW - HOUR)
    panel = make_panel(by_itself)
    panel.choose_view("to settle")
    propose(panel, Leeds=("settled lost by football-data 0-1; now football-data 2-1", Result.WON))
    select(panel, 0)
    act(panel, qtbot, ident)
    assert panel.model.rowCount() == 0
    (after,) = held(path)
    if ident == "bets.lost":
        said = "Leeds -0.75 at Bet365 lost, as it was settled."
        assert (after.result, after.settled_by) == (Result.LOST, "")
        assert after.settled_at == NOW - HOUR
    else:
        said = "Leeds -0.75 at Bet365, lost before, won."
        assert (after.result, after.settled_by) == (Result.WON, "")
    assert panel.messages.message_text == said
    act(panel, qtbot, "bets.undo")
    assert held(path)[0].settled_by == "football-data 0-1"


def test_bets_to_settle_say_why_from_the_first_on(make_panel: Make) -> None:
    late = bet(selection="Hull +0.5", kick_off=NOW - 4 * HOUR)
    panel = make_panel(OVER, late, msgspec.structs.replace(WON, settled_at=None), LOST)
    propose(panel, Hull=("no score", None))
    place = [each.key for each in panel.model.columns].index("settled")
    assert panel.model.header(place).title == "Settled by"
    panel.choose_view("settled")
    assert sorted(column(panel, "settled")) == ["by hand", "imported"]
    assert panel.selected() == []
    panel.choose_view("to settle")
    assert panel.model.header(place).title == "Why"
    assert [each.selection for each in panel.selected()] == ["Hull +0.5"]
    assert panel.found.message_text == "No score."


def test_a_settled_bet_that_needs_a_check_is_shown_on_request(make_panel: Make) -> None:
    by_itself = msgspec.structs.replace(LOST, settled_by="football-data 0-1")
    panel = make_panel(by_itself)
    panel.bar.filter.setText("nothing")
    propose(panel, Leeds=("settled lost by football-data 0-1; now football-data 2-1", Result.WON))
    panel.say_to_check("1 settled bet needs a check: Leeds -0.75.")
    panel.messages.action_requested.emit()
    assert [each.selection for each in panel.selected()] == ["Leeds -0.75"]


def test_the_empty_list_to_settle_says_whether_bets_settle_by_themselves(make_panel: Make) -> None:
    panel = make_panel(WON)
    panel.choose_view("to settle")
    assert "Bets settle themselves" in panel.placeholder._sentence.text()
    panel._preferences.keep_setting(SETTLE_BETS, False)
    assert "settle themselves" not in panel.placeholder._sentence.text()


def test_several_bets_are_settled_as_found_at_once(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    late = bet(selection="Hull +0.5", kick_off=NOW - 4 * HOUR)
    panel = make_panel(OVER, late)
    panel.choose_view("to settle")
    propose(panel, Wolves=("moved", Result.WON), Hull=("moved", Result.VOID))
    select(panel, 0, 1)
    assert settle_menu(panel)[0] == "Settle 2 bets as found"
    act(panel, qtbot, "bets.found")
    assert [each.result for each in held(path)] == [Result.WON, Result.VOID]
    assert panel.messages.message_text == "2 bets settled as found."


def test_a_bet_says_how_it_was_settled(make_panel: Make) -> None:
    by_itself = msgspec.structs.replace(WON, settled_by="Betfair 2-1")
    undone = bet(selection="Hull +0.5", undone="won by football-data 2-1")
    panel = make_panel(by_itself, LOST, undone)
    tips = {panel.model.entry(row).selection: panel.model.tip(row, 0) for row in range(3)}
    assert sorted(column(panel, "settled")) == ["", "Betfair 2-1", "by hand"]
    assert "You undid: won by football-data 2-1" in tips["Hull +0.5"]
    assert any("Settled: " in tip for tip in tips.values())


def test_enter_edits_a_bet_that_no_result_is_known_of(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(OVER)
    panel.choose_view("to settle")
    select(panel, 0)
    panel.activateWindow()
    panel.table.setFocus()
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    dialog.reject()
