"""The backup file of several databases: an uncompressed tar with checksums at its end.

Any tar program lists and unpacks it. Only the names below are read from it, so that a crafted
file can neither write outside its folder nor fill the disk with more than its own size.
"""

import contextlib
import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, BinaryIO, Final, Protocol, cast

import msgspec

from oddsdesk import __version__
from oddsdesk.store.errors import StoreError
from oddsdesk.store.sqlite.copying import Progress
from oddsdesk.store.unfinished import OWNER_ONLY

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
        ...


class Readable(Protocol):
    """What an archive is read from."""

    def read(self, size: int = ..., /) -> bytes:
        """Return at most so many bytes, none at the end."""
        ...


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
        ArchiveError: it is not one of ours, of a newer oddsdesk, cut off or changed.
        OSError: they cannot be written there.
    """
    found: dict[str, Part] = {}
    try:
        with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r|") as tar:
            for member in tar:
                if not member.isreg() or member.name in found:
                    raise ArchiveError(f"holds {member.name!r}, which no backup does")
                if member.name == MANIFEST:
                    return _checked(tar, member, found)
                found[member.name] = _unpack(tar, member, folder, progress)
    except tarfile.TarError as error:
        raise ArchiveError(f"is no backup, or is cut off ({error})") from error
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
        raise ArchiveError(f"holds {member.name!r}, which no backup does")
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
        raise ArchiveError(f"has a list of contents that cannot be read ({error})") from error
    if manifest.format > FORMAT:
        raise ArchiveError("was made by a newer oddsdesk; update this one")
    if ODDS not in found or manifest.parts != found:
        wrong = sorted(name for name, part in manifest.parts.items() if found.get(name) != part)
        raise ArchiveError(f"is damaged: {', '.join(wrong) or ODDS} is not what was written")
    return manifest
