"""The view of accounts at bookmakers: balances, and dialogs for movements of money and rates."""

import math
from collections.abc import Callable, Iterable
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from oddsdesk.base.figures import FigureError, read_rate, read_typed_amount, read_typed_time
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, ngettext, translated
from oddsdesk.desk.bet_cells import profit_cell
from oddsdesk.desk.ui.controls.fields import ChoiceBox, date_habit
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, side_by_side
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.controls.messages import sentence
from oddsdesk.desk.ui.formatting import typed_time_text
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, ColumnSpec, Kind, Priority
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.accounts import (
    BadMoneyError,
    Balance,
    MoneyBook,
    Movement,
    Rate,
    check_movement,
    check_rate,
    corrected,
    currency_code,
    total_in_main,
)

AccountKey = tuple[str, str, str]
"""Bookmaker, account and currency."""
_LOWEST: Final = float("-inf")
_LONGEST_CURRENCY: Final = 8
_WIDTH: Final = 420
_KINDS: Final = (
    ("deposit", _("Deposit")),
    ("withdrawal", _("Withdrawal")),
    ("correction", _("Correct the balance to")),
)


def _money(amount: float) -> str:
    return f"{num(amount):,.2f}".replace("-", "−")


def _figure(
    key: str, title: str, value: Callable[[Balance], float | None], tip: str, priority: Priority
) -> ColumnSpec[Balance, int]:
    def cell(row: Balance, _now: int) -> Cell:
        figure = value(row)
        return Cell("" if figure is None else _money(figure), TextRole.SOFT)

    def order_of(row: Balance) -> float:
        figure = value(row)
        return _LOWEST if figure is None else figure

    return ColumnSpec(
        key,
        title,
        Column("−100,000.00"),
        cell,
        value,
        kind=Kind.NUMBER,
        order=order_of,
        descending_first=True,
        priority=priority,
        tip=tip,
    )


COLUMNS: Final[tuple[ColumnSpec[Balance, int], ...]] = (
    ColumnSpec(
        "bookmaker",
        N_("Bookmaker"),
        Column("Betfair Exchange", Align.LEFT, stretches=True, widest="Betfair Exchange UK or so"),
        lambda row, _now: Cell(row.bookmaker, TextRole.STRONG, is_strong=True, note=row.account),
        lambda row: row.bookmaker,
        order=lambda row: (row.bookmaker.casefold(), row.account, row.currency),
        tip=_("Bookmaker, and the account's name"),
    ),
    ColumnSpec(
        "balance",
        N_("Balance"),
        Column("−100,000.00", note_sample="USDC"),
        lambda row, _now: Cell(_money(row.balance), TextRole.STRONG, note=row.currency),
        lambda row: row.balance,
        kind=Kind.NUMBER,
        descending_first=True,
        tip=_(
            "What the bookmaker should show as available: deposits less withdrawals, plus profit, "
            "less the money at risk in open bets"
        ),
    ),
    _figure(
        "in_main",
        N_("In main currency"),
        lambda row: row.in_main,
        _("The balance in your main currency at your newest rate"),
        Priority.ESSENTIAL,
    ),
    _figure(
        "moved",
        N_("Deposits"),
        lambda row: row.moved,
        _("Deposits and corrections, less withdrawals"),
        Priority.ESSENTIAL,
    ),
    ColumnSpec(
        "profit",
        N_("Profit"),
        Column("+1,000.00"),
        lambda row, _now: profit_cell(row.profit),
        lambda row: row.profit,
        kind=Kind.NUMBER,
        descending_first=True,
        tip=_("Of settled bets and cash-outs, after commission"),
    ),
    _figure(
        "at_risk",
        N_("At risk"),
        lambda row: row.at_risk,
        _("Stakes of open bets and liabilities of open lays; free bets have none"),
        Priority.ESSENTIAL,
    ),
    ColumnSpec(
        "open_bets",
        N_("Open bets"),
        Column("1,000"),
        lambda row, _now: Cell(f"{num(row.open_bets):,}", TextRole.SOFT),
        lambda row: row.open_bets,
        kind=Kind.NUMBER,
        descending_first=True,
        priority=Priority.EXTRA,
        tip=_("How many bets are open"),
    ),
)


class AccountsModel(StableRowsModel[AccountKey, Balance]):
    """The accounts by bookmaker."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(COLUMNS, 0, clock)

    def show_balances(self, found: Iterable[Balance]) -> None:
        """Show these accounts."""
        rows = {(each.bookmaker, each.account, each.currency): each for each in found}
        self.show_rows(rows, may_move=True)


def total_text(found: Iterable[Balance], book: MoneyBook) -> str:
    """Return the total in the main currency, or what is missing for it."""
    found = list(found)
    count = ngettext("{count} account", "{count} accounts", len(found)).format(
        count=f"{num(len(found)):,}"
    )
    if not book.main:
        currencies = {each.currency for each in found}
        if len(currencies) == 1:
            balance = math.fsum(each.balance for each in found)
            total = f"{_money(balance)} {currencies.pop()}".rstrip()
            return _("{accounts}, {sum} in total").format(accounts=count, sum=total)
        if not found:
            return ""
        return _("{accounts}; set a main currency to see a total").format(accounts=count)
    in_main, missing = total_in_main(found)
    if in_main is None:
        return _("{accounts}; no total: no exchange rate for {currencies}").format(
            accounts=count, currencies=", ".join(missing)
        )
    total = f"{_money(in_main)} {book.main}"
    return _("{accounts}, {sum} in total").format(accounts=count, sum=total)


class MovementDialog(FormDialog):
    """Records a deposit, a withdrawal, or the balance that a bookmaker shows."""

    recorded = Signal(object)
    """The ``Movement``."""

    def __init__(
        self,
        theme: Theme,
        account: Balance | None,
        bookmakers: Iterable[str],
        main: str,
        balance_of: Callable[[Movement], float],
        now_ms: int,
        parent: QWidget,
    ) -> None:
        """Ask for a movement, of ``account`` unless it is None.

        ``balance_of`` returns the balance of a movement's account before it.
        """
        super().__init__(theme, _("Record a deposit or withdrawal"), parent)
        self.setMinimumWidth(theme.fonts.scaled(_WIDTH))
        self._now_ms, self._balance_of = now_ms, balance_of
        self.kind = ChoiceBox()
        for key, title in _KINDS:
            self.kind.addItem(title, key)
        self.amount = QLineEdit(placeholderText="100.00")
        currency = main if account is None else account.currency
        self.currency = QLineEdit(currency, maxLength=_LONGEST_CURRENCY)
        self.currency.setPlaceholderText(_("Currency (optional)"))
        self.currency.setAccessibleName(_("Currency"))
        self.bookmaker = ChoiceBox(editable=True)
        there = "" if account is None else account.bookmaker
        self.bookmaker.addItems(sorted({*bookmakers, there} - {""}, key=str.casefold))
        self.bookmaker.setCurrentText(there)
        self.account = QLineEdit("" if account is None else account.account)
        self.account.setPlaceholderText(_("Account (optional)"))
        self.account.setAccessibleName(_("Account"))
        self.at = QLineEdit(typed_time_text(now_ms))
        self.note = QLineEdit()
        self.add_row(_("&Kind"), self.kind)
        self.add_row(_("&Amount"), side_by_side(self.amount, self.currency))
        self.add_row(_("&Bookmaker"), side_by_side(self.bookmaker, self.account))
        self.add_row(_("&When"), self.at)
        self.add_row(_("&Note"), self.note)
        self.close_with(_("Record"), self._on_accepted)
        self.amount.setFocus()

    def values(self) -> object:
        fields = (self.amount, self.currency, self.account, self.at, self.note)
        texts = [each.text() for each in fields]
        return texts, self.kind.currentData(), self.bookmaker.currentText()

    def movement(self) -> Movement:
        """Return the movement as entered.

        Raises:
            BadMoneyError: it makes no sense; says what was expected.
            FigureError: the amount or time cannot be read.
        """
        kind, amount = self.kind.currentData(), read_typed_amount(_("amount"), self.amount.text())
        code = self.currency.text().strip()
        at = read_typed_time(_("time"), self.at.text(), self._now_ms, days=date_habit())
        made = Movement(
            at.ms,
            kind,
            -amount if kind == "withdrawal" else amount,
            currency_code(code) if code else "",
            self.bookmaker.currentText().strip(),
            self.account.text().strip(),
            self.note.text().strip(),
        )
        if kind == "correction":
            return corrected(made, self._balance_of(made))
        return check_movement(made)

    def _on_accepted(self) -> None:
        try:
            made = self.movement()
        except (BadMoneyError, FigureError) as error:
            self.say_trouble(sentence(translated(str(error))))
            return
        self.hand_over()
        self.recorded.emit(made)


class RatesDialog(FormDialog):
    """Names the main currency, and sets the rate of another one."""

    given = Signal(str, object)
    """The main currency, and a ``Rate`` or None."""

    def __init__(self, theme: Theme, book: MoneyBook, wanted: str, now_ms: int, parent: QWidget):
        """Ask for rates; ``wanted`` is the currency that lacks one, or empty."""
        super().__init__(theme, _("Exchange rates"), parent)
        self.setMinimumWidth(theme.fonts.scaled(_WIDTH))
        self._now_ms = now_ms
        self.main = QLineEdit(book.main, maxLength=_LONGEST_CURRENCY, placeholderText="EUR")
        self.currency = QLineEdit(wanted, maxLength=_LONGEST_CURRENCY, placeholderText="USD")
        self.rate = QLineEdit(placeholderText="0.92")
        known = book.rates_at(now_ms).by_currency
        if known:
            lines = [
                f"1 {name} = {num(rate):.6g} {book.main}" for name, rate in sorted(known.items())
            ]
            self.below.addWidget(Label("\n".join(lines), wordWrap=True))
        self.add_row(_("&Main currency"), self.main, _("The currency of your bankroll"))
        self.add_row(_("&Currency"), self.currency)
        self.add_row(
            _("&Rate"),
            self.rate,
            _("What 1 unit of it is worth in your main currency, from now on"),
        )
        self.close_with(_("Save"), self._on_accepted)
        (
            self.rate if book.main and wanted else self.currency if book.main else self.main
        ).setFocus()

    def values(self) -> object:
        return self.main.text(), self.currency.text(), self.rate.text()

    def _on_accepted(self) -> None:
        try:
            main, rate = currency_code(self.main.text()), None
            if self.currency.text().strip() or self.rate.text().strip():
                if not (self.currency.text().strip() and self.rate.text().strip()):
                    raise BadMoneyError(_("enter a currency and its rate"))
                amount = read_rate(_("rate"), self.rate.text())
                rate = check_rate(Rate(self.currency.text(), main, self._now_ms, amount))
        except (BadMoneyError, FigureError) as error:
            self.say_trouble(sentence(translated(str(error))))
            return
        self.hand_over()
        self.given.emit(main, rate)
