"""Asks how much of a bet was sold back to the bookmaker, and for what."""

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QWidget

from oddsdesk.desk.bet_cells import stake_text
from oddsdesk.desk.ui.controls.form_dialog import FormDialog
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import BadBetError, PlacedBet, cashed_out
from oddsdesk.ledger.cells import CellError, read_amount

_WIDTH: Final = 420


class CashDialog(FormDialog):
    """Filled in with all that is open."""

    recorded = Signal(object)
    """The ``PlacedBet`` with what was cashed out of it."""

    def __init__(self, theme: Theme, bet: PlacedBet, now_ms: int, parent: QWidget) -> None:
        super().__init__(theme, "Cash out", parent)
        self.setMinimumWidth(theme.fonts.scaled(_WIDTH))
        self._bet, self._now_ms = bet, now_ms
        self.part = QLineEdit(f"{bet.open_stake:.12g}")
        self.back = QLineEdit(placeholderText="7.50")
        self.below.addWidget(
            Label(f"{bet.selection} at {bet.bookmaker}, {stake_text(bet)}", wordWrap=True)
        )
        self.add_row("&Stake", self.part, "How much of the stake was sold; the rest stays open")
        self.add_row("&Paid back", self.back, "What the bookmaker paid for it")
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        save = self.buttons.addButton("Record", QDialogButtonBox.ButtonRole.AcceptRole)
        save.setProperty("variant", "primary")
        self.buttons.accepted.connect(self._on_buttons_accepted)
        self.buttons.rejected.connect(self.reject)
        self.close_form()
        self.back.setFocus()

    def values(self) -> object:
        """Return what the fields say, to be compared."""
        return self.part.text(), self.back.text()

    def _on_buttons_accepted(self) -> None:
        try:
            part, back = self.part.text().strip(), self.back.text().strip()
            stake, paid = read_amount("stake", part), read_amount("paid back", back)
            bet = cashed_out(self._bet, stake, paid, self._now_ms)
        except (BadBetError, CellError) as error:
            self.say_trouble(sentence(str(error)))
            return
        self.hand_over()
        self.recorded.emit(bet)
