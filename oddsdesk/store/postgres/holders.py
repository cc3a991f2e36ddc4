"""Who works on a PostgreSQL database at all: its advisory locks, as anybody may read them."""

from collections.abc import Collection
from typing import Any, Final

from psycopg import Connection

from oddsdesk.store.postgres.connections import ServerAddress

_ANSWER_S: Final = 2.0
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
    """``store.leases.Holders`` in the schema of a URL; connects when it is asked."""

    def __init__(self, url: str, leases: Collection[str], works: Collection[str]) -> None:
        self._address = ServerAddress(url)
        self._names = (sorted(leases), sorted(works))
        self._connection: Connection[Any] | None = None

    def held(self) -> frozenset[str]:
        """Ask PostgreSQL; a connection that fails is made anew the next time."""
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
