"""One price at one bookmaker: when it was seen, when it moved, and whether it is gone."""

from itertools import pairwise

import msgspec
from msgspec import UnsetType

from oddsdesk.contract.quotes import MOST_LEVELS
from oddsdesk.contract.resources import Offer
from oddsdesk.pricing.depth import Depth


class Price(msgspec.Struct, gc=False):
    """A selection's decimal odds at one bookmaker; times in milliseconds.

    Of one that is held only ``heard_at`` is ever set: whatever else is news makes another.
    """

    odds: float
    scraped_at: int
    """When the price was last read at the bookmaker."""
    changed_at: int
    """When the odds last moved; where no move was seen, when they were first seen."""
    heard_at: int
    """When this desk last received the price, by its own clock."""
    previous: float | None = None
    """The odds before the last move; None while no move was seen."""
    move_heard_at: int | None = None
    """When this desk received the last move, by its own clock; reading it again keeps that."""
    url: str | None = None
    is_live: bool | None = None
    """Whether it is in play; None until an answer or message tells (a matrix may not)."""
    withdrawn_at: int | None = None
    """When the price was found to be gone, by the desk's own clock (inferred, D41)."""
    depth: Depth | None = None
    """What was for sale at ``scraped_at`` (D104); None where nobody tells."""

    @property
    def direction(self) -> int:
        """1 where the odds last rose, -1 where they fell, 0 where no move was seen."""
        if self.previous is None:
            return 0
        return (self.odds > self.previous) - (self.odds < self.previous)

    @property
    def is_offered(self) -> bool:
        """Whether the price is still there."""
        return self.withdrawn_at is None


class Sighting(msgspec.Struct, frozen=True, gc=False):
    """What one answer or message says of a price; None where it does not say."""

    odds: float
    scraped_at: int
    heard_at: int
    url: str | None = None
    is_live: bool | None = None
    depth: Depth | None = None


def depth_of(offer: Offer | UnsetType | None, odds: float) -> Depth | None:
    """Return what can be backed of a selection at its odds and below, None where nobody tells.

    Raises:
        ValueError: the levels make no sense: not the best first, or not those of these odds.
    """
    if not offer or not offer.back:
        return None
    levels = offer.back[:MOST_LEVELS]
    is_falling = all(one[0] > other[0] for one, other in pairwise(levels))
    if levels[0][0] != odds or not is_falling or not all(o > 1 and s >= 0 for o, s in levels):
        raise ValueError(f"expected levels from {odds:g} down")
    return Depth(levels, offer.currency or "")


def observe(held: Price | None, seen: Sighting) -> Price:
    """Return the price after a sighting.

    One that is older, or says nothing new, leaves the same price, heard of later: whoever holds
    it, too, judges its age by that.
    """
    if held is None:
        return Price(
            odds=seen.odds,
            scraped_at=seen.scraped_at,
            changed_at=seen.scraped_at,
            heard_at=seen.heard_at,
            url=seen.url,
            is_live=seen.is_live,
            depth=seen.depth,
        )
    moved = seen.odds != held.odds
    if seen.scraped_at < held.scraped_at or (
        seen.scraped_at == held.scraped_at
        and not moved
        and held.withdrawn_at is None
        and (seen.is_live is None or seen.is_live is held.is_live)
        and (seen.url or held.url) == held.url
        and (seen.depth is None or seen.depth == held.depth)
    ):
        held.heard_at = seen.heard_at
        return held
    fresh_start = moved or held.withdrawn_at is not None
    return Price(
        odds=seen.odds if moved else held.odds,
        scraped_at=seen.scraped_at,
        changed_at=seen.scraped_at if fresh_start else held.changed_at,
        heard_at=seen.heard_at,
        previous=held.odds if moved else held.previous,
        move_heard_at=seen.heard_at if moved else held.move_heard_at,
        url=seen.url or held.url,
        is_live=_state(held, moved=moved) if seen.is_live is None else seen.is_live,
        depth=held.depth if seen.depth == held.depth else seen.depth,
    )


def _state(held: Price, *, moved: bool) -> bool | None:
    """In play as last stated; unknown after a move that did not say so: the game may have begun."""
    return None if moved and not held.is_live else held.is_live


def withdraw(held: Price, now_ms: int) -> Price:
    """Return the price as gone since ``now_ms``; unchanged where it was gone already."""
    if not held.is_offered:
        return held
    return msgspec.structs.replace(held, withdrawn_at=now_ms)
