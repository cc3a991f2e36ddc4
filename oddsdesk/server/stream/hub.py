"""The hub: tails the log of price changes and sends each change to its subscribers."""

import asyncio
import contextlib
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec
from msgspec import UNSET, UnsetType

from oddsdesk.base.tasks import in_slices
from oddsdesk.contract.competitions import source_sport, sport_of
from oddsdesk.contract.resources import Offer, PriceMessage
from oddsdesk.contract.times import format_ms
from oddsdesk.server.gate import LoopAccess
from oddsdesk.server.rest import Sample
from oddsdesk.server.troubles import RetryWhileUnavailable, Troubles
from oddsdesk.store.errors import StoreError
from oddsdesk.store.keys import Caller
from oddsdesk.store.reader import Batch, Pair, Tail
from oddsdesk.store.spans import Position
from oddsdesk.store.values import Change

CHANNEL: Final = "oddsdesk.channel"
"""The ASGI scope extension with the connection itself, a ``Channel``."""


class Channel(Protocol):
    """A connection that accepts whole frames."""

    @property
    def backlog(self) -> int:
        """Bytes that wait for the client."""

    @property
    def offered_bytes(self) -> int:
        """Bytes of all accepted frames."""

    @property
    def ended(self) -> tuple[int, str] | None:
        """Its close code, who closed it and why; None if it never was a stream."""

    def offer_frames(self, frames: bytes) -> bool:
        """Write frames without waiting; False if the client is too far behind."""

    def close(self, code: int, reason: str) -> None:
        """Close after all offered frames."""


class Interest(NamedTuple):
    """What a subscriber wants and may see; equal ones get the same bytes."""

    sport: str | None = None
    competition: str | None = None
    bookmaker: str | None = None
    game_id: str | None = None
    live: bool = True
    is_elsewhere: bool = False
    """Whether it is not on this machine, so that odds that may not be passed on are left out."""


class Subscriber(msgspec.Struct, frozen=True, eq=False):
    """A connection, its interest, and its key."""

    channel: Channel
    interest: Interest
    caller: Caller


class _Shape(NamedTuple):
    """Which fields of an interest are set: few combinations, however many interests."""

    sport: bool
    competition: bool
    bookmaker: bool
    game_id: bool
    live: bool
    is_elsewhere: bool


def _shape(interest: Interest) -> _Shape:
    return _Shape(
        interest.sport is not None,
        interest.competition is not None,
        interest.bookmaker is not None,
        interest.game_id is not None,
        interest.live,
        interest.is_elsewhere,
    )


class Subscribers:
    """All subscribers, by interest; truthy while there are any."""

    def __init__(self) -> None:
        self._by_interest: dict[Interest, set[Subscriber]] = defaultdict(set)
        self._shapes: Counter[_Shape] = Counter()

    def __iter__(self) -> Iterator[Subscriber]:
        return iter([each for group in self._by_interest.values() for each in group])

    def __len__(self) -> int:
        return sum(len(group) for group in self._by_interest.values())

    def __bool__(self) -> bool:
        return bool(self._by_interest)

    def add_subscriber(self, subscriber: Subscriber) -> None:
        """Add one."""
        if subscriber.interest not in self._by_interest:
            self._shapes[_shape(subscriber.interest)] += 1
        self._by_interest[subscriber.interest].add(subscriber)

    def discard(self, subscriber: Subscriber) -> None:
        """Remove one, if it is there."""
        group = self._by_interest.get(subscriber.interest, set())
        if subscriber not in group:
            return
        group.remove(subscriber)
        if not group:
            del self._by_interest[subscriber.interest]
            self._shapes -= Counter((_shape(subscriber.interest),))

    def remove_all(self) -> None:
        """Remove all."""
        self._by_interest.clear()
        self._shapes.clear()

    def subscribers_of(self, interest: Interest) -> set[Subscriber]:
        """Return the subscribers with an interest."""
        return self._by_interest.get(interest, set())

    @property
    def ask_for_games(self) -> bool:
        """Return whether anyone wants a single game."""
        return any(shape.game_id for shape in self._shapes)

    @property
    def are_elsewhere(self) -> bool:
        """Return whether anyone is not on this machine."""
        return any(shape.is_elsewhere for shape in self._shapes)

    def interests_in(
        self,
        change: Change,
        merged_ids: Mapping[str, Sequence[str]],
        left_out: Collection[Pair] = (),
    ) -> Iterator[Interest]:
        """Yield the interests of current subscribers that match a change.

        ``merged_ids``: by game id, the ids of games joined into it. ``left_out``: what is not for
        people elsewhere.
        """
        games = (change.game_id, *merged_ids.get(change.game_id, ()))
        for sport, competition, bookmaker, game_id, live, is_elsewhere in self._shapes:
            if change.is_live and not live:
                continue
            if is_elsewhere and (change.game, change.bookmaker) in left_out:
                continue
            for game in games if game_id else (None,):
                interest = Interest(
                    sport_of(change.competition) if sport else None,
                    change.competition if competition else None,
                    change.bookmaker if bookmaker else None,
                    game,
                    live,
                    is_elsewhere,
                )
                if interest in self._by_interest:
                    yield interest


BATCH: Final = 256
"""Changes read at once: about a millisecond of work."""
CHECK_S: Final = 0.2
RETRY_S: Final = 1.0
BREATH_BYTES: Final = 256 * 1024
BREATH_S: Final = 0.02
"""The hub's pause while a client has much unread, so that an import closes no fast reader."""

KEY_BACKLOG: Final = 64 * 1024 * 1024
"""Bytes that may wait for all streams of a key together: like 16 that are too slow."""

UNAUTHORIZED: Final = 4001
FELL_BEHIND: Final = 4008
GOING_AWAY: Final = 1001
_STOPPING: Final = "the server is stopping: reconnect with backoff"
_MISSED: Final = "changes were missed: reconnect, and read the current state over REST"
_CHANGED: Final = (
    "the key was revoked or rotated, or its plan or bookmaker changed: get a new token"
)
_TOO_SLOW: Final = "too slow: reconnect, and read the current state over REST"

_log = logging.getLogger(__name__)


class Hub:
    """Subscribers of the stream and the task that serves them; one event loop only."""

    def __init__(
        self,
        tail: Tail,
        access: LoopAccess,
        reference: str,
        troubles: Troubles | None = None,
        share: Collection[str] = (),
    ) -> None:
        """``share``: sources that people elsewhere may have, though their terms forbid it."""
        self._tail = tail
        self._access = access
        self._reference = reference
        self._share = share
        self._subscribers = Subscribers()
        self._opening: set[Channel] = set()
        """Accepted but not subscribed yet."""
        self._patience = RetryWhileUnavailable("the stream", troubles)
        self._position: Position = ()
        self._somebody_came = asyncio.Event()
        self._sending = asyncio.Lock()
        self._messages = 0
        self._checked = 0.0
        self._closed = False
        self._has_left_out = False

    async def position(self) -> Position:
        """Return the end of the log, for ``subscribe``.

        Raises:
            StoreUnavailableError: it is unknown now.
        """
        return await self._tail.end()

    @contextlib.contextmanager
    def opening(self, channel: Channel) -> Iterator[None]:
        """Also close a stream that is not subscribed yet when the server stops."""
        self._opening.add(channel)
        try:
            yield
        finally:
            self._opening.discard(channel)

    async def subscribe(self, subscriber: Subscriber, position: Position) -> None:
        """Send a subscriber every change after a position, even if others are further by now.

        Raises:
            StoreUnavailableError: the changes in between cannot be read now.
        """
        async with self._sending:  # nothing else is sent in between
            if self._subscribers:
                await self._catch_up(subscriber, position)
            self._add(subscriber, position)

    async def _catch_up(self, subscriber: Subscriber, position: Position) -> None:
        missed = await self._tail.between(position, self._position)
        if not missed:
            return
        alone = Subscribers()
        alone.add_subscriber(subscriber)
        exceptions = await self._exceptions(alone, missed)
        for change in missed:
            frame = self._frame(change) if any(alone.interests_in(change, *exceptions)) else None
            if frame is not None and subscriber.channel.offer_frames(frame):
                self._messages += 1

    async def _exceptions(
        self, subscribers: Subscribers, changes: Sequence[Change]
    ) -> tuple[Mapping[str, Sequence[str]], Collection[Pair]]:
        """Return joined games and what is left out, as far as these subscribers need them."""
        tail = self._tail
        merged = await tail.merged_ids() if subscribers.ask_for_games else {}
        is_any_elsewhere = subscribers.are_elsewhere
        left_out = await tail.pairs_left_out(changes, self._share) if is_any_elsewhere else ()
        return merged, left_out

    def _add(self, subscriber: Subscriber, position: Position) -> None:
        if self._closed:
            subscriber.channel.close(GOING_AWAY, _STOPPING)
        elif not self._subscribers:
            self._position = position
        self._subscribers.add_subscriber(subscriber)
        self._somebody_came.set()

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Stop sending to a subscriber."""
        self._subscribers.discard(subscriber)

    def streams_by_key(self) -> Counter[int]:
        """Return the number of streams of each key."""
        return Counter(each.caller.key_id for each in self._subscribers)

    async def stream_samples(self) -> list[Sample]:
        """Return the number of streams, sent messages, and the lag behind the log."""
        found = [
            Sample("oddsdesk_stream_subscribers", len(self._subscribers)),
            Sample("oddsdesk_stream_messages_total", self._messages),
        ]
        with contextlib.suppress(StoreError):
            end = sum(await self._tail.end()) if self._subscribers else 0
            lag = end - sum(self._position) if self._subscribers else 0
            found.append(Sample("oddsdesk_stream_lag_changes", lag))
        return found

    def close_streams(self) -> None:
        """Close every stream, and later ones, because the server is stopping."""
        self._closed = True
        for channel in (*self._opening, *(each.channel for each in self._subscribers)):
            channel.close(GOING_AWAY, _STOPPING)

    async def tail_log(self) -> None:
        """Tail the log until cancelled; streams do not outlive it.

        After an error it may be run again: it continues after the last change it read.
        """
        try:
            with self._tail.listening():
                while True:
                    await self._somebody_came.wait()
                    await self._patience.do(self._turn, RETRY_S)
        except asyncio.CancelledError:
            self.close_streams()
            raise

    async def _turn(self) -> None:
        if not self._subscribers:
            self._somebody_came.clear()
            return
        after = self._position
        batch = await self._tail.next(after, BATCH)
        if batch.changes:
            async with self._sending:  # so nobody comes between the look and the sending
                exceptions = await self._exceptions(self._subscribers, batch.changes)
                if self._position == after:  # otherwise all had left: these are old for new ones
                    await self._send(batch, *exceptions)
            is_flood = len(batch.changes) >= BATCH
            await asyncio.sleep(BREATH_S if is_flood and self._is_someone_behind() else 0)
        self._check_streams()

    async def _send(
        self, batch: Batch, merged_ids: Mapping[str, Sequence[str]], left_out: Collection[Pair]
    ) -> None:
        self._position = batch.end
        try:
            await in_slices(self._hand_out(batch.changes, merged_ids, left_out))
        except Exception:
            self._give_up_all()
            raise

    def _is_someone_behind(self) -> bool:
        return any(each.channel.backlog > BREATH_BYTES for each in self._subscribers)

    def _frame(self, change: Change) -> bytes | None:
        """Return a change's frame; a row that cannot be encoded is logged and skipped."""
        try:
            return price_frame(change, self._reference)
        except Exception:  # noqa: BLE001 - a row is no reason to end
            if not self._has_left_out:
                _log.exception("change %d and others like it cannot be streamed", change.seq)
            self._has_left_out = True
            return None

    def _give_up_all(self) -> None:
        """Close all open streams, because they may have missed changes."""
        for subscriber in self._subscribers:
            subscriber.channel.close(FELL_BEHIND, _MISSED)
        self._subscribers.remove_all()

    def _hand_out(
        self,
        changes: Sequence[Change],
        merged_ids: Mapping[str, Sequence[str]],
        left_out: Collection[Pair],
    ) -> Iterator[None]:
        frames: dict[Interest, list[bytes]] = defaultdict(list)
        for change in changes:
            interests = [*self._subscribers.interests_in(change, merged_ids, left_out)]
            frame = self._frame(change) if interests else None
            if frame is not None:
                for interest in interests:
                    frames[interest].append(frame)
            yield
        for interest, wanted in frames.items():
            self._messages += len(wanted) * self._write(b"".join(wanted), interest)
            yield

    def _write(self, frames: bytes, interest: Interest) -> int:
        """Write frames to all subscribers of an interest; return how many there are."""
        subscribers = self._subscribers.subscribers_of(interest)
        for subscriber in subscribers:
            if not subscriber.channel.offer_frames(frames):
                subscriber.channel.close(FELL_BEHIND, _TOO_SLOW)
        return len(subscribers)

    def _bound_backlogs(self) -> None:
        """Close the slowest streams of a key if too much waits for all of them together."""
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
        """Close slow streams, and those of keys that were revoked or given other rights.

        It looks at every stream, so it runs rarely. It uses the keys as read by the previous check,
        so no stream waits for a read.
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


_FINAL_TEXT = 0x81
_encoder = msgspec.json.Encoder()
_decode_offers = msgspec.json.Decoder(dict[str, Offer]).decode


def text_frame(payload: bytes) -> bytes:
    """Return a whole text frame as a server sends it: no mask (RFC 6455, 5.2)."""
    size = len(payload)
    if size < 126:
        return bytes((_FINAL_TEXT, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2) + payload
    return b"\x81\x7f" + size.to_bytes(8) + payload


def price_frame(change: Change, reference: str) -> bytes | None:
    """Return the frame for a change.

    None for a price that is no longer offered, which sends none, and for odds that may not be
    passed on.
    """
    if change.odds is None or change.is_left_out:
        return None
    return text_frame(
        _encoder.encode(
            PriceMessage(
                bookmaker=change.bookmaker,
                match_name=change.match_name,
                competition=change.competition,
                sport=sport_of(change.competition),
                market_type=change.market_type,
                selection=change.selection,
                odds=change.odds,
                period=change.period,
                is_live=change.is_live,
                scraped_at=format_ms(change.scraped_at),
                liquidity=change.liquidity if change.bookmaker == reference else UNSET,
                source_sport=source_sport(change.competition, change.sport),
                offer=_offer(change),
            )
        )
    )


def _offer(change: Change) -> Offer | UnsetType:
    """Return the selection's offer, if it belongs to these odds."""
    if change.offers is None:
        return UNSET
    offer = _decode_offers(change.offers).get(change.selection)
    if offer is None or (offer.back and offer.back[0][0] != change.odds):
        return UNSET
    return offer if offer.back or offer.lay else UNSET
