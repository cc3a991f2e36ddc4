"""What the processes of one server tell each other: datagrams, which come whole or not at all."""

import logging
import socket
from collections.abc import Iterator
from typing import Final

import msgspec

from oddsdesk.contract.administration import FeedReport
from oddsdesk.server.figures import Sample
from oddsdesk.server.troubles import Trouble

SUPERVISOR: Final = 0
"""The mailbox of the supervisor; those of workers have their numbers, from 1."""
LONGEST: Final = 1 << 20

_log = logging.getLogger(__name__)


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """A worker does what its roles say."""

    worker: int


class Alive(msgspec.Struct, frozen=True, tag="alive"):
    """The loop of a worker turns, and none of its threads hangs; ``troubles`` are short lines."""

    worker: int
    troubles: list[str] = []


class CannotStart(msgspec.Struct, frozen=True, tag="cannot start"):
    """A worker gives up before it was ready; one line says why."""

    worker: int
    reason: str


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """A worker is no more, though nobody stopped it."""

    worker: int


class LogGrew(msgspec.Struct, frozen=True, tag="log grew"):
    """There are new price changes."""


class Condition(msgspec.Struct, frozen=True, tag="condition"):
    """How a worker is; ``feeds`` are told by who has the database's lock (``is_owner``)."""

    worker: int
    is_owner: bool
    troubles: list[Trouble]
    feeds: list[FeedReport]
    figures: list[Sample] = []


Message = Ready | Alive | CannotStart | Ended | LogGrew | Condition


class Mailboxes:
    """One mailbox for the supervisor and one for each worker.

    They are made before the first worker is begun and stay as they are, so that each process, also
    one that is begun anew, can write to all others.
    """

    def __init__(self, workers: int) -> None:
        self.workers = range(1, workers + 1)
        self._pairs = [
            socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(workers + 1)
        ]
        for each in (end for pair in self._pairs for end in pair):
            each.setblocking(False)
        self._decoder = msgspec.json.Decoder(Message)

    def send(self, to: int, message: Message) -> bool:
        """Put a message into a mailbox, from any thread; False where it is full now."""
        try:
            self._pairs[to][1].send(msgspec.json.encode(message))
        except BlockingIOError:
            return False
        except OSError as error:  # too long, or the system has no memory for it
            _log.warning("worker %d was not told: %s", to, error)
        return True

    def receive(self, own: int) -> Iterator[Message]:
        """Yield what is in a mailbox, without waiting."""
        while True:
            try:
                letter = self._pairs[own][0].recv(LONGEST)
            except BlockingIOError:
                return
            yield self._decoder.decode(letter)

    def fileno(self, own: int) -> int:
        """Return what becomes readable when a message comes."""
        return self._pairs[own][0].fileno()

    def close(self) -> None:
        """Close all of them, in this process."""
        for each in (end for pair in self._pairs for end in pair):
            each.close()
