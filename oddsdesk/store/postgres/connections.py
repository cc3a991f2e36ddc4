"""Connections to a PostgreSQL database, and its refusals as the store's own.

Only what ``ServerAddress.shown`` holds is ever said of a URL: no message has its password.
"""

import contextlib
from collections.abc import Iterator
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError
from oddsdesk.store.postgres.prepared import PreparingConnection

CONNECT_S: Final = 3
"""How long one host may take to let us in."""
STATEMENT_S: Final = 10
"""No statement of a request or a recording may take longer."""
LOCK_S: Final = 5
"""How long a statement waits for a lock that another process holds; as in SQLite."""
TURN_S: Final = 60
"""How long a recording waits for its turn where other processes record into the same shards. Each
of them takes a second at most; none can hold up the others longer than ``IDLE_S``."""
READ_LOCK_S: Final = 0.07
"""The same for who only reads: nothing but a change of the tables holds that up, for who knows
how long."""
IDLE_S: Final = 30
"""A transaction that its process has forgotten, as one that is stopped, lets go of its locks."""
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
    "08": Fault.AWAY,  # connection
    "28": Fault.OTHER,  # who we are is not believed
    "3D": Fault.OTHER,  # no such database
    "42501": Fault.OTHER,  # not allowed
    "53": Fault.OTHER,  # resources
    "57": Fault.AWAY,  # shut down, or about to
    "58": Fault.OTHER,  # its system
}


class ServerAddress:
    """A database told by a URL of one host or several: ``postgresql://USER@HOST,HOST/NAME``."""

    shown: str
    """The URL as it may be said: without password and options."""

    def __init__(self, url: str) -> None:
        """Read a URL.

        Raises:
            StoreError: it is none of PostgreSQL's; one line that holds nothing of it.
        """
        try:
            said = conninfo_to_dict(url)
        except psycopg.ProgrammingError:
            raise StoreError(
                "--database: expected postgresql://USER@HOST:PORT/NAME, as PostgreSQL has it"
            ) from None
        if "@" in str(said.get("host", "")):
            raise StoreError("--database: what has a meaning in URLs is %40 in a password, as @ is")
        self._said = _DEFAULTS | {name: value for name, value in said.items() if value is not None}
        self.shown = _shown(said)

    def connect(
        self,
        *,
        statement_s: float = STATEMENT_S,
        lock_s: float = LOCK_S,
        turn_s: float | None = TURN_S,
    ) -> PreparingConnection:
        """Connect; each statement is a transaction of its own but inside ``transaction()``.

        ``turn_s`` is how long ``take_turn`` waits, None for as long as it takes.

        Raises:
            StoreUnavailableError: nobody lets us in now.
            StoreError: what is there cannot be used; one line.
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
        """Have what PostgreSQL refuses inside fail with ``StoreUnavailableError``."""
        try:
            yield
        except psycopg.Error as error:
            raise self.as_unavailable(error) from error

    def as_unavailable(self, error: BaseException) -> BaseException:
        """Return what a caller should see of an error: PostgreSQL's refusals as the store's own."""
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
            raise StoreError(f"{self.shown}: the encoding of the database is not UTF8")
        connection.execute(
            "SELECT set_config('statement_timeout', %s, false),"
            " set_config('lock_timeout', %s, false),"
            " set_config('idle_in_transaction_session_timeout', %s, false),"
            " set_config('jit', 'off', false)",
            [f"{limit * 1000:.0f}" for limit in limits_s],
        )

    def _line(self, error: BaseException) -> str:
        """Return the first line of an error, without what is secret."""
        lines = str(error).splitlines() or [type(error).__name__]
        line = " ".join(lines[0].split())
        for name in _SECRETS:
            if secret := self._said.get(name):
                line = line.replace(str(secret), "****")
        return line


def check_writable(connection: PreparingConnection) -> None:
    """Refuse a database that can only be read now, as a standby, in a transaction.

    Raises:
        psycopg.errors.ReadOnlySqlTransaction: it can.
    """
    ((is_read_only,),) = connection.execute("SHOW transaction_read_only").fetchall()
    if is_read_only == "on":
        raise psycopg.errors.ReadOnlySqlTransaction("nothing can be written in it")


def turn_ms(turn_s: float | None) -> int:
    """Return a limit of ``take_turn`` as PostgreSQL has it: 0 is none."""
    return 0 if turn_s is None else max(1, round(turn_s * 1000))


def _fault(error: psycopg.Error) -> Fault | None:
    """Return why PostgreSQL refuses; None where it is us who made a mistake."""
    state = error.sqlstate
    if state is None:  # libpq's own words: nobody there, or no longer
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
