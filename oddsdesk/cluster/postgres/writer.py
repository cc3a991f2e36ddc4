"""The one thread of this process that writes to a PostgreSQL database."""

import contextlib
import itertools
import logging
import random
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Final

import psycopg
from psycopg.pq import TransactionStatus

from oddsdesk.cluster.postgres.connections import LOCK_S, ServerAddress, turn_ms
from oddsdesk.cluster.postgres.connections import PreparingConnection as Connection
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.turns import MAX_JOBS, Job, Turns

RETRY_S: Final = (0.1, 0.2, 0.5, 1.0)
"""How long an unreachable database is not retried (s): jobs submitted in that time fail."""
PAUSE_S: Final = 0.05
"""The first pause before a transaction is retried (s); each further one may be twice as long."""
_MOST_PAUSES: Final = 16
_PASSING: Final = frozenset({"40001", "40P01", "55P03"})
"""Another process was in the way: a serialization error, a deadlock, a lock."""
_CUT: Final = frozenset({None, "25P03", "57P01"})
"""PostgreSQL or the network ended the connection, and with it the transaction."""
_MADE_AT_ONCE: Final = "23505"
"""The key already exists. If another process made it at the same moment, the next try finds it; if
not, it is a bug."""
_TRIES_OF_MADE: Final = 3
_READ_ONLY: Final = "25006"
"""The host is no longer the writable one."""

_log = logging.getLogger(__name__)


class PostgresWriter(Turns[Connection]):
    """Runs functions on a connection, one after another; each completely or not at all.

    Short jobs that wait together share a transaction if ``may_share``; their futures are done when
    it is committed. A lost connection is reopened for the next job, and for the one that finds it
    lost before doing anything. ``committed`` is called on the writer thread after each commit,
    ``rolled_back`` after each failed try.

    A transaction that another process blocks (a lock, a deadlock) is rolled back and repeated, for
    ``turn_s`` seconds, or without limit if that is None. A transaction whose connection was cut
    before the commit has left nothing, and is repeated once.
    """

    def __init__(
        self,
        name: str,
        address: ServerAddress,
        connection: Connection,
        committed: Callable[[], None] = lambda: None,
        *,
        rolled_back: Callable[[], None] = lambda: None,
        may_share: bool = True,
        turn_s: float | None = LOCK_S,
    ) -> None:
        super().__init__()
        self._address = address
        self._connection = connection
        connection.turn_ms = turn_ms(turn_s)
        self._committed = committed
        self._rolled_back = rolled_back
        self._most = MAX_JOBS if may_share else 1
        self._turn_s = turn_s
        self._is_committing = False
        self._ending = threading.Event()
        self._failures = 0
        self._not_before = 0.0
        self._refusal: StoreUnavailableError | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def close_writer(self) -> None:
        """Finish queued work, then close the connection; may be called twice.

        From now on, jobs blocked for longer than ``LOCK_S`` fail.
        """
        self.close_turns()
        self._limit_turns(LOCK_S)
        self._thread.join(LOCK_S)
        while self._thread.is_alive():
            if self._connection.turn_wait_s() > LOCK_S:
                self._connection.end_turn_wait()
            self._thread.join(0.1)

    def fail_waiting(self) -> None:
        self._limit_turns(0)
        self._connection.end_turn_wait()

    def turn_wait_s(self) -> float:
        """Return how long a recording has been waiting for its turn (s), 0 if none is."""
        return self._connection.turn_wait_s()

    def _limit_turns(self, turn_s: float) -> None:
        self._turn_s = turn_s if self._turn_s is None else min(turn_s, self._turn_s)
        self._connection.turn_ms = turn_ms(self._turn_s)
        self._ending.set()

    def _run(self) -> None:
        while jobs := self.next(self._most):
            self._transact(jobs)
        self._connection.close()

    def _transact(self, jobs: list[Job[Connection]]) -> None:
        begun = time.monotonic()
        for tries in itertools.count(1):
            passes = partial(self._passes, tries=tries, since=begun)
            try:
                done = self._do_all(jobs, passes)
                break
            except BaseException as error:  # noqa: BLE001 - thread main: callers get the error
                self._roll_back(error)
                self._rolled_back()
                jobs = [job for job in jobs if not job.future.done()]
                if not passes(error):
                    for job in jobs:
                        job.future.set_exception(self._address.as_unavailable(error))
                    return
            longest_s = PAUSE_S * min(2**tries, _MOST_PAUSES)
            self._ending.wait(random.uniform(0, longest_s))  # noqa: S311 - no secret
        for job in done:
            job.future.set_result(job.outcome)
        try:
            self._committed()
        except Exception:  # noqa: BLE001 - thread main: the writer lives on
            _log.exception("a callback after a commit failed")

    def _do_all(
        self, jobs: list[Job[Connection]], passes: Callable[[BaseException], bool]
    ) -> list[Job[Connection]]:
        """Do jobs in one transaction; return those that are committed."""
        self._is_committing = False
        connection = self._begin()
        alone = len(jobs) == 1
        done = [job for job in jobs if self._do(job, connection, passes, alone=alone)]
        self._is_committing = True
        if connection.do("COMMIT") != "COMMIT":
            raise psycopg.OperationalError("the transaction was rolled back")
        return done

    def _passes(self, error: BaseException, tries: int, since: float) -> bool:
        """Return whether to retry a failed transaction."""
        state = getattr(error, "sqlstate", None)
        if state == _MADE_AT_ONCE:
            return tries < _TRIES_OF_MADE
        if isinstance(error, psycopg.OperationalError) and state in _CUT:
            return tries == 1 and not self._is_committing
        left = self._turn_s is None or time.monotonic() - since < self._turn_s
        return state in _PASSING and left

    def _begin(self) -> Connection:
        """Begin a transaction, on a new connection if the last one was lost."""
        if not self._connection.closed:
            try:
                self._connection.do("BEGIN")
            except psycopg.OperationalError as error:
                if error.sqlstate is not None and not self._connection.closed:
                    raise
                self._connection.close()  # libpq knows of the loss before it reports it
            else:
                return self._connection
        self._connect()
        self._connection.do("BEGIN")
        return self._connection

    def _connect(self) -> None:
        if self._refusal is not None and time.monotonic() < self._not_before:
            raise self._refusal
        try:
            self._connection = self._address.connect(turn_s=self._turn_s)
        except StoreError as error:
            pause = RETRY_S[min(self._failures, len(RETRY_S) - 1)]
            self._not_before = time.monotonic() + pause
            self._failures += 1
            self._refusal = _unavailable(error)
            raise self._refusal from error
        self._failures, self._refusal = 0, None

    def _do(
        self,
        job: Job[Connection],
        connection: Connection,
        passes: Callable[[BaseException], bool],
        *,
        alone: bool,
    ) -> bool:
        """Do the work; return whether it is in the commit, which others may share."""
        if alone:
            job.outcome = job.function(connection)
            return True
        connection.do("SAVEPOINT job")
        try:
            job.outcome = job.function(connection)
        except BaseException as error:
            if connection.closed or passes(error):  # and with it the jobs before this one
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
    """Return why there is no connection; a database replaced by another may still come back."""
    return error if isinstance(error, StoreUnavailableError) else StoreUnavailableError(str(error))
