"""Feeds: their interface, their names, and how quotes and results get into the store."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from functools import partial
from typing import Final, Protocol, TypeVar

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, Reported, with_source
from oddsdesk.feeds.errors import FeedError
from oddsdesk.store.errors import Fault, RealOddsError, StoreUnavailableError
from oddsdesk.store.store import Store
from oddsdesk.store.values import Origin

__all__ = ["Feed", "FeedError", "Recorder", "one_of", "open_feed"]

MOST_AT_ONCE: Final = 500
"""Quotes per recording, so that other feeds get their turn."""
RETRY_S: Final = 1.0
"""Seconds until what the database refused is retried."""
T = TypeVar("T")

_log = logging.getLogger(__name__)


class Feed(Protocol):
    """A source of quotes and results; ``simulated`` says that they are made up."""

    @property
    def name(self) -> str:
        """Its name for people."""

    @property
    def simulated(self) -> bool:
        """Whether the prices are made up."""

    @property
    def recorded_at(self) -> int | None:
        """The moment of a recording that is playing, in milliseconds; None for current odds."""

    @property
    def is_over(self) -> bool:
        """Whether it is a recording that has played to its end."""

    @property
    def origin(self) -> Origin | None:
        """The source of its prices; None: made up, or from the user's own program."""

    def batches(self, clock: Clock) -> AsyncGenerator[Sequence[Reported], None]:
        """Yield quotes and results as they come, each batch in order."""


def open_feed(spec: str, *, reference: str, speed: float = 1.0) -> Feed | None:
    """Return the feed with this name: ``none``, ``simulator``, ``replay:[FORMAT:]FILE``, or
    a live feed, ``NAME:WHAT?option=value&...`` (``feeds.live``).

    Args:
        spec: The name; FILE may be a folder or a pattern.
        reference: The sharp book that a simulated market follows.
        speed: Recorded seconds per second of a replay.

    Raises:
        FeedError: no such feed, or its files cannot be used.
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
    """Name the feed, by number, in errors that are raised inside."""
    try:
        yield
    except FeedError as error:
        if count == 1:
            raise
        raise FeedError(f"feed {number} of {count}: {error}") from error


class Recorder:
    """Records a feed's quotes and results; keeps what the database refuses until it accepts it.

    The feed waits meanwhile, so that at most one batch is held and nothing is lost.
    """

    def __init__(
        self,
        feed: Feed,
        store: Store,
        clock: Clock,
        before_more: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """``before_more`` is awaited once the first batch of a simulation is recorded."""
        self._feed = feed
        self._before_more = before_more if feed.simulated else None
        self.name = feed.name
        """The feed's name in the log."""
        self._store = store
        self._clock = clock
        self._later = 0
        """How much of the batch is still to be recorded."""
        self.waiting = 0
        """Number of quotes and results that the database currently refuses."""
        self.fault: Fault | None = None
        """Why it refuses them."""
        self.recorded = 0
        """Number of quotes and results recorded."""
        self.lost = 0
        """Quotes and results that were lost: invalid, or refused until the feed ended."""
        self.lost_at = 0.0
        """When the last of them was lost (``time.monotonic``)."""
        self.ended_by = ""
        """Why a simulation ended by itself."""

    async def record_feed(self) -> None:
        """Record until the feed ends or the task is cancelled.

        A simulation first removes the prices of an earlier one, since the two do not fit together.
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
            _log.warning("%s ended: %s", self.name, error)
        finally:
            self._give_up()

    async def withdraw_simulated(self, *, another: bool = False) -> None:
        """Remove the prices of a simulation when it ends or ``another`` begins.

        Nobody offers them, and they must not be compared with other prices of the same game.

        Raises:
            StoreUnavailableError: the database refuses; the prices then grow stale.
        """
        if self._feed.simulated:
            await asyncio.wrap_future(self._store.end_simulation(another=another))

    async def _take(self, batch: Sequence[Reported]) -> None:
        told = (each for each in batch if isinstance(each, GameResult))
        results = [self._with_source(each) for each in told if not self._is_made_up(each)]
        quotes = [each for each in batch if isinstance(each, Quote)]
        self._later += len(results)
        await self._record_all(quotes, self._record_quotes)
        self._later -= len(results)
        await self._record_all(results, self._record_results)

    def _is_made_up(self, result: GameResult) -> bool:
        """Return whether a feed of real games reports a simulated one, which is left out."""
        return result.simulated and not self._feed.simulated

    def _with_source(self, result: GameResult) -> GameResult:
        feed = self._feed
        said = with_source(result, feed.name if feed.origin is None else feed.origin.source)
        return msgspec.structs.replace(said, simulated=True) if feed.simulated else said

    async def _record_quotes(self, quotes: list[Quote]) -> None:
        feed = self._feed
        shifted = feed.recorded_at is not None
        recorded = self._store.record(quotes, feed.simulated, feed.origin, shifted=shifted)
        await asyncio.wrap_future(recorded)

    async def _record_results(self, results: list[GameResult]) -> None:
        await asyncio.wrap_future(self._store.record_results(results, self._feed.origin))

    async def _record_all(
        self, batch: list[T], record: Callable[[list[T]], Awaitable[None]]
    ) -> None:
        """Record quotes, or results; if one of them is invalid, record the others singly."""
        if not batch:
            return
        try:
            await self._accepted(len(batch) + self._later, lambda: record(batch))
            self.recorded += len(batch)
        except RealOddsError:
            raise
        except Exception:  # noqa: BLE001 - task wrapper of one batch: find the bad one
            await self._record_singly(batch, record)

    async def _accepted(self, waiting: int, work: Callable[[], Awaitable[None]]) -> None:
        """Repeat work until the database accepts it, with this much waiting."""
        while True:
            try:
                await work()
            except StoreUnavailableError as error:
                if self.fault is None:
                    _log.warning("%s is waiting, its quotes are kept: %s", self.name, error)
                self.waiting, self.fault = waiting, error.fault
                await asyncio.sleep(RETRY_S)
                continue
            if self.fault is not None:
                _log.warning("%s: quotes are recorded again, none are lost", self.name)
            self.waiting, self.fault = 0, None
            return

    async def _record_singly(
        self, batch: list[T], record: Callable[[list[T]], Awaitable[None]]
    ) -> None:
        for each in batch:
            try:
                await self._accepted(1 + self._later, partial(record, [each]))
                self.recorded += 1
            except RealOddsError:
                raise
            except Exception:  # noqa: BLE001 - task wrapper of one quote: log it and continue
                if not self.lost:
                    what = "result" if isinstance(each, GameResult) else "quote"
                    _log.exception("%s: a %s cannot be recorded", self.name, what)
                self._lose(1)

    def _give_up(self) -> None:
        if self.waiting and not self._feed.simulated:  # losing made-up prices does not matter
            _log.warning("%s ended: %d quotes are lost", self.name, self.waiting)
            self._lose(self.waiting)
        self.waiting, self.fault = 0, None

    def _lose(self, quotes: int) -> None:
        self.lost += quotes
        self.lost_at = time.monotonic()
