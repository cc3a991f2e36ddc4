"""The bets at the desk: listed, settled, edited, cashed out, deleted, and all of that undone."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from oddsdesk.desk.bets.bet_dialog import BetDialog
from oddsdesk.desk.bets.cash_dialog import CashDialog
from oddsdesk.desk.bets.odds_dialog import OddsDialog
from oddsdesk.desk.bets.panel import BetsPanel
from oddsdesk.desk.bets.report_model import COLUMNS
from oddsdesk.desk.export.files import CSV
from oddsdesk.desk.ui.chart.course_chart import ticks
from oddsdesk.desk.ui.table.cell_painter import CellPainter
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import settled
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.reading import read_bets
from oddsdesk.ledger.reporting import whole_report
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.results import Result
from tests.desk.bets.conftest import BEGUN, HOUR, NOW, OVER, Make, act, bet, held, press, select
from tests.kit.full_ledger import full_disk

WON = settled(
    bet(kick_off=NOW - 50 * HOUR, close=ClosingLine(2.0, 1.95, "shin", NOW)), Result.WON, NOW
)
LOST = settled(
    bet(
        kick_off=NOW - 60 * HOUR,
        bookmaker="Bet365",
        close=ClosingLine(why="the line moved", moved_to="Leeds -1", moved_fair_odds=2.1),
    ),
    Result.LOST,
    NOW,
)


def column(panel: BetsPanel, key: str) -> list[str]:
    model = panel.model
    place = next(i for i, each in enumerate(model._columns) if each.key == key)
    return [model.cell(row, place).text for row in range(model.rowCount())]


def test_bets_are_listed_by_how_they_stand(make_panel: Make, qtmodeltester: ModelTester) -> None:
    panel = make_panel(bet(), OVER, WON, LOST)
    qtmodeltester.check(panel.model)
    assert column(panel, "state") == ["● open", "● to settle", "● won", "● lost"]
    assert column(panel, "clv") == ["", "", "+2.9 %", "line moved"]
    assert column(panel, "profit") == ["", "", "+6.04", "−6.00"]
    for view, states in (
        ("open", ["● open"]),
        ("to settle", ["● to settle"]),
        ("settled", ["● won", "● lost"]),
    ):
        panel.choose_view(view)
        assert column(panel, "state") == states
    tip = panel.model.tip(1, 0)
    assert "no close: the line moved: Leeds -1 closed at a fair 2.100" in tip


def test_where_the_market_has_no_room_the_outcome_tells_what_it_does_not_say_by_itself(
    make_panel: Make, qtbot: QtBot
) -> None:
    """A total of the first half read as that of the whole game."""
    panel = make_panel(
        bet(selection="Over 1.5", market_type="total", period=1),
        bet(selection="Home Under 4.5", market_type="team_total", period=0),
        bet(selection="Over 9.5", market_type="corners", period=2),
        bet(),
    )
    plain = ["Over 1.5", "Home Under 4.5", "Over 9.5", "Leeds -0.75"]
    assert sorted(column(panel, "outcome")) == sorted(plain)
    panel.resize(600, 700)
    pane = panel.table.scrolling
    market = next(i for i, each in enumerate(panel.model._columns) if each.key == "market")
    qtbot.waitUntil(lambda: pane.isColumnHidden(market))
    assert sorted(column(panel, "outcome")) == [
        "Home Under 4.5 · Leeds",
        "Leeds -0.75",
        "Over 1.5 · 1st Half",
        "Over 9.5 · corners · 2nd Half",
    ]
    tip = panel.model.tip(column(panel, "outcome").index("Home Under 4.5 · Leeds"), 0)
    assert tip.startswith("Home Under 4.5, Team total, Leeds v Wolves\n")
    panel.resize(1_300, 700)
    qtbot.waitUntil(lambda: not pane.isColumnHidden(market))
    assert sorted(column(panel, "outcome")) == sorted(plain)


def test_a_narrow_list_keeps_what_was_bet_on_and_when_before_its_figures(
    make_panel: Make,
) -> None:
    panel = make_panel(bet())
    pane, keys = panel.table.scrolling, [each.key for each in panel.model._columns]
    went: list[str] = []
    for width in range(1_400, 600, -10):
        panel.resize(width, 700)
        hidden = [key for place, key in enumerate(keys) if pane.isColumnHidden(place)]
        went += [key for key in hidden if key not in went]
    assert went == ["note", "clv", "ev", "market", "kick_off"]


def test_an_ev_of_a_decided_unit_is_marked(make_panel: Make) -> None:
    panel = make_panel(bet(per="decided"), bet(per="staked", selection="Leeds -0.5"))
    model = panel.model
    place = next(i for i, each in enumerate(model._columns) if each.key == "ev")
    marks = {model.entry(row).per: model.cell(row, place).note for row in range(2)}
    assert marks == {"decided": "*", "staked": ""}
    tips = {model.entry(row).per: "decided unit" in model.tip(row, place) for row in range(2)}
    assert tips == {"decided": True, "staked": False}


def test_many_bets_are_settled_at_once_and_that_is_undone(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(BEGUN, OVER)
    select(panel, 0, 1)
    act(panel, qtbot, "bets.half_won")
    assert [each.result for each in held(path)] == [Result.HALF_WON] * 2
    assert panel.messages.text == "2 bets half won."
    with qtbot.waitSignal(panel._records.bets_changed):
        panel.messages.action_requested.emit()
    assert [each.result for each in held(path)] == [None, None]
    assert panel.messages.text == (
        "Undone: settled 2 bets, the first 6.00 on Leeds -0.75 (Handicap, Leeds v Wolves), "
        "Betfair Exchange, odds 2.06."
    )


def test_what_was_done_and_its_undo_go_by_themselves(
    make_panel: Make, qtbot: QtBot, tmp_path: Path
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
        panel.files.settle(results)
    assert undo.isVisible()
    messages._passing.timeout.emit()
    assert messages.isVisible()  # what was left out is still to be read
    assert not undo.isVisible()


def test_a_click_on_undo_leaves_the_keyboard_where_it_is(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(BEGUN)
    panel.activateWindow()
    select(panel, 0)
    panel.table.setFocus()
    act(panel, qtbot, "bets.won")
    with qtbot.waitSignal(panel._records.bets_changed):
        qtbot.mouseClick(panel.messages.findChild(QPushButton), Qt.MouseButton.LeftButton)
    assert panel.table.scrolling.hasFocus()


def test_the_bet_that_the_keyboard_comes_to_is_selected_and_the_next_once_it_is_settled(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(BEGUN, OVER)
    panel.choose_view("to settle")
    panel.activateWindow()
    panel.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(panel.table.scrolling.hasFocus)
    assert [each.ident for each in panel.selected()] == [2]
    panel.choose_view("all")
    assert len(panel.selected()) == 1
    panel.choose_view("open")
    act(panel, qtbot, "bets.won")
    assert [each.result for each in held(path)] == [Result.WON, None]
    assert panel.selected() == []


def test_keys_work_after_a_menu_was_open_with_nothing_selected(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(BEGUN)
    panel.table.scrolling.selectionModel().clear()
    menu = panel.actions_on_bets.settle_menu
    menu.aboutToShow.emit()
    assert not any(action.isEnabled() for action in menu.actions() if not action.isSeparator())
    menu.aboutToHide.emit()
    select(panel, 0)
    act(panel, qtbot, "bets.won")
    assert [each.result for each in held(path)] == [Result.WON]


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
    assert panel.messages.text == "There is nothing to undo."
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
    assert panel.messages.text == f"Taken back: 2 bets, the first {first}."
    act(panel, qtbot, "bets.undo")
    assert panel.messages.text == f"Taken back: {first}."
    button = panel.messages.findChild(QPushButton)
    assert button.text() == "Redo"
    assert held(path) == []
    with qtbot.waitSignal(panel._records.bets_changed):
        button.click()
    assert panel.messages.text == f"Done again: placed {first}."
    assert button.text() == "Undo"
    act(panel, qtbot, "bets.redo")
    assert held(path) == before
    press(panel, "bets.redo")
    assert panel.messages.text == "There is nothing to redo."
    assert panel.messages._icon_name == "info"
    act(panel, qtbot, "bets.undo")
    assert held(path) == before[:1]


def test_what_was_deleted_and_what_was_taken_back_are_undone_by_their_words(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(bet(), bet(selection="Over 2.5", market_type="", match_name="", odds=1.9))
    with closing(Ledger(path)) as elsewhere:
        assert elsewhere.take_back_unchanged(elsewhere.bets()[0])
    panel._records.read_again()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    select(panel, 0)
    act(panel, qtbot, "bets.take_back")
    assert panel.messages.text == "1 bet deleted."
    act(panel, qtbot, "bets.undo")
    assert panel.messages.text == "Undone: deleted 6.00 on Over 2.5, Betfair Exchange, odds 1.90."
    act(panel, qtbot, "bets.undo")
    assert panel.messages.text.startswith("Undone: taken back 6.00 on Leeds -0.75 (Handicap, ")


def test_what_was_changed_since_is_not_done_again(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(BEGUN)
    select(panel, 0)
    act(panel, qtbot, "bets.won")
    act(panel, qtbot, "bets.undo")
    with closing(Ledger(path)) as elsewhere:
        elsewhere.change([settled(elsewhere.bets()[0], Result.LOST, NOW)], "settled")
    act(panel, qtbot, "bets.redo")
    assert panel.messages.text.startswith("Changed since, and left as it is: settled 6.00 on")
    assert [each.result for each in held(path)] == [Result.LOST]


def test_what_an_earlier_session_recorded_is_undone_only_after_a_question(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(bet(stake=10.5))
    before = held(path)
    for _ in range(2):  # a key that is pressed once too often
        act(panel, qtbot, "bets.undo")
        assert held(path) == before
    assert panel.question.text == (
        "Before this start of oddsdesk: imported 10.50 on Leeds -0.75 "
        "(Handicap, Leeds v Wolves), Betfair Exchange, odds 2.06. Undo that?"
    )
    with qtbot.waitSignal(panel._records.bets_changed):
        panel.question.action_requested.emit()
    assert held(path) == []
    act(panel, qtbot, "bets.redo")
    assert held(path) == before


def test_every_row_of_the_bet_is_reached_by_its_letter(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(bet())
    select(panel, 0)
    panel.actions_on_bets.ask_edit()
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isActiveWindow)
    for letter, field in (
        (Qt.Key.Key_S, dialog.stake),
        (Qt.Key.Key_P, dialog.competition),
        (Qt.Key.Key_N, dialog.note),
        (Qt.Key.Key_M, dialog.market),
        (Qt.Key.Key_B, dialog.bookmaker),
    ):
        qtbot.keyClick(dialog, letter, Qt.KeyboardModifier.AltModifier)
        assert dialog.focusWidget() is field, letter


def test_a_bet_is_recorded_by_hand(make_panel: Make, qtbot: QtBot, path: Path) -> None:
    panel = make_panel()
    assert panel.placeholder.isVisible()
    panel.placeholder.action_requested.emit()
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    dialog.buttons.accepted.emit()
    assert dialog.trouble.text == "Expected a selection and a bookmaker."
    for field, text in (
        (dialog.game, "Arsenal - Chelsea"),
        (dialog.competition, "EPL"),
        (dialog.selection, "Over 2.5"),
        (dialog.odds, "1.0"),
        (dialog.stake, "5"),
        (dialog.currency, "eur"),
        (dialog.kick_off, "2026-11-20 20:45"),
    ):
        field.setText(text)
    dialog.market.setCurrentIndex(dialog.market.findData("total"))
    dialog.bookmaker.setCurrentText("Betfair Exchange")
    dialog.buttons.accepted.emit()
    assert "1.0" in dialog.trouble.text or "odds" in dialog.trouble.text.lower()
    dialog.odds.setText("2.10")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (made,) = held(path)
    assert (made.match_name, made.market_type, made.currency) == (
        *("Arsenal - Chelsea", "total"),
        "EUR",
    )
    assert (made.odds, made.net_odds) == (2.1, pytest.approx(2.045))
    assert made.game_id
    assert column(panel, "outcome") == ["Over 2.5"]


def test_a_stake_by_hand_beyond_the_caps_is_doubted_and_may_be_recorded(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    """The plan stakes 20 of 1,000 on an outcome; what is edited counts once."""
    panel = make_panel(bet(stake=6.0))
    select(panel, 0)
    panel.actions_on_bets.ask_edit()
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    dialog.stake.setText("20")
    assert dialog.doubt.isHidden()
    dialog.stake.setText("2000")
    assert dialog.doubt.text() == (
        "2,000 on this outcome: your plan stakes at most 20 on one. Is that what you bet?"
    )
    dialog.kick_off.setText("2020-01-01 12:00")
    assert dialog.doubt.isHidden(), "of a game that is over nothing is open"
    dialog.kick_off.setText("")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (kept,) = held(path)
    assert kept.stake == 2000


def test_an_edited_bet_keeps_what_was_thought_and_reckons_its_ev_anew(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(bet(true_ev=(2.007 / (1.95 * 1.01) - 1) * 100))
    select(panel, 0)
    panel.actions_on_bets.ask_edit()
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    dialog.odds.setText("2.2")
    dialog.note.setText("price moved")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (edited,) = held(path)
    assert (edited.odds, edited.note, edited.placed_at) == (2.2, "price moved", bet().placed_at)
    assert edited.kick_off == bet().kick_off
    assert edited.true_ev == pytest.approx((2.14 / (1.95 * 1.01) - 1) * 100)


def test_a_bet_that_is_not_kept_stays_in_its_dialog(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(bet())
    select(panel, 0)
    panel.actions_on_bets.ask_edit()
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    dialog.note.setText("x" * 100_000)
    with full_disk(panel._records):
        dialog.buttons.accepted.emit()
        assert not dialog.buttons.isEnabled(), "nothing is recorded twice"
        qtbot.waitUntil(lambda: "the disk is full" in dialog.trouble.text)
    assert dialog.isVisible()
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    qtbot.waitUntil(lambda: not (isValid(dialog) and dialog.isVisible()))
    (kept,) = panel._records.bets()
    assert len(kept.note) > 30_000


def test_what_another_program_settled_meanwhile_stays_settled(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel(bet())
    select(panel, 0)
    panel.actions_on_bets.ask_edit()
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    with closing(Ledger(path)) as other:
        other.change([settled(*other.bets(), Result.LOST, 5)], "settled")
    dialog.note.setText("late")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (kept,) = held(path)
    assert (kept.note, kept.result) == ("late", Result.LOST)


def test_a_part_is_cashed_out(make_panel: Make, qtbot: QtBot, path: Path) -> None:
    panel = make_panel(bet())
    select(panel, 0)
    press(panel, "bets.cash")
    dialog = panel.findChild(CashDialog)
    assert dialog is not None
    dialog.part.setText("7")
    dialog.back.setText("3")
    dialog.buttons.accepted.emit()
    assert "up to 6" in dialog.trouble.text
    dialog.part.setText("2")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (cashed,) = held(path)
    assert (cashed.open_stake, cashed.cashed_back, cashed.result) == (4.0, 3.0, None)


def test_words_filter_the_list_and_its_figures(make_panel: Make) -> None:
    panel = make_panel(bet(), WON, LOST)
    panel.bar.filter.setText("bet365 lost")
    assert column(panel, "state") == ["● lost"]
    assert panel.facts.texts()[0][:2] == ("Profit", "−6.00")
    panel.bar.filter.setText("nobody")
    assert panel.placeholder.isVisible()
    panel.placeholder.action_requested.emit()
    assert len(column(panel, "state")) == 3


def test_two_currencies_are_never_summed(make_panel: Make) -> None:
    euro = settled(bet(currency="EUR", stake=100.0), Result.LOST, NOW)
    panel = make_panel(WON, LOST, euro)
    assert panel.facts.texts()[0][1] == "+0.04"
    panel.bar._currencies.choose("EUR")
    assert panel.facts.texts()[0][1] == "−100.00"
    assert column(panel, "profit") == ["−100.00"]


def test_a_report_has_a_row_for_each_bookmaker_and_can_be_exported(make_panel: Make) -> None:
    panel = make_panel(WON, LOST, bet())
    panel.choose_view("by bookmaker")
    assert panel.reports.isVisible()
    table = panel.exported()
    assert [column.key for column in table.columns][:4] == ["of", "bets", "staked", "profit"]
    assert sorted(row[0] for row in table.rows) == ["Bet365", "Betfair Exchange"]
    assert panel.selected() == []
    earlier = settled(bet(kick_off=NOW - 900 * HOUR, stake=0.5), Result.LOST, NOW)
    panel = make_panel(earlier)
    panel.choose_view("by month")
    months = [str(row[0]) for row in panel.exported().rows]
    assert len(months) == 2
    assert months == sorted(months, reverse=True)


def test_figures_of_some_bets_say_of_how_many(make_panel: Make) -> None:
    unknown = msgspec.structs.replace(LOST, true_ev=None, fair_odds=None)
    panel = make_panel(WON, unknown)
    texts = {title: detail for title, _, detail in panel.facts.texts()}
    assert texts["Profit"] == "expected +0.14 of 1 bet"
    cells = {spec.key: spec.cell(("all", whole_report([WON, unknown])), NOW) for spec in COLUMNS}
    assert (cells["expected"].text, cells["expected"].note) == ("+0.14", "of 1")
    assert (cells["clv_pct"].text, cells["clv_pct"].note) == ("+2.9 %", "of 1")
    assert cells["bets"].note == cells["yield_pct"].note == ""
    of_none = COLUMNS[[spec.key for spec in COLUMNS].index("expected")]
    assert of_none.cell(("all", whole_report([unknown])), NOW).text == ""


def test_figures_say_profit_yield_close_luck_and_risk(make_panel: Make) -> None:
    lost = msgspec.structs.replace(LOST, game_id="another")
    panel = make_panel(WON, lost, bet(), OVER)
    texts = {title: (figure, detail) for title, figure, detail in panel.facts.texts()}
    assert texts["Profit"] == ("+0.04", "expected +0.29")
    assert texts["Yield"] == ("+0.4 %", "on 12.00 staked, 2 bets")
    assert texts["Closing line"] == ("+2.9 %", "100 % of 1 beaten")
    assert texts["Luck or skill"] == ("2 outcomes", "what chance alone does")
    assert texts["Drawdown"] == ("−6.00", "within 1 bet")
    assert texts["At risk"] == ("1.2 %", "12.00, cap 25 %")
    assert panel.chart.isVisible()
    assert "After 2 bets: profit +0.04" in panel.chart.accessibleDescription()


def test_practice_is_marked_and_counts_in_no_figure(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    real = make_panel(WON, LOST, bet(), OVER)
    figures = real.facts.texts()
    heard: list[int] = []
    real.waiting_changed.connect(heard.append)
    practised = [msgspec.structs.replace(each, practice=True) for each in (bet(), OVER, WON)]
    with closing(Ledger(path)) as ledger:
        ledger.place_all(practised, "placed")
    with qtbot.waitSignal(real._records.bets_changed):
        real._records.read_again()
    apart = ("At risk", "1.2 %", "12.00, cap 25 %, without practice 12.00")
    assert real.facts.texts() == [*figures[:-1], apart]
    assert heard[-1] == 1
    model = real.model
    marked = {model.entry(row).ident: model.cell(row, 0).note for row in range(7)}
    assert marked == dict.fromkeys(range(1, 5), "") | dict.fromkeys(range(5, 8), "practice")
    assert real.bar._facts.accessibleName() == "7 bets, 3 practice"
    real.choose_view("by sport")
    assert real.bar._facts.accessibleName() == "settled bets by sport, without 1 of practice"
    assert [cell[1] for cell in real.report.exported()] == [2]


@pytest.mark.parametrize("result", [None, *Result])
def test_there_is_room_for_the_mark_of_practice_whatever_became_of_the_bet(
    make_panel: Make, theme: Theme, result: Result | None
) -> None:
    ended = msgspec.structs.replace(OVER, practice=True, result=result)
    panel = make_panel(ended)
    painter, cell = CellPainter(theme, lambda: 0), panel.model.cell(0, 0)
    needed = painter.narrow_width(panel.model, 0, f"{cell.text} {cell.note}")
    assert cell.note == "practice"
    assert needed <= painter.least_width(panel.model, 0)


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


def test_rows_stay_where_they_are_while_bets_are_settled(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(BEGUN, OVER)
    top = panel.table.mapTo(panel, QPoint()).y()
    select(panel, 0)
    act(panel, qtbot, "bets.won")
    assert not panel.chart.isVisible()
    assert panel.table.mapTo(panel, QPoint()).y() == top
    panel.choose_view("settled")
    assert panel.chart.isVisible()
    select(panel, 0)
    act(panel, qtbot, "bets.reopen")
    assert panel.chart.isVisible()


def test_the_filter_gives_way_before_the_count_of_bets_is_cut(
    make_panel: Make, theme: Theme, qtbot: QtBot
) -> None:
    practised = [msgspec.structs.replace(bet(), practice=True), bet()]
    theme.zoom(160)
    panel = make_panel(*practised, width=1_000)
    for size, width in ((160, 889), (100, 628)):
        theme.zoom(size)
        panel.resize(width, panel.height())
        qtbot.waitUntil(lambda: panel.bar._facts.text() == "2 bets, 1 practice")
        assert panel.bar.filter.width() >= theme.fonts.scaled(100)


def test_the_list_of_views_is_as_large_as_its_texts(make_panel: Make, theme: Theme) -> None:
    views = make_panel(WON).views

    def sizes() -> list[int]:
        rows = [views.item(row).sizeHint().height() for row in range(views.count())]
        return [views.width(), *rows]

    before = sizes()
    theme.zoom(160)
    large = sizes()
    theme.zoom(100)
    assert all(one > other for one, other in zip(large, before, strict=True))
    assert sizes() == before


def test_large_text_leaves_the_list_of_views_out_where_it_takes_the_room_of_stakes(
    make_panel: Make, theme: Theme, qtbot: QtBot
) -> None:
    panel = make_panel(WON, LOST, width=700)
    assert panel.views.isVisible()
    theme.zoom(160)
    try:
        qtbot.waitUntil(lambda: not panel.views.isVisible())
        stake = next(i for i, each in enumerate(panel.model._columns) if each.key == "stake")
        pane = panel.table.scrolling
        qtbot.waitUntil(
            lambda: (
                pane.columnViewportPosition(stake) + pane.columnWidth(stake)
                <= pane.viewport().width()
            )
        )
    finally:
        theme.zoom(100)
    qtbot.waitUntil(panel.views.isVisible)


def test_a_low_or_narrow_panel_keeps_the_list(make_panel: Make) -> None:
    panel = make_panel(WON, LOST, width=500, height=330)
    assert not panel.chart.isVisible()
    assert not panel.views.isVisible()
    assert panel.table.isVisible()


def test_files_settle_and_import_and_what_is_wrong_is_said(
    make_panel: Make, qtbot: QtBot, path: Path, tmp_path: Path
) -> None:
    panel = make_panel(bet())
    results, bets = tmp_path / "results.csv", tmp_path / "bets.csv"
    results.write_text("bet,result\n1,lost\n9,won\n")
    with qtbot.waitSignal(panel.files.said):
        panel.files.settle(results)
    assert panel.messages.text == (
        "1 bet settled from results.csv. Left out: line 3: there is no bet 9."
    )
    bets.write_text("selection,odds,stake,mood\nOver 2.5,2.0,5,good\nOver 2.5,1.0,5,bad\n")
    with qtbot.waitSignal(panel.files.said):
        panel.files.import_bets(bets)
    assert panel.messages.text == (
        "1 bet imported from bets.csv, decimal odds; no column is the match: no scores settle "
        "these bets, and none gets a closing line; columns left out: mood. "
        "Left out: line 3: odds 1: expected decimal odds above 1."
    )
    assert [each.selection for each in held(path)] == ["Leeds -0.75", "Over 2.5"]
    assert panel.messages._icon_name == "check"
    for read, file, said in (
        (panel.files.import_bets, bets, "0 bets imported from bets.csv, decimal odds; 1 there"),
        (panel.files.settle, results, "0 bets settled from results.csv"),
    ):
        with qtbot.waitSignal(panel.files.brought_nothing):
            read(file)
        assert panel.messages.text.startswith(said)
        assert panel.messages._icon_name == "info", "nothing was done"
        assert panel.messages.findChild(QPushButton).isHidden(), "so nothing is undone"
    with qtbot.waitSignal(panel.files.failed):
        panel.files.import_bets(tmp_path / "missing.csv")
    assert panel.messages.text == "missing.csv cannot be read: No such file or directory."


def test_an_import_says_how_many_profits_differ_from_the_results_and_the_first(
    make_panel: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    panel = make_panel()
    file = tmp_path / "bets.csv"
    head = "selection,odds,stake,result,profit,side\nHull,2.5,9,lost,-9,back\n"
    lost = "Leeds,2.5,10,lost,-15,"
    file.write_text(head + f"{lost}back\n" * 3 + f"{lost}lay\n")
    with qtbot.waitSignal(panel.files.said):
        panel.files.import_bets(file)
    assert panel.messages.text == (
        "4 bets imported from bets.csv, decimal odds; 3 profits differ from what results give: "
        "line 3: its list says -15.00, lost is -10.00; "
        "line 4: its list says -15.00, lost is -10.00; and 1 more; "
        "no column is the match: no scores settle these bets, and none gets a closing line. "
        "Left out: line 6: a lay bet: not kept here."
    )


def test_odds_that_do_not_tell_how_they_are_written_are_asked_for(
    make_panel: Make, qtbot: QtBot, tmp_path: Path
) -> None:
    panel = make_panel()
    file = tmp_path / "bets.csv"
    file.write_text("selection,odds,stake\nPSG,150,5\n")
    panel.files.import_bets(file)
    qtbot.waitUntil(lambda: bool(panel.findChildren(OddsDialog)))
    dialog = panel.findChildren(OddsDialog)[0]
    offered = [dialog.styles.itemText(place) for place in range(2)]
    assert offered == ["Decimal: 150 is 150 decimal", "American: 150 is 2.5 decimal"]
    dialog.styles.setCurrentIndex(1)
    with qtbot.waitSignal(panel.files.said):
        dialog.read.click()
    assert panel.messages.text == (
        "1 bet imported from bets.csv, american odds; no column is the match: no scores settle "
        "these bets, and none gets a closing line."
    )


def test_bets_go_to_bet_analytix(make_panel: Make, qtbot: QtBot, tmp_path: Path) -> None:
    panel = make_panel(bet(), WON)
    target = tmp_path / "bets.csv"
    with qtbot.waitSignal(panel.files.said):
        panel.files.write_bet_analytix(panel._shown, target)
    assert panel.messages.text == (
        f"2 bets written to {target}; "
        "with odds after commission or tax, those taken in the comment: 2."
    )
    assert read_bets(target.read_bytes(), NOW).tracker == "Bet-Analytix"
    with qtbot.waitSignal(panel.files.failed):
        panel.files.write_bet_analytix(panel._shown, tmp_path)
    assert "cannot be written" in panel.messages.text


def test_what_is_shown_is_exported(make_panel: Make, qtbot: QtBot, tmp_path: Path) -> None:
    panel = make_panel(bet(), WON)
    target = tmp_path / "bets.csv"
    with qtbot.waitSignal(panel.files.said):
        panel.files.write(panel.exported(), CSV, target)
    assert panel.messages.text == f"2 rows written to {target}."
    found = read_bets(target.read_bytes(), NOW)
    assert [each.result for each in found.bets] == [None, Result.WON]


def test_enter_edits_and_ctrl_enter_asks_for_the_game(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(bet())
    select(panel, 0)
    with qtbot.waitSignal(panel.game_requested) as asked:
        press(panel, "bets.game")
    assert asked.args == ["game"]
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    assert panel.findChild(BetDialog) is not None


def test_how_many_bets_want_a_result_is_told(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(bet(), OVER)
    heard: list[int] = []
    panel.waiting_changed.connect(heard.append)
    select(panel, 1)
    act(panel, qtbot, "bets.void")
    assert heard[-1] == 0


def test_the_keyboard_stays_in_the_list_when_another_view_is_chosen(
    make_panel: Make, qtbot: QtBot
) -> None:
    panel = make_panel(WON, LOST)
    panel.activateWindow()
    panel.table.setFocus()
    qtbot.waitUntil(panel.table.scrolling.hasFocus)
    for view, focused in (
        ("by sport", panel.reports.scrolling),
        ("open", panel.placeholder),
        ("all", panel.table.scrolling),
    ):
        panel.choose_view(view)
        assert focused.hasFocus()


def test_figures_are_cut_nowhere_and_all_are_there_in_a_small_window(
    make_panel: Make, qtbot: QtBot
) -> None:
    panel = make_panel(bet(), WON, LOST, OVER)
    panel.resize(1_035, 470)
    tiles = panel.facts._tiles
    qtbot.waitUntil(lambda: all(tile.isVisible() for tile in tiles))
    for tile in tiles:
        labels = (tile._title, tile._figure, tile._detail)
        assert all(label.width() >= label.sizeHint().width() for label in labels)


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(-161.0, 158.0, [-100.0, 0.0, 100.0]), (-7.0, 12.0, [0.0, 10.0])],
)
def test_a_chart_has_more_than_its_zero(low: float, high: float, shown: list[float]) -> None:
    assert ticks(low, high, 3) == shown
