"""The log of price changes in a remote database, followed by the stream."""

import asyncio
import contextlib
import hmac
import time
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from oddsdesk.base.places import how_to_install
from oddsdesk.server.fairness import ReaderPool
from oddsdesk.server.settings import Settings
from oddsdesk.server.stream.log_tail import LogTail, LogWatch, OnGrowth
from oddsdesk.server.troubles import Trouble
from oddsdesk.store.access import AccessStore
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.errors import StoreError
from oddsdesk.store.reader import Announcing, Batch, Pair, Tail, log_end, read_after, read_between
from oddsdesk.store.spans import Position
from oddsdesk.store.store import Store
from oddsdesk.store.values import Change

if TYPE_CHECKING:
    from oddsdesk.cluster.bus import Bus

QUICK_S: Final = 0.01
"""The pause between two looks while prices move."""
SLOW_S: Final = 0.25
"""The longest pause, and how long ``next`` waits for changes."""
STEADY_S: Final = 2.0
"""How long looks stay quick after a change (s)."""
MERGED_S: Final = 0.25
"""How long the ids of joined games are cached (s)."""


class Rhythm:
    """The time until the next look: short while prices move, longer the longer they rest."""

    def __init__(self) -> None:
        self._grew_at = 0.0
        self._pause_s = SLOW_S

    def grew(self, now_s: float) -> None:
        """Note that a look found changes."""
        self._grew_at = now_s
        self._pause_s = QUICK_S

    def pause_s(self, now_s: float) -> float:
        """Return how long to wait after a look that found nothing."""
        if now_s - self._grew_at > STEADY_S:
            self._pause_s = min(2 * self._pause_s, SLOW_S)
        return self._pause_s


class PolledTail:
    """The tail of a remote database: no query blocks the loop.

    ``on_growth`` reports this process's recordings at once; those of others are found by looking.
    """

    def __init__(self, store: Store, on_growth: OnGrowth | None = None) -> None:
        self._store = store
        self._watch = LogWatch(on_growth or store.on_commit)
        self._rhythm = Rhythm()
        self._reads = ReaderPool("tail", threads=1)
        self._merged: tuple[float, Mapping[str, Sequence[str]]] = (float("-inf"), {})

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Get notified of growth inside the ``with`` block, on the running loop."""
        with self._watch.listening():
            yield

    async def end(self) -> Position:
        """Return the position of the last changes."""
        return await self._reads.run(lambda: log_end(self._store.reader()))

    async def read_changes(self, after: Position, limit: int) -> Batch:
        """Return the changes after a position that are there now."""
        batch = await self._reads.run(lambda: read_after(self._store.reader(), after, limit))
        if batch.changes:
            self._rhythm.grew(time.monotonic())
        return batch

    async def next(self, after: Position, limit: int) -> Batch:
        """Return the changes after a position; none if none came within ``SLOW_S``."""
        deadline = time.monotonic() + SLOW_S
        while True:
            batch = await self.read_changes(after, limit)
            now = time.monotonic()
            if batch.changes or now >= deadline:
                return batch
            await self._watch.wait_for_change(self._rhythm.pause_s(now))

    async def between(self, after: Position, end: Position) -> Sequence[Change]:
        """Return the changes after a position, up to another."""
        return await self._reads.run(lambda: read_between(self._store.reader(), after, end))

    async def pairs_left_out(
        self, changes: Sequence[Change], share: Collection[str]
    ) -> Collection[Pair]:
        """Return which games and bookmakers in changes are not for people elsewhere."""
        return await self._reads.run(lambda: self._store.reader().pairs_left_out(changes, share))

    async def merged_ids(self) -> Mapping[str, Sequence[str]]:
        """Return the ids of games joined into another, as of lately."""
        asked, known = self._merged
        now = time.monotonic()
        if now - asked > MERGED_S:
            known = await self._reads.run(lambda: self._store.reader().merged_ids())
            self._merged = now, known
        return known

    def close(self) -> None:
        """End its thread, once it is idle."""
        self._reads.close()


FORMAT: Final = 2
"""Raised when fields of ``ShardChanges`` or ``Change`` change: each format has its own subject."""
LONGEST: Final = 256 * 1024
"""Bytes of a letter; longer ones are sent without their changes, and refused unread."""
MOST_KEPT: Final = 16_384
"""Changes that wait to be read; above that reading the database is quicker."""

_PURPOSE: Final = b"oddsdesk bus "
_SIGNATURE: Final = 32


class ShardChanges(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The log of a shard ends at ``last`` or later; ``changes`` lead up to it, unless too many."""

    shard: int
    last: int
    changes: list[Change] = []

    @property
    def first(self) -> int:
        """The number of its first change."""
        return self.last - len(self.changes) + 1


class Letters:
    """Signs and reads letters with the secret of a database, which all its servers know."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self.subject = f"oddsdesk.{FORMAT}.{self._sign(b'subject').hex()[:16]}"
        """The subject of this database and format, used for nothing else."""
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(ShardChanges).decode

    def write_letter(self, news: ShardChanges) -> bytes:
        """Return a letter; without changes if it would be too long."""
        body = self._encode(news)
        if len(body) > LONGEST - _SIGNATURE:
            body = self._encode(ShardChanges(news.shard, news.last))
        return self._sign(body) + body

    def read_letter(self, letter: bytes) -> ShardChanges | None:
        """Return the contents of a letter; None if it is not from this database."""
        signature, body = letter[:_SIGNATURE], letter[_SIGNATURE:]
        if len(letter) > LONGEST or not hmac.compare_digest(signature, self._sign(body)):
            return None
        try:
            news = self._decode(body)
        except msgspec.DecodeError:
            return None
        return news if _is_dense(news) else None

    def _sign(self, body: bytes) -> bytes:
        return hmac.digest(self._secret, _PURPOSE + bytes((FORMAT,)) + body, "sha256")


class Inbox:
    """Received letters that are not read yet."""

    def __init__(self) -> None:
        self._letters: defaultdict[int, deque[ShardChanges]] = defaultdict(deque)
        self._kept = 0

    def add_changes(self, news: ShardChanges) -> None:
        """Keep a letter, in the order of arrival."""
        if self._kept + len(news.changes) > MOST_KEPT:
            self._letters.clear()
            self._kept = 0
            news = ShardChanges(news.shard, news.last)
        self._letters[news.shard].append(news)
        self._kept += len(news.changes)

    def behind(self, after: Position, limit: int) -> Batch:
        """Return the changes after a position as far as they follow without a gap.

        Older ones are dropped. At most ``limit`` changes of a shard are added.
        """
        changes: list[Change] = []
        end: list[int] = []
        for shard, seq in enumerate(after):
            found = self._following(self._letters[shard], seq, limit)
            changes += found
            end.append(found[-1].seq if found else seq)
        return Batch(changes, tuple(end))

    def has_gap(self, after: Position) -> bool:
        """Whether letters are there whose beginning is missing; call it after ``behind``."""
        return any(_is_ahead(*each) for each in zip(self._of(after), after, strict=True))

    def forget_gaps(self, after: Position) -> None:
        """Drop what does not follow a position, because the database was read."""
        for letters, seq in zip(self._of(after), after, strict=True):
            if _is_ahead(letters, seq):
                self._kept -= sum(len(each.changes) for each in letters)
                letters.clear()

    def _of(self, position: Position) -> list[deque[ShardChanges]]:
        return [self._letters[shard] for shard in range(len(position))]

    def _following(self, letters: deque[ShardChanges], seq: int, limit: int) -> list[Change]:
        found: list[Change] = []
        while letters and letters[0].first <= seq + 1 and len(found) < limit:
            each = letters.popleft()
            self._kept -= len(each.changes)
            if each.changes and each.last > seq:
                found += each.changes[seq + 1 - each.first :]
                seq = each.last
        return found


def _is_ahead(letters: Sequence[ShardChanges], seq: int) -> bool:
    return bool(letters) and letters[0].first > seq + 1


def _is_dense(news: ShardChanges) -> bool:
    """Whether the changes are numbered one after the other, up to the last."""
    if news.shard < 0 or news.first < 1:
        return False
    steps = all(one.seq + 1 == other.seq for one, other in pairwise(news.changes))
    return steps and (not news.changes or news.changes[-1].seq == news.last)


LOOK_S: Final = 0.25
"""How often the database is also read (s): the longest delay of a lost message."""


class Announcements(Protocol):
    """The letters of a bus."""

    inbox: Inbox

    @property
    def is_connected(self) -> bool:
        """Whether the bus works, as far as known."""

    def waking(self, wake: asyncio.Event) -> contextlib.AbstractContextManager[None]:
        """Set an event whenever a letter arrives, inside the block."""


class BusTail:
    """``store.reader.Tail``: changes come from letters, gaps are read from the database.

    The database is the only truth: without the bus it is ``polled``.
    """

    def __init__(self, polled: PolledTail, bus: Announcements) -> None:
        self._polled = polled
        self._bus = bus
        self._wake = asyncio.Event()
        self._looked_at = float("-inf")
        self._is_behind = False
        self.end = polled.end
        self.between = polled.between
        self.pairs_left_out = polled.pairs_left_out

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Get notified of growth inside the ``with`` block, on the running loop."""
        with self._polled.listening(), self._bus.waking(self._wake):
            yield

    async def next(self, after: Position, limit: int) -> Batch:
        """Return the changes after a position; none if none came within a quarter second."""
        if not self._bus.is_connected:
            return await self._polled.next(after, limit)
        batch = self._from_letters(after, limit)
        if batch is None and not self._is_due(after):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(self._next_look()):
                    await self._wake.wait()
            batch = self._from_letters(after, limit)
        if batch is not None:
            return batch
        if not self._is_due(after):
            return Batch([], after)
        return await self._look(after, limit)

    async def merged_ids(self) -> Mapping[str, Sequence[str]]:
        """Return the ids of games joined into another, as of lately."""
        return await self._polled.merged_ids()

    def _from_letters(self, after: Position, limit: int) -> Batch | None:
        self._wake.clear()
        batch = self._bus.inbox.behind(after, limit)
        return batch if batch.changes else None

    def _is_due(self, after: Position) -> bool:
        is_late = time.monotonic() - self._looked_at >= LOOK_S
        return self._is_behind or is_late or self._bus.inbox.has_gap(after)

    def _next_look(self) -> float:
        left = LOOK_S - (time.monotonic() - self._looked_at)
        return asyncio.get_running_loop().time() + max(left, 0.0)

    async def _look(self, after: Position, limit: int) -> Batch:
        self._looked_at = time.monotonic()
        batch = await self._polled.read_changes(after, limit)
        self._is_behind = len(batch.changes) >= limit
        if not batch.changes:
            self._bus.inbox.forget_gaps(after)
        return batch


_FOR_POSTGRESQL = "--bus: works with PostgreSQL only; a file needs none"


class FollowedLog:
    """The tail of a store's log, and the bus if there is one; started and stopped on a loop.

    ``on_growth`` also covers what other processes of this server recorded.
    """

    tail: Tail

    def __init__(
        self,
        store: Store,
        access: AccessStore,
        settings: Settings,
        on_growth: OnGrowth | None = None,
    ) -> None:
        """Make it; nothing is connected before ``start_following``.

        Raises:
            StoreError: the bus in the settings is not possible.
        """
        self._polled: PolledTail | None = None
        self._bus: Bus | None = None
        if isinstance(store, Announcing):
            self.tail = self._polled = PolledTail(store, on_growth)
            if settings.bus is not None:
                self._bus = _open_bus(settings.bus, access.secret, store, settings.shared_sources)
                self.tail = BusTail(self._polled, self._bus)
        elif settings.bus is None:
            self.tail = LogTail(store, on_growth)
        else:
            raise StoreError(_FOR_POSTGRESQL)

    def start_following(self) -> None:
        """Send what is recorded, and receive what others send."""
        if self._bus is not None:
            self._bus.start_bus()

    async def stop_following(self) -> None:
        """Stop; the tail is no longer used."""
        if self._bus is not None:
            await self._bus.stop_bus()
        if self._polled is not None:
            self._polled.close()

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with the bus."""
        if self._bus is not None:
            yield from self._bus.troubles()


def check_bus(settings: Settings) -> None:
    """Refuse an impossible bus, without connecting to it.

    Raises:
        StoreError: as for ``FollowedLog``.
    """
    assert settings.bus is not None
    if not isinstance(settings.database, DatabaseUrl):
        raise StoreError(_FOR_POSTGRESQL)
    with _needing_nats():
        from oddsdesk.cluster.bus import shown_url  # noqa: PLC0415 - an extra
    shown_url(settings.bus)


@contextlib.contextmanager
def _needing_nats() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise StoreError(
            f"--bus: NATS needs nats-py: {how_to_install('cluster')} ({error})"
        ) from error


def _open_bus(url: str, secret: bytes, store: Announcing, share: Sequence[str] | None) -> "Bus":
    with _needing_nats():
        from oddsdesk.cluster.bus import Bus  # noqa: PLC0415 - an extra

    def read_shard(seq: int, limit: int, shard: int) -> Sequence[Change]:
        return store.reader_for_all().changes_after(seq, limit, shard)

    return Bus(url, secret, store.on_recorded, read_shard, share)
