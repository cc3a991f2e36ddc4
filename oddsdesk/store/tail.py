"""Following the log of price changes as it grows, whatever engine keeps it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, runtime_checkable

from oddsdesk.store.reader import Reader
from oddsdesk.store.spans import Position
from oddsdesk.store.values import Change


class Batch(NamedTuple):
    """Changes in the order of their shards' logs; ``end`` is the position behind them."""

    changes: Sequence[Change]
    end: Position


class Tail(Protocol):
    """The end of a log that grows; what reads may raise ``StoreUnavailableError``."""

    def listening(self) -> AbstractContextManager[None]:
        """Hear of growth inside the ``with`` block, on the running loop."""

    async def end(self) -> Position:
        """Return the position of the last changes."""

    async def next(self, after: Position, limit: int) -> Batch:
        """Return the changes behind a position, in order, without a gap or a repeat.

        As many of each shard as ``limit``. It waits for them, but not for ever: after a while it
        returns none.
        """

    async def between(self, after: Position, end: Position) -> Sequence[Change]:
        """Return the changes behind a position, up to another; both were there before."""

    async def merged_ids(self) -> Mapping[str, Sequence[str]]:
        """Return the ids of games that became part of another, by that one's id (D69)."""


class Grown(NamedTuple):
    """What was recorded in a shard: from which of its numbers to which.

    Now and then it is of what was rolled back: who wants the changes reads what there is.
    """

    shard: int
    first: int
    last: int
    changes: Sequence[Change] = ()
    """All of it that is there, where that is little; what any source forbids to pass on is
    marked as left out."""


OnRecorded = Callable[[Grown], None]


@runtime_checkable
class Announcing(Protocol):
    """A store that other machines use, too, and that knows what it recorded itself."""

    def on_recorded(self, callback: OnRecorded) -> Callable[[], None]:
        """Call back, on any thread, after a commit; return how to end that."""
        ...

    def reader_for_all(self) -> Reader:
        """Return a reader of the calling thread that marks what any source forbids to pass on."""
        ...


def log_end(reader: Reader) -> Position:
    """Return where the log ends now."""
    return tuple(reader.last_seq(shard) for shard in range(reader.shards))


def read_after(reader: Reader, after: Position, limit: int) -> Batch:
    """Return the changes behind a position, as many of each shard as ``limit``."""
    changes: list[Change] = []
    end: list[int] = []
    for shard, seq in enumerate(after):
        found = reader.changes_after(seq, limit, shard)
        changes += found
        end.append(found[-1].seq if found else seq)
    return Batch(changes, tuple(end))


def read_between(reader: Reader, after: Position, end: Position) -> list[Change]:
    """Return the changes behind a position up to another, as far as it lies behind the first."""
    changes: list[Change] = []
    for shard, (seq, last) in enumerate(zip(after, end, strict=True)):
        if last > seq:
            found = reader.changes_after(seq, last - seq, shard)
            changes += [each for each in found if each.seq <= last]
    return changes
