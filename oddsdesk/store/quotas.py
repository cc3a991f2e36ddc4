"""Counts of requests and connections: per key, in fixed UTC windows (D17, D18)."""

import logging
import sqlite3
import threading
from concurrent.futures import Future
from enum import Enum

import msgspec

from oddsdesk.store.access_file import AccessFile

REREAD_MS = 1_000
"""How old the known count may get while this process itself counts nothing."""

_LOAD = "SELECT started_s, used FROM quota WHERE key_id = ? AND kind = ? AND window_s = ?"
_ADD = """
    INSERT INTO quota (key_id, kind, window_s, started_s, used)
    VALUES (:key, :kind, :window, :started, max(:added, 0))
    ON CONFLICT (key_id, kind, window_s) DO UPDATE SET
        used = CASE WHEN started_s = excluded.started_s THEN max(used + :added, 0)
            ELSE excluded.used END,
        started_s = excluded.started_s
    WHERE started_s <= excluded.started_s
    RETURNING used
"""

_log = logging.getLogger(__name__)


class Kind(Enum):
    """What is counted."""

    REQUESTS = "requests"
    TOKENS = "tokens"
    CONNECTIONS = "connections"


class Count(msgspec.Struct, frozen=True):
    """Where a key stands in a window; ``reset_s`` is Unix time, the start of the next one."""

    allowed: bool
    remaining: int
    reset_s: int


_Slot = tuple[int, Kind, int]
_Added = tuple[_Slot, int, int]


class _Window(msgspec.Struct):
    started_s: int
    stored: int
    read_ms: int
    unsaved: int = 0

    @property
    def used(self) -> int:
        return self.stored + self.unsaved


class Quotas:
    """Counts in memory, added to the file by ``flush``; safe to use from any thread.

    Processes on one file add up their counts there; each reads the others' with its own
    flush, or a second after it last counted.
    """

    def __init__(self, file: AccessFile) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._windows: dict[_Slot, _Window] = {}
        self._flushing: Future[None] | None = None

    def take(self, key_id: int, kind: Kind, allowance: int, window_s: int, now_ms: int) -> Count:
        """Count one if the window has one left."""
        with self._lock:
            window = self._window((key_id, kind, window_s), now_ms)
            allowed = window.used < allowance
            if allowed:
                window.unsaved += 1
            return _count(window, allowed, allowance, window_s)

    def peek(self, key_id: int, kind: Kind, allowance: int, window_s: int, now_ms: int) -> Count:
        """Return where a key stands without counting."""
        with self._lock:
            window = self._window((key_id, kind, window_s), now_ms)
            return _count(window, window.used < allowance, allowance, window_s)

    def give_back(
        self, key_id: int, kind: Kind, allowance: int, window_s: int, taken: Count
    ) -> Count:
        """Undo one ``take``; nothing happens if its window is over."""
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
            done = self._flushing = Future[None]()
            done.set_running_or_notify_cancel()  # a waiter may be cancelled, the saving goes on
        self._file.submit(lambda connection: _add(connection, batch)).add_done_callback(
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
        self, batch: list[_Added], saved: Future[list[int | None]], done: Future[None]
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
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)

    def _window(self, slot: _Slot, now_ms: int) -> _Window:
        key_id, kind, window_s = slot
        started_s = now_ms // 1000 // window_s * window_s
        window = self._windows.get(slot)
        if window is not None and window.started_s == started_s:
            ahead = window.unsaved or self._flushing is not None
            if ahead or now_ms - window.read_ms < REREAD_MS:
                return window
        rows = self._file.read(_LOAD, (key_id, kind.value, window_s))
        stored = rows[0][1] if rows and rows[0][0] == started_s else 0
        window = self._windows[slot] = _Window(started_s, stored, now_ms)
        return window


def _add(connection: sqlite3.Connection, batch: list[_Added]) -> list[int | None]:
    totals = []
    for (key_id, kind, window_s), started_s, added in batch:
        values = {
            "key": key_id,
            "kind": kind.value,
            "window": window_s,
            "started": started_s,
            "added": added,
        }
        rows = connection.execute(_ADD, values).fetchall()
        totals.append(rows[0][0] if rows else None)
    return totals


def _count(window: _Window, allowed: bool, allowance: int, window_s: int) -> Count:
    remaining = max(allowance - window.used, 0)
    return Count(allowed, remaining, window.started_s + window_s)
