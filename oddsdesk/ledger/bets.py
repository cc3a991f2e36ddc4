"""Placed bets: what was bet, how it was valued at that moment, and how it ended."""

import math
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Final

import msgspec

from oddsdesk.base.figures import TOO_MUCH
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import N_, _, translated
from oddsdesk.contract.markets import HANDICAPS, TOTALS
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bet_kinds import (
    BetKind,
    BetLeg,
    Terms,
    ev_by_kind,
    legs_as_if_won,
    profit_by_kind,
    result_of_legs,
)
from oddsdesk.pricing.closing import MOST_AGE_MS, ClosingLine
from oddsdesk.pricing.reports import Chance, SettledBet
from oddsdesk.pricing.selections import Result, clv_pct, decided_share, profit_of, read_selection
from oddsdesk.pricing.stakes import net_lay_odds
from oddsdesk.pricing.value import can_push, expected_value, floored_ev

_MOST_PERIODS: Final = 100
_MOST_PLACES: Final = 100
_PROMOTED: Final = (BetKind.FREE, BetKind.FREE_RETURNED, BetKind.REFUND)
"""Kinds whose EV is not that of their price."""
_NO_EV: Final = 1e-6
"""In percent: from less than this no share can be worked out."""

BetKey = tuple[str, str, int, str, str]
"""Game id, market type, period, selection, bookmaker."""


class PlacedBet(msgspec.Struct, frozen=True):
    """A bet that the user placed, with its valuation at that time.

    Times in milliseconds, EV in percent. Odds, stake, currency and bookmaker are as typed.
    """

    game_id: str
    match_name: str
    competition: str
    sport: str
    market_type: str
    period: int
    selection: str
    bookmaker: str
    odds: float
    stake: float
    placed_at: int
    kick_off: int | None = None
    fair_odds: float | None = None
    true_ev: float | None = None
    """``ev_pct`` of JSON and files: EV of the price after commission, with the safety floor,
    whatever the kind of bet. People see ``ev``. Ledgers before version 2 hold the EV before
    commission. Imported bets without fair odds hold the other program's EV."""
    per: str = ""
    """Unit of ``true_ev``: ``staked`` or ``decided``, as in ``Assessment.per``; empty if that was
    not recorded."""
    method: str = ""
    """Devig method behind ``fair_odds``; empty if there are none."""
    reference: str = ""
    """The sharp book behind ``fair_odds``; empty if not recorded, which means the service's
    own."""
    derived: str = ""
    """How ``fair_odds`` were derived from other lines, ``implied`` or ``modelled``; empty if the
    sharp book priced the line itself, or if that was not recorded."""
    net_odds: float | None = None
    """Odds after commission, tax and fees, by the bookmaker's profile at that time."""
    currency: str = ""
    """Currency of the stake; empty for the user's own."""
    age_ms: int | None = None
    """Age of the price when the bet was placed; None if unknown."""
    cautions: tuple[str, ...] = ()
    """Warnings on the price, as named in ``pricing.assessment.Caution``."""
    account: str = ""
    """The user's account at the bookmaker, in the user's words."""
    note: str = ""
    preset: str = ""
    """The preset that listed it; empty if none did."""
    practice: bool = False
    """Whether the price was simulated, so no money is on it. See ``counted``."""
    leg: bool = False
    """Whether it was recorded as a leg of an opportunity, to be completed by other bets."""
    result: Result | None = None
    """None while it is open."""
    settled_at: int | None = None
    """When its result was recorded."""
    settled_by: str = ""
    """Source and score of a bet that settled by itself: ``football-data 2-1``; else empty."""
    undone: str = ""
    """The automatic settlement that the user took back, ``won by football-data 2-1``. The same
    result does not settle the bet by itself again."""
    cashed_stake: float = 0.0
    """Part of ``size`` that was cashed out; all of it once the bet is cashed out."""
    cashed_back: float = 0.0
    """Amount paid for that part."""
    close: ClosingLine | None = None
    """None until it was looked for."""
    kind: BetKind = BetKind.BACK
    """For a lay, ``odds`` and ``stake`` are the backer's; ``result``, ``net_odds``, ``fair_odds``
    and ``close`` are the user's: of the other side."""
    unboosted_odds: float | None = None
    """The price of a boosted bet without the promotion; None if unknown."""
    refund: float = 0.0
    """The most that comes back if a refund bet loses."""
    refund_as: str = ""
    """``money`` or ``free`` bet; only money counts as profit of this bet. Empty: no refund."""
    place_fraction: float | None = None
    """For each-way bets: the share of the winnings that a place pays, such as 0.2."""
    places: int | None = None
    """For each-way bets: how many places are paid; None if unknown."""
    legs: tuple[BetLeg, ...] = ()
    """The legs, if it is a multiple of any kind. ``kick_off`` is then that of the last leg, and
    ``game_id`` is empty."""
    source_id: str = ""
    """The bet's number at the bookmaker where it was read: ``betfair 123456``; else empty."""
    ident: int | None = None
    """Number in the ledger, given when the bet is recorded."""

    @property
    def is_in_play(self) -> bool:
        """Whether it was placed in play. Lists may have only the day of both times: then not."""
        return self.kick_off is not None and self.placed_at > self.kick_off

    @property
    def bet_key(self) -> BetKey:
        """The outcome and the bookmaker of the bet."""
        return (self.game_id, self.market_type, self.period, self.selection, self.bookmaker)

    @property
    def outcome(self) -> tuple[str, str, int, str]:
        """The outcome of the bet, at any bookmaker."""
        return self.bet_key[:4]

    @property
    def side(self) -> tuple[tuple[str, str, int, str], bool]:
        """Its outcome, and whether it is a lay of that."""
        return self.outcome, self.kind is BetKind.LAY

    def backs(self, key: BetKey) -> bool:
        """Return whether it wins with this outcome, spelled alike."""
        return self.side == (key[:4], False)

    @property
    def net(self) -> float:
        """Odds after commission, as far as known; for a lay, per unit of its liability."""
        if self.net_odds is not None:
            return self.net_odds
        return net_lay_odds(self.odds, 0.0) if self.kind is BetKind.LAY else self.odds

    @property
    def unboosted_net(self) -> float:
        """``net`` as it would be without a boost."""
        if self.unboosted_odds is None:
            return self.net
        return 1 + (self.net - 1) * (self.unboosted_odds - 1) / (self.odds - 1)

    @property
    def size(self) -> float:
        """What ``net`` multiplies: the liability of a lay bet, the stake of others."""
        return self.stake * (self.odds - 1) if self.kind is BetKind.LAY else self.stake

    @property
    def liability(self) -> float | None:
        """What a lay bet loses if the selection wins; None for other kinds."""
        return self.size if self.kind is BetKind.LAY else None

    @property
    def staked(self) -> float:
        """The user's money that was at risk: 0 for a free bet, the liability of a lay bet."""
        return 0.0 if self.kind.is_free else self.size

    @property
    def free_staked(self) -> float:
        """The size of a free bet, else 0."""
        return self.stake if self.kind.is_free else 0.0

    @property
    def open_stake(self) -> float:
        """Money still at risk; 0 once settled."""
        if self.result is not None or self.kind.is_free:
            return 0.0
        return self.size - self.cashed_stake

    @property
    def open_size(self) -> float:
        """The part of the size that is not settled: ``open_stake``, and for free bets theirs."""
        return 0.0 if self.result is not None else self.size - self.cashed_stake

    @property
    def loss(self) -> float:
        """What it can still lose: ``open_stake``, less what a refund would pay back."""
        if self.result is not None or self.kind is not BetKind.REFUND:
            return self.open_stake
        return -profit_by_kind(self.terms._replace(legs=()), Result.LOST, self.open_size)

    @property
    def gain(self) -> float:
        """What it can still win; 0 once settled."""
        if self.result is not None:
            return 0.0
        return max(0.0, profit_by_kind(self.terms, Result.WON, self.open_size))

    @property
    def terms(self) -> Terms:
        """What decides how it pays."""
        refund = self.refund if self.refund_as == "money" else 0.0
        return Terms(self.kind, self.net, refund, self.place_fraction, self.legs)

    @property
    def profit(self) -> float | None:
        """Profit after commission; None while open."""
        if self.result is None:
            return None
        return self._decided_profit(self.result) + self.cash_out_profit

    @property
    def cash_out_profit(self) -> float:
        """Profit of the part that was cashed out, whatever becomes of the rest."""
        return self.cashed_back - (0.0 if self.kind.is_free else self.cashed_stake)

    @property
    def fair(self) -> float | None:
        """Fair odds when it was placed; of legs in different games the product of theirs."""
        if self.fair_odds is not None or not self.legs:
            return self.fair_odds
        games = [game for leg in self.legs for game in {leg.game_id, leg.match_name} if game]
        fairs = [leg.fair_odds for leg in self.legs if leg.fair_odds is not None]
        is_known = len(fairs) == len(self.legs) and len(games) == len(set(games))
        return math.prod(fairs) if is_known else None

    @property
    def ev(self) -> float | None:
        """The EV in percent of ``size`` when it was placed, as its kind pays.

        Of a plain bet net odds over fair odds, minus 1. It is worked out from what was recorded, so
        it compares with ``clv_pct``, whichever version recorded it. Without fair odds it follows
        from what another program stated. None for each-way bets with fair odds, which say nothing
        about a place.
        """
        return self.ev_at(self.net)

    def ev_at(self, net_odds: float) -> float | None:
        """Return what ``ev`` would be at other net odds."""
        fair = self.fair
        if fair is None:
            return self._by_kind(self.true_ev if net_odds == self.net else None, net_odds)
        if self.kind is BetKind.EACH_WAY or (self.true_ev is None and not self.legs):
            return None
        return self._by_kind(expected_value(net_odds, fair, self._share_then), net_odds)

    def _by_kind(self, of_price: float | None, net_odds: float) -> float | None:
        """Return the EV of the bet from that of its price; both in percent."""
        if of_price is None or self.kind not in _PROMOTED:
            return of_price
        terms = self.terms._replace(net_odds=net_odds)
        return ev_by_kind(terms, of_price / 100, self._share_then, self.size) * 100

    def ev_pct_at(self, net_odds: float) -> float | None:
        """Return what ``true_ev`` would be at other net odds."""
        if self.true_ev is None or self.fair_odds is None:
            return None
        return floored_ev(net_odds, self.fair_odds, self.market_type, self._share_then)

    @property
    def decided_then(self) -> float | None:
        """The share of the stake that was thought to be decided on average; None if unknown."""
        is_known = self.per == "staked" or (self.fair_odds is not None and not self._may_push)
        return self._share_then if is_known else None

    @property
    def _share_then(self) -> float:
        """The share of the stake that was thought to be won or lost on average; 1 if unknown.

        It is not recorded by itself. Where the EV is of a unit staked, it is ``true_ev`` over the
        figure of a decided unit.
        """
        if self.per != "staked" or self.true_ev is None or self.fair_odds is None:
            return 1.0
        whole = floored_ev(self.net, self.fair_odds, self.market_type)
        if abs(whole) < _NO_EV or not self._may_push:
            return 1.0
        return min(1.0, max(0.0, self.true_ev / whole))

    @property
    def _may_push(self) -> bool:
        read = read_selection(self.market_type, self.match_name, self.selection)
        return read is None or can_push(self.market_type, read.line)

    @property
    def expected(self) -> float | None:
        """Expected profit by the EV at placing; None if unknown.

        If the EV is per decided unit, it needs the result: None while open.
        """
        return self._promised(self.ev)

    @property
    def floored_expected(self) -> float | None:
        """The same with the safety floor: ``expected`` of JSON."""
        if self.true_ev is None:
            return self.expected
        if self.kind is BetKind.EACH_WAY and self.fair_odds is not None:
            return None
        return self._promised(self._by_kind(self.true_ev, self.net))

    def _promised(self, ev: float | None) -> float | None:
        if ev is None or (self._of_decided and self.result is None):
            return None
        share = self._decided if self._of_decided else 1.0
        return self.size * share * ev / 100

    @property
    def has_others_close(self) -> bool:
        """Whether the recorded close is another game's: it was seen far from the kick-off.

        Earlier versions searched for a close by competition and names only. For a multiple,
        the close of any of its legs.
        """
        if any(leg.close for leg in self.legs):
            return any(_is_far(leg.close, leg.kick_off) for leg in self.legs)
        return _is_far(self.close, self.kick_off)

    @property
    def clv_pct(self) -> float | None:
        """Odds after commission over the fair closing odds, in percent of ``clv_per``.

        It measures the price only: for a free or refund bet, that of a plain bet; for an each-way
        bet, that of the win. None without a close of the bet's own game.
        """
        close = self.close
        if close is None or close.fair_odds is None or self.has_others_close:
            return None
        return clv_pct(self.net, close.fair_odds, 1.0 if close.decided is None else close.decided)

    @property
    def clv_per(self) -> str:
        """Unit of ``clv_pct``: ``staked`` or ``decided``; empty without a close.

        ``decided`` if the line can push and the chance of a push is unknown. That includes all
        such closes recorded before the chance was stored.
        """
        if self.close is None or self.clv_pct is None:
            return ""
        if self.close.decided is not None:
            return "staked"
        return "decided" if self._may_push else "staked"

    @property
    def time_order(self) -> tuple[int, int]:
        """Sort key: kick-off, or the time of placing if that is unknown."""
        return (self.placed_at if self.kick_off is None else self.kick_off, self.ident or 0)

    def state(self, now_ms: int) -> "BetState":
        """Return the state of the bet at a time."""
        if self.result is not None:
            return BetState.SETTLED
        ends = self.placed_at + UNDATED_MS
        if self.kick_off is not None:
            ends = self.kick_off + LONGEST_GAME_MS
        return BetState.TO_SETTLE if now_ms > ends else BetState.OPEN

    def as_settled(self) -> SettledBet | None:
        """Return the bet as reports count it; None while open."""
        result = self.result
        if result is None or not self.stake:
            return None
        chances = self._chances(result)
        decided = self._decided if chances or not self.legs else 0.0
        earned = self._decided_profit(result)
        profit = earned + self.cash_out_profit
        earned = earned if decided else 0.0
        return SettledBet(
            *(self.staked, self.net, profit, decided, earned, self.expected, self.clv_pct),
            is_clv_decided=self.clv_per == "decided",
            floored_expected=self.floored_expected,
            free_staked=self.free_staked,
            chances=chances,
        )

    def _chances(self, result: Result) -> tuple[Chance, ...]:
        """Return the chances that decide a settled bet; empty for plain bets.

        For a lay, the chance is that the selection wins.
        """
        if not decided_share(result) or (self.kind is BetKind.BACK and not self.legs):
            return ()
        open_size, is_half = self.size - self.cashed_stake, decided_share(result) < 1
        terms = self.terms._replace(legs=legs_as_if_won(self.legs))
        if_won = profit_by_kind(terms, Result.HALF_WON if is_half else Result.WON, open_size)
        lost = Result.HALF_LOST if is_half else Result.LOST
        if_lost = profit_by_kind(terms._replace(legs=()), lost, open_size)
        match self.kind:
            case BetKind.LAY:
                return (Chance(if_lost, if_won, 1 - 1 / self.net),)
            case BetKind.EACH_WAY:
                if_placed = profit_by_kind(terms, Result.PLACED, open_size)
                place_odds = 1 + (self.net - 1) * (self.place_fraction or 0.0)
                half = open_size / 2
                return (
                    Chance(if_won - if_placed - half, -half, 1 / self.net, (2, math.inf)),
                    Chance(if_placed + half, -half, 1 / place_odds, (1, math.inf)),
                )
        odds = self.unboosted_net
        for leg in terms.legs:
            if leg.result in (Result.VOID, Result.HALF_LOST):  # what is left of it is returned
                odds /= leg.odds
            elif leg.result is Result.HALF_WON:
                odds *= (1 + leg.odds) / 2 / leg.odds
        return (Chance(if_won, if_lost, 1 / odds),) if odds > 1 else ()

    @property
    def _of_decided(self) -> bool:
        return self.per == "decided"

    @property
    def _decided(self) -> float:
        """Share of the stake that was won or lost."""
        if self.result is None or not self.stake:
            return 0.0
        return decided_share(self.result) * (self.size - self.cashed_stake) / self.size

    def _decided_profit(self, result: Result) -> float:
        if self.kind is BetKind.BACK and not self.legs:
            return profit_of(result, self.size - self.cashed_stake, self.net)
        return profit_by_kind(self.terms, result, self.size - self.cashed_stake)


def counted(bets: Iterable[PlacedBet], *, simulated: bool | None = False) -> Iterator[PlacedBet]:
    """Yield practice bets if the odds are simulated, else real ones."""
    return (bet for bet in bets if bet.practice == bool(simulated))


def _is_far(close: ClosingLine | None, kick_off: int | None) -> bool:
    at = None if close is None else close.at
    if at is None or kick_off is None:
        return False
    return not -FARTHEST_CLOSE_MS - MOST_AGE_MS <= at - kick_off <= FARTHEST_CLOSE_MS


FARTHEST_CLOSE_MS: Final = 12 * 60 * MINUTE_MS
"""A game that starts this far from the bet's kick-off, earlier or later, is another game."""
LONGEST_GAME_MS: Final = 150 * MINUTE_MS
"""How long after kick-off a bet waits for its result."""
UNDATED_MS: Final = 7 * 24 * 60 * MINUTE_MS
"""How long after placing, if the kick-off is unknown: most bets are for the same week."""


class BetState(Enum):
    """State of a bet."""

    OPEN = "open"
    TO_SETTLE = "to settle"
    """Its game should be over."""
    SETTLED = "settled"


class BadBetError(ValueError):
    """An impossible bet; the message is one line that says what was expected."""


def check_bet(bet: PlacedBet) -> PlacedBet:
    """Return the bet if it is possible.

    Raises:
        BadBetError: odds, stake or cash-out make no sense.
    """
    if not 1 < bet.odds < TOO_MUCH:
        raise BadBetError(
            _("odds {odds:g}: expected decimal odds above 1").format(odds=num(bet.odds))
        )
    if not 1 <= bet.net < TOO_MUCH:
        raise BadBetError(
            _("odds after commission {odds:g}: they return less than the stake").format(
                odds=num(bet.net)
            )
        )
    if not 0 < bet.stake < TOO_MUCH:
        raise BadBetError(
            _("stake {stake:g}: expected an amount above 0 and below 1e12").format(
                stake=num(bet.stake)
            )
        )
    if not 0 <= bet.period < _MOST_PERIODS:
        raise BadBetError(
            _("period {period}: expected 0 for the whole game, or a part of it").format(
                period=bet.period
            )
        )
    if not (0 <= bet.cashed_stake <= bet.size and 0 <= bet.cashed_back < TOO_MUCH):
        raise BadBetError(
            _(
                "cash-out of {stake:g} for {paid:g}: expected a part of the stake, "
                "{size:g}, and the amount paid for it"
            ).format(stake=num(bet.cashed_stake), paid=num(bet.cashed_back), size=num(bet.size))
        )
    if bet.per not in {"", "staked", "decided"}:
        raise BadBetError(_("per {per!r}: expected staked or decided").format(per=bet.per))
    if (bet.result is Result.CASHED_OUT) != (bet.cashed_stake == bet.size):
        raise BadBetError(_("the result is cashed out if, and only if, all of the stake is"))
    _check_kind(bet)
    return bet


def _check_kind(bet: PlacedBet) -> None:
    each_way, kind = bet.kind is BetKind.EACH_WAY, bet.kind.words
    if bet.result is Result.PLACED and not each_way:
        raise BadBetError(_("only each-way bets can settle as placed"))
    if each_way and not (bet.place_fraction is not None and 0 < bet.place_fraction <= 1):
        raise BadBetError(_("an each-way bet needs the share that a place pays, such as 1/5"))
    if bet.places is not None and not 0 < bet.places < _MOST_PLACES:
        raise BadBetError(_("{places} places: expected 1 or more").format(places=bet.places))
    if bet.kind is BetKind.REFUND and not (
        0 < bet.refund < TOO_MUCH and bet.refund_as in {"money", "free"}
    ):
        raise BadBetError(
            _("a refund bet needs the amount that comes back, as money or a free bet")
        )
    if bet.unboosted_odds is not None and not 1 < bet.unboosted_odds < TOO_MUCH:
        raise BadBetError(
            _("odds without the boost {odds:g}: expected odds above 1").format(
                odds=num(bet.unboosted_odds)
            )
        )
    if bet.kind is BetKind.MULTIPLE and len(bet.legs) < 2:
        raise BadBetError(_("a multiple needs two legs or more"))
    if bet.legs and bet.kind in {BetKind.LAY, BetKind.EACH_WAY}:
        raise BadBetError(_("a bet of the kind {kind} has no legs").format(kind=translated(kind)))
    for leg in bet.legs:
        if not 1 < leg.odds < TOO_MUCH:
            raise BadBetError(
                _("odds {odds:g} of {selection}: expected odds above 1").format(
                    odds=num(leg.odds), selection=selection_text(leg.selection)
                )
            )


class HalfResultError(BadBetError):
    """A half result for a bet that cannot be half won or half lost."""


def check_half(bet: PlacedBet) -> PlacedBet:
    """Return the bet if its selection can have its result.

    Only quarter lines can be half won or half lost. An unreadable selection may be one.

    Raises:
        HalfResultError: a half result on anything but a quarter line.
    """
    if bet.result not in {Result.HALF_WON, Result.HALF_LOST}:
        return bet
    read = read_selection(bet.market_type, bet.match_name, bet.selection)
    if read is None:
        return bet
    has_lines = bet.market_type in HANDICAPS | TOTALS
    if has_lines and read.line is not None and not (read.line * 2).is_integer():
        return bet
    raise HalfResultError(
        _(
            "{selection} is won or lost in full: half results are for quarter lines such "
            "as -0.75 or 2.25"
        ).format(selection=selection_text(bet.selection))
    )


def settled(bet: PlacedBet, result: Result | None, now_ms: int, by: str = "") -> PlacedBet:
    """Return the bet with a result, or open again; a partial cash-out stays.

    A bet that was cashed out in full is reopened as it was placed, since the last part is unknown.
    Its legs are reopened with it. ``by`` is the source and score of a bet that settles by itself.

    Raises:
        HalfResultError: its selection cannot be half won or half lost.
        BadBetError: it was or would be cashed out in full (use ``cashed_out`` for that), or its
            legs have ended otherwise.
    """
    when = None if result is None else now_ms
    if result is None and bet.result is Result.CASHED_OUT:
        bet = msgspec.structs.replace(bet, cashed_stake=0.0, cashed_back=0.0)
    if result is None:
        legs = tuple(msgspec.structs.replace(leg, result=None) for leg in bet.legs)
        bet = taken_back(msgspec.structs.replace(bet, legs=legs), bet)
    else:
        bet = msgspec.structs.replace(bet, settled_by=by, undone="")
        _check_legs(bet, result)
    return check_half(check_bet(msgspec.structs.replace(bet, result=result, settled_at=when)))


def _check_legs(bet: PlacedBet, result: Result) -> None:
    if not bet.legs or result in {Result.VOID, Result.CASHED_OUT}:
        return
    if result not in {Result.WON, Result.LOST}:
        raise HalfResultError(
            _("a bet with legs cannot be {result}; only a leg can").format(
                result=translated(result.words)
            )
        )
    by_legs = result_of_legs(bet.legs)
    if by_legs is not None and by_legs is not result:
        raise BadBetError(
            _("by its legs the bet is {by_legs}, not {result}: settle the leg instead").format(
                by_legs=translated(by_legs.words), result=translated(result.words)
            )
        )


def taken_back(bet: PlacedBet, from_bet: PlacedBet) -> PlacedBet:
    """Return a bet that is open again, noting how ``from_bet`` had settled by itself.

    The same applies to its legs that are open again.
    """
    if len(bet.legs) == len(from_bet.legs):
        legs = tuple(map(_leg_taken_back, bet.legs, from_bet.legs))
        bet = msgspec.structs.replace(bet, legs=legs)
    if not from_bet.settled_by or from_bet.result is None:
        return msgspec.structs.replace(bet, settled_by="")
    undone = f"{from_bet.result.words} by {from_bet.settled_by}"
    return msgspec.structs.replace(bet, settled_by="", undone=undone)


def _leg_taken_back(leg: BetLeg, from_leg: BetLeg) -> BetLeg:
    if leg.result is not None or from_leg.result is None:
        return leg
    undone = f"{from_leg.result.words} by {from_leg.settled_by}" if from_leg.settled_by else ""
    return msgspec.structs.replace(leg, settled_by="", undone=undone or leg.undone)


def was_undone(bet: PlacedBet | BetLeg, result: Result) -> bool:
    """Return whether the user took back this result of a bet that had settled by itself."""
    return bet.undone.startswith(f"{result.words} by ")


def is_open_as(held: PlacedBet, ended: PlacedBet) -> bool:
    """Return whether a bet is still open and otherwise what it was when ``ended`` was found.

    Closing lines added since are ignored. If the bet has legs, one of them has ended.
    """
    if len(held.legs) != len(ended.legs) or not (held.legs or ended.result):
        return False
    if not held.legs and ended.result is not None and was_undone(held, ended.result):
        return False
    fresh = [(one, each) for one, each in zip(held.legs, ended.legs, strict=True) if not one.result]
    if any(each.result is not None and was_undone(one, each.result) for one, each in fresh):
        return False
    legs = tuple(
        msgspec.structs.replace(
            each,
            close=one.close,
            **({} if one.result else {"result": None, "settled_by": "", "undone": one.undone}),
        )
        for one, each in zip(held.legs, ended.legs, strict=True)
    )
    opened = msgspec.structs.replace(
        ended,
        result=None,
        settled_at=None,
        settled_by=held.settled_by,
        undone=held.undone,
        close=held.close,
        legs=legs,
    )
    return held == opened


def cashed_out(bet: PlacedBet, stake: float, back: float, now_ms: int) -> PlacedBet:
    """Return the bet with a part of its stake, or all that is left, cashed out.

    Raises:
        BadBetError: the part is more than is open, or makes no sense.
    """
    if bet.result is not None:
        raise BadBetError(
            _("already settled as {result}").format(result=translated(bet.result.words))
        )
    if not 0 < stake <= bet.open_size or not 0 <= back < math.inf:
        raise BadBetError(
            _("expected a part of the open stake, up to {stake:g}").format(stake=num(bet.open_size))
        )
    is_whole = stake == bet.open_size
    return check_bet(
        msgspec.structs.replace(
            bet,
            cashed_stake=bet.size if is_whole else bet.cashed_stake + stake,
            cashed_back=bet.cashed_back + back,
            result=Result.CASHED_OUT if is_whole else None,
            settled_at=now_ms if is_whole else None,
        )
    )


_OF_LEG: Final = re.compile(r"leg (\d+)(?:, (.*?))?: (.*)", re.DOTALL)
RECORDED: Final = (
    *(N_("{score} after extra time"), N_("{score} after overtime"), N_("{source}'s own result")),
    *(N_("postponed"), N_("abandoned"), N_("cancelled"), N_("retired")),
    *(N_("abandoned at {score}"), N_("cancelled at {score}"), N_("retired at {score}")),
    *(N_("postponed at {score}"), N_("in play at {score}")),
    *(N_("{source} abandoned at {score}"), N_("{source} cancelled at {score}")),
    *(N_("{source} retired at {score}"), N_("{source} postponed at {score}")),
    *(N_("{source} in play at {score}"), N_("{source} postponed"), N_("{source} abandoned")),
    *(N_("{source} cancelled"), N_("{source} retired"), N_("{source} moved")),
    N_("an unnamed source"),
)
"""What ``settled_by`` may hold; the ledger keeps it in English."""


def recorded_text(text: str) -> str:
    """Return what the ledger keeps in English in the reader's language.

    ``settled_by``, with that of each leg, and the reasons for missing closes.
    """
    found = _OF_LEG.fullmatch(text)
    if found is None:
        parts = text.split("; ") if "; leg " in text else [text]
        return "; ".join(map(recorded_text, parts)) if len(parts) > 1 else translated(text)
    place, selection, rest = found.groups()
    first, _semicolon, others = rest.partition("; leg ")
    leg = leg_name(int(place), selection or "")
    said = f"{leg}: {translated(first)}"
    return f"{said}; {recorded_text(f'leg {others}')}" if others else said


def undone_text(undone: str) -> str:
    """Return ``PlacedBet.undone`` in the reader's language: ``won by football-data 2-1``."""
    for result in Result:
        source = undone.removeprefix(f"{result.words} by ")
        if source != undone:
            return _("{result} by {source}").format(
                result=translated(result.words), source=recorded_text(source)
            )
    return undone


def leg_name(place: int, selection: str) -> str:
    """Return a leg in words: ``leg 2, Arsenal``."""
    if not selection:
        return _("leg {place}").format(place=place)
    return _("leg {place}, {selection}").format(place=place, selection=selection_text(selection))
