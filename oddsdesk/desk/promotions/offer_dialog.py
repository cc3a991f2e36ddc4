"""The dialog that describes an offer."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QMenu, QSizePolicy, QToolButton, QWidget

from oddsdesk.base.figures import FigureError, read_stake, read_typed_end
from oddsdesk.base.market_words import market_text
from oddsdesk.base.numbers import typed_number
from oddsdesk.base.texts import _, pgettext, translated
from oddsdesk.contract.competitions import SPORTS, sport_title
from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.desk.promotions.offers import offer_text, terms_of, with_name
from oddsdesk.desk.ui.controls.fields import ChoiceBox, DecimalSpin, date_habit
from oddsdesk.desk.ui.controls.form_dialog import FormDialog, side_by_side
from oddsdesk.desk.ui.controls.labels import Label, literal
from oddsdesk.desk.ui.controls.messages import capitalized, sentence
from oddsdesk.desk.ui.formatting import (
    example_moment,
    odds_title,
    read_odds,
    typed_text,
    typed_time_text,
)
from oddsdesk.desk.ui.theme.theme import Theme, inset
from oddsdesk.pricing.formats import OddsFormatError
from oddsdesk.pricing.promotions import PromoKind, Promotion, problem_of

_WIDTH: Final = 480
_LONGEST_CURRENCY: Final = 3
_MOST_PCT: Final = 1_000.0
_MOST_WAGERING: Final = 100.0
_NEW: Final = Promotion(name="", kind=PromoKind.FREE, bookmaker="", amount=25.0, boost=0.5)


class OfferDialog(FormDialog):
    """Edits one offer; fields that its kind does not have are hidden."""

    def __init__(
        self,
        theme: Theme,
        offer: Promotion | None,
        bookmakers: Iterable[str],
        others: Sequence[Promotion],
        keep: Callable[[Promotion], str],
        now_ms: int,
        parent: QWidget,
        *,
        title: str = "",
    ) -> None:
        """Ask for a new offer, or edit ``offer``.

        Args:
            theme: Colours and sizes.
            offer: The offer to edit, or what a new one is filled in with; None: an empty one.
            bookmakers: Those to choose from; others can be typed.
            others: The other stored offers, so that names stay unique.
            keep: Stores the offer; returns the problem, empty if there is none.
            now_ms: The current time, for reading days.
            parent: The window it opens over.
            title: The window title.
        """
        super().__init__(theme, title or (_("Edit offer") if offer else _("New offer")), parent)
        self.setMinimumWidth(theme.fonts.scaled(_WIDTH))
        self._others, self._keep, self._now_ms = others, keep, now_ms
        held = self._held = _NEW if offer is None else offer
        self.kind = ChoiceBox()
        for kind in PromoKind:
            self.kind.addItem(capitalized(translated(kind.words)), kind)
        self.kind.setCurrentIndex(list(PromoKind).index(held.kind))
        self.bookmaker = ChoiceBox(editable=True)
        self.bookmaker.addItems(sorted({*bookmakers, held.bookmaker} - {""}, key=str.casefold))
        self.bookmaker.setCurrentText(held.bookmaker)
        self.account = QLineEdit(held.account, placeholderText=_("Account"))
        self.amount = QLineEdit("" if offer is None else typed_number(held.amount))
        self.amount.setPlaceholderText("25")
        self.currency = QLineEdit(held.currency, maxLength=_LONGEST_CURRENCY)
        self.currency.setPlaceholderText(_("Currency"))
        self.boost = number_field(100 * held.boost, " %", most=_MOST_PCT, step=5.0)
        self.refund = QLineEdit("" if held.refund is None else typed_number(held.refund))
        self.refund.setPlaceholderText(_("The whole stake"))
        self.refund_as = ChoiceBox()
        self.refund_as.addItem(_("as money"), False)
        self.refund_as.addItem(_("as a free bet"), True)
        self.refund_as.setCurrentIndex(int(held.refund_as_free))
        self.retention = number_field(100 * held.retention, " %", most=100.0, step=5.0)
        self.wagering = number_field(held.wagering, " ×", most=_MOST_WAGERING, step=1.0)
        self.most_stake = QLineEdit(
            "" if held.most_stake is None else typed_number(held.most_stake)
        )
        self.most_stake.setPlaceholderText(_("The bonus"))
        self._odds_text = "" if held.least_odds <= 1 else typed_text(held.least_odds)
        self.odds = QLineEdit(self._odds_text, placeholderText=pgettext("odds", "Any"))
        self.until = QLineEdit(
            typed_time_text(held.until),
            placeholderText=_("Sunday, or {time}").format(time=example_moment()),
        )
        sports = [(each, translated(sport_title(each))) for each in SPORTS]
        self.sports = TickMenu(_("All sports"), _("{count} sports"), sports, held.sports)
        markets = [(each, market_text(each)) for each in MARKET_TYPES]
        self.markets = TickMenu(_("All markets"), _("{count} markets"), markets, held.markets)
        self.name = QLineEdit(held.name, maxLength=80, placeholderText=_("Named by its terms"))
        self.reading = Label(wordWrap=True)
        self.reading.setProperty("variant", "note")
        self.reading.setMinimumHeight(2 * self.reading.fontMetrics().lineSpacing())
        self._lay_out()
        self.mark_unchanged()
        for field in self._lines():
            field.textChanged.connect(self._show)
        for spin in (self.boost, self.retention, self.wagering):
            spin.valueChanged.connect(self._show)
        for menu in (self.sports, self.markets):
            menu.menu().triggered.connect(self._show)
        self.kind.currentIndexChanged.connect(self._show)
        self.refund_as.currentIndexChanged.connect(self._show)
        self.bookmaker.editTextChanged.connect(self._show)
        self._show()

    def values(self) -> object:
        boxes = [each.currentText() for each in (self.kind, self.bookmaker, self.refund_as)]
        spins = [each.value() for each in (self.boost, self.retention, self.wagering)]
        ticked = self.sports.ticked(), self.markets.ticked()
        return [line.text() for line in self._lines()], boxes, spins, ticked

    def offer(self) -> Promotion:
        """Return the offer as typed.

        Raises:
            ValueError: A field makes no sense; says which, and what was expected.
        """
        kind: PromoKind = self.kind.currentData()
        is_boost, is_refund = kind is PromoKind.BOOST, kind is PromoKind.REFUND
        is_bonus = kind is PromoKind.BONUS
        offer = msgspec.structs.replace(
            self._held,
            name=self.name.text().strip(),
            kind=kind,
            bookmaker=self.bookmaker.currentText().strip(),
            account=self.account.text().strip(),
            amount=typed_amount(_("Amount"), self.amount),
            currency=self.currency.text().strip().upper(),
            least_odds=self._least_odds(),
            until=self._until(),
            boost=self.boost.value() / 100 if is_boost else 0.0,
            refund=_optional(_("Refund up to"), self.refund) if is_refund else None,
            refund_as_free=is_refund and bool(self.refund_as.currentData()),
            retention=self.retention.value() / 100,
            wagering=self.wagering.value() if is_bonus else 1.0,
            most_stake=_optional(_("Largest stake"), self.most_stake) if is_bonus else None,
            sports=self.sports.ticked(),
            markets=self.markets.ticked(),
        )
        if not offer.name:
            offer = with_name(offer, self._others)
        if problem := problem_of(offer):
            raise ValueError(translated(problem))
        return offer

    def _lines(self) -> tuple[QLineEdit, ...]:
        return (
            *(self.account, self.amount, self.currency, self.refund, self.most_stake),
            *(self.odds, self.until, self.name),
        )

    def _lay_out(self) -> None:
        self.add_row(_("&Kind"), self.kind)
        self.account.setAccessibleName(_("Account"))
        self.add_row(_("&Bookmaker"), side_by_side(self.bookmaker, self.account))
        self.currency.setAccessibleName(_("Currency"))
        self.add_row(_("&Amount"), side_by_side(self.amount, self.currency))
        self._boost_row = self.add_row(_("B&oost of the winnings"), self.boost)
        self.refund_as.setAccessibleName(_("What comes back"))
        self._refund_row = self.add_row(
            _("&Refund up to"), side_by_side(self.refund, self.refund_as)
        )
        self._worth_row = self.add_row(_("&Free bet is worth"), self.retention)
        self.most_stake.setAccessibleName(_("Largest stake of a bet"))
        wagering = side_by_side(self.wagering, Label(_("stake up to")), self.most_stake)
        self._wagering_row = self.add_row(_("&Wagering"), wagering)
        self.add_row(odds_title(_("Min&imum odds")), self.odds)
        self.add_row(_("&Until"), self.until)
        self.markets.setAccessibleName(_("Markets"))
        self.sports.setAccessibleName(_("Sports"))
        self.add_row(_("&Sports, markets"), side_by_side(self.sports, self.markets))
        self.add_row(_("&Name"), self.name)
        self.below.addWidget(self.reading)
        self.close_with(_("Save offer"), self._on_buttons_accepted)

    def _show(self) -> None:
        """Show the fields of the kind, and how the offer is read; errors are shown on saving."""
        kind: PromoKind = self.kind.currentData()
        is_refund = kind is PromoKind.REFUND
        as_free = is_refund and bool(self.refund_as.currentData())
        for row, is_shown in (
            (self._boost_row, kind is PromoKind.BOOST),
            (self._refund_row, is_refund),
            (self._worth_row, as_free),
            (self._wagering_row, kind is PromoKind.BONUS),
        ):
            self.form.setRowVisible(row, is_shown)
        try:
            offer = self.offer()
        except ValueError:
            self.reading.clear()
        else:
            terms = ", ".join([offer_text(offer), *terms_of(offer, self._now_ms)])
            self.reading.setText(_("Read as: {terms}.").format(terms=terms))

    def _least_odds(self) -> float:
        text = self.odds.text().strip()
        if not text:
            return 1.0
        if text == self._odds_text:
            return self._held.least_odds
        try:
            return read_odds(text)
        except OddsFormatError as error:
            text = _("Minimum odds: {error}").format(error=translated(str(error)))
            raise ValueError(text) from None

    def _until(self) -> int | None:
        text = self.until.text().strip()
        if not text:
            return None
        if text == typed_time_text(self._held.until):
            return self._held.until
        try:
            until = read_typed_end(_("until"), text, self._now_ms, None, date_habit())
        except FigureError as error:
            raise ValueError(translated(str(error))) from None
        if until <= self._now_ms:
            raise ValueError(
                _("until {text!r}: {time} is in the past").format(
                    text=text, time=typed_time_text(until)
                )
            )
        return until

    def _on_buttons_accepted(self) -> None:
        try:
            problem = self._keep(self.offer())
        except ValueError as error:
            problem = str(error)
        if problem:
            self.say_trouble(sentence(translated(problem)))
            return
        self.mark_unchanged()
        self.accept()


class TickMenu(QToolButton):
    """Shows which items of its menu are ticked, or ``none`` if none is.

    ``many`` has the ``{count}`` of those that are too many to be named.
    """

    def __init__(
        self, none: str, many: str, entries: Sequence[tuple[str, str]], ticked: Iterable[str]
    ) -> None:
        super().__init__()
        self._none, self._many = none, many
        menu = QMenu(self)
        wanted = set(ticked)
        for key, text in entries:
            action = menu.addAction(literal(text))
            action.setData(key)
            action.setCheckable(True)
            action.setChecked(key in wanted)
        menu.triggered.connect(self._show)
        self.setMenu(menu)
        self.setProperty("variant", "plain")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._show()

    def ticked(self) -> tuple[str, ...]:
        """Return the keys that are ticked, in the order of the menu."""
        return tuple(each.data() for each in self.menu().actions() if each.isChecked())

    def _show(self) -> None:
        texts = [each.text() for each in self.menu().actions() if each.isChecked()]
        few = ", ".join(texts) if len(texts) <= 2 else self._many.format(count=len(texts))
        self.setText(f"{few or self._none} ▾")


def typed_amount(name: str, field: QLineEdit) -> float:
    """Return the amount in a field.

    Raises:
        ValueError: it is invalid; the message names the field and what was expected.
    """
    try:
        return read_stake(field.text())
    except FigureError as error:
        text = _("{field}: {error}").format(field=name, error=translated(str(error)))
        raise ValueError(text) from None


def _optional(name: str, field: QLineEdit) -> float | None:
    return typed_amount(name, field) if field.text().strip() else None


def number_field(value: float, suffix: str, *, most: float, step: float) -> DecimalSpin:
    """Return a field for a number from 0, which changes with each key."""
    spin = inset(DecimalSpin(decimals=2, least=0.0, most=most, step=step))
    spin.setKeyboardTracking(True)
    spin.setSuffix(suffix)
    spin.setValue(value)
    return spin
