"""The one thread that writes to a database file."""

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.sqlite.file_place import FilePlace
from oddsdesk.store.sqlite.write_ahead import WriteAheadLog
from oddsdesk.store.turns import Job, Turns

T = TypeVar("T")

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


class Writer:
    """Runs functions on the only read-write connection, one after another.

    Each function runs whole or not at all. Short jobs that wait together share one
    ``BEGIN IMMEDIATE`` transaction; their futures are done when it is committed. Long jobs have
    one each, and take turns with the short ones: however many wait, a short job waits for one.
    ``committed`` is called on the writer thread after each commit, then ``wal`` kept small.
    ``check`` is called before the first job of each transaction and may refuse it, and ``place``
    before each commit: what is written to a file that is moved or deleted is lost.

    While others write to the file, a transaction waits for its turn. Where somebody holds the lock
    and writes nothing, it fails after SQLite's busy timeout, or never with ``waits``.
    """

    def __init__(
        self,
        name: str,
        connection: sqlite3.Connection,
        committed: Callable[[], None] = lambda: None,
        check: Callable[[sqlite3.Connection], None] = lambda _: None,
        wal: WriteAheadLog | None = None,
        place: FilePlace | None = None,
        *,
        waits: bool = False,
    ) -> None:
        self._connection = connection
        self._check = check
        self._wal = wal
        self._place = place
        self._waits = waits
        self._is_ending = False
        self._committed = committed
        self._turns: Turns[sqlite3.Connection] = Turns()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(
        self, function: Callable[[sqlite3.Connection], T], *, is_long: bool = False
    ) -> Future[T]:
        """Queue a function; its future fails with ``StoreUnavailableError`` if SQLite refuses.

        What is short may be done before what is long and was queued earlier.
        """
        return self._turns.submit(function, is_long=is_long)

    def busy_for_s(self) -> float:
        """Return for how long the transaction that runs now has run; 0 where none does."""
        return self._turns.busy_for_s()

    def close(self) -> None:
        """Finish what is queued, then close the connection; may be called twice."""
        self._is_ending = True
        self._turns.close()
        self._thread.join()

    def stop_waiting(self) -> None:
        """Have fail what waits for other programs, within SQLite's busy timeout."""
        self._is_ending = True

    def _run(self) -> None:
        while jobs := self._turns.next():
            self._transact(jobs)
        if self._wal is not None:
            self._wal.close()
        self._connection.close()

    def _transact(self, jobs: list[Job[sqlite3.Connection]]) -> None:
        try:
            self._begin()
            self._check(self._connection)
            done = [job for job in jobs if _run(job, self._connection, alone=len(jobs) == 1)]
            if self._place is not None:
                self._place.check()
            self._connection.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001 - thread main: every caller gets the error
            self._roll_back()
            refused = as_unavailable(error)
            if self._place is not None and isinstance(refused, StoreUnavailableError):
                refused = self._place.explain(refused)
            for job in jobs:
                if not job.future.done():
                    job.future.set_exception(refused)
            return
        for job in done:
            job.future.set_result(job.outcome)
        try:
            self._committed()
            if self._wal is not None:
                self._wal.keep_small()
        except Exception:  # noqa: BLE001 - thread main: the writer lives on
            _log.exception("a callback after a commit failed")

    def _begin(self) -> None:
        """Take the write lock, for which SQLite has no queue: whoever asks next may have it."""
        while True:
            before = self._version()
            try:
                self._connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not is_busy or self._is_ending:
                    raise
                if not self._waits and self._version() == before:
                    raise
            else:
                return

    def _version(self) -> int:
        """Return a number that differs once another connection has written."""
        return int(self._connection.execute("PRAGMA data_version").fetchall()[0][0])

    def _roll_back(self) -> None:
        # SQLITE_FULL and SQLITE_IOERR may have rolled back already.
        if self._connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")


def _run(job: Job[sqlite3.Connection], connection: sqlite3.Connection, *, alone: bool) -> bool:
    """Do the work; return whether it goes into the commit, which others may share.

    What is alone in its transaction has no savepoint, for which SQLite would set each page aside
    that it changes.
    """
    if alone:
        job.outcome = job.function(connection)
        return True
    connection.execute("SAVEPOINT job")
    try:
        job.outcome = job.function(connection)
    except BaseException as error:
        if not connection.in_transaction:  # SQLite gave up the jobs before this one, too
            raise
        connection.execute("ROLLBACK TO job")
        connection.execute("RELEASE job")
        job.future.set_exception(as_unavailable(error))
        return False
    connection.execute("RELEASE job")
    return True


def as_unavailable(error: BaseException) -> BaseException:
    """Return what a caller should see of an error: SQLite's refusals as the store's own."""
    code = getattr(error, "sqlite_errorcode", None)
    fault = None if code is None else _REFUSALS.get(code, _REFUSALS.get(code & 0xFF))
    if fault is None:
        return error
    unavailable = StoreUnavailableError(f"the database refuses: {error}", fault)
    unavailable.__cause__ = error
    return unavailable
