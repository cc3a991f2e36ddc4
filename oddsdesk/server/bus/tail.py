"""The log as the stream follows it where a bus tells what others recorded."""

import asyncio
import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

from oddsdesk.server.bus.letters import Heard
from oddsdesk.server.polled_tail import PolledTail
from oddsdesk.store.spans import Position
from oddsdesk.store.tail import Batch

LOOK_S: Final = 0.25
"""How often the database is asked besides: a message that is lost costs no more."""


class Announcements(Protocol):
    """What a bus told."""

    heard: Heard

    @property
    def is_open(self) -> bool:
        """Whether the bus works, as far as is known."""

    def telling(self, wake: asyncio.Event) -> contextlib.AbstractContextManager[None]:
        """Set an event whenever something was told, inside the block."""


class BusTail:
    """``store.tail.Tail``: the next changes are handed out as they are told, a gap is read.

    The database is the only truth: where the bus is away, it is ``polled`` as without one.
    """

    def __init__(self, polled: PolledTail, bus: Announcements) -> None:
        self._polled = polled
        self._bus = bus
        self._told = asyncio.Event()
        self._looked_at = float("-inf")
        self._is_behind = False
        self.end = polled.end
        self.between = polled.between

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Hear of growth inside the ``with`` block, on the running loop."""
        with self._polled.listening(), self._bus.telling(self._told):
            yield

    async def next(self, after: Position, limit: int) -> Batch:
        """Return the changes behind a position; none where none came within a quarter second."""
        if not self._bus.is_open:
            return await self._polled.next(after, limit)
        batch = self._heard(after, limit)
        if batch is None and not self._is_due(after):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(self._next_look()):
                    await self._told.wait()
            batch = self._heard(after, limit)
        if batch is not None:
            return batch
        if not self._is_due(after):
            return Batch([], after)
        return await self._look(after, limit)

    async def merged_ids(self) -> Mapping[str, Sequence[str]]:
        """Return the ids of games that became part of another, as they were lately (D69)."""
        return await self._polled.merged_ids()

    def _heard(self, after: Position, limit: int) -> Batch | None:
        self._told.clear()
        batch = self._bus.heard.behind(after, limit)
        return batch if batch.changes else None

    def _is_due(self, after: Position) -> bool:
        is_late = time.monotonic() - self._looked_at >= LOOK_S
        return self._is_behind or is_late or self._bus.heard.has_gap(after)

    def _next_look(self) -> float:
        left = LOOK_S - (time.monotonic() - self._looked_at)
        return asyncio.get_running_loop().time() + max(left, 0.0)

    async def _look(self, after: Position, limit: int) -> Batch:
        self._looked_at = time.monotonic()
        batch = await self._polled.read(after, limit)
        self._is_behind = len(batch.changes) >= limit
        if not batch.changes:
            self._bus.heard.forget_gaps(after)
        return batch
