"""When the bookmakers of a market were seen last, and whose prices are stale by now."""

import math
from collections.abc import Collection
from typing import Final

from oddsdesk.board.basis import Basis
from oddsdesk.board.freshness import NEVER_STALE_MS
from oddsdesk.board.matrix import MarketFacts
from oddsdesk.board.prices import Price
from oddsdesk.board.reference import Renaming, renamed

SEEN_TOGETHER_MS: Final = 5_000
"""A price that was seen so much earlier than another of its market and bookmaker is dated anew."""
_LOOKED_AT_EVERY_MS: Final = 10_000
"""How often all are looked at at most because bookmakers are given more time, or less."""


class Ages:
    """The ages of one market's prices, by bookmaker; keeps ``facts.stale`` true."""

    def __init__(self, facts: MarketFacts) -> None:
        self.states: dict[str | None, bool] = {}
        """Whether each bookmaker's prices are in play, as was told last; ``state`` changes it."""
        self._facts = facts
        self._seen: dict[str | None, Price] = {}
        """The price of each bookmaker that was seen last."""
        self._just_seen: dict[str | None, None] = {}
        """Bookmakers of whom a price was seen that may make them stale, or no more, until its age
        was looked at."""
        self._redated: dict[str | None, None] = {}
        """Bookmakers of whom one price was seen, which dates the others."""
        self._stale_at: dict[str | None, float] = {}
        """When each bookmaker's prices may be stale that are not, in milliseconds, or later."""
        self._due_at = 0.0
        """When the first of them may be."""
        self._looked_at = self._lessons = 0
        """When all were looked at last, and by which lesson of the scrape intervals."""

    @property
    def are_due(self) -> bool:
        """Whether a price was seen that bears on ages, and that was not looked at."""
        return bool(self._just_seen or self._redated)

    def see(self, bookmaker: str | None, price: Price) -> None:
        """Note that a price was seen."""
        last = self._seen.get(bookmaker)
        if last is None or price.scraped_at >= last.scraped_at:
            self._seen[bookmaker] = price
            age = price.heard_at - price.scraped_at
            if age > NEVER_STALE_MS or bookmaker in self._facts.stale:
                self._just_seen[bookmaker] = None
            if last is None:
                self._due_at = 0.0
            elif price.scraped_at - last.scraped_at > SEEN_TOGETHER_MS:
                self._redated[bookmaker] = None

    def state(self, bookmaker: str | None, is_live: bool) -> None:
        """Note that a bookmaker's prices are in play, where they age faster, or are not."""
        self.states[bookmaker] = is_live
        self._stale_at.pop(bookmaker, None)
        self._due_at = 0.0

    def take_redated(self) -> list[tuple[str | None, int]]:
        """Return whose other prices are to be dated by the one that was seen, and when it was."""
        redated, self._redated = self._redated, {}
        return [(bookmaker, self._seen[bookmaker].scraped_at) for bookmaker in redated]

    def turned_as_seen(self, basis: Basis) -> list[str | None]:
        """Return who of those just seen is stale and was not, or is no more."""
        just_seen, self._just_seen = self._just_seen, {}
        return [name for name in just_seen if self._turns(name, self._seen[name].heard_at, basis)]

    def turned(self, basis: Basis, now_ms: int) -> list[str | None]:
        """Return who of all is stale by now and was not, or is no more."""
        lessons, due = basis.scrape_interval.lessons, self._due(now_ms)
        if lessons != self._lessons and now_ms - self._looked_at >= _LOOKED_AT_EVERY_MS:
            self._looked_at, self._lessons, due = now_ms, lessons, list(self._seen)
        turned = [name for name in due if self._turns(name, now_ms, basis)]
        if due:
            self._due_at = min(self._stale_at.values())
        return turned

    def rename(self, renaming: Renaming) -> None:
        """Keep what is known under other keys, once others are the reference's."""
        self._stale_at.clear()
        self._due_at = 0.0
        self._seen = renamed(self._seen, renaming)
        self.states = renamed(self.states, renaming)
        self._redated = renamed(self._redated, renaming)
        self._just_seen = renamed(self._just_seen, renaming)
        self._facts.stale = {renaming.get(name, name) for name in self._facts.stale}

    def _due(self, now_ms: int) -> Collection[str | None]:
        if now_ms < self._due_at:
            return ()
        stale_at = self._stale_at
        return [name for name in self._seen if stale_at.get(name, 0) <= now_ms]

    def _turns(self, bookmaker: str | None, now_ms: int, basis: Basis) -> bool:
        """Note whether a bookmaker's prices are stale; tell whether they were not, or no more."""
        price, stale, interval = self._seen[bookmaker], self._facts.stale, basis.scrape_interval
        in_play = self.states.get(bookmaker, price.is_live)
        after = interval.stale_after_ms(bookmaker or basis.reference.name or "", in_play)
        age = now_ms - price.scraped_at
        if age > after:
            age -= interval.patience_with(price.heard_at, now_ms, in_play)
        stale_at = now_ms + after - age + 1 if age <= after else math.inf
        self._stale_at[bookmaker] = stale_at
        self._due_at = min(self._due_at, stale_at)
        if (age > after) == (bookmaker in stale):
            return False
        stale ^= {bookmaker}
        return True
