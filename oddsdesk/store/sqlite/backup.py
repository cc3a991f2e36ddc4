"""Backups: a copy of a database, optionally with its keys and bets, complete or not at all.

Without keys and bets a backup is a plain SQLite file that opens like any database; with them it is
an archive (``store.sqlite.archive``). Either way only its owner may read it.
"""

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.base.files import is_written_directly
from oddsdesk.base.places import can_write, sync
from oddsdesk.base.system_errors import error_text
from oddsdesk.contract.times import format_ms
from oddsdesk.store.databases import access_path
from oddsdesk.store.errors import StoreError
from oddsdesk.store.sqlite import archive
from oddsdesk.store.sqlite.access_file import SCHEMA as ACCESS
from oddsdesk.store.sqlite.archive import Progress, copy_database, look_through, silent
from oddsdesk.store.sqlite.inspection import bytes_of, stored_reference_of
from oddsdesk.store.sqlite.recognition import recognise, unusable
from oddsdesk.store.unfinished import OWNER_ONLY, unfinished_folder

_CHUNK: Final = 1 << 20


class Contents(msgspec.Struct, frozen=True):
    """What a backup contains besides the odds."""

    keys: bool = False
    """Accounts, keys, counts and the secret of the stream's tokens."""
    ledger: Path | None = None
    """The file of the user's bets and presets, if wanted."""
    access: Path | None = None
    """The key file, if it is not next to the database."""

    @property
    def is_plain(self) -> bool:
        """Whether it contains only odds."""
        return not self.keys and self.ledger is None


ODDS_ONLY: Final = Contents()


class BackedUp(msgspec.Struct, frozen=True):
    """The contents of a backup; ``size`` in bytes."""

    size: int
    keys: bool
    bets: bool


def back_up(
    database: Path,
    target: Path,
    contents: Contents = ODDS_ONLY,
    *,
    clock: Clock = system_clock,
    progress: Progress = silent,
) -> BackedUp:
    """Write a backup to a file; an older one is replaced once the new one is complete.

    A database in use is copied as of one moment, and others may go on writing.

    Raises:
        StoreError: one of the files cannot be used; one line with the reason.
    """
    if target.resolve() == database.resolve():
        raise StoreError(f"{target}: is the database itself; choose another file")
    if is_written_directly(target):
        with _said(target), target.open("wb") as stream:
            return stream_backup(database, stream, contents, clock=clock, progress=progress)
    with _said(target), unfinished_folder(target) as folder:
        parts = _copied(database, contents, folder, progress)
        whole = parts[archive.ODDS]
        if not contents.is_plain:
            whole = folder / "whole"
            with open(whole, "xb", opener=_owner_only) as stream:
                _pack(stream, parts, database, clock, progress)
            sync(whole)
        size = whole.stat().st_size
        whole.replace(target)
        sync(target.parent)
    return BackedUp(size, archive.ACCESS in parts, archive.LEDGER in parts)


def stream_backup(
    database: Path,
    stream: BinaryIO,
    contents: Contents = ODDS_ONLY,
    *,
    clock: Clock = system_clock,
    progress: Progress = silent,
) -> BackedUp:
    """Write a backup to a pipe; only the reader can tell whether it is complete.

    Raises:
        StoreError: the database cannot be copied; one line with the reason.
        OSError: the stream cannot be written.
    """
    with _workplace(database) as folder:
        parts = _copied(database, contents, folder, progress)
        counted = _Counted(stream)
        if not contents.is_plain:
            _pack(counted, parts, database, clock, progress)
        else:
            with parts[archive.ODDS].open("rb") as file:
                shutil.copyfileobj(file, counted, _CHUNK)
        stream.flush()
    return BackedUp(counted.size, archive.ACCESS in parts, archive.LEDGER in parts)


def total_bytes(database: Path, contents: Contents = ODDS_ONLY) -> int:
    """Return about how many bytes ``progress`` will count, without later additions."""
    size = sum(bytes_of(path) for path in _sources(database, contents).values())
    return size if contents.is_plain else 2 * size


def _sources(database: Path, contents: Contents) -> dict[str, Path]:
    sources = {archive.ODDS: database}
    access = access_path(database, contents.access)
    if contents.keys and access.exists():
        recognise(access, ACCESS)
        sources[archive.ACCESS] = access
    if contents.ledger is not None and contents.ledger.exists():
        sources[archive.LEDGER] = contents.ledger
    return sources


def _copied(
    database: Path, contents: Contents, folder: Path, progress: Progress
) -> dict[str, Path]:
    """Copy the databases into a folder; keys last, so that they are no older than the odds."""
    stored_reference_of(database)  # refuses what is no database of ours
    parts = {}
    for name, source in _sources(database, contents).items():
        parts[name] = folder / name
        try:
            copy_database(source, parts[name], progress)
            look_through(parts[name], source, progress)
        except sqlite3.DatabaseError as error:
            raise unusable(source, error) from error
    return parts


def _pack(
    stream: archive.Writable,
    parts: dict[str, Path],
    database: Path,
    clock: Clock,
    progress: Progress,
) -> None:
    archive.write_archive(
        stream,
        parts,
        made_at=format_ms(clock()),
        source=database.name,
        reference=stored_reference_of(parts[archive.ODDS]),
        progress=progress,
    )


class _Counted:
    """A stream that counts the bytes written to it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.size = 0

    def write(self, data: bytes) -> int:
        """Write all of it."""
        self._stream.write(data)
        self.size += len(data)
        return len(data)


@contextlib.contextmanager
def _workplace(database: Path) -> Iterator[Path]:
    """Yield a temporary folder for copies: next to the database, else the system's."""
    if can_write(database):
        with _said(database), unfinished_folder(database) as folder:
            yield folder
    else:
        with tempfile.TemporaryDirectory(prefix="oddsdesk-") as place:
            yield Path(place)


@contextlib.contextmanager
def _said(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{place}: cannot be written: {error_text(error)}") from error


def _owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_ONLY)
