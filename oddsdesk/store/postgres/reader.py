"""Reading the odds in PostgreSQL."""

from collections.abc import Collection
from functools import cached_property
from typing import Final

from oddsdesk.store.older import FindOlder
from oddsdesk.store.postgres.connections import ServerAddress
from oddsdesk.store.postgres.queries.select import PostgresSelect
from oddsdesk.store.reader import Reader

_ONE_OF_EACH: Final = """
SELECT (SELECT 1 FROM game LIMIT 1), (SELECT 1 FROM quote LIMIT 1),
    (SELECT 1 FROM coverage LIMIT 1), (SELECT 1 FROM origin LIMIT 1),
    (SELECT 1 FROM price_change LIMIT 1), (SELECT 1 FROM value_bet LIMIT 1),
    (SELECT 1 FROM setting LIMIT 1)
"""


class PostgresReader(Reader):
    """Read-only, on a connection of its own; for the thread that got it from ``Store.reader``."""

    def __init__(
        self,
        address: ServerAddress,
        reference: str,
        share: Collection[str] | None = None,
        find_older: FindOlder | None = None,
    ) -> None:
        self._engine = PostgresSelect(address)
        super().__init__(self._engine, reference, share, find_older)

    def check(self, shown: str) -> None:
        """Look whether every table can be read that many requests read.

        Raises:
            StoreError: one cannot, or the tables are no longer those of this version.
        """
        self._select(_ONE_OF_EACH)
        self._engine.check_tables(shown)

    @cached_property
    def shards(self) -> int:
        """Into how many shards the log is divided; that is settled before it begins."""
        return int(self._select("SELECT count(*) FROM shard")[0][0])
