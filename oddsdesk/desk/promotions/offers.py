"""The user's offers: storage, texts and list."""

import math
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import msgspec
from PySide6.QtCore import QObject, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import market_text
from oddsdesk.base.numbers import num
from oddsdesk.base.places import NoHomeError
from oddsdesk.base.texts import N_, _, ngettext, pgettext, translated
from oddsdesk.contract.competitions import sport_title
from oddsdesk.contract.texts import folded
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.formatting import (
    exact_odds_text,
    kick_off_text,
    moment_text,
    signed_hundredths_text,
    today_sample,
)
from oddsdesk.desk.ui.table.cells import Align, Cell, Column, ColumnSpec, Exported, Kind, Priority
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.own_tables import OwnTableError
from oddsdesk.ledger.promotions import (
    Earned,
    earned,
    known_promotions,
    promo_in,
    promotion_named,
    promotions_file,
    remove_promotion,
    save_promotion,
    use_promotion,
)
from oddsdesk.pricing.promotions import PromoKind, Promotion
from oddsdesk.pricing.selections import Result

_NEVER: Final = 1 << 62


class Offers(QObject):
    """The stored offers; marks one as used once a bet is made with it, and undoes that.

    A bet belongs to an offer by its note. A bonus is used once its whole wagering is staked.
    """

    changed = Signal()
    failed = Signal(str)
    """Why the file cannot be read or written, in one line."""
    refund_due = Signal(object, object)
    """A refund bet that lost, and its free bet as a ``Promotion``."""
    void_found = Signal(object, object)
    """A free bet that was void, and its ``Promotion``, which is marked as used."""

    def __init__(self, records: Records, layout: Layout, clock: Clock) -> None:
        super().__init__()
        self._records = records
        self._clock = clock
        self.offers: list[Promotion] = []
        self._stamp: tuple[int, int] | None = None
        """The time and size of the file when it was read."""
        self._problem = ""
        self._bets: dict[str, list[PlacedBet]] = {}
        """The bets with each offer, by its folded name."""
        self._with_bets: dict[str, bool] | None = None
        """By offer with a bet, folded: whether its bets use it up; None before bets are read."""
        self._answered = Saved(layout, "promotions/refunds", list[int], [])
        """The numbers of lost refund bets that the user has already been asked about."""
        self._asked: int | None = None
        """The number of the bet being asked about."""
        records.bets_changed.connect(self._on_records_bets_changed)
        self.read_again()
        self._take_bets()

    def stop_listening(self) -> None:
        """Stop listening to the records."""
        self._records.bets_changed.disconnect(self._on_records_bets_changed)

    def read_again(self) -> None:
        """Read the file if another program changed it."""
        stamp = _stamp()
        if stamp == self._stamp and stamp is not None:
            return
        self._stamp = stamp
        known = known_promotions()
        problem = known.problems[0] if known.problems else ""
        if problem and problem != self._problem:
            self.failed.emit(translated(problem))
        self._problem = problem
        if known.promotions != self.offers:
            self.offers = known.promotions
            self.changed.emit()

    def offer_named(self, name: str) -> Promotion | None:
        """Return an offer; None if there is none of that name."""
        return promotion_named(self.offers, name)

    def save_offer(self, offer: Promotion, instead_of: str = "") -> str:
        """Store an offer; return the problem, empty if there is none."""
        try:
            save_promotion(offer, instead_of=instead_of)
        except (OwnTableError, NoHomeError) as error:
            return translated(str(error))
        self.read_again()
        return ""

    def remove_offer(self, name: str) -> None:
        """Remove an offer; its bets stay."""
        try:
            remove_promotion(name)
        except (OwnTableError, NoHomeError) as error:
            self.failed.emit(translated(str(error)))
        self.read_again()

    def mark_offer(self, name: str, *, is_used: bool) -> None:
        """Mark an offer as used now, or as not used."""
        try:
            use_promotion(name, self._clock() if is_used else None)
        except (OwnTableError, NoHomeError) as error:
            self.failed.emit(translated(str(error)))
        self.read_again()

    def earned_with(self, offer: Promotion) -> Earned:
        """Return the totals of the bets with an offer."""
        bets, now = self._bets.get(folded(offer.name), ()), self._clock()
        return earned(bets, offer.name, lambda mixed: self._records.in_main(mixed, now))

    def answer_refund(self, bet: PlacedBet) -> None:
        """Do not ask about a refund again."""
        if bet.ident is not None:
            self._answered.keep_value([*self._answered.get_value(), bet.ident])
        self.ask_about_refunds()

    def take_free_bet_back(self, bet: PlacedBet, offer: Promotion) -> None:
        """Mark the offer of a void free bet as not used."""
        self.mark_offer(offer.name, is_used=False)
        self.answer_refund(bet)

    def _on_records_bets_changed(self) -> None:
        self._take_bets()
        self.ask_about_refunds()
        self.changed.emit()

    def _take_bets(self) -> None:
        """Take the bets with each offer, and mark offers that they use or no longer use."""
        if not self._records.has_read_bets:
            return
        held, self._bets = self._bets, {}
        for bet in self._records.placed_bets():
            if bet.note and (name := promo_in(bet.note)):
                self._bets.setdefault(folded(name), []).append(bet)
        before, now = self._with_bets, _with_bets(self.offers, self._bets)
        self._with_bets = now
        if before is not None:
            for offer in tuple(self.offers):
                name = folded(offer.name)
                was, is_up = before.get(name, False), now.get(name, False)
                left = {bet.ident for bet in self._bets.get(name, ())}
                is_less = any(bet.ident not in left for bet in held.get(name, ()))
                if was != is_up and is_up is (offer.used_at is None) and (is_up or is_less):
                    self.mark_offer(offer.name, is_used=is_up)

    def ask_about_refunds(self) -> None:
        """Ask about the first refund or void free bet that was not asked about yet."""
        answered = {*self._answered.get_value(), self._asked}
        for bet in self._records.placed_bets():
            if is_refund_due(bet) and bet.ident not in answered:
                self._asked = bet.ident
                self.refund_due.emit(bet, refund_offer(bet, self.offers))
                return
            if is_void_free(bet) and bet.ident not in answered:
                offer = self.offer_named(promo_in(bet.note))
                if offer is not None and offer.used_at is not None:
                    self._asked = bet.ident
                    self.void_found.emit(bet, offer)
                    return


def _with_bets(
    offers: Iterable[Promotion], bets: Mapping[str, Iterable[PlacedBet]]
) -> dict[str, bool]:
    """Return by an offer's folded name whether its bets use it up."""
    by_name = {folded(offer.name): offer for offer in offers}
    found = dict[str, bool]()
    for name, placed in bets.items():
        offer = by_name.get(name)
        if offer is None:
            found[name] = True
        elif offer.kind is not PromoKind.BONUS:
            promoted = [bet for bet in placed if offer.is_at(bet.bookmaker)] or placed
            found[name] = any(bet.result is not Result.VOID for bet in promoted)
        else:
            there = [bet.stake for bet in placed if offer.is_at(bet.bookmaker)]
            found[name] = math.fsum(there) >= offer.turnover
    return found


def _stamp() -> tuple[int, int] | None:
    try:
        found = promotions_file().stat()
    except (OSError, NoHomeError):
        return None
    return found.st_mtime_ns, found.st_size


def is_refund_due(bet: PlacedBet) -> bool:
    """Whether a bookmaker owes a free bet for this lost bet."""
    return (
        bet.kind is BetKind.REFUND
        and bet.refund_as == "free"
        and bet.result is Result.LOST
        and not bet.practice
    )


def is_void_free(bet: PlacedBet) -> bool:
    """Whether a bookmaker may give this free bet back, as it was void."""
    return bet.kind.is_free and bet.result is Result.VOID and not bet.practice


def refund_offer(bet: PlacedBet, offers: Iterable[Promotion]) -> Promotion:
    """Return the free bet that a lost refund bet earns, as an offer to be completed."""
    amount = min(bet.stake, bet.refund) if bet.refund else bet.stake
    like = promotion_named(offers, promo_in(bet.note))
    offer = Promotion(
        name="",
        kind=PromoKind.FREE,
        bookmaker=bet.bookmaker,
        amount=amount,
        account=bet.account,
        currency=bet.currency,
        sports=() if like is None else like.sports,
        markets=() if like is None else like.markets,
    )
    return with_name(offer, offers)


def with_name(offer: Promotion, others: Iterable[Promotion]) -> Promotion:
    """Return an offer with a unique name from its terms: ``Free bet 25 Bet365``."""
    what = offer_text(offer)
    wanted = f"{what} {offer.bookmaker}".replace(";", ",").strip()
    taken = {folded(each.name) for each in others}
    names = (wanted if number == 1 else f"{wanted} ({number})" for number in range(1, 1_000))
    name = next(name for name in names if folded(name) not in taken)
    return msgspec.structs.replace(offer, name=name)


def offer_text(offer: Promotion) -> str:
    """Return its terms in few words: ``Free bet 25``, ``Boost 50 % on a stake of up to 10``."""
    amount = f"{num(offer.amount):,.12g}{f' {offer.currency}' if offer.currency else ''}"
    match offer.kind:
        case PromoKind.FREE:
            return _("Free bet {amount}").format(amount=amount)
        case PromoKind.FREE_RETURNED:
            return _("Free bet {amount}, stake returned").format(amount=amount)
        case PromoKind.BOOST:
            return _("Boost {boost} % on a stake of up to {amount}").format(
                boost=f"{num(100 * offer.boost):g}", amount=amount
            )
        case PromoKind.REFUND:
            if offer.refund is None or offer.refund >= offer.amount:
                return _("Refund of {amount}").format(amount=amount)
            return _("Refund {refund} of {amount}").format(
                refund=f"{num(offer.refund):,g}", amount=amount
            )
        case PromoKind.BONUS:
            return _("Bonus {amount}, {times}×").format(
                amount=amount, times=f"{num(offer.wagering):g}"
            )
    return _("Qualifying bet {amount}").format(amount=amount)


def terms_of(offer: Promotion, now_ms: int) -> list[str]:
    """Return the terms of an offer, each in words."""
    account = f" ({offer.account})" if offer.account else ""
    said = [_("at {bookmaker}").format(bookmaker=f"{offer.bookmaker}{account}")]
    if offer.least_odds > 1:
        said.append(_("odds {odds} or more").format(odds=exact_odds_text(offer.least_odds)))
    if offer.until is not None:
        time = kick_off_text(offer.until, now_ms, within_sentence=True)
        said.append(_("until {time}").format(time=time))
    if offer.kind is PromoKind.REFUND:
        text = (
            _("refund as free bet, counted at {share} %")
            if offer.refund_as_free
            else _("refund as money")
        )
        said.append(text.format(share=f"{num(100 * offer.retention):g}"))
    if offer.kind is PromoKind.BONUS:
        said.append(
            _("{turnover} to stake, {stake} a bet").format(
                turnover=f"{num(offer.turnover):,g}", stake=f"{num(offer.stake):g}"
            )
        )
    said += (
        [", ".join(translated(sport_title(each)) for each in offer.sports)] if offer.sports else []
    )
    said += [", ".join(map(market_text, offer.markets))] if offer.markets else []
    return said


def state_text(offer: Promotion, now_ms: int) -> str:
    """Return when an offer ends, or that it is used or expired."""
    if offer.used_at is not None:
        return pgettext("offer", "used")
    if offer.until is None:
        return ""
    return (
        pgettext("offer", "expired")
        if offer.is_over(now_ms)
        else kick_off_text(offer.until, now_ms)
    )


class OfferRow(NamedTuple):
    """An offer in the list."""

    offer: Promotion
    is_over: bool
    place: int
    """Its position in the file."""
    earned: Earned

    @property
    def ink(self) -> TextRole:
        """Soft if it can no longer be used."""
        return TextRole.NOTE if self.is_over else TextRole.STRONG


def offer_rows(offers: Offers, now_ms: int) -> dict[tuple[str], OfferRow]:
    """Return a row for each offer."""
    return {
        (offer.name,): OfferRow(offer, offer.is_over(now_ms), place, offers.earned_with(offer))
        for place, offer in enumerate(offers.offers)
    }


class OffersModel(StableRowsModel[tuple[str], OfferRow]):
    """The offers: open ones first, soonest to expire on top, then those that are over."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(OFFER_COLUMNS, 1, clock)

    def tip(self, row: int, column: int) -> str:
        shown, now = self.entry(row), self._clock()
        offer, sums = shown.offer, shown.earned
        said = [offer.name, offer_text(offer), *terms_of(offer, now)]
        if offer.used_at is not None:
            said.append(_("used {time}").format(time=moment_text(offer.used_at)))
        if sums.bets:
            bets = ngettext("{count} bet", "{count} bets", sums.bets).format(count=sums.bets)
            text = (
                _("{bets}, {open} open, profit {profit}")
                if sums.open
                else _("{bets}, profit {profit}")
            )
            profit = signed_hundredths_text(sums.profit)
            said.append(text.format(bets=bets, open=sums.open, profit=profit))
        return "\n".join(said)


def _until(row: OfferRow, now_ms: int) -> Cell:
    until = row.offer.until
    at = until if until is not None and not row.is_over else _NEVER
    return Cell(state_text(row.offer, now_ms), row.ink, repaint_at_ms=min(at, now_ms + MINUTE_MS))


def _when(row: OfferRow) -> tuple[bool, int, int]:
    until = _NEVER if row.offer.until is None else row.offer.until
    return row.is_over, -until if row.is_over else until, row.place


def _earned(row: OfferRow, _now: int) -> Cell:
    sums = row.earned
    if sums.bets == sums.open:
        return Cell("", TextRole.NOTE)
    return Cell(signed_hundredths_text(sums.profit), TextRole.SOFT)


OFFER_COLUMNS: Final[tuple[ColumnSpec[OfferRow, int], ...]] = (
    ColumnSpec(
        "offer",
        N_("Offer"),
        Column(
            _("Free bet {amount}, stake returned").format(amount=25)[:21],
            Align.LEFT,
            stretches=True,
            likes="Boost 50 % on a stake of up to 10 Unibet",
            widest="Free bet 100, stake returned Betfair Sportsbook",
            narrow=_("Free bet {amount}").format(amount=25),
        ),
        lambda row, _now: Cell(
            offer_text(row.offer), row.ink, note=row.offer.bookmaker, is_strong=not row.is_over
        ),
        lambda row: (offer_text(row.offer), row.place),
        exports=(
            Exported("name", "Name", lambda row: row.offer.name),
            Exported("kind", "Kind", lambda row: row.offer.kind.value),
            Exported("bookmaker", "Bookmaker", lambda row: row.offer.bookmaker),
            Exported("amount", "Amount", lambda row: row.offer.amount, Kind.NUMBER, 2),
        ),
        tip=_("Your offers; used and expired ones come last"),
    ),
    ColumnSpec(
        "until",
        N_("Until"),
        Column(today_sample(), Align.LEFT),
        _until,
        _when,
        kind=Kind.TIME,
        exports=(),
        tip=_("When the offer ends"),
        priority=Priority.IMPORTANT,
        sample=today_sample,
    ),
    ColumnSpec(
        "earned",
        N_("Earned"),
        Column("+100.00"),
        _earned,
        lambda row: row.earned.profit,
        kind=Kind.NUMBER,
        decimals=2,
        descending_first=True,
        tip=_("Profit of the settled bets with the offer, hedges included"),
        priority=Priority.EXTRA,
    ),
)
