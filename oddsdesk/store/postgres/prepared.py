"""Statements that are run again and again: prepared once, and several in one round trip.

psycopg's own way takes 60 microseconds of the client's processor for a statement and 110 for
one in its pipeline, this one 5 to 15; a small recording has ten of them and little else.
"""

import contextlib
import select
import time
from collections.abc import Sequence
from typing import Any, Final

import psycopg
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

Row = tuple[Any, ...]
Asked = tuple[str, Sequence[str | None]]
"""A statement with ``$1`` where a value goes, and the values as PostgreSQL writes them."""
MOST: Final = 200
"""Statements that a connection keeps; PostgreSQL takes some 50 KB for each."""

_BEGIN_TURN: Final = """
SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', '0', true)
"""
_END_TURN: Final = (
    "SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)"
)
_DONE = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)


class PreparingConnection(psycopg.Connection[Any]):
    """A connection with a short way to PostgreSQL beside psycopg's; one thread at a time."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.turn_ms = 0
        """How long ``take_turn`` waits, 0 without limit."""
        self.limits_ms = ("0", "0")
        """How long all other statements wait for a lock, and how long they may take."""
        self._turn_since: float | None = None
        self._names: dict[str, str] = {}
        self._count = 0

    def ask(self, *asked: Asked) -> list[list[Row]]:
        """Run statements one after another, each on what those before it left; return their rows.

        After one that fails none runs.
        """
        names = [self._name_of(text) for text, _ in asked]
        pgconn = self.pgconn
        pgconn.enter_pipeline_mode()
        try:
            for name, (_, values) in zip(names, asked, strict=True):
                sent = [None if each is None else each.encode() for each in values]
                pgconn.send_query_prepared(name.encode(), sent, result_format=Format.BINARY)
            pgconn.pipeline_sync()
            self._flush()
            results = [self._result() for _ in asked]
            self._result()  # of the sync
        finally:
            with contextlib.suppress(psycopg.Error):  # a connection that was lost
                pgconn.exit_pipeline_mode()
        return [self._rows(each) for each in results]

    def take_turn(self, *asked: Asked) -> list[list[Row]]:
        """Run statements in a transaction that wait until others have recorded.

        The wait is not cut into pieces, which would lose the place in the queue each time.
        ``end_turn_wait`` ends it from another thread.

        Raises:
            psycopg.errors.LockNotAvailable: the wait took longer than ``turn_ms``, or was ended.
        """
        self._turn_since = time.monotonic()
        try:
            begin, end = (_BEGIN_TURN, (str(self.turn_ms),)), (_END_TURN, self.limits_ms)
            return self.ask(begin, *asked, end)[1:-1]
        except psycopg.errors.QueryCanceled as error:
            raise psycopg.errors.LockNotAvailable("the wait for other recorders ended") from error
        finally:
            self._turn_since = None

    def turn_wait_s(self) -> float:
        """Return for how long ``take_turn`` has been waiting, 0 where it is not."""
        since = self._turn_since
        return 0.0 if since is None else time.monotonic() - since

    def end_turn_wait(self) -> None:
        """Have ``take_turn`` on another thread fail now, if it is waiting."""
        if self._turn_since is not None and not self.closed:
            with contextlib.suppress(psycopg.Error):
                self.pgconn.get_cancel().cancel()

    def do(self, command: str) -> str:
        """Run a command without values; return what PostgreSQL says that it did."""
        result = self.pgconn.exec_(command.encode())
        self._rows(result)
        return (result.command_status or b"").decode()

    def _name_of(self, text: str) -> str:
        """Return the name of a statement on this connection."""
        if text not in self._names:
            if len(self._names) == MOST:
                self.do(f"DEALLOCATE {self._names.pop(next(iter(self._names)))}")
            self._count += 1
            name = f"oddsdesk_{self._count}"
            self._rows(self.pgconn.prepare(name.encode(), text.encode()))
            self._names[text] = name
        return self._names[text]

    def _flush(self) -> None:
        """Send what was asked, and read what comes meanwhile."""
        while self.pgconn.flush():
            self._wait(select.POLLIN | select.POLLOUT)

    def _result(self) -> PGresult:
        """Wait for the result of the next statement."""
        for _ in range(2):  # between two statements there is none, once
            while self.pgconn.is_busy():
                self._wait(select.POLLIN)
            result = self.pgconn.get_result()
            if result is not None:
                return result
        raise psycopg.OperationalError("the connection was lost")

    def _wait(self, events: int) -> None:
        poll = select.poll()
        poll.register(self.pgconn.socket, events)
        if any(event & ~select.POLLOUT for _, event in poll.poll()):
            self.pgconn.consume_input()

    def _rows(self, result: PGresult) -> list[Row]:
        if result.status not in _DONE:
            error = error_from_result(result)
            raise error if error.sqlstate else psycopg.OperationalError(str(error))  # libpq's own
        if not result.ntuples:
            return []
        read = Transformer.from_context(self)
        read.set_pgresult(result)
        return read.load_rows(0, result.ntuples, tuple)
