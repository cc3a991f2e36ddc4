"""What a worker knows of the others."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from oddsdesk.server.troubles import Trouble
from oddsdesk.server.workers.mailboxes import Condition, Ended, LogGrew, Mailboxes

FRESH_S: Final = 3.0
"""How long a worker that says nothing counts as it was."""
MOST_SILENT: Final = 6
"""A worker that says nothing while this one says so many times how it is hangs."""
TOLD_S: Final = 60.0
"""How long health tells that a worker ended."""


class Colleagues:
    """The other workers of a server, heard on the loop of ``listening``."""

    def __init__(self, own: int, mailboxes: Mailboxes) -> None:
        self._own = own
        self._mailboxes = mailboxes
        self._others = [each for each in mailboxes.workers if each != own]
        self._conditions: dict[int, tuple[float, Condition]] = {}
        self._ended: dict[int, float] = {}
        self._silent: dict[int, int] = {}
        """How often in a row this worker told how it is and heard nothing of each other."""
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []
        self.somebody_ended = asyncio.Event()
        """Set whenever one is no more; whoever waits for it clears it."""

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Hear the others inside the ``with`` block, on the running loop."""
        loop = asyncio.get_running_loop()
        mailbox = self._mailboxes.fileno(self._own)
        loop.add_reader(mailbox, self._read)
        try:
            yield
        finally:
            loop.remove_reader(mailbox)

    def on_growth(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back when the log grew by any worker; return how to end that."""
        with self._lock:
            self._callbacks.append(callback)

        def unsubscribe() -> None:
            with self._lock:
                self._callbacks.remove(callback)

        return unsubscribe

    def tell_growth(self) -> None:
        """Say that the log grew by this worker; on any thread.

        A mailbox that is full is left: its worker has not looked yet, and will.
        """
        self._grew()
        for each in self._others:
            self._mailboxes.send(each, LogGrew())

    def tell(self, condition: Condition) -> None:
        """Say how this worker is."""
        self._silent = {worker: count + 1 for worker, count in self._silent.items()}
        for each in self._others:
            self._mailboxes.send(each, condition)

    def conditions(self) -> list[Condition]:
        """Return how the others are, as far as they said so lately."""
        since = time.monotonic() - FRESH_S
        return [condition for said, condition in self._conditions.values() if said > since]

    def owner(self) -> Condition | None:
        """Return how the one is that has the database's lock; None where that is none of them."""
        return next((each for each in self.conditions() if each.is_owner), None)

    def troubles(self) -> Iterator[Trouble]:
        """Yield what is wrong with the others."""
        since = time.monotonic() - TOLD_S
        for worker, ended in self._ended.items():
            if ended > since:
                yield Trouble(f"worker {worker} ended and was begun anew")
        for worker, count in self._silent.items():
            if count > MOST_SILENT:
                yield Trouble(f"worker {worker} hangs, and so do connections that it was given")
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
