"""Reads files, pipes, folders and patterns; gzip is unpacked."""

import glob
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from oddsdesk.feeds.errors import FeedError

CHUNK_BYTES = 256 * 1024
LARGEST_FILE = 256 * 1024 * 1024
"""Largest file that is read whole, unpacked; a small gzip file can be huge."""
_PLAIN_BYTES = 4 * 1024 * 1024
"""Unpacked bytes per chunk."""
_SLICE_BYTES = 4 * 1024
_GZIP_FIRST = b"\x1f"
_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = zlib.MAX_WBITS | 16


class Readable(Protocol):
    """A binary stream; ``read1`` returns what has arrived, and nothing at the end."""

    def read1(self, size: int, /) -> bytes:
        """Read what is there, at most ``size`` bytes."""


def plain_chunks(stream: Readable) -> Iterator[bytes]:
    """Yield the bytes of a stream as they come, gunzipped if it begins as gzip does.

    Raises:
        FeedError: the gzip data is damaged or ends early; what came before was yielded.
    """
    first = stream.read1(CHUNK_BYTES)
    while first == _GZIP_FIRST and (more := stream.read1(CHUNK_BYTES)):
        first += more
    chunks = _chunks(first, stream)
    yield from _gunzip(chunks) if first.startswith(_GZIP) else chunks


def read_file(path: Path) -> bytes:
    """Return the whole content of a file, gunzipped if it is gzip.

    Raises:
        FeedError: it can't be read, is too large, or its gzip data is damaged.
    """
    try:
        with path.open("rb") as stream:
            return read_stream(stream, str(path))
    except OSError as error:
        raise FeedError(f"cannot read {path}: {error.strerror or error}") from error


def read_stream(stream: Readable, name: str) -> bytes:
    """Return the whole content of a stream, gunzipped if it is gzip; ``name`` is for errors.

    Raises:
        FeedError: it can't be read, is too large, or its gzip data is damaged.
    """
    try:
        return b"".join(_bounded(plain_chunks(stream)))
    except OSError as error:
        raise FeedError(f"cannot read {name}: {error.strerror or error}") from error
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
