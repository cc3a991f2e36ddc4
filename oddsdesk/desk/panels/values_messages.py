"""What the value-bet panel says in its message bar: a formula that is off, bets placed, trouble."""

from PySide6.QtCore import QObject

from oddsdesk.board.board import Board
from oddsdesk.desk.panels.bet_actions import BetActions, placed_text
from oddsdesk.desk.panels.values_states import audit_text, is_about_formula
from oddsdesk.desk.records import Records
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.message_bar import MessageBar
from oddsdesk.ledger.bets import PlacedBet


class ValuesMessages(QObject):
    """Speaks through a bar, whose button takes back the bet that was placed last."""

    def __init__(
        self, bar: MessageBar, board: Board, records: Records, actions: BetActions
    ) -> None:
        super().__init__(bar)
        self._bar = bar
        self._board = board
        self._actions = actions
        self._undoable: PlacedBet | None = None
        self._said_of_audit = ""
        actions.said.connect(bar.say)
        actions.placed.connect(self._on_actions_placed)
        records.failed.connect(self._on_records_failed)
        bar.action_requested.connect(self._on_bar_action_requested)

    def show_audit(self) -> None:
        """Warn once of a service that reckons wrongly, until it does it right (D26, D52)."""
        text = audit_text(self._board.audit, self._board.method)
        if text and text != self._said_of_audit:
            self._undoable = None
            self._bar.say(text, icon="warning", ink=Ink.VALUE)
        elif not text and is_about_formula(self._bar.text):
            self._bar.hide()
        self._said_of_audit = text

    def _on_actions_placed(self, bet: PlacedBet) -> None:
        self._undoable = bet
        self._bar.say(placed_text(bet), icon="check", action="Undo")

    def _on_bar_action_requested(self) -> None:
        if self._undoable is not None:
            self._actions.take_back(self._undoable)
            self._undoable = None

    def _on_records_failed(self, text: str) -> None:
        self._bar.say(text, icon="warning", ink=Ink.DOWN)
