"""Restoring a backup: it is checked and put in place whole, or nothing changes.

The order makes it safe to be killed at any point: everything is unpacked, migrated and synced
beside its place; then bets are added, keys put in place, and the odds last.
"""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from oddsdesk.clock import Clock, system_clock
from oddsdesk.contract.times import format_ms
from oddsdesk.places import sync
from oddsdesk.store.access_paths import access_path
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import lock_database
from oddsdesk.store.owner_secret import OwnerSecret
from oddsdesk.store.sqlite import archive
from oddsdesk.store.sqlite.access_file import SCHEMA as ACCESS
from oddsdesk.store.sqlite.copying import Progress, copy_database, look_through, silent
from oddsdesk.store.sqlite.database import open_writer
from oddsdesk.store.sqlite.inspection import stored_reference_of
from oddsdesk.store.sqlite.migrations import Schema, migrate
from oddsdesk.store.sqlite.recognition import Condition, condition_of, unusable
from oddsdesk.store.sqlite.replacing import Move, brought_beside, put_in_place
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.sqlite.shape import check_nothing_acts, check_tables
from oddsdesk.store.unfinished import OWNER_ONLY, unfinished_beside

MAGIC: Final = b"SQLite format 3\0"
_CHUNK: Final = 1 << 20
_SCHEMAS: Final[dict[str, Schema]] = {archive.ODDS: ODDS, archive.ACCESS: ACCESS}

TakeBets = Callable[[Path], None]
"""Takes the bets of a ledger's copy into the user's own ledger."""


class Restored(msgspec.Struct, frozen=True):
    """What was restored; ``kept`` are the paths to which the replaced files were moved."""

    database: Path
    keys: bool
    bets: bool
    kept: tuple[Path, ...]


def restore(
    source: Path | BinaryIO,
    database: Path,
    take_bets: TakeBets,
    *,
    access: Path | None = None,
    force: bool = False,
    clock: Clock = system_clock,
    progress: Progress = silent,
) -> Restored:
    """Make a backup the database; keys only where the backup holds them, bets are added.

    Args:
        source: The backup's file, or a stream of it.
        database: What is replaced, or made.
        take_bets: Called once everything is checked, before anything is replaced.
        access: Where the keys are put, None for beside the database.
        force: Whether a database or keys that are there may be replaced.
        clock: Names what is replaced.
        progress: Called with the number of bytes read.

    Raises:
        DatabaseInUseError: the database is served.
        StoreError: one of the files cannot be used; says why in one line.
        Exception: what ``take_bets`` raised; nothing was replaced.
    """
    if isinstance(source, Path) and not source.exists():
        raise StoreError(f"{source}: no such file")
    place = database.resolve()
    moment = re.sub(r"[^0-9TZ]", "", format_ms(clock()))
    with _locked(database), _said(place), ExitStack() as opened:
        if not force and place.exists():
            raise _exists(database)
        folder = opened.enter_context(unfinished_beside(place))
        with _naming(source, folder):
            parts = _unpack(source, folder, progress)
            _bring_up_to_date(parts, progress)
        moves = [Move(parts[archive.ODDS], place, place, moment)]
        if archive.ACCESS in parts:
            target = access_path(database, access).resolve()
            part = brought_beside(parts[archive.ACCESS], target, opened)
            moves.insert(0, Move(part, target, place, moment))
        for move in moves:
            if not force and move.target.exists():
                raise _exists(move.target)
        if archive.LEDGER in parts:
            take_bets(parts[archive.LEDGER])
        OwnerSecret(database).remove()  # the next server makes a new one
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
    copy_database(source, odds, progress)  # with its log, where somebody still writes to it
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
    """A stream whose first bytes were read already."""

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
    """Check all files for damage and for what is not ours in them, and migrate older ones."""
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
    """Migrate a file without a copy, since the backup is that; its tables are ours then."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        if condition_of(connection, path, schema) is not Condition.CURRENT:
            migrate(connection, schema, lambda: None)
        check_tables(connection, path, schema)


def _exists(path: Path) -> StoreError:
    return StoreError(f"{path}: is there already; --force replaces it and keeps it beside")


@contextmanager
def _locked(database: Path) -> Iterator[None]:
    lock = lock_database(database)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _said(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{place}: cannot be restored: {error.strerror or error}") from error


@contextmanager
def _naming(source: Path | BinaryIO, folder: Path) -> Iterator[None]:
    """Have errors about the backup's parts name the backup itself."""
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
