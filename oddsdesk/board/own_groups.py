"""The line groups that a bookmaker's own prices form, and what is known of their prices."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from oddsdesk.board.matrix import Section, SelectionRow
from oddsdesk.board.prices import Price
from oddsdesk.pricing.selections import LineGroup, line_groups


def offered(price: Price | None) -> float | None:
    """Return the odds of a price that is there, else None."""
    return price.odds if price is not None and price.withdrawn_at is None else None


def state_of(prices: Iterable[Price]) -> bool | None:
    """Whether a line group is in play: one price that is will do; None where nobody said."""
    known = [price.is_live for price in prices if price.is_live is not None]
    return any(known) if known else None


def priced_by(section: Section, bookmaker: str | None) -> list[SelectionRow]:
    """Return the rows that a bookmaker offers; None is the reference."""
    return [row for row in section.rows if offered(row.price_of(bookmaker)) is not None]


def own_group(section: Section, rows: Sequence[SelectionRow]) -> LineGroup | None:
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
