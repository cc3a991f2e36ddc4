"""Asks from which price on the user wants to be told, and says what that price is worth."""

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QWidget

from oddsdesk.board.alerts.rules import TargetRule
from oddsdesk.board.alerts.targets import TargetCell
from oddsdesk.board.verdict_words import caution_text
from oddsdesk.contract.markets import market_title
from oddsdesk.contract.periods import period_label
from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import FormDialog
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.formatting import (
    beside_text,
    exact_odds_text,
    fair_text,
    odds_style,
    read_odds,
    signed_hundredths_text,
    typed_text,
)
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.formats import DECIMAL, OddsFormatError

_WIDTH: Final = 440
_ANYWHERE: Final = "Any of my bookmakers"
_HIGHEST: Final = 1e6


class TargetDialog(FormDialog):
    """Filled in with the target that stands on the cell, else with a price worth waiting for."""

    chosen = Signal(object)
    """The ``TargetRule`` as it was typed."""
    removed = Signal()
    """The target that stood there is not wanted any more."""

    def __init__(
        self, theme: Theme, cell: TargetCell, standing: TargetRule | None, parent: QWidget
    ) -> None:
        super().__init__(theme, "Alert me of a price", parent)
        self.setMinimumWidth(theme.fonts.scaled(_WIDTH))
        self._cell, self._standing = cell, standing
        odds = cell.suggested() if standing is None else standing.odds
        self._filled_in, self._filled_odds = typed_text(odds), odds
        self.price = QLineEdit(self._filled_in)
        self.place = ChoiceBox()
        self.place.addItems([cell.bookmaker, _ANYWHERE])
        self.place.setCurrentIndex(1 if standing is not None and not standing.bookmaker else 0)
        self.said = Label(wordWrap=True)
        """What the typed price is worth, and what is offered now."""
        self.said.setProperty("variant", "note")
        self._lay_out()
        self.price.textChanged.connect(self._show_worth)
        self.place.currentIndexChanged.connect(self._show_worth)
        self._show_worth()
        self.close_form()
        self.price.setFocus()
        self.price.selectAll()

    def values(self) -> object:
        """Return what the fields say, to be compared."""
        return self.price.text(), self.place.currentIndex()

    def _lay_out(self) -> None:
        key, name, style = self._cell.key, self._cell.match_name, odds_style().replace("_", " ")
        market = market_title(key.market_type)
        if key.period:
            market += f" · {period_label(self._cell.sport, key.period)}"
        beside = beside_text(key.selection, name)
        self.form.addRow(Label(f"{key.selection} {beside} · {market}", wordWrap=True))
        reaches = "&Reaches" if style == DECIMAL else f"&Reaches, {style}"
        self.add_row("&At", self.place)
        self.add_row(reaches, self.price)
        self.form.addRow("", self.said)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        if self._standing is not None:
            role = QDialogButtonBox.ButtonRole.DestructiveRole
            self.remove = self.buttons.addButton("Remove the alert", role)
            self.remove.clicked.connect(self._on_remove_clicked)
        save = "Alert me"
        if self._standing is not None:
            save = "Change the alert" if self._standing.enabled else "Turn the alert on"
        self.save = self.buttons.addButton(save, QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setProperty("variant", "primary")
        self.buttons.accepted.connect(self._on_buttons_accepted)
        self.buttons.rejected.connect(self.reject)

    def _odds(self) -> float:
        """Return the price that is typed; one filled in stands for itself: it may be rounded."""
        text = self.price.text().strip()
        odds = self._filled_odds if text == self._filled_in else read_odds(text)
        if odds > _HIGHEST:
            raise OddsFormatError(f"expected odds up to {_HIGHEST:,.0f}")
        return odds

    def _is_anywhere(self) -> bool:
        return self.place.currentIndex() == 1

    def _show_worth(self) -> None:
        try:
            odds = self._odds()
        except OddsFormatError as error:
            self.said.setText(sentence(str(error)))
            self.save.setEnabled(False)
            return
        self.save.setEnabled(True)
        self.said.setText(f"{self._worth(odds)}\n{self._offered(odds)}")

    def _worth(self, odds: float) -> str:
        cell, anywhere = self._cell, self._is_anywhere()
        ev = cell.ev_at(odds, anywhere=anywhere)
        if ev is None or cell.fair is None:
            return "There are no fair odds, so its EV is not known."
        said = [f"EV {signed_hundredths_text(ev)} % at that price"]
        said += ["before commission"] if anywhere else []
        return " · ".join([*said, f"fair {fair_text(cell.fair)}"])

    def _offered(self, odds: float) -> str:
        is_anywhere = self._is_anywhere()
        now = self._cell.best if is_anywhere else self._cell.odds
        what = "the best of mine" if is_anywhere else "offered"
        said = (
            "Not offered there now." if now is None else self._alerts(now, f"is {what} now", odds)
        )
        doubted = self._cell.doubted
        if doubted is None or not is_anywhere:
            return said
        why = caution_text(doubted.caution, self._cell.reference)
        what = f"at {doubted.bookmaker} is doubted ({why})"
        if not self._cell.is_doubted_alerted:
            return f"{said} {exact_odds_text(doubted.odds)} {what}."
        return f"{said} {self._alerts(doubted.odds, what, odds)}"

    @staticmethod
    def _alerts(now: float, what: str, odds: float) -> str:
        text = f"{exact_odds_text(now)} {what}"
        return f"{text}: this alerts at once." if now >= odds else f"{text}."

    def _on_remove_clicked(self) -> None:
        self.removed.emit()
        self.begin()
        self.accept()

    def _on_buttons_accepted(self) -> None:
        anywhere = self._is_anywhere()
        self.chosen.emit(self._cell.rule(self._odds(), anywhere=anywhere, like=self._standing))
        self.begin()
        self.accept()
