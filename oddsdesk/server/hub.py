"""The hub: tails the log of price changes and hands each change to whoever wants it."""

import asyncio
import contextlib
import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from oddsdesk.server.figures import Sample
from oddsdesk.server.frames import price_frame
from oddsdesk.server.loop_access import LoopAccess
from oddsdesk.server.retry import RetryWhileUnavailable
from oddsdesk.server.subscribers import Channel, Interest, Subscriber, Subscribers
from oddsdesk.server.troubles import Troubles
from oddsdesk.slices import in_slices
from oddsdesk.store.errors import StoreError
from oddsdesk.store.keys import Caller
from oddsdesk.store.spans import Position
from oddsdesk.store.tail import Batch, Tail
from oddsdesk.store.values import Change

BATCH: Final = 256
"""Changes read at once: about a millisecond of work."""
CHECK_S: Final = 0.2
RETRY_S: Final = 1.0
BREATH_BYTES: Final = 256 * 1024
BREATH_S: Final = 0.02
"""The pause of the hub while a client has much unread: so an import closes no quick reader."""

KEY_BACKLOG: Final = 64 * 1024 * 1024
"""Bytes that may wait for all streams of a key together: as much as 16 that are too slow."""

UNAUTHORIZED: Final = 4001
FELL_BEHIND: Final = 4008
GOING_AWAY: Final = 1001
_STOPPING: Final = "the server is stopping: connect again with backoff"
_MISSED: Final = "changes were missed: connect again, and read the present state over REST"
_CHANGED: Final = (
    "the key was revoked or rotated, or its plan or bookmaker changed: fetch a new token"
)
_TOO_SLOW: Final = "too slow: connect again, and read the present state over REST"

_log = logging.getLogger(__name__)


class Hub:
    """Subscribers of the stream and the task that serves them; one event loop only."""

    def __init__(
        self,
        tail: Tail,
        access: LoopAccess,
        reference: str,
        troubles: Troubles | None = None,
    ) -> None:
        self._tail = tail
        self._access = access
        self._reference = reference
        self._subscribers = Subscribers()
        self._opening: set[Channel] = set()
        """Accepted, and not subscribed yet."""
        self._patience = RetryWhileUnavailable("the stream", troubles)
        self._position: Position = ()
        self._somebody_came = asyncio.Event()
        self._sending = asyncio.Lock()
        self._messages = 0
        self._checked = 0.0
        self._closed = False
        self._has_left_out = False

    async def position(self) -> Position:
        """Return where the log ends, for ``subscribe``.

        Raises:
            StoreUnavailableError: that is not known now.
        """
        return await self._tail.end()

    @contextlib.contextmanager
    def opening(self, channel: Channel) -> Iterator[None]:
        """Close a stream that is accepted and not subscribed yet when the server goes down, too."""
        self._opening.add(channel)
        try:
            yield
        finally:
            self._opening.discard(channel)

    async def subscribe(self, subscriber: Subscriber, position: Position) -> None:
        """Send a subscriber every change behind a position, which others may have passed by now.

        Raises:
            StoreUnavailableError: what they have passed cannot be read now.
        """
        async with self._sending:  # nobody is told anything meanwhile
            if self._subscribers:
                await self._catch_up(subscriber, position)
            self._add(subscriber, position)

    async def _catch_up(self, subscriber: Subscriber, position: Position) -> None:
        missed = await self._tail.between(position, self._position)
        if not missed:
            return
        alone = Subscribers()
        alone.add(subscriber)
        merged = await self._tail.merged_ids() if alone.ask_for_games else {}
        for change in missed:
            frame = self._frame(change) if any(alone.interests_in(change, merged)) else None
            if frame is not None and subscriber.channel.offer(frame):
                self._messages += 1

    def _add(self, subscriber: Subscriber, position: Position) -> None:
        if self._closed:
            subscriber.channel.close(GOING_AWAY, _STOPPING)
        elif not self._subscribers:
            self._position = position
        self._subscribers.add(subscriber)
        self._somebody_came.set()

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Send a subscriber nothing more."""
        self._subscribers.discard(subscriber)

    async def samples(self) -> list[Sample]:
        """Return how many listen, what they were sent, and how far they are behind the log."""
        found = [
            Sample("oddsdesk_stream_subscribers", len(self._subscribers)),
            Sample("oddsdesk_stream_messages_total", self._messages),
        ]
        with contextlib.suppress(StoreError):
            end = sum(await self._tail.end()) if self._subscribers else 0
            lag = end - sum(self._position) if self._subscribers else 0
            found.append(Sample("oddsdesk_stream_lag_changes", lag))
        return found

    def close(self) -> None:
        """Close every stream, and those that come later, because the server is going down."""
        self._closed = True
        for channel in (*self._opening, *(each.channel for each in self._subscribers)):
            channel.close(GOING_AWAY, _STOPPING)

    async def run(self) -> None:
        """Tail the log until cancelled; streams do not outlive it.

        After an error it may be run again: it goes on after the last change that it read.
        """
        try:
            with self._tail.listening():
                while True:
                    await self._somebody_came.wait()
                    await self._patience.do(self._turn, RETRY_S)
        except asyncio.CancelledError:
            self.close()
            raise

    async def _turn(self) -> None:
        if not self._subscribers:
            self._somebody_came.clear()
            return
        after = self._position
        batch = await self._tail.next(after, BATCH)
        if batch.changes:
            merged = await self._tail.merged_ids() if self._subscribers.ask_for_games else {}
            async with self._sending:
                if self._position == after:  # else all had left: these are the past for who came
                    await self._send(batch, merged)
            is_flood = len(batch.changes) >= BATCH
            await asyncio.sleep(BREATH_S if is_flood and self._is_someone_behind() else 0)
        self._check_streams()

    async def _send(self, batch: Batch, merged_ids: Mapping[str, Sequence[str]]) -> None:
        self._position = batch.end
        try:
            await in_slices(self._hand_out(batch.changes, merged_ids))
        except Exception:
            self._give_up_all()
            raise

    def _is_someone_behind(self) -> bool:
        return any(each.channel.backlog > BREATH_BYTES for each in self._subscribers)

    def _frame(self, change: Change) -> bytes | None:
        """Return a change's frame; a row that cannot be encoded is logged and left out."""
        try:
            return price_frame(change, self._reference)
        except Exception:  # noqa: BLE001 - a row is no reason to end
            if not self._has_left_out:
                _log.exception("change %d and its like are left out of the stream", change.seq)
            self._has_left_out = True
            return None

    def _give_up_all(self) -> None:
        """Close the streams that are open, since they may have missed changes."""
        for subscriber in self._subscribers:
            subscriber.channel.close(FELL_BEHIND, _MISSED)
        self._subscribers.clear()

    def _hand_out(
        self, changes: Sequence[Change], merged_ids: Mapping[str, Sequence[str]]
    ) -> Iterator[None]:
        frames: dict[Interest, list[bytes]] = defaultdict(list)
        for change in changes:
            interests = [*self._subscribers.interests_in(change, merged_ids)]
            frame = self._frame(change) if interests else None
            if frame is not None:
                for interest in interests:
                    frames[interest].append(frame)
            yield
        for interest, wanted in frames.items():
            self._messages += len(wanted) * self._write(b"".join(wanted), interest)
            yield

    def _write(self, frames: bytes, interest: Interest) -> int:
        """Write frames to all who want them; return how many these are."""
        subscribers = self._subscribers.of(interest)
        for subscriber in subscribers:
            if not subscriber.channel.offer(frames):
                subscriber.channel.close(FELL_BEHIND, _TOO_SLOW)
        return len(subscribers)

    def _bound_backlogs(self) -> None:
        """End the slowest streams of a key for which too much waits, all of them together."""
        by_key: dict[int, list[tuple[int, Subscriber]]] = defaultdict(list)
        for each in self._subscribers:
            if backlog := each.channel.backlog:
                by_key[each.caller.key_id].append((backlog, each))
        for waiting in by_key.values():
            excess = sum(backlog for backlog, _ in waiting) - KEY_BACKLOG
            if excess > 0:
                waiting.sort(key=lambda each: -each[0])
            for backlog, each in waiting:
                if excess <= 0:
                    break
                excess -= backlog
                each.channel.close(FELL_BEHIND, _TOO_SLOW)
                self._subscribers.discard(each)

    def _check_streams(self) -> None:
        """End slow streams, and those of keys that were revoked or given other rights (D23).

        Now and then only, as it looks at every stream. The keys are those that the last check had
        read again: no stream waits for that.
        """
        now = time.monotonic()
        if now - self._checked < CHECK_S or not self._subscribers:
            return
        self._checked = now
        self._bound_backlogs()
        self._access.refresh_soon()
        by_caller: dict[Caller, list[Subscriber]] = defaultdict(list)
        for subscriber in self._subscribers:
            by_caller[subscriber.caller].append(subscriber)
        for caller, subscribers in by_caller.items():
            if not self._access.is_unchanged(caller):
                for subscriber in subscribers:
                    subscriber.channel.close(UNAUTHORIZED, _CHANGED)
