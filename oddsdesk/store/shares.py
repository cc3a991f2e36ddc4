"""Equal parts of one work, divided among the processes that want to do it."""

from collections.abc import Collection
from typing import NamedTuple, Protocol

from oddsdesk.store.databases import DatabaseUrl, needing_postgresql


class Holding(NamedTuple):
    """The parts that a process holds; of these the ``surplus`` is the due of others."""

    parts: frozenset[int]
    surplus: frozenset[int]


class Shares(Protocol):
    """What one process holds of ``count`` parts, each of which one process holds at a time.

    Who is gone holds nothing. One thread at a time.
    """

    count: int

    def take(self) -> Holding:
        """Take what is free, as far as it is this process's due; return all that it holds.

        Raises:
            StoreUnavailableError: that is not known now, and nothing may be held any more.
        """
        ...

    def give_back(self, parts: Collection[int]) -> None:
        """Let others have parts.

        Raises:
            StoreUnavailableError: the database cannot be asked; nothing may be held any more.
        """
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


def shares_of(database: DatabaseUrl, name: str, count: int) -> Shares:
    """Return this process's part in a work of a name; nothing is asked or held yet.

    Raises:
        StoreError: PostgreSQL's client is not installed, or the URL is none.
    """
    with needing_postgresql():
        from oddsdesk.store.postgres.connections import ServerAddress  # noqa: PLC0415 - an extra
        from oddsdesk.store.postgres.shares import PostgresShares  # noqa: PLC0415 - as above
    return PostgresShares(ServerAddress(database.url), name, count)
