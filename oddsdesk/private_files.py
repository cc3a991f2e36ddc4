"""Files that only their owner may read: made so, kept so, and never another user's.

Keys, bets and secrets are their owner's alone (``make_private``). Odds and logs may be shared with
a group on purpose, and with nobody else (``keep_from_others``).
"""

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from oddsdesk.places import cannot_be_written, is_of_group, make_folder

OWNER_ONLY: Final = 0o600
_OTHERS: Final = 0o077
FOR_GROUP: Final = 0o660
"""What a file that a group may share begins with, less the user's umask."""
_NEITHER_OWNER_NOR_GROUP: Final = 0o007
_BESIDE: Final = ("", "-wal", "-shm", "-journal")
"""What the names of a database's files end with."""
_FLAGS: Final = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO in the way must not be waited for
    | getattr(os, "O_BINARY", 0)
)


class ForeignFileError(OSError):
    """The file is not this user's own; ``reason`` says whose or what it is."""

    def __init__(self, reason: str) -> None:
        super().__init__(0, reason)
        self.reason = reason


def open_private(path: Path, *, owned_as: Path | None = None, make: bool = True) -> int:
    """Open a file of the user's own for reading and writing; made if missing, never through a link.

    Root may open the file of whoever owns ``owned_as``, and what root makes beside that is that
    user's: a server that runs as this user has to read it. Where it is not there either, its
    folder says whose it is.

    Raises:
        ForeignFileError: it belongs to another user, or is no ordinary file.
        OSError: it cannot be opened or made.
    """
    return _open(path, os.O_RDWR | (os.O_CREAT if make else 0), owned_as)


def open_private_to_read(path: Path, *, owned_as: Path | None = None) -> int:
    """Open a file as ``open_private`` does, but only to read it, on a read-only disk as well.

    Raises:
        ForeignFileError: it belongs to another user, or is no ordinary file.
        OSError: it is missing or cannot be opened.
    """
    return _open(path, os.O_RDONLY, owned_as)


def _open(path: Path, how: int, owned_as: Path | None) -> int:
    owner = _owner_beside(owned_as)
    if path.is_symlink():
        raise ForeignFileError("is a link, not a file")
    try:
        handle = os.open(path, _FLAGS | how, OWNER_ONLY)
    except PermissionError:
        raise _refusal(path, "read" if how == os.O_RDONLY else "written") from None
    try:
        _check(os.fstat(handle), owner)
    except OSError:
        os.close(handle)
        raise
    return handle


def keep_private(handle: int, owned_as: Path | None = None) -> None:
    """Take every right on an open file from all but its owner; what is root's is handed over."""
    _keep_private(handle, _owner_beside(owned_as))


def is_for_others(handle: int) -> bool:
    """Say whether other users may read or write an open file."""
    return sys.platform != "win32" and bool(os.fstat(handle).st_mode & _OTHERS)


def make_private(path: Path, *, owned_as: Path | None = None) -> None:
    """Make a file private together with what SQLite keeps beside it; it is made if missing.

    Raises:
        ForeignFileError: it belongs to another user, or is no ordinary file.
        OSError: it cannot be opened or made.
    """
    if not path.exists() and not path.is_symlink():
        os.close(open_private(path, owned_as=owned_as))
    owner = _owner_beside(owned_as)
    for ending in _BESIDE:
        with _held(path.with_name(path.name + ending), owner) as place:
            if place is not None:
                _keep_private(place, owner)


def keep_from_others(path: Path) -> None:
    """Make a file for its owner, or take the rights of everybody else from one that is ours.

    A group keeps the rights that it has, and gets them to a new file in a folder that it shares
    (``is_of_group``). The same goes for what SQLite keeps beside. What cannot be changed is left as
    it is: whoever uses the file meets what is wrong.
    """
    if sys.platform == "win32":
        return
    real = path.resolve()
    with contextlib.suppress(OSError):
        _make_for_owner(real)
    for ending in _BESIDE:
        with contextlib.suppress(OSError):
            _narrow(real.with_name(real.name + ending))


def make_own_folder(path: Path) -> None:
    """Make a folder of this program's own, or take the rights of everybody else from one.

    Raises:
        OSError: it cannot be made.
    """
    make_folder(path)
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            _narrow(path)


def _make_for_owner(path: Path) -> None:
    handle = os.open(path, _FLAGS | os.O_RDWR | os.O_CREAT | os.O_EXCL, FOR_GROUP)
    try:
        folder = path.parent.stat()
        if not (is_of_group(folder) and os.fstat(handle).st_gid == folder.st_gid):
            os.fchmod(handle, OWNER_ONLY)
        if os.geteuid() == 0 and folder.st_uid != 0:  # the server that runs as this user reads it
            os.fchown(handle, folder.st_uid, folder.st_gid)
    finally:
        os.close(handle)


def _narrow(path: Path) -> None:
    found = path.stat()
    if found.st_uid == os.geteuid() and found.st_mode & _NEITHER_OWNER_NOR_GROUP:
        path.chmod(stat.S_IMODE(found.st_mode) & ~_NEITHER_OWNER_NOR_GROUP)


def check_private(path: Path, *, owned_as: Path | None = None) -> None:
    """Refuse a file that is not the user's own; one that is missing is not refused.

    Raises:
        ForeignFileError: it belongs to another user, or is no ordinary file.
        OSError: it cannot be looked at or written.
    """
    with _held(path, _owner_beside(owned_as)) as place:
        if place is not None and not os.access(place, os.W_OK):
            raise PermissionError(13, cannot_be_written(path))


@contextlib.contextmanager
def _held(path: Path, owner: tuple[int, int] | None) -> Iterator[str | None]:
    """Hold a file, None where there is none, without opening it; give a path that stays its.

    It may be a database: to open and close one drops the locks that SQLite has on it in this
    process (https://www.sqlite.org/howtocorrupt.html, 2.2). Linux can hold a file as a mere place.
    """
    if path.is_symlink():
        raise ForeignFileError("is a link, not a file")
    if not path.exists():
        yield None
        return
    if not hasattr(os, "O_PATH"):
        _check(path.lstat(), owner)
        yield str(path)
        return
    handle = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _check(os.fstat(handle), owner)
        yield f"/proc/self/fd/{handle}"
    finally:
        os.close(handle)


def _keep_private(place: str | int, owner: tuple[int, int] | None) -> None:
    """Do so with a path that stays a file's, or with an open file."""
    if sys.platform == "win32":
        return
    found = os.stat(place)  # noqa: PTH116 - pathlib would read the link of a held file
    if found.st_mode & _OTHERS:
        os.chmod(place, OWNER_ONLY)  # noqa: PTH101
    if os.geteuid() == 0 and owner is not None and found.st_uid != owner[0]:
        os.chown(place, *owner)


def user_name(uid: int) -> str:
    """Return what a user is called; the number where the system knows no name."""
    if sys.platform == "win32":
        return str(uid)
    import pwd  # noqa: PLC0415 - not on Windows

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _check(found: os.stat_result, owner: tuple[int, int] | None) -> None:
    """Refuse what is not ours; to root, the file of whose place it lies in is as its own."""
    if not stat.S_ISREG(found.st_mode):
        raise ForeignFileError("is no ordinary file")
    if sys.platform == "win32":
        return
    me = os.geteuid()
    allowed = {me} if me or owner is None else {0, owner[0]}
    if found.st_uid not in allowed:
        raise ForeignFileError(f"belongs to {user_name(found.st_uid)}")
    if found.st_nlink > 1:
        raise ForeignFileError("has a second name (a hard link)")


def _owner_beside(path: Path | None) -> tuple[int, int] | None:
    """Return user and group of a file, or of its folder where it is missing."""
    if path is None:
        return None
    place = path if path.exists() else path.parent
    found = place.stat()
    return found.st_uid, found.st_gid


def _refusal(path: Path, done: str) -> OSError:
    """Say whose file it is where it cannot be opened: that is why."""
    try:
        owner = path.lstat().st_uid
    except OSError:
        return PermissionError(13, "may not be made in this folder")
    if sys.platform != "win32" and owner != os.geteuid():
        return ForeignFileError(f"belongs to {user_name(owner)}")
    return PermissionError(13, f"may not be {done}")
