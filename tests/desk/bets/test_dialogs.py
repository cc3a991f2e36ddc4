"""Dialogs of a bet: recorded by hand, edited, cashed out."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.base.texts import ENGLISH, use_language
from oddsdesk.contract.identity import game_id
from oddsdesk.desk.bets.bet_dialog import BetDialog, CashDialog
from oddsdesk.desk.records import above_caps
from oddsdesk.desk.ui.formatting import local_time
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet, cashed_out, settled
from oddsdesk.ledger.fair_values import FairPrice
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.selections import Result
from tests.desk.bets.conftest import HOUR, LISTED, NOW, Make, act, bet, column, held, press, select
from tests.kit.full_ledger import full_disk


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
    assert dialog.trouble.message_text == "Enter a selection and a bookmaker."
    dialog.selection.setText("Over 2.5")
    dialog.buttons.accepted.emit()
    assert dialog.trouble.message_text == "Enter a bookmaker."
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
    assert "1.0" in dialog.trouble.message_text or "odds" in dialog.trouble.message_text.lower()
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


def test_the_selection_chooses_the_market_until_the_user_does(make_panel: Make) -> None:
    """Without a market no score settles a bet."""
    panel = make_panel(bet(market_type="", selection="Draw"))
    select(panel, 0)
    press(panel, "bets.edit")
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    assert dialog.market.currentData() == "moneyline"
    for text, market in (
        ("Wolves", "moneyline"),
        ("Leeds \N{MINUS SIGN}0.75", "spread"),
        ("Over 2.5", "total"),
        ("1X", "double_chance"),
        ("Somebody", ""),
    ):
        dialog.selection.setText(text)
        assert dialog.market.currentData() == market, text
    dialog.selection.setText("Leeds \N{MINUS SIGN}0.75")
    assert dialog.bet().selection == "Leeds -0.75"
    dialog.market.setCurrentIndex(dialog.market.findData("games_handicap"))
    dialog.selection.setText("Leeds")
    assert dialog.market.currentData() == "games_handicap"


@pytest.fixture
def german() -> Iterator[None]:
    use_language("de")
    choose_numbers(Style(COMMA))
    yield
    use_language(ENGLISH)


def test_a_selection_typed_in_german_is_kept_in_english(
    german: None, make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel()
    press(panel, "bets.new")
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    for field, text in (
        (dialog.game, "Arsenal - Chelsea"),
        (dialog.selection, "über 2,5"),
        (dialog.odds, "2,10"),
        (dialog.stake, "5"),
    ):
        field.setText(text)
    field = dialog.placed_at
    assert field.width() > field.fontMetrics().horizontalAdvance(field.text()) + 10
    dialog.bookmaker.setCurrentText("Bet365")
    assert dialog.market.currentData() == "total"
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (made,) = held(path)
    assert (made.market_type, made.selection) == ("total", "Over 2.5")
    assert column(panel, "outcome") == ["Über 2,5"]
    select(panel, 0)
    press(panel, "bets.edit")
    again = panel.findChildren(BetDialog)[-1]
    assert again.selection.text() == "Über 2,5"
    assert again.bet() == made
    again.selection.setText("Arsenal -0,75")
    assert again.bet().selection == "Arsenal -0.75"


def test_a_bet_placed_after_its_kick_off_is_asked_about_once(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel()
    press(panel, "bets.new")
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    for field, text in (
        (dialog.selection, "Over 2.5"),
        (dialog.odds, "2.10"),
        (dialog.stake, "5"),
        (dialog.kick_off, "2026-11-10 20:45"),
        (dialog.placed_at, "2026-11-10 20:46"),
    ):
        field.setText(text)
    dialog.bookmaker.setCurrentText("Betfair Exchange")
    dialog.buttons.accepted.emit()
    assert dialog.trouble.message_text.startswith("Placed after kick-off.")
    assert held(path) == []
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    assert len(held(path)) == 1


@pytest.mark.parametrize(
    ("game", "competition", "kick_off", "selection", "ident"),
    [
        ("Leeds United - Hull City", "", "", "Leeds United", "listed"),
        ("hull city @ LEEDS UNITED", "epl", "", "Leeds United", "listed"),
        ("Leeds United v Hull City", "EPL", "near", "Over", "listed"),
        ("Leeds United - Hull City", "Cup", "", "Leeds United", None),
        ("Leeds United - Hull City", "", "far", "Leeds United", None),
        ("Leeds United - Hull", "", "", "Leeds United", None),
        ("Ajax - PSV", "", "", "Ajax", None),
        ("Ajax - PSV", "", "near", "Ajax", "one"),
    ],
)
def test_a_bet_by_hand_is_on_the_game_that_is_listed_however_that_is_written(
    make_panel: Make,
    qtbot: QtBot,
    path: Path,
    game: str,
    competition: str,
    kick_off: str,
    selection: str,
    ident: str | None,
) -> None:
    """Else its stake would be offered again. Where two may be meant, none is."""
    panel = make_panel()
    press(panel, "bets.new")
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    begins = {"": None, "near": NOW + 2 * HOUR, "far": NOW + 40 * HOUR}[kick_off]
    for field, text in (
        (dialog.game, game),
        (dialog.competition, competition),
        (dialog.selection, selection),
        (dialog.odds, "2.1"),
        (dialog.stake, "5"),
        (dialog.kick_off, "" if begins is None else local_time(begins).strftime("%Y-%m-%d %H:%M")),
    ):
        field.setText(text)
    market = "total" if selection == "Over" else "moneyline"
    dialog.market.setCurrentIndex(dialog.market.findData(market))
    if selection == "Over":
        dialog.selection.setText("Over 2.5")
    dialog.bookmaker.setCurrentText("Bet365")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (kept,) = held(path)
    listed = {each.game_id: each for each in LISTED}.get(ident or "")
    if listed is None:
        assert (kept.game_id, kept.match_name) == (game_id(competition, game), game)
    else:
        assert (kept.game_id, kept.match_name) == (listed.game_id, listed.match_name)
        assert (kept.competition, kept.sport) == (listed.competition, listed.sport)


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
        "2,000 on this outcome is above your limit of 20. Check the stake."
    )
    dialog.kick_off.setText("2020-01-01 12:00")
    assert dialog.doubt.isHidden(), "of a game that is over nothing is open"
    dialog.kick_off.setText("")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (kept,) = held(path)
    assert kept.stake == 2000


def test_caps_know_what_was_placed_under_another_spelling_of_the_game() -> None:
    placed = PlacedBet("feed", "A vs B", "ATP", "Tennis", "moneyline", 0, "A", "Soft", 2.0, 19.0, 0)
    placed = msgspec.structs.replace(placed, kick_off=60_000)
    typed = msgspec.structs.replace(placed, game_id="typed", match_name="A - B", stake=2.0)
    plan = StakePlan(bankroll=1_000)
    said = above_caps(typed, [placed], plan, 0, is_leg=False)
    assert said.startswith(
        "21 on this outcome, including recorded bets, is above your limit of 20."
    )


def test_an_edited_bet_keeps_its_fair_odds_and_updates_its_ev(
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
        qtbot.waitUntil(lambda: "the disk is full" in dialog.trouble.message_text)
    assert dialog.isVisible()
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    qtbot.waitUntil(lambda: not (isValid(dialog) and dialog.isVisible()))
    (kept,) = panel._records.placed_bets()
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
        other.change_bet([settled(*other.read_bets(), Result.LOST, 5)], "settled")
    dialog.note.setText("late")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (kept,) = held(path)
    assert (kept.note, kept.result) == ("late", Result.LOST)


def test_what_a_bet_by_hand_lacks_to_settle_by_itself_is_said(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel()
    panel.placeholder.action_requested.emit()
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    for field, text in (
        (dialog.game, "Girona"),
        (dialog.selection, "Girona -0.75"),
        (dialog.odds, "2.05"),
        (dialog.stake, "12.50"),
    ):
        field.setText(text)
    assert dialog.reading.text() == ""
    dialog.bookmaker.setCurrentText("Bet365")

    def last_line() -> str:
        return dialog.reading.text().split("\n")[-1]

    without = "It will not settle by itself without:"
    assert last_line() == f"{without} both teams, sport, market, kick-off."
    dialog.game.setText("Girona v Betis")
    assert last_line() == f"{without} sport, kick-off.", "the selection names the market"
    dialog.competition.setText("La Liga")
    assert last_line() == f"{without} kick-off."
    dialog.kick_off.setText("30/11/2026 18:30")
    assert last_line().startswith("Read as")
    dialog.kick_off.setText("")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (kept,) = held(path)
    assert kept.kick_off is None


def test_figures_and_times_are_typed_as_people_write_them_and_shown_before_recording(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel()
    panel.placeholder.action_requested.emit()
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    dialog.selection.setText("Over 2.5")
    dialog.bookmaker.setCurrentText("Bet365")
    for odds, stake, kick_off, shown in (
        (
            "21/10",
            "1,500",
            "30/11/2026 18:30",
            "Wins 3,150.00, loses 1,500.00.\nRead as 1,500.00 at 3.10, kick-off 30 Nov",
        ),
        (
            "+150",
            "€1.500,00",
            "30.11.2026",
            "Wins 2,250.00, loses 1,500.00.\nRead as 1,500.00 at 2.50, kick-off 30 Nov 2026",
        ),
        ("1,85", "12 €", "", "Wins 10.20, loses 12.00.\nRead as 12.00 at 1.85"),
        ("1,500", "1 200,50", "", "Wins 600.25, loses 1,200.50.\nRead as 1,200.50 at 1.50"),
    ):
        dialog.odds.setText(odds)
        dialog.stake.setText(stake)
        dialog.kick_off.setText(kick_off)
        assert dialog.reading.text().startswith(shown)
    for field, typed, said in (
        (dialog.stake, "1.500", "Stake: 1.500 may mean thousands: write them without a point."),
        (dialog.stake, "some", "Stake: expected an amount above 0, such as 12.50."),
        (dialog.odds, "1x", "Odds: expected decimal odds such as 2.05, got '1x'."),
        (
            dialog.kick_off,
            "soon",
            "Kick-off 'soon': expected a time such as 2026-04-16 20:45, 16/04/2026 20:45, or today "
            "20:45.",
        ),
    ):
        before = field.text()
        field.setText(typed)
        assert dialog.reading.text() == ""
        dialog.buttons.accepted.emit()
        assert dialog.trouble.message_text == said
        field.setText(before)
    dialog.currency.setText("usd")
    dialog.stake.setText("€12")
    dialog.buttons.accepted.emit()
    assert dialog.trouble.message_text == "Stake: €12 is EUR, but the currency is USD."
    dialog.currency.setText("eur")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (made,) = held(path)
    assert (made.odds, made.stake, made.currency) == (1.5, 12.0, "EUR")


def test_a_kick_off_of_a_day_is_that_of_the_listed_game(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    panel = make_panel()
    panel.placeholder.action_requested.emit()
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    game = LISTED[0]
    assert game.kick_off is not None
    for field, text in (
        (dialog.game, game.match_name),
        (dialog.selection, "Leeds United"),
        (dialog.odds, "2.0"),
        (dialog.stake, "5"),
        (dialog.kick_off, f"{local_time(game.kick_off):%d.%m.%Y}"),
    ):
        field.setText(text)
    dialog.bookmaker.setCurrentText("Bet365")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (made,) = held(path)
    assert (made.game_id, made.kick_off) == ("listed", game.kick_off)


def test_a_cash_out_is_typed_as_people_write_it(make_panel: Make, qtbot: QtBot, path: Path) -> None:
    panel = make_panel(bet(stake=1_200.5))
    select(panel, 0)
    press(panel, "bets.cash")
    dialog = panel.findChild(CashDialog)
    assert dialog is not None
    dialog.back.setText("1.250,75 €")
    assert dialog.reading.text() == "Read as 1,200.50 of the stake for 1,250.75."
    dialog.part.setText("1.000")
    dialog.buttons.accepted.emit()
    assert dialog.trouble.message_text == ("1.000 may mean thousands: write them without a point.")
    dialog.part.setText("1,000")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (cashed,) = held(path)
    assert (cashed.open_stake, cashed.cashed_back) == (200.5, 1250.75)


def test_a_free_bet_is_cashed_out_by_its_size(make_panel: Make, qtbot: QtBot, path: Path) -> None:
    panel = make_panel(bet(kind=BetKind.FREE))
    select(panel, 0)
    press(panel, "bets.cash")
    dialog = panel.findChild(CashDialog)
    assert dialog is not None
    dialog.back.setText("4")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (cashed,) = held(path)
    assert (cashed.cashed_stake, cashed.profit) == (6, 4)


def test_a_part_is_cashed_out(make_panel: Make, qtbot: QtBot, path: Path) -> None:
    panel = make_panel(bet())
    select(panel, 0)
    press(panel, "bets.cash")
    dialog = panel.findChild(CashDialog)
    assert dialog is not None
    dialog.part.setText("7")
    dialog.back.setText("3")
    dialog.buttons.accepted.emit()
    assert "up to 6" in dialog.trouble.message_text
    dialog.part.setText("2")
    with qtbot.waitSignal(panel._records.bets_changed):
        dialog.buttons.accepted.emit()
    (cashed,) = held(path)
    assert (cashed.open_stake, cashed.cashed_back, cashed.result) == (4.0, 3.0, None)


def test_a_cash_out_shows_the_fair_value_next_to_the_offer(make_panel: Make, qtbot: QtBot) -> None:
    """6 at 2.007 after commission, now fair at 1.5: 6 × 2.007 / 1.5 is 8.03."""
    prices = [FairPrice(1.5)]
    panel = make_panel(bet(), fair_now=lambda _: prices[0] if prices else None)
    select(panel, 0)
    press(panel, "bets.cash")
    dialog = panel.findChild(CashDialog)
    assert dialog is not None
    assert dialog.fair.text() == "Fair value now: 8.03."
    dialog.back.setText("7.50")
    assert dialog.fair.text() == "Fair value now: 8.03. The offer is 0.53 less (93.4 % of it)."
    dialog.back.setText("8.20")
    assert dialog.fair.text() == "Fair value now: 8.03. The offer is 0.17 more (102.1 % of it)."
    dialog.part.setText("3")
    assert dialog.fair.text().startswith("Fair value now: 4.01.")
    prices[0] = FairPrice(3.0)
    qtbot.waitUntil(lambda: dialog.fair.text().startswith("Fair value now: 2.01."))
    prices.clear()
    unknown = "Fair value now: unknown, as this bet has no fair odds now."
    qtbot.waitUntil(lambda: dialog.fair.text() == unknown)


def test_a_free_bet_and_a_lay_are_cashed_out_by_their_size(make_panel: Make) -> None:
    for kind, size, label in (
        (BetKind.FREE, "6", "&Stake cashed out"),
        (BetKind.LAY, "6.36", "&Liability cashed out"),
    ):
        panel = make_panel(bet(kind=kind, net_odds=None))
        select(panel, 0)
        press(panel, "bets.cash")
        dialog = panel.findChild(CashDialog)
        assert dialog is not None
        assert dialog.part.text() == size
        assert dialog.form.labelForField(dialog.part.parentWidget()).text() == label


def test_a_bet_that_was_cashed_out_in_full_is_opened_again(
    make_panel: Make, qtbot: QtBot, path: Path
) -> None:
    open_bet = bet(kick_off=NOW - HOUR)
    panel = make_panel(cashed_out(open_bet, open_bet.stake, 5.0, NOW))
    select(panel, 0)
    press(panel, "bets.won")
    assert (
        panel.messages.message_text
        == "This bet was cashed out in full. Reopen it (O) to change its result."
    )
    act(panel, qtbot, "bets.reopen")
    (again,) = held(path)
    assert (again.open_stake, again.cashed_back, again.result) == (open_bet.stake, 0.0, None)


def test_enter_edits_and_ctrl_enter_asks_for_the_game(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(bet())
    select(panel, 0)
    with qtbot.waitSignal(panel.game_requested) as asked:
        press(panel, "bets.game")
    assert asked.args == ["game"]
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    assert panel.findChild(BetDialog) is not None


def test_the_game_of_a_bet_is_that_of_its_kick_off_whatever_the_id_says(
    make_panel: Make, qtbot: QtBot
) -> None:
    """Of a series: the service has the id for tomorrow's game."""
    named = {"match_name": "Leeds United vs Hull City", "competition": "EPL", "sport": "Football"}
    panel = make_panel(bet(**named, kick_off=NOW + HOUR))
    select(panel, 0)
    with qtbot.waitSignal(panel.game_requested) as asked:
        press(panel, "bets.game")
    assert asked.args == ["listed"]
    other = make_panel(bet(**named, game_id="listed", kick_off=NOW - 23 * HOUR), bet())
    row = next(
        row for row in range(other.model.rowCount()) if other.model.entry(row).game_id == "listed"
    )
    select(other, row)
    with qtbot.assertNotEmitted(other.game_requested):
        press(other, "bets.game")
    assert (
        other.messages.message_text
        == "This game is not listed, only another one between these teams."
    )


def test_no_game_is_asked_for_where_a_bet_names_none(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(bet(game_id="", match_name=""))
    select(panel, 0)
    with qtbot.assertNotEmitted(panel.game_requested):
        press(panel, "bets.game")
    assert panel.messages.message_text == "This bet has no game."


def test_the_bet_that_the_keyboard_is_on_is_the_one_that_is_edited_and_cashed_out(
    make_panel: Make, qtbot: QtBot
) -> None:
    panel = make_panel(*(bet(kick_off=NOW + hours * HOUR) for hours in (4, 3, 2)))
    panel.table.set_current(0)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert panel.selected() == [panel.model.entry(2)]
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert panel.selected() == [panel.model.entry(0)]
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert len(panel.selected()) == 2
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    assert dialog._bet == panel.model.entry(1)
    dialog.reject()
    press(panel, "bets.cash")
    cash = panel.findChild(CashDialog)
    assert cash is not None
    assert cash._bet == panel.model.entry(1)
    cash.reject()


@pytest.mark.parametrize("net_odds", [2.04, None])
def test_an_edited_bet_pays_what_it_paid_unless_its_odds_or_bookmaker_change(
    net_odds: float | None, make_panel: Make, qtbot: QtBot
) -> None:
    won = settled(bet(net_odds=net_odds), Result.WON, NOW)
    panel = make_panel(won)
    panel.table.set_current(0)
    press(panel, "bets.edit")
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    dialog.note.setText("paid out on Monday")
    edited = dialog.bet()
    assert (edited.net_odds, edited.true_ev, edited.profit) == (net_odds, won.true_ev, won.profit)
    dialog.odds.setText("2.10")
    assert dialog.bet().net_odds == pytest.approx(1 + 1.10 * 0.95)
    dialog.odds.setText("2.06")
    dialog.bookmaker.setCurrentText("Bet365")
    assert dialog.bet().net_odds == 2.06
    dialog.reject()


def test_a_screen_reader_is_told_the_name_of_each_field_of_a_bet(
    make_panel: Make, qtbot: QtBot
) -> None:
    panel = make_panel()
    press(panel, "bets.new")
    dialog = panel.findChild(BetDialog)
    assert dialog is not None
    fields = [*dialog.findChildren(QLineEdit), *dialog.findChildren(QComboBox)]
    unnamed = [each for each in fields if not each.accessibleName() and not each.focusProxy()]
    assert unnamed == []
    assert dialog.stake.accessibleName() == "Stake"
    dialog.reject()


def test_a_bet_in_another_currency_is_shown_and_selected_once_it_is_recorded(
    make_panel: Make, qtbot: QtBot
) -> None:
    """It was behind a chip of another currency, and nothing said so."""
    panel = make_panel(bet(), bet(game_id="second"))
    panel.bar.filter.setText("leeds")
    panel.choose_view("settled")
    made = bet(game_id="third", currency="EUR", selection="Arsenal", match_name="Arsenal - Everton")
    with qtbot.waitSignal(panel._records.bets_changed):
        panel.actions_on_bets._record(made, panel.actions_on_bets._dialog(None))
    qtbot.waitUntil(lambda: [each.currency for each in panel.selected()] == ["EUR"])
    assert [each.selection for each in panel.selected()] == ["Arsenal"]
    assert panel.bar.filter.text() == ""
    assert panel.currencies.chips.chosen_chip == "", "the figures stay those of most bets"
    assert "EUR" in panel.messages.message_text
