"""Asks what was really bet, records it, and takes it back."""

import contextlib
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec.structs import replace
from PySide6 import QtWidgets
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from shiboken6 import isValid

from oddsdesk.base.clock import Clock
from oddsdesk.base.figures import FigureError, read_stake
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import decimal_mark, num, typed_number
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.valuation.verdict_words import (
    caution_text,
    derived_text,
    ev_limit_text,
    low_end_text,
)
from oddsdesk.desk.bet_cells import at_bookmaker, bet_named, stake_text
from oddsdesk.desk.bet_sheet import BetSheet, SheetSource
from oddsdesk.desk.kind_fields import KindFields, pays_text
from oddsdesk.desk.records import Records, above_caps
from oddsdesk.desk.ui import formatting
from oddsdesk.desk.ui.controls.dialogs import Dialog
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.controls.messages import message_area, sentence
from oddsdesk.desk.ui.spacing import MARGIN, STEP, horizontal
from oddsdesk.desk.ui.states import may_be_gone
from oddsdesk.desk.value_bets.model import market_text
from oddsdesk.desk.value_bets.subjects import BetSubject, TypedBet, placed_bet, subject_now
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_bet, counted
from oddsdesk.ledger.games import may_be_on_one_game, on_listed_games
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.currencies import NO_RATES, Rates
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.formats import OddsFormatError
from oddsdesk.pricing.profiles import Profiles, fold_name

PAST: Final = _(
    "This price is from the past. Go back to now (Ctrl+Shift+J) to record a bet on "
    "it, or enter an old bet by hand in Bets."
)
"""Said of a bet that is asked for while one looks back."""


class BetPlacer(QObject):
    """Places bets on what it is given, and says how that went."""

    placed = Signal(object)
    """The ``PlacedBet`` as it was recorded."""
    all_placed = Signal(object)
    """The list of ``PlacedBet`` that a sheet recorded."""
    gone = Signal(object)
    """The bet that was recorded last, once it is undone; for several legs, the last."""
    said = Signal(str)
    """One line for the message bar."""

    def __init__(
        self,
        board: Board,
        records: Records,
        clock: Clock,
        plan: Callable[[], StakePlan],
        stake_at: Callable[[BetSubject, str, float], float | None],
        owner: QtWidgets.QWidget,
    ) -> None:
        """Place bets; ``stake_at`` says what is staked on one at a bookmaker's net odds."""
        super().__init__(owner)
        self._board = board
        self._records = records
        self._clock = clock
        self._plan = plan
        self._stake_at = stake_at
        self._owner = owner
        self._last: Sequence[PlacedBet] = ()
        """What was recorded last: one bet, or the legs of a sheet."""
        records.bets_changed.connect(self._on_records_bets_changed)

    def ask_bet(
        self,
        subject: BetSubject,
        then: Callable[[TypedBet], None] = lambda _: None,
        otherwise: Callable[[], None] = lambda: None,
        look: Callable[[BetSubject], BetSubject | None] | None = None,
    ) -> None:
        """Ask what was really bet, and record it; ``then`` gets it, ``otherwise`` it was none.

        ``look`` says what is thought of the subject by now, where more is to be told than of a
        price; None where it is held no longer.
        Not while one looks back: nobody offers that price any more.
        """
        board = self._board
        if board.connection.as_of_ms is not None:
            self.said.emit(PAST)
            return

        dialog = PlaceDialog(
            subject,
            board.basis.profiles,
            board.bookmakers_with_prices(),
            self._on_outcome(subject),
            board.reference_name,
            self._owner,
            above_caps=self._above_caps,
            rates=self._board.basis.rates,
            stake_at=self._stake_at,
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        look = look or (lambda subject: subject_now(subject, board))
        dialog.follow_price(lambda: look(dialog.subject), lambda: board.connection.why_lost)
        dialog.placed.connect(lambda typed: self._place(dialog, typed, then))
        dialog.rejected.connect(otherwise)
        dialog.open()

    def ask_sheet(self, source: SheetSource) -> BetSheet | None:
        """Ask for all legs of an arbitrage or promotion on one sheet, and record the ticked ones.

        They are one change: ``all_placed`` emits them, ``take_back_all`` undoes them. None in the
        past view, with a message instead.
        """
        board = self._board
        if board.connection.as_of_ms is not None:
            self.said.emit(PAST)
            return None

        sheet = BetSheet(
            source,
            self._owner,
            doubts=self._above_caps_together,
            why_lost=lambda: board.connection.why_lost,
        )
        sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sheet.recorded.connect(lambda bets: self._place_all(sheet, bets))
        sheet.open()
        return sheet

    def take_back(self, bet: PlacedBet) -> None:
        """Forget that a bet was placed, unless it was changed since."""
        self._records.take_back(bet, lambda taken: self.said.emit(self._taken_text(bet, taken)))

    def take_back_all(self, bets: Sequence[PlacedBet]) -> None:
        """Delete the bets of a sheet, unless one was changed since."""

        def say(taken: bool) -> None:
            count = len(bets)
            if taken:
                text = ngettext("Undone: {count} leg.", "Undone: {count} legs.", count)
                self.said.emit(text.format(count=count))
            elif any(map(self._records.holds, bets)):
                self.said.emit(_("A leg was edited or settled since, so all stay in Bets."))
            else:
                text = ngettext(
                    "Already undone: {count} leg.", "Already undone: {count} legs.", count
                )
                self.said.emit(text.format(count=count))

        self._records.take_back_bets(bets, say)

    def _on_outcome(self, subject: BetSubject) -> list[PlacedBet]:
        """Return what is placed on the outcome of a price, wherever."""
        found = self._records.on_outcome(
            subject.bet_key,
            subject.match_name,
            subject.sport,
            self._board.games,
            self._board.players.spelled,
            in_play=subject.is_live,
        )
        return list(counted(found, simulated=subject.is_simulated))

    def _above_caps(self, subject: BetSubject, typed: TypedBet) -> str:
        now, spelled = self._clock(), self._board.players.spelled
        held = self._records.in_main(self._records.placed_bets(), now)
        others = on_listed_games(held, self._board.games, spelled)
        (bet,) = self._records.in_main([placed_bet(subject, typed, now)], now)
        is_leg = subject.leg_doubt is not None
        return above_caps(bet, others, self._plan(), now, is_leg=is_leg)

    def _above_caps_together(self, bets: Sequence[PlacedBet]) -> str:
        """Return which cap the last leg breaks, counting the others."""
        now, spelled = self._clock(), self._board.players.spelled
        held = self._records.in_main(self._records.placed_bets(), now)
        others = on_listed_games(held, self._board.games, spelled)
        *legs, last = self._records.in_main(bets, now)
        return above_caps(last, [*others, *legs], self._plan(), now, is_leg=True)

    def _place_all(self, sheet: BetSheet, bets: Sequence[PlacedBet]) -> None:
        def show_problem(problem: str) -> None:
            if isValid(sheet):
                sheet.close_or_report(problem)
            elif problem:
                self._records.failed.emit(problem)

        def take_placed(placed: list[PlacedBet]) -> None:
            show_problem("")
            self._last = placed
            self.all_placed.emit(placed)

        at = self._clock()
        self._records.place_bets(
            [replace(bet, placed_at=at) for bet in bets], take_placed, show_problem
        )

    def _place(
        self, dialog: "PlaceDialog", typed: TypedBet, then: Callable[[TypedBet], None]
    ) -> None:
        def show_problem(problem: str) -> None:
            if isValid(dialog):
                dialog.close_or_report(problem)
            elif problem:
                self._records.failed.emit(problem)

        def take_placed(bet: PlacedBet) -> None:
            show_problem("")
            self._last = (bet,)
            self.placed.emit(bet)
            then(typed)

        bet = placed_bet(dialog.subject, typed, self._clock())
        self._records.place_bet(bet, take_placed, show_problem)

    def _on_records_bets_changed(self) -> None:
        last = self._last
        if last and not all(map(self._records.holds, last)):
            self._last = ()
            self.gone.emit(last[-1])

    def _taken_text(self, bet: PlacedBet, is_taken: bool) -> str:
        if not is_taken:
            what = f"{selection_text(bet.selection)}{at_bookmaker(bet)}"
            if not self._records.holds(bet):
                return _("{bet} is already undone.").format(bet=what)
            return _("{bet} was edited or settled since, so it stays in Bets.").format(bet=what)
        said = _("Undone: {bet}.").format(bet=bet_named(bet))
        placed = [
            each
            for each in self._records.placed(bet.bet_key)
            if may_be_on_one_game(each, bet.kick_off)
        ]
        left = list(counted(placed, simulated=bet.practice))
        if not left:
            return said
        rest = _("{stake} on it is still recorded.").format(stake=stake_text(left[-1]))
        return f"{said} {rest}"


def placed_text(bet: PlacedBet) -> str:
    """Return what was recorded, in one line."""
    text = _("Recorded {stake} on {selection}{at_bookmaker}, {odds}.")
    if bet.practice:
        text = _("Recorded as practice: {stake} on {selection}{at_bookmaker}, {odds}.")
    odds = formatting.exact_odds_text(bet.odds)
    return text.format(
        stake=stake_text(bet),
        selection=selection_text(bet.selection),
        at_bookmaker=at_bookmaker(bet),
        odds=odds,
    )


_WIDTH: Final = 400
_LONGEST_CURRENCY: Final = 8
_MOST_NAMED: Final = 3
_LOOK_MS: Final = 500
_LEAST_LINES: Final = 10
"""Room for what is said at least, in lines of text."""
_MORE_LINES: Final = 4
"""Extra lines of room for messages that come later; more than that scrolls."""
PRACTICE: Final = _("Simulated odds: saved as a practice bet.")
SHIFTED: Final = _("Old odds (times shifted): this price may not exist. Saved as a real bet.")


_KINDS: Final = tuple(kind for kind in BetKind if kind is not BetKind.MULTIPLE)
_BLANK: Final = PlacedBet("", "", "", "", "", 0, "", "", 0.0, 0.0, 0)


class PlaceDialog(Dialog):
    """Filled in with the present price and its stake; Enter records.

    It stays open until ``close_or_report`` is called with the outcome.
    """

    placed = Signal(object)
    """The ``TypedBet``."""

    def __init__(
        self,
        subject: BetSubject,
        profiles: Profiles,
        bookmakers: Iterable[str],
        placed: Sequence[PlacedBet] = (),
        reference: str = "",
        parent: QtWidgets.QWidget | None = None,
        *,
        above_caps: Callable[[BetSubject, TypedBet], str] = lambda *_: "",
        stake_at: Callable[[BetSubject, str, float], float | None] = lambda *_: None,
        rates: Rates = NO_RATES,
    ) -> None:
        """Ask for a bet.

        ``placed`` are those on the same outcome already, at any bookmaker; ``above_caps`` says
        of what is typed where it is more than the user's plan stakes; ``stake_at`` what that stakes
        on it at a bookmaker's net odds, None where that is not known.
        """
        super().__init__(parent)
        self.setWindowTitle(_("Record bet"))
        self.setMinimumWidth(_WIDTH)
        self.subject = subject
        """What is thought of the price by now."""
        self._listed = subject.odds
        self._is_handed_over = False
        """Whether it is not known yet what became of what was typed."""
        self._problem = ""
        """Why what was typed is not kept."""
        self._look: Callable[[], BetSubject | None] = lambda: subject
        self._why_lost: Callable[[], str] = lambda: ""
        self._placed, self._reference = placed, reference
        self._above_caps, self._stake_at, self._rates = above_caps, stake_at, rates
        self._profiles = profiles
        self._listed_odds = formatting.typed_text(subject.odds)
        self.bookmaker = ChoiceBox(editable=True)
        self.bookmaker.setInsertPolicy(QtWidgets.QComboBox.InsertPolicy.NoInsert)
        self.bookmaker.addItems(sorted({*bookmakers, subject.bookmaker}, key=str.casefold))
        self.bookmaker.setCurrentText(subject.bookmaker)
        self.account = QtWidgets.QLineEdit(placeholderText=_("If you have several"))
        self.note = QtWidgets.QLineEdit()
        self.stake = QtWidgets.QLineEdit(typed_number(subject.stake) if subject.stake > 0 else "")
        self.currency = QtWidgets.QLineEdit(
            maxLength=_LONGEST_CURRENCY, placeholderText=_("No currency")
        )
        average = subject.average_odds
        self.odds = QtWidgets.QLineEdit(
            self._listed_odds if average is None else formatting.typed_text(average)
        )
        self.kind = KindFields(_BLANK, _KINDS, self)
        self.pays = Label(wordWrap=True)
        self.leg = Label(wordWrap=True)
        self._planned_row, self.planned = QtWidgets.QWidget(), Label()
        self.fill_in = QtWidgets.QPushButton(
            _("Fill &in"), autoDefault=False
        )  # Return records the bet
        self.worth = Label(wordWrap=True)
        self.warning = Label(wordWrap=True)
        self.warning.setProperty("variant", "value")
        self.fault = Label(wordWrap=True)
        self.fault.setProperty("variant", "down")
        # value and doubts first, as the rest may need scrolling
        said = self.pays, self.worth, self.fault, self._planned_row, self.leg, self.warning
        self._said, self._lines = message_area(_("Details of this bet"), *said)
        self._looks = QTimer(self)
        self._looks.timeout.connect(self._look_again)
        self.record = QtWidgets.QPushButton(_("Record bet again") if placed else _("Record bet"))
        self.record.setProperty("variant", "primary")
        self._lay_out()
        self._connect()
        self._show_warning(is_held=True)
        self._show_worth()
        self.stake.setFocus()
        self.stake.selectAll()

    def follow_price(
        self, look: Callable[[], BetSubject | None], why_lost: Callable[[], str]
    ) -> None:
        """Say what the bet is worth as the price and the fair odds move, while it is typed.

        ``look`` returns what is thought of it now, None where it is held no longer; ``why_lost``
        why no price is known to stand, empty where they are.
        """
        self._look, self._why_lost = look, why_lost
        self._looks.start(_LOOK_MS)
        self._look_again()

    def _look_again(self) -> None:
        found = self._look()
        self.subject = found or self.subject
        self._show_warning(is_held=found is not None)
        self._show_worth()

    def _show_warning(self, *, is_held: bool) -> None:
        subject = self.subject
        said = [PRACTICE] if subject.is_simulated else [SHIFTED] if subject.may_be_shifted else []
        if self._placed:
            said.append(_placed_text(self._placed))
        if lost := may_be_gone(self._why_lost()):
            said.append(lost)
        if not is_held:
            said.append(_("This price is no longer offered."))
        elif subject.news:
            said.append(subject.news)
        elif subject.odds != self._listed:
            said.append(
                _("The price is {odds} now.").format(odds=formatting.exact_odds_text(subject.odds))
            )
        if subject.cautions and is_held:
            words = (caution_text(caution, self._reference) for caution in subject.cautions)
            said.append(_("Warning: {warnings}.").format(warnings="; ".join(words)))
        self.warning.setText("\n".join(said))
        self.warning.setVisible(bool(said))

    def typed(self) -> TypedBet:
        """Return what is typed now.

        Raises:
            ValueError: a field makes no sense; says which, and what was expected.
        """
        bookmaker = self.bookmaker.currentText().strip()
        if not bookmaker:
            raise ValueError(_("Enter a bookmaker."))
        odds, net = self._odds(bookmaker)
        try:
            currency = self.currency.text().strip().upper()
            stake = self.kind.stake_typed(read_stake(self.stake.text(), currency))
        except FigureError as error:
            raise ValueError(_("Stake: {error}.").format(error=translated(str(error)))) from None
        try:
            of_kind = self.kind.fields(stake)
        except BadBetError as error:
            raise ValueError(sentence(translated(str(error)))) from None
        return TypedBet(
            bookmaker,
            odds,
            stake,
            currency,
            net,
            self.subject.ev_pct_at(net),
            self.account.text().strip(),
            self.note.text().strip(),
            of_kind,
        )

    def close_or_report(self, problem: str) -> None:
        """Close, as the bet is kept; or say why it is not, and let it be tried again."""
        if not problem:
            super().accept()
            return
        self._is_handed_over, self._problem = False, problem
        self._show_worth()

    def _odds(self, bookmaker: str) -> tuple[float, float]:
        """Return the odds that are typed, and what they pay at a bookmaker.

        The price as it is listed stands for itself: written in another style it may be rounded.
        """
        text = self.odds.text().strip()
        odds = self._listed if text == self._listed_odds else _read(text)
        profile = self._profiles.profile_of(bookmaker)
        net = profile.net_lay(odds) if self._is_lay else profile.net(odds)
        if not 1 < net < math.inf:
            raise ValueError(_("Odds taken: too low to win anything."))
        return odds, net

    @property
    def _is_lay(self) -> bool:
        return self.kind.kind is BetKind.LAY

    def _lay_out(self) -> None:
        key = self.subject.key
        game = formatting.game_text(key.selection, self.subject.match_name)
        market = market_text(key.market_type, self.subject.sport, key.period)
        form = QtWidgets.QFormLayout(self)
        form.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        form.setSpacing(STEP)
        selection = Label(selection_text(key.selection), wordWrap=True)
        selection.setProperty("variant", "strong")
        form.addRow(selection)
        form.addRow(Label(f"{game} · {market}", wordWrap=True))
        form.addRow(_("&Bookmaker"), self.bookmaker)
        form.addRow(_("&Account"), self.account)
        form.addRow(_("&Kind"), self.kind.box)
        stake_title = Label(_("&Stake"))
        stake_title.setBuddy(self.stake)
        form.addRow(stake_title, self.stake)
        form.addRow(_("&Currency"), self.currency)
        form.addRow(formatting.odds_title(_("&Odds taken")), self.odds)
        self.kind.add_rows(form, self.stake)
        form.addRow(_("&Note"), self.note)
        planned = horizontal(self._planned_row)
        planned.addWidget(self.planned)
        planned.addWidget(self.fill_in)
        planned.addStretch()
        form.addRow(self._said)
        buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self.record, QtWidgets.QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)

    def _connect(self) -> None:
        for field in (self.stake, self.currency, self.odds):
            field.textChanged.connect(self._show_worth)
        self.bookmaker.editTextChanged.connect(self._show_worth)
        self.kind.changed.connect(self._show_worth)
        self.fill_in.clicked.connect(self._on_fill_in_clicked)

    def _show_leg(self) -> None:
        subject = self.subject
        try:
            typed = self.typed()
        except ValueError:
            worth = ""
        else:
            worth = subject.leg_worth(typed.stake, typed.net_odds)
        self.leg.setText(" · ".join(filter(None, (subject.leg, worth))))
        self.leg.setVisible(bool(self.leg.text()))

    def _show_planned(self) -> None:
        """Say what is staked at other odds than the listed ones; what was typed stays."""
        stake = self._planned_stake()
        amount = "" if not stake else typed_number(stake)
        said = _("Stake at these odds: {stake}").format(stake=amount)
        if not amount:
            said = _("Stake at these odds: none")
        self.planned.setText("" if stake is None else said)
        self._planned_row.setVisible(stake is not None)
        self.fill_in.setVisible(bool(amount) and self.stake.text().strip() != amount)

    def _planned_stake(self) -> float | None:
        """Return what the user's plan stakes at the odds that are typed.

        None where they are the listed ones, or that is not known.
        """
        subject, bookmaker = self.subject, self.bookmaker.currentText().strip()
        if self.kind.kind is not BetKind.BACK:
            return None  # the plan stakes money on plain bets
        try:
            _odds, net = self._odds(bookmaker)
        except ValueError:
            return None
        if math.isclose(net, self._profiles.profile_of(subject.bookmaker).net(self._listed)):
            return None
        if subject.leg_stake is not None:
            return subject.leg_stake(net)
        return self._stake_at(subject, bookmaker, net)

    def _on_fill_in_clicked(self) -> None:
        self.stake.setText(typed_number(self._planned_stake() or 0))
        self.stake.setFocus()

    def _show_worth(self) -> None:
        self._show_leg()
        self._show_planned()
        self.pays.clear()
        try:
            self.worth.setText(self._worth())
            typed = self.typed()
            bet = check_bet(placed_bet(self.subject, typed, 0))
        except BadBetError as error:
            fault = sentence(translated(str(error)))
        except ValueError as error:
            fault = str(error)
        else:
            fault = ""
            self.pays.setText(f"{pays_text(bet)}.")
        self.pays.setVisible(bool(self.pays.text()))
        self.worth.setVisible(bool(self.worth.text()))
        # an empty stake is waited for, not complained of
        told = fault if self.stake.text().strip() else ""
        doubts = (
            self._problem,
            self._doubt(),
            self._above_cap(),
            self._above_limit(),
            self._other_money(),
        )
        self.fault.setText(told or "\n".join(filter(None, doubts)))
        self.fault.setVisible(bool(self.fault.text()))
        self.record.setEnabled(not fault and not self._is_handed_over)

    def _doubt(self) -> str:
        """Say where typed odds are too good to be true."""
        most = self.subject.most
        try:
            _odds, net = self._odds(self.bookmaker.currentText().strip())
        except ValueError:
            return ""
        if most is None or net <= most or self._is_lay or self._is_warned_of(net):
            return ""
        return _(
            "Odds above {odds} after commission are probably an error. Did you get this price?"
        ).format(odds=formatting.most_text(most))

    def _is_warned_of(self, net: float) -> bool:
        """Whether the cautions of the price say already that odds are too good."""
        subject = self.subject
        there = self._profiles.profile_of(subject.bookmaker).net(subject.odds)
        return Caution.ABOVE_WINDOW in subject.cautions and net <= there

    def _worth(self) -> str:
        """Say what the typed odds are worth."""
        self.worth.clear()
        subject = self.subject
        odds, net = self._odds(self.bookmaker.currentText().strip())
        if self.kind.kind is not BetKind.BACK:
            return self._worth_by_kind()
        ev = subject.ev_at(net)
        if ev is None or subject.fair_odds is None:
            return _("EV unknown: no fair odds.")
        text = _("EV {ev} % at these odds")
        if not subject.is_per_staked:
            text = _("EV {ev} % without pushes at these odds")
        parts = [text.format(ev=formatting.signed_hundredths_text(ev))]
        if read_as := formatting.read_as_text(self.odds.text(), odds):
            parts.append(read_as)
        with contextlib.suppress(FigureError):
            if not self.stake.text().strip().replace(decimal_mark(), "", 1).isdecimal():
                parts.append(
                    _("stake {stake:,.2f}").format(stake=num(read_stake(self.stake.text())))
                )
        if not math.isclose(net, odds):
            parts.append(_("net {odds:.4f}").format(odds=num(net)))
        method = translated(subject.method.replace("_", " "))
        derived = derived_text(subject.assessment, net)
        parts.append(
            _("fair {odds} ({how})").format(
                odds=formatting.fair_text(subject.fair_odds),
                how=", ".join(filter(None, (derived, method))),
            )
        )
        if low := low_end_text(subject.assessment, net):
            parts.append(low)
        if not subject.has_least_ev(net):
            parts.append(
                _("below the minimum EV, {ev} %").format(ev=ev_limit_text(subject.least_ev))
            )
        return " · ".join(parts)

    def _worth_by_kind(self) -> str:
        """Return the value of any bet but a plain one; empty until all is typed."""
        try:
            bet = placed_bet(self.subject, self.typed(), 0)
        except ValueError:
            return ""
        if bet.ev is None or bet.fair_odds is None:
            is_each_way = bet.kind is BetKind.EACH_WAY and bet.fair_odds is not None
            if is_each_way:
                return _("EV unknown: no fair odds for places.")
            return _("EV unknown: no fair odds.")
        text = _("EV {ev} % of the stake, {amount} · net {net:.4f}, fair {fair}")
        if self._is_lay:
            text = _(
                "EV {ev} % of the liability, {amount} · net {net:.4f}, fair {fair} of the other "
                "side"
            )
        return text.format(
            ev=formatting.signed_hundredths_text(bet.ev),
            amount=formatting.signed_hundredths_text(bet.size * bet.ev / 100),
            net=num(bet.net),
            fair=formatting.fair_text(bet.fair_odds),
        )

    def _above_cap(self) -> str:
        """Say where more is staked than the user's plan does; typed, it may slip."""
        try:
            typed = self.typed()
        except ValueError:
            return ""
        of_legs = self.subject.leg_doubt
        return (of_legs and of_legs(typed.stake)) or self._above_caps(self.subject, typed)

    def _above_limit(self) -> str:
        """Say where the stake is more than its bookmaker still takes, by the user's note."""
        bookmaker = self.bookmaker.currentText().strip()
        most = self._profiles.profile_of(bookmaker).limit
        if most is None:
            return ""
        there = sum(
            bet.open_stake
            for bet in self._placed
            if fold_name(bet.bookmaker) == fold_name(bookmaker)
        )
        try:
            is_above = self.typed().size + there > most
        except ValueError:
            is_above = False
        if not is_above:
            return ""
        text = _("Above your limit at {bookmaker}: {limit:,g}.")
        if there:
            text = _("Above your limit at {bookmaker}: {limit:,g} ({placed:,g} already placed).")
        return text.format(bookmaker=bookmaker, limit=num(most), placed=num(there))

    def _other_money(self) -> str:
        """Say how much a stake in another currency counts against the user's caps."""
        try:
            stake = read_stake(self.stake.text())
        except FigureError:
            return ""
        code = self.currency.text().strip().upper()
        if code in ("", self._rates.main):
            return ""
        if (counted_as := self._rates.in_main(stake, code)) is not None:
            return _("At your rate it counts as {amount:,.2f} {currency}.").format(
                amount=num(counted_as), currency=self._rates.main
            )
        return _("No exchange rate: your caps count it as {stake:,.12g} of your bankroll.").format(
            stake=num(stake)
        )

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        line = self.fontMetrics().lineSpacing()
        said = self._lines.heightForWidth(self.width() - 2 * MARGIN)
        self._said.setMinimumHeight(max(_LEAST_LINES * line, said + _MORE_LINES * line))
        super().showEvent(event)

    def accept(self) -> None:
        if self.record.isEnabled():
            typed = self.typed()
            self._is_handed_over, self._problem = True, ""
            self.record.setEnabled(False)
            self.placed.emit(typed)


def _read(text: str) -> float:
    try:
        return formatting.read_odds(text)
    except OddsFormatError as error:
        raise ValueError(_("Odds taken: {error}.").format(error=translated(str(error)))) from None


def _placed_text(placed: Sequence[PlacedBet]) -> str:
    named = [
        f"{num(bet.stake):,.2f}{f' {bet.currency}' if bet.currency else ''}{at_bookmaker(bet)}, "
        f"{formatting.exact_odds_text(bet.odds)}"
        for bet in placed[-_MOST_NAMED:]
    ]
    more = len(placed) - len(named)
    if more:
        named.append(_("and {count} more").format(count=more))
    return _("Already placed on this outcome: {bets}.").format(bets="; ".join(named))
