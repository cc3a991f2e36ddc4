"""Feeds: what one is, how one is named, and how its quotes get into the store."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Protocol

from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.errors import FeedError
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.store import Store

__all__ = ["Feed", "FeedError", "open_feed", "run_feed"]

_log = logging.getLogger(__name__)


class Feed(Protocol):
    """A source of quotes; ``simulated`` says that its prices are made up."""

    @property
    def name(self) -> str:
        """What people read."""
        ...

    @property
    def simulated(self) -> bool:
        """Whether the prices are made up."""
        ...

    @property
    def recorded_at(self) -> int | None:
        """When the prices were first said, in milliseconds; None: they are of this moment."""
        ...

    def batches(self, clock: Clock) -> AsyncIterator[list[Quote]]:
        """Yield quotes as they come, each batch in the order it was said."""
        ...


def open_feed(spec: str, *, reference: str, speed: float = 1.0) -> Feed | None:
    """Return the feed that a text names: ``none``, ``simulator``, ``replay:[FORMAT:]FILE``.

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
    raise FeedError(f"feed {spec!r}: expected none, simulator, replay:FILE or replay:FORMAT:FILE")


async def run_feed(feed: Feed, store: Store, clock: Clock) -> None:
    """Record what a feed says until it ends or the task is cancelled.

    While the database can't be written its quotes are lost, and the log says so once.
    """
    unavailable = False
    async for batch in feed.batches(clock):
        try:
            await asyncio.wrap_future(store.record(batch, simulated=feed.simulated))
        except StoreUnavailableError as error:
            if not unavailable:
                _log.warning("%s: quotes are lost until this ends: %s", feed.name, error)
            unavailable = True
            continue
        if unavailable:
            _log.warning("%s: quotes are recorded again", feed.name)
        unavailable = False
