"""The one thread of this process that writes to a PostgreSQL database."""

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, TypeVar

import psycopg
from psycopg.pq import TransactionStatus

from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.postgres.connections import ServerAddress
from oddsdesk.store.postgres.prepared import PreparingConnection as Connection
from oddsdesk.store.turns import MAX_JOBS, Job, Turns

T = TypeVar("T")
RETRY_S: Final = (0.1, 0.2, 0.5, 1.0)
"""How long a database that was away is not asked again: what is submitted meanwhile fails."""
_READ_ONLY: Final = "25006"
"""A host that was the one to write to, and is no longer."""

_log = logging.getLogger(__name__)


class PostgresWriter:
    """Runs functions on a connection, one after another; each runs whole or not at all.

    Short jobs that wait together share a transaction where ``may_share``; their futures are done
    when it is committed. A connection that was lost is made anew for the next job, and for the
    one that finds it lost before anything was done. ``committed`` is called on the writer thread
    after each commit.
    """

    def __init__(
        self,
        name: str,
        address: ServerAddress,
        connection: Connection,
        committed: Callable[[], None] = lambda: None,
        *,
        may_share: bool = True,
    ) -> None:
        self._address = address
        self._connection = connection
        self._committed = committed
        self._most = MAX_JOBS if may_share else 1
        self._turns: Turns[Connection] = Turns()
        self._failures = 0
        self._not_before = 0.0
        self._refusal: StoreUnavailableError | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, function: Callable[[Connection], T], *, is_long: bool = False) -> Future[T]:
        """Queue a function; its future fails with ``StoreUnavailableError`` if it is refused."""
        return self._turns.submit(function, is_long=is_long)

    def close(self) -> None:
        """Finish what is queued, then close the connection; may be called twice."""
        self._turns.close()
        self._thread.join()

    def _run(self) -> None:
        while jobs := self._turns.next(self._most):
            self._transact(jobs)
        self._connection.close()

    def _transact(self, jobs: list[Job[Connection]]) -> None:
        try:
            connection = self._begin()
            done = [job for job in jobs if self._do(job, connection, alone=len(jobs) == 1)]
            if connection.do("COMMIT") != "COMMIT":
                raise psycopg.OperationalError("the transaction was rolled back")
        except BaseException as error:  # noqa: BLE001 - thread main: every caller gets the error
            self._roll_back(error)
            for job in jobs:
                if not job.future.done():
                    job.future.set_exception(self._address.as_unavailable(error))
            return
        for job in done:
            job.future.set_result(job.outcome)
        try:
            self._committed()
        except Exception:  # noqa: BLE001 - thread main: the writer lives on
            _log.exception("a callback after a commit failed")

    def _begin(self) -> Connection:
        """Begin a transaction, on a new connection where the last one was lost."""
        if not self._connection.closed:
            try:
                self._connection.do("BEGIN")
            except psycopg.OperationalError as error:
                if error.sqlstate is not None and not self._connection.closed:
                    raise
                self._connection.close()  # libpq knows that it is lost before it says so
            else:
                return self._connection
        self._connect()
        self._connection.do("BEGIN")
        return self._connection

    def _connect(self) -> None:
        if self._refusal is not None and time.monotonic() < self._not_before:
            raise self._refusal
        try:
            self._connection = self._address.connect()
        except StoreError as error:
            pause = RETRY_S[min(self._failures, len(RETRY_S) - 1)]
            self._not_before = time.monotonic() + pause
            self._failures += 1
            self._refusal = _unavailable(error)
            raise self._refusal from error
        self._failures, self._refusal = 0, None

    def _do(self, job: Job[Connection], connection: Connection, *, alone: bool) -> bool:
        """Do the work; return whether it goes into the commit, which others may share."""
        if alone:
            job.outcome = job.function(connection)
            return True
        connection.do("SAVEPOINT job")
        try:
            job.outcome = job.function(connection)
        except BaseException as error:
            if connection.closed:  # and with it the jobs before this one
                raise
            connection.do("ROLLBACK TO job")
            connection.do("RELEASE job")
            job.future.set_exception(self._address.as_unavailable(error))
            return False
        connection.do("RELEASE job")
        return True

    def _roll_back(self, error: BaseException) -> None:
        if getattr(error, "sqlstate", None) == _READ_ONLY:
            self._connection.close()
        if self._connection.info.transaction_status is not TransactionStatus.IDLE:
            with contextlib.suppress(psycopg.Error):
                self._connection.do("ROLLBACK")


def _unavailable(error: StoreError) -> StoreUnavailableError:
    """Return why there is no connection; a database that came back another may yet be mended."""
    return error if isinstance(error, StoreUnavailableError) else StoreUnavailableError(str(error))
