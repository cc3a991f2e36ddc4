"""The slip of a multiple: its legs, fair odds, the EV of the odds offered, and recording it."""

import math
from functools import partial
from typing import Final

from PySide6 import QtWidgets
from PySide6.QtCore import Qt, QTimer, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.figures import FigureError, read_stake
from oddsdesk.base.market_words import selection_text, shown_game
from oddsdesk.base.texts import _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import CellKey, RowKey
from oddsdesk.board.valuation.slip import SlipLeg, leg_price, price_slip
from oddsdesk.desk.records import Records
from oddsdesk.desk.ui import formatting
from oddsdesk.desk.ui.actions import key_sequence
from oddsdesk.desk.ui.controls.dialogs import Dialog
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.labels import ElidedLabel, Label
from oddsdesk.desk.ui.controls.messages import message_area, sentence
from oddsdesk.desk.ui.spacing import GAP, HALF, MARGIN, STEP, vertical
from oddsdesk.desk.ui.states import may_be_gone
from oddsdesk.desk.value_bets.model import market_text
from oddsdesk.desk.value_bets.placing import PAST, PRACTICE, SHIFTED
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg
from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_bet
from oddsdesk.pricing.formats import OddsFormatError
from oddsdesk.pricing.multiples import LegPrice, MultiplePrice
from oddsdesk.pricing.profiles import fold_name

_WIDTH: Final = 600
_LOOK_MS: Final = 500
_LONGEST_CURRENCY: Final = 8
_SAID_LINES: Final = 5


class SlipDialog(Dialog):
    """Stays open next to the prices while legs are added; Ctrl+Return records the multiple."""

    recorded = Signal(object)
    """The ``PlacedBet`` as recorded."""
    said = Signal(str)
    """One line for the message bar."""

    def __init__(
        self, board: Board, records: Records, clock: Clock, parent: QtWidgets.QWidget
    ) -> None:
        super().__init__(parent)
        self._board, self._records, self._clock = board, records, clock
        self._rows: list[_LegRow] = []
        self._is_handed_over = False
        self._problem = ""
        self.setWindowTitle(_("Multiple"))
        self.setWindowModality(Qt.WindowModality.NonModal)
        self.setMinimumWidth(_WIDTH)
        self.bookmaker = ChoiceBox(editable=True)
        self.bookmaker.setInsertPolicy(QtWidgets.QComboBox.InsertPolicy.NoInsert)
        self.odds = QtWidgets.QLineEdit()
        self.stake = QtWidgets.QLineEdit()
        self.currency = QtWidgets.QLineEdit(
            maxLength=_LONGEST_CURRENCY, placeholderText=_("No currency")
        )
        self.worth, self.notes, self.fault = (Label(wordWrap=True) for _ in range(3))
        self.worth.setProperty("variant", "strong")
        self.notes.setProperty("variant", "note")
        self.fault.setProperty("variant", "down")
        self.record = QtWidgets.QPushButton(_("&Record multiple"))
        self.record.setProperty("variant", "primary")
        self.record.setShortcut(key_sequence("Ctrl+Return"))
        self.clear = QtWidgets.QPushButton(_("Remove &all legs"), autoDefault=False)
        self._legs = QtWidgets.QGridLayout()
        self._lay_out()
        self.bookmaker.currentTextChanged.connect(self._show)
        for field in (self.odds, self.stake, self.currency):
            field.textChanged.connect(self._show)
        self.clear.clicked.connect(self.remove_all)
        self._looks = QTimer(self, interval=_LOOK_MS)
        self._looks.timeout.connect(self._show)
        self._show()

    @property
    def legs(self) -> list[RowKey]:
        """The selections on it, in order."""
        return [row.key for row in self._rows]

    def add_leg(self, key: RowKey) -> None:
        """Put a selection on the slip, at the price of its bookmaker, and show the slip."""
        board = self._board
        if board.connection.as_of_ms is not None:
            self.said.emit(PAST)
            return
        if not key.bookmaker:
            key = key._replace(bookmaker=board.reference_name)
        price, game = board.price(key.game_id, CellKey(*key[1:])), board.matrix(key.game_id)
        if price is None or game is None:
            self.said.emit(_("That price is no longer available."))
            return
        if not self._rows:
            names = sorted({*board.bookmakers_with_prices(), key.bookmaker}, key=str.casefold)
            self.bookmaker.clear()
            self.bookmaker.addItems(names)
            self.bookmaker.setCurrentText(key.bookmaker)
        if all(row.key[:4] != key[:4] for row in self._rows):
            market = market_text(key.market_type, game.sport, key.period)
            row = _LegRow(key, f"{shown_game(game.match_name)} · {market}", price.odds)
            row.odds.textChanged.connect(self._show)
            row.remove.clicked.connect(partial(self._remove, row))
            self._rows.append(row)
            self._arrange()
        self._show()
        self._looks.start()
        self.show()
        self.raise_()

    def remove_all(self) -> None:
        """Take all legs off the slip."""
        for row in list(self._rows):
            self._remove(row)

    def bet(self) -> PlacedBet:
        """Return the multiple as typed, with its current value.

        Raises:
            ValueError: a field makes no sense; says which, and what was expected.
        """
        legs, priced = self._typed_legs(), self._priced()
        bookmaker, odds = self.bookmaker.currentText().strip(), self._offered(legs)
        if not bookmaker:
            raise ValueError(_("Enter a bookmaker."))
        if odds is None:
            raise ValueError(_("Enter the odds of the multiple."))
        currency = self.currency.text().strip().upper()
        try:
            stake = read_stake(self.stake.text(), currency)
        except FigureError as error:
            raise ValueError(_("Stake: {error}.").format(error=translated(str(error)))) from None
        board, net = self._board, self._net(odds)
        recorded = [
            self._leg(leg, known) for leg, known in zip(legs, self._leg_prices(legs), strict=True)
        ]
        sports = {leg.sport for leg in recorded}
        starts = [leg.kick_off for leg in recorded if leg.kick_off is not None]
        bet = PlacedBet(
            *("", "", "", sports.pop() if len(sports) == 1 else "", "", 0),
            *(" + ".join(leg.selection for leg in recorded), bookmaker, odds, stake),
            placed_at=self._clock(),
            kick_off=max(starts) if len(starts) == len(recorded) else None,
            fair_odds=priced.fair_odds,
            method="" if priced.fair_odds is None else board.method,
            reference="" if priced.fair_odds is None else board.reference_name,
            derived="modelled" if priced.is_modelled else "",
            net_odds=net,
            currency=currency,
            practice=bool(board.connection.simulated),
            kind=BetKind.MULTIPLE,
            legs=tuple(recorded),
        )
        try:
            return check_bet(bet)
        except BadBetError as error:
            raise ValueError(sentence(translated(str(error)))) from None

    def _leg(self, leg: SlipLeg, known: LegPrice) -> BetLeg:
        game = self._board.matrix(leg.key.game_id)
        odds = leg.odds if leg.odds is not None else known.fair_odds
        if game is None or odds is None:
            raise ValueError(
                _("Enter the odds of {selection}.").format(
                    selection=selection_text(leg.key.selection)
                )
            )
        return BetLeg(
            selection=leg.key.selection,
            odds=odds,
            game_id=leg.key.game_id,
            match_name=game.match_name,
            competition=game.competition,
            sport=game.sport,
            market_type=leg.key.market_type,
            period=leg.key.period,
            kick_off=game.kick_off,
            fair_odds=known.fair_odds,
        )

    def _leg_prices(self, legs: list[SlipLeg]) -> list[LegPrice]:
        return [leg_price(self._board, leg) for leg in legs]

    def _priced(self) -> MultiplePrice:
        return price_slip(self._board, self._typed_legs())

    def _typed_legs(self) -> list[SlipLeg]:
        """Return the legs with their odds, None where none are typed."""
        bookmaker = self.bookmaker.currentText().strip()
        return [SlipLeg(row.key._replace(bookmaker=bookmaker), row.typed()) for row in self._rows]

    def _offered(self, legs: list[SlipLeg]) -> float | None:
        """Return the odds of the multiple: as typed, else the product of its legs' odds."""
        if self.odds.text().strip():
            return _read(_("Odds"), self.odds)
        alone = [leg.odds for leg in legs]
        return math.prod(odds for odds in alone if odds) if alone and None not in alone else None

    def _net(self, odds: float) -> float:
        profiles = self._board.basis.profiles
        return profiles.profile_of(self.bookmaker.currentText().strip()).net(odds)

    def _lay_out(self) -> None:
        self._legs.setHorizontalSpacing(GAP)
        self._legs.setVerticalSpacing(HALF)
        self._legs.setColumnStretch(0, 1)
        for column, title in enumerate((_("Leg"), formatting.odds_title(_("Odds")), _("Fair"), "")):
            label = Label(title)
            label.setProperty("variant", "note")
            self._legs.addWidget(label, 0, column)
        form = QtWidgets.QFormLayout()
        form.setSpacing(STEP)
        form.addRow(_("&Bookmaker"), self.bookmaker)
        form.addRow(formatting.odds_title(_("&Odds of all legs")), self.odds)
        form.addRow(_("&Stake"), self.stake)
        form.addRow(_("&Currency"), self.currency)
        buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.record, QtWidgets.QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(self.clear, QtWidgets.QDialogButtonBox.ButtonRole.ResetRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        whole = vertical(self, margins=(MARGIN, MARGIN, MARGIN, MARGIN), spacing=STEP)
        whole.addLayout(self._legs)
        whole.addLayout(form)
        said, _lines = message_area(
            _("What this multiple is worth"), self.worth, self.fault, self.notes
        )
        said.setMinimumHeight(_SAID_LINES * self.fontMetrics().lineSpacing())
        whole.addWidget(said, 1)
        whole.addWidget(buttons)

    def _arrange(self) -> None:
        for place, row in enumerate(self._rows, 1):
            row.put_into(self._legs, place)

    def _remove(self, row: "_LegRow") -> None:
        self._rows.remove(row)
        row.delete()
        self._arrange()
        self._show()

    def _show(self) -> None:
        fault, notes, legs = "", list[str](), list[SlipLeg]()
        priced, odds = MultiplePrice(), None
        try:
            legs = self._typed_legs()
            priced, odds = self._priced(), self._offered(legs)
        except ValueError as error:
            fault = str(error)
        for row, known in zip(self._rows, self._leg_prices(legs), strict=False):
            row.show_fair(known.fair_odds, is_derived=known.band > 0)
        alone = math.prod(leg.odds or 1.0 for leg in legs)
        self.odds.setPlaceholderText(formatting.fair_text(alone) if len(legs) > 1 else "")
        notes += [sentence(translated(note)) for note in priced.notes]
        notes += filter(None, (row.other_price(self.bookmaker.currentText()) for row in self._rows))
        if self._board.connection.simulated:
            notes.append(PRACTICE)
        elif self._board.connection.shifted:
            notes.append(SHIFTED)
        notes.append(may_be_gone(self._board.connection.why_lost))
        has_why = priced.why_not and not fault and len(self._rows) > 1
        why = sentence(translated(priced.why_not)) if has_why else ""
        self.worth.setText(self._worth(priced, odds) if not fault else "")
        self.fault.setText("\n".join(filter(None, (self._problem, fault, why))))
        self.notes.setText("\n".join(filter(None, notes)))
        for label in (self.worth, self.fault, self.notes):
            label.setVisible(bool(label.text()))
        self.record.setEnabled(len(self._rows) > 1 and not self._is_handed_over)
        self.clear.setEnabled(bool(self._rows))

    def _worth(self, priced: MultiplePrice, odds: float | None) -> str:
        if priced.fair_odds is None:
            return _("Add legs from the menu of a price.") if len(self._rows) < 2 else ""
        fair = formatting.marked_fair_text(priced.fair_odds, is_derived=priced.is_modelled)
        if odds is None:
            return _("Fair {fair}").format(fair=fair)
        net = self._net(odds)
        low = priced.cautious_ev_pct(net)
        if not priced.is_modelled or low is None:
            text = _("Fair {fair}, EV {ev} %")
        else:
            text = _("Fair {fair}, EV {ev} % (modelled; {low} % at the low end)")
        return text.format(
            fair=fair,
            ev=formatting.signed_text(priced.ev_pct(net) or 0.0),
            low=formatting.signed_text(low or 0.0),
        )

    def _on_written(self, bet: PlacedBet) -> None:
        self._is_handed_over, self._problem = False, ""
        self.remove_all()
        for field in (self.odds, self.stake):
            field.clear()
        super().accept()
        self.recorded.emit(bet)

    def _on_refused(self, problem: str) -> None:
        self._is_handed_over, self._problem = False, problem
        self._show()

    # Qt's virtuals

    def accept(self) -> None:
        if not self.record.isEnabled():
            return
        try:
            bet = self.bet()
        except ValueError as error:
            self._problem = str(error)
            self._show()
            return
        self._is_handed_over, self._problem = True, ""
        self.record.setEnabled(False)
        self._records.place_bet(bet, self._on_written, self._on_refused)

    def done(self, result: int) -> None:
        self._looks.stop()
        super().done(result)


class _LegRow:
    """The widgets of a leg."""

    def __init__(self, key: RowKey, about: str, odds: float) -> None:
        self.key = key
        self.what = QtWidgets.QWidget()
        lines = []
        for text, variant in ((selection_text(key.selection), "strong"), (about, "note")):
            line = ElidedLabel()
            line.setProperty("variant", variant)
            line.show_text(text)
            lines.append(line)
        vertical(self.what, *lines)
        self.odds = QtWidgets.QLineEdit(formatting.typed_text(odds))
        self.odds.setAccessibleName(
            _("Odds of {selection}").format(selection=selection_text(key.selection))
        )
        self.odds.setFixedWidth(self.odds.fontMetrics().horizontalAdvance("88,888.8888") + 2 * STEP)
        self._filled, self._listed = self.odds.text(), odds
        self.fair = Label()
        self.remove = QtWidgets.QPushButton(_("Remove"), autoDefault=False)
        self.remove.setAccessibleName(
            _("Remove {selection}").format(selection=selection_text(key.selection))
        )

    def put_into(self, grid: QtWidgets.QGridLayout, row: int) -> None:
        """Show the leg in a row of a grid."""
        for column, part in enumerate((self.what, self.odds, self.fair, self.remove)):
            grid.addWidget(part, row, column)

    def delete(self) -> None:
        """Delete the widgets."""
        for part in (self.what, self.odds, self.fair, self.remove):
            part.hide()
            part.deleteLater()

    def typed(self) -> float | None:
        """Return the typed odds, None for none; unedited ones in full precision.

        Raises:
            ValueError: not valid odds.
        """
        text = self.odds.text().strip()
        if not text:
            return None
        return (
            self._listed
            if text == self._filled
            else _read(selection_text(self.key.selection), self.odds)
        )

    def other_price(self, bookmaker: str) -> str:
        """Return whose price is in the field, if it is another bookmaker's."""
        is_own = fold_name(bookmaker) == fold_name(self.key.bookmaker)
        if is_own or self.odds.text() != self._filled:
            return ""
        return _("{odds} on {selection} is {bookmaker}'s price.").format(
            odds=self._filled,
            selection=selection_text(self.key.selection),
            bookmaker=self.key.bookmaker,
        )

    def show_fair(self, fair_odds: float | None, *, is_derived: bool) -> None:
        """Show the current fair odds."""
        text = _("none")
        if fair_odds is not None:
            text = formatting.marked_fair_text(fair_odds, is_derived=is_derived)
        self.fair.setText(text)


def _read(name: str, field: QtWidgets.QLineEdit) -> float:
    try:
        return formatting.read_odds(field.text())
    except OddsFormatError as error:
        raise ValueError(f"{name}: {translated(str(error))}.") from None
