"""Keeping the file small: old log rows and forgotten games are removed, slice by slice."""

import sqlite3
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from oddsdesk.store.retention import SLICE, Pruning
from oddsdesk.store.sqlite.pair_tables import PairTables
from oddsdesk.store.sqlite.reader import AGED, SqliteReader

if TYPE_CHECKING:
    from oddsdesk.store.sqlite.store import SqliteStore

_DROP_LOG: Final = f"""
DELETE FROM price_change
WHERE seq IN (SELECT seq {AGED} AND scraped_at < :before LIMIT :slice)
"""  # noqa: S608 - a constant
_NOT_RECENT: Final = """
UPDATE game INDEXED BY game_order SET recent = 0 WHERE recent AND last_scraped_at < ?
"""


class SqlitePruning(Pruning):
    """For a file, whose log has one shard."""

    _store: "SqliteStore"

    def logs(self) -> Mapping[int, SqliteReader]:
        return {0: self._store.reader()}

    def drop_block(self, shard: int, block: tuple[int, int], keep_ms: int, before: int) -> int:
        drop, removed = _drop_slice(block, keep_ms, before), 0
        while dropped := self._do(drop):
            removed += dropped
        return removed

    def drop_not_recent(self, connection: sqlite3.Connection, before: int) -> None:
        connection.execute(_NOT_RECENT, (before,))

    def forgotten_games(self, before: int) -> list[int]:
        return self._store.reader().forgotten_games(before)

    def pair_tables(self, connection: sqlite3.Connection) -> PairTables:
        return PairTables(connection)

    def be_alone(self, connection: sqlite3.Connection) -> None:
        """Do nothing: a file has one transaction at a time."""


def _drop_slice(
    block: tuple[int, int], keep_ms: int, before: int
) -> Callable[[sqlite3.Connection], int]:
    first, last = block
    asked = {"first": first, "last": last, "keep": keep_ms, "before": before, "slice": SLICE}
    return lambda connection: connection.execute(_DROP_LOG, asked).rowcount
