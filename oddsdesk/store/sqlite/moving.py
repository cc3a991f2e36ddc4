"""The odds file and the file of keys as what a database is moved from or to (``store.moving``)."""

import contextlib
import sqlite3
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Final

from oddsdesk.places import can_write, make_folder, sync
from oddsdesk.private_files import check_private, keep_from_others, make_private
from oddsdesk.store.errors import HalfMadeError, StoreError
from oddsdesk.store.lock import lock_database
from oddsdesk.store.moving import ACCESS, Copied, Row, Table, read_whole
from oddsdesk.store.settings import REFERENCE
from oddsdesk.store.sqlite.access_file import SCHEMA as KEYS
from oddsdesk.store.sqlite.database import PAGE_BYTES, bare_connection
from oddsdesk.store.sqlite.migrations import (
    HALF_MADE,
    Schema,
    applied_steps,
    mark_half_made,
    migrate,
    unmark_half_made,
)
from oddsdesk.store.sqlite.recognition import Condition, check_current, recognise, unusable
from oddsdesk.store.sqlite.schema import ODDS

_MAKE_NOTES: Final = """
CREATE TABLE copied (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, digest BLOB NOT NULL)
"""
_NOTES: Final = "SELECT name, rows, digest FROM copied"
_NOTE: Final = "INSERT OR REPLACE INTO copied (name, rows, digest) VALUES (?, ?, ?)"
_UNNOTE: Final = "DELETE FROM copied WHERE name = ?"
_DROP_NOTES: Final = "DROP TABLE copied"
_COUNTED: Final = "SELECT seq FROM sqlite_sequence WHERE name = ?"
_UNCOUNT: Final = "DELETE FROM sqlite_sequence WHERE name = ?"
_COUNT: Final = "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)"
_ANYTHING: Final = "SELECT 1 FROM sqlite_master LIMIT 1"
_STATEMENTS: Final = """
SELECT sql FROM sqlite_master WHERE type = ? AND sql NOT NULL AND name NOT GLOB 'sqlite_*'
ORDER BY rowid
"""
_STEPS: Final = "SELECT migration_set, name, applied_at FROM _sqlite_migrations ORDER BY id"
_ADD_STEP: Final = """
INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES (?, ?, ?)
"""
_CACHE_KIB: Final = 65_536
"""Of a file that is being made: its index of the log is written all over."""

_COLUMNS: Final = {("same_team", "id"): "rowid"}
"""Columns that have another name here: the order in which teams were said to be one."""
_READ_AS: Final = _COLUMNS | {("setting", "value"): "CAST(value AS TEXT)"}
_FEED: Final = "feed "


class SqliteSide:
    """The odds file and the one of keys; there may be none with keys."""

    def __init__(self, odds: sqlite3.Connection, keys: sqlite3.Connection | None) -> None:
        self._odds = odds
        self._keys = keys

    def rows(self, table: Table) -> Generator[Row]:
        """Yield the rows of a table in the order of its key."""
        connection = self._keys if table in ACCESS else self._odds
        if connection is not None:
            columns = ", ".join(_READ_AS.get((table.name, each), each) for each in table.columns)
            order = ", ".join(_names(table, table.key))
            query = f"SELECT {columns} FROM {table.name} ORDER BY {order}"  # noqa: S608 - ours
            yield from connection.execute(query)

    def last_number(self, table: Table) -> int:
        """Return the last number that a numbered table has given, 0 where it never did."""
        connection = self._keys if table in ACCESS else self._odds
        if connection is None:
            return 0
        if table.gives_anew:
            (number,) = _names(table, table.key)
            query = f"SELECT coalesce(max({number}), 0) FROM {table.name}"  # noqa: S608 - ours
            return int(connection.execute(query).fetchall()[0][0])
        rows = connection.execute(_COUNTED, (table.name,)).fetchall()
        return int(rows[0][0]) if rows else 0


class SqliteTarget(SqliteSide):
    """Files that are being made; they open for nobody else until ``finish``."""

    def __init__(
        self, odds: sqlite3.Connection, keys: sqlite3.Connection, finished_keys: Path | None
    ) -> None:
        """Take open files; those of keys may be finished, where the last try came so far."""
        super().__init__(odds, keys)
        self._finished_keys = finished_keys

    def copied(self) -> dict[str, Copied]:
        """Return what is there already, by table."""
        made = [self._odds] if self._finished_keys else [self._odds, self._writing(ACCESS[0])]
        noted = {
            name: Copied(rows, digest)
            for connection in made
            for name, rows, digest in connection.execute(_NOTES).fetchall()
        }
        if self._finished_keys:
            noted |= {table.name: read_whole(self, table) for table in ACCESS}
        return noted

    def add(self, table: Table, rows: Collection[Row], copied: Copied) -> None:
        """Add rows and note what is there then; for good when it returns, or not at all."""
        columns, places = (
            ", ".join(_names(table, table.columns)),
            ", ".join("?" * len(table.columns)),
        )
        statement = f"INSERT INTO {table.name} ({columns}) VALUES ({places})"  # noqa: S608 - ours
        with _transaction(self._changing(table)) as connection:
            connection.executemany(
                statement, map(_setting, rows) if table.name == "setting" else rows
            )
            connection.execute(_NOTE, (table.name, copied.rows, copied.digest))

    def empty(self, tables: Iterable[Table]) -> None:
        """Remove all rows of tables, and what was noted of them."""
        for table in reversed(list(tables)):
            with _transaction(self._changing(table)) as connection:
                connection.execute(f"DELETE FROM {table.name}")  # noqa: S608 - ours
                connection.execute(_UNNOTE, (table.name,))

    def go_on_from(self, table: Table, number: int) -> None:
        """Make that the last number that a numbered table has given."""
        if table.gives_anew or self.last_number(table) == number:
            return
        with _transaction(self._changing(table)) as connection:
            connection.execute(_UNCOUNT, (table.name,))
            if number:
                connection.execute(_COUNT, (table.name, number))

    def finish(self) -> None:
        """Make them files that can be served; the odds last: until then both are half made."""
        if not self._finished_keys:
            _finish(self._writing(ACCESS[0]), KEYS)
        _finish(self._odds, ODDS)

    def _changing(self, table: Table) -> sqlite3.Connection:
        if table in ACCESS and self._finished_keys:
            raise StoreError(f"{self._finished_keys}: holds other keys already; set it aside")
        return self._writing(table)

    def _writing(self, table: Table) -> sqlite3.Connection:
        if table not in ACCESS:
            return self._odds
        assert self._keys is not None
        return self._keys


def _finish(connection: sqlite3.Connection, schema: Schema) -> None:
    with _transaction(connection), _tables_of(schema) as made:
        for kind in ("index", "view"):
            for (statement,) in made.execute(_STATEMENTS, (kind,)).fetchall():
                connection.execute(statement)
        connection.execute(_DROP_NOTES)
        unmark_half_made(connection, schema)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _names(table: Table, columns: Sequence[str]) -> list[str]:
    return [_COLUMNS.get((table.name, each), each) for each in columns]


def _setting(row: Row) -> Row:
    """Return a setting with the type that it has here."""
    key, value = row
    is_number = value.removeprefix("-").isdecimal() and str(int(value)) == value
    return row if key == REFERENCE or key.startswith(_FEED) or not is_number else (key, int(value))


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextlib.contextmanager
def sqlite_source(path: Path, keys: Path) -> Iterator[SqliteSide]:
    """Give a database to be read as it is now: who would change it is refused until the end.

    Raises:
        StoreError: it is not there, is served, is written by somebody or of another version.
    """
    if not path.exists():
        raise StoreError(f"{path}: no such database")
    with contextlib.ExitStack() as stack:
        stack.callback(lock_database(path).release)
        odds = stack.enter_context(_held(path, ODDS))
        access = stack.enter_context(_held(keys, KEYS)) if keys.exists() else None
        with _refusals(path):
            yield SqliteSide(odds, access)


@contextlib.contextmanager
def _held(path: Path, schema: Schema) -> Iterator[sqlite3.Connection]:
    """Give a connection that sees one moment of a file, and lets nobody write meanwhile."""
    check_current(recognise(path, schema), path)
    writable = can_write(path)
    with (
        _refusals(path),
        contextlib.closing(bare_connection(path, "rw" if writable else "ro")) as connection,
    ):
        connection.execute("BEGIN IMMEDIATE" if writable else "BEGIN")
        connection.execute("PRAGMA query_only = ON")
        yield connection


@contextlib.contextmanager
def sqlite_target(path: Path, keys: Path) -> Iterator[SqliteTarget]:
    """Give a database that is being made, anew or where the last try ended.

    Raises:
        StoreError: it, or its file of keys, holds something already; or it cannot be made.
    """
    with _refusals(path), contextlib.ExitStack() as stack:
        stack.callback(lock_database(path).release)
        odds_state, keys_state = _state(path, ODDS), _state(keys, KEYS)
        is_begun = odds_state is _State.HALF_MADE
        for each, state in ((path, odds_state), (keys, keys_state)):
            if state is _State.WHOLE and not (is_begun and each == keys):
                raise _taken(each)
        check_private(keys, owned_as=path)
        if keys_state is _State.NONE:
            make_private(keys, owned_as=path)
            _make(keys, KEYS)
        if not is_begun:
            _make(path, ODDS)
        odds, access = (stack.enter_context(_opened(each)) for each in (path, keys))
        for connection, schema in ((odds, ODDS), (access, KEYS)):
            _check_version(path, connection, schema)
        yield SqliteTarget(odds, access, keys if keys_state is _State.WHOLE else None)
        for each in (path, keys):
            sync(each)


class _State(Enum):
    NONE = auto()
    HALF_MADE = auto()
    WHOLE = auto()


def _state(path: Path, schema: Schema) -> _State:
    try:
        return _State.NONE if recognise(path, schema) is Condition.FRESH else _State.WHOLE
    except HalfMadeError:
        return _State.HALF_MADE


def _check_version(path: Path, connection: sqlite3.Connection, schema: Schema) -> None:
    applied = applied_steps(connection, schema) or set()
    if applied - {HALF_MADE} != {step.name for step in schema.steps}:
        raise StoreError(f"{path}: another version of oddsdesk began it; remove it")


def _make(path: Path, schema: Schema) -> None:
    """Make the tables of a file, with the mark that it is half made; indexes are for the end.

    Sorted then they are made in a fraction of the time.

    Raises:
        StoreError: somebody else has made some this moment.
    """
    make_folder(path.parent)
    keep_from_others(path)
    with _tables_of(schema) as made, contextlib.closing(bare_connection(path)) as written:
        written.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        with _transaction(written):
            if written.execute(_ANYTHING).fetchall():
                raise _taken(path)
            for (statement,) in made.execute(_STATEMENTS, ("table",)).fetchall():
                written.execute(statement)
            written.executemany(_ADD_STEP, made.execute(_STEPS).fetchall())
            written.execute(_MAKE_NOTES)
            mark_half_made(written, schema)


@contextlib.contextmanager
def _tables_of(schema: Schema) -> Iterator[sqlite3.Connection]:
    """Give a database in memory that holds the tables and indexes of a new file."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        migrate(made, schema, lambda: None)
        yield made


def _taken(path: Path) -> StoreError:
    return StoreError(f"{path}: holds something already; name a file that is not there")


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(bare_connection(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        yield connection


@contextlib.contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """Say in one line what SQLite or the system refuses."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise unusable(path, error) from error
    except OSError as error:
        raise StoreError(f"{path}: cannot be used: {error.strerror or error}") from error
