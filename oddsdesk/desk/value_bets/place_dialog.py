"""Asks what was really bet, and says what that is worth while it is typed."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.board.verdict_words import caution_text
from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.formatting import (
    beside_text,
    exact_odds_text,
    fair_text,
    most_text,
    odds_style,
    read_odds,
    signed_hundredths_text,
    typed_text,
)
from oddsdesk.desk.ui.states import may_be_gone
from oddsdesk.desk.ui.theme.tokens import MARGIN, STEP
from oddsdesk.desk.value_bets.cells import market_text
from oddsdesk.desk.value_bets.subjects import BetSubject
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.cells import CellError, read_stake
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.formats import DECIMAL, OddsFormatError
from oddsdesk.pricing.profiles import Profiles, fold_name
from oddsdesk.pricing.rules import MIN_EV

_WIDTH: Final = 400
_LONGEST_CURRENCY: Final = 8
_MOST_NAMED: Final = 3
_LOOK_MS: Final = 500
_LEAST_LINES: Final = 10
"""Room for what is said at least, in lines of text."""
_MORE_LINES: Final = 4
"""Room beside what is said at first; what is more is scrolled."""
_PRACTICE: Final = "Simulated odds: this is kept as practice."
_SHIFTED: Final = (
    "Old odds, moved to now, are among these: nobody may offer this. It counts as money."
)


class TypedBet(NamedTuple):
    """What was typed, and what that is worth."""

    bookmaker: str
    odds: float
    stake: float
    currency: str
    """Empty for the user's own."""
    net_odds: float
    ev_pct: float | None
    account: str = ""
    note: str = ""


class PlaceDialog(QDialog):
    """Filled in with the present price and its stake; Enter records.

    It is open until ``tell_kept`` tells what became of it.
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
        parent: QWidget | None = None,
        *,
        above_caps: Callable[[BetSubject, TypedBet], str] = lambda *_: "",
        stake_at: Callable[[BetSubject, str, float], float | None] = lambda *_: None,
    ) -> None:
        """Ask for a bet.

        ``placed`` are those on the same outcome already, at any bookmaker; ``above_caps`` says
        of what is typed where it is more than the user's plan stakes; ``stake_at`` what that stakes
        on it at a bookmaker's net odds, None where that is not known.
        """
        super().__init__(parent)
        self.setWindowTitle("Mark as placed")
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
        self._above_caps, self._stake_at = above_caps, stake_at
        self._profiles = profiles
        self._listed_odds = typed_text(subject.odds)
        self.bookmaker = ChoiceBox(editable=True)
        self.bookmaker.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.bookmaker.addItems(sorted({*bookmakers, subject.bookmaker}, key=str.casefold))
        self.bookmaker.setCurrentText(subject.bookmaker)
        self.account = QLineEdit(placeholderText="If you have several there")
        self.note = QLineEdit()
        self.stake = QLineEdit(f"{subject.stake:.12g}" if subject.stake > 0 else "")
        self.currency = QLineEdit(maxLength=_LONGEST_CURRENCY, placeholderText="Your own")
        average = subject.average_odds
        self.odds = QLineEdit(self._listed_odds if average is None else typed_text(average))
        self.leg = Label(wordWrap=True)
        self._planned_row, self.planned = QWidget(), Label()
        self.fill_in = QPushButton("Fill &in", autoDefault=False)  # Return records the bet
        self.worth = Label(wordWrap=True)
        self.warning = Label(wordWrap=True)
        self.warning.setProperty("variant", "value")
        self.fault = Label(wordWrap=True)
        self.fault.setProperty("variant", "down")
        self._said, self._lines = QScrollArea(widgetResizable=True), QWidget()
        self._looks = QTimer(self)
        self._looks.timeout.connect(self._look_again)
        self.record = QPushButton("Mark as placed again" if placed else "Mark as placed")
        self.record.setProperty("variant", "primary")
        self._lay_out()
        self._connect()
        self._show_warning(is_held=True)
        self._show_worth()
        self.stake.setFocus()
        self.stake.selectAll()

    def follow(self, look: Callable[[], BetSubject | None], why_lost: Callable[[], str]) -> None:
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
        said = [_PRACTICE] if subject.is_simulated else [_SHIFTED] if subject.may_be_shifted else []
        if self._placed:
            said.append(_placed_text(self._placed))
        if lost := may_be_gone(self._why_lost()):
            said.append(lost)
        if not is_held:
            said.append("This price is gone.")
        elif subject.news:
            said.append(subject.news)
        elif subject.odds != self._listed:
            said.append(f"It is {exact_odds_text(subject.odds)} there now.")
        if subject.cautions and is_held:
            words = (caution_text(caution, self._reference) for caution in subject.cautions)
            said.append(f"Careful: {'; '.join(words)}.")
        self.warning.setText("\n".join(said))
        self.warning.setVisible(bool(said))

    def typed(self) -> TypedBet:
        """Return what is typed now.

        Raises:
            ValueError: a field makes no sense; says which, and what was expected.
        """
        bookmaker = self.bookmaker.currentText().strip()
        if not bookmaker:
            raise ValueError("Bookmaker: expected a name.")
        odds, net = self._odds(bookmaker)
        try:
            stake = read_stake(self.stake.text())
        except CellError as error:
            raise ValueError(f"Stake: {error}.") from None
        currency = self.currency.text().strip().upper()
        return TypedBet(
            bookmaker,
            odds,
            stake,
            currency,
            net,
            self.subject.ev_at(net),
            self.account.text().strip(),
            self.note.text().strip(),
        )

    def tell_kept(self, problem: str) -> None:
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
        net = self._profiles.of(bookmaker).net(odds)
        if not 1 < net < math.inf:
            raise ValueError("Odds taken: they pay back no more than the stake.")
        return odds, net

    def _lay_out(self) -> None:
        key, style = self.subject.key, odds_style().replace("_", " ")
        beside = beside_text(key.selection, self.subject.match_name)
        market = market_text(key.market_type, self.subject.sport, key.period)
        form = QFormLayout(self)
        form.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        form.setSpacing(STEP)
        selection = Label(key.selection, wordWrap=True)
        selection.setProperty("variant", "strong")
        form.addRow(selection)
        form.addRow(Label(f"{beside} · {market}", wordWrap=True))
        form.addRow("&Bookmaker", self.bookmaker)
        form.addRow("&Account", self.account)
        form.addRow("&Stake", self.stake)
        form.addRow("&Currency", self.currency)
        form.addRow("&Odds taken" if style == DECIMAL else f"&Odds taken, {style}", self.odds)
        form.addRow("&Note", self.note)
        self._lay_out_said()
        form.addRow(self._said)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self.record, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)

    def _lay_out_said(self) -> None:
        """Let what comes and goes while one types have a room of its own: no button moves for it.

        A click on a button that had moved hit something else.
        """
        lines = QVBoxLayout(self._lines)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(STEP)
        planned = QHBoxLayout(self._planned_row)
        planned.setContentsMargins(0, 0, 0, 0)
        planned.addWidget(self.planned)
        planned.addWidget(self.fill_in)
        planned.addStretch()
        # what it is worth and what is doubted first: of much that is said the rest may be scrolled
        for each in (self.worth, self.fault, self._planned_row, self.leg, self.warning):
            lines.addWidget(each)
        lines.addStretch(1)
        self._said.setFrameShape(QFrame.Shape.NoFrame)
        self._said.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._said.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._said.setAccessibleName("What is known of this bet")
        self._said.setWidget(self._lines)

    def _connect(self) -> None:
        for field in (self.stake, self.currency, self.odds):
            field.textChanged.connect(self._show_worth)
        self.bookmaker.editTextChanged.connect(self._show_worth)
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
        amount = "" if not stake else f"{stake:.12g}"
        self.planned.setText("" if stake is None else f"Stake at these odds: {amount or 'none'}")
        self._planned_row.setVisible(stake is not None)
        self.fill_in.setVisible(bool(amount) and self.stake.text().strip() != amount)

    def _planned_stake(self) -> float | None:
        """Return what the user's plan stakes at the odds that are typed.

        None where they are the listed ones, or that is not known.
        """
        subject, bookmaker = self.subject, self.bookmaker.currentText().strip()
        try:
            _, net = self._odds(bookmaker)
        except ValueError:
            return None
        if math.isclose(net, self._profiles.of(subject.bookmaker).net(self._listed)):
            return None
        if subject.leg_stake is not None:
            return subject.leg_stake(net)
        return self._stake_at(subject, bookmaker, net)

    def _on_fill_in_clicked(self) -> None:
        self.stake.setText(f"{self._planned_stake() or 0:.12g}")
        self.stake.setFocus()

    def _show_worth(self) -> None:
        self._show_leg()
        self._show_planned()
        try:
            self.worth.setText(self._worth())
            self.typed()
        except ValueError as error:
            fault = str(error)
        else:
            fault = ""
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
            _, net = self._odds(self.bookmaker.currentText().strip())
        except ValueError:
            return ""
        if most is None or net <= most or self._is_told_of(net):
            return ""
        return (
            f"Suspicious: better than {most_text(most)} net the rules take a price of this for an "
            "error. Is that what you were given?"
        )

    def _is_told_of(self, net: float) -> bool:
        """Whether the cautions of the price say already that odds are too good."""
        subject = self.subject
        there = self._profiles.of(subject.bookmaker).net(subject.odds)
        return Caution.ABOVE_WINDOW in subject.cautions and net <= there

    def _worth(self) -> str:
        """Say what the typed odds are worth."""
        self.worth.clear()
        subject = self.subject
        odds, net = self._odds(self.bookmaker.currentText().strip())
        ev = subject.ev_at(net)
        if ev is None or subject.fair_odds is None:
            return "There are no fair odds, so the EV is not known."
        per = "" if subject.is_per_staked else " of a decided unit"
        parts = [f"EV {signed_hundredths_text(ev)} %{per} at these odds"]
        if odds_style() != DECIMAL:
            parts.append(f"{odds:.6g} decimal")
        if not math.isclose(net, odds):
            parts.append(f"net {net:.4f}")
        parts.append(f"fair {fair_text(subject.fair_odds)} by {subject.method.replace('_', ' ')}")
        if ev < MIN_EV:
            parts.append("no value")
        return " · ".join(parts)

    def _above_cap(self) -> str:
        """Say where more is staked than the user's plan does; typed, it may slip."""
        try:
            typed = self.typed()
        except ValueError:
            return ""
        of_legs = self.subject.leg_doubt
        return (of_legs and of_legs(typed.stake)) or self._above_caps(self.subject, typed)

    def _above_limit(self) -> str:
        """Say where the stake is more than its bookmaker still takes, by the user's note (D55)."""
        bookmaker = self.bookmaker.currentText().strip()
        most = self._profiles.of(bookmaker).limit
        if most is None:
            return ""
        there = sum(
            bet.open_stake
            for bet in self._placed
            if fold_name(bet.bookmaker) == fold_name(bookmaker)
        )
        try:
            is_above = read_stake(self.stake.text()) + there > most
        except CellError:
            is_above = False
        of_it = f", {there:,g} of which are placed" if there else ""
        return f"You noted that {bookmaker} takes at most {most:,g}{of_it}." if is_above else ""

    def _other_money(self) -> str:
        """Say what a stake in another currency counts for beside those of the user's own."""
        try:
            stake = read_stake(self.stake.text())
        except CellError:
            return ""
        if not self.currency.text().strip():
            return ""
        return f"The caps count it as {stake:,.12g} of your own money: no rate is known."

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
        return read_odds(text)
    except OddsFormatError as error:
        raise ValueError(f"Odds taken: {error}.") from None


def _placed_text(placed: Sequence[PlacedBet]) -> str:
    named = [
        f"{bet.stake:.12g}{f' {bet.currency}' if bet.currency else ''} at {bet.bookmaker}, "
        f"{exact_odds_text(bet.odds)}"
        for bet in placed[-_MOST_NAMED:]
    ]
    more = len(placed) - len(named)
    also = f"; and {more} more" if more else ""
    return f"Placed on this outcome already: {'; '.join(named)}{also}."
