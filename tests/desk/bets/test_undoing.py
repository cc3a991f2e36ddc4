"""What is done to bets is undone, and done again, by name."""

from contextlib import closing
from pathlib import Path

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from oddsdesk.ledger.bets import settled
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.selections import Result
from tests.desk.bets.conftest import BEGUN, NOW, OVER, WON, Make, act, bet, held, press, select


def test_many_bets_are_settled_at_once_and_that_is_undone(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(BEGUN, OVER)
    select(panel, 0, 1)
    act(panel, qtbot, "bets.half_won")
    assert [each.result for each in held(path)] == [Result.HALF_WON] * 2
    assert panel.messages.message_text == "2 bets half won."
    with qtbot.waitSignal(panel._records.bets_changed):
        panel.messages.action_requested.emit()
    assert [each.result for each in held(path)] == [None, None]
    assert panel.messages.message_text == (
        "Undone: settled 2 bets, the first 6.00 on Leeds -0.75 (Handicap, Leeds v Wolves), "
        "Betfair Exchange, odds 2.06."
    )


def test_what_was_done_goes_by_itself_and_undo_with_the_next_change(
    make_panel: Make, qtbot: QtBot, path: Path, tmp_path: Path
) -> None:
    panel = make_panel(BEGUN, OVER)
    select(panel, 0)
    act(panel, qtbot, "bets.won")
    messages = panel.messages
    undo = messages.findChild(QPushButton)
    assert undo.isVisible()
    assert messages._passing.interval() == 20_000
    panel.activateWindow()
    panel.bar.filter.setFocus()
    qtbot.waitUntil(panel.bar.filter.hasFocus)
    qtbot.keyClicks(panel.bar.filter, "lee")
    messages._passing.timeout.emit()
    assert not messages.isVisible()
    qtbot.keyClicks(panel.bar.filter, "ds")
    assert panel.bar.filter.text() == "leeds"
    results = tmp_path / "results.csv"
    results.write_text("bet,result\n2,lost\n9,won\n")
    with qtbot.waitSignal(panel.files.said):
        panel.files.settle_from_file(results)
    assert undo.isVisible()
    assert undo.text() == "Undo (Ctrl+Z)"
    assert not messages._passing.isActive()  # what was left out is still to be read
    with closing(Ledger(path)) as elsewhere:
        elsewhere.record_bet(bet(game_id="elsewhere"))
    with qtbot.waitSignal(panel._records.bets_changed):
        panel._records.read_again()
    assert messages.isVisible()
    assert not undo.isVisible(), "it would undo the change made elsewhere"


def test_a_click_on_undo_leaves_the_keyboard_where_it_is(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(BEGUN)
    panel.activateWindow()
    select(panel, 0)
    panel.table.setFocus()
    act(panel, qtbot, "bets.won")
    with qtbot.waitSignal(panel._records.bets_changed):
        qtbot.mouseClick(panel.messages.findChild(QPushButton), Qt.MouseButton.LeftButton)
    assert panel.table.scrolling.hasFocus()


def test_a_bet_is_deleted_and_comes_back(make_panel: Make, qtbot: QtBot, path: Path) -> None:
    panel = make_panel(bet(), OVER)
    select(panel, 0)
    act(panel, qtbot, "bets.take_back")
    assert len(held(path)) == 1
    act(panel, qtbot, "bets.undo")
    assert [each.ident for each in held(path)] == [1, 2]
    act(panel, qtbot, "bets.undo")
    with qtbot.waitSignal(panel._records.bets_changed):
        panel.question.action_requested.emit()
    assert held(path) == []
    act(panel, qtbot, "bets.undo")
    assert panel.messages.message_text == "Nothing to undo."
    assert panel.messages._icon_name == "info"


def test_what_was_undone_is_named_and_done_again_as_it_was(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel()
    placed = bet(stake=10.5, selection="Leeds", bookmaker="1xBet", period=1, note="by hand")
    other = bet(selection="Wolves", odds=3.0)
    for bets in ([placed], [placed, other]):
        with closing(Ledger(path)) as elsewhere:
            elsewhere.place_all(bets, "placed")
    before = held(path)
    act(panel, qtbot, "bets.undo")
    first = "10.50 on Leeds (Handicap · 1st Half, Leeds v Wolves), 1xBet, odds 2.06"
    assert panel.messages.message_text == f"Undone: 2 bets, the first {first}."
    act(panel, qtbot, "bets.undo")
    assert panel.messages.message_text == f"Undone: {first}."
    button = panel.messages.findChild(QPushButton)
    assert button.text() == "Redo"
    assert held(path) == []
    with qtbot.waitSignal(panel._records.bets_changed):
        button.click()
    assert panel.messages.message_text == f"Redone: placed {first}."
    assert button.text() == "Undo (Ctrl+Z)"
    act(panel, qtbot, "bets.redo")
    assert held(path) == before
    press(panel, "bets.redo")
    assert panel.messages.message_text == "Nothing to redo."
    assert panel.messages._icon_name == "info"
    act(panel, qtbot, "bets.undo")
    assert held(path) == before[:1]


def test_what_was_deleted_and_what_was_taken_back_are_undone_by_their_words(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(bet(), bet(selection="Over 2.5", market_type="", match_name="", odds=1.9))
    with closing(Ledger(path)) as elsewhere:
        assert elsewhere.take_back_unchanged(elsewhere.read_bets()[0])
    panel._records.read_again()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    select(panel, 0)
    act(panel, qtbot, "bets.take_back")
    assert panel.messages.message_text == "1 bet deleted."
    act(panel, qtbot, "bets.undo")
    assert (
        panel.messages.message_text
        == "Undone: deleted 6.00 on Over 2.5, Betfair Exchange, odds 1.90."
    )
    act(panel, qtbot, "bets.undo")
    assert panel.messages.message_text.startswith("Undone: removed 6.00 on Leeds -0.75 (Handicap, ")


def test_what_was_changed_since_is_not_done_again(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(BEGUN)
    select(panel, 0)
    act(panel, qtbot, "bets.won")
    act(panel, qtbot, "bets.undo")
    with closing(Ledger(path)) as elsewhere:
        elsewhere.change_bet([settled(elsewhere.read_bets()[0], Result.LOST, NOW)], "settled")
    act(panel, qtbot, "bets.redo")
    assert panel.messages.message_text.startswith(
        "Not redone, as the bets have changed since: settled 6.00 on"
    )
    assert [each.result for each in held(path)] == [Result.LOST]


def test_what_an_earlier_session_recorded_is_undone_only_after_a_question(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(bet(stake=10.5))
    before = held(path)
    for _ in range(2):  # a key that is pressed once too often
        act(panel, qtbot, "bets.undo")
        assert held(path) == before
    assert panel.question.message_text == (
        "From an earlier session: imported 10.50 on Leeds -0.75 "
        "(Handicap, Leeds v Wolves), Betfair Exchange, odds 2.06. Undo it?"
    )
    with qtbot.waitSignal(panel._records.bets_changed):
        panel.question.action_requested.emit()
    assert held(path) == []
    act(panel, qtbot, "bets.redo")
    assert held(path) == before


def test_all_practice_is_found_and_deleted_at_once(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(bet(), bet(practice=True), msgspec.structs.replace(WON, practice=True))
    panel.bar.filter.setText("practice")
    assert {panel.model.entry(row).practice for row in range(panel.model.rowCount())} == {True}
    panel.table.scrolling.selectAll()
    act(panel, qtbot, "bets.take_back")
    assert [each.practice for each in held(path)] == [False]
    act(panel, qtbot, "bets.undo")
    assert [each.practice for each in held(path)] == [False, True, True]
