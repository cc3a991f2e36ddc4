"""The backup file of several databases: an uncompressed tar with checksums at its end.

Any tar program lists and unpacks it. Only the names below are read from it, so that a crafted
file can neither write outside its folder nor fill the disk with more than its own size.
"""

import contextlib
import hashlib
import io
import sqlite3
import tarfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import IO, BinaryIO, Final, Protocol, cast

import msgspec

from oddsdesk import __version__
from oddsdesk.base.places import sync
from oddsdesk.store.errors import StoreError
from oddsdesk.store.sqlite.database import connect_to_copy
from oddsdesk.store.unfinished import OWNER_ONLY

PAGES_A_STEP: Final = 1_000
"""8 MB: after each step progress is reported, and the copy can be cancelled."""

_OPERATIONS: Final = 100_000
"""SQLite's operations between two calls of ``progress``: some milliseconds."""

Progress = Callable[[int], None]
"""Called with the bytes done since the last call; an exception stops the work."""


def silent(_done: int) -> None:
    """Report no progress."""


def copy_database(source: Path, copy: Path, progress: Progress = silent) -> None:
    """Copy the state of a database at one moment to a new file, and sync that to the disk.

    The steps share one snapshot: otherwise each commit of another process restarts the copy.
    Writers do not wait for it; only their write-ahead log grows until the last step.

    Raises:
        StoreError: there is no such database.
        OSError, sqlite3.Error: one of the two files cannot be used.
    """
    copy.touch(OWNER_ONLY, exist_ok=False)
    with closing(connect_to_copy(source)) as original:
        original.execute("BEGIN")
        (size,) = original.execute("PRAGMA page_size").fetchall()[0]
        original.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        with closing(sqlite3.connect(copy, isolation_level=None)) as written:
            # Synced once, when writers need no longer be held up by the snapshot.
            written.execute("PRAGMA synchronous = OFF")
            written.execute("PRAGMA journal_mode = OFF")
            _run(original, written, int(size), progress)
    # A copy at rest needs no log file, which could not be made in a read-only folder.
    with closing(sqlite3.connect(copy, isolation_level=None)) as written:
        written.execute("PRAGMA journal_mode = DELETE").fetchall()
    sync(copy)


def look_through(path: Path, name: Path, progress: Progress = silent) -> None:
    """Check all of a copy for damage; ``name`` is its source.

    ``progress`` is called with 0 from time to time, so that it can stop this, too.

    Raises:
        StoreError: it is damaged.
        sqlite3.Error: it cannot be read.
    """
    broken_off: list[BaseException] = []

    def ask_to_stop() -> bool:
        try:
            progress(0)
        except BaseException as error:  # noqa: BLE001 - raised below: SQLite would swallow it
            broken_off.append(error)
        return bool(broken_off)

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.set_progress_handler(ask_to_stop, _OPERATIONS)
        try:
            found = connection.execute("PRAGMA quick_check(1)").fetchall()
        except sqlite3.OperationalError:
            if broken_off:
                raise broken_off[0] from None
            raise
    if found != [("ok",)]:
        problem = " ".join(str(found[0][0]).split())
        raise StoreError(f"{name}: is damaged ({problem})")


def _run(
    original: sqlite3.Connection, written: sqlite3.Connection, page_bytes: int, progress: Progress
) -> None:
    done = 0

    def after_each_step(_status: int, remaining: int, total: int) -> None:
        nonlocal done
        progress((total - remaining - done) * page_bytes)
        done = total - remaining

    original.backup(written, pages=PAGES_A_STEP, progress=after_each_step)


ODDS: Final = "odds.db"
ACCESS: Final = "access.db"
LEDGER: Final = "ledger.db"
PARTS: Final = (ODDS, ACCESS, LEDGER)
MANIFEST: Final = "manifest.json"
FORMAT: Final = 1
_CHUNK: Final = 1 << 20
_MOST_MANIFEST: Final = 1 << 16


class Writable(Protocol):
    """What an archive is written to."""

    def write(self, data: bytes, /) -> int:
        """Take all of it."""


class Readable(Protocol):
    """What an archive is read from."""

    def read(self, size: int = ..., /) -> bytes:
        """Return at most ``size`` bytes, none at the end."""


class Part(msgspec.Struct, frozen=True):
    """A database in the archive: its size in bytes and its SHA-256."""

    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """What the archive contains; written last, so an archive without it is incomplete."""

    format: int
    program: str
    """The version of oddsdesk that made it."""
    made_at: str
    source: str
    """The name of the database file, without its folder."""
    reference: str
    parts: dict[str, Part]


class ArchiveError(StoreError):
    """Not one of our archives, or damaged; the message completes "FILE: ..."."""


def write_archive(
    stream: Writable,
    parts: Mapping[str, Path],
    *,
    made_at: str,
    source: str,
    reference: str,
    progress: Progress,
) -> None:
    """Write databases to a stream in one go, computing their checksums on the way."""
    sums: dict[str, Part] = {}
    with tarfile.open(fileobj=cast(IO[bytes], stream), mode="w|", format=tarfile.PAX_FORMAT) as tar:
        for name, path in parts.items():
            size = path.stat().st_size
            with path.open("rb") as file:
                summed = _Summed(file, progress)
                tar.addfile(_entry(name, size), cast(IO[bytes], summed))
            sums[name] = Part(size, summed.sha256())
        manifest = Manifest(FORMAT, __version__, made_at, source, reference, sums)
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
        tar.addfile(_entry(MANIFEST, len(text)), io.BytesIO(text))


def read_archive(stream: Readable, folder: Path, progress: Progress) -> Manifest:
    """Unpack the databases of an archive into a folder and check them against their checksums.

    Raises:
        ArchiveError: it is not one of ours, from a newer oddsdesk, cut off or changed.
        OSError: they cannot be written there.
    """
    found: dict[str, Part] = {}
    try:
        with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r|") as tar:
            for member in tar:
                if not member.isreg() or member.name in found:
                    raise ArchiveError(f"holds {member.name!r}, which does not belong in a backup")
                if member.name == MANIFEST:
                    return _checked(tar, member, found)
                found[member.name] = _unpack(tar, member, folder, progress)
    except tarfile.TarError as error:
        raise ArchiveError(f"is not a backup, or is cut off ({error})") from error
    raise ArchiveError("is cut off: its list of contents is missing")


class _Summed:
    """A file whose checksum is computed while it is read."""

    def __init__(self, file: BinaryIO, progress: Progress) -> None:
        self._file = file
        self._progress = progress
        self._sum = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        data = self._file.read(size)
        self._sum.update(data)
        self._progress(len(data))
        return data

    def sha256(self) -> str:
        """Return the checksum of what was read."""
        return self._sum.hexdigest()


def _entry(name: str, size: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, OWNER_ONLY
    return entry


def _unpack(
    tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, progress: Progress
) -> Part:
    if member.name not in PARTS:
        raise ArchiveError(f"holds {member.name!r}, which does not belong in a backup")
    packed = tar.extractfile(member)
    assert packed is not None
    total = hashlib.sha256()
    with contextlib.closing(packed), (folder / member.name).open("xb") as file:
        while data := packed.read(_CHUNK):
            file.write(data)
            total.update(data)
            progress(len(data))
    return Part(member.size, total.hexdigest())


def _checked(tar: tarfile.TarFile, member: tarfile.TarInfo, found: dict[str, Part]) -> Manifest:
    packed = tar.extractfile(member)
    assert packed is not None
    try:
        manifest = msgspec.json.decode(packed.read(_MOST_MANIFEST), type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ArchiveError(f"has an unreadable list of contents ({error})") from error
    if manifest.format > FORMAT:
        raise ArchiveError("was made by a newer oddsdesk; update this one")
    if ODDS not in found or manifest.parts != found:
        wrong = sorted(name for name, part in manifest.parts.items() if found.get(name) != part)
        raise ArchiveError(f"is damaged: {', '.join(wrong) or ODDS} is not what was written")
    return manifest
