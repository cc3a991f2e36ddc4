"""What follows from the prices of a line group: S, fair odds, windows, best prices.

The one place that answers it. It is looked for when somebody asks, not at each move.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import (
    NO_OFFER,
    NOBODY,
    BestOffer,
    BestPrice,
    Doubted,
    Laid,
    LineHolds,
    Offers,
    Price,
    Section,
    SelectionRow,
    complete_group,
    offered,
    own_group,
    priced_by,
    state_of,
)
from oddsdesk.board.valuation.pool import pool_of
from oddsdesk.contract.markets import Form, types_of
from oddsdesk.pricing.assessment import (
    LONG_ODDS,
    Caution,
    doubts_in_order,
    is_placeholder,
    line_doubts,
    settlement_of,
)
from oddsdesk.pricing.covers import bets_against
from oddsdesk.pricing.opportunities import Leg, best_legs, go_together
from oddsdesk.pricing.selections import DRAW, complete_forms
from oddsdesk.pricing.stakes import middle_odds, odds_against
from oddsdesk.pricing.value import (
    SERVICE_RULES,
    ReferenceLine,
    can_push,
    is_comparable,
    is_same_state,
    price_window,
    reference_line,
    suspicious_above,
)

if TYPE_CHECKING:
    from oddsdesk.board.valuation.deriving import DerivedPool

_EMPTY_TOTAL: Final = 1.9
_OVERLAPPING: Final = types_of(Form.DOUBLE_CHANCE)
_DOUBLE_CHANCES: Final = 3
_SLACK: Final = 1 - 1e-9
"""Prices this little below the least edge are assessed as well: it is rounded."""


def figure(section: Section, basis: Basis) -> None:
    """Work out every figure of a section from its prices."""
    section.rules = basis.rules
    if basis.is_pooled:
        value_pool(section, basis)
    else:
        value_reference(section, basis.method, is_middle=basis.reference.is_middle)
    figure_prices(section)


def figure_prices(section: Section) -> None:
    """Work out again what the bookmakers' prices bear on."""
    section.other_bets = NOBODY
    if DRAW in section.sides:  # else all bet on the same
        bookmakers = {name for row in section.rows for name in row.prices}
        bookmakers.discard(section.market.reference)
        other = (name for name in bookmakers if not _is_comparable(section, name))
        section.other_bets = frozenset(other)
    for row in section.rows:
        _find_near(section, row)
    forget_best(section)


def forget_best(section: Section) -> None:
    """Drop the cached best prices: others are stale now, or bet on something else."""
    for row in section.rows:
        row.offer.invalidate()
    section.holds.invalidate_holds()


def reform(section: Section, bookmakers: Iterable[str]) -> None:
    """Take in that some bookmakers offer other selections than before."""
    if DRAW in section.sides:
        other, reference = section.other_bets, section.market.reference
        reformed = {
            name
            for name in bookmakers
            if name != reference and _is_comparable(section, name) == (name in other)
        }
        if reformed:
            section.other_bets = other ^ reformed
            forget_best(section)


def update_price(section: Section, row: SelectionRow, bookmaker: str) -> None:
    """Bring up to date what one bookmaker's price of a row bears on."""
    price = row.prices.get(bookmaker)
    odds = 0.0 if price is None or price.withdrawn_at is not None else price.odds
    known = row.offer.known
    if known and (odds >= (known.mine.net or 0.0) or bookmaker in known.named_bookmakers):
        row.offer.invalidate()
    if (odds >= row.near_from) != (bookmaker in row.near):
        _find_near(section, row)
    section.holds.invalidate_holds()


def doubt_prices(section: Section, basis: Basis) -> bool:
    """Find out which prices are no offers given the others of the line; tell if others are now."""
    found: dict[tuple[str, str], frozenset[Caution]] = {}
    market_type, group = section.key.market_type, section.key.group
    overlaps = market_type in _OVERLAPPING
    excludes = overlaps or bool(complete_forms(market_type, section.sport))
    excludes &= bool(section.sides) and (market_type != "yes_no" or bool(group))
    totals: dict[str, float] = {}
    section.has_long_odds = False
    for bookmaker, rows in _offered_by(section).items():
        odds = {section.side_of(row.selection): price.odds for row, price in rows}.values()
        section.has_long_odds |= max(odds) >= LONG_ODDS
        if not excludes or len(rows) < 2:
            continue
        names = tuple([row.selection for row, _ in rows])
        if overlaps:
            is_complete = len(odds) == _DOUBLE_CHANCES
        else:
            whole = complete_group(market_type, section.match_name, names, section.sport)
            is_complete = whole is not None
            if is_complete:
                totals[bookmaker] = math.fsum(1 / each for each in odds)
        if doubts := line_doubts(odds, is_complete=is_complete, overlaps=overlaps):
            found |= {(name, bookmaker): doubts for name in names}
    if section.has_long_odds:
        for key in _placeholders(section, totals, basis):
            found[key] = found.get(key, frozenset()) | {Caution.PLACEHOLDER}
    if found == section.doubts:
        return False
    section.doubts = found
    forget_best(section)
    return True


def may_change_doubts(section: Section, bookmaker: str) -> bool:
    """Tell whether ``doubt_prices`` may find others since a price moved; quick, mostly it may not.

    Two sides of an empty book add up to nearly 2, which no line of a bookmaker does but that of
    double chances.
    """
    if section.doubts or section.has_long_odds or section.key.market_type in _OVERLAPPING:
        return True
    total, count = 0.0, 0
    for row in section.rows:
        price = row.prices.get(bookmaker)
        if price is not None and price.withdrawn_at is None:
            odds = price.odds
            if odds >= LONG_ODDS:
                return True
            total += 1 / odds
            count += 1
    return not 1 <= total < _EMPTY_TOTAL and count > 1


def _offered_by(section: Section) -> dict[str, list[tuple[SelectionRow, Price]]]:
    """Return the prices that are offered, by bookmaker."""
    found: dict[str, list[tuple[SelectionRow, Price]]] = {}
    for row in section.rows:
        for name, price in row.prices.items():
            if price.withdrawn_at is None:
                found.setdefault(name, []).append((row, price))
    return found


def _placeholders(
    section: Section, totals: Mapping[str, float], basis: Basis
) -> Iterator[tuple[str, str]]:
    """Yield the prices that are too long to be meant; ``totals`` are S of complete lines."""
    for row in section.rows:
        offers = [
            (bookmaker, basis.profiles.profile_of(bookmaker).group, price.odds)
            for bookmaker, price in row.prices.items()
            if price.withdrawn_at is None
        ]
        for bookmaker, operator, odds in offers:
            if odds < LONG_ODDS:
                continue
            total = totals.get(bookmaker)
            elsewhere = max([each for _, other, each in offers if other != operator], default=None)
            others = None if total is None else total - 1 / odds
            if is_placeholder(odds, others, elsewhere):
                yield row.selection, bookmaker


def value_reference(section: Section, method: str, *, is_middle: bool = False) -> None:
    """Devig the reference's line group and form the price windows.

    ``is_middle``: use the middle of back and lay; none if a side's odds are too far apart.
    """
    forget_reference(section)
    priced = [row for row in section.rows if offered(row.reference) is not None]
    group = own_group(section, priced)
    if group is None:
        return
    prices = [row.reference for row in priced if row.reference is not None]
    odds = _middles(prices) if is_middle else [price.odds for price in prices]
    if odds is None:
        return
    section.reference = reference_line(
        section.key.market_type,
        group,
        odds,
        scraped_at=min(price.scraped_at for price in prices),
        is_live=state_of(prices),
        method=method,
    )
    section.overround = section.reference.overround
    section.reference_hold = hold(odds)
    for row, side in zip(priced, group.sides, strict=True):
        row.fair = section.reference.prices[side].fair_odds
    form_windows(section)


def _middles(prices: Sequence[Price]) -> list[float] | None:
    """Return the middles of a line; None if one is unknown.

    They may add up to a hair less than 100 %, as back odds have a margin above it and lay odds
    below. They are then scaled to 100 %.
    """
    found = [middle_odds(price.odds, price.depth) for price in prices]
    odds = [each for each in found if each is not None]
    if len(odds) < len(found):
        return None
    total = min(1.0, math.fsum(1 / each for each in odds))
    return [math.floor(each * total * 1e6) / 1e6 for each in odds]


def value_pool(section: Section, basis: Basis) -> None:
    """Take what the bookmakers say together as the reference, and form the price windows."""
    forget_reference(section)
    section.pool = pool_of(section, basis)
    pooled = None if section.pool is None else section.pool.pooled_without("")
    if pooled is None:
        return
    section.reference = pooled.line
    section.overround = pooled.line.overround
    voting = [voter.bookmaker for voter in pooled.voters]
    for row, side in zip(section.rows, section.sides, strict=False):
        if side in pooled.line.prices and any(name in row.prices for name in voting):
            row.fair = pooled.line.prices[side].fair_odds
    form_windows(section)


def judge_by_derived(
    section: Section,
    line: ReferenceLine | None,
    sources: tuple[Section, ...] = (),
    pool: "DerivedPool | None" = None,
) -> bool:
    """Judge a section by a derived line, or by none; return whether anything changed."""
    before = section.reference
    if line is before is None:
        return False
    if (
        line is not None
        and before is not None
        and section.pool is pool is None
        and msgspec.structs.replace(before, scraped_at=line.scraped_at) == line
    ):
        section.reference, section.sources = line, sources
        return line.scraped_at != before.scraped_at and any(row.near for row in section.rows)
    forget_reference(section)
    section.reference, section.sources, section.pool = line, sources, pool
    if line is not None and line.derived is not None:
        section.push = line.derived.push, line.derived.push
        for row, side in zip(section.rows, section.sides, strict=False):
            row.fair = None if side not in line.prices else line.prices[side].fair_odds
        form_windows(section)
    figure_prices(section)
    return True


def forget_reference(section: Section) -> None:
    """Judge by nobody: until the next reference is looked at, no price is value."""
    section.reference = section.overround = section.reference_hold = section.pool = None
    section.sources = ()
    for row in section.rows:
        row.fair = row.value_from = row.suspicious_above = None
        row.near, row.near_from = (), math.inf


def form_windows(section: Section) -> None:
    """Form the price windows, with what is known of how often a stake comes back."""
    line = section.reference
    if line is None:
        return
    push = section.push[bool(line.is_live)]
    for row, side in zip(section.rows, section.sides, strict=False):
        if row.fair is not None:
            row.decided = settlement_of(line, side, row.fair, push).decided
            window = price_window(line, side, row.decided, section.rules)
            row.value_from = None if window is None else window.least
            row.suspicious_above = suspicious_above(line, side, section.rules)


def redate(section: Section) -> None:
    """Note that the reference was scraped again and says the same, unless it is gone by now."""
    offered_at = [
        row.reference.scraped_at
        for row in section.rows
        if row.reference is not None and row.reference.is_offered
    ]
    if section.reference is not None and section.has_own_line and offered_at:
        scraped_at = min(offered_at)
        section.reference = msgspec.structs.replace(section.reference, scraped_at=scraped_at)


def _find_near(section: Section, row: SelectionRow) -> None:
    """Find who offers the least edge, and from which odds on one can."""
    pool, line, side = section.pool, section.reference, section.side_of(row.selection)
    if pool is not None:
        fair: float | None = pool.least_fair(side)
    else:
        fair = row.fair if line is None else line.cautious_odds(side)
    least = row.near_from = _near_from(section, fair, 0.0 if pool is not None else row.decided)
    near = [name for name, price in row.others() if (offered(price) or 0.0) >= least]
    if pool is not None:

        def decided_at(bookmaker: str) -> float:
            asks_less = section.rules.asks_less_of_pushes
            return decided_without(section, row, bookmaker) if asks_less else 1.0

        near = [
            name
            for name in near
            if row.prices[name].odds
            >= _near_from(section, fair_without(section, row, name), decided_at(name))
        ]
    row.near = tuple(near)


def fair_without(section: Section, row: SelectionRow, bookmaker: str) -> float | None:
    """Return the fair odds that a bookmaker's price of a row is judged by.

    They are the row's own; with a consensus, those of all other bookmakers.
    """
    if section.pool is None:
        return row.fair
    line = section.line_without(bookmaker)
    price = None if line is None else line.prices.get(section.side_of(row.selection))
    return None if price is None else price.fair_odds


def decided_without(section: Section, row: SelectionRow, bookmaker: str) -> float:
    """Return the share of a stake there that is won or lost on average."""
    line, fair = section.line_without(bookmaker), fair_without(section, row, bookmaker)
    if section.pool is None or line is None or fair is None:
        return row.decided
    push = section.push_without(bookmaker)
    return settlement_of(line, section.side_of(row.selection), fair, push).decided


def window_without(
    section: Section, row: SelectionRow, bookmaker: str
) -> tuple[float | None, float | None]:
    """Return the lowest net odds that are value at a bookmaker, and the highest credible ones."""
    line = section.line_without(bookmaker)
    if section.pool is None or line is None:
        return row.value_from, row.suspicious_above
    decided = decided_without(section, row, bookmaker)
    side = section.side_of(row.selection)
    window = price_window(line, side, decided, section.rules)
    return None if window is None else window.least, suspicious_above(line, side, section.rules)


def _near_from(section: Section, fair: float | None, decided: float) -> float:
    """From which odds a price can have the least edge, rounding included.

    ``decided`` is the least share of a stake that is won or lost: the smaller it is, the more of it
    a price with a negative EV may lose.
    """
    if fair is None:
        return math.inf
    market_type, rules = section.key.market_type, section.rules
    least = SERVICE_RULES.least_net(market_type, fair)
    if rules is not SERVICE_RULES:
        has_pushes = rules.asks_less_of_pushes and can_push(market_type, section.line)
        least = min(least, rules.least_net(market_type, fair, decided if has_pushes else 1.0))
    return least * _SLACK


def hold(odds: Iterable[float]) -> float:
    """Return the hold of a full set of odds in percent: 100 * (1 - 1/S), a share of all stakes."""
    return 100 * (1 - 1 / sum([1 / price for price in odds]))


def sides_compared(section: Section) -> Sequence[str]:
    """Return what is bet on: as the reference prices it, else as all bookmakers do."""
    return section.sides if section.reference is None else section.reference.group.sides


def _is_comparable(section: Section, bookmaker: str) -> bool:
    if DRAW not in section.sides:
        return True
    mine = frozenset(
        side
        for row, side in zip(section.rows, section.sides, strict=True)
        if offered(row.prices.get(bookmaker)) is not None
    )
    return is_comparable(sides_compared(section), mine)


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
            first = self._former.named_bookmakers
            self.known = best_among(self._section, self._row, self._basis, None, first)
            self._former = self.known
        return self.known

    def invalidate(self) -> None:
        """Drop the cached best prices."""
        self.known = None


class BestLay(NamedTuple):
    """The best-paying lay of a selection."""

    net_odds: float
    """After commission, per unit of liability."""
    odds: float
    """The backer's odds."""
    bookmaker: str


def best_lay(
    row: SelectionRow, basis: Basis, passes: Callable[[str, Price], bool] = lambda *_: True
) -> BestLay | None:
    """Return the best lay at the user's bookmakers, among prices that pass; None for none."""
    found = [
        BestLay(basis.profiles.profile_of(name).net_lay(odds), odds, name)
        for name, price in row.prices.items()
        if price.depth is not None
        and price.withdrawn_at is None
        and (odds := price.depth.lay_odds) is not None
        and basis.is_mine(name)
        and passes(name, price)
    ]
    return max(found, key=lambda each: each.net_odds, default=None)


def best_among(
    section: Section,
    row: SelectionRow,
    basis: Basis,
    compared: Set[str] | None,
    first: Iterable[str] = (),
) -> Offers:
    """Return the best prices of a selection among some bookmakers, and a lay that pays more.

    Args:
        section: The line group of the selection.
        row: The selection with its prices.
        basis: The user's bookmakers and commissions.
        compared: The bookmakers; None is all of them.
        first: Bookmakers that are likely best, which makes it faster.
    """
    prices, reference, is_mine = row.prices, row.market.reference, basis.mine
    mine, others = _Search(), _Search()
    likely = [(name, prices[name]) for name in first if name in prices]
    for bookmaker, price in (*likely, *prices.items()):  # few are above the likely ones
        odds = price.odds
        if odds < mine.net or bookmaker == reference:
            continue
        if compared is not None and bookmaker not in compared:
            continue
        search = mine if is_mine is None or is_mine(bookmaker) else others
        if odds >= search.net:  # what is below it is neither best nor doubted above it
            found = _net_and_doubt(section, row, bookmaker, price, basis)
            if found is not None:
                search.weigh_price(bookmaker, odds, *found)
    has_lays = bool(section.market.laying)
    if not (mine.names or others.names or mine.doubted or others.doubted or has_lays):
        return _NOTHING
    best = mine.best_price()
    of_all = best if is_mine is None else _higher(best, others.best_price())
    doubted = [
        each
        for each, above in ((mine.doubted, best), (others.doubted, of_all))
        if each is not None and each.net > (above.net or 0.0)
    ]
    offers = Offers(best, of_all, max(doubted, key=lambda each: each.net, default=None))
    return _with_lays(offers, section, row, basis, compared) if has_lays else offers


def other_row(section: Section, row: SelectionRow) -> SelectionRow | None:
    """Return the selection whose lay is a back of this one; None where no lay is the same bet.

    That is so in markets of two sides: totals, handicaps, results without a draw.
    """
    if len(section.rows) != 2 or not section.complete or DRAW in section.sides:
        return None
    place = 0 if section.rows[0] is row else 1
    market_type, _, group = section.key
    laid, own = (market_type, group, section.sides[1 - place]), section.sides[place]
    is_same = any(
        each.bet == (market_type, group, own) for each in bets_against(laid, section.sport)
    )
    return section.rows[1 - place] if is_same else None


def _with_lays(
    found: Offers, section: Section, row: SelectionRow, basis: Basis, compared: Set[str] | None
) -> Offers:
    """Add the lays that pay more than the best backs."""
    other = other_row(section, row)
    if other is None:
        return found
    mine = of_all = None
    least, least_of_all = found.mine.net or 0.0, found.of_all.net or 0.0
    may_draw = len(complete_forms(section.key.market_type, section.sport)) > 1
    for name in sorted(section.market.laying):
        price = other.prices.get(name)
        lay_odds = None if price is None or price.depth is None else price.depth.lay_odds
        if price is None or lay_odds is None or odds_against(lay_odds) <= least:
            continue
        if name == row.market.reference or (compared is not None and name not in compared):
            continue
        if may_draw and offered(row.prices.get(name)) is None:
            continue  # the other side there may include a draw
        told = _net_and_doubt(section, row, name, price, basis, laid=other)
        if told is None or told[1] is not None:
            continue
        laid = Laid(other.selection, name, lay_odds, odds_against(lay_odds), told[0])
        if laid.net > least and basis.is_mine(name):
            mine, least = laid, laid.net
        if laid.net > least_of_all:
            of_all, least_of_all = laid, laid.net
    return found._replace(lay=mine, lay_of_all=of_all)


def reliable(section: Section, row: SelectionRow, basis: Basis) -> list[str]:
    """Return the user's bookmakers whose price of a row may be best."""
    found = []
    for name, price in row.others():
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

    def weigh_price(self, bookmaker: str, odds: float, net: float, doubt: Caution | None) -> None:
        """Take in a price."""
        if doubt is not None:
            if self.doubted is None or (-net, bookmaker) < (-self.doubted.net, self.doubted[0]):
                self.doubted = Doubted(bookmaker, odds, net, doubt)
            return
        if net > self.net:
            self.net, self.names = net, set()
        if net == self.net:
            self.names.add(bookmaker)

    def best_price(self) -> BestPrice:
        """Return the best price."""
        return BestPrice(self.net, tuple(sorted(self.names))) if self.names else NO_OFFER


def _higher(one: BestPrice, other: BestPrice) -> BestPrice:
    """Return the higher of two offers; of equal ones both bookmakers."""
    if one.net == other.net:
        return BestPrice(one.net, tuple(sorted({*one.bookmakers, *other.bookmakers})))
    return max(one, other, key=lambda offer: offer.net or 0.0)


def _net_and_doubt(
    section: Section,
    row: SelectionRow,
    bookmaker: str,
    price: Price,
    basis: Basis,
    laid: SelectionRow | None = None,
) -> tuple[float, Caution | None] | None:
    """Return the net odds of a price and what speaks against it; None where it is no offer.

    No offer is what is withdrawn, a bet on something else, or odds that nobody means. If ``laid``,
    the price is of that selection, and a lay of it is a back of ``row``.
    """
    if price.withdrawn_at is not None or bookmaker in section.other_bets:
        return None
    of = row if laid is None else laid
    doubts = section.doubts and section.doubts.get((of.selection, bookmaker))
    if doubts and Caution.PLACEHOLDER in doubts:
        return None
    if laid is None:
        net = basis.net(bookmaker, price.odds)
    elif price.depth is not None and (lay_odds := price.depth.lay_odds) is not None:
        net = basis.profiles.profile_of(bookmaker).net_lay(lay_odds)
    else:
        return None
    if doubts:
        return net, doubts_in_order(doubts)[0]
    if bookmaker in section.market.stale:
        return net, Caution.STALE
    reference = section.reference
    if reference is not None and not is_same_state(price.is_live, reference.is_live):
        return net, Caution.STATE_DIFFERS
    most = row.suspicious_above
    if section.pool is not None:
        most = window_without(section, row, bookmaker)[1]
    return net, None if most is None or net <= most else Caution.ABOVE_WINDOW


class Holds(LineHolds):
    """Hold in percent by bookmaker, of those that price the whole line group now."""

    __slots__ = ("_basis", "_best", "_known", "_section")

    def __init__(self, section: Section, basis: Basis) -> None:
        self._section = section
        self._basis = basis
        self._known: dict[str, float | None] = {}
        self._best: tuple[float | None] | None = None

    def __getitem__(self, bookmaker: str) -> float:
        if bookmaker not in self._known:
            self._known[bookmaker] = self._of(bookmaker)
        found = self._known[bookmaker]
        if found is None:
            raise KeyError(bookmaker)
        return found

    def __iter__(self) -> Iterator[str]:
        bookmakers = dict.fromkeys(name for row in self._section.rows for name in row.prices)
        return iter([name for name in bookmakers if self.get(name) is not None])

    def best(self) -> float | None:
        """Return the hold of the best prices that go together as legs, or of one bookmaker.

        Mostly they are the best of each row; where those are of one operator, or in play and not
        seen together, they are looked for among all.
        """
        if self._best is None:
            self._best = (self._find_best(),)
        return self._best[0]

    def invalidate_holds(self) -> None:
        """Drop what is cached."""
        self._known.clear()
        self._best = None

    def _of(self, bookmaker: str) -> float | None:
        rows = priced_by(self._section, bookmaker)
        is_reference = bookmaker == self._section.market.reference
        if is_reference or own_group(self._section, rows) is None:
            return None
        return hold(self._basis.net(bookmaker, row.prices[bookmaker].odds) for row in rows)

    def _find_best(self) -> float | None:
        section, sides = self._section, sides_compared(self._section)
        if len(sides) < 2 or not section.complete:
            return None
        rows = [row for row, side in zip(section.rows, section.sides, strict=True) if side in sides]
        names = [row.best_bookmakers for row in rows]
        if not all(names):
            return None
        legs = [self._leg(row, named[0]) for row, named in zip(rows, names, strict=True)]
        if go_together(legs):
            return hold(leg.net_odds for leg in legs)
        return min(self._holds_of_others(rows), default=None)

    def _holds_of_others(self, rows: Sequence[SelectionRow]) -> Iterator[float]:
        """Yield the hold of the best legs among all prices, and of each bookmaker by itself."""
        names = [reliable(self._section, row, self._basis) for row in rows]
        legs = best_legs(
            [
                [self._leg(row, name) for name in named]
                for row, named in zip(rows, names, strict=True)
            ]
        )
        if legs is not None:
            yield hold(leg.net_odds for leg in legs)
        for name in set(names[0]).intersection(*names[1:]):
            yield hold(self._basis.net(name, row.prices[name].odds) for row in rows)

    def _leg(self, row: SelectionRow, bookmaker: str) -> Leg:
        price = row.prices[bookmaker]
        return Leg(
            bookmaker,
            self._basis.profiles.profile_of(bookmaker).group,
            row.selection,
            price.odds,
            self._basis.net(bookmaker, price.odds),
            price.scraped_at,
            bool(price.is_live),
        )
