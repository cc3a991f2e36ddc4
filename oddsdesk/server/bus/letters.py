"""What goes over the bus: signed, since the bus is not trusted, and numbered as the log is."""

import hmac
from collections import defaultdict, deque
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import msgspec

from oddsdesk.store.spans import Position
from oddsdesk.store.tail import Batch
from oddsdesk.store.values import Change

FORMAT: Final = 2
"""Goes up with the fields of ``Told`` or ``Change``: processes of another format hear nothing."""
LONGEST: Final = 256 * 1024
"""Bytes of a letter; what is longer is told without its changes, and refused unread."""
MOST_KEPT: Final = 16_384
"""Changes that wait to be asked for; with more the database is quicker."""

_PURPOSE: Final = b"oddsdesk bus "
_SIGNATURE: Final = 32


class Told(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The log of a shard ends at ``last`` or later; ``changes`` are those up to it, or too many."""

    shard: int
    last: int
    changes: list[Change] = []

    @property
    def first(self) -> int:
        """The number of its first change."""
        return self.last - len(self.changes) + 1


class Letters:
    """Signs and reads letters by the secret of a database, which all who serve it know."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self.subject = f"oddsdesk.{FORMAT}.{self._sign(b'subject').hex()[:16]}"
        """Where those of this database and format are told, and nothing else."""
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Told).decode

    def write(self, told: Told) -> bytes:
        """Return a letter; where it would be too long, one that holds no changes."""
        body = self._encode(told)
        if len(body) > LONGEST - _SIGNATURE:
            body = self._encode(Told(told.shard, told.last))
        return self._sign(body) + body

    def read(self, letter: bytes) -> Told | None:
        """Return what a letter tells; None where it is none of this database's."""
        signature, body = letter[:_SIGNATURE], letter[_SIGNATURE:]
        if len(letter) > LONGEST or not hmac.compare_digest(signature, self._sign(body)):
            return None
        try:
            told = self._decode(body)
        except msgspec.DecodeError:
            return None
        return told if _is_dense(told) else None

    def _sign(self, body: bytes) -> bytes:
        return hmac.digest(self._secret, _PURPOSE + bytes((FORMAT,)) + body, "sha256")


class Heard:
    """What was told and not asked for yet."""

    def __init__(self) -> None:
        self._told: defaultdict[int, deque[Told]] = defaultdict(deque)
        self._kept = 0

    def take(self, told: Told) -> None:
        """Keep what was told, in the order in which it came."""
        if self._kept + len(told.changes) > MOST_KEPT:
            self.forget()
            told = Told(told.shard, told.last)
        self._told[told.shard].append(told)
        self._kept += len(told.changes)

    def behind(self, after: Position, limit: int) -> Batch:
        """Return the changes behind a position as far as they follow it without a gap.

        What is older is dropped. After ``limit`` changes of a shard no more are added.
        """
        changes: list[Change] = []
        end: list[int] = []
        for shard, seq in enumerate(after):
            found = self._following(self._told[shard], seq, limit)
            changes += found
            end.append(found[-1].seq if found else seq)
        return Batch(changes, tuple(end))

    def has_gap(self, after: Position) -> bool:
        """Whether something was told of which the beginning is missing; asked after ``behind``."""
        return any(_is_ahead(*each) for each in zip(self._of(after), after, strict=True))

    def forget_gaps(self, after: Position) -> None:
        """Drop what does not follow a position, since the database was asked and knows better."""
        for told, seq in zip(self._of(after), after, strict=True):
            if _is_ahead(told, seq):
                self._kept -= sum(len(each.changes) for each in told)
                told.clear()

    def forget(self) -> None:
        """Drop everything."""
        self._told.clear()
        self._kept = 0

    def _of(self, position: Position) -> list[deque[Told]]:
        return [self._told[shard] for shard in range(len(position))]

    def _following(self, told: deque[Told], seq: int, limit: int) -> list[Change]:
        found: list[Change] = []
        while told and told[0].first <= seq + 1 and len(found) < limit:
            each = told.popleft()
            self._kept -= len(each.changes)
            if each.changes and each.last > seq:
                found += each.changes[seq + 1 - each.first :]
                seq = each.last
        return found


def _is_ahead(told: Sequence[Told], seq: int) -> bool:
    return bool(told) and told[0].first > seq + 1


def _is_dense(told: Told) -> bool:
    """Whether the changes are numbered one after the other, up to the last."""
    if told.shard < 0 or told.first < 1:
        return False
    steps = all(one.seq + 1 == other.seq for one, other in pairwise(told.changes))
    return steps and (not told.changes or told.changes[-1].seq == told.last)
