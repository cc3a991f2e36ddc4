"""What one process of a database has at a time: the right to do what is done once."""

from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from oddsdesk.store.databases import DatabaseUrl, needing_postgresql


class Lease(Protocol):
    """Held from when it is taken until it is released, or its process dies.

    Its methods wait for the database, so they are not for a loop.
    """

    @property
    def is_for_good(self) -> bool:
        """Whether what was taken cannot be lost while this process lives."""
        ...

    def take(self) -> bool:
        """Take it unless another process has it; return whether it was taken.

        Raises:
            StoreError: the database cannot be used now.
        """
        ...

    def is_held(self) -> bool:
        """Say whether it is still held since it was taken."""
        ...

    def announce(self, url: str, access: Path | None = None) -> None:
        """Let others on this machine know where the server answers, where that can be told."""
        ...

    def release(self) -> None:
        """Let it go; it may be taken again."""
        ...


class Holders(Protocol):
    """Tells what of some leases and divided works anybody has. One thread at a time."""

    def held(self) -> frozenset[str]:
        """Return the names that a process has now, this one or another.

        Raises:
            StoreError: the database cannot be used now.
        """
        ...

    def close(self) -> None:
        """Ask no more."""
        ...


def leases_of(database: DatabaseUrl, names: Collection[str]) -> Lease:
    """Return all leases of these names as one: taken together, or none of them.

    Raises:
        StoreError: PostgreSQL's client is not installed, or the URL is none.
    """
    with needing_postgresql():
        from oddsdesk.store.postgres.leases import PostgresLease  # noqa: PLC0415 - an extra
    return PostgresLease(database.url, names)


def holders_of(database: DatabaseUrl, leases: Collection[str], works: Collection[str]) -> Holders:
    """Return who tells whether anybody has these leases, and a part of these works.

    Raises:
        StoreError: PostgreSQL's client is not installed, or the URL is none.
    """
    with needing_postgresql():
        from oddsdesk.store.postgres.holders import PostgresHolders  # noqa: PLC0415 - an extra
    return PostgresHolders(database.url, leases, works)
