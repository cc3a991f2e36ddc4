"""What is best of a selection: of the user's bookmakers, of all, and what is higher but doubted.

The one place that answers it. It is looked for when somebody asks, not at each move.
"""

from collections.abc import Iterable, Set
from typing import Final

from oddsdesk.board.basis import Basis
from oddsdesk.board.matrix import NO_OFFER, BestOffer, Doubted, Offer, Offers, Section, SelectionRow
from oddsdesk.board.prices import Price
from oddsdesk.board.valuation import window_beside
from oddsdesk.pricing.assessment import Caution, doubts_in_order
from oddsdesk.pricing.value import is_same_state

_NOTHING: Final = Offers()


class FoundOffer(BestOffer):
    """The best prices of a row, found again after ``invalidate``."""

    __slots__ = ("_basis", "_former", "_row", "_section")

    def __init__(self, section: Section, row: SelectionRow, basis: Basis) -> None:
        super().__init__()
        self.known = None
        self._section = section
        self._row = row
        self._basis = basis
        self._former = _NOTHING
        """What was found last: these bookmakers are looked at first."""

    def found(self) -> Offers:
        """Return the best prices by now."""
        if self.known is None:
            first = self._former.bookmakers
            self.known = best_among(self._section, self._row, self._basis, None, first)
            self._former = self.known
        return self.known

    def invalidate(self) -> None:
        """Drop the cached best prices."""
        self.known = None


def best_among(
    section: Section,
    row: SelectionRow,
    basis: Basis,
    compared: Set[str] | None,
    first: Iterable[str] = (),
) -> Offers:
    """Return the best prices of a selection among some bookmakers.

    Args:
        section: The line group of the selection.
        row: The selection with its prices.
        basis: The user's bookmakers and commissions.
        compared: The bookmakers; None is all of them.
        first: Bookmakers that are likely best, which makes it faster.
    """
    prices, is_mine = row.prices, basis.mine
    mine, others = _Search(), _Search()
    likely = [(name, prices[name]) for name in first if name in prices]
    for bookmaker, price in (*likely, *prices.items()):  # few are above the likely ones
        odds = price.odds
        if odds < mine.net or (compared is not None and bookmaker not in compared):
            continue
        search = mine if is_mine is None or is_mine(bookmaker) else others
        if odds >= search.net:  # what is below it is neither best nor doubted above it
            found = _net_and_doubt(section, row, bookmaker, price, basis)
            if found is not None:
                search.take(bookmaker, odds, *found)
    if not (mine.names or others.names or mine.doubted or others.doubted):
        return _NOTHING
    best = mine.offer()
    of_all = best if is_mine is None else _higher(best, others.offer())
    doubted = [
        each
        for each, above in ((mine.doubted, best), (others.doubted, of_all))
        if each is not None and each.net > (above.net or 0.0)
    ]
    return Offers(best, of_all, max(doubted, key=lambda each: each.net, default=None))


def reliable(section: Section, row: SelectionRow, basis: Basis) -> list[str]:
    """Return the user's bookmakers whose price of a row may be best."""
    found = []
    for name, price in row.prices.items():
        if basis.mine is None or basis.mine(name):
            told = _net_and_doubt(section, row, name, price, basis)
            if told is not None and told[1] is None:
                found.append(name)
    return found


class _Search:
    """The best price so far, and the highest one that is doubted; both net."""

    __slots__ = ("doubted", "names", "net")

    def __init__(self) -> None:
        self.net = 0.0
        self.names: set[str] = set()
        self.doubted: Doubted | None = None

    def take(self, bookmaker: str, odds: float, net: float, doubt: Caution | None) -> None:
        """Take in a price."""
        if doubt is not None:
            if self.doubted is None or (-net, bookmaker) < (-self.doubted.net, self.doubted[0]):
                self.doubted = Doubted(bookmaker, odds, net, doubt)
            return
        if net > self.net:
            self.net, self.names = net, set()
        if net == self.net:
            self.names.add(bookmaker)

    def offer(self) -> Offer:
        """Return the best price."""
        return Offer(self.net, tuple(sorted(self.names))) if self.names else NO_OFFER


def _higher(one: Offer, other: Offer) -> Offer:
    """Return the higher of two offers; of equal ones both bookmakers."""
    if one.net == other.net:
        return Offer(one.net, tuple(sorted({*one.bookmakers, *other.bookmakers})))
    return max(one, other, key=lambda offer: offer.net or 0.0)


def _net_and_doubt(
    section: Section, row: SelectionRow, bookmaker: str, price: Price, basis: Basis
) -> tuple[float, Caution | None] | None:
    """Return the net odds of a price and what speaks against it; None where it is no offer.

    No offer is what is withdrawn, a bet on something else (D27), or odds that nobody means.
    """
    if price.withdrawn_at is not None or bookmaker in section.other_bets:
        return None
    doubts = section.doubts and section.doubts.get((row.selection, bookmaker))
    if doubts and Caution.PLACEHOLDER in doubts:
        return None
    net = basis.net(bookmaker, price.odds)
    if doubts:
        return net, doubts_in_order(doubts)[0]
    if bookmaker in section.market.stale:
        return net, Caution.STALE
    reference = section.reference
    if reference is not None and not is_same_state(price.is_live, reference.is_live):
        return net, Caution.STATE_DIFFERS
    most = row.suspicious_above
    if section.pool is not None:
        most = window_beside(section, row, bookmaker)[1]
    return net, None if most is None or net <= most else Caution.ABOVE_WINDOW
