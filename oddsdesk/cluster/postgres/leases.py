"""Leases as advisory locks of a connection: PostgreSQL frees them when it ends.

Each part is an exclusive lock; each participant holds a shared lock with one higher number, and
these are counted. When a process dies its connection ends, and with it all of its locks.
"""

import contextlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import Connection

from oddsdesk.cluster.postgres.connections import ServerAddress

_TAKE: Final = """
SELECT pg_try_advisory_lock(hashtextextended(current_schema() || ' lease ' || %s, 0))
"""
_LET_GO: Final = "SELECT pg_advisory_unlock_all()"
_NOTICE: Final = """
SELECT set_config('tcp_keepalives_idle', '2', false),
    set_config('tcp_keepalives_interval', '1', false),
    set_config('tcp_keepalives_count', '3', false),
    set_config('tcp_user_timeout', '5000', false)
"""
"""A dead machine sends nothing: PostgreSQL probes the connection."""
_ANSWER_S: Final = 2.0
"""The holder of a lease must hear from PostgreSQL in this time, or loses it (s)."""


class PostgresLease:
    """``succession.Lease``: held as long as its connection."""

    is_for_good = False

    def __init__(self, url: str, names: Collection[str]) -> None:
        self._address = ServerAddress(url)
        self._names = sorted(names)
        self._connection: psycopg.Connection[Any] | None = None
        self._is_taken = False

    def take_lease(self) -> bool:
        """Take all, or none if another process has one of them."""
        if self._connection is None or self._connection.closed:
            self._connection = self._address.connect(statement_s=_ANSWER_S)
            self._connection.execute(_NOTICE)
        with self._address.refusals():
            self._is_taken = self._take_all(self._connection)
        return self._is_taken

    def is_held(self) -> bool:
        """Ask PostgreSQL; without an answer the lease is given up, so that it cannot come back."""
        if self._connection is None or not self._is_taken:
            return False
        try:
            self._connection.execute("SELECT 1")
        except psycopg.Error:
            self.release_lease()
            return False
        return True

    def announce_holder(self, url: str, access: Path | None = None, link_url: str = "") -> None:
        """Do nothing: the other process may be on another machine."""

    def release_lease(self) -> None:
        """Release it at once, and close the connection, which alone would take a moment."""
        if self._connection is not None and self._is_taken:
            with contextlib.suppress(psycopg.Error):
                self._connection.execute(_LET_GO)
        self._is_taken = False
        if self._connection is not None:
            self._connection.close()

    def _take_all(self, connection: psycopg.Connection[Any]) -> bool:
        for name in self._names:
            ((is_free,),) = connection.execute(_TAKE, (name,)).fetchall()
            if not is_free:
                connection.execute(_LET_GO)
                return False
        return True


_HELD: Final = """
WITH held AS (
    SELECT classid::bigint AS class, objid::bigint AS object, objsubid FROM pg_locks
    WHERE locktype = 'advisory' AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
SELECT name FROM unnest(%s::text[]) AS lease(name) WHERE EXISTS (
    SELECT FROM held WHERE objsubid = 1
        AND (class << 32) | object = hashtextextended(current_schema() || ' lease ' || name, 0)
)
UNION ALL
SELECT name FROM unnest(%s::text[]) AS work(name) WHERE EXISTS (
    SELECT FROM held WHERE objsubid = 2
        AND class = hashtext(current_schema() || ' ' || name) & 2147483647
)
"""
"""Keys of one number are those of ``PostgresLease``, keys of two those of ``PostgresShares``."""


class PostgresHolders:
    """Reports which leases and parts any process holds; connects at first use.

    One thread at a time.
    """

    def __init__(self, url: str, leases: Collection[str], works: Collection[str]) -> None:
        self._address = ServerAddress(url)
        self._names = (sorted(leases), sorted(works))
        self._connection: Connection[Any] | None = None

    def held(self) -> frozenset[str]:
        """Return the names that any process holds now.

        Raises:
            StoreError: the database cannot be used now; the next time it connects again.
        """
        try:
            if self._connection is None:
                self._connection = self._address.connect(statement_s=_ANSWER_S)
            with self._address.refusals():
                return frozenset(name for (name,) in self._connection.execute(_HELD, self._names))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


ANSWER_S: Final = 2.0

_BE_QUICK: Final = """
SELECT set_config('tcp_keepalives_idle', '1', false),
    set_config('tcp_keepalives_interval', '1', false),
    set_config('tcp_keepalives_count', '2', false)
"""
"""How soon the server notices that a machine is gone, not only a process."""
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


class Holding(NamedTuple):
    """The parts of a process; its ``surplus`` belongs to others."""

    parts: frozenset[int]
    surplus: frozenset[int]


class PostgresShares:
    """One process's part of ``count`` parts of a work, each held by one process at a time.

    It connects at first use. One thread at a time.
    """

    def __init__(self, url: str, name: str, count: int) -> None:
        self.count = count
        self._address = ServerAddress(url)
        self._name = name
        self._connection: Connection[Any] | None = None
        self._class = 0
        self._held: set[int] = set()

    def take_shares(self) -> Holding:
        """Take free parts, up to this process's share; return all that it holds.

        Raises:
            StoreUnavailableError: that is unknown now, and nothing may be held any more.
        """
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

    def give_back_share(self, parts: Collection[int]) -> None:
        """Release parts to others.

        Raises:
            StoreUnavailableError: the database cannot be reached; nothing may be held any more.
        """
        with self._asking() as connection:
            for part in self._held.intersection(parts):
                connection.execute(_UNLOCK, (self._class, part))
                self._held.discard(part)

    def close(self) -> None:
        """Release everything."""
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
