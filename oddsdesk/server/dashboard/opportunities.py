"""Arbitrage, middles and low hold for the pages below ``LIVE``.

The board finds them, which the server may not import: who starts the server hands a function in.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from oddsdesk.contract import resources
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
    """Of the worst outcome; for a middle, outside of it."""
    margin_pct: float
    """How far the prices of all legs add up above 100 %; below 0 for an arbitrage."""
    hit_pct: float | None
    """The least profit in a middle; None if it is none."""
    chance_pct: float | None
    """The chance of that by the sharp book; None if unknown."""
    legs: list[LegLine]


FindOpportunities = Callable[[Prices], list[OpportunityLine]]


class _Held(NamedTuple):
    lines: list[OpportunityLine]
    read_at: int
    until: int


class HeldOpportunities:
    """What was found last, by what may be seen; one search runs at a time, in its own thread."""

    def __init__(self, find: FindOpportunities) -> None:
        self._find = find
        self._thread = ThreadPoolExecutor(1, "opportunities")
        self._lock = asyncio.Lock()
        self._held: dict[Visibility, _Held] = {}

    async def get(
        self, visibility: Visibility, now_ms: int, read: Callable[[], Awaitable[Prices]]
    ) -> tuple[list[OpportunityLine], int]:
        """Return all of them, the best first, and when their prices were read (ms)."""
        async with self._lock:
            held = self._held.get(visibility)
            if held is None or not held.read_at <= now_ms < held.until:
                prices, began = await read(), time.monotonic()
                loop = asyncio.get_running_loop()
                lines = await loop.run_in_executor(self._thread, self._find, prices)
                shown_s = max(LEAST_S, (time.monotonic() - began) * _SHARE)
                until = prices.now_ms + round(shown_s * 1_000)
                held = self._held[visibility] = _Held(lines, prices.now_ms, until)
            return held.lines, held.read_at

    def end_thread(self) -> None:
        """End the thread once it has found what it is looking for."""
        self._thread.shutdown(wait=False, cancel_futures=True)
