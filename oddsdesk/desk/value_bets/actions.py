"""What can be done with a selected bet: open it, mark it as placed, take that back."""

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QMenu,
    QWidget,
)

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.near_misses import NearMiss
from oddsdesk.clock import Clock
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.controls.scaling import inset
from oddsdesk.desk.ui.formatting import beside_text, exact_odds_text
from oddsdesk.desk.ui.links import may_open, open_link
from oddsdesk.desk.ui.theme.tokens import MARGIN, STEP
from oddsdesk.desk.value_bets.model import BetRow
from oddsdesk.desk.value_bets.records import Records
from oddsdesk.ledger.bets import PlacedBet


class BetSubject(NamedTuple):
    """What is needed to open, judge and record a bet."""

    key: RowKey
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    odds: float
    fair_odds: float | None
    true_ev: float | None
    stake: float
    url: str | None

    def placed(self, odds: float, amount: float, now_ms: int, method: str) -> PlacedBet:
        """Return the bet as placed now."""
        game_id, market_type, period, selection, bookmaker = self.key
        return PlacedBet(
            game_id=game_id,
            match_name=self.match_name,
            competition=self.competition,
            sport=self.sport,
            market_type=market_type,
            period=period,
            selection=selection,
            bookmaker=bookmaker or "",
            odds=odds,
            stake=amount,
            placed_at=now_ms,
            kick_off=self.kick_off,
            fair_odds=self.fair_odds,
            true_ev=self.true_ev,
            method=method,
        )


def subject_of_bet(row: BetRow) -> BetSubject:
    """Return what a value bet is about."""
    price, found = row.price, row.price.assessment
    return BetSubject(
        key=price.key,
        match_name=price.match_name,
        competition=price.competition,
        sport=price.sport,
        kick_off=price.kick_off,
        odds=found.odds,
        fair_odds=found.fair_odds,
        true_ev=found.ev_pct,
        stake=row.bet.stake,
        url=price.url,
    )


def subject_of_miss(miss: NearMiss, board: Board) -> BetSubject:
    """Return what a near miss is about: nothing is staked on it."""
    matrix = board.matrix(miss.key.game_id)
    return BetSubject(
        key=miss.key,
        match_name=miss.match_name,
        competition="" if matrix is None else matrix.competition,
        sport=miss.section.sport,
        kick_off=None if matrix is None else matrix.kick_off,
        odds=miss.price.odds,
        fair_odds=miss.assessment.fair_odds,
        true_ev=miss.assessment.ev_pct,
        stake=0.0,
        url=miss.price.url,
    )


_MOST = 1e9


class PlacedDialog(QDialog):
    """Filled in with the present odds and stake; Enter records."""

    placed = Signal(float, float)
    """Odds and stake, as the user gave them."""

    def __init__(self, what: str, odds: float, stake: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Mark as placed")
        self.odds = inset(QDoubleSpinBox(decimals=3, minimum=1.001, maximum=_MOST, singleStep=0.01))
        self.odds.setValue(odds)
        self.stake = inset(QDoubleSpinBox(decimals=2, minimum=0.01, maximum=_MOST, singleStep=1))
        self.stake.setValue(stake)
        form = QFormLayout(self)
        form.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        form.setSpacing(STEP)
        form.addRow(Label(what, wordWrap=True))
        form.addRow("&Stake", self.stake)
        form.addRow("&Odds taken", self.odds)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        record = buttons.addButton("Mark as placed", QDialogButtonBox.ButtonRole.AcceptRole)
        record.setProperty("variant", "primary")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)
        self.accepted.connect(lambda: self.placed.emit(self.odds.value(), self.stake.value()))
        self.stake.setFocus()
        self.stake.selectAll()


class BetActions(QObject):
    """Acts on the bet that ``subject`` names at that moment."""

    price_requested = Signal(object)
    """The ``RowKey`` of a price to be shown in its game."""
    placed = Signal(object)
    """The ``PlacedBet`` as it was recorded."""
    said = Signal(str)
    """One line for the message bar."""

    def __init__(
        self,
        board: Board,
        records: Records,
        clock: Clock,
        subject: Callable[[], BetSubject | None],
        owner: QWidget,
    ) -> None:
        super().__init__(owner)
        self._board = board
        self._records = records
        self._clock = clock
        self._subject = subject
        self._owner = owner
        self.menu = QMenu(owner)
        self.open_page = self._action("values.open", self.open)
        self.open_page.setText("Open at the bookmaker\tEnter")
        self.open_game = self._action("values.game", self._show_game)
        self.menu.addSeparator()
        self.mark = self._action("values.place", self._ask)
        self.undo = self._action("values.take_back", self._take_back)
        self.menu.aboutToShow.connect(self.bring_up_to_date)

    def bring_up_to_date(self) -> None:
        """Enable what makes sense for the bet selected now."""
        subject = self._subject()
        for action in (self.open_game, self.mark):
            action.setEnabled(subject is not None)
        self.open_page.setEnabled(subject is not None and may_open(subject.url))
        self.undo.setEnabled(subject is not None and bool(self._placed_on(subject)))

    def open(self) -> None:
        """Open the bookmaker's page; the game where it has none."""
        subject = self._subject()
        if subject is not None and not open_link(subject.url):
            self.said.emit(f"{subject.key.bookmaker} gave no web page for this price.")
            self.price_requested.emit(subject.key)

    def take_back(self, bet: PlacedBet) -> None:
        """Forget that a bet was placed."""
        self._records.take_back(bet)
        self.said.emit(f"Taken back: {bet.selection} at {bet.bookmaker}.")

    def _action(self, ident: str, act: Callable[[], None]) -> QAction:
        action = add_action(self._owner, ident, act)
        self.menu.addAction(action)
        return action

    def _show_game(self) -> None:
        subject = self._subject()
        if subject is not None:
            self.price_requested.emit(subject.key)

    def _ask(self) -> None:
        subject = self._subject()
        if subject is None:
            return
        beside = beside_text(subject.key.selection, subject.match_name)
        what = f"{subject.key.selection} {beside}, at {subject.key.bookmaker}"
        dialog = PlacedDialog(what, subject.odds, subject.stake, self._owner)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.placed.connect(lambda odds, stake: self._place(subject, odds, stake))
        dialog.open()

    def _place(self, subject: BetSubject, odds: float, stake: float) -> None:
        bet = subject.placed(odds, stake, self._clock(), self._board.method)
        self._records.place(bet, self.placed.emit)

    def _take_back(self) -> None:
        subject = self._subject()
        placed = () if subject is None else self._placed_on(subject)
        if placed:
            self.take_back(placed[-1])

    def _placed_on(self, subject: BetSubject) -> tuple[PlacedBet, ...]:
        game_id, market_type, period, selection, bookmaker = subject.key
        return self._records.placed((game_id, market_type, period, selection, bookmaker or ""))


def placed_text(bet: PlacedBet) -> str:
    """Return what was recorded, in one line."""
    return (
        f"Placed {bet.stake:.2f} on {bet.selection} at {bet.bookmaker}, "
        f"{exact_odds_text(bet.odds)}."
    )
