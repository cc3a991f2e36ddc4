"""What follows from the prices of a line group: S, fair odds, windows, holds, best prices."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from oddsdesk.board.matrix import Section, SelectionRow
from oddsdesk.board.prices import Price
from oddsdesk.pricing.outcomes import DRAW
from oddsdesk.pricing.selections import LineGroup, line_groups
from oddsdesk.pricing.value import is_comparable, price_window, reference_line


def figure(section: Section, method: str) -> None:
    """Work out every figure of a section anew from its prices."""
    value_reference(section, method)
    figure_prices(section)


def figure_prices(section: Section) -> None:
    """Work out anew what the bookmakers' prices bear on."""
    bookmakers = dict.fromkeys(name for row in section.rows for name in row.prices)
    section.other_bets = {name for name in bookmakers if not _is_comparable(section, name)}
    for row in section.rows:
        _find_best(section, row)
    section.holds = {}
    for bookmaker in bookmakers:
        _find_hold(section, bookmaker)
    _find_best_hold(section)


def refigure_price(section: Section, row: SelectionRow, bookmaker: str) -> None:
    """Bring up to date what one bookmaker's price of one row bears on."""
    if _is_comparable(section, bookmaker) == (bookmaker in section.other_bets):
        section.other_bets ^= {bookmaker}
        for other in section.rows:
            _find_best(section, other)
        _find_best_hold(section)
    elif _bears_on_best(row, bookmaker):
        _find_best(section, row)
        _find_best_hold(section)
    _find_hold(section, bookmaker)


def value_reference(section: Section, method: str) -> None:
    """Devig the reference's line group and form the price windows."""
    section.reference = section.overround = section.reference_hold = None
    for row in section.rows:
        row.fair = row.value_from = row.suspicious_above = None
    priced = [row for row in section.rows if offered(row.reference) is not None]
    group = _own_group(section, priced)
    if group is None:
        return
    prices = [row.reference for row in priced if row.reference is not None]
    section.reference = reference_line(
        section.key.market_type,
        group,
        [price.odds for price in prices],
        scraped_at=min(price.scraped_at for price in prices),
        is_live=_state(prices),
        method=method,
    )
    section.overround = section.reference.overround
    section.reference_hold = hold(price.odds for price in prices)
    for row, side in zip(priced, group.sides, strict=True):
        row.fair = section.reference.prices[side].fair_odds
        window = price_window(section.reference, side)
        if window is not None:
            row.value_from, row.suspicious_above = window.least, window.most


def _state(prices: Iterable[Price]) -> bool | None:
    """Whether a line group is in play: one price that is will do; None where nobody said."""
    known = [price.is_live for price in prices if price.is_live is not None]
    return any(known) if known else None


def redate(section: Section) -> None:
    """Note that the reference was scraped again and says the same."""
    if section.reference is not None:
        scraped_at = min(
            row.reference.scraped_at
            for row in section.rows
            if row.reference is not None and row.reference.is_offered
        )
        section.reference = msgspec.structs.replace(section.reference, scraped_at=scraped_at)


def hold(odds: Iterable[float]) -> float:
    """Return the hold of a full set of odds in percent: 100 * (1 - 1/S)."""
    return 100 * (1 - 1 / sum([1 / price for price in odds]))


def offered(price: Price | None) -> float | None:
    """Return the odds of a price that is there, else None."""
    return price.odds if price is not None and price.withdrawn_at is None else None


def _find_best(section: Section, row: SelectionRow) -> None:
    best = 0.0
    names: list[str] = []
    for bookmaker, price in row.prices.items():
        if price.odds < best or price.withdrawn_at is not None or bookmaker in section.other_bets:
            continue
        if price.odds > best:
            best, names = price.odds, []
        names.append(bookmaker)
    row.best = best if names else None
    row.best_bookmakers = tuple(sorted(names))


def _bears_on_best(row: SelectionRow, bookmaker: str) -> bool:
    """Whether a bookmaker offered the best price until now, or may offer it now."""
    odds = offered(row.prices.get(bookmaker)) or 0.0
    return bookmaker in row.best_bookmakers or odds >= (row.best or 0.0)


def _find_hold(section: Section, bookmaker: str) -> None:
    section.holds.pop(bookmaker, None)
    rows = _priced_by(section, bookmaker)
    if _own_group(section, rows) is not None:
        section.holds[bookmaker] = hold(row.prices[bookmaker].odds for row in rows)


def _find_best_hold(section: Section) -> None:
    section.best_hold = None
    sides = _sides_compared(section)
    if len(sides) < 2 or not section.complete:
        return
    best = [
        row.best for row, side in zip(section.rows, section.sides, strict=True) if side in sides
    ]
    odds = [price for price in best if price is not None]
    if len(odds) == len(best):
        section.best_hold = hold(odds)


def _sides_compared(section: Section) -> Sequence[str]:
    """What is bet on: as the reference prices it, else as all bookmakers together do (D27)."""
    return section.sides if section.reference is None else section.reference.group.sides


def _is_comparable(section: Section, bookmaker: str) -> bool:
    if DRAW not in section.sides:
        return True
    mine = frozenset(
        side
        for row, side in zip(section.rows, section.sides, strict=True)
        if offered(row.prices.get(bookmaker)) is not None
    )
    return is_comparable(_sides_compared(section), mine)


def _priced_by(section: Section, bookmaker: str) -> list[SelectionRow]:
    return [row for row in section.rows if offered(row.prices.get(bookmaker)) is not None]


def _own_group(section: Section, rows: Sequence[SelectionRow]) -> LineGroup | None:
    """The line group that some rows form by themselves, None where it is not complete."""
    if len(rows) < 2:
        return None
    selections = tuple([row.selection for row in rows])
    return complete_group(section.key.market_type, section.match_name, selections, section.sport)


@lru_cache(maxsize=1 << 15)
def complete_group(
    market_type: str, match_name: str, selections: tuple[str, ...], sport: str
) -> LineGroup | None:
    """Return the line group that selections form by themselves, None where it is not complete."""
    groups = line_groups(market_type, match_name, selections, sport)
    return groups[0] if len(groups) == 1 and groups[0].complete else None
