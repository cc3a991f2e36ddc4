"""What can be done with a selected bet: open it, mark it as placed, take that back."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from oddsdesk.board.board import Board
from oddsdesk.clock import Clock
from oddsdesk.desk.actions.binding import attach
from oddsdesk.desk.dialogs.placed_dialog import PlacedDialog
from oddsdesk.desk.links import may_open, open_link
from oddsdesk.desk.models.bet_subject import BetSubject
from oddsdesk.desk.models.figures import exact_odds_text
from oddsdesk.desk.models.value_cells import beside_text
from oddsdesk.desk.records import Records
from oddsdesk.ledger.bets import PlacedBet


class BetActions(QObject):
    """Acts on the bet that ``subject`` names at that moment."""

    game_requested = Signal(str)
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
            self.game_requested.emit(subject.key.game_id)

    def take_back(self, bet: PlacedBet) -> None:
        """Forget that a bet was placed."""
        self._records.take_back(bet)
        self.said.emit(f"Taken back: {bet.selection} at {bet.bookmaker}.")

    def _action(self, ident: str, act: Callable[[], None]) -> QAction:
        action = attach(self._owner, ident, act)
        self.menu.addAction(action)
        return action

    def _show_game(self) -> None:
        subject = self._subject()
        if subject is not None:
            self.game_requested.emit(subject.key.game_id)

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
