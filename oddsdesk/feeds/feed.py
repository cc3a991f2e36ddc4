"""Feeds: what one is, how one is named, and how its quotes get into the store."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import Final, Protocol

from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.errors import FeedError
from oddsdesk.store.errors import Fault, RealOddsError, StoreUnavailableError
from oddsdesk.store.origins import Origin
from oddsdesk.store.store import Store

__all__ = ["Feed", "FeedError", "Recorder", "one_of", "open_feed"]

MOST_AT_ONCE: Final = 500
"""Quotes recorded at a time, however many a feed says: other feeds are recorded between."""
RETRY_S: Final = 1.0
"""Seconds until quotes that the database refused are recorded again."""

_log = logging.getLogger(__name__)


class Feed(Protocol):
    """A source of quotes; ``simulated`` says that its prices are made up."""

    @property
    def name(self) -> str:
        """Its name for people."""
        ...

    @property
    def simulated(self) -> bool:
        """Whether the prices are made up."""
        ...

    @property
    def recorded_at(self) -> int | None:
        """Which moment of a recording is played now, in milliseconds; None: it is of now."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether it is a recording that was played to its end."""
        ...

    @property
    def origin(self) -> Origin | None:
        """Which source it tells the prices of; None: made up, or said by the user's program."""
        ...

    def batches(self, clock: Clock) -> AsyncGenerator[list[Quote], None]:
        """Yield quotes as they come, each batch in the order it was said."""
        ...


def open_feed(spec: str, *, reference: str, speed: float = 1.0) -> Feed | None:
    """Return the feed that a text names: ``none``, ``simulator``, ``replay:[FORMAT:]FILE``, or
    a live feed, ``NAME:WHAT?option=value&...`` (``feeds.live``).

    Args:
        spec: The text; FILE may be a folder or a pattern.
        reference: The reference bookmaker that a simulated market follows.
        speed: How many recorded seconds a replay plays in a second.

    Raises:
        FeedError: there is no such feed, or its files can't be used.
    """
    if spec == "none":
        return None
    if spec == "simulator":
        from oddsdesk.feeds.simulator import Simulator  # noqa: PLC0415 - big tables, one use

        return Simulator(reference=reference)
    kind, _, place = spec.partition(":")
    if kind == "replay" and place:
        from oddsdesk.feeds.replay import open_replay  # noqa: PLC0415 - 25 ms the desk saves

        return open_replay(place, speed)
    if place and kind not in ("none", "simulator", "replay"):
        from oddsdesk.feeds.live.adapters import open_live  # noqa: PLC0415 - few servers run one

        return open_live(spec)
    from oddsdesk.feeds.live.adapters import what_is_meant  # noqa: PLC0415 - as above

    raise FeedError(
        f"feed {spec!r}: expected none, simulator, replay:FILE, replay:FORMAT:FILE or a live feed"
        f" such as the-odds-api:soccer_epl{what_is_meant(kind)}"
    )


@contextlib.contextmanager
def one_of(number: int, count: int) -> Iterator[None]:
    """Say of which of several feeds an error is that is raised inside; they count from 1."""
    try:
        yield
    except FeedError as error:
        if count == 1:
            raise
        raise FeedError(f"feed {number} of {count}: {error}") from error


class Recorder:
    """Records a feed's quotes, and keeps those that the database refuses until it takes them.

    The feed waits meanwhile, so that at most one batch is kept and nothing is lost.
    """

    def __init__(
        self,
        feed: Feed,
        store: Store,
        clock: Clock,
        before_more: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """``before_more`` is waited for once the first batch of a simulation is recorded."""
        self._feed = feed
        self._before_more = before_more if feed.simulated else None
        self.name = feed.name
        """What the log calls the feed."""
        self._store = store
        self._clock = clock
        self._later = 0
        """Quotes of a batch whose turn comes yet."""
        self.waiting = 0
        """How many quotes the database refuses now."""
        self.fault: Fault | None = None
        """Why it refuses them."""
        self.recorded = 0
        """Quotes that the database took."""
        self.lost = 0
        """Quotes that could not be recorded: for an error of their own, or as the feed ended."""
        self.lost_at = 0.0
        """When the last of them were lost (``time.monotonic``)."""
        self.ended_by = ""
        """Why a simulation ended by itself."""

    async def run(self) -> None:
        """Record until the feed ends or the task is cancelled.

        A simulation takes back what an earlier one offered: of both together nobody makes a price.
        """
        try:
            await self._accepted(0, lambda: self.withdraw_simulated(another=True))
            async with aclosing(self._feed.batches(self._clock)) as batches:
                async for batch in batches:
                    for start in range(0, len(batch), MOST_AT_ONCE):
                        self._later = max(len(batch) - start - MOST_AT_ONCE, 0)
                        await self._take(batch[start : start + MOST_AT_ONCE])
                    if self._before_more is not None:
                        await self._before_more()
        except RealOddsError as error:
            self.ended_by = str(error)
            _log.warning("%s ends: %s", self.name, error)
        finally:
            self._give_up()

    async def withdraw_simulated(self, *, another: bool = False) -> None:
        """Take back what a simulation offers, as it ends or ``another`` begins.

        Nobody offers that, and beside other prices of the same game it would be judged with them.

        Raises:
            StoreUnavailableError: the database refuses; then the prices age away.
        """
        if self._feed.simulated:
            await asyncio.wrap_future(self._store.end_simulation(another=another))

    async def _take(self, batch: list[Quote]) -> None:
        try:
            await self._record(batch)
        except RealOddsError:
            raise
        except Exception:  # noqa: BLE001 - task wrapper of one batch: what is wrong in it?
            await self._record_singly(batch)

    async def _record(self, batch: list[Quote]) -> None:
        feed = self._feed
        shifted = feed.recorded_at is not None

        async def record() -> None:
            recorded = self._store.record(batch, feed.simulated, feed.origin, shifted=shifted)
            await asyncio.wrap_future(recorded)

        await self._accepted(len(batch) + self._later, record)
        self.recorded += len(batch)

    async def _accepted(self, quotes: int, work: Callable[[], Awaitable[None]]) -> None:
        """Do work until the database takes it, with so many quotes waiting meanwhile."""
        while True:
            try:
                await work()
            except StoreUnavailableError as error:
                if self.fault is None:
                    _log.warning("%s waits, its quotes are kept: %s", self.name, error)
                self.waiting, self.fault = quotes, error.fault
                await asyncio.sleep(RETRY_S)
                continue
            if self.fault is not None:
                _log.warning("%s: quotes are recorded again, none are lost", self.name)
            self.waiting, self.fault = 0, None
            return

    async def _record_singly(self, batch: list[Quote]) -> None:
        for quote in batch:
            try:
                await self._record([quote])
            except Exception:  # noqa: BLE001 - task wrapper of one quote: told, and gone on
                if not self.lost:
                    _log.exception("%s: a quote cannot be recorded", self.name)
                self._lose(1)

    def _give_up(self) -> None:
        if self.waiting:
            _log.warning("%s ends: %d quotes are lost", self.name, self.waiting)
            self._lose(self.waiting)
        self.waiting, self.fault = 0, None

    def _lose(self, quotes: int) -> None:
        self.lost += quotes
        self.lost_at = time.monotonic()
