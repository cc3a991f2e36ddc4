"""The bundle as one file to download, and the sums to check it by."""

import gzip
import hashlib
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

SUMS: Final = "SHA256SUMS"


def pack(bundle: Path, target: Path, name: str, when_s: int) -> None:
    """Pack a folder under a name; the same content and time give the same file."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        member.mtime = when_s
        return member

    with (
        target.open("wb") as raw,
        gzip.GzipFile("", "wb", 9, raw, when_s) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        archive.add(bundle, name, filter=plain)


def write_sums(files: Iterable[Path], folder: Path) -> Path:
    """Write what ``sha256sum -c`` reads."""
    lines = []
    for file in sorted(files):
        with file.open("rb") as stream:
            lines.append(f"{hashlib.file_digest(stream, 'sha256').hexdigest()}  {file.name}\n")
    sums = folder / SUMS
    sums.write_text("".join(lines))
    return sums


def size_of(folder: Path) -> int:
    """Return how many bytes the files of a folder hold."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())
