"""Value bets, arbitrage, middles and low hold for the pages below ``LIVE``.

The board finds them, which the server may not import: who starts the server hands a function in.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from oddsdesk.contract import resources
from oddsdesk.contract.times import WINDOW_MS, parse_ms
from oddsdesk.pricing.assessment import usual_stale_after_ms
from oddsdesk.server.dashboard.live_prices import JudgedGame, JudgedPrice
from oddsdesk.store.values import Visibility

LEAST_S: Final = 10.0
"""For how long what was found is shown at least (s)."""
_SHARE: Final = 10
"""It is shown for this many times as long as it took to find, so that little time goes into it."""


class Prices(NamedTuple):
    """Current prices that an account may see."""

    rows: list[resources.OddsRow]
    reference: str
    draws: list[tuple[str, int, str]]
    """Game id, period and bookmaker of draws priced in the last day."""
    now_ms: int

    def count_old(self) -> tuple[int, int]:
        """Return how many rows of the last 10 minutes are too old for a leg, and of how many."""
        ages = [
            (self.now_ms - parse_ms(row.scraped_at), usual_stale_after_ms(self._is_in_play(row)))
            for row in self.rows
        ]
        current = [age > most for age, most in ages if age <= WINDOW_MS]
        return sum(current), len(current)

    def _is_in_play(self, row: resources.OddsRow) -> bool:
        return row.is_live or (
            row.match_date is not None and parse_ms(row.match_date) < self.now_ms
        )


class LegLine(NamedTuple):
    """A leg of an opportunity."""

    text: str
    """What it is on: ``Over 2.5``, ``Lay Arsenal``."""
    bookmaker: str
    odds: float
    """As offered; for a lay, the backer's odds."""
    net_odds: float
    """After the commission that bookmakers usually take; a lay as a back of the other side."""
    seen_at: int
    """When it was last seen (ms)."""
    for_sale: tuple[float, str] | None
    """The stake, of a lay the liability, that the odds take, and its currency; None if unknown."""
    is_lay: bool
    warnings: list[str]
    link: str


class OpportunityLine(NamedTuple):
    """An opportunity; percentages are of all stakes together, after commission."""

    kind: str
    """A value of ``OpportunityKind``."""
    game_id: str
    match_name: str
    competition: str
    sport: str
    market: str
    kick_off: int | None
    is_live: bool
    profit_pct: float
    """Of the worst outcome that decides, after stakes are rounded; for a middle, outside of it."""
    margin_pct: float
    """How far the prices of all legs add up above 100 %; below 0 for an arbitrage."""
    push_pct: float | None
    """The profit if the line is hit exactly; None if it cannot be."""
    hit_pct: float | None
    """The least profit in a middle; None if it is none."""
    chance_pct: float | None
    """The chance of that by the sharp book; None if unknown."""
    is_too_good: bool
    """Whether a price of it is likely an error."""
    warning: str
    """What speaks against it as a whole; empty for nothing."""
    legs: list[LegLine]
    rules_differ: bool
    """Whether rules of settlement differ by the notes; else some are not known."""
    notes: list[str]
    """What may become of legs by the bookmakers' rules of settlement."""

    @property
    def has_warning(self) -> bool:
        """Whether to check before betting: it is listed behind all others."""
        return self.is_too_good or any(leg.warnings for leg in self.legs)


class Found(NamedTuple):
    """What the board finds among prices."""

    bets: list[JudgedPrice]
    """Value bets and those that are value but for their age, the highest EV first."""
    opportunities: list[OpportunityLine]
    """All of them, in the order in which they are shown."""


class Judge(NamedTuple):
    """What asks the board, on any thread."""

    find: Callable[[Prices], Found]
    judge_game: Callable[[Prices], JudgedGame]


class Held(NamedTuple):
    """What was found among prices."""

    found: Found
    old: tuple[int, int]
    """How many rows were too old, as ``Prices.count_old``."""
    read_at: int
    """When the prices were read (ms)."""
    until: int
    """How long it is shown (ms)."""


class HeldFound:
    """What was found last, by what may be seen; one search runs at a time, in its own thread."""

    def __init__(self, find: Callable[[Prices], Found]) -> None:
        self._find = find
        self._thread = ThreadPoolExecutor(1, "opportunities")
        self._lock = asyncio.Lock()
        self._held: dict[Visibility, Held] = {}

    async def get(
        self, visibility: Visibility, now_ms: int, read: Callable[[], Awaitable[Prices]]
    ) -> Held:
        """Return what was found last; search again if that is too long ago."""
        async with self._lock:
            held = self._held.get(visibility)
            if held is None or not held.read_at <= now_ms < held.until:
                prices, began = await read(), time.monotonic()
                loop = asyncio.get_running_loop()
                found, old = await loop.run_in_executor(self._thread, self._search, prices)
                shown_s = max(LEAST_S, (time.monotonic() - began) * _SHARE)
                until = prices.now_ms + round(shown_s * 1_000)
                held = self._held[visibility] = Held(found, old, prices.now_ms, until)
            return held

    def _search(self, prices: Prices) -> tuple[Found, tuple[int, int]]:
        return self._find(prices), prices.count_old()

    def end_thread(self) -> None:
        """End the thread once it has found what it is looking for."""
        self._thread.shutdown(wait=False, cancel_futures=True)
