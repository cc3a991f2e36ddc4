"""The hedge calculator: the lay against a promoted bet, at odds that the user types."""

import math
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QWidget

from oddsdesk.base.numbers import num, typed_number
from oddsdesk.base.texts import _, translated
from oddsdesk.desk.promotions.offer_dialog import number_field, typed_amount
from oddsdesk.desk.ui.controls.bars import Fact, FactsBar
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import FormDialog
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.controls.messages import capitalized, sentence
from oddsdesk.desk.ui.formatting import odds_title, read_odds, signed_hundredths_text, typed_text
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.formats import OddsFormatError
from oddsdesk.pricing.promotions import HedgedBet, PromoKind, PromotedBet, hedged_by_lay

_WIDTH: Final = 460
_MOST_PCT: Final = 1_000.0
_KINDS: Final = tuple(kind for kind in PromoKind if kind is not PromoKind.BONUS)


class HedgeCalculator(FormDialog):
    """Works out the lay while the user types; stays open next to the prices."""

    def __init__(
        self,
        theme: Theme,
        bet: PromotedBet | None,
        back_odds: float | None,
        lay_odds: float | None,
        commission: float,
        parent: QWidget,
    ) -> None:
        """Fill in a bet with odds before a boost, the lay odds, and the commission as a share."""
        super().__init__(theme, _("Hedge calculator"), parent)
        self.setWindowModality(Qt.WindowModality.NonModal)
        self.setMinimumWidth(theme.fonts.scaled(_WIDTH))
        bet = bet or PromotedBet(PromoKind.FREE, 25.0, 0.0)
        kind = PromoKind.QUALIFY if bet.kind is PromoKind.BONUS else bet.kind
        self.kind = ChoiceBox()
        for each in _KINDS:
            self.kind.addItem(capitalized(translated(each.words)), each)
        self.kind.setCurrentIndex(_KINDS.index(kind))
        self.stake = QLineEdit(typed_number(bet.stake))
        self.back = QLineEdit("" if back_odds is None else typed_text(back_odds))
        self.lay = QLineEdit("" if lay_odds is None else typed_text(lay_odds))
        self.commission = number_field(100 * commission, " %", most=50.0, step=1.0)
        self.boost = number_field(100 * bet.boost, " %", most=_MOST_PCT, step=1.0)
        self.refund = QLineEdit(typed_number(bet.refund or bet.stake))
        self.figures = FactsBar(theme)
        self.said = Label(wordWrap=True)
        self.said.setProperty("variant", "note")
        self._lay_out()
        for box in (self.stake, self.back, self.lay, self.refund):
            box.textChanged.connect(self._show)
        for spin in (self.commission, self.boost):
            spin.valueChanged.connect(self._show)
        self.kind.currentIndexChanged.connect(self._show)
        self._show()
        self.back.setFocus()
        self.back.selectAll()

    def hedge(self) -> HedgedBet:
        """Return the hedge for the typed fields.

        Raises:
            ValueError: A field makes no sense; says which, and what was expected.
        """
        kind: PromoKind = self.kind.currentData()
        stake = typed_amount(_("Stake"), self.stake)
        refund = typed_amount(_("Refund"), self.refund) if kind is PromoKind.REFUND else 0.0
        boost = self.boost.value() / 100 if kind is PromoKind.BOOST else 0.0
        back = _odds(self.back, _("Back odds: {error}"), _("Enter the back odds"))
        lay = _odds(self.lay, _("Lay odds: {error}"), _("Enter the lay odds"))
        bet = PromotedBet(kind, stake, back, refund, boost)
        return hedged_by_lay(bet, lay, self.commission.value() / 100)

    def is_changed(self) -> bool:
        return False  # there is nothing to lose

    def _lay_out(self) -> None:
        self.add_row(_("&Kind"), self.kind)
        self.add_row(_("&Stake"), self.stake)
        self.add_row(odds_title(_("&Back odds")), self.back)
        self.add_row(odds_title(_("&Lay odds")), self.lay)
        self.add_row(_("&Commission on the lay"), self.commission)
        self._boost_row = self.add_row(_("B&oost"), self.boost)
        self._refund_row = self.add_row(_("&Refund, in cash"), self.refund)
        self.below.addWidget(self.figures)
        self.below.addWidget(self.said)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Close)
        self.buttons.rejected.connect(self.reject)
        self.close_form()

    def _show(self) -> None:
        kind: PromoKind = self.kind.currentData()
        self.form.setRowVisible(self._boost_row, kind is PromoKind.BOOST)
        self.form.setRowVisible(self._refund_row, kind is PromoKind.REFUND)
        try:
            found, problem = self.hedge(), ""
        except ValueError as error:
            found, problem = None, translated(str(error))
        self.figures.fill_facts(_facts(found))
        ends = "" if found is None else _ends_text(found)
        self.said.setText(sentence(problem) if problem else ends)


def _facts(found: HedgedBet | None) -> list[Fact]:
    if found is None:
        return [Fact(title, "–", "") for title in (_("Lay stake"), _("Liability"), _("Locked in"))]
    pct = 100 * found.locked / found.bet.stake
    return [
        Fact(_("Lay stake"), f"{num(found.typed[0]):,.2f}", ""),
        Fact(_("Liability"), f"{num(found.stakes[0]):,.2f}", ""),
        Fact(
            _("Locked in"),
            signed_hundredths_text(found.locked),
            _("{share} % of the stake").format(share=f"{num(pct):.1f}"),
        ),
    ]


def _ends_text(found: HedgedBet) -> str:
    back, lay = map(signed_hundredths_text, (found.if_wins, *found.if_others))
    return _(
        "{back} if the back bet wins, {lay} if the lay wins. Stakes are exact, not rounded."
    ).format(back=back, lay=lay)


def _odds(field: QLineEdit, wrong: str, missing: str) -> float:
    """Return typed odds; ``wrong`` is the message for invalid ones, with an ``{error}``."""
    if not field.text().strip():
        raise ValueError(missing)
    try:
        odds = read_odds(field.text())
    except OddsFormatError as error:
        raise ValueError(wrong.format(error=translated(str(error)))) from None
    if not 1 < odds < math.inf:
        raise ValueError(wrong.format(error=_("expected odds above 1")))
    return odds
