"""All rows of a game in PostgreSQL, and what was said of it (``store.pair_tables``)."""

from typing import Any, Final, LiteralString
from zlib import crc32

from psycopg import Connection
from psycopg.sql import SQL, Identifier, Placeholder

from oddsdesk.store.errors import StoreError
from oddsdesk.store.pair_tables import GAME_TABLES, GameRows, LogEnd, Row, SaidKey, StoredSaid
from oddsdesk.store.postgres.prepared import PreparingConnection

_TRUTHS: Final = frozenset({"has_live", "recent", "is_live", "may_share", "crosswise"})
"""Columns whose values are truth values here and numbers in rows."""
_ONLY_HERE: Final = ("kickoff", "shard")
"""Columns of a game that follow from others."""
QUEUE: Final = """
SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' turn ' || shard, 0))
FROM (
    SELECT shard FROM shard WHERE $1::boolean OR shard = ANY($2::integer[]) ORDER BY shard
) asked
"""
"""Asked before rows of ``shard`` are locked. PostgreSQL gives a lock of this kind to those who wait
for it in their order, but a row that was changed meanwhile to whoever finds it first."""
ALL_SHARDS: Final = ("true", "{}")
_COUNT_SHARDS: Final = "SELECT count(*) FROM shard"
_TAKE_ALL: Final = "SELECT shard, seq FROM shard ORDER BY shard FOR UPDATE"
_HAS_GAMES: Final = "SELECT EXISTS (SELECT FROM game)"
_ADD_SHARDS: Final = "INSERT INTO shard (shard) SELECT generate_series(%s::integer, %s::integer)"
_ENDS: Final = "SELECT shard::text, seq FROM shard ORDER BY shard"
_LAST: Final = """
SELECT id, repeats, source, may_share, quote FROM said
WHERE game = %s AND match_name = %s AND bookmaker = %s AND market_type = %s AND period = %s
ORDER BY id DESC LIMIT 1
"""
_SAY: Final = """
INSERT INTO said (game, match_name, bookmaker, market_type, period, repeats, source, may_share,
                  quote)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
_DROP: Final = "DELETE FROM said WHERE id = %s"
_LAST_ID: Final = "SELECT coalesce(max(id), 0) FROM said"


def shard_of(plain_name: str, count: int) -> int:
    """Return the shard of a game: a name with a date is in that of the name without (D31)."""
    return crc32(plain_name.encode()) % count


def count_shards(connection: Connection[Any]) -> int:
    """Return into how many shards the log is divided."""
    ((count,),) = connection.execute(_COUNT_SHARDS).fetchall()
    return int(count)


def divide_log(connection: PreparingConnection, count: int, shown: str) -> None:
    """Divide a log that has not begun into so many shards.

    Raises:
        StoreError: it is divided otherwise.
    """
    with connection.transaction():
        _, shards = connection.take_turn((QUEUE, ALL_SHARDS), (_TAKE_ALL, ()))
        if len(shards) == count:
            return
        ((has_games,),) = connection.execute(_HAS_GAMES).fetchall()
        if has_games or len(shards) > 1 or any(seq for _, seq in shards):
            raise StoreError(
                f"{shown}: its log has {len(shards)} shard{'s'[: len(shards) > 1]} for good:"
                " the number is settled before anything is recorded"
            )
        connection.execute(_ADD_SHARDS, (1, count - 1))


class PostgresGameRows:
    """``store.pair_tables.RowTables`` on a connection."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection

    def rows_of(self, game: int) -> dict[str, list[Row]]:
        """Return the rows of a game by table, in their order."""
        found: dict[str, list[Row]] = {}
        for table, column in GAME_TABLES.items():
            query = SQL("SELECT * FROM {} WHERE {} = %s ORDER BY 1, 2")
            asked = query.format(Identifier(table), Identifier(column))
            cursor = self._connection.execute(asked, (game,))
            names = [each.name for each in cursor.description or ()]
            found[table] = [
                {name: _as_told(value) for name, value in zip(names, row, strict=True)}
                for row in cursor.fetchall()
            ]
        for row in found["game"]:
            for name in _ONLY_HERE:
                row.pop(name)
        return found

    def drop_rows(self, game: int) -> None:
        """Drop all rows of a game."""
        for table, column in GAME_TABLES.items():
            statement = SQL("DELETE FROM {} WHERE {} = %s")
            named = statement.format(Identifier(table), Identifier(column))
            self._connection.execute(named, (game,))

    def insert_rows(self, rows: GameRows) -> None:
        """Put rows of a game into their tables."""
        for table, each in rows.items():
            for row in each:
                whole = row
                if table == "game":
                    count = count_shards(self._connection)
                    whole = row | {"shard": shard_of(row["plain_name"], count)}
                names = SQL(", ").join(map(Identifier, whole))
                places = SQL(", ").join(Placeholder() for _ in whole)
                statement = SQL("INSERT INTO {} ({}) VALUES ({})")
                values = [bool(said) if name in _TRUTHS else said for name, said in whole.items()]
                self._connection.execute(statement.format(Identifier(table), names, places), values)

    def log_end(self) -> LogEnd:
        """Return where the log ends; as in a file where there is one shard."""
        ends = dict(self._rows(_ENDS))
        return int(ends["0"]) if len(ends) == 1 else ends

    def last_said(self, key: SaidKey) -> StoredSaid | None:
        """Return what was said last of a market under a name."""
        rows = self._rows(_LAST, *key)
        return StoredSaid(*rows[0]) if rows else None

    def say(
        self, key: SaidKey, quote: bytes, source: str | None, may_share: bool | None, repeats: bool
    ) -> None:
        """Note what was said."""
        self._connection.execute(_SAY, (*key, repeats, source, may_share, quote))

    def unsay(self, ident: int) -> None:
        """Forget one thing that was said."""
        self._connection.execute(_DROP, (ident,))

    def end_of_said(self) -> int:
        """Return the number of the last thing that was said, 0 where there is none."""
        return int(self._rows(_LAST_ID)[0][0])

    def _rows(self, query: LiteralString, *values: Any) -> list[Any]:
        return self._connection.execute(query, values).fetchall()


def _as_told(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value
