"""The sheet on which all legs of an arbitrage or a promotion are recorded together.

The caller gives a ``SheetSource``: its legs at current prices, how each settles in each result,
and how a total is divided. ``BetPlacer.ask_sheet`` opens it, checks caps, records the ticked legs
as one change and undoes them as one. A leg may be a back, lay, free bet, boost or refund. Odds and
stake of a lay are the backer's, as in ``PlacedBet``; its row adds the liability.
"""

import contextlib
import math
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple, Protocol

from msgspec.structs import replace
from PySide6 import QtWidgets
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut

from oddsdesk.base.figures import FigureError, read_stake
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import num, typed_number
from oddsdesk.base.texts import _, ngettext, pgettext, translated
from oddsdesk.desk.ui.controls.dialogs import Dialog
from oddsdesk.desk.ui.controls.labels import Label, literal
from oddsdesk.desk.ui.controls.messages import message_area
from oddsdesk.desk.ui.formatting import (
    exact_odds_text,
    odds_title,
    read_odds,
    signed_hundredths_text,
    typed_text,
)
from oddsdesk.desk.ui.spacing import GAP, HALF, MARGIN, STEP, horizontal, vertical
from oddsdesk.desk.ui.states import may_be_gone
from oddsdesk.ledger.bet_kinds import BetKind, profit_by_kind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.formats import OddsFormatError
from oddsdesk.pricing.selections import Result

_LOOK_MS: Final = 500
_WIDTH: Final = 640
_SAID_LINES: Final = 5
"""Room for messages, in lines of text; more than that scrolls."""
_MOST_OUTCOMES: Final = 6
_DUST: Final = 0.005


class SheetLeg(NamedTuple):
    """A bet of the sheet, as it would be recorded now if nothing was typed."""

    bet: PlacedBet
    """At current odds. Typed odds and stake replace these, and ``net_odds`` and ``true_ev`` follow.
    For a lay, ``net_odds`` and ``fair_odds`` are those of the other side."""
    net: Callable[[float], float]
    """Return ``bet.net_odds`` for typed odds; for a lay, those of the other side, ``net_lay``."""
    is_offered: bool = True
    """Whether the price is still there; if not, ``bet`` has the last one."""
    is_recorded: bool = False
    """Whether it is already in the ledger: it counts, but is not recorded again."""
    is_wanted: bool = True
    """Whether it is ticked when the sheet opens."""
    limit: float | None = None
    """The most that its bookmaker still takes, by the user's limit; for a lay, the liability."""
    refund: float = 0.0
    """For a refund bet: the refund's cash value, such as 70 % of a free bet."""
    most: float | None = None
    """Net odds above which typed ones are probably an error; None if unknown."""
    rate: float = 1.0
    """Units of the sheet's currency for one of the bet's."""

    @property
    def title(self) -> str:
        """The name of the bet: ``Lay Arsenal`` for a lay."""
        bet = self.bet
        if bet.kind is not BetKind.LAY:
            return selection_text(bet.selection)
        return _("Lay {selection}").format(selection=selection_text(bet.selection))

    def with_typed(self, odds: float, stake: float) -> PlacedBet:
        """Return the bet at other odds and with another stake."""
        net = self.net(odds)
        ev = self.bet.ev_pct_at(net)
        return replace(self.bet, odds=odds, stake=stake, net_odds=net, true_ev=ev)


class SheetOutcome(NamedTuple):
    """A result of the game, and how each leg settles."""

    name: str
    results: tuple[Result, ...]
    """In the order of the legs."""


class SheetStake(NamedTuple):
    """What to stake on a leg."""

    stake: float
    """For a lay, the backer's; 0 for nothing."""
    odds: float | None = None
    """The average odds if the stake takes several levels; None for the current odds."""


class SheetView(NamedTuple):
    """What a sheet shows at one moment. Legs and outcomes stay the same while it is open."""

    title: str
    """The window title: ``Record arbitrage``."""
    about: str
    """The game and the market."""
    legs: tuple[SheetLeg, ...]
    outcomes: tuple[SheetOutcome, ...]
    """All possible results; the lowest profit among them is guaranteed."""
    total: float | None
    """The total to divide among the legs when the sheet opens. None if there is no total: the first
    leg decides the other stakes."""
    news: tuple[str, ...] = ()
    """Problems, and changes since the row was listed; one per line."""
    currency: str = ""
    """The currency of all sums; empty for the user's own."""


class SheetSource(Protocol):
    """Provides the content of a sheet."""

    def view(self) -> SheetView:
        """Return the current content; called twice a second."""

    def stakes(
        self, bets: Sequence[PlacedBet], total: float, fixed: Collection[int]
    ) -> Sequence[SheetStake] | None:
        """Return the stake on each leg; None if unknown or if nothing is to be staked.

        Called when the sheet opens, when odds or the total are edited, and by Update stakes.

        Args:
            bets: The bets at the typed odds, with the stakes of those in ``fixed``.
            total: The most that all may cost, if none is fixed.
            fixed: Indexes of the legs whose typed or recorded stake stays: the others must pay
                the same.
        """


class BetSheet(Dialog):
    """Shows the legs with odds and stakes to be edited, and what they leave; Enter records.

    It stays open until ``close_or_report`` is called with the outcome.
    """

    recorded = Signal(object)
    """The list of ``PlacedBet`` to be recorded: the ticked legs."""

    def __init__(
        self,
        source: SheetSource,
        parent: QtWidgets.QWidget | None = None,
        *,
        doubts: Callable[[Sequence[PlacedBet]], str] = lambda _: "",
        why_lost: Callable[[], str] = lambda: "",
    ) -> None:
        """Show a sheet.

        ``doubts`` returns which of the user's caps the bets break. ``why_lost`` returns why
        prices are out of date; empty if they are not.
        """
        super().__init__(parent)
        self._source, self._doubts, self._why_lost = source, doubts, why_lost
        self.view = source.view()
        """The current content."""
        self._is_handed_over = False
        self._problem = ""
        self.setWindowTitle(self.view.title)
        self.setMinimumWidth(_WIDTH)
        self.rows = [_LegRow(leg) for leg in self.view.legs]
        self.total = QtWidgets.QLineEdit(_amount(self.view.total or 0))
        is_divided = len(self.rows) > 1
        self.update_stakes = QtWidgets.QPushButton(
            _("&Update stakes") if is_divided else _("&Update price"), autoDefault=False
        )
        self.update_stakes.setToolTip(
            _("Use current prices and recalculate the stakes; stakes that you typed stay (F5)")
            if is_divided
            else _("Use the current price (F5)")
        )
        self.profit, self.outcomes = Label(wordWrap=True), Label(wordWrap=True)
        self.profit.setProperty("variant", "strong")
        self.outcomes.setProperty("variant", "note")
        self.fault, self.news = Label(wordWrap=True), Label(wordWrap=True)
        self.fault.setProperty("variant", "down")
        self.news.setProperty("variant", "value")
        self.record = QtWidgets.QPushButton()
        self.record.setProperty("variant", "primary")
        self._lay_out()
        self._connect()
        self._looks = QTimer(self, interval=_LOOK_MS)
        self._looks.timeout.connect(self.look_again)
        self._looks.start()
        self._divide()
        self._show()
        first = next((row for row in self.rows if not row.leg.is_recorded), None)
        (self.total if first is None else first.stake).setFocus()

    def bets(self) -> list[PlacedBet]:
        """Return all legs as typed, including those already recorded.

        Raises:
            ValueError: a field makes no sense; says which, and what was expected.
        """
        return [row.typed() for row in self.rows]

    def look_again(self) -> None:
        """Show the current prices; what was typed stays."""
        self.view = self._source.view()
        for row, leg in zip(self.rows, self.view.legs, strict=True):
            row.show_leg(leg)
        self._show()

    def close_or_report(self, problem: str) -> None:
        """Close if the bets are recorded; else show why not, so that the user can try again."""
        if not problem:
            super().accept()
            return
        self._is_handed_over, self._problem = False, problem
        self._show()

    def _lay_out(self) -> None:
        about = Label(self.view.about, wordWrap=True)
        about.setProperty("variant", "soft")
        grid = QtWidgets.QGridLayout()
        grid.setHorizontalSpacing(GAP)
        grid.setVerticalSpacing(HALF)
        grid.setColumnStretch(0, 1)
        titles = (
            *(_("Leg"), _("Bookmaker"), pgettext("price", "Now")),
            *(odds_title(_("Odds")), _("Stake"), ""),
        )
        for column, title in enumerate(titles):
            label = Label(title)
            label.setProperty("variant", "note")
            grid.addWidget(label, 0, column)
        for place, row in enumerate(self.rows, 1):
            row.put_into(grid, place)
        sums = horizontal(None, spacing=STEP)
        name = Label(_("&Total stake"))
        name.setBuddy(self.total)
        self.total.setMaximumWidth(_field_width(self.total))
        for part in (name, self.total, self.update_stakes):
            sums.addWidget(part)
        for part in (name, self.total):
            part.setVisible(self.view.total is not None)
        sums.addStretch(1)
        buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self.record, QtWidgets.QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        whole = vertical(self, margins=(MARGIN, MARGIN, MARGIN, MARGIN), spacing=STEP)
        whole.addWidget(about)
        for layout in (grid, sums):
            whole.addLayout(layout)
        for part in (self.profit, self.outcomes):
            whole.addWidget(part)
        said, _page = message_area(_("Details of these bets"), self.fault, self.news)
        said.setMinimumHeight(_SAID_LINES * self.fontMetrics().lineSpacing())
        whole.addWidget(said, 1)
        whole.addWidget(buttons)

    def _connect(self) -> None:
        for row in self.rows:
            for field in (row.odds, row.stake):
                field.textChanged.connect(self._show)
            row.box.toggled.connect(self._show)
            row.odds.textEdited.connect(self._on_leader_edited)
        self.total.textEdited.connect(self._on_total_edited)
        if self.view.total is None:
            self.rows[0].stake.textEdited.connect(self._on_leader_edited)
        self.update_stakes.clicked.connect(self._on_update_clicked)
        QShortcut(QKeySequence(Qt.Key.Key_F5), self, self._on_update_clicked)

    def _on_total_edited(self) -> None:
        """Divide another total among all legs that are not recorded."""
        for row in self.rows:
            row.is_stake_typed = False
        self._divide()
        self._show()

    def _on_leader_edited(self) -> None:
        """Recalculate the stakes that were not typed."""
        self._divide()
        self.look_again()

    def _on_update_clicked(self) -> None:
        self.look_again()
        for row in self.rows:
            row.take_price()
        self._divide()
        if any(row.is_stake_typed or row.leg.is_recorded for row in self.rows):
            with contextlib.suppress(ValueError):
                self.total.setText(_amount(math.fsum(bet.staked for bet in self.bets())))
        self._show()

    def _divide(self) -> None:
        fixed = {
            place
            for place, row in enumerate(self.rows)
            if row.leg.is_recorded or row.is_stake_typed
        }
        try:
            total = 0.0 if self.view.total is None else read_stake(self.total.text())
            bets = [row.priced() for row in self.rows]
            stakes = self._source.stakes(bets, total, fixed)
        except ValueError:
            return  # _show reports the error
        for place, (row, staked) in enumerate(zip(self.rows, stakes or (), strict=False)):
            if place not in fixed:
                row.fill_in(staked)

    def _show(self) -> None:
        fault, chosen, bets = "", list[PlacedBet](), list[PlacedBet]()
        try:
            chosen = [row.typed() for row in self.rows if row.is_chosen]
            bets = self.bets()
        except ValueError as error:
            # an empty stake is not an error yet
            is_awaited = any(not row.stake.text().strip() for row in self.rows)
            fault = "" if is_awaited else str(error)
        for row in self.rows:
            row.show_money()
        self._show_profit(bets)
        news = [may_be_gone(self._why_lost()), *self.view.news]
        self.news.setText("\n".join(filter(None, news)))
        doubts = [row.doubt() for row in self.rows if row.is_chosen]
        caps = self._doubts(chosen) if chosen else ""
        doubts = [self._problem, fault, self._above_total(bets), *doubts, caps]
        self.fault.setText("\n".join(filter(None, doubts)))
        for label in (self.fault, self.news):
            label.setVisible(bool(label.text()))
        count = sum(row.is_chosen for row in self.rows)
        text = ngettext("Record {count} leg", "Record {count} legs", count)
        self.record.setText(text.format(count=count))
        self.record.setEnabled(bool(chosen) and not self._is_handed_over)

    def _above_total(self, bets: Sequence[PlacedBet]) -> str:
        """Warn if typed stakes cost more than the total, which may be a typing error."""
        staked = math.fsum(bet.staked for bet in bets)
        if self.view.total is None or not self.total.text().strip():
            return ""
        try:
            total = read_stake(self.total.text())
        except FigureError as error:
            return _("Total stake: {error}.").format(error=translated(str(error)))
        is_typed = any(row.is_stake_typed for row in self.rows)
        if not is_typed or staked <= total + _DUST:
            return ""
        return _("All legs cost {sum}, above the total of {total}. Check the stakes.").format(
            sum=f"{num(staked):,.2f}", total=f"{num(total):,g}"
        )

    def _show_profit(self, bets: Sequence[PlacedBet]) -> None:
        if not bets:
            self.profit.setText(_("Profit: unknown until every leg has odds and a stake."))
            self.outcomes.setText("")
            return
        profits = self.profits(bets)
        rates = [leg.rate for leg in self.view.legs]
        free = math.fsum(bet.free_staked * r for bet, r in zip(bets, rates, strict=True))
        staked = math.fsum(bet.staked * r for bet, r in zip(bets, rates, strict=True))
        base = free or staked
        of = _("of the free bet") if free else _("of {sum}").format(sum=f"{num(staked):,.2f}")
        worst, best = min(profits), max(profits)
        left = len([row for row in self.rows if not (row.is_chosen or row.leg.is_recorded)])
        when = _(" once the unticked legs are placed") if left else ""
        sums = (
            _("Guaranteed {worst}, at best {best} {of_stakes}")
            if worst > 0
            else _("At worst {worst}, at best {best} {of_stakes}")
        ).format(
            worst=_gain(worst, base, self.view.currency),
            best=_gain(best, base, self.view.currency),
            of_stakes=of,
        )
        self.profit.setText(f"{sums}{when}{self._free_part(bets, profits)}")
        self.profit.setProperty("variant", "up" if worst > _DUST else "strong")
        self.profit.style().polish(self.profit)
        named = zip(self.view.outcomes, profits, strict=True)
        told = [f"{each.name} {signed_hundredths_text(profit)}" for each, profit in named]
        more = (
            []
            if len(told) <= _MOST_OUTCOMES
            else [_("{count} more").format(count=len(told) - _MOST_OUTCOMES)]
        )
        self.outcomes.setText(" · ".join([*told[:_MOST_OUTCOMES], *more]))

    def _free_part(self, bets: Sequence[PlacedBet], profits: Sequence[float]) -> str:
        """Return how much of the profits is a free bet refunded if a bet loses."""
        in_cash = self.profits(bets, in_cash=True)
        free = max(each - cash for each, cash in zip(profits, in_cash, strict=True))
        if free <= _DUST:
            return ""
        money = f" {self.view.currency}".rstrip()
        cash = f"{signed_hundredths_text(min(in_cash))}{money}"
        bet = next(leg.title for leg in self.view.legs if leg.refund)
        return _(
            ".\nIncludes a free bet worth {value} if {bet} loses; at worst {cash} in cash"
        ).format(value=f"{num(free):,.2f}{money}", bet=bet, cash=cash)

    def profits(self, bets: Sequence[PlacedBet], *, in_cash: bool = False) -> list[float]:
        """Return the profit of all bets in each outcome.

        A refund as a free bet counts at its cash value, or not at all with ``in_cash``.
        """
        legs = self.view.legs
        return [
            math.fsum(
                profit_by_kind(
                    bet.terms._replace(refund=leg.refund)
                    if leg.refund and not (in_cash and bet.refund_as == "free")
                    else bet.terms,
                    result,
                    bet.size,
                )
                * leg.rate
                for bet, leg, result in zip(bets, legs, outcome.results, strict=True)
            )
            for outcome in self.view.outcomes
        ]

    # Qt's virtuals

    def accept(self) -> None:
        if not self.record.isEnabled():
            return
        chosen = [row.typed() for row in self.rows if row.is_chosen]
        self._is_handed_over, self._problem = True, ""
        self.record.setEnabled(False)
        self.recorded.emit(chosen)


class _LegRow:
    """The widgets of a leg."""

    def __init__(self, leg: SheetLeg) -> None:
        self.leg = leg
        self._taken = self._filled = leg.bet.odds
        """The price when the odds field was filled, and the value filled in."""
        self.is_stake_typed = False
        bet = leg.bet
        self.box = QtWidgets.QCheckBox(literal(leg.title))
        self.box.setChecked(leg.is_wanted and not leg.is_recorded)
        self.box.setToolTip(
            _("Unticked legs are not recorded now; they stay in the list to be placed later")
        )
        self.bookmaker = Label(bet.bookmaker)
        self.now = Label()
        self.now.setMinimumWidth(self.now.fontMetrics().horizontalAdvance(f"{_('recorded')} 8"))
        self.odds = QtWidgets.QLineEdit(typed_text(bet.odds))
        self.stake = QtWidgets.QLineEdit(_amount(bet.stake if leg.is_recorded else 0.0))
        self.money = Label()
        self.money.setProperty("variant", "note")
        for field, name in (
            (self.odds, _("Odds of {bet} at {bookmaker}")),
            (self.stake, _("Stake of {bet} at {bookmaker}")),
        ):
            field.setAccessibleName(name.format(bet=leg.title, bookmaker=bet.bookmaker))
            field.setMaximumWidth(_field_width(field))
        self.stake.textEdited.connect(self._on_stake_edited)
        if leg.is_recorded:
            for widget in (self.box, self.odds, self.stake):
                widget.setEnabled(False)
        self.show_leg(leg)
        self.show_money()

    @property
    def is_chosen(self) -> bool:
        """Whether it is to be recorded."""
        return self.box.isChecked() and not self.leg.is_recorded

    def put_into(self, grid: QtWidgets.QGridLayout, row: int) -> None:
        parts = (self.box, self.bookmaker, self.now, self.odds, self.stake, self.money)
        for column, part in enumerate(parts):
            grid.addWidget(part, row, column)

    def show_leg(self, leg: SheetLeg) -> None:
        """Show the current price."""
        self.leg = leg
        if leg.is_recorded:
            text, variant = _("recorded"), "note"
        elif not leg.is_offered:
            text, variant = pgettext("price", "gone"), "down"
        elif math.isclose(leg.bet.odds, self._taken):
            text, variant = exact_odds_text(leg.bet.odds), "note"
        else:
            arrow = "▲" if leg.bet.odds > self._taken else "▼"
            text, variant = f"{exact_odds_text(leg.bet.odds)} {arrow}", "value"
        self.now.setText(text)
        if self.now.property("variant") != variant:
            self.now.setProperty("variant", variant)
            self.now.style().polish(self.now)

    def take_price(self) -> None:
        """Take the current price, unless other odds were typed."""
        if self.leg.is_offered and self._is_price_untouched:
            self._taken = self.leg.bet.odds
            self._fill_odds(self._taken)
            self.show_leg(self.leg)

    def fill_in(self, staked: SheetStake) -> None:
        """Take a stake, with its odds unless other ones were typed."""
        self.stake.setText(_amount(staked.stake))
        if staked.odds is not None and self._is_price_untouched:
            self._fill_odds(staked.odds)

    @property
    def _is_price_untouched(self) -> bool:
        is_as_filled = self.odds.text().strip() == typed_text(self._filled)
        return is_as_filled and not self.leg.is_recorded

    def _fill_odds(self, odds: float) -> None:
        self._filled = odds
        self.odds.setText(typed_text(odds))

    def priced(self) -> PlacedBet:
        """Return the bet at the typed odds, with stake 0 if none is typed.

        Raises:
            ValueError: the odds make no sense.
        """
        if self.leg.is_recorded:
            return self.leg.bet
        try:
            stake = read_stake(self.stake.text())
        except FigureError:
            stake = 0.0
        return self.leg.with_typed(self._odds(), stake)

    def typed(self) -> PlacedBet:
        """Return the bet as typed.

        Raises:
            ValueError: odds or stake make no sense.
        """
        if self.leg.is_recorded:
            return self.leg.bet
        try:
            return self.leg.with_typed(self._odds(), read_stake(self.stake.text()))
        except FigureError as error:
            why = translated(str(error))
            text = _("{bet}, stake: {error}.").format(bet=self.leg.title, error=why)
            raise ValueError(text) from None

    def show_money(self) -> None:
        """Show the liability of a lay, or what a won bet pays back."""
        text = ""
        with contextlib.suppress(ValueError):
            bet = self.typed()
            if bet.kind is BetKind.LAY:
                text = _("liability {amount}").format(amount=_money(bet.size, bet.currency))
            elif bet.kind is not BetKind.BACK:
                text = ", ".join(filter(None, (translated(bet.kind.words), bet.currency)))
            else:
                text = _("pays {amount}").format(amount=_money(bet.size * bet.net, bet.currency))
        self.money.setText(text)

    def doubt(self) -> str:
        """Return a warning if odds or stake are probably a mistake; else empty."""
        try:
            bet = self.typed()
        except ValueError:
            return ""
        leg, net = self.leg, bet.net
        if leg.limit is not None and bet.size > leg.limit + _DUST:
            return _("Above your limit at {bookmaker}: {limit}.").format(
                bookmaker=bet.bookmaker, limit=f"{num(leg.limit):,g}"
            )
        if leg.most is not None and net > leg.most and not math.isclose(bet.odds, leg.bet.odds):
            return _(
                "{bet}: odds above {odds} after commission are probably an error. "
                "Did you get this price?"
            ).format(bet=leg.title, odds=exact_odds_text(leg.most))
        return ""

    def _odds(self) -> float:
        text = self.odds.text().strip()
        if text == typed_text(self._filled):
            odds = self._filled  # other odds styles may show it rounded
        else:
            try:
                odds = read_odds(text)
            except OddsFormatError as error:
                why = translated(str(error))
                raise ValueError(
                    _("{bet}, odds: {error}.").format(bet=self.leg.title, error=why)
                ) from None
        if not 1 < odds < math.inf or not 1 < self.leg.net(odds) < math.inf:
            raise ValueError(_("{bet}, odds: too low to win anything.").format(bet=self.leg.title))
        return odds

    def _on_stake_edited(self) -> None:
        self.is_stake_typed = bool(self.stake.text().strip())


def _amount(amount: float) -> str:
    return typed_number(amount) if amount > 0 else ""


def _money(amount: float, currency: str) -> str:
    return f"{num(amount):,.2f} {currency}".rstrip()


def _gain(profit: float, base: float, currency: str) -> str:
    percent = f" ({signed_hundredths_text(100 * profit / base)} %)" if base else ""
    return f"{signed_hundredths_text(profit)}{currency and f' {currency}'}{percent}"


def _field_width(field: QtWidgets.QLineEdit) -> int:
    return field.fontMetrics().horizontalAdvance("88,888.8888") + 2 * STEP


def sheet_text(bets: Sequence[PlacedBet]) -> str:
    """Return what was recorded on a sheet, in one line."""
    staked = math.fsum(bet.staked for bet in bets)
    count = len(bets)
    if any(bet.practice for bet in bets):
        text = ngettext(
            "Recorded as practice: {count} leg, {sum} staked.",
            "Recorded as practice: {count} legs, {sum} staked.",
            count,
        )
    else:
        text = ngettext(
            "Recorded {count} leg, {sum} staked.", "Recorded {count} legs, {sum} staked.", count
        )
    return text.format(count=count, sum=f"{num(staked):,.2f}")
