"""Moving a database between a file and PostgreSQL; PostgreSQL's side."""

import contextlib
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

from psycopg import Connection, DataError, IntegrityError, IsolationLevel
from psycopg.sql import SQL, Composed, Identifier

from oddsdesk.cluster.moving import (
    CHUNK,
    TABLES,
    Copied,
    Moved,
    Row,
    Source,
    Table,
    Target,
    check_tables,
    copy_tables,
    sqlite_source,
    sqlite_target,
)
from oddsdesk.cluster.postgres import schema
from oddsdesk.cluster.postgres.connections import PreparingConnection, ServerAddress
from oddsdesk.cluster.postgres.leases import PostgresLease
from oddsdesk.server.settings import RUN_ONCE
from oddsdesk.store.databases import Database, DatabaseUrl, access_path
from oddsdesk.store.errors import HalfMadeError, StoreError

_KINDS: Final = """
SELECT table_name, column_name, data_type FROM information_schema.columns
WHERE table_schema = current_schema()
"""
_ALONE: Final = """
SELECT pg_try_advisory_lock(hashtextextended(current_schema() || ' oddsdesk migrate', 0))
"""
_SHARDS: Final = "SELECT count(*) FROM shard"
_SHARD: Final = 0
"""The shard of a moved log."""
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


class Move:
    """A move between engines; call ``copy`` first, then ``check``."""

    def __init__(self, source: Source, target: Target) -> None:
        self._source = source
        self._target = target
        self._found: dict[str, Copied] = {}

    def copy(self, done: Callable[[int], None]) -> None:
        """Copy what the target lacks; ``done`` gets the number of rows since the last call."""
        self._found = copy_tables(self._source, self._target, done)

    def check(self, done: Callable[[int], None]) -> list[Moved]:
        """Compare all rows; if they are equal the target can be served."""
        moved = check_tables(self._target, self._source, self._found, done)
        if all(each.is_equal for each in moved):
            self._target.finish()
        return moved


@contextlib.contextmanager
def moving(source: Database, target: Database, access: Path | None) -> Iterator[Move]:
    """Yield the move of a database to another; ``access`` is the key file, if given.

    Raises:
        StoreError: one of them cannot be used; one line with the reason.
    """
    with _source(source, access) as here, _target(target, access) as there:
        yield Move(here, there)


def _source(database: Database, access: Path | None) -> AbstractContextManager[Source]:
    if isinstance(database, DatabaseUrl):
        return postgres_source(database.url, sorted(RUN_ONCE))
    return sqlite_source(database, access_path(database, access))


def _target(database: Database, access: Path | None) -> AbstractContextManager[Target]:
    if isinstance(database, DatabaseUrl):
        return postgres_target(database.url)
    return sqlite_target(database, access_path(database, access))


class PostgresSide:
    """A database on one connection, with rows as in SQLite."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection
        self._kinds = {
            (table, column): kind for table, column, kind in connection.execute(_KINDS).fetchall()
        }

    def table_rows(self, table: Table) -> Generator[Row]:
        columns = SQL(", ").join(self._read(table, each) for each in table.columns)
        order = SQL(", ").join(self._ordered(table, each) for each in table.key)
        query = SQL("SELECT {} FROM {} ORDER BY {}").format(columns, Identifier(table.name), order)
        with self._connection.transaction(), self._connection.cursor("rows", binary=True) as cursor:
            cursor.itersize = CHUNK
            cursor.execute(query)
            yield from cursor

    def last_number(self, table: Table) -> int:
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
    """A database in the making; nobody else can open it until ``finish``."""

    def copied(self) -> dict[str, Copied]:
        noted = self._connection.execute(_NOTES).fetchall()
        return {name: Copied(rows, digest) for name, rows, digest in noted}

    def add_rows(self, table: Table, rows: Collection[Row], copied: Copied) -> None:
        fixed = (_SHARD,) if table.name in _SHARDED else ()
        names = (*table.columns, "shard")[: len(table.columns) + len(fixed)]
        columns = SQL(", ").join(map(Identifier, names))
        statement = SQL("COPY {} ({}) FROM STDIN").format(Identifier(table.name), columns)
        with _fitting(table), self._connection.transaction(), self._connection.cursor() as cursor:
            with cursor.copy(statement) as copy:
                for row in rows:
                    copy.write_row((*row, *fixed))
            cursor.execute(_NOTE, (table.name, copied.rows, copied.digest))

    def empty(self, tables: Iterable[Table]) -> None:
        names = [table.name for table in tables]
        emptied = SQL(", ").join(map(Identifier, names))
        with self._connection.transaction():
            self._connection.execute(SQL("TRUNCATE {} CASCADE").format(emptied))
            self._connection.execute(_UNNOTE, (names,))

    def go_on_from(self, table: Table, number: int) -> None:
        if table.name == _LOG:
            self._connection.execute(_SET_END_OF_LOG, (number, _SHARD))
        else:
            self._connection.execute(_GO_ON, (table.name, table.key[0], number, number))

    def finish(self) -> None:
        """Make it ready to be served, and wait until all of it is on the disk."""
        self._connection.execute("RESET synchronous_commit")
        with self._connection.transaction():
            self._connection.execute(_MAKE_INDEXES)
            self._connection.execute(_DROP_NOTES)
            schema.unmark_half_made(self._connection)
        self._connection.execute("ANALYZE")


@contextlib.contextmanager
def postgres_source(url: str, leases: Collection[str]) -> Iterator[PostgresSide]:
    """Yield a database for reading its current state; writers wait until the end.

    ``leases`` of servers are held during that, so that none starts its work.

    Raises:
        StoreError: it is missing, not ours, served, of another version, or constantly written.
    """
    address, lease = ServerAddress(url), PostgresLease(url, leases)
    with (
        address.refusals(),
        contextlib.closing(_connection(address)) as connection,
        contextlib.ExitStack() as stack,
    ):
        schema.check_current(connection, address.shown)
        stack.callback(lease.release_lease)
        if not lease.take_lease():
            raise StoreError(f"{address.shown} is in use by another oddsdesk; stop that one first")
        if connection.execute(_SHARDS).fetchall() != [(1,)]:
            raise StoreError(
                f"{address.shown}: its log has several shards; a file can only have one"
            )
        connection.isolation_level = IsolationLevel.REPEATABLE_READ
        with connection.transaction():
            held = SQL(", ").join(Identifier(name) for name in _HELD)
            connection.execute(SQL("LOCK TABLE {} IN SHARE MODE").format(held))
            yield PostgresSide(connection)


@contextlib.contextmanager
def postgres_target(url: str) -> Iterator[PostgresTarget]:
    """Yield a database in the making, new or from an earlier try.

    Raises:
        StoreError: it is not ours, not empty, or cannot be written.
    """
    address = ServerAddress(url)
    with address.refusals(), contextlib.closing(_connection(address)) as connection:
        if connection.execute(_ALONE).fetchall() != [(True,)]:
            raise StoreError(f"{address.shown}: another oddsdesk migrate is writing there")
        with connection.transaction():
            _make(connection, address.shown)
        connection.execute("SET synchronous_commit = off")
        yield PostgresTarget(connection)


@contextlib.contextmanager
def _fitting(table: Table) -> Iterator[None]:
    """Name the table of an unfitting row: a file allows values that PostgreSQL's types do not."""
    try:
        yield
    except (DataError, IntegrityError) as error:
        why = " ".join(str(error).splitlines()[0].split())
        raise StoreError(
            f"{table.name}: a row of it does not fit into PostgreSQL: {why}"
        ) from error


def _make(connection: PreparingConnection, shown: str) -> None:
    """Make the tables, marked as unfinished, unless an earlier try has."""
    schema.keep_others_out(connection)
    try:
        steps = schema.steps_done(connection, shown)
    except HalfMadeError:
        if not schema.is_half_made_here(connection):
            raise StoreError(
                f"{shown}: was started by another version of oddsdesk; delete it"
            ) from None
        return
    if steps is not None:
        raise StoreError(f"{shown}: is not empty; choose an empty database or schema")
    schema.bring_up_to_date(connection, shown)
    connection.execute(_MAKE_NOTES)
    connection.execute(
        _POSTPONE_INDEXES
    )  # sorted at the end they are made in a fraction of the time
    connection.execute(_DROP_INDEXES)
    schema.mark_half_made(connection)


def _connection(address: ServerAddress) -> PreparingConnection:
    """Connect for long work, without limits for statements and pauses."""
    connection = address.connect(statement_s=0)
    connection.execute("SET idle_in_transaction_session_timeout = 0")
    return connection
