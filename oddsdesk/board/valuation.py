"""What follows from the prices of a line group: S, fair odds, windows, best prices."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from oddsdesk.board.basis import Basis
from oddsdesk.board.matrix import NOBODY, Section, SelectionRow
from oddsdesk.board.own_groups import complete_group, offered, own_group, state_of
from oddsdesk.board.prices import Price
from oddsdesk.board.voting import pool_of
from oddsdesk.pricing.assessment import (
    LONG_ODDS,
    Caution,
    is_placeholder,
    line_doubts,
    settlement_of,
)
from oddsdesk.pricing.outcomes import DRAW
from oddsdesk.pricing.rules import MIN_EV, safety_floor
from oddsdesk.pricing.selections import complete_forms
from oddsdesk.pricing.value import (
    is_comparable,
    price_window,
    reference_line,
    suspicious_above,
)

_EMPTY_TOTAL: Final = 1.9
_SLACK: Final = 1 - 1e-9
"""Prices this little below the least edge are assessed as well: it is rounded."""


def figure(section: Section, basis: Basis) -> None:
    """Work out every figure of a section anew from its prices."""
    if basis.is_pooled:
        value_pool(section, basis)
    else:
        value_reference(section, basis.method)
    figure_prices(section)


def figure_prices(section: Section) -> None:
    """Work out anew what the bookmakers' prices bear on."""
    section.other_bets = NOBODY
    if DRAW in section.sides:  # else all bet on the same
        bookmakers = {name for row in section.rows for name in row.prices}
        other = (name for name in bookmakers if not _is_comparable(section, name))
        section.other_bets = frozenset(other)
    for row in section.rows:
        _find_near(section, row)
    forget_best(section)


def forget_best(section: Section) -> None:
    """Have the best prices looked for anew: others are stale now, or bet on something else."""
    for row in section.rows:
        row.offer.invalidate()
    section.holds.forget()


def reform(section: Section, bookmakers: Iterable[str | None]) -> None:
    """Take in that some bookmakers offer other selections than before."""
    if DRAW in section.sides:
        other = section.other_bets
        reformed = {
            name
            for name in bookmakers
            if name is not None and _is_comparable(section, name) == (name in other)
        }
        if reformed:
            section.other_bets = other ^ reformed
            forget_best(section)


def take_price(section: Section, row: SelectionRow, bookmaker: str) -> None:
    """Bring up to date what one bookmaker's price of a row bears on."""
    price = row.prices.get(bookmaker)
    odds = 0.0 if price is None or price.withdrawn_at is not None else price.odds
    known = row.offer.known
    if known and (odds >= (known.mine.net or 0.0) or bookmaker in known.bookmakers):
        row.offer.invalidate()
    if (odds >= row.near_from) != (bookmaker in row.near):
        _find_near(section, row)
    section.holds.forget()


def doubt_prices(section: Section, basis: Basis) -> bool:
    """Find out which prices are no offers beside the others of the line; tell if others are now."""
    found: dict[tuple[str, str | None], frozenset[Caution]] = {}
    market_type, group = section.key.market_type, section.key.group
    excludes = bool(complete_forms(market_type, section.sport))
    excludes &= bool(section.sides) and (market_type != "yes_no" or bool(group))
    totals: dict[str | None, float] = {}
    section.has_long_odds = False
    for bookmaker, rows in _offered_by(section).items():
        odds = {section.side_of(row.selection): price.odds for row, price in rows}.values()
        section.has_long_odds |= max(odds) >= LONG_ODDS
        if not excludes or len(rows) < 2:
            continue
        names = tuple([row.selection for row, _ in rows])
        is_complete = complete_group(market_type, section.match_name, names, section.sport)
        if is_complete is not None:
            totals[bookmaker] = math.fsum(1 / each for each in odds)
        if doubts := line_doubts(odds, is_complete=is_complete is not None):
            found |= {(name, bookmaker): doubts for name in names}
    if section.has_long_odds:
        for key in _placeholders(section, totals, basis):
            found[key] = found.get(key, frozenset()) | {Caution.PLACEHOLDER}
    if found == section.doubts:
        return False
    section.doubts = found
    forget_best(section)
    return True


def may_change_doubts(section: Section, bookmaker: str | None) -> bool:
    """Tell whether ``doubt_prices`` may find others since a price moved; quick, mostly it may not.

    Two sides of an empty book add up to nearly 2, which no line of a bookmaker does.
    """
    if section.doubts or section.has_long_odds:
        return True
    total, count = 0.0, 0
    for row in section.rows:
        price = row.reference if bookmaker is None else row.prices.get(bookmaker)
        if price is not None and price.withdrawn_at is None:
            odds = price.odds
            if odds >= LONG_ODDS:
                return True
            total += 1 / odds
            count += 1
    return not 1 <= total < _EMPTY_TOTAL and count > 1


def _offered_by(section: Section) -> dict[str | None, list[tuple[SelectionRow, Price]]]:
    """Return the prices that are offered, by bookmaker; None is the reference."""
    found: dict[str | None, list[tuple[SelectionRow, Price]]] = {}
    for row in section.rows:
        if row.reference is not None and row.reference.withdrawn_at is None:
            found.setdefault(None, []).append((row, row.reference))
        for name, price in row.prices.items():
            if price.withdrawn_at is None:
                found.setdefault(name, []).append((row, price))
    return found


def _placeholders(
    section: Section, totals: Mapping[str | None, float], basis: Basis
) -> Iterator[tuple[str, str | None]]:
    """Yield the prices that are too long to be meant; ``totals`` are S of complete lines."""
    name_of = basis.reference.name or ""
    for row in section.rows:
        offers = [
            (bookmaker, basis.profiles.of(bookmaker or name_of).group, price.odds)
            for bookmaker, price in row.all_prices().items()
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


def value_reference(section: Section, method: str) -> None:
    """Devig the reference's line group and form the price windows."""
    forget_reference(section)
    priced = [row for row in section.rows if offered(row.reference) is not None]
    group = own_group(section, priced)
    if group is None:
        return
    prices = [row.reference for row in priced if row.reference is not None]
    section.reference = reference_line(
        section.key.market_type,
        group,
        [price.odds for price in prices],
        scraped_at=min(price.scraped_at for price in prices),
        is_live=state_of(prices),
        method=method,
    )
    section.overround = section.reference.overround
    section.reference_hold = hold(price.odds for price in prices)
    for row, side in zip(priced, group.sides, strict=True):
        row.fair = section.reference.prices[side].fair_odds
    form_windows(section)


def value_pool(section: Section, basis: Basis) -> None:
    """Take what the bookmakers say together as the reference, and form the price windows."""
    forget_reference(section)
    section.pool = pool_of(section, basis)
    pooled = None if section.pool is None else section.pool.of(None)
    if pooled is None:
        return
    section.reference = pooled.line
    section.overround = pooled.line.overround
    voting = [voter.bookmaker for voter in pooled.voters]
    for row, side in zip(section.rows, section.sides, strict=False):
        if side in pooled.line.prices and any(name in row.prices for name in voting):
            row.fair = pooled.line.prices[side].fair_odds
    form_windows(section)


def forget_reference(section: Section) -> None:
    """Judge by nobody: until the next reference is looked at, no price is value."""
    section.reference = section.overround = section.reference_hold = section.pool = None
    for row in section.rows:
        row.fair = row.value_from = row.suspicious_above = None
        row.near, row.near_from = (), math.inf


def form_windows(section: Section) -> None:
    """Form the price windows, with what is known of how often a stake comes back (D53)."""
    line = section.reference
    if line is None:
        return
    push = section.push[bool(line.is_live)]
    for row, side in zip(section.rows, section.sides, strict=False):
        if row.fair is not None:
            row.decided = settlement_of(line, side, row.fair, push).decided
            window = price_window(line, side, row.decided)
            row.value_from = None if window is None else window.least
            row.suspicious_above = suspicious_above(line, side)


def redate(section: Section) -> None:
    """Note that the reference was scraped again and says the same, unless it is gone by now."""
    offered_at = [
        row.reference.scraped_at
        for row in section.rows
        if row.reference is not None and row.reference.is_offered
    ]
    if section.reference is not None and offered_at:
        scraped_at = min(offered_at)
        section.reference = msgspec.structs.replace(section.reference, scraped_at=scraped_at)


def _find_near(section: Section, row: SelectionRow) -> None:
    """Find who offers the least edge, and from which odds on one can."""
    pool = section.pool
    fair = row.fair if pool is None else pool.least_fair(section.side_of(row.selection))
    least = row.near_from = _near_from(section, fair)
    near = [name for name, price in row.prices.items() if (offered(price) or 0.0) >= least]
    if pool is not None:
        near = [
            name
            for name in near
            if row.prices[name].odds >= _near_from(section, fair_beside(section, row, name))
        ]
    row.near = tuple(near)


def fair_beside(section: Section, row: SelectionRow, bookmaker: str | None) -> float | None:
    """Return the fair odds that a bookmaker's price of a row is judged by.

    They are the row's own, or what the others say where all are asked together.
    """
    if section.pool is None:
        return row.fair
    line = section.line_beside(bookmaker)
    price = None if line is None else line.prices.get(section.side_of(row.selection))
    return None if price is None else price.fair_odds


def decided_beside(section: Section, row: SelectionRow, bookmaker: str | None) -> float:
    """Return the share of a stake there that is won or lost on average (D53)."""
    line, fair = section.line_beside(bookmaker), fair_beside(section, row, bookmaker)
    if section.pool is None or line is None or fair is None:
        return row.decided
    push = section.push_beside(bookmaker)
    return settlement_of(line, section.side_of(row.selection), fair, push).decided


def window_beside(
    section: Section, row: SelectionRow, bookmaker: str | None
) -> tuple[float | None, float | None]:
    """Return from which net odds a bookmaker's price is value, and above which suspicious."""
    line = section.line_beside(bookmaker)
    if section.pool is None or line is None:
        return row.value_from, row.suspicious_above
    decided = decided_beside(section, row, bookmaker)
    side = section.side_of(row.selection)
    window = price_window(line, side, decided)
    return None if window is None else window.least, suspicious_above(line, side)


def _near_from(section: Section, fair: float | None) -> float:
    """From which odds a price can have the least edge, rounding included."""
    if fair is None:
        return math.inf
    return fair * safety_floor(section.key.market_type) * (1 + MIN_EV / 100) * _SLACK


def hold(odds: Iterable[float]) -> float:
    """Return the hold of a full set of odds in percent: 100 * (1 - 1/S), a share of all stakes."""
    return 100 * (1 - 1 / sum([1 / price for price in odds]))


def sides_compared(section: Section) -> Sequence[str]:
    """Return what is bet on: as the reference prices it, else as all bookmakers do (D27)."""
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
