"""The view of accounts: balances, movements of money and exchange rates by dialog."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from oddsdesk.desk.bets.accounts import MovementDialog, RatesDialog
from oddsdesk.desk.bets.panel import BetsPanel
from oddsdesk.ledger.accounts import MoneyBook, Movement, Rate
from oddsdesk.ledger.ledger import Ledger
from tests.desk.bets.conftest import NOW, WON, Make, bet, press


def book(path: Path) -> MoneyBook:
    with closing(Ledger(path)) as ledger:
        return ledger.money.read_book()


def rows(panel: BetsPanel) -> list[list[str]]:
    model = panel.account_list
    return [
        [model.cell(row, place).text for place in range(len(model.columns))]
        for row in range(model.rowCount())
    ]


def dialog_of(panel: BetsPanel, kind: type, ident: str) -> Any:
    press(panel, ident)
    return next(each for each in panel.findChildren(kind) if each.isVisible())


def save(panel: BetsPanel, dialog: MovementDialog | RatesDialog, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel._records.money_changed):
        dialog.buttons.accepted.emit()


def test_balances_are_listed_by_account(make_panel: Make, qtmodeltester: ModelTester) -> None:
    panel = make_panel(bet(), WON, bet(bookmaker="Kalshi", currency="USD"))
    panel.choose_view("accounts")
    assert panel._stack.currentWidget() is panel.accounts
    qtmodeltester.check(panel.account_list)
    # Balance, in the main currency, deposits, profit, in open bets, open bets
    assert rows(panel) == [
        ["Betfair Exchange UK", "0.04", "", "0.00", "+6.04", "6.00", "1"],
        ["Kalshi", "−6.00", "", "0.00", "+0.00", "6.00", "1"],
    ]
    assert panel.bar._said == "2 accounts; set a main currency to see a total"
    assert panel.selected() == []


def test_accounts_in_one_currency_have_a_total_without_a_main_currency(make_panel: Make) -> None:
    panel = make_panel(bet(), WON)
    panel.choose_view("accounts")
    assert panel.bar._said == "1 account, 0.04 in total"


def test_a_deposit_is_recorded_and_can_be_removed(
    make_panel: Make, path: Path, qtbot: QtBot
) -> None:
    panel = make_panel(WON)
    dialog = dialog_of(panel, MovementDialog, "bets.move")
    dialog.amount.setText("-5")
    dialog.buttons.accepted.emit()
    assert dialog.trouble.isVisible()
    dialog.amount.setText("1,500")
    dialog.bookmaker.setCurrentText("Pinnacle")
    dialog.currency.setText("eur")
    dialog.note.setText("first")
    save(panel, dialog, qtbot)
    (made,) = book(path).movements
    assert (made.kind, made.amount, made.currency, made.note) == ("deposit", 1500, "EUR", "first")
    assert abs(made.at - NOW) < 60_000
    assert panel.views.current_view == "accounts"
    assert [row[:2] for row in rows(panel)] == [
        ["Betfair Exchange UK", "6.04"],
        ["Pinnacle", "1,500.00"],
    ]
    with qtbot.waitSignal(panel._records.money_changed):
        panel.messages.action_requested.emit()
    assert not book(path).movements
    assert len(rows(panel)) == 1


def test_a_balance_is_corrected_on_the_account_of_the_row(
    make_panel: Make, path: Path, qtbot: QtBot
) -> None:
    panel = make_panel(WON)
    panel.choose_view("accounts")
    panel.accounts.set_current(0)
    dialog = dialog_of(panel, MovementDialog, "bets.move")
    assert dialog.bookmaker.currentText() == "Betfair Exchange UK"
    dialog.kind.setCurrentIndex(dialog.kind.findData("correction"))
    dialog.amount.setText("50")
    save(panel, dialog, qtbot)
    assert [each.amount for each in book(path).movements] == [pytest.approx(50 - WON.profit)]
    assert rows(panel)[0][1] == "50.00"


def test_a_rate_gives_a_total(make_panel: Make, path: Path, qtbot: QtBot) -> None:
    panel = make_panel(WON, bet(bookmaker="Kalshi", currency="USD"))
    panel.choose_view("accounts")
    dialog = dialog_of(panel, RatesDialog, "bets.rates")
    dialog.main.setText("eur")
    save(panel, dialog, qtbot)
    assert panel.bar._said == "2 accounts; no total: no exchange rate for USD"
    panel.accounts.set_current(0)  # of the main currency: the missing one is asked for
    dialog = dialog_of(panel, RatesDialog, "bets.rates")
    assert (dialog.main.text(), dialog.currency.text()) == ("EUR", "USD")
    dialog.buttons.accepted.emit()
    assert dialog.trouble.isVisible()
    dialog.rate.setText("0")
    dialog.buttons.accepted.emit()
    assert dialog.trouble.isVisible()
    dialog.rate.setText("0,5")
    save(panel, dialog, qtbot)
    assert book(path).rates == [Rate("USD", "EUR", NOW, 0.5)]
    assert [row[2] for row in rows(panel)] == ["6.04", "−3.00"]
    assert panel.bar._said == "2 accounts, 3.04 EUR in total"


def test_another_program_moves_money(make_panel: Make, path: Path, qtbot: QtBot) -> None:
    panel = make_panel(WON)
    panel.choose_view("accounts")
    with closing(Ledger(path)) as ledger:
        ledger.money.add_movement(Movement(NOW, "deposit", 7, "", "Pinnacle"))
    with qtbot.waitSignal(panel._records.money_changed, timeout=10_000):
        panel._records.read_again()
    assert rows(panel)[1][:2] == ["Pinnacle", "7.00"]


def test_without_accounts_a_deposit_is_offered(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel()
    panel.choose_view("accounts")
    panel.placeholder.action_requested.emit()
    (dialog,) = panel.findChildren(MovementDialog)
    dialog.reject()


def test_enter_on_an_account_records_a_movement(make_panel: Make, qtbot: QtBot) -> None:
    panel = make_panel(WON)
    panel.choose_view("accounts")
    panel.accounts.set_current(0)
    panel.accounts.setFocus()
    qtbot.keyClick(panel.accounts.scrolling, Qt.Key.Key_Return)
    assert panel.findChildren(MovementDialog)
