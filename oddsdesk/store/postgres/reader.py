"""Reading the odds in PostgreSQL."""

from collections.abc import Collection
from functools import cached_property

from oddsdesk.store.postgres.connections import ServerAddress
from oddsdesk.store.postgres.queries.select import PostgresSelect
from oddsdesk.store.queries.reader import QueryReader


class PostgresReader(QueryReader):
    """Read-only, on a connection of its own; for the thread that got it from ``Store.reader``."""

    def __init__(
        self, address: ServerAddress, reference: str, share: Collection[str] | None = None
    ) -> None:
        super().__init__(PostgresSelect(address), reference, share)

    @cached_property
    def shards(self) -> int:
        """Into how many shards the log is divided; that is settled before it begins."""
        return int(self._select("SELECT count(*) FROM shard")[0][0])
