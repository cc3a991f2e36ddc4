"""Restoring a backup: it is checked and put in place completely, or nothing changes.

The order makes a kill safe at any point: everything is unpacked, migrated and synced in the same
folder; then bets are added, keys put in place, and the odds last.

A replaced file is checkpointed and kept under another name; each new one is put in place by one
rename, so that it never meets the write-ahead log of the old one.
"""

import os
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.base.places import sync
from oddsdesk.base.system_errors import error_text
from oddsdesk.contract.texts import shown
from oddsdesk.contract.times import format_ms
from oddsdesk.store.databases import access_path
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import lock_database
from oddsdesk.store.owner_secret import OwnerSecret
from oddsdesk.store.sqlite import archive
from oddsdesk.store.sqlite.access_file import FORGET_SIGN_INS
from oddsdesk.store.sqlite.access_file import SCHEMA as ACCESS
from oddsdesk.store.sqlite.archive import Progress, copy_database, look_through, silent
from oddsdesk.store.sqlite.database import open_writer
from oddsdesk.store.sqlite.inspection import stored_reference_of
from oddsdesk.store.sqlite.migrations import Schema, migrate
from oddsdesk.store.sqlite.recognition import Condition, condition_of, unusable
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.unfinished import OWNER_ONLY, unfinished_folder

MAGIC: Final = b"SQLite format 3\0"
_CHUNK: Final = 1 << 20
_SCHEMAS: Final[dict[str, Schema]] = {archive.ODDS: ODDS, archive.ACCESS: ACCESS}

TakeBets = Callable[[Path], None]
"""Adds the bets of a ledger's copy to the user's ledger."""


class Restored(msgspec.Struct, frozen=True):
    """What was restored; ``kept`` are the paths of the replaced files."""

    database: Path
    keys: bool
    bets: bool
    kept: tuple[Path, ...]


def restore_database(
    source: Path | BinaryIO,
    database: Path,
    take_bets: TakeBets,
    *,
    access: Path | None = None,
    force: bool = False,
    clock: Clock = system_clock,
    progress: Progress = silent,
) -> Restored:
    """Replace the database by a backup; keys only if the backup has them, bets are added.

    Args:
        source: The backup's file, or a stream of it.
        database: What is replaced, or made.
        take_bets: Called once everything is checked, before anything is replaced.
        access: The key file, None for the one next to the database.
        force: Whether an existing database or key file may be replaced.
        clock: For the names of replaced files.
        progress: Called with the number of bytes read.

    Raises:
        DatabaseInUseError: the database is served.
        StoreError: one of the files cannot be used; one line with the reason.
        Exception: from ``take_bets``; nothing was replaced.
    """
    if isinstance(source, Path) and not source.exists():
        raise StoreError(f"{source}: no such file")
    place = database.resolve()
    moment = re.sub(r"[^0-9TZ]", "", format_ms(clock()))
    with _locked(database), _said(place), ExitStack() as opened:
        if not force and place.exists():
            raise _exists(database)
        folder = opened.enter_context(unfinished_folder(place))
        with _naming(source, folder):
            parts = _unpack(source, folder, progress)
            _bring_up_to_date(parts, progress)
        moves = [Move(parts[archive.ODDS], place, place, moment)]
        if archive.ACCESS in parts:
            target = access_path(database, access).resolve()
            part = copied_next_to(parts[archive.ACCESS], target, opened)
            moves.insert(0, Move(part, target, place, moment))
        for move in moves:
            if not force and move.target.exists():
                raise _exists(move.target)
        if archive.LEDGER in parts:
            take_bets(parts[archive.LEDGER])
        OwnerSecret(database).remove_secret()  # the next server makes a new one
        kept = put_in_place(moves)
    return Restored(database, archive.ACCESS in parts, archive.LEDGER in parts, kept)


def _unpack(source: Path | BinaryIO, folder: Path, progress: Progress) -> dict[str, Path]:
    """Write the databases of a backup into a folder, checked against their checksums."""
    if not isinstance(source, Path):
        return _unpack_stream(source, folder, progress)
    with source.open("rb") as stream:
        is_database = source.is_file() and stream.read(len(MAGIC)) == MAGIC
    if not is_database:
        with source.open("rb") as stream:
            return _unpack_stream(stream, folder, progress)
    odds = folder / archive.ODDS
    copy_database(source, odds, progress)  # with its log, if it is still being written
    return {archive.ODDS: odds}


def _unpack_stream(stream: BinaryIO, folder: Path, progress: Progress) -> dict[str, Path]:
    begun = _Begun(stream, stream.read(len(MAGIC)))
    if begun.head != MAGIC:
        manifest = archive.read_archive(begun, folder, progress)
        return {name: folder / name for name in manifest.parts}
    odds = folder / archive.ODDS
    with odds.open("xb") as file:
        while data := begun.read(_CHUNK):
            file.write(data)
            progress(len(data))
    return {archive.ODDS: odds}


class _Begun:
    """A stream whose first bytes were already read."""

    def __init__(self, stream: BinaryIO, head: bytes) -> None:
        self._stream = stream
        self._unread = self.head = head

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        if not self._unread:
            return self._stream.read(size)
        if 0 <= size < len(self._unread):
            data, self._unread = self._unread[:size], self._unread[size:]
            return data
        rest = self._stream.read(size - len(self._unread) if size >= 0 else -1)
        data, self._unread = self._unread + rest, b""
        return data


def _bring_up_to_date(parts: dict[str, Path], progress: Progress) -> None:
    """Check all files for damage and foreign parts, and migrate older ones."""
    for path in parts.values():
        check_nothing_acts(path)
    stored_reference_of(parts[archive.ODDS])
    for name, path in parts.items():
        path.chmod(OWNER_ONLY)
        look_through(path, path, progress)
        schema = _SCHEMAS.get(name)
        if schema is not None:
            _migrate(path, schema)
            open_writer(path, schema, synchronous="FULL").close()
        sync(path)


def _migrate(path: Path, schema: Schema) -> None:
    """Migrate a file without a copy, as the backup is one; its tables are ours then."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        if condition_of(connection, path, schema) is not Condition.CURRENT:
            migrate(connection, schema, lambda: None)
        check_tables(connection, path, schema)
        if schema is ACCESS:
            for statement in FORGET_SIGN_INS:
                connection.execute(statement)


def _exists(path: Path) -> StoreError:
    return StoreError(
        f"{path}: already exists; --force replaces it and keeps the old one under another name"
    )


@contextmanager
def _locked(database: Path) -> Iterator[None]:
    lock = lock_database(database)
    try:
        yield
    finally:
        lock.release_lock()


@contextmanager
def _said(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{place}: cannot be restored: {error_text(error)}") from error


@contextmanager
def _naming(source: Path | BinaryIO, folder: Path) -> Iterator[None]:
    """Make errors about the backup's parts name the backup itself."""
    name = str(source) if isinstance(source, Path) else "the backup"
    try:
        yield
    except archive.ArchiveError as error:
        raise StoreError(f"{name}: {error}") from error
    except StoreError as error:
        raise StoreError(str(error).replace(f"{folder}{os.sep}", f"{name}: ")) from error
    except FileNotFoundError as error:
        raise StoreError(f"{name}: no such file") from error
    except sqlite3.DatabaseError as error:
        raise unusable(Path(name), error) from error


_ENDINGS: Final = ("-wal", "-shm", "-journal")
_BUSY_TIMEOUT_S: Final = 1.0
_NO_DATABASE: Final = ("SQLITE_NOTADB", "SQLITE_CORRUPT")


class Move:
    """A file to be put in place, and the new name of the one it replaces."""

    def __init__(self, part: Path, target: Path, odds: Path, moment: str) -> None:
        self.part = part
        self.target = target
        self.is_odds = target == odds
        # The odds that are kept find the keys that are kept: these are named after those.
        rest = target.stem.removeprefix(odds.stem)
        self.kept = target.with_name(f"{odds.stem}-replaced-{moment}{rest}{target.suffix}")

    def link_present(self) -> bool:
        """Link the existing file to its new name; it also stays in place."""
        if not self.target.exists():
            return False
        if not self.is_odds or not _linked(self.target, self.kept):
            shutil.copy2(self.target, self.kept)
            sync(self.kept)
        return True

    def replace_present(self) -> None:
        """Replace the existing file, without SQLite's files next to it."""
        for ending in _ENDINGS:
            log = self.target.with_name(self.target.name + ending)
            if log.exists():
                log.replace(self.kept.with_name(self.kept.name + ending))
        _own_as_before(self.part, self.target, keeps_mode=self.is_odds)
        self.part.replace(self.target)
        sync(self.target.parent)


def put_in_place(moves: list[Move]) -> tuple[Path, ...]:
    """Replace all targets, in this order, and return the new names of the old ones.

    Raises:
        StoreError: another program uses one of them.
        OSError: one cannot be replaced.
    """
    with ExitStack() as held:
        for move in moves:
            held.enter_context(_held_alone(move.target))
        kept = tuple(move.kept for move in moves if move.link_present())
        for move in moves:
            move.replace_present()
    return kept


@contextmanager
def _held_alone(path: Path) -> Iterator[None]:
    """Checkpoint a database and lock it, so that nobody writes a log next to the new one.

    A file that is damaged or not a database is only moved, with the files next to it.
    """
    if not _is_database(path):
        yield
        return
    with closing(sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None)) as alone:
        try:
            alone.execute("PRAGMA journal_mode = DELETE").fetchall()
            alone.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            raise unusable(path, error) from error
        if sys.platform == "win32":  # an open file cannot be replaced there, by others neither
            alone.close()
        yield


def _is_database(path: Path) -> bool:
    """Return whether SQLite can read a file without its write-ahead log."""
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as alone:
            alone.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorname", "") in _NO_DATABASE:
            return False
        raise unusable(path, error) from error
    return True


def copied_next_to(part: Path, target: Path, opened: ExitStack) -> Path:
    """Return a copy of a file on its target's disk, so that only a rename remains."""
    if part.parent.parent == target.parent:
        return part
    copy = opened.enter_context(unfinished_folder(target)) / part.name
    shutil.copy2(part, copy)
    sync(copy)
    return copy


def _linked(path: Path, other: Path) -> bool:
    try:
        os.link(path, other)
    except OSError:  # memory sticks have no links
        return False
    return True


def _own_as_before(part: Path, target: Path, *, keeps_mode: bool) -> None:
    """Give a file the owner and mode of the file it replaces, or the owner of its folder."""
    before = (target if target.exists() else target.parent).stat()
    if keeps_mode and target.exists():
        part.chmod(before.st_mode & 0o777)
    if sys.platform != "win32" and os.geteuid() == 0:
        os.chown(part, before.st_uid, before.st_gid)


_COMMENT: Final = re.compile(r"--[^\n]*")
_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '*sqlite_*'"
"""Without those of SQLite and sqlite-utils."""
_COLUMNS: Final = 'SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?)'
_INDEXES: Final = 'SELECT name, "unique", partial FROM pragma_index_list(?)'
_INDEX_COLUMNS: Final = "SELECT name, desc, coll FROM pragma_index_xinfo(?)"
_VIEWS: Final = "SELECT name, sql FROM sqlite_master WHERE type = 'view'"


def check_nothing_acts(path: Path) -> None:
    """Refuse a file with triggers, which would change later recordings.

    Raises:
        StoreError: it has one; one line.
        sqlite3.DatabaseError: it cannot be read.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger' LIMIT 1"
        for (name,) in connection.execute(query).fetchall():
            raise StoreError(
                f"{path}: has a trigger, {shown(name)}, that is not part of oddsdesk; drop it in"
                " the backup first (docs/backup.md)"
            )


def check_tables(connection: sqlite3.Connection, path: Path, schema: Schema) -> None:
    """Refuse a current file whose tables, views or indexes are not the right ones.

    Additions under other names are ignored: nothing of ours reads them.

    Raises:
        StoreError: one is missing or different; one line.
    """
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as ours:
        migrate(ours, schema, lambda: None)
        expected = dict(_shape(ours))
    found = dict(_shape(connection))
    for name, shape in expected.items():
        if name not in found:
            raise StoreError(f"{path}: {name} is missing; this is not a complete oddsdesk database")
        if found[name] != shape:
            raise StoreError(f"{path}: its {name} is not oddsdesk's")


def _shape(connection: sqlite3.Connection) -> Iterator[tuple[str, object]]:
    """Yield the parts of a database by name.

    A table is its columns and indexes, whose texts depend on their maker; a view is its text.
    """
    for (name,) in connection.execute(_TABLES).fetchall():
        yield name, connection.execute(_COLUMNS, (name,)).fetchall()
        for index, *said in connection.execute(_INDEXES, (name,)).fetchall():
            if not index.startswith("sqlite_"):
                yield index, (name, said, connection.execute(_INDEX_COLUMNS, (index,)).fetchall())
    for name, text in connection.execute(_VIEWS).fetchall():
        yield name, " ".join(_COMMENT.sub(" ", text).split())
