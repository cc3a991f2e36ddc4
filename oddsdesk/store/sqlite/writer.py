"""The one thread that writes to a database file."""

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Callable

from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.sqlite.database import FilePlace, WriteAheadLog
from oddsdesk.store.turns import Job, Turns

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


class Writer(Turns[sqlite3.Connection]):
    """Runs functions on the only read-write connection, one after another.

    Each function runs completely or not at all. Short jobs that wait together share one ``BEGIN
    IMMEDIATE`` transaction; their futures are done when it is committed. Long jobs have one each,
    and alternate with the short ones: however many wait, a short job waits for one. ``committed``
    is called on the writer thread after each commit, then ``wal`` is kept small. ``check`` is
    called before the first job of each transaction and may refuse it, and ``place`` before each
    commit: writes to a moved or deleted file are lost.

    While others write to the file, a transaction waits for its turn. If another program
    holds the lock without writing, it fails after SQLite's busy timeout, or never with ``waits``.
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
        super().__init__()
        self._connection = connection
        self._check = check
        self._wal = wal
        self._place = place
        self._waits = waits
        self._is_ending = False
        self._committed = committed
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def close_writer(self) -> None:
        self._is_ending = True
        self.close_turns()
        self._thread.join()

    def fail_waiting(self) -> None:
        """Make jobs that wait for other programs fail, within SQLite's busy timeout."""
        self._is_ending = True

    def _run(self) -> None:
        while jobs := self.next():
            self._transact(jobs)
        if self._wal is not None:
            self._wal.close_wal()
        self._connection.close()

    def _transact(self, jobs: list[Job[sqlite3.Connection]]) -> None:
        try:
            self._begin()
            self._check(self._connection)
            done = [job for job in jobs if _run(job, self._connection, alone=len(jobs) == 1)]
            if self._place is not None:
                self._place.check_place()
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
        """Take the write lock. SQLite has no queue for it: the next to ask may get it."""
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
    """Do the work; return whether it is in the commit, which others may share.

    A single job in its transaction has no savepoint, for which SQLite would save each page that it
    changes.
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
    """Return the caller's error: SQLite's errors as the store's."""
    code = getattr(error, "sqlite_errorcode", None)
    fault = None if code is None else _REFUSALS.get(code, _REFUSALS.get(code & 0xFF))
    if fault is None:
        return error
    unavailable = StoreUnavailableError(f"the database refuses: {error}", fault)
    unavailable.__cause__ = error
    return unavailable
