"""Connections to a PostgreSQL database, with its errors as the store's.

Messages contain only ``ServerAddress.shown`` of a URL, never its password.

psycopg takes 60 microseconds of processor time for a statement and 110 in its pipeline, this code 5
to 15; a small recording has ten statements and little else. psycopg also handles each value in
Python, and a recording has tens of thousands.
"""

import contextlib
import select
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import psycopg
from psycopg.adapt import Transformer
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError

Row = tuple[Any, ...]
Asked = tuple[str, Sequence[str | None]]
"""A statement with ``$1`` where a value goes, and the values as PostgreSQL writes them."""
MOST: Final = 200
"""Statements that a connection keeps prepared; PostgreSQL takes some 50 KB for each."""

_BEGIN_TURN: Final = """
SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', '0', true)
"""
_END_TURN: Final = (
    "SELECT set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)"
)
_DONE = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK)


class PreparingConnection(psycopg.Connection[Any]):
    """A connection with a faster way to PostgreSQL besides psycopg's; one thread at a time."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.turn_ms = 0
        """How long ``take_turn`` waits, 0 without limit."""
        self.limits_ms = ("0", "0")
        """How long all other statements wait for a lock, and how long they may run."""
        self._turn_since: float | None = None
        self._names: dict[str, str] = {}
        self._count = 0

    def run_statements(self, *asked: Asked) -> list[list[Row]]:
        """Run statements one after another and return their rows.

        After a failure the rest is skipped.
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

        The wait is not split, as each part would go to the end of the queue. ``end_turn_wait`` ends
        it from another thread.

        Raises:
            psycopg.errors.LockNotAvailable: the wait took longer than ``turn_ms``, or was ended.
        """
        self._turn_since = time.monotonic()
        try:
            begin, end = (_BEGIN_TURN, (str(self.turn_ms),)), (_END_TURN, self.limits_ms)
            return self.run_statements(begin, *asked, end)[1:-1]
        except psycopg.errors.QueryCanceled as error:
            raise psycopg.errors.LockNotAvailable("the wait for other recorders ended") from error
        finally:
            self._turn_since = None

    def turn_wait_s(self) -> float:
        """Return how long ``take_turn`` has been waiting (s), 0 if it is not."""
        since = self._turn_since
        return 0.0 if since is None else time.monotonic() - since

    def end_turn_wait(self) -> None:
        """Make ``take_turn`` on another thread fail now, if it is waiting."""
        if self._turn_since is not None and not self.closed:
            with contextlib.suppress(psycopg.Error):
                self.pgconn.get_cancel().cancel()

    def do(self, command: str) -> str:
        """Run a command without values; return PostgreSQL's command tag."""
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
        """Send pending statements, and read incoming data."""
        while self.pgconn.flush():
            self._wait(sends=True)

    def _result(self) -> PGresult:
        """Wait for the result of the next statement."""
        for _ in range(2):  # between two statements there is none, once
            while self.pgconn.is_busy():
                self._wait()
            result = self.pgconn.get_result()
            if result is not None:
                return result
        raise psycopg.OperationalError("the connection was lost")

    def _wait(self, *, sends: bool = False) -> None:
        if sys.platform == "win32":
            raise NotImplementedError  # `needing_postgresql` refuses
        poll = select.poll()
        poll.register(self.pgconn.socket, select.POLLIN | (select.POLLOUT if sends else 0))
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


CONNECT_S: Final = 3
"""How long one host may take to connect (s)."""
STATEMENT_S: Final = 10
"""The longest statement of a request or a recording (s)."""
LOCK_S: Final = 5
"""How long a statement waits for another process's lock (s); as in SQLite."""
TURN_S: Final = 60
"""How long a recording waits for its turn while other processes record into the same shards (s).
Each of them takes a second at most; none can hold up the others longer than ``IDLE_S``."""
READ_LOCK_S: Final = 0.07
"""The same for readers: only a change of the tables can block them, for an unknown time."""
IDLE_S: Final = 30
"""After this time a forgotten transaction, as of a stopped process, loses its locks (s)."""
LEAST_VERSION: Final = 140_000

_DEFAULTS: Final[dict[str, Any]] = {
    "application_name": "oddsdesk",
    "connect_timeout": CONNECT_S,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
_SECRETS: Final = ("password", "sslpassword")
_SQLSTATES: Final = {
    "25006": Fault.READ_ONLY,
    "40001": Fault.LOCKED,  # could not serialize
    "40P01": Fault.LOCKED,  # deadlock
    "42P01": Fault.OTHER,  # no such table: they were dropped, or are another program's
    "53100": Fault.FULL,
    "55P03": Fault.LOCKED,  # lock_timeout
    "57014": Fault.SLOW,  # statement_timeout
    "25P03": Fault.SLOW,  # idle in a transaction
    "XX001": Fault.DAMAGED,
    "XX002": Fault.DAMAGED,
}
_CLASSES: Final = {
    "08": Fault.AWAY,  # connection error
    "28": Fault.OTHER,  # authentication failed
    "3D": Fault.OTHER,  # no such database
    "42501": Fault.OTHER,  # not allowed
    "53": Fault.OTHER,  # resources
    "57": Fault.AWAY,  # shut down, or about to
    "58": Fault.OTHER,  # its system
}


class ServerAddress:
    """A database given by a URL with one or several hosts: ``postgresql://USER@HOST,HOST/NAME``."""

    shown: str
    """The URL without password and options."""

    def __init__(self, url: str) -> None:
        """Read a URL.

        Raises:
            StoreError: it is not a PostgreSQL URL; one line without any part of it.
        """
        try:
            said = conninfo_to_dict(url)
        except psycopg.ProgrammingError:
            raise StoreError(
                "--database: expected postgresql://USER@HOST:PORT/NAME, as in PostgreSQL"
            ) from None
        if "@" in str(said.get("host", "")):
            raise StoreError(
                "--database: in a password, write @ as %40, and other special characters likewise"
            )
        self._said = _DEFAULTS | {name: value for name, value in said.items() if value is not None}
        self.shown = _shown(said)

    def connect(
        self,
        *,
        statement_s: float = STATEMENT_S,
        lock_s: float = LOCK_S,
        turn_s: float | None = TURN_S,
    ) -> PreparingConnection:
        """Connect; each statement is a separate transaction except inside ``transaction()``.

        ``turn_s`` is how long ``take_turn`` waits in seconds; None: without limit.

        Raises:
            StoreUnavailableError: no host accepts the connection now.
            StoreError: the database cannot be used; one line.
        """
        with self.refusals():
            where = make_conninfo("", **self._said)
            connection = PreparingConnection.connect(where, autocommit=True)
        try:
            with self.refusals():
                self._prepare(connection, (statement_s, lock_s, IDLE_S))
            connection.limits_ms = (f"{lock_s * 1000:.0f}", f"{statement_s * 1000:.0f}")
            connection.turn_ms = turn_ms(turn_s)
        except BaseException:
            connection.close()
            raise
        return connection

    @contextlib.contextmanager
    def refusals(self) -> Iterator[None]:
        """Turn PostgreSQL's errors inside into ``StoreUnavailableError``."""
        try:
            yield
        except psycopg.Error as error:
            raise self.as_unavailable(error) from error

    def as_unavailable(self, error: BaseException) -> BaseException:
        """Return the caller's error: PostgreSQL's errors as the store's."""
        fault = _fault(error) if isinstance(error, psycopg.Error) else None
        if fault is None:
            return error
        unavailable = StoreUnavailableError(
            f"{self.shown}: {fault.value}: {self._line(error)}", fault
        )
        unavailable.__cause__ = error
        return unavailable

    def _prepare(
        self, connection: psycopg.Connection[Any], limits_s: tuple[float, float, float]
    ) -> None:
        if connection.info.server_version < LEAST_VERSION:
            raise StoreError(f"{self.shown}: oddsdesk needs PostgreSQL {LEAST_VERSION // 10_000}")
        if connection.info.parameter_status("server_encoding") != "UTF8":
            raise StoreError(f"{self.shown}: the encoding of the database must be UTF8")
        connection.execute(
            "SELECT set_config('statement_timeout', %s, false),"
            " set_config('lock_timeout', %s, false),"
            " set_config('idle_in_transaction_session_timeout', %s, false),"
            " set_config('jit', 'off', false)",
            [f"{limit * 1000:.0f}" for limit in limits_s],
        )

    def _line(self, error: BaseException) -> str:
        """Return the first line of an error, without secrets."""
        lines = str(error).splitlines() or [type(error).__name__]
        line = " ".join(lines[0].split())
        for name in _SECRETS:
            if secret := self._said.get(name):
                line = line.replace(str(secret), "****")
        return line


def check_writable(connection: PreparingConnection) -> None:
    """Refuse a database that is read-only now, such as a standby, in a transaction.

    Raises:
        psycopg.errors.ReadOnlySqlTransaction: the database is read-only.
    """
    ((is_read_only,),) = connection.execute("SHOW transaction_read_only").fetchall()
    if is_read_only == "on":
        raise psycopg.errors.ReadOnlySqlTransaction("the database is read-only")


def turn_ms(turn_s: float | None) -> int:
    """Return the limit of ``take_turn`` for PostgreSQL, where 0 means no limit."""
    return 0 if turn_s is None else max(1, round(turn_s * 1000))


def _fault(error: psycopg.Error) -> Fault | None:
    """Return why PostgreSQL failed; None if it is our bug."""
    state = error.sqlstate
    if state is None:  # libpq's own error: no server, or no longer
        return Fault.AWAY if isinstance(error, psycopg.OperationalError) else None
    return _SQLSTATES.get(state) or _CLASSES.get(state) or _CLASSES.get(state[:2])


def _shown(said: dict[str, Any]) -> str:
    hosts = str(said.get("host") or said.get("hostaddr") or "").split(",")
    ports = str(said.get("port") or "").split(",")
    if len(ports) < len(hosts):
        ports = [ports[0]] * len(hosts)
    pairs = zip(hosts, ports, strict=False)
    where = ",".join(f"{host}:{port}" if port else host for host, port in pairs)
    user = f"{said['user']}@" if said.get("user") else ""
    return f"postgresql://{user}{where}/{said.get('dbname') or ''}"


_BETWEEN: Final = "\0"
"""It cannot be in a text of PostgreSQL, so whole columns can be escaped at once."""


def array(column: Sequence[Any]) -> str:
    """Return texts, numbers or booleans, or None among them, as an array literal.

    Raises:
        ValueError: a text holds what PostgreSQL cannot store.
    """
    if not column:
        return "{}"
    if _says_one(column):
        return "{" + ",".join([array(column[:1])[1:-1]] * len(column)) + "}"
    kinds = set(map(type, column))
    if kinds == {str}:
        return '{"' + _quoted(_joined(column)).replace(_BETWEEN, '","') + '"}'
    if str in kinds:
        return "{" + ",".join("NULL" if each is None else _text(each) for each in column) + "}"
    return "{" + ",".join(map(str, column)).replace("None", "NULL") + "}"


def lines(columns: Iterable[Sequence[Any]]) -> str:
    """Return columns for COPY, a line for each row.

    Raises:
        ValueError: a text holds what PostgreSQL cannot store.
    """
    return "\n".join((*map("\t".join, zip(*map(_cells, columns), strict=True)), ""))


def _says_one(column: Sequence[Any]) -> bool:
    """Whether several rows are equal, as many columns are when one bookmaker is read."""
    return len(column) > 1 and column.count(column[0]) == len(column)


def _cells(column: Sequence[Any]) -> list[str]:
    if _says_one(column):
        return _cells(column[:1]) * len(column)
    kinds = set(map(type, column))
    if kinds == {str}:
        return _escaped(_joined(column)).split(_BETWEEN)
    if str in kinds:
        return [r"\N" if each is None else _escaped(_joined([each])) for each in column]
    if type(None) in kinds:
        return [r"\N" if each is None else str(each) for each in column]
    return list(map(str, column))


def _joined(column: Sequence[str]) -> str:
    joined = _BETWEEN.join(column)
    if joined.count(_BETWEEN) != len(column) - 1:
        raise ValueError("PostgreSQL stores no text with a NUL")
    return joined


def _text(text: str) -> str:
    return f'"{_quoted(_joined([text]))}"'


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\\\")
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
