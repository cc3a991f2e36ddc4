"""What can be done with a selected bet: open it, mark it as placed, take that back."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from oddsdesk.board.board import Board
from oddsdesk.clock import Clock
from oddsdesk.desk.bet_cells import bet_named
from oddsdesk.desk.records import Records
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.links import may_open, open_link
from oddsdesk.desk.value_bets.placing import BetPlacer
from oddsdesk.desk.value_bets.subjects import BetSubject
from oddsdesk.ledger.bets import PlacedBet, counted
from oddsdesk.ledger.games import may_be_on_one_game
from oddsdesk.pricing.exposure import StakePlan


class BetActions(BetPlacer):
    """Acts on the bet that ``subject`` names at that moment."""

    price_requested = Signal(object)
    """The ``RowKey`` of a price to be shown in its game."""
    target_requested = Signal(object)
    """The ``RowKey`` of a price that the user wants to be told of when it is reached."""

    def __init__(
        self,
        board: Board,
        records: Records,
        clock: Clock,
        subject: Callable[[], BetSubject | None],
        plan: Callable[[], StakePlan],
        stake_at: Callable[[BetSubject, str, float], float | None],
        owner: QWidget,
    ) -> None:
        super().__init__(board, records, clock, plan, stake_at, owner)
        self._subject = subject
        self.menu = QMenu(owner)
        self.open_page = self._action("values.open", self.open)
        self.open_page.setText("Open at the bookmaker\tEnter")
        self.open_game = self._action("values.game", self._show_game)
        self.menu.addSeparator()
        self.mark = self._action("values.place", self._ask)
        self.undo = self._action("values.take_back", self._take_back)
        self.target = self._action("values.target", self._ask_for_target)
        self.target.setText("Alert me when the price reaches…")
        self.menu.aboutToShow.connect(self.bring_up_to_date)
        self.menu.aboutToHide.connect(self._enable_keys)

    def bring_up_to_date(self) -> None:
        """Enable what makes sense for the bet selected now."""
        subject = self._subject()
        for action in (self.open_game, self.mark, self.target):
            action.setEnabled(subject is not None)
        self.open_page.setEnabled(subject is not None and may_open(subject.url))
        self.undo.setEnabled(subject is not None and bool(self._placed_on(subject)))

    def _enable_keys(self) -> None:
        """Let the keys work on whatever is selected when they are pressed."""
        for action in (self.open_game, self.mark, self.target, self.open_page, self.undo):
            action.setEnabled(True)

    def open(self) -> None:
        """Open the bookmaker's page; the game where it has none."""
        subject = self._subject()
        if subject is not None and not open_link(subject.url):
            self.said.emit(f"{subject.key.bookmaker} gave no web page for this price.")
            self.price_requested.emit(subject.key)

    def _action(self, ident: str, act: Callable[[], None]) -> QAction:
        action = add_action(self._owner, ident, act)
        self.menu.addAction(action)
        return action

    def _show_game(self) -> None:
        subject = self._subject()
        if subject is not None:
            self.price_requested.emit(subject.key)

    def _ask_for_target(self) -> None:
        subject = self._subject()
        if subject is not None:
            self.target_requested.emit(subject.key)

    def _ask(self) -> None:
        subject = self._subject()
        if subject is not None:
            self.ask(subject)

    def _take_back(self) -> None:
        subject = self._subject()
        if subject is None:
            return
        if placed := self._placed_on(subject):
            self.take_back(placed[-1])
        else:
            self.said.emit(self._not_placed_text(subject))

    def _not_placed_text(self, subject: BetSubject) -> str:
        """Say that a price has no bet to take back, and where the one is that its outcome has."""
        on_outcome = self._on_outcome(subject)
        if not on_outcome:
            return "Nothing is placed on it."
        last = bet_named(on_outcome[-1])
        return f"Nothing is placed on it at {subject.bookmaker}. In Bets (Ctrl+L) is {last}."

    def _placed_on(self, subject: BetSubject) -> list[PlacedBet]:
        placed = [
            bet
            for bet in self._records.placed(subject.bet_key)
            if may_be_on_one_game(bet, subject.kick_off)
        ]
        return list(counted(placed, simulated=subject.is_simulated))
