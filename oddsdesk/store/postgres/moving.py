"""A PostgreSQL database as what a database is moved from or to (``store.moving``)."""

import contextlib
from collections.abc import Collection, Generator, Iterable, Iterator
from typing import Any, Final

from psycopg import Connection, DataError, IntegrityError, IsolationLevel
from psycopg.sql import SQL, Composed, Identifier

from oddsdesk.store.errors import HalfMadeError, StoreError
from oddsdesk.store.moving import CHUNK, TABLES, Copied, Row, Table
from oddsdesk.store.postgres.connections import ServerAddress
from oddsdesk.store.postgres.leases import PostgresLease
from oddsdesk.store.postgres.migrations import (
    bring_up_to_date,
    check_current,
    is_half_made_here,
    keep_others_out,
    mark_half_made,
    steps_done,
    unmark_half_made,
)
from oddsdesk.store.postgres.prepared import PreparingConnection

_KINDS: Final = """
SELECT table_name, column_name, data_type FROM information_schema.columns
WHERE table_schema = current_schema()
"""
_ALONE: Final = """
SELECT pg_try_advisory_lock(hashtextextended(current_schema() || ' oddsdesk migrate', 0))
"""
_SHARDS: Final = "SELECT count(*) FROM shard"
_SHARD: Final = 0
"""The one that a moved log is in."""
_SHARDED: Final = frozenset({"game", "price_change"})
"""Tables with a column that only this engine has: the shard."""
_HELD: Final = ("shard", *(table.name for table in TABLES))
_MAKE_NOTES: Final = """
CREATE TABLE copied (name text PRIMARY KEY, rows bigint NOT NULL, digest bytea NOT NULL)
"""
_NOTES: Final = "SELECT name, rows, digest FROM copied"
_NOTE: Final = """
INSERT INTO copied (name, rows, digest) VALUES (%s, %s, %s)
ON CONFLICT (name) DO UPDATE SET rows = excluded.rows, digest = excluded.digest
"""
_UNNOTE: Final = "DELETE FROM copied WHERE name = ANY(%s)"
_DROP_NOTES: Final = "DROP TABLE copied, postponed"
_POSTPONE_INDEXES: Final = """
CREATE TABLE postponed AS
SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS made
FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
WHERE relnamespace = current_schema()::regnamespace AND NOT indisunique
"""
_DROP_INDEXES: Final = """
DO $$ DECLARE each record; BEGIN
    FOR each IN SELECT name FROM postponed LOOP EXECUTE 'DROP INDEX ' || each.name; END LOOP;
END $$
"""
_MAKE_INDEXES: Final = """
DO $$ DECLARE each record; BEGIN
    FOR each IN SELECT made FROM postponed LOOP EXECUTE each.made; END LOOP;
END $$
"""
_LOG: Final = "price_change"
_END_OF_LOG: Final = "SELECT seq FROM shard WHERE shard = %s"
_SET_END_OF_LOG: Final = "UPDATE shard SET seq = %s WHERE shard = %s"
_LAST_NUMBER: Final = """
SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(%s, %s)::regclass), 0)
"""
_GO_ON: Final = """
SELECT setval(pg_get_serial_sequence(%s, %s)::regclass, greatest(%s, 1), %s > 0)
"""


class PostgresSide:
    """A database on one connection, whose rows are told as SQLite has them."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection
        self._kinds = {
            (table, column): kind for table, column, kind in connection.execute(_KINDS).fetchall()
        }

    def rows(self, table: Table) -> Generator[Row]:
        """Yield the rows of a table in the order of its key."""
        columns = SQL(", ").join(self._read(table, each) for each in table.columns)
        order = SQL(", ").join(self._ordered(table, each) for each in table.key)
        query = SQL("SELECT {} FROM {} ORDER BY {}").format(columns, Identifier(table.name), order)
        with (
            self._connection.transaction(),
            self._connection.cursor("rows", binary=True) as cursor,
        ):
            cursor.itersize = CHUNK
            cursor.execute(query)
            yield from cursor

    def last_number(self, table: Table) -> int:
        """Return the last number that a numbered table has given, 0 where it never did."""
        asked = (_SHARD,) if table.name == _LOG else (table.name, table.key[0])
        query = _END_OF_LOG if table.name == _LOG else _LAST_NUMBER
        ((number,),) = self._connection.execute(query, asked).fetchall()
        return int(number)

    def _read(self, table: Table, column: str) -> Composed:
        is_boolean = self._kinds[table.name, column] == "boolean"
        return SQL("{}::integer" if is_boolean else "{}").format(Identifier(column))

    def _ordered(self, table: Table, column: str) -> Composed:
        is_text = self._kinds[table.name, column] == "text"
        return SQL('{} COLLATE "C"' if is_text else "{}").format(Identifier(column))


class PostgresTarget(PostgresSide):
    """A database that is being made; it opens for nobody else until ``finish``."""

    def copied(self) -> dict[str, Copied]:
        """Return what is there already, by table."""
        noted = self._connection.execute(_NOTES).fetchall()
        return {name: Copied(rows, digest) for name, rows, digest in noted}

    def add(self, table: Table, rows: Collection[Row], copied: Copied) -> None:
        """Add rows and note what is there then; for good when it returns, or not at all."""
        fixed = (_SHARD,) if table.name in _SHARDED else ()
        names = (*table.columns, "shard")[: len(table.columns) + len(fixed)]
        columns = SQL(", ").join(map(Identifier, names))
        statement = SQL("COPY {} ({}) FROM STDIN").format(Identifier(table.name), columns)
        with (
            _fitting(table),
            self._connection.transaction(),
            self._connection.cursor() as cursor,
        ):
            with cursor.copy(statement) as copy:
                for row in rows:
                    copy.write_row((*row, *fixed))
            cursor.execute(_NOTE, (table.name, copied.rows, copied.digest))

    def empty(self, tables: Iterable[Table]) -> None:
        """Remove all rows of tables, and what was noted of them."""
        names = [table.name for table in tables]
        emptied = SQL(", ").join(map(Identifier, names))
        with self._connection.transaction():
            self._connection.execute(SQL("TRUNCATE {}").format(emptied))
            self._connection.execute(_UNNOTE, (names,))

    def go_on_from(self, table: Table, number: int) -> None:
        """Make that the last number that a numbered table has given."""
        if table.name == _LOG:
            self._connection.execute(_SET_END_OF_LOG, (number, _SHARD))
        else:
            self._connection.execute(_GO_ON, (table.name, table.key[0], number, number))

    def finish(self) -> None:
        """Make it a database that can be served, and wait until all of it is on the disk."""
        self._connection.execute("RESET synchronous_commit")
        with self._connection.transaction():
            self._connection.execute(_MAKE_INDEXES)
            self._connection.execute(_DROP_NOTES)
            unmark_half_made(self._connection)
        self._connection.execute("ANALYZE")


@contextlib.contextmanager
def postgres_source(url: str, leases: Collection[str]) -> Iterator[PostgresSide]:
    """Give a database to be read as it is now: who would change it waits until the end.

    ``leases`` are what servers have; they are held meanwhile, so that none begins its work.

    Raises:
        StoreError: it is none, not there, served, of another version, or somebody writes all the
            time.
    """
    address, lease = ServerAddress(url), PostgresLease(url, leases)
    with (
        address.refusals(),
        contextlib.closing(_connection(address)) as connection,
        contextlib.ExitStack() as stack,
    ):
        check_current(connection, address.shown)
        stack.callback(lease.release)
        if not lease.take():
            raise StoreError(f"{address.shown}: is served by another oddsdesk; stop that one first")
        if connection.execute(_SHARDS).fetchall() != [(1,)]:
            raise StoreError(f"{address.shown}: its log is in several shards, and a file has one")
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        with connection.transaction():
            held = SQL(", ").join(Identifier(name) for name in _HELD)
            connection.execute(SQL("LOCK TABLE {} IN SHARE MODE").format(held))
            yield PostgresSide(connection)


@contextlib.contextmanager
def postgres_target(url: str) -> Iterator[PostgresTarget]:
    """Give a database that is being made, anew or where the last try ended.

    Raises:
        StoreError: it is none, holds something already, or cannot be written.
    """
    address = ServerAddress(url)
    with address.refusals(), contextlib.closing(_connection(address)) as connection:
        if connection.execute(_ALONE).fetchall() != [(True,)]:
            raise StoreError(f"{address.shown}: another oddsdesk migrate writes there")
        with connection.transaction():
            _make(connection, address.shown)
        connection.execute("SET synchronous_commit = off")
        yield PostgresTarget(connection)


@contextlib.contextmanager
def _fitting(table: Table) -> Iterator[None]:
    """Say of which table a row does not fit: a file keeps what PostgreSQL's types do not allow."""
    try:
        yield
    except (DataError, IntegrityError) as error:
        why = " ".join(str(error).splitlines()[0].split())
        raise StoreError(
            f"{table.name}: a row of it does not fit into PostgreSQL: {why}"
        ) from error


def _make(connection: PreparingConnection, shown: str) -> None:
    """Make the tables and the mark that they are half made, unless the last try has."""
    keep_others_out(connection)
    try:
        steps = steps_done(connection, shown)
    except HalfMadeError:
        if not is_half_made_here(connection):
            raise StoreError(f"{shown}: another version of oddsdesk began it; remove it") from None
        return
    if steps is not None:
        raise StoreError(
            f"{shown}: holds something already; name a database, or a schema, that holds nothing"
        )
    bring_up_to_date(connection, shown)
    connection.execute(_MAKE_NOTES)
    connection.execute(
        _POSTPONE_INDEXES
    )  # sorted at the end they are made in a fraction of the time
    connection.execute(_DROP_INDEXES)
    mark_half_made(connection)


def _connection(address: ServerAddress) -> PreparingConnection:
    """Connect for long work: no statement and no pause is too long."""
    connection = address.connect(statement_s=0)
    connection.execute("SET idle_in_transaction_session_timeout = 0")
    return connection
