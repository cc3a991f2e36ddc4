"""A market of its own: made-up bookmakers on made-up games, as a feed."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from random import Random

from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.simulator.fixtures import load_fixtures
from oddsdesk.feeds.simulator.world import World

_OPENING_BATCH = 400
_BATCH = 600
_OPENING_PAUSE_S = 0.1
"""Between the batches of the opening: a window that starts beside needs the interpreter too."""
_LONGEST_PAUSE_S = 0.5
_SHORTEST_PAUSE_S = 0.1

Sleep = Callable[[float], Awaitable[object]]
"""Waits for so many seconds."""


class Simulator:
    """Simulated odds around a sharp reference; the same seed and clock give the same quotes."""

    name = "simulator"
    simulated = True
    recorded_at = None
    is_over = False
    origin = None

    def __init__(
        self,
        reference: str = "Pinnacle",
        seed: int | None = None,
        *,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._reference = reference
        self._seed = seed
        self._sleep = sleep

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield the whole market at once, soonest games first, then every scrape as it falls due.

        No slice between two awaits holds the loop for more than a few milliseconds.
        """
        random = Random(self._seed)  # noqa: S311 - a game, not a secret
        world = World(load_fixtures(), self._reference, random, clock())
        batch: list[Quote] = []
        for quotes in world.opening():
            batch += quotes
            if len(batch) >= _OPENING_BATCH:
                yield batch
                batch = []
                await self._sleep(_OPENING_PAUSE_S)
            await self._sleep(0)
        while True:
            for quotes in world.until(clock()):
                batch += quotes
                if len(batch) >= _BATCH:
                    yield batch
                    batch = []
                await self._sleep(0)
            if batch:
                yield batch
                batch = []
            pause_s = (world.next_ms - clock()) / 1000
            await self._sleep(min(max(pause_s, _SHORTEST_PAUSE_S), _LONGEST_PAUSE_S))
