"""Moving a database from one engine to another: all tables row by row, then compared.

Progress is saved with each chunk, in the same transaction. After a kill the next run continues, if
the source still begins with the same rows; otherwise that table and the following ones are copied
again.
"""

import contextlib
import hashlib
import sqlite3
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from enum import Enum, auto
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from oddsdesk.base.files import check_private, keep_from_others, make_private
from oddsdesk.base.places import can_write, make_folder, sync
from oddsdesk.base.system_errors import error_text
from oddsdesk.store import results, series
from oddsdesk.store.databases import REFERENCE
from oddsdesk.store.errors import HalfMadeError, StoreError
from oddsdesk.store.lock import lock_database
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

CHUNK: Final = 5_000
"""Rows a transaction: some 50 ms."""

Row = tuple[Any, ...]
Progress = Callable[[int], None]
"""Called with the rows done since the last call; an exception stops the work."""


class Table(msgspec.Struct, frozen=True):
    """A table of both engines, with the same columns."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    """Identifies rows, and is the order of copying; names compare by their bytes."""
    is_numbered: bool = False
    """Whether its key is a number that the engine counts up."""
    reuses_numbers: bool = False
    """Whether numbers of deleted rows may be reused, as in a file."""


def _numbered(name: str, *columns: str) -> Table:
    return Table(name, columns, columns[:1], is_numbered=True)


def _reused(name: str, *columns: str) -> Table:
    return Table(name, columns, columns[:1], is_numbered=True, reuses_numbers=True)


def _keyed(name: str, length: int, *columns: str) -> Table:
    return Table(name, columns, columns[:length])


_MARKET: Final = ("bookmaker", "market_type", "period")
_NUMBERS: Final = ("reference_odds", "fair_odds", "ev_pct", "payout_rate", "detected_at", "line")

ODDS_TABLES: Final = (
    _numbered(
        *("game", "id", "game_id", "competition", "sport", "match_name", "plain_name"),
        *("match_date", "match_date_by", "match_date_scraped_at", "has_live"),
        *("last_scraped_at", "first_scraped_at", "recent"),
    ),
    _keyed(
        *("quote", 4, "game", *_MARKET, "is_live", "scraped_at", "selections", "odds"),
        *("liquidity", "url", "offers"),
    ),
    _keyed("closing_sighting", 4, "game", *_MARKET, "scraped_at"),
    _keyed("coverage", 3, "game", "bookmaker", "is_live", "newest", "oldest", "selections"),
    _numbered(
        *("price_change", "seq", "game", *_MARKET, "selection", "odds", "is_live"),
        *("scraped_at", "liquidity", "recorded_at"),
    ),
    _keyed(
        *("value_bet", 5, "game", "market_type", "period", "bookmaker", "selection", "odds"),
        *_NUMBERS,
    ),
    _keyed("source", 2, "bookmaker", "market_type", "newest"),
    _keyed("recorded", 1, "since", "until"),
    _keyed("event", 1, "event", "game"),
    _keyed("origin", 3, "game", "bookmaker", "source", "may_share"),
    _keyed("other_name", 3, "competition", "plain_name", "game", "match_name", "crosswise"),
    _numbered(
        *("game_pair", "id", "competition", "kept", "kept_name", "other", "other_name"),
        *("crosswise", "state", "decided_at", "before"),
    ),
    _reused("same_team", "id", "pair", "competition", "one", "other"),
    _numbered(
        *("said", "id", "game", "match_name", *_MARKET, "repeats", "source", "may_share", "quote")
    ),
    _keyed("joined_game", 1, "game", "before", "decided_at"),
    _keyed("result", len(results.KEY), *results.COLUMNS),
    _keyed("game_series", len(series.KEY), *series.COLUMNS),
    _keyed("setting", 1, "key", "value"),
)
"""The odds, in the order of their references."""
ACCESS: Final = (
    _reused("account", "id", "name", "plan", "bookmaker", "created_at"),
    _numbered(
        *("api_key", "id", "account_id", "digest", "masked", "created_at", "revoked_at"),
        "may_write",
    ),
    _keyed("owner", 1, "account_id", "password", "is_operator", "set_at"),
    _keyed("quota", 4, "key_id", "kind", "window_s", "started_s", "used"),
    _keyed("spent_token", 1, "nonce", "ends_ms"),
    _keyed("secret", 1, "name", "value"),
)
"""Accounts, owners, keys and counts. Sessions, invitations and failed sign-ins stay behind."""
TABLES: Final = (*ODDS_TABLES, *ACCESS)

_encode: Final = msgspec.msgpack.Encoder().encode


class Copied(msgspec.Struct, frozen=True):
    """The number of rows of a table, from its first on, and the hash of their contents."""

    rows: int
    digest: bytes


class Moved(msgspec.Struct, frozen=True):
    """A table of the source compared with that of the target."""

    table: str
    source_rows: int
    target_rows: int
    is_equal: bool


class Source(Protocol):
    """A database that nobody else changes now; rows are as in SQLite."""

    def table_rows(self, table: Table) -> Generator[Row]:
        """Yield the rows of a table in the order of its key; close it before the next."""

    def last_number(self, table: Table) -> int:
        """Return the last number given in a numbered table, 0 without any."""


class Target(Source, Protocol):
    """A database in the making; it cannot be served until ``finish``."""

    def copied(self) -> dict[str, Copied]:
        """Return what is already there, by table."""

    def add_rows(self, table: Table, rows: Collection[Row], copied: Copied) -> None:
        """Add rows and note the progress; permanent when it returns, or not done at all."""

    def empty(self, tables: Iterable[Table]) -> None:
        """Remove all rows of tables, and their progress."""

    def go_on_from(self, table: Table, number: int) -> None:
        """Set the last number given in a numbered table."""

    def finish(self) -> None:
        """Make it ready to be served."""


class _Reading:
    """The rows of a table while they are read, with a summary so far."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = iter(rows)
        self._hash = hashlib.blake2b(digest_size=16)
        self._count = 0

    def chunk(self, most: int = CHUNK) -> list[Row]:
        """Return the next rows, none at the end."""
        rows = list(islice(self._rows, most))
        self._hash.update(b"".join(map(_encode, rows)))
        self._count += len(rows)
        return rows

    def by_now(self) -> Copied:
        """Return the summary so far."""
        return Copied(self._count, self._hash.digest())


def copy_tables(source: Source, target: Target, progress: Progress) -> dict[str, Copied]:
    """Copy what the target lacks; return the source's summaries, by table."""
    there = target.copied()
    found: dict[str, Copied] = {}
    for number, table in enumerate(TABLES):
        copied = _copy(source, target, table, there.get(table.name), progress)
        if copied is None:  # the source has changed since: what refers to this goes with it
            target.empty(TABLES[number:])
            there.clear()
            copied = _copy(source, target, table, None, progress)
            assert copied is not None
        found[table.name] = copied
        if table.is_numbered:
            target.go_on_from(table, source.last_number(table))
    return found


def check_tables(
    target: Target, source: Source, found: dict[str, Copied], progress: Progress
) -> list[Moved]:
    """Read all of the target and compare it with the source.

    If they differ, all of the target is copied again the next time.
    """
    moved = []
    for table in TABLES:
        there = read_whole(target, table, progress)
        is_counted = table.is_numbered and not table.reuses_numbers
        same = not is_counted or source.last_number(table) == target.last_number(table)
        here = found[table.name]
        moved.append(Moved(table.name, here.rows, there.rows, same and here == there))
    if not all(each.is_equal for each in moved):
        target.empty(TABLES)
    return moved


def read_whole(side: Source, table: Table, progress: Progress = lambda _: None) -> Copied:
    """Return the summary of a table."""
    with closing(side.table_rows(table)) as rows:
        reading = _Reading(rows)
        while chunk := reading.chunk():
            progress(len(chunk))
        return reading.by_now()


def _copy(
    source: Source, target: Target, table: Table, there: Copied | None, progress: Progress
) -> Copied | None:
    """Copy the rest of a table; None if the target differs from the source's beginning."""
    with closing(source.table_rows(table)) as rows:
        reading = _Reading(rows)
        if there is not None and _pass_by(reading, there.rows, progress) != there:
            return None
        while chunk := reading.chunk():
            target.add_rows(table, chunk, reading.by_now())
            progress(len(chunk))
        return reading.by_now()


def _pass_by(reading: _Reading, rows: int, progress: Progress) -> Copied:
    """Read up to ``rows`` rows."""
    while chunk := reading.chunk(min(CHUNK, rows - reading.by_now().rows)):
        progress(len(chunk))
    return reading.by_now()


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
"""For a file in the making: its index of the log is written all over."""

_COLUMNS: Final = {("same_team", "id"): "rowid"}
"""Columns with another name here: the order of the decisions that teams are one."""
_READ_AS: Final = _COLUMNS | {("setting", "value"): "CAST(value AS TEXT)"}
_FEED: Final = "feed "


class SqliteSide:
    """The odds file and the key file, if any."""

    def __init__(self, odds: sqlite3.Connection, keys: sqlite3.Connection | None) -> None:
        self._odds = odds
        self._keys = keys

    def table_rows(self, table: Table) -> Generator[Row]:
        """Yield the rows of a table in the order of its key."""
        connection = self._keys if table in ACCESS else self._odds
        if connection is not None:
            columns = ", ".join(_READ_AS.get((table.name, each), each) for each in table.columns)
            order = ", ".join(_names(table, table.key))
            query = f"SELECT {columns} FROM {table.name} ORDER BY {order}"  # noqa: S608 - ours
            yield from connection.execute(query)

    def last_number(self, table: Table) -> int:
        """Return the last number given in a numbered table, 0 without any."""
        connection = self._keys if table in ACCESS else self._odds
        if connection is None:
            return 0
        if table.reuses_numbers:
            (number,) = _names(table, table.key)
            query = f"SELECT coalesce(max({number}), 0) FROM {table.name}"  # noqa: S608 - ours
            return int(connection.execute(query).fetchall()[0][0])
        rows = connection.execute(_COUNTED, (table.name,)).fetchall()
        return int(rows[0][0]) if rows else 0


class SqliteTarget(SqliteSide):
    """Files in the making; nobody else can open them until ``finish``."""

    def __init__(
        self, odds: sqlite3.Connection, keys: sqlite3.Connection, finished_keys: Path | None
    ) -> None:
        """Take open files; those of keys may be finished, if the last try came that far."""
        super().__init__(odds, keys)
        self._finished_keys = finished_keys

    def copied(self) -> dict[str, Copied]:
        """Return what is already there, by table."""
        made = [self._odds] if self._finished_keys else [self._odds, self._writing(ACCESS[0])]
        noted = {
            name: Copied(rows, digest)
            for connection in made
            for name, rows, digest in connection.execute(_NOTES).fetchall()
        }
        if self._finished_keys:
            noted |= {table.name: read_whole(self, table) for table in ACCESS}
        return noted

    def add_rows(self, table: Table, rows: Collection[Row], copied: Copied) -> None:
        """Add rows and note the progress; permanent when it returns, or not done at all."""
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
        """Remove all rows of tables, and their progress."""
        for table in reversed(list(tables)):
            with _transaction(self._changing(table)) as connection:
                connection.execute(f"DELETE FROM {table.name}")  # noqa: S608 - ours
                connection.execute(_UNNOTE, (table.name,))

    def go_on_from(self, table: Table, number: int) -> None:
        """Set the last number given in a numbered table."""
        if table.reuses_numbers or self.last_number(table) == number:
            return
        with _transaction(self._changing(table)) as connection:
            connection.execute(_UNCOUNT, (table.name,))
            if number:
                connection.execute(_COUNT, (table.name, number))

    def finish(self) -> None:
        """Make the files ready to be served; the odds last: until then both are unfinished."""
        if not self._finished_keys:
            _finish(self._writing(ACCESS[0]), KEYS)
        _finish(self._odds, ODDS)

    def _changing(self, table: Table) -> sqlite3.Connection:
        if table in ACCESS and self._finished_keys:
            raise StoreError(f"{self._finished_keys}: already holds other keys; move it away")
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
    """Return a setting with its type here."""
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
    """Yield a database for reading its current state; writers are refused until the end.

    Raises:
        StoreError: it is missing, served, being written or of another version.
    """
    if not path.exists():
        raise StoreError(f"{path}: no such database")
    with contextlib.ExitStack() as stack:
        stack.callback(lock_database(path).release_lock)
        odds = stack.enter_context(_held(path, ODDS))
        access = stack.enter_context(_held(keys, KEYS)) if keys.exists() else None
        with _refusals(path):
            yield SqliteSide(odds, access)


@contextlib.contextmanager
def _held(path: Path, schema: Schema) -> Iterator[sqlite3.Connection]:
    """Yield a connection with one state of a file that keeps writers out."""
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
    """Yield a database in the making, new or from an earlier try.

    Raises:
        StoreError: it, or its key file, is not empty; or it cannot be made.
    """
    with _refusals(path), contextlib.ExitStack() as stack:
        stack.callback(lock_database(path).release_lock)
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
        raise StoreError(f"{path}: was started by another version of oddsdesk; delete it")


def _make(path: Path, schema: Schema) -> None:
    """Make the tables of a file, marked as unfinished; indexes are made at the end.

    Sorted then they take a fraction of the time.

    Raises:
        StoreError: another process has just made some.
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
    """Yield a database in memory with the tables and indexes of a new file."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        migrate(made, schema, lambda: None)
        yield made


def _taken(path: Path) -> StoreError:
    return StoreError(f"{path}: is not empty; choose a new file")


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(bare_connection(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        yield connection


@contextlib.contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """Turn errors of SQLite or the system into one line."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise unusable(path, error) from error
    except OSError as error:
        raise StoreError(f"{path}: cannot be used: {error_text(error)}") from error
