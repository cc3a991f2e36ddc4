"""Reads files, pipes, folders, patterns, tar and zip archives; gzip and bzip2 are unpacked."""

import bz2
import contextlib
import glob
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO, Protocol

import msgspec

from oddsdesk.base.system_errors import error_text
from oddsdesk.feeds.errors import FeedError

CHUNK_BYTES = 256 * 1024
LARGEST_FILE = 256 * 1024 * 1024
"""Largest file that is read whole, unpacked; a small packed file can be huge."""
LARGEST_ARCHIVE = 2 * 1024 * 1024 * 1024
"""Largest packed tar archive, unpacked: it is held in a temporary file."""
LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of the longest line of a file that is read line by line."""
_PLAIN_BYTES = 4 * 1024 * 1024
"""Unpacked bytes per chunk."""
_SLICE_BYTES = 4 * 1024
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = zlib.MAX_WBITS | 16
_BZIP2 = tuple(b"BZh%d%s" % (size, end) for size in range(1, 10) for end in (b"1AY", b"\x17rE"))
_LONGEST_MAGIC = max(map(len, (_GZIP, *_BZIP2)))
_TAR_AT, _TAR = 257, b"ustar"
_ZIP, _OFFICE = b"PK\x03\x04", "[Content_Types].xml"
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError)


class Readable(Protocol):
    """A binary stream; ``read1`` returns what has arrived, and nothing at the end."""

    def read1(self, size: int, /) -> bytes:
        """Read what is there, at most ``size`` bytes."""


def plain_chunks(stream: Readable) -> Iterator[bytes]:
    """Yield the bytes of a stream as they come, unpacked if it begins as gzip or bzip2 does.

    Raises:
        FeedError: the packed data is damaged or ends early; what came before was yielded.
    """
    first = stream.read1(CHUNK_BYTES)
    while _may_be_packed(first) and (more := stream.read1(CHUNK_BYTES)):
        first += more
    chunks = _chunks(first, stream)
    if first.startswith(_GZIP):
        yield from _gunzip(chunks)
    elif first.startswith(_BZIP2):
        yield from _bunzip2(chunks)
    else:
        yield from chunks


def _may_be_packed(first: bytes) -> bool:
    """Return whether more bytes are needed to say whether they are packed."""
    if not 0 < len(first) < _LONGEST_MAGIC or first.startswith(_GZIP):
        return False
    return any(magic.startswith(first) for magic in (_GZIP, *_BZIP2))


def lines_of(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file that comes in pieces, without their ends.

    Raises:
        FeedError: a line is too long, or as ``chunks`` raises.
    """
    rest: list[bytes] = []
    size = 0
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        rest.append(first)
        size += len(first)
        if size > LONGEST_LINE:
            raise FeedError(f"a line is longer than {LONGEST_LINE:,} bytes")
        if others:
            yield b"".join(rest)
            yield from others[:-1]
            rest = [others[-1]]
            size = len(others[-1])
    if size:
        yield b"".join(rest)


class FilePart(msgspec.Struct, frozen=True):
    """A file, or one inside a tar or zip archive; ``name`` is for people."""

    path: Path
    name: str
    start: int = 0
    size: int | None = None
    """Bytes from ``start``; None to the end."""
    member: str = ""
    """Its name in a zip archive."""
    archive: zipfile.ZipFile | None = None
    """That archive, as long as it is open."""
    unpacked: "_Unpacked | None" = None
    """The tar archive that holds it, if that was packed."""

    @contextlib.contextmanager
    def open(self) -> Iterator[Readable]:
        """Open the file.

        Raises:
            FeedError: it can't be read.
        """
        try:
            if self.unpacked is not None:
                yield _Slice(self.unpacked.stream, self.size or 0, self.start)
                return
            with self.path.open("rb") as stream:
                if self.member:
                    with _zipped(stream, self) as packed:
                        yield packed
                    return
                yield stream if self.size is None else _Slice(stream, self.size, self.start)
        except OSError as error:
            raise FeedError(f"cannot read {self.name}: {error_text(error)}") from error

    def chunks(self) -> Iterator[bytes]:
        """Yield the content in pieces, as ``plain_chunks`` does."""
        with self.open() as stream:
            yield from plain_chunks(stream)


class _Unpacked:
    """A packed tar archive in a temporary file, which lives as long as one of its parts."""

    def __init__(self) -> None:
        self.stream: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - parts outlive a block

    def __del__(self) -> None:
        self.stream.close()


class _Slice:
    def __init__(self, stream: IO[bytes], size: int, start: int) -> None:
        self._stream = stream
        self._left = size
        self._at = start

    def read1(self, size: int, /) -> bytes:
        self._stream.seek(self._at)
        got = self._stream.read(min(size, self._left))
        self._left -= len(got)
        self._at += len(got)
        return got


def parts_of(path: Path) -> Iterator[FilePart]:
    """Yield the files of a tar or zip archive in its order; of any other file, the file itself.

    Raises:
        FeedError: it can't be read, or the archive is damaged; what came before was yielded.
    """
    import tarfile  # noqa: PLC0415 - few starts need it

    try:
        with path.open("rb") as stream:
            head = stream.read(_TAR_AT + len(_TAR))
            stream.seek(0)
            if head.startswith(_ZIP):
                yield from _parts_of_zip(path)
            elif head[_TAR_AT:] == _TAR:
                yield from _parts_of_tar(path, stream)
            elif head.startswith((_GZIP, *_BZIP2)) and _is_tar(stream):
                stream.seek(0)
                yield from _parts_of_packed_tar(path, stream)
            else:
                yield FilePart(path, str(path))
    except tarfile.TarError as error:
        raise FeedError(f"{path}: the tar archive is damaged ({error})") from error
    except OSError as error:
        raise FeedError(f"cannot read {path}: {error_text(error)}") from error


def _parts_of_tar(
    path: Path, stream: IO[bytes], unpacked: _Unpacked | None = None
) -> Iterator[FilePart]:
    import tarfile  # noqa: PLC0415 - few starts need it

    with tarfile.open(fileobj=stream, mode="r:") as archive:
        while (member := archive.next()) is not None:
            vars(archive)["members"] = []  # else it holds all, of maybe 100,000
            if member.isreg() and not member.sparse and not _is_hidden(member.name):
                start, size = member.offset_data, member.size
                name = f"{path}/{member.name}"
                yield FilePart(path, name, start, size, unpacked=unpacked)
        stream.seek(archive.offset)
        if stream.read(tarfile.BLOCKSIZE).strip(b"\0"):  # tarfile takes it for the end
            raise tarfile.ReadError("a header cannot be read")


def _is_tar(packed: Readable) -> bool:
    """Return whether packed data begin as a tar archive does."""
    head = b""
    with contextlib.suppress(FeedError):
        for chunk in plain_chunks(packed):
            head += chunk
            if len(head) >= _TAR_AT + len(_TAR):
                break
    return head.startswith(_TAR, _TAR_AT)


def _parts_of_packed_tar(path: Path, stream: Readable) -> Iterator[FilePart]:
    import tarfile  # noqa: PLC0415 - few starts need it

    unpacked, size, damage = _Unpacked(), 0, ""
    try:
        for chunk in plain_chunks(stream):
            size += len(chunk)
            if size > LARGEST_ARCHIVE:
                raise FeedError(f"too large: more than {LARGEST_ARCHIVE:,} bytes unpacked")
            unpacked.stream.write(chunk)
    except FeedError as error:
        damage = str(error)
    unpacked.stream.seek(0)
    try:
        for part in _parts_of_tar(path, unpacked.stream, unpacked):
            if part.start + (part.size or 0) > size and damage:
                break
            yield part
    except tarfile.TarError:
        if not damage:
            raise
    if damage:
        raise FeedError(f"{path}: {damage}")


@contextlib.contextmanager
def _zipped(stream: BinaryIO, part: FilePart) -> Iterator[Readable]:
    try:
        # The list of members is read once: for each of many it would take hours.
        held = part.archive if part.archive is not None and part.archive.fp is not None else None
        with contextlib.nullcontext(held) if held else zipfile.ZipFile(stream) as archive:
            try:
                packed = archive.open(part.member)
            except (NotImplementedError, RuntimeError) as error:  # a password, a rare packing
                raise zipfile.BadZipFile(str(error)) from error
            with packed:
                assert isinstance(packed, zipfile.ZipExtFile), "it has read1"
                yield packed
    except _ZIP_ERRORS as error:
        raise FeedError(f"{part.name}: the zip archive cannot be read ({error})") from error


def _parts_of_zip(path: Path) -> Iterator[FilePart]:
    """Yield the files of a zip archive; a workbook is a file itself."""
    try:
        archive = zipfile.ZipFile(path)
    except _ZIP_ERRORS as error:
        raise FeedError(f"{path}: the zip archive cannot be read ({error})") from error
    with archive:
        names = [each.filename for each in archive.infolist() if not each.is_dir()]
        if _OFFICE in names:
            yield FilePart(path, str(path))
            return
        for name in names:
            if not _is_hidden(name):
                yield FilePart(path, f"{path}/{name}", member=name, archive=archive)


def _is_hidden(name: str) -> bool:
    return name.rpartition("/")[2].startswith(".")


def read_part(part: FilePart) -> bytes:
    """Return the whole content of a file, unpacked if it is gzip or bzip2.

    Raises:
        FeedError: it can't be read, is too large, or its packed data is damaged.
    """
    with part.open() as stream:
        return read_stream(stream, part.name)


def read_file(path: Path) -> bytes:
    """Return the whole content of a file, as ``read_part`` does."""
    return read_part(FilePart(path, str(path)))


def read_stream(stream: Readable, name: str) -> bytes:
    """Return the whole content of a stream, unpacked if it is packed; ``name`` is for errors.

    Raises:
        FeedError: it can't be read, is too large, or its packed data is damaged.
    """
    try:
        return b"".join(_bounded(plain_chunks(stream)))
    except OSError as error:
        raise FeedError(f"cannot read {name}: {error_text(error)}") from error
    except FeedError as error:
        raise FeedError(f"{name}: {error}") from error


def expand(place: str) -> list[Path]:
    """Return the files of a file name, folder or pattern, sorted by name.

    Raises:
        FeedError: there are none.
    """
    path = Path(place)
    if path.is_dir():
        files = [entry for entry in path.iterdir() if _is_input(entry)]
    elif path.exists():
        files = [path]
    else:
        found = (Path(match) for match in glob.glob(place, recursive=True))  # noqa: PTH207
        files = [match for match in found if match.is_file()]
    if not files and path.is_dir():
        raise FeedError(f"{place}: the folder is empty")
    if not files:
        raise FeedError(f"{place}: no such file, and no file matches it as a pattern")
    return sorted(files)


def _is_input(entry: Path) -> bool:
    return entry.is_file() and not entry.name.startswith(".")


def _chunks(first: bytes, stream: Readable) -> Iterator[bytes]:
    chunk = first
    while chunk:
        yield chunk
        chunk = stream.read1(CHUNK_BYTES)


def _bounded(chunks: Iterator[bytes]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > LARGEST_FILE:
            raise FeedError(f"too large: more than {LARGEST_FILE:,} bytes unpacked")
        yield chunk


def _gunzip(chunks: Iterator[bytes]) -> Iterator[bytes]:
    member: _Inflater | None = None
    for chunk in chunks:
        plain: list[bytes] = []
        size = 0
        try:
            for start in range(0, len(chunk), _SLICE_BYTES):  # damage spoils little before it
                member, got = _inflate(chunk[start : start + _SLICE_BYTES], member)
                plain += got
                size += sum(map(len, got))
                if size > _PLAIN_BYTES:
                    yield b"".join(plain)
                    plain, size = [], 0
        except zlib.error as error:
            yield b"".join(plain)
            raise FeedError(f"the gzip data is damaged ({error})") from error
        yield b"".join(plain)
    if member is not None:
        raise FeedError("the gzip data ends early")


def _bunzip2(chunks: Iterator[bytes]) -> Iterator[bytes]:
    member: bz2.BZ2Decompressor | None = None
    for chunk in chunks:
        data = chunk
        while data or (member is not None and not member.needs_input):
            member = member or bz2.BZ2Decompressor()
            try:
                plain = member.decompress(data, _PLAIN_BYTES)
            except OSError as error:
                raise FeedError(f"the bzip2 data is damaged ({error})") from error
            if plain:
                yield plain
            data = b""
            if member.eof:
                data, member = member.unused_data, None
    if member is not None:
        raise FeedError("the bzip2 data ends early")


class _Inflater(Protocol):
    """What ``zlib.decompressobj`` returns; its own type has no public name."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def _inflate(data: bytes, member: _Inflater | None) -> tuple[_Inflater | None, list[bytes]]:
    """Return the unpacked bytes of a slice, and the gzip member that it leaves unfinished."""
    plain = []
    while data:
        member = member or zlib.decompressobj(_GZIP_WINDOW)
        plain.append(member.decompress(data))
        data = b""
        if member.eof:
            data = member.unused_data.lstrip(b"\0")
            member = None
    return member, plain
