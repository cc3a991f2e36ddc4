"""What can be done with a selected bet: open it, mark it as placed, take that back."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from PySide6 import QtWidgets
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import market_text, selection_text, shown_game
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.opportunities.finder import OpportunityLeg
from oddsdesk.board.opportunities.offers import (
    LegOffer,
    LegsToPlace,
    between_with_placed,
    offer_now,
    stake_at,
    worst_with_placed,
)
from oddsdesk.board.valuation.verdict_words import caution_text
from oddsdesk.desk.bet_cells import bet_named
from oddsdesk.desk.records import Records, above_cap
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.dialogs import Dialog
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.formatting import moment_text
from oddsdesk.desk.ui.price_actions import NOWHERE, open_link, show_link
from oddsdesk.desk.ui.spacing import MARGIN, STEP, vertical
from oddsdesk.desk.value_bets.opportunity_sheet import OpportunitySheet, leg_text, news_of_all
from oddsdesk.desk.value_bets.placing import BetPlacer
from oddsdesk.desk.value_bets.subjects import BetSubject, subject_now, subject_of_price
from oddsdesk.ledger.bets import PlacedBet, counted
from oddsdesk.ledger.games import may_be_on_one_game
from oddsdesk.ledger.open_bets import outcome_named
from oddsdesk.ledger.presets import Hidden, HiddenKind, HiddenThings, bet_key, hidden_until
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.opportunities import OpportunityKind, Split


class BetActions(BetPlacer):
    """Acts on the bet that ``subject`` names at that moment."""

    price_requested = Signal(object)
    """The ``RowKey`` of a price to be shown in its game."""
    target_requested = Signal(object)
    """The ``RowKey`` of a price for which the user sets a target alert."""
    multiple_requested = Signal(object)
    """The ``RowKey`` of a price that becomes a leg of a multiple."""

    def __init__(
        self,
        board: Board,
        records: Records,
        clock: Clock,
        subject: Callable[[], BetSubject | None],
        plan: Callable[[], StakePlan],
        stake_at: Callable[[BetSubject, str, float], float | None],
        owner: QtWidgets.QWidget,
    ) -> None:
        super().__init__(board, records, clock, plan, stake_at, owner)
        self._subject = subject
        self.menu = QtWidgets.QMenu(owner)
        self.open_page = self._action("values.open", self.open_bookmaker)
        self.open_page.setText(NOWHERE + "\t" + _("Enter"))
        self.open_game = self._action("values.game", self._show_game)
        self.menu.addSeparator()
        self.mark = self._action("values.place", self._ask)
        self.multiple = self._action("values.multiple", self._ask_for_multiple)
        self.multiple.setText(_("Add to multiple…"))
        self.undo = self._action("values.take_back", self._take_back)
        self.target = self._action("values.target", self._ask_for_target)
        self.target.setText(_("Alert me when the price reaches…"))
        self.menu.aboutToShow.connect(self.bring_up_to_date)
        self.menu.aboutToHide.connect(self._enable_keys)

    def bring_up_to_date(self) -> None:
        """Enable what makes sense for the bet selected now."""
        subject = self._subject()
        for action in (self.open_game, self.mark, self.multiple, self.target):
            action.setEnabled(subject is not None)
        show_link(self.open_page, None if subject is None else subject.url, "\t" + _("Enter"))
        self.undo.setEnabled(subject is not None and bool(self._placed_on(subject)))

    def _enable_keys(self) -> None:
        """Let the keys work on whatever is selected when they are pressed."""
        of_price = self.open_game, self.mark, self.multiple, self.target
        for action in (*of_price, self.open_page, self.undo):
            action.setEnabled(True)

    def open_bookmaker(self) -> None:
        """Open the bookmaker's page; the game where it has none."""
        subject = self._subject()
        if subject is not None and not open_link(subject.url):
            self.said.emit(
                _("{bookmaker} has no link for this price.").format(bookmaker=subject.key.bookmaker)
            )
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

    def _ask_for_multiple(self) -> None:
        subject = self._subject()
        if subject is not None:
            self.multiple_requested.emit(subject.key)

    def _ask(self) -> None:
        subject = self._subject()
        if subject is not None:
            self.ask_bet(subject)

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
            return _("No bet is recorded on this.")
        last = bet_named(on_outcome[-1])
        return _("No bet is recorded here at {bookmaker}. Bets (Ctrl+L) has {bet}.").format(
            bookmaker=subject.bookmaker, bet=last
        )

    def _placed_on(self, subject: BetSubject) -> list[PlacedBet]:
        placed = [
            bet
            for bet in self._records.placed(subject.bet_key)
            if may_be_on_one_game(bet, subject.kick_off)
        ]
        return list(counted(placed, simulated=subject.is_simulated))


_KINDS: Final = {
    HiddenKind.BET: _("This bet"),
    HiddenKind.GAME: _("This game"),
    HiddenKind.MARKET: _("This market"),
    HiddenKind.BOOKMAKER: _("This bookmaker"),
}
_LEAST_SIZE: Final = (460, 280)


class Hiding(QObject):
    """Hides what ``subject`` names at that moment; ``menu`` gets the actions."""

    said = Signal(str)
    """One line for the message bar."""

    def __init__(
        self,
        records: Records,
        clock: Clock,
        subject: Callable[[], BetSubject | None],
        owner: QtWidgets.QWidget,
        menu: QtWidgets.QMenu,
    ) -> None:
        super().__init__(owner)
        self._records = records
        self._clock = clock
        self._subject = subject
        self._owner = owner
        menu.addSeparator()
        self._for_now = menu.addMenu(_("Hide until tomorrow"))
        self._for_good = menu.addMenu(_("Hide for good"))
        hide = add_action(owner, "values.hide", partial(self.hide, HiddenKind.BET, for_good=False))
        hide.setText(_("This bet"))
        self._for_now.addAction(hide)
        for kind in tuple(_KINDS)[1:]:
            self._offer(self._for_now, kind)
        for kind in _KINDS:
            self._offer(self._for_good, kind)
        self._show = add_action(owner, "values.hidden", self.ask_hidden)
        menu.addAction(self._show)
        menu.aboutToShow.connect(self._on_menu_about_to_show)

    def hide(self, kind: HiddenKind, *, for_good: bool) -> None:
        """Hide the selected bet, or what it is of."""
        subject = self._subject()
        thing = None if subject is None else _thing(kind, subject)
        if thing is None:
            return
        now = self._clock()
        kick_off = None if subject is None else subject.kick_off
        until = hidden_until(kind, kick_off, now, for_good=for_good)
        kept = Hidden(kind, thing.key, thing.title, until)
        self._records.hide(kept, now)
        self.said.emit(
            _("Hidden: {title}. “Hidden bets…” shows it again.").format(title=_shown_title(kept))
        )

    def ask_hidden(self) -> None:
        """Show what is hidden, to be shown again."""
        things = HiddenThings(self._records.hidden, self._clock()).things
        dialog = HiddenDialog(things, self._owner)
        dialog.chosen.connect(self._records.unhide)
        dialog.open()

    def _offer(self, menu: QtWidgets.QMenu, kind: HiddenKind) -> None:
        for_good = menu is self._for_good
        menu.addAction(_KINDS[kind], lambda: self.hide(kind, for_good=for_good))

    def _on_menu_about_to_show(self) -> None:
        subject = self._subject()
        for menu in (self._for_now, self._for_good):
            menu.setEnabled(subject is not None)
        count = len(HiddenThings(self._records.hidden, self._clock()))
        some = _("Hidden bets… ({count})").format(count=count)
        self._show.setText(some if count else _("Hidden bets…"))
        self._show.setEnabled(bool(count))


class HiddenDialog(Dialog):
    """Lists what is hidden; what is ticked is shown again."""

    chosen = Signal(object)
    """A ``Hidden`` that is to be shown again."""

    def __init__(self, things: list[Hidden], parent: QtWidgets.QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(_("Hidden bets"))
        self.setMinimumSize(*_LEAST_SIZE)
        self._things = things
        self.items = QtWidgets.QListWidget()
        self.items.setAccessibleName(_("Hidden bets"))
        for thing in things:
            title = _shown_title(thing)
            text = _("{title}, for good").format(title=title)
            if thing.until is not None:
                text = _("{title}, until {time}").format(title=title, time=moment_text(thing.until))
            item = QtWidgets.QListWidgetItem(text, self.items)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
        show = QtWidgets.QPushButton(_("Show again"))
        show.setProperty("variant", "primary")
        buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(show, QtWidgets.QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.accepted.connect(self._on_accepted)
        whole = vertical(self, margins=(MARGIN, MARGIN, MARGIN, MARGIN), spacing=STEP)
        for part in (Label(_("Tick what to show again.")), self.items):
            whole.addWidget(part)
        whole.addWidget(buttons)

    def _on_accepted(self) -> None:
        for row, thing in enumerate(self._things):
            if self.items.item(row).checkState() is Qt.CheckState.Checked:
                self.chosen.emit(thing)


def _shown_title(thing: Hidden) -> str:
    """Return what is hidden in the language of the window; a bet's title begins with its text."""
    if thing.kind is not HiddenKind.BET:
        return translated(thing.title)
    selection, comma, rest = thing.title.partition(", ")
    return f"{selection_text(selection)}{comma}{rest}"


def _thing(kind: HiddenKind, subject: BetSubject) -> Hidden | None:
    """Return what would be hidden; None where the bet's text cannot be read."""
    game_id, market_type, _, selection, _ = subject.key
    game = shown_game(subject.match_name)
    if kind is HiddenKind.GAME:
        return Hidden(kind, game_id, game)
    if kind is HiddenKind.MARKET:
        return Hidden(kind, market_type, market_text(market_type))
    if kind is HiddenKind.BOOKMAKER:
        return Hidden(kind, subject.bookmaker, subject.bookmaker)
    outcome = outcome_named(
        subject.bet_key, subject.match_name, subject.sport, in_play=subject.is_live
    )
    if outcome is None:
        return None
    return Hidden(kind, bet_key(outcome), f"{selection}, {market_text(market_type)}, {game}")


class LegPlacer(QObject):
    """Asks for bets on legs of an opportunity: one in a dialog, lays and several on a sheet."""

    def __init__(
        self, board: Board, split: Callable[[], Split], placer: BetPlacer, clock: Clock
    ) -> None:
        super().__init__(placer)
        self._board = board
        self._split = split
        self._placer = placer
        self._clock = clock

    def place_legs(self, wanted: LegsToPlace) -> None:
        """Ask for the legs."""
        if len(wanted.places) == 1 and not wanted.listed.legs[wanted.places[0]].is_lay:
            self._ask(wanted)
            return
        sheet = OpportunitySheet(self._board, wanted, self._split(), self._clock)
        if sheet.has_prices:
            self._placer.ask_sheet(sheet)
        else:
            self._placer.said.emit(_NO_PRICE)

    def take_back(self, bet: PlacedBet) -> None:
        """Forget that a leg was placed, unless the bet was changed since."""
        self._placer.take_back(bet)

    def _ask(self, wanted: LegsToPlace) -> None:
        found = subject_of_price(wanted.listed.legs[wanted.places[0]].key, self._board)
        if found is None:
            self._placer.said.emit(_NO_PRICE)
            return
        offer = self._offer(wanted)
        self._placer.ask_bet(
            self._told(found, wanted, offer, offer)._replace(stake=offer.stake),
            look=lambda subject: self._look(subject, wanted, offer),
        )

    def _offer(self, wanted: LegsToPlace) -> LegOffer:
        return offer_now(self._board, wanted, wanted.places[0], self._split())

    def _look(self, subject: BetSubject, wanted: LegsToPlace, asked: LegOffer) -> BetSubject | None:
        """Return what is thought of a leg by now, that was ``asked`` for at an earlier moment."""
        found = subject_now(subject, self._board)
        return None if found is None else self._told(found, wanted, self._offer(wanted), asked)

    def _told(
        self, subject: BetSubject, wanted: LegsToPlace, offer: LegOffer, asked: LegOffer
    ) -> BetSubject:
        place = wanted.places[0]
        subject = subject._replace(
            leg_stake=lambda net: stake_at(self._board, wanted, place, net, self._split()),
            leg_doubt=lambda stake: self._above_sum(wanted, offer, stake),
        )
        if wanted.taken:
            worth = partial(self._worth, wanted)
            subject = subject._replace(leg=_("Completes the legs you placed"), leg_worth=worth)
        news = () if self._board.connection.is_lost else self._news(wanted, offer, asked)
        return subject._replace(news="\n".join(news))

    def _worth(self, wanted: LegsToPlace, stake: float, net_odds: float) -> str:
        """Say what all legs leave at worst once this one is bet on so."""
        place = wanted.places[0]
        left = wanted.after_leg(place, stake, net_odds)
        worst = worst_with_placed(self._board, left, self._split())
        if worst is None:
            return ""
        between = between_with_placed(wanted, place, stake, net_odds)
        is_middle = wanted.listed.kind is OpportunityKind.MIDDLE
        said = _worst_text(worst, is_last=not left.unplaced)
        return said if between is None else f"{said}, {_between_text(between, is_middle=is_middle)}"

    def _above_sum(self, wanted: LegsToPlace, offer: LegOffer, stake: float) -> str:
        """Doubt a stake beyond the sum of all legs, and beyond what would complete them now."""
        already = math.fsum(taken for taken, _odds in wanted.taken)
        if stake <= offer.stake:
            return ""
        warning = (
            _(
                "{amount} on the legs, including recorded bets, is above your limit of {limit}. "
                "Check the stake."
            )
            if already
            else _("{amount} on this leg is above your limit of {limit}. Check the stake.")
        )
        return above_cap(stake + already, warning, self._split().total)

    def _news(self, wanted: LegsToPlace, offer: LegOffer, asked: LegOffer) -> Iterator[str]:
        """Say what is other than it was listed, and than it was when the leg was asked for."""
        reference = self._board.reference_name
        moved = [leg for leg in offer.legs if leg.is_other]
        yield from (leg_text(leg, reference) for leg in moved)
        if not wanted.taken:
            yield from news_of_all(wanted, offer, is_other=bool(moved))
        if 0 < offer.stake != asked.stake:
            yield _("At current prices the stake is {stake:g}.").format(stake=num(offer.stake))
        yield from _doubts(wanted.listed.legs[wanted.places[0]], offer, reference)


_NO_PRICE: Final = _("That price is no longer available.")


def _doubts(own: OpportunityLeg, offer: LegOffer, reference: str) -> Iterator[str]:
    """Say what speaks against the other legs, and not against the own one, which says that."""
    told = {each for leg in offer.legs if leg.listed == own for each in leg.doubts}
    for leg in offer.legs:
        if doubts := [each for each in leg.doubts if each not in told and leg.listed != own]:
            words = "; ".join(caution_text(each, reference) for each in doubts)
            name = leg.listed.named(leg.listed.key.selection)
            yield _("Warning for {selection} at {bookmaker}: {warnings}.").format(
                selection=name, bookmaker=leg.listed.bookmaker, warnings=words
            )


def _worst_text(worst_pct: float, *, is_last: bool) -> str:
    if is_last:
        text = _("worst case {gain} with this stake")
    else:
        text = _("worst case {gain} with this stake and the other legs at current prices")
    return text.format(gain=_gain_text(worst_pct))


def _between_text(gain_pct: float, *, is_middle: bool) -> str:
    text = _("between the lines at least {gain}") if is_middle else _("on a push {gain}")
    return text.format(gain=_gain_text(gain_pct))


def _gain_text(gain_pct: float) -> str:
    gain = round(gain_pct, 2)
    if not gain:
        return _("no gain")
    text = _("a loss of {percent:.2f} %") if gain < 0 else _("a gain of {percent:.2f} %")
    return text.format(percent=num(abs(gain)))
