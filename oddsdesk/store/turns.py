"""The queue of the one thread that writes, for any engine."""

import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, Generic, TypeVar

import msgspec

from oddsdesk.store.errors import StoreUnavailableError

T = TypeVar("T")
Connection = TypeVar("Connection")
MAX_JOBS: Final = 64
"""How many waiting short jobs may share a transaction."""
SHORT_QUOTES: Final = 50
"""A recording with more quotes is long: others get a turn between two of these."""
REFUSAL_S: Final = 15.0
"""An error counts as over if nobody has tried to record for this long (s): feeds try each second,
and may wait 5 s for a lock."""


class Job(msgspec.Struct, Generic[Connection]):
    """A function waiting for its turn, with its future."""

    function: Callable[[Connection], Any]
    future: Future[Any]
    outcome: Any = None


class Turns(ABC, Generic[Connection]):
    """Jobs of one thread, queued by any.

    Short jobs that wait together run together; long jobs one by one, alternating with the short
    ones: however many wait, a short job waits for one.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._short: deque[Job[Connection]] = deque()
        self._long: deque[Job[Connection]] = deque()
        self._is_turn_of_long = False
        self._closed = False
        self._began: float | None = None

    def submit(self, function: Callable[[Connection], T], *, is_long: bool = False) -> Future[T]:
        """Queue a function; its future fails with ``StoreUnavailableError`` if it is refused.

        A short job may be done before an earlier long one.
        """
        future: Future[T] = Future()
        with self._changed:
            if self._closed:
                future.set_exception(StoreUnavailableError("the database is closed"))
            else:
                (self._long if is_long else self._short).append(Job(function, future))
                self._changed.notify()
        return future

    def next(self, most: int = MAX_JOBS) -> list[Job[Connection]]:
        """Wait for jobs and return the next ones, at most ``most``; none at the end."""
        self._began = None
        while jobs := self._waiting(most):
            if wanted := [each for each in jobs if each.future.set_running_or_notify_cancel()]:
                self._began = time.monotonic()
                return wanted
        return []

    def busy_for_s(self) -> float:
        """Return how long the thread has been at its jobs, in seconds; 0 while it waits."""
        began = self._began
        return 0.0 if began is None else time.monotonic() - began

    @abstractmethod
    def close_writer(self) -> None:
        """Finish the queue, then close the connection; may be called twice."""

    @abstractmethod
    def fail_waiting(self) -> None:
        """Make jobs that wait for other programs fail, now and later."""

    def close_turns(self) -> None:
        """Refuse later jobs; queued ones are still done."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _waiting(self, most: int) -> list[Job[Connection]]:
        with self._changed:
            self._changed.wait_for(lambda: self._short or self._long or self._closed)
            is_long = bool(self._long) and (self._is_turn_of_long or not self._short)
            self._is_turn_of_long = not is_long
            if is_long:
                return [self._long.popleft()]
            return [self._short.popleft() for _ in range(min(len(self._short), most))]


class LastRefusal:
    """The error of the last recording; ``error`` is None if it succeeded."""

    def __init__(self) -> None:
        self.error: StoreUnavailableError | None = None
        self._at = -REFUSAL_S

    @property
    def age_s(self) -> float:
        """How long ago the last recording was tried (s)."""
        return time.monotonic() - self._at

    @property
    def is_fresh(self) -> bool:
        """Whether a recording was tried recently."""
        return self.age_s < REFUSAL_S

    def note_outcome(self, recorded: Future[Any]) -> bool:
        """Note the outcome of a recording; return whether it succeeded."""
        error = None if recorded.cancelled() else recorded.exception()
        self.error = error if isinstance(error, StoreUnavailableError) else None
        self._at = time.monotonic()
        return error is None and not recorded.cancelled()
