"""Counts of requests and connections: per key, in fixed UTC windows (D17, D18)."""

import logging
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from enum import Enum
from typing import Final, Protocol

import msgspec

from oddsdesk.store.transactions import Transactions

REREAD_MS = 1_000
"""How old the known count may get while this process itself counts nothing."""
_NEVER: Final = -(1 << 62)

_log = logging.getLogger(__name__)


class Kind(Enum):
    """What is counted."""

    REQUESTS = "requests"
    TOKENS = "tokens"
    CONNECTIONS = "connections"


class Count(msgspec.Struct, frozen=True):
    """Where a key stands in a window; ``reset_s`` is Unix time, the start of the next one.

    The clock that people see may be ahead of that by ``jumped_s``.
    """

    allowed: bool
    remaining: int
    reset_s: int
    jumped_s: int = 0


Slot = tuple[int, Kind, int]
"""A key, what is counted, and the seconds of the window."""
Added = tuple[Slot, int, int]
"""How many are added to a window, after its start in Unix seconds."""


class CountTables(Protocol):
    """What counting needs of an engine, inside a transaction."""

    def count(self, slot: Slot) -> tuple[int, int] | None:
        """Return the start and the count of the last window that was counted in."""
        ...

    def add_counts(self, batch: Sequence[Added]) -> Sequence[int | None]:
        """Add counts to their windows, none of which falls below 0; return what each holds then.

        A window that starts later begins anew; for one that is over, None.
        """
        ...


class _Window(msgspec.Struct):
    started_s: int
    stored: int = 0
    read_ms: int = _NEVER
    """When the file last told ``stored``."""
    asked_ms: int = _NEVER
    unsaved: int = 0

    @property
    def is_known(self) -> bool:
        return self.read_ms != _NEVER

    @property
    def used(self) -> int:
        return self.stored + self.unsaved


class Quotas:
    """Counts in memory, added to the file by ``flush``; safe to use from any thread.

    Processes on one file add up their counts there; each reads the others' with its own
    flush, else with ``learn``, which is due where ``knows`` says so. Only ``learn`` and ``save``
    wait for the file.
    """

    def __init__(self, file: Transactions[CountTables]) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._windows: dict[Slot, _Window] = {}
        self._flushing: Future[None] | None = None
        self._flushes = 0
        self._uncounted: set[int] = set()

    def exempt(self, key_id: int) -> None:
        """Count nothing of a key, and refuse it nothing, for as long as this process runs."""
        self._uncounted.add(key_id)

    def knows(self, key_id: int, kind: Kind, window_s: int, now_ms: int) -> bool:
        """Return whether a window is known as it was lately; else ``learn`` is due."""
        if key_id in self._uncounted:
            return True
        window = self._windows.get((key_id, kind, window_s))
        if window is None or window.started_s != _start(window_s, now_ms):
            return False
        is_ahead = window.unsaved or self._flushing is not None
        return bool(is_ahead and window.is_known) or now_ms - window.read_ms < REREAD_MS

    def learn(self, slots: Sequence[Slot], now_ms: int) -> None:
        """Read what all processes together have counted in some windows.

        Raises:
            StoreUnavailableError: the file cannot be read now; what is known stays.
        """
        with self._lock:
            flushes, flushing = self._flushes, self._flushing
        found = self._file.read(lambda tables: [tables.count(slot) for slot in slots])
        with self._lock:
            is_newest = flushing is None and flushes == self._flushes
            for slot, last in zip(slots, found, strict=True):
                window = self._window(slot, now_ms)
                if is_newest or not window.is_known:
                    window.stored = _stored(window, last)
                window.read_ms = now_ms

    def take(self, key_id: int, kind: Kind, allowance: int, window_s: int, now_ms: int) -> Count:
        """Count one if the window has one left."""
        if key_id in self._uncounted:
            return _all_left(allowance, window_s, now_ms)
        with self._lock:
            window = self._window((key_id, kind, window_s), now_ms)
            allowed = window.used < allowance
            if allowed:
                window.unsaved += 1
            return _count(window, allowed, allowance, window_s)

    def peek(self, key_id: int, kind: Kind, allowance: int, window_s: int, now_ms: int) -> Count:
        """Return where a key stands without counting."""
        if key_id in self._uncounted:
            return _all_left(allowance, window_s, now_ms)
        with self._lock:
            window = self._window((key_id, kind, window_s), now_ms)
            return _count(window, window.used < allowance, allowance, window_s)

    def give_back(
        self, key_id: int, kind: Kind, allowance: int, window_s: int, taken: Count
    ) -> Count:
        """Undo one ``take``; nothing happens if its window is over, or nothing was counted."""
        if key_id in self._uncounted:
            return taken
        with self._lock:
            window = self._windows.get((key_id, kind, window_s))
            if window is None or window.started_s + window_s != taken.reset_s:
                return taken
            window.unsaved -= 1
            return _count(window, True, allowance, window_s)

    def flush(self) -> Future[None] | None:
        """Start adding the counts to the file; None if there are none, or a flush is under way.

        The future fails with ``StoreUnavailableError`` if the file refuses; the counts
        stay in memory then and go with the next flush.
        """
        with self._lock:
            batch = [
                (slot, window.started_s, window.unsaved)
                for slot, window in self._windows.items()
                if window.unsaved
            ]
            if self._flushing is not None or not batch:
                return self._flushing
            self._flushes += 1
            done = self._flushing = Future[None]()
            done.set_running_or_notify_cancel()  # a waiter may be cancelled, the saving goes on
        self._file.submit(lambda tables: tables.add_counts(batch)).add_done_callback(
            lambda saved: self._flushed(batch, saved, done)
        )
        return done

    def save(self) -> None:
        """Add everything that was counted until now to the file, and wait for it.

        Raises:
            StoreUnavailableError: the file refuses.
        """
        for _ in ("what is on its way", "what was counted since"):
            flushing = self.flush()
            if flushing is not None:
                flushing.result()

    def _flushed(
        self, batch: list[Added], saved: Future[Sequence[int | None]], done: Future[None]
    ) -> None:
        error = saved.exception()
        with self._lock:
            self._flushing = None
            if error is None:
                for (slot, started_s, added), used in zip(batch, saved.result(), strict=True):
                    window = self._windows[slot]
                    if window.started_s == started_s:
                        window.unsaved -= added
                        window.stored = window.stored + added if used is None else used
                        window.read_ms = max(window.read_ms, window.asked_ms)
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)

    def _window(self, slot: Slot, now_ms: int) -> _Window:
        *_, window_s = slot
        started_s = _start(window_s, now_ms)
        window = self._windows.get(slot)
        if window is None or window.started_s != started_s:
            window = self._windows[slot] = _Window(started_s)
        window.asked_ms = now_ms
        return window


def _stored(window: _Window, last: tuple[int, int] | None) -> int:
    """Return what all counted in a window, by the start and the count of the last one.

    Where that is a later one nobody knows of this one but who counted in it: it is over, or a
    process whose clock was ahead counted for tomorrow.
    """
    if last is None or last[0] < window.started_s:
        return 0
    return last[1] if last[0] == window.started_s else window.stored


def _start(window_s: int, now_ms: int) -> int:
    """Return when the window began that a time lies in."""
    return now_ms // 1000 // window_s * window_s


def _count(window: _Window, allowed: bool, allowance: int, window_s: int) -> Count:
    remaining = max(allowance - window.used, 0)
    return Count(allowed, remaining, window.started_s + window_s)


def _all_left(allowance: int, window_s: int, now_ms: int) -> Count:
    return Count(True, allowance, (now_ms // 1000 // window_s + 1) * window_s)
