"""Counts of requests and connections: per key, in fixed UTC windows."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from oddsdesk.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from oddsdesk.store.sqlite.access_file import AccessFile, AccessTables

REREAD_MS = 1_000
"""The largest age of a known count while this process counts nothing itself (ms)."""
EXACT_LEFT: Final = 275
"""With at most this many left in a window, each is counted in the database before it is granted.

5 % of the 5,500 an hour of paid plans. The small quotas of Free are always counted this way.
"""
LEAST_AHEAD: Final = 4
MOST_AHEAD: Final = 16
"""How many of a window a process may grant before the database has counted them: 16 while 2,720 or
more are left, and fewer towards the end. 13 processes together stay within 1 % of 5,500."""
_LEFT_FOR_ONE_AHEAD: Final = 170
TOKEN_MARGIN_MS: Final = 300_000
"""How long a used token is remembered after its end, as clocks of processes differ."""
FORGET_TOKENS_MS: Final = 60_000
"""The pause between two removals of expired used tokens."""
KEPT_WINDOWS: Final = 5
"""The number of past windows of a key that stay in the database at least."""
_NEVER: Final = -(1 << 62)


class Kind(Enum):
    """What is counted."""

    REQUESTS = "requests"
    TOKENS = "tokens"
    CONNECTIONS = "connections"


class Count(msgspec.Struct, frozen=True):
    """Where a key stands in a window; ``reset_s`` is Unix time, the start of the next one.

    The visible clock may be ahead of that by ``jumped_s``.
    """

    allowed: bool
    remaining: int
    reset_s: int
    jumped_s: int = 0


class TokenSpentError(Exception):
    """The token was already used for a stream."""


Slot = tuple[int, Kind, int]
"""A key, what is counted, and the seconds of the window."""


class Added(NamedTuple):
    """How many are added to a window that starts at ``started_s``, in Unix seconds.

    Nothing is added if ``most`` are already counted.
    """

    slot: Slot
    started_s: int
    added: int
    most: int | None = None

    def as_values(self) -> dict[str, Any]:
        """Return the values of a statement by their names."""
        (key_id, kind, window_s), started_s, added, most = self
        values = {"key": key_id, "kind": kind.value, "window": window_s, "started": started_s}
        return values | {"added": added, "most": most}


class Token(NamedTuple):
    """A stream token by its random part; ``ends_ms`` is Unix time in milliseconds."""

    nonce: bytes
    ends_ms: int


class _Window(msgspec.Struct):
    started_s: int
    stored: int = 0
    read_ms: int = _NEVER
    """When ``stored`` was last read from the database."""
    asked_ms: int = _NEVER
    unsaved: int = 0
    """Granted here but missing in ``stored``; negative if more were given back."""
    saves: int = 0
    """How often counts of the window were sent to the database."""
    is_saving: bool = False
    most_ahead: int = LEAST_AHEAD

    @property
    def is_due(self) -> bool:
        """Whether enough are ahead of the database that they must be saved."""
        return self.unsaved >= self.most_ahead // 2

    @property
    def used(self) -> int:
        return self.stored + self.unsaved

    def is_known(self, now_ms: int) -> bool:
        """Return whether ``stored`` is recent: each save also returns the counts of others."""
        is_ahead = (self.unsaved or self.is_saving) and self.read_ms != _NEVER
        return bool(is_ahead) or now_ms - self.read_ms < REREAD_MS


class _Asked(NamedTuple):
    """A request that waits for the database to count it."""

    slot: Slot
    started_s: int
    allowance: int | None
    token: Token | None
    answer: Future[Count]


class _Batch(NamedTuple):
    """What one transaction counts."""

    added: list[Added]
    asked: list[_Asked]
    forget_before_ms: int | None

    def settle_counts(self, tables: "AccessTables") -> tuple[list[bool], list[int | None]]:
        """Count; return which tokens were unused, and the new counts of the windows.

        One count for each in ``added``, then one for each counted one in ``asked``.
        """
        if self.forget_before_ms is not None:
            tables.forget_tokens(self.forget_before_ms)
        tokens = [each.token for each in self.asked if each.token is not None]
        fresh = iter(tables.spend_tokens(tokens) if tokens else ())
        is_fresh = [each.token is None or next(fresh) for each in self.asked]
        counted = [
            Added(each.slot, each.started_s, 1, each.allowance)
            for each, may in zip(self.asked, is_fresh, strict=True)
            if may and each.allowance is not None
        ]
        return is_fresh, list(tables.add_counts([*self.added, *counted]))


class Quotas:
    """Counts of this process, added up with those of all others in the database.

    While many are left in a window, ``take_token`` grants up to ``MOST_AHEAD`` from memory and the
    database counts them soon after. Near the end of a window, and for small allowances always,
    ``take_exactly`` counts in the database first: all processes together never grant more than the
    allowance. Requests that wait together share one transaction. Safe to use from any thread; only
    ``learn`` and ``save_counts_now`` wait for the database.
    """

    def __init__(self, file: "AccessFile") -> None:
        self._file = file
        self._lock = threading.Lock()
        self._windows: dict[Slot, _Window] = {}
        self._unsaved: set[Slot] = set()
        """Slots whose windows may have counts that the database lacks."""
        self._asked: list[_Asked] = []
        self._flushing: Future[None] | None = None
        self._is_refused = False
        self._forget_before_ms: int | None = None
        self._forgotten_ms = _NEVER
        self._uncounted: set[int] = set()

    def exempt(self, key_id: int) -> None:
        """Count nothing of a key, and refuse it nothing, for as long as this process runs."""
        self._uncounted.add(key_id)

    def knows(self, key_id: int, kind: Kind, window_s: int, now_ms: int) -> bool:
        """Return whether a window's recent count is known; otherwise call ``learn``."""
        if key_id in self._uncounted:
            return True
        window = self._windows.get((key_id, kind, window_s))
        if window is None or window.started_s != _start(window_s, now_ms):
            return False
        return window.is_known(now_ms)

    def learn(self, slots: Sequence[Slot], now_ms: int) -> None:
        """Read the counts of all processes together for some windows.

        Raises:
            StoreUnavailableError: the database cannot be read now; known counts stay.
        """
        with self._lock:
            windows = [self._window(slot, now_ms) for slot in slots]
            saves = [None if window.is_saving else window.saves for window in windows]
        asked = [(slot, window.started_s) for slot, window in zip(slots, windows, strict=True)]
        found = self._file.read_with(
            lambda tables: [tables.count_of_window(*each) for each in asked]
        )
        with self._lock:
            for window, before, used in zip(windows, saves, found, strict=True):
                if window.read_ms == _NEVER or window.saves == before:
                    window.stored = used
                window.read_ms = max(window.read_ms, now_ms)

    def take_token(
        self, key_id: int, kind: Kind, allowance: int, window_s: int, now_ms: int
    ) -> Count | None:
        """Count one in memory, or refuse it if none is left; None: ``take_exactly`` has to."""
        if key_id in self._uncounted:
            return _all_left(allowance, window_s, now_ms)
        with self._lock:
            window = self._window((key_id, kind, window_s), now_ms)
            if window.used >= allowance and window.is_known(now_ms):
                return _count(window, False, allowance, window_s)
            if not self._may_run_ahead(window, allowance, now_ms):
                return None
            window.unsaved += 1
            self._unsaved.add((key_id, kind, window_s))
            count = _count(window, True, allowance, window_s)
            is_due = window.is_due
        if is_due and not self._is_refused:
            self.save_counts()
        return count

    def take_exactly(
        self,
        key_id: int,
        kind: Kind,
        allowance: int | None,
        window_s: int,
        now_ms: int,
        token: Token | None = None,
    ) -> Future[Count]:
        """Start counting one in the database if the window has one left.

        ``token`` is used up in the same transaction; without an allowance nothing else is done. The
        future fails with ``TokenSpentError`` if the token was already used, and with
        ``StoreUnavailableError`` if the database fails: then nothing is counted, except a large
        allowance, which is counted in memory.
        """
        slot = key_id, kind, window_s
        answer = Future[Count]()
        answer.set_running_or_notify_cancel()  # if the waiter is cancelled, the count is still made
        most = None if key_id in self._uncounted else allowance
        with self._lock:
            started_s = self._window(slot, now_ms).started_s
            self._asked.append(_Asked(slot, started_s, most, token, answer))
            if token is not None and now_ms - self._forgotten_ms >= FORGET_TOKENS_MS:
                self._forgotten_ms = now_ms
                self._forget_before_ms = min(now_ms, token.ends_ms) - 2 * TOKEN_MARGIN_MS
        self.save_counts()
        return answer

    def peek(self, key_id: int, kind: Kind, allowance: int, window_s: int, now_ms: int) -> Count:
        """Return a key's count without counting."""
        if key_id in self._uncounted:
            return _all_left(allowance, window_s, now_ms)
        with self._lock:
            window = self._window((key_id, kind, window_s), now_ms)
            return _count(window, window.used < allowance, allowance, window_s)

    def give_back_token(
        self, key_id: int, kind: Kind, allowance: int, window_s: int, taken: Count
    ) -> Count:
        """Undo one ``take_token``, unless its window is over or nothing was counted."""
        if key_id in self._uncounted:
            return taken
        with self._lock:
            window = self._windows.get((key_id, kind, window_s))
            if window is None or window.started_s + window_s != taken.reset_s:
                return taken
            window.unsaved -= 1
            self._unsaved.add((key_id, kind, window_s))
            count = _count(window, True, allowance, window_s)
        if count.remaining <= EXACT_LEFT and not self._is_refused:
            self.save_counts()
        return count

    def save_counts(self) -> Future[None] | None:
        """Start counting in the database; None if there is nothing to count or it is running.

        The future fails with ``StoreUnavailableError`` if the database fails; the counts then stay
        in memory until the next flush.
        """
        with self._lock:
            if self._flushing is not None:
                return self._flushing
            batch = self._next_batch()
            if not batch.added and not batch.asked:
                return None
            done = self._flushing = Future[None]()
            done.set_running_or_notify_cancel()  # a waiter may be cancelled, the saving goes on
        self._file.submit_write(batch.settle_counts).add_done_callback(
            lambda settled: self._settled(batch, settled, done)
        )
        return done

    def save_counts_now(self) -> None:
        """Add all counts to the database, and wait for it.

        Raises:
            StoreUnavailableError: the database fails.
        """
        for _ in ("what is on its way", "what was counted since"):
            flushing = self.save_counts()
            if flushing is not None:
                flushing.result()

    def _may_run_ahead(self, window: _Window, allowance: int, now_ms: int) -> bool:
        """Return whether one may be granted before the database has counted it.

        A large quota is counted in memory, if known here, while the database fails.
        """
        if self._is_refused and allowance > EXACT_LEFT:
            return True
        left = allowance - window.used
        window.most_ahead = min(MOST_AHEAD, max(LEAST_AHEAD, left // _LEFT_FOR_ONE_AHEAD))
        is_ahead = window.unsaved >= window.most_ahead
        return left > EXACT_LEFT and not is_ahead and window.is_known(now_ms)

    def _next_batch(self) -> _Batch:
        windows = [(slot, self._windows[slot]) for slot in self._unsaved]
        added = [Added(slot, w.started_s, w.unsaved) for slot, w in windows if w.unsaved]
        batch = _Batch(added, self._asked, self._forget_before_ms)
        self._unsaved, self._asked, self._forget_before_ms = set(), [], None
        for window in self._windows_in(batch):
            window.is_saving = True
            window.saves += 1
        return batch

    def _windows_in(self, batch: _Batch) -> Iterator[_Window]:
        counted: Iterator[Added | _Asked] = chain(batch.added, batch.asked)
        for each in counted:
            window = self._windows.get(each.slot)
            if window is not None and window.started_s == each.started_s:
                yield window

    def _settled(
        self,
        batch: _Batch,
        settled: Future[tuple[list[bool], list[int | None]]],
        done: Future[None],
    ) -> None:
        error = settled.exception()
        with self._lock:
            self._flushing = None
            self._is_refused = error is not None
            for window in self._windows_in(batch):
                window.is_saving = False
            if error is None:
                answers = self._note(batch, *settled.result())
            else:
                self._unsaved.update(each.slot for each in batch.added)
                answers = [self._in_memory(each, error) for each in batch.asked]
            is_due = bool(self._asked) or (error is None and self._is_far_ahead())
        for asked, answer in zip(batch.asked, answers, strict=True):
            if isinstance(answer, Count):
                asked.answer.set_result(answer)
            else:
                asked.answer.set_exception(answer)
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)
        if is_due:
            self.save_counts()

    def _is_far_ahead(self) -> bool:
        return any(self._windows[slot].is_due for slot in self._unsaved)

    def _note(
        self, batch: _Batch, is_fresh: list[bool], totals: list[int | None]
    ) -> list[Count | BaseException]:
        """Note the counts of windows; return the answers."""
        left = iter(totals)
        for slot, started_s, added, _ in batch.added:
            self._note_stored(slot, started_s, next(left), added)
        return [
            self._answer(asked, left) if may else TokenSpentError()
            for asked, may in zip(batch.asked, is_fresh, strict=True)
        ]

    def _answer(self, asked: _Asked, left: Iterator[int | None]) -> Count:
        reset_s = asked.started_s + asked.slot[2]
        if asked.allowance is None:
            return Count(True, 0, reset_s)
        used = next(left)
        self._note_stored(asked.slot, asked.started_s, asked.allowance if used is None else used)
        return Count(used is not None, max(asked.allowance - (used or asked.allowance), 0), reset_s)

    def _in_memory(self, asked: _Asked, error: BaseException) -> Count | BaseException:
        """Count one of a large quota in memory if the database fails; else return the error."""
        window = self._windows.get(asked.slot)
        if not isinstance(error, StoreUnavailableError):
            return error
        if asked.allowance is None or asked.allowance <= EXACT_LEFT or asked.token is not None:
            return error
        if window is None or window.started_s != asked.started_s:
            return error
        is_left = window.used < asked.allowance
        window.unsaved += is_left
        self._unsaved.add(asked.slot)
        return _count(window, is_left, asked.allowance, asked.slot[2])

    def _note_stored(self, slot: Slot, started_s: int, used: int | None, added: int = 0) -> None:
        window = self._windows.get(slot)
        if used is not None and window is not None and window.started_s == started_s:
            window.unsaved -= added
            window.stored = used
            window.read_ms = max(window.read_ms, window.asked_ms)

    def _window(self, slot: Slot, now_ms: int) -> _Window:
        *_, window_s = slot
        started_s = _start(window_s, now_ms)
        window = self._windows.get(slot)
        if window is None or window.started_s != started_s:
            window = self._windows[slot] = _Window(started_s)
        window.asked_ms = now_ms
        return window


def _start(window_s: int, now_ms: int) -> int:
    """Return the start of the window that contains a time."""
    return now_ms // 1000 // window_s * window_s


def _count(window: _Window, allowed: bool, allowance: int, window_s: int) -> Count:
    remaining = max(allowance - window.used, 0)
    return Count(allowed, remaining, window.started_s + window_s)


def _all_left(allowance: int, window_s: int, now_ms: int) -> Count:
    return Count(True, allowance, (now_ms // 1000 // window_s + 1) * window_s)
