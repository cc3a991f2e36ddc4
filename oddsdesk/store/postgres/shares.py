"""Parts of a work in a PostgreSQL database, divided by advisory locks of one connection.

Each part is an exclusive lock; who takes part holds a shared lock of one number more, and these
are counted. When a process is gone its connection ends, and with it all of its locks.
"""

import contextlib
from collections.abc import Collection, Iterator
from typing import Any, Final

from psycopg import Connection

from oddsdesk.store.postgres.connections import ServerAddress
from oddsdesk.store.shares import Holding

ANSWER_S: Final = 2.0

_BE_QUICK: Final = """
SELECT set_config('tcp_keepalives_idle', '1', false),
    set_config('tcp_keepalives_interval', '1', false),
    set_config('tcp_keepalives_count', '2', false)
"""
"""How soon the server notices that a machine is gone, and not only a process."""
_CLASS: Final = "SELECT hashtext(current_schema() || ' ' || %s) & 2147483647"
_TAKE_PART: Final = "SELECT pg_advisory_lock_shared(%s, %s)"
_LOOK: Final = """
SELECT objid::bigint, mode FROM pg_locks
WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::bigint = %s
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
_TRY: Final = "SELECT pg_try_advisory_lock(%s, %s)"
_UNLOCK: Final = "SELECT pg_advisory_unlock(%s, %s)"
_ALONE: Final = "ExclusiveLock"


class PostgresShares:
    """``store.shares.Shares`` under a name, in the schema of a URL; connects when it is asked."""

    def __init__(self, address: ServerAddress, name: str, count: int) -> None:
        self.count = count
        self._address = address
        self._name = name
        self._connection: Connection[Any] | None = None
        self._class = 0
        self._held: set[int] = set()

    def take(self) -> Holding:
        """Take what is free, as far as it is this process's due; return all that it holds."""
        with self._asking() as connection:
            rows = connection.execute(_LOOK, (self._class,)).fetchall()
            members = sum(mode != _ALONE for _, mode in rows)
            due = -(-self.count // max(members, 1))
            taken = {part for part, mode in rows if mode == _ALONE}
            for part in range(self.count):
                if len(self._held) < due and part not in taken and self._try(connection, part):
                    self._held.add(part)
        parts = frozenset(self._held)
        return Holding(parts, frozenset(sorted(parts)[due:]))

    def give_back(self, parts: Collection[int]) -> None:
        """Let others have parts."""
        with self._asking() as connection:
            for part in self._held.intersection(parts):
                connection.execute(_UNLOCK, (self._class, part))
                self._held.discard(part)

    def close(self) -> None:
        """Give everything back."""
        self._held.clear()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @contextlib.contextmanager
    def _asking(self) -> Iterator[Connection[Any]]:
        try:
            connection = self._connection or self._connect()
            with self._address.refusals():
                yield connection
        except BaseException:
            self.close()
            raise

    def _connect(self) -> Connection[Any]:
        connection = self._connection = self._address.connect(statement_s=ANSWER_S)
        with self._address.refusals():
            connection.execute(_BE_QUICK)
            ((self._class,),) = connection.execute(_CLASS, (self._name,)).fetchall()
            connection.execute(_TAKE_PART, (self._class, self.count))
        return connection

    def _try(self, connection: Connection[Any], part: int) -> bool:
        ((is_ours,),) = connection.execute(_TRY, (self._class, part)).fetchall()
        return bool(is_ours)
