"""The kinds of bets, and what each pays.

A bet has a size: the amount that its odds multiply. For a lay bet it is the liability, and its odds
after commission are those of a back of the other side; for all others it is the stake.
"""

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.selections import Result

ODDS_ROUNDING: Final = 0.005
"""How far the odds that a bookmaker shows may be from those that it pays."""
DEFAULT_PLACE_FRACTION: Final = 0.2
"""Share of the winnings that a place pays if a list gives none; the most common terms."""


class BetKind(Enum):
    """Kinds of bets, as ``ledger list --json`` and exports name them."""

    BACK = "back"
    LAY = "lay"
    """At an exchange: it wins if the selection loses. Odds and stake are the backer's."""
    FREE = "free"
    """A free bet whose stake is not returned."""
    FREE_RETURNED = "free-returned"
    """A free bet whose stake is paid out with the winnings."""
    BOOST = "boost"
    """At odds raised by a promotion."""
    REFUND = "refund"
    """The stake comes back, up to an amount, if it loses."""
    EACH_WAY = "each-way"
    """Half of the stake on a win, half on a place."""
    MULTIPLE = "multiple"
    """All of its legs must win; a void leg drops out."""

    @property
    def words(self) -> str:
        """The name for display, to be ``translated``: ``each way``."""
        return _WORDS.get(self, self.value)

    @property
    def is_free(self) -> bool:
        """Whether none of the user's own money is at risk."""
        return self in (BetKind.FREE, BetKind.FREE_RETURNED)


_WORDS: Final = {
    BetKind.FREE: N_("free bet"),
    BetKind.FREE_RETURNED: N_("free bet, stake returned"),
    BetKind.EACH_WAY: N_("each way"),
    BetKind.BACK: N_("back"),
    BetKind.LAY: N_("lay"),
    BetKind.BOOST: N_("boost"),
    BetKind.REFUND: N_("refund"),
    BetKind.MULTIPLE: N_("multiple"),
}


class BetLeg(msgspec.Struct, frozen=True, kw_only=True):
    """One selection of a multiple; fields as in ``PlacedBet``."""

    selection: str
    odds: float
    game_id: str = ""
    match_name: str = ""
    competition: str = ""
    sport: str = ""
    market_type: str = ""
    period: int = 0
    kick_off: int | None = None
    fair_odds: float | None = None
    result: Result | None = None
    settled_by: str = ""
    undone: str = ""
    close: ClosingLine | None = None


class Terms(NamedTuple):
    """What decides how a bet pays."""

    kind: BetKind
    net_odds: float
    """After commission; for a lay, those of the other side, per unit of liability."""
    refund: float = 0.0
    """The most that comes back in money if it loses."""
    place_fraction: float | None = None
    """For each-way bets: the share of the winnings that a place pays."""
    legs: tuple[BetLeg, ...] = ()


def profit_by_kind(terms: Terms, result: Result, size: float) -> float:
    """Return the profit of a settled size; 0 if it is cashed out.

    A void bet pays nothing, and its stake comes back; so does a free bet, as a free bet.
    """
    if result is Result.CASHED_OUT:
        return 0.0
    gain, won, lost = terms.net_odds - 1, *result.shares
    match terms.kind:
        case BetKind.EACH_WAY:
            place = gain * (terms.place_fraction or 0.0)
            return size / 2 * (_part(result, gain) + _part(_place_result(result), place))
        case _ if terms.legs and result is not Result.VOID:
            paid = paid_by_legs(terms.net_odds, terms.legs, result)
            if terms.kind is BetKind.FREE_RETURNED:
                return size * paid
            gain = paid - 1
            won, lost = (1.0, 0.0) if gain > 0 else (0.0, -gain)
            gain = max(0.0, gain)
    if terms.kind is BetKind.FREE_RETURNED:
        gain += 1.0
    loss = 0.0 if terms.kind.is_free else size * lost
    if terms.kind is BetKind.REFUND:
        loss -= min(terms.refund, loss)
    return size * won * gain - loss


def ev_by_kind(terms: Terms, of_price: float, decided: float, size: float) -> float:
    """Return the EV of a bet from that of its price, both per unit of its size.

    ``decided`` is the share that is won or lost on average. Free bets that are returned, and
    refunds as free bets, count nothing here: the free bet counts when it is placed.
    """
    if not decided:
        return of_price
    won = (of_price + decided) / terms.net_odds
    match terms.kind:
        case BetKind.FREE:
            return won * (terms.net_odds - 1)
        case BetKind.FREE_RETURNED:
            return won * terms.net_odds
        case BetKind.REFUND:
            return of_price + max(0.0, decided - won) * min(1.0, terms.refund / size)
    return of_price


def legs_as_if_won(legs: Iterable[BetLeg]) -> tuple[BetLeg, ...]:
    """Return the legs as if each lost one had won."""
    won = Result.WON
    return tuple(
        msgspec.structs.replace(leg, result=won) if leg.result is Result.LOST else leg
        for leg in legs
    )


def _part(result: Result, gain: float) -> float:
    won, lost = result.shares
    return won * gain - lost


def _place_result(result: Result) -> Result:
    return Result.WON if result is Result.PLACED else result


def paid_by_legs(net_odds: float, legs: Iterable[BetLeg], result: Result) -> float:
    """Return what a unit staked on legs pays; a void leg drops out, a half result halves it.

    A leg without a result counts as won if the whole bet won, else as lost. Odds that equal
    the product of all legs, but for rounding, are worked out from the legs; others in proportion.
    """
    paid = product = 1.0
    for leg in legs:
        ended = leg.result or (Result.LOST if result is Result.LOST else Result.WON)
        won, lost = ended.shares
        paid *= 1 + won * (leg.odds - 1) - lost
        product *= leg.odds
    is_whole = paid == product
    if not is_whole and abs(net_odds - product) <= ODDS_ROUNDING:
        return paid
    return net_odds * (paid / product)


def result_of_legs(legs: Sequence[BetLeg]) -> Result | None:
    """Return how a multiple ended by its legs; None while that is open.

    One lost leg decides it, however the others end. It is void if every leg is.
    """
    results = [leg.result for leg in legs]
    if Result.LOST in results:
        return Result.LOST
    if None in results:
        return None
    if all(result is Result.VOID for result in results):
        return Result.VOID
    return Result.WON
