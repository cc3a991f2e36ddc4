"""Fields for the kind of a bet, in the dialogs that record one: only those that the kind needs.

``pays_text`` describes what a bet of any kind pays.
"""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFormLayout, QGridLayout, QLineEdit, QScrollArea, QWidget

from oddsdesk.base.figures import FigureError, read_number, read_typed_amount
from oddsdesk.base.market_words import selection_text, shown_game, typed_selection
from oddsdesk.base.numbers import num, typed_number, with_marks
from oddsdesk.base.texts import _, pgettext, translated
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import side_by_side
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.controls.messages import capitalized
from oddsdesk.desk.ui.formatting import read_odds, typed_text
from oddsdesk.desk.ui.spacing import STEP
from oddsdesk.ledger.bet_kinds import DEFAULT_PLACE_FRACTION, BetKind, BetLeg, profit_by_kind
from oddsdesk.ledger.bets import BadBetError, PlacedBet
from oddsdesk.pricing.formats import OddsFormatError, format_odds
from oddsdesk.pricing.selections import Result

_CENT: Final = 0.005
_MOST_LEGS: Final = 30
_SHOWN_LEGS: Final = 3
_FRACTION: Final = re.compile(r"1 ?/ ?([1-9]\d?)")
_TITLES: Final = {BetKind.LAY: _("Backer's &stake"), BetKind.EACH_WAY: _("&Stake each way")}
_RESULTS: Final = (None, Result.WON, Result.LOST, Result.VOID, Result.HALF_WON, Result.HALF_LOST)


class KindFields(QObject):
    """The chooser of a bet's kind, and the rows that depend on it."""

    changed = Signal()
    """Something was typed or chosen."""

    def __init__(self, held: PlacedBet, kinds: Iterable[BetKind], parent: QWidget) -> None:
        """``held`` fills in the fields; ``kinds`` are the choices."""
        super().__init__(parent)
        self._held = held
        self.box = ChoiceBox()
        for kind in kinds:
            self.box.addItem(capitalized(translated(kind.words)), kind)
        self.box.setCurrentIndex(max(0, self.box.findData(held.kind)))
        unboosted = held.unboosted_odds
        self.unboosted = QLineEdit(typed_text(unboosted) if unboosted else "")
        self.unboosted.setPlaceholderText(_("Optional"))
        self.refund = QLineEdit(typed_number(held.refund) if held.refund else "")
        self.refund.setPlaceholderText(_("The stake"))
        self.refund_as = ChoiceBox()
        for value, title in (("free", _("as a free bet")), ("money", _("as money"))):
            self.refund_as.addItem(title, value)
        self.refund_as.setCurrentIndex(max(0, self.refund_as.findData(held.refund_as)))
        self.refund_as.setAccessibleName(_("Refund as"))
        self.fraction = QLineEdit(fraction_text(held.place_fraction or DEFAULT_PLACE_FRACTION))
        self.places = QLineEdit("" if held.places is None else str(held.places))
        self.places.setPlaceholderText("3")
        self.places.setAccessibleName(_("Places paid"))
        self.legs = LegsTable(held.legs)
        self._rows: dict[BetKind, QWidget] = {}
        self._form: QFormLayout | None = None
        self._stake: QWidget | None = None
        for line in (self.unboosted, self.refund, self.fraction, self.places):
            line.textChanged.connect(self.changed)
        for box in (self.box, self.refund_as):
            box.currentIndexChanged.connect(self.changed)
        self.legs.changed.connect(self.changed)
        self.box.currentIndexChanged.connect(self.show_rows)

    @property
    def kind(self) -> BetKind:
        """The chosen kind."""
        chosen = self.box.currentData()
        return chosen if isinstance(chosen, BetKind) else BetKind.BACK

    def add_rows(self, form: QFormLayout, stake: QWidget) -> None:
        """Add the rows of all kinds to a form; ``stake`` is the form's stake field."""
        self._form, self._stake = form, stake
        refund = side_by_side(self.refund, self.refund_as)
        terms = side_by_side(self.fraction, self.places, Label(pgettext("3 places", "places")))
        self._rows = {
            BetKind.BOOST: self.unboosted,
            BetKind.REFUND: refund,
            BetKind.EACH_WAY: terms,
            BetKind.MULTIPLE: self.legs,
        }
        titles = (
            *(_("Odds &without boost"), _("&Refund if it loses")),
            *(_("Place &terms"), _("Legs")),
        )
        for title, row in zip(titles, self._rows.values(), strict=True):
            name = Label(title)
            target = row.focusProxy() or row
            name.setBuddy(target)
            target.setAccessibleName(title.replace("&", ""))
            form.addRow(name, row)
        self.show_rows()

    def show_rows(self) -> None:
        """Show the rows of the chosen kind only, and name the stake for it."""
        if self._form is None or self._stake is None:
            return
        for kind, row in self._rows.items():
            self._form.setRowVisible(row, kind is self.kind)
        name = self._form.labelForField(self._stake)
        if isinstance(name, Label):
            name.setText(_TITLES.get(self.kind, _("&Stake")))

    def stake_typed(self, stake: float) -> float:
        """Return the whole stake; for each way, twice the typed one."""
        return stake * 2 if self.kind is BetKind.EACH_WAY else stake

    def stake_shown(self) -> float:
        """Return the held stake as it is typed."""
        held = self._held
        return held.stake / 2 if held.kind is BetKind.EACH_WAY else held.stake

    def fields(self, stake: float) -> dict[str, Any]:
        """Return the fields of ``PlacedBet`` that depend on the kind.

        Raises:
            BadBetError: one makes no sense; says which, and what was expected.
        """
        kind, held = self.kind, self._held
        keeps_legs = kind is held.kind and kind is not BetKind.MULTIPLE
        found: dict[str, Any] = {
            "kind": kind,
            "unboosted_odds": None,
            "refund": 0.0,
            "refund_as": "",
            "place_fraction": None,
            "places": None,
            "legs": held.legs if keeps_legs else (),
        }
        match kind:
            case BetKind.BOOST:
                return found | {"unboosted_odds": self._unboosted()}
            case BetKind.REFUND:
                text = self.refund.text().strip()
                amount = _read(read_typed_amount, _("refund"), text) if text else stake
                return found | {"refund": amount, "refund_as": self.refund_as.currentData()}
            case BetKind.EACH_WAY:
                return found | {
                    "place_fraction": _fraction(self.fraction.text()),
                    "places": self._places(),
                }
            case BetKind.MULTIPLE:
                return found | {"legs": self.legs.legs()}
            case _:
                return found

    def _unboosted(self) -> float | None:
        text = self.unboosted.text().strip()
        held = self._held.unboosted_odds
        if not text or (held is not None and text == typed_text(held)):
            return held if text else None
        try:
            return read_odds(text)
        except OddsFormatError as error:
            text = _("odds without boost: {error}").format(error=translated(str(error)))
            raise BadBetError(text) from None

    def _places(self) -> int | None:
        text = self.places.text().strip()
        if text and not text.isdecimal():
            raise BadBetError(
                _("places {text!r}: expected a whole number such as 3").format(text=text)
            )
        return int(text) if text else None


class LegsTable(QScrollArea):
    """The legs of a multiple, one per line; an empty line is added below the last."""

    changed = Signal()

    def __init__(self, legs: Sequence[BetLeg]) -> None:
        super().__init__(widgetResizable=True)
        self._held = tuple(legs)
        self._lines: list[tuple[QLineEdit, QLineEdit, QLineEdit, ChoiceBox]] = []
        page = QWidget()
        self._grid = QGridLayout(page)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(STEP)
        self._grid.setColumnStretch(0, 3)
        self._grid.setColumnStretch(2, 3)
        self._grid.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setWidget(page)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for leg in legs:
            self._add_line(leg)
        while len(self._lines) < max(2, min(_MOST_LEGS, len(legs) + 1)):
            self._add_line(None)
        self.setFocusProxy(self._lines[0][0])
        height = self._lines[0][0].sizeHint().height()
        self.setMinimumHeight(_SHOWN_LEGS * (height + STEP))

    def legs(self) -> tuple[BetLeg, ...]:
        """Return the legs as typed.

        Raises:
            BadBetError: a line makes no sense.
        """
        found = []
        for number, (selection, odds, game, result) in enumerate(self._lines, 1):
            what, price, where = (each.text().strip() for each in (selection, odds, game))
            if what or price or where:
                found.append(self._leg(number, what, price, where, result.currentData()))
        if len(found) < 2:
            raise BadBetError(_("a multiple needs two legs or more, each with its odds"))
        return tuple(found)

    def product(self) -> float | None:
        """Return the odds of all legs together; None if those of one are missing."""
        try:
            return math.prod(leg.odds for leg in self.legs())
        except BadBetError:
            return None

    def _leg(
        self, number: int, selection: str, odds: str, game: str, result: Result | None
    ) -> BetLeg:
        if not selection:
            raise BadBetError(_("leg {number}: enter a selection").format(number=number))
        held = self._held[number - 1] if number <= len(self._held) else None
        is_held = held is not None and selection in (held.selection, selection_text(held.selection))
        if held is None or not is_held or held.match_name != game:
            held = BetLeg(selection=typed_selection(selection), match_name=game, odds=0.0)
        try:
            price = held.odds if odds == typed_text(held.odds) else read_odds(odds)
        except OddsFormatError as error:
            why = translated(str(error))
            raise BadBetError(
                _("leg {number}, odds: {error}").format(number=number, error=why)
            ) from None
        by = held.settled_by if result is held.result else ""
        return replace(held, odds=price, result=result, settled_by=by)

    def _add_line(self, leg: BetLeg | None) -> None:
        number = len(self._lines) + 1
        selection = QLineEdit(
            "" if leg is None else selection_text(leg.selection), placeholderText=_("Selection")
        )
        odds = QLineEdit("" if leg is None else typed_text(leg.odds), placeholderText=_("Odds"))
        game = QLineEdit("" if leg is None else leg.match_name, placeholderText=_("Game"))
        result = ChoiceBox()
        for each in _RESULTS:
            result.addItem(
                pgettext("bet", "open") if each is None else translated(each.words), each
            )
        result.setCurrentIndex(0 if leg is None else max(0, result.findData(leg.result)))
        line = (selection, odds, game, result)
        names = (
            *(_("Leg {number}, selection"), _("Leg {number}, odds")),
            *(_("Leg {number}, game"), _("Leg {number}, result")),
        )
        odds.setFixedWidth(odds.fontMetrics().horizontalAdvance("+10000.00") + 2 * STEP)
        for place, (widget, name) in enumerate(zip(line, names, strict=True)):
            widget.setAccessibleName(name.format(number=number))
            self._grid.addWidget(widget, number, place)
        for field in (selection, odds, game):
            field.textChanged.connect(self._on_typed)
        result.currentIndexChanged.connect(self.changed)
        if self._lines:
            QWidget.setTabOrder(self._lines[-1][3], selection)
        for one, next_one in itertools.pairwise(line):
            QWidget.setTabOrder(one, next_one)
        self._lines.append(line)

    def _on_typed(self) -> None:
        if self._lines[-1][0].text() and len(self._lines) < _MOST_LEGS:
            self._add_line(None)
        self.changed.emit()


def fraction_text(share: float) -> str:
    """Return place terms as usually written: ``1/5``, else ``0.22``."""
    parts = round(1 / share)
    return f"1/{parts}" if abs(1 / parts - share) < 1e-6 else typed_number(share)


def _fraction(text: str) -> float:
    plain = text.strip()
    if found := _FRACTION.fullmatch(plain):
        return 1 / int(found[1])
    share = _read(read_number, _("place terms"), plain.rstrip("% "))
    return share / 100 if plain.endswith("%") else share


def _read(read: Callable[[str, str], float], name: str, text: str) -> float:
    try:
        return read(name, text)
    except FigureError as error:
        raise BadBetError(translated(str(error))) from None


def pays_text(bet: PlacedBet) -> str:
    """Return what a bet wins and loses: ``Wins 71.53, loses 328.47``."""
    terms, size = bet.terms, bet.size
    won = profit_by_kind(terms, Result.WON, size)
    said = [_("Wins {amount}").format(amount=_money(won))]
    if bet.kind is BetKind.EACH_WAY:
        placed = profit_by_kind(terms, Result.PLACED, size)
        text = _("wins {amount} if placed") if placed >= 0 else _("loses {amount} if placed")
        said.append(text.format(amount=_money(abs(placed))))
    lost = -profit_by_kind(terms._replace(legs=()), Result.LOST, size)
    back = min(bet.refund, size)
    is_refunded = bet.kind is BetKind.REFUND and bet.refund_as != "free"
    said.append(_loses(lost, back if is_refunded else 0.0, is_lay=bet.kind is BetKind.LAY))
    match bet.kind:
        case BetKind.REFUND if bet.refund_as == "free":
            said.append(_("and {amount} comes back as a free bet").format(amount=_money(back)))
        case BetKind.BOOST if bet.unboosted_odds is not None:
            added = _money(size * (bet.odds - bet.unboosted_odds))
            said.append(_("the boost adds {amount}").format(amount=added))
    return ", ".join(said)


def _loses(lost: float, refund: float, *, is_lay: bool) -> str:
    if lost <= _CENT:
        text = _("loses nothing after a refund of {refund}") if refund else _("loses nothing")
    elif is_lay:
        text = _("loses {amount} (the liability)")
    elif refund:
        text = _("loses {amount} after a refund of {refund}")
    else:
        text = _("loses {amount}")
    return text.format(amount=_money(lost), refund=_money(refund))


def _money(amount: float) -> str:
    return f"{num(amount):,.2f}"


def legs_text(bet: PlacedBet) -> str:
    """Return the legs of a bet, one a line; empty without legs."""
    return "\n".join(
        ", ".join(
            filter(
                None,
                (
                    f"{selection_text(leg.selection)} {with_marks(format_odds(leg.odds))}",
                    shown_game(leg.match_name),
                    "" if leg.result is None else translated(leg.result.words),
                ),
            )
        )
        for leg in bet.legs
    )
