"""What a worker knows about the others."""

import asyncio
import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from oddsdesk.contract.administration import FeedReport
from oddsdesk.server.rest import Sample
from oddsdesk.server.troubles import Trouble

SUPERVISOR: Final = 0
"""The mailbox of the supervisor; workers have their numbers, from 1."""
LONGEST: Final = 1 << 20

_log = logging.getLogger(__name__)


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """A worker does the work of its roles."""

    worker: int


class Alive(msgspec.Struct, frozen=True, tag="alive"):
    """A worker's loop runs, and none of its threads hangs; ``troubles`` are short lines."""

    worker: int
    troubles: list[str] = []


class CannotStart(msgspec.Struct, frozen=True, tag="cannot start"):
    """A worker gives up before it was ready; one line with the reason."""

    worker: int
    reason: str


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """A worker has died, though nobody stopped it."""

    worker: int


class LogGrew(msgspec.Struct, frozen=True, tag="log grew"):
    """There are new price changes."""


class Condition(msgspec.Struct, frozen=True, tag="condition"):
    """A worker's state; ``feeds`` come from the leader (``is_owner``)."""

    worker: int
    is_owner: bool
    troubles: list[Trouble]
    feeds: list[FeedReport]
    figures: list[Sample] = []


Message = Ready | Alive | CannotStart | Ended | LogGrew | Condition


class Mailboxes:
    """One mailbox for the supervisor and one for each worker.

    They are made before the first worker is started and never change, so that each process, also a
    restarted one, can write to all others.
    """

    def __init__(self, workers: int) -> None:
        self.workers = range(1, workers + 1)
        self._pairs = [socket.socketpair(type=socket.SOCK_DGRAM) for _ in range(workers + 1)]
        for each in (end for pair in self._pairs for end in pair):
            each.setblocking(False)
        self._decoder = msgspec.json.Decoder(Message)

    def send_message(self, to: int, message: Message) -> bool:
        """Put a message into a mailbox, from any thread; False if it is full now."""
        try:
            self._pairs[to][1].send(msgspec.json.encode(message))
        except BlockingIOError:
            return False
        except OSError as error:  # too long, or the system has no memory for it
            _log.warning("cannot send to worker %d: %s", to, error)
        return True

    def receive(self, own: int) -> Iterator[Message]:
        """Yield the contents of a mailbox, without waiting."""
        while True:
            try:
                letter = self._pairs[own][0].recv(LONGEST)
            except BlockingIOError:
                return
            yield self._decoder.decode(letter)

    def fileno(self, own: int) -> int:
        """Return the file descriptor that becomes readable when a message comes."""
        return self._pairs[own][0].fileno()

    def close(self) -> None:
        """Close all of them, in this process."""
        for each in (end for pair in self._pairs for end in pair):
            each.close()


FRESH_S: Final = 3.0
"""How long the last state of a silent worker counts (s)."""
MOST_SILENT: Final = 6
"""A worker that is silent while this one reports its state this often hangs."""
TOLD_S: Final = 60.0
"""How long health reports that a worker died (s)."""


class Colleagues:
    """The other workers of a server; messages arrive on the loop of ``listening``."""

    def __init__(self, own: int, mailboxes: Mailboxes) -> None:
        self._own = own
        self._mailboxes = mailboxes
        self._others = [each for each in mailboxes.workers if each != own]
        self._conditions: dict[int, tuple[float, Condition]] = {}
        self._ended: dict[int, float] = {}
        self._silent: dict[int, int] = {}
        """How often in a row this worker reported its state and got nothing from each other."""
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self.somebody_ended = asyncio.Event()
        """Set whenever one dies; the waiting task clears it."""

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Receive messages inside the ``with`` block, on the running loop."""
        loop = asyncio.get_running_loop()
        mailbox = self._mailboxes.fileno(self._own)
        loop.add_reader(mailbox, self._read)
        try:
            yield
        finally:
            loop.remove_reader(mailbox)

    def on_growth(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back when any worker's recording made the log grow; returns how to stop that."""
        with self._lock:
            self._callbacks.append(callback)

        def unsubscribe() -> None:
            with self._lock:
                self._callbacks.remove(callback)

        return unsubscribe

    def tell_growth(self) -> None:
        """Report that this worker made the log grow; on any thread.

        A full mailbox is skipped: its worker has not looked yet, and will.
        """
        self._grew()
        for each in self._others:
            self._mailboxes.send_message(each, LogGrew())

    def tell_condition(self, condition: Condition) -> None:
        """Report this worker's state."""
        self._silent = {worker: count + 1 for worker, count in self._silent.items()}
        for each in self._others:
            self._mailboxes.send_message(each, condition)

    def conditions(self) -> list[Condition]:
        """Return the recent states of the others."""
        since = time.monotonic() - FRESH_S
        return [condition for said, condition in self._conditions.values() if said > since]

    def owner(self) -> Condition | None:
        """Return the leader's state; None if it is not among them."""
        return next((each for each in self.conditions() if each.is_owner), None)

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with the others."""
        since = time.monotonic() - TOLD_S
        for worker, ended in self._ended.items():
            if ended > since:
                yield Trouble(f"worker {worker} ended and was restarted")
        for worker, count in self._silent.items():
            if count > MOST_SILENT:
                yield Trouble(f"worker {worker} hangs, and its connections with it")
        for condition in self.conditions():
            yield from condition.troubles

    def _grew(self) -> None:
        with self._lock:
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback()

    def _read(self) -> None:
        for message in self._mailboxes.receive(self._own):
            match message:
                case LogGrew():
                    self._grew()
                case Condition():
                    self._conditions[message.worker] = time.monotonic(), message
                    self._silent[message.worker] = 0
                case Ended():
                    self._conditions.pop(message.worker, None)
                    self._silent.pop(message.worker, None)
                    self._ended[message.worker] = time.monotonic()
                    self.somebody_ended.set()
                case _:
                    pass  # for the supervisor
