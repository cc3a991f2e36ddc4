"""Asks at which odds and with what stake a bet was placed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QWidget,
)

from oddsdesk.desk.theme.spacing import MARGIN, STEP
from oddsdesk.desk.widgets.inset import inset
from oddsdesk.desk.widgets.plain import Label

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
        record.setProperty("look", "primary")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        form.addRow(buttons)
        self.accepted.connect(lambda: self.placed.emit(self.odds.value(), self.stake.value()))
        self.stake.setFocus()
        self.stake.selectAll()
