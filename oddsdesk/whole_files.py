"""Files written whole or not at all; what is no regular file is written as it comes."""

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, cast

NEW_FILE: Final = 0o666
"""What a new file may be read and written by, less the user's umask."""
_DESCRIPTORS: Final = re.compile(r"/proc/[^/]+/(?:task/[^/]+/)?fd")
_MOST_LINKS: Final = 40
_OWN_DESCRIPTORS: Final = Path("/proc/self/fd")


@contextmanager
def whole_file(
    path: Path, new_mode: int = NEW_FILE, *, private: bool = False
) -> Iterator[BinaryIO]:
    """Give a file to write, which takes its place at ``path`` where the block ends well.

    It is written without a name where the system can do that, so that a kill leaves nothing; else
    beside that place under a name that nobody can have planted a link at. It
    keeps the mode of the file it replaces, unless it is ``private``: then ``new_mode`` it is.
    Through a symbolic link the file that it leads to is replaced. A device, a pipe or another
    descriptor (``/dev/fd/3``) is written directly: it cannot be replaced, nor half written.

    Raises:
        OSError: it cannot be written; what stood there stands there still.
    """
    if is_written_directly(path):
        with _open(path, os.O_WRONLY, new_mode) as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    replaced = None if private else _state(target)
    mode = new_mode if replaced is None else stat.S_IMODE(replaced.st_mode) & 0o777
    beside = target.with_name(f".oddsdesk-{secrets.token_hex(8)}.part")
    nameless = _nameless(target.parent, mode)
    is_there = nameless is None
    file = nameless or _open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with file:
            if replaced is not None:
                _be_as(file, replaced)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not is_there:
                _give_name(file, beside)
                is_there = True
        beside.replace(target)
    except BaseException:
        if is_there:
            beside.unlink(missing_ok=True)
        raise


def is_written_directly(path: Path) -> bool:
    """Say whether a path is a device, a pipe or a descriptor, whose name cannot be given away."""
    found = _state(path)
    if found is not None and not stat.S_ISREG(found.st_mode):
        return True
    for _ in range(_MOST_LINKS):  # a descriptor may be of a regular file, whose name says nothing
        if _DESCRIPTORS.fullmatch(os.path.realpath(path.parent)):
            return True
        if not path.is_symlink():
            return False
        path = path.parent / path.readlink()
    return False


def _state(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _open(path: Path, flags: int, mode: int) -> BinaryIO:
    def opener(name: str, wanted: int) -> int:
        extra = wanted & ~(os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        no_link = getattr(os, "O_NOFOLLOW", 0) if flags & os.O_EXCL else 0
        return os.open(name, flags | extra | no_link, mode)

    return cast(BinaryIO, open(path, "wb", opener=opener))


def _nameless(folder: Path, mode: int) -> BinaryIO | None:
    """Return a new file that is gone when it is closed; None where there are no such files."""
    if not hasattr(os, "O_TMPFILE") or not _OWN_DESCRIPTORS.is_dir():
        return None
    try:
        number = os.open(folder, os.O_TMPFILE | os.O_WRONLY, mode)
    except OSError:  # the file system has none; any other trouble comes again with a name
        return None
    return os.fdopen(number, "wb")


def _give_name(file: BinaryIO, path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:  # only with a folder's descriptor the link to the file is followed
        os.link(
            _OWN_DESCRIPTORS / str(file.fileno()),
            path.name,
            dst_dir_fd=folder,
            follow_symlinks=True,
        )
    finally:
        os.close(folder)


def _be_as(file: BinaryIO, replaced: os.stat_result) -> None:
    """Take on owner and mode of what is replaced; the owner where that is allowed."""
    if not hasattr(os, "fchown"):
        return
    with suppress(OSError):
        os.fchown(file.fileno(), replaced.st_uid, replaced.st_gid)
    os.fchmod(file.fileno(), stat.S_IMODE(replaced.st_mode) & 0o777)
