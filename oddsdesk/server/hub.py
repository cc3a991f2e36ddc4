"""The hub: tails the log of price changes and hands each change to whoever wants it."""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

import msgspec

from oddsdesk.server.frames import price_frame
from oddsdesk.server.log_watch import LogWatch
from oddsdesk.server.retry import RetryWhileUnavailable
from oddsdesk.server.troubles import Troubles
from oddsdesk.slices import in_slices
from oddsdesk.store.access import AccessStore
from oddsdesk.store.keys import Caller
from oddsdesk.store.store import Store
from oddsdesk.store.values import Change

BATCH: Final = 256
"""Changes read at once: about a millisecond of work."""
KEY_CHECK_S: Final = 0.5
RETRY_S: Final = 1.0
BREATH_BYTES: Final = 256 * 1024
BREATH_S: Final = 0.02
"""The pause of the hub while a client has much unread: so an import closes no quick reader."""

UNAUTHORIZED: Final = 4001
FELL_BEHIND: Final = 4008
GOING_AWAY: Final = 1001

_log = logging.getLogger(__name__)


class Channel(Protocol):
    """A connection that takes whole frames."""

    @property
    def backlog(self) -> int:
        """Bytes that wait for the client."""

    def offer(self, frames: bytes) -> bool:
        """Write frames without waiting; False where the client has fallen too far behind."""

    def close(self, code: int, reason: str) -> None:
        """Close after all frames that were offered."""


class Interest(msgspec.Struct, frozen=True):
    """What a subscriber asked for and may see; equal ones are sent the same bytes."""

    sport: str | None = None
    competition: str | None = None
    bookmaker: str | None = None
    game_id: str | None = None
    live: bool = True


class Subscriber(msgspec.Struct, frozen=True, eq=False):
    """A connection, what it wants, and whose it is."""

    channel: Channel
    interest: Interest
    caller: Caller


class _Message(msgspec.Struct, frozen=True):
    frame: bytes
    sport: str
    competition: str
    bookmaker: str
    game_id: str
    is_live: bool

    def matches(self, interest: Interest) -> bool:
        return (
            (interest.live or not self.is_live)
            and interest.sport in (None, self.sport)
            and interest.competition in (None, self.competition)
            and interest.bookmaker in (None, self.bookmaker)
            and interest.game_id in (None, self.game_id)
        )


class Hub:
    """Subscribers of the stream and the task that serves them; one event loop only."""

    def __init__(
        self,
        store: Store,
        access: AccessStore,
        reference: str,
        troubles: Troubles | None = None,
    ) -> None:
        self._store = store
        self._access = access
        self._reference = reference
        self._by_interest: dict[Interest, set[Subscriber]] = defaultdict(set)
        self._watch = LogWatch(store)
        self._patience = RetryWhileUnavailable("the stream", troubles)
        self._seq = 0
        self._keys_checked = 0.0
        self._closed = False
        self._has_left_out = False

    def subscribe(self, subscriber: Subscriber) -> None:
        """Send a subscriber every change from now on."""
        if self._closed:
            subscriber.channel.close(GOING_AWAY, "the server is going down")
        elif not self._by_interest:
            self._seq = self._store.reader().last_seq()
        self._by_interest[subscriber.interest].add(subscriber)

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Send a subscriber nothing more."""
        subscribers = self._by_interest[subscriber.interest]
        subscribers.discard(subscriber)
        if not subscribers:
            del self._by_interest[subscriber.interest]

    def close(self) -> None:
        """Close every stream, and those that come later, because the server is going down."""
        self._closed = True
        for subscriber in self._subscribers():
            subscriber.channel.close(GOING_AWAY, "the server is going down")

    async def run(self) -> None:
        """Tail the log until cancelled; streams do not outlive it.

        After an error it may be run again: it goes on after the last change that it read.
        """
        try:
            with self._watch.listening():
                while True:
                    await self._watch.wait()
                    await self._patience.do(self._turn, RETRY_S)
        except asyncio.CancelledError:
            self.close()
            raise

    async def _turn(self) -> None:
        await self._send_changes()
        self._check_keys()

    async def _send_changes(self) -> None:
        while self._by_interest:
            changes = self._store.reader().changes_after(self._seq, BATCH)
            if not changes:
                return
            messages = [*self._messages(changes)]
            self._seq = changes[-1].seq
            try:
                await in_slices(self._hand_out(messages))
            except Exception:
                self._give_up_all()
                raise
            self._check_keys()
            is_flood = len(changes) == BATCH
            await asyncio.sleep(BREATH_S if is_flood and self._is_someone_behind() else 0)

    def _is_someone_behind(self) -> bool:
        return any(each.channel.backlog > BREATH_BYTES for each in self._subscribers())

    def _messages(self, changes: Sequence[Change]) -> Iterator[_Message]:
        for change in changes:
            frame = self._frame(change)
            if frame is not None:
                yield _Message(
                    frame,
                    change.sport,
                    change.competition,
                    change.bookmaker,
                    change.game_id,
                    change.is_live,
                )

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
        for subscriber in self._subscribers():
            subscriber.channel.close(FELL_BEHIND, "changes were missed: read the present state")
        self._by_interest.clear()

    def _hand_out(self, messages: Sequence[_Message]) -> Iterator[None]:
        for interest in list(self._by_interest):
            frames = b"".join([each.frame for each in messages if each.matches(interest)])
            if frames:
                self._write(frames, interest)
            yield

    def _write(self, frames: bytes, interest: Interest) -> None:
        for subscriber in self._by_interest.get(interest, ()):
            if not subscriber.channel.offer(frames):
                subscriber.channel.close(FELL_BEHIND, "too slow: read the present state again")

    def _check_keys(self) -> None:
        """End the streams of keys that were revoked, rotated or given other rights (D23)."""
        now = time.monotonic()
        if now - self._keys_checked < KEY_CHECK_S:
            return
        self._keys_checked = now
        by_caller: dict[Caller, list[Subscriber]] = defaultdict(list)
        for subscriber in self._subscribers():
            by_caller[subscriber.caller].append(subscriber)
        for caller, subscribers in by_caller.items():
            if self._access.keys.present(caller) != caller:
                for subscriber in subscribers:
                    subscriber.channel.close(UNAUTHORIZED, "the key is not what it was")

    def _subscribers(self) -> list[Subscriber]:
        return [each for group in self._by_interest.values() for each in group]
