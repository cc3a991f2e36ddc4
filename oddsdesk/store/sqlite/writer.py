"""The one thread that writes to a database file."""

import contextlib
import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

import msgspec

from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.sqlite.write_ahead import WriteAheadLog

T = TypeVar("T")
MAX_JOBS = 64
"""How many waiting short jobs may share a transaction."""

_REFUSALS = {
    sqlite3.SQLITE_BUSY: Fault.LOCKED,
    sqlite3.SQLITE_CANTOPEN: Fault.OTHER,
    sqlite3.SQLITE_CORRUPT: Fault.DAMAGED,
    sqlite3.SQLITE_FULL: Fault.FULL,
    sqlite3.SQLITE_IOERR: Fault.OTHER,
    sqlite3.SQLITE_IOERR_SHMSIZE: Fault.FULL,
    sqlite3.SQLITE_LOCKED: Fault.LOCKED,
    sqlite3.SQLITE_NOMEM: Fault.OTHER,
    sqlite3.SQLITE_NOTADB: Fault.DAMAGED,
    sqlite3.SQLITE_PERM: Fault.OTHER,
    sqlite3.SQLITE_READONLY: Fault.OTHER,
}

_log = logging.getLogger(__name__)


class _Job(msgspec.Struct):
    function: Callable[[sqlite3.Connection], Any]
    future: Future[Any]
    outcome: Any = None

    def run(self, connection: sqlite3.Connection) -> bool:
        """Do the work in a savepoint; return whether it goes into the commit."""
        connection.execute("SAVEPOINT job")
        try:
            self.outcome = self.function(connection)
        except BaseException as error:
            if not connection.in_transaction:  # SQLite gave up the jobs before this one, too
                raise
            connection.execute("ROLLBACK TO job")
            connection.execute("RELEASE job")
            self.future.set_exception(as_unavailable(error))
            return False
        connection.execute("RELEASE job")
        return True


class Writer:
    """Runs functions on the only read-write connection, one after another.

    Each function runs whole or not at all. Short jobs that wait together share one
    ``BEGIN IMMEDIATE`` transaction; their futures are done when it is committed. Long jobs have
    one each, and take turns with the short ones: however many wait, a short job waits for one.
    ``committed`` is called on the writer thread after each commit, then ``wal`` kept small.
    ``check`` is called before the first job of each transaction and may refuse it.
    """

    def __init__(
        self,
        name: str,
        connection: sqlite3.Connection,
        committed: Callable[[], None] = lambda: None,
        check: Callable[[sqlite3.Connection], None] = lambda _: None,
        wal: WriteAheadLog | None = None,
    ) -> None:
        self._connection = connection
        self._check = check
        self._wal = wal
        self._committed = committed
        self._changed = threading.Condition()
        self._short: deque[_Job] = deque()
        self._long: deque[_Job] = deque()
        self._is_turn_of_long = False
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(
        self, function: Callable[[sqlite3.Connection], T], *, is_long: bool = False
    ) -> Future[T]:
        """Queue a function; its future fails with ``StoreUnavailableError`` if SQLite refuses.

        What is short may be done before what is long and was queued earlier.
        """
        future: Future[T] = Future()
        with self._changed:
            if self._closed:
                future.set_exception(StoreUnavailableError("the database is closed"))
            else:
                (self._long if is_long else self._short).append(_Job(function, future))
                self._changed.notify()
        return future

    def close(self) -> None:
        """Finish what is queued, then close the connection; may be called twice."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while jobs := self._waiting():
            self._transact([each for each in jobs if each.future.set_running_or_notify_cancel()])
        if self._wal is not None:
            self._wal.close()
        self._connection.close()

    def _waiting(self) -> list[_Job]:
        """Wait for jobs and return those that share a transaction; none at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._short or self._long or self._closed)
            is_long = bool(self._long) and (self._is_turn_of_long or not self._short)
            self._is_turn_of_long = not is_long
            if is_long:
                return [self._long.popleft()]
            return [self._short.popleft() for _ in range(min(len(self._short), MAX_JOBS))]

    def _transact(self, jobs: list[_Job]) -> None:
        done: list[_Job] = []
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._check(self._connection)
            for job in jobs:
                if job.run(self._connection):
                    done.append(job)
            self._connection.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001 - thread main: every caller gets the error
            self._roll_back()
            for job in jobs:
                if not job.future.done():
                    job.future.set_exception(as_unavailable(error))
            return
        for job in done:
            job.future.set_result(job.outcome)
        try:
            self._committed()
            if self._wal is not None:
                self._wal.keep_small()
        except Exception:  # noqa: BLE001 - thread main: the writer lives on
            _log.exception("a callback after a commit failed")

    def _roll_back(self) -> None:
        # SQLITE_FULL and SQLITE_IOERR may have rolled back already.
        if self._connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")


def as_unavailable(error: BaseException) -> BaseException:
    """Return what a caller should see of an error: SQLite's refusals as the store's own."""
    code = getattr(error, "sqlite_errorcode", None)
    fault = None if code is None else _REFUSALS.get(code, _REFUSALS.get(code & 0xFF))
    if fault is None:
        return error
    unavailable = StoreUnavailableError(f"the database refuses: {error}")
    unavailable.fault = fault
    unavailable.__cause__ = error
    return unavailable
