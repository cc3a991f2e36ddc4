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

    def announce(self, url: str, access: Path | None = None, secret: str = "") -> None:
        """Let others on this machine know where the server answers, where that can be told."""
        ...

    def release(self) -> None:
        """Let it go; it may be taken again."""
        ...


def leases_of(database: DatabaseUrl, names: Collection[str]) -> Lease:
    """Return all leases of these names as one: taken together, or none of them.

    Raises:
        StoreError: PostgreSQL's client is not installed, or the URL is none.
    """
    with needing_postgresql():
        from oddsdesk.store.postgres.leases import PostgresLease  # noqa: PLC0415 - an extra
    return PostgresLease(database.url, names)
