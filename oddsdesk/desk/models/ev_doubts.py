"""Why an EV of the odds grid may be no edge at all: such prices are greyed and rank below the rest.

An edge is a price beside a reference of the same moment. What lies above the price window is a
mistake or an old price far more often than value; of a game in play, prices that were not seen
together belong to two different scores (docs/decisions.md).
"""

from enum import Enum
from typing import Final

from oddsdesk.board.matrix import Section
from oddsdesk.board.prices import Price
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.rules import MAX_AGE_MS, MIN_EV

TOGETHER_MS: Final = MINUTE_MS
"""Prices of a game in play that were seen further apart tell nothing of each other."""


class EvDoubt(Enum):
    """What speaks against an EV; the value is the word of a column."""

    GONE = "withdrawn"
    NO_WINDOW = "outside the rules"
    SUSPICIOUS = "above the window"
    APART = "not seen together"


SENTENCES: Final = {
    EvDoubt.GONE: "the bookmaker no longer offers this price",
    EvDoubt.NO_WINDOW: "the reference's margin is too large for any price to be value",
    EvDoubt.SUSPICIOUS: "the price lies above its window: a mistake or an old price, hardly value",
    EvDoubt.APART: "price and reference were not seen together, and odds may have moved between",
}


def doubt_of(
    section: Section, bookmaker: str, price: Price, ev: float, most: float | None
) -> EvDoubt | None:
    """Return what speaks against a positive EV in percent, None where nothing does.

    ``most``: where the price window of the selection ends; None where it has none.
    """
    if price.withdrawn_at is not None:
        return EvDoubt.GONE
    if ev >= MIN_EV:
        if most is None:
            return EvDoubt.NO_WINDOW
        if price.odds > most:
            return EvDoubt.SUSPICIOUS
    apart = abs(_last_seen(section, bookmaker) - _last_seen(section, None))
    reference = section.reference
    in_play = price.is_live or (reference is not None and reference.is_live)
    return EvDoubt.APART if apart > (TOGETHER_MS if in_play else MAX_AGE_MS) else None


def _last_seen(section: Section, bookmaker: str | None) -> int:
    """When a market was last seen: a message of one selection says that the others stood."""
    prices = (
        line.reference if bookmaker is None else line.prices.get(bookmaker)
        for line in section.lines
    )
    return max((price.scraped_at for price in prices if price is not None), default=0)
