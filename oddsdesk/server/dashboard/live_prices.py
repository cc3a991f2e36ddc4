"""What the pages below ``LIVE`` show of a price: what the desk's board says of it, and its age.

The server may not import the board. ``cli/live_values`` asks it; ``serve`` passes that function in.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from oddsdesk.contract.times import MINUTE_MS, WINDOW_MS, format_ms
from oddsdesk.pricing.assessment import usual_stale_after_ms


class Age(NamedTuple):
    """How long ago a price was seen."""

    at: str
    """When, as on the wire."""
    text: str
    old_after_s: int
    is_old: bool


class JudgedPrice(NamedTuple):
    """What the desk's board says of a price; times in milliseconds, texts in English."""

    game_id: str
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    is_live: bool
    market_type: str
    period: int
    selection: str
    bookmaker: str
    odds: float
    net_odds: float
    """After the commission that the bookmaker usually takes."""
    fair_odds: float | None
    ev: float | None
    """EV as people read it, in percent."""
    has_pushes: bool
    """Whether pushes are in the EV; else how often the line pushes is not known."""
    derived: str
    """How the fair odds follow from other lines of the sharp book; empty if it prices this one."""
    is_value: bool
    is_value_when_fresh: bool
    """Whether only age speaks against it, or that the feed is delayed or the game has started."""
    why: str
    """Why it is not a value bet; empty if it is one."""
    doubt: str
    """Why it is never the best, whatever it pays; empty for nothing."""
    for_sale: str
    """What can be had at these odds; empty if unknown."""
    limit: float | None
    """The most that the sharp book takes."""
    seen_at: int
    sharp_seen_at: int

    def age(self, now_ms: int) -> Age:
        """Return the age of the price."""
        return age_of(self.seen_at, now_ms, in_play=self._in_play(now_ms))

    def sharp_age(self, now_ms: int) -> Age:
        """Return the age of the sharp book's."""
        return age_of(self.sharp_seen_at, now_ms, in_play=self._in_play(now_ms))

    def has_started(self, now_ms: int) -> bool:
        """Whether its kick-off has passed, but the price is not marked as in play."""
        return not self.is_live and self.kick_off is not None and now_ms > self.kick_off

    def is_sure(self, now_ms: int) -> bool:
        """Whether it is value, also by the ages of now: it may have been judged a moment ago."""
        is_old = self.age(now_ms).is_old or self.sharp_age(now_ms).is_old
        return self.is_value and not is_old and not self.has_started(now_ms)

    def is_shown(self, now_ms: int) -> bool:
        """Whether it has an EV here: it is value if fresh, and REST still has both its prices."""
        is_worth_it = self.is_value or self.is_value_when_fresh
        return is_worth_it and now_ms - min(self.seen_at, self.sharp_seen_at) <= WINDOW_MS

    def _in_play(self, now_ms: int) -> bool:
        return self.is_live or self.has_started(now_ms)


PriceKey = tuple[str, int, str, str]
"""Market type, period, selection and bookmaker."""


class JudgedGame(NamedTuple):
    """What the desk's board says of the prices of a game."""

    prices: Mapping[PriceKey, JudgedPrice]
    best: Mapping[tuple[str, int, str], tuple[str, ...]]
    """Who offers the best net odds, by market type, period and selection."""


WITHOUT_PUSHES: Final = "without pushes, as how often the line pushes is not known"


def age_of(seen_at: int, now_ms: int, *, in_play: bool) -> Age:
    """Return the age of a price.

    It is old from the age at which the desk calls a price stale whose bookmaker's rhythm it does
    not know.
    """
    age_ms, after_ms = max(0, now_ms - seen_at), usual_stale_after_ms(in_play)
    return Age(format_ms(seen_at), _span(age_ms), after_ms // 1_000, age_ms > after_ms)


def _span(ms: int) -> str:
    seconds = ms // 1_000
    return f"{seconds} s" if seconds < 90 else f"{ms // MINUTE_MS} min"


def odds_text(odds: float) -> str:
    """Return odds with two decimals, or more if they have more."""
    return f"{odds:.2f}" if round(odds, 2) == odds else f"{odds:.7g}"
