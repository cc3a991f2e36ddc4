"""Leases as advisory locks of a connection: PostgreSQL frees them when that is gone."""

import contextlib
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

import psycopg

from oddsdesk.store.postgres.connections import ServerAddress

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
"""A machine that is gone says nothing: PostgreSQL asks for it."""
_ANSWER_S: Final = 2.0
"""Who holds a lease has to hear from PostgreSQL in this time, or holds it no longer."""


class PostgresLease:
    """``store.leases.Lease``: held for as long as its connection is."""

    is_for_good = False

    def __init__(self, url: str, names: Collection[str]) -> None:
        self._address = ServerAddress(url)
        self._names = sorted(names)
        self._connection: psycopg.Connection[Any] | None = None
        self._is_taken = False

    def take(self) -> bool:
        """Take all, or none where another process has one of them."""
        if self._connection is None or self._connection.closed:
            self._connection = self._address.connect(statement_s=_ANSWER_S)
            self._connection.execute(_NOTICE)
        with self._address.refusals():
            self._is_taken = self._take_all(self._connection)
        return self._is_taken

    def is_held(self) -> bool:
        """Ask PostgreSQL; what cannot be asked is lost, and let go so that it cannot come back."""
        if self._connection is None or not self._is_taken:
            return False
        try:
            self._connection.execute("SELECT 1")
        except psycopg.Error:
            self.release()
            return False
        return True

    def announce(self, url: str, access: Path | None = None) -> None:
        """Do nothing: who asks may be on another machine."""

    def release(self) -> None:
        """Let it go at once, and close the connection, which alone would take a moment."""
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
