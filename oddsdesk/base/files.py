"""Private files: created private, kept private, never another user's.

Keys, bets and secrets are for their owner only (``make_private``). Odds and logs may be shared with
a group on purpose, and with no other users (``keep_from_others``).
"""

import contextlib
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final, cast

from oddsdesk.base.places import cannot_be_written, is_of_group, make_folder
from oddsdesk.base.texts import N_

OWNER_ONLY: Final = 0o600
_OTHERS: Final = 0o077
FOR_GROUP: Final = 0o660
"""The mode of a new file that a group may share, less the user's umask."""
_NEITHER_OWNER_NOR_GROUP: Final = 0o007
_ENDINGS: Final = ("", "-wal", "-shm", "-journal")
"""The suffixes of a database and its further files."""
_FLAGS: Final = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO in the way must not be waited for
    | getattr(os, "O_BINARY", 0)
)


class WriteWatch:
    """Checks whether a database's files may have been written since the last call.

    It compares their times and sizes, which takes some microseconds and opens nothing. After a
    change the answer stays yes for ``SETTLE_S``: SQLite may publish a commit after waiting for the
    disk, without touching a file again, and two writes within a tick of the file system's clock
    look like one. Every ``ANYWAY_S`` it is yes too, in case a disk hung for longer. Windows updates
    the time of a write only when the file is closed, so the answer is always yes there.
    """

    SETTLE_S = 10.0
    ANYWAY_S = 60.0

    def __init__(self, database: Path, now_s: Callable[[], float] = time.monotonic) -> None:
        self._paths = (database, Path(f"{database}-wal"))
        self._now_s = now_s
        self._seen: tuple[tuple[int, int] | None, ...] = ()
        self._changed_at = self._said_yes_at = now_s()

    def may_have_changed(self) -> bool:
        """Return False if nothing was written for a while."""
        now_s, seen = self._now_s(), tuple([_time_and_size(path) for path in self._paths])
        if seen != self._seen:
            self._seen, self._changed_at = seen, now_s
        is_settled = now_s - self._changed_at > self.SETTLE_S
        if is_settled and now_s - self._said_yes_at < self.ANYWAY_S and sys.platform != "win32":
            return False
        self._said_yes_at = now_s
        return True


def _time_and_size(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


class ForeignFileError(OSError):
    """The file does not belong to this user; ``reason`` says whose or what it is."""

    def __init__(self, reason: str) -> None:
        super().__init__(0, reason)
        self.reason = reason


def open_private(path: Path, *, owned_as: Path | None = None) -> int:
    """Open the user's file for reading and writing; made if missing, never through a link.

    Root may open files of the owner of ``owned_as``, and new files that root makes there are given
    to that user, whose server must read them. If ``owned_as`` is missing, its folder's owner
    counts.

    Raises:
        ForeignFileError: it belongs to another user, or is not a regular file.
        OSError: it cannot be opened or made.
    """
    return _open(path, os.O_RDWR | os.O_CREAT, owned_as)


def open_private_to_read(path: Path, *, owned_as: Path | None = None) -> int:
    """Open a file as ``open_private`` does, but only to read it, on a read-only disk as well.

    Raises:
        ForeignFileError: it belongs to another user, or is not a regular file.
        OSError: it is missing or cannot be opened.
    """
    return _open(path, os.O_RDONLY, owned_as)


def _open(path: Path, how: int, owned_as: Path | None) -> int:
    owner = _owner_of_or_near(owned_as)
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
    """Remove all rights on an open file except its owner's; root's files are handed over."""
    _keep_private(handle, _owner_of_or_near(owned_as))


def is_for_others(handle: int) -> bool:
    """Return whether other users may read or write an open file."""
    return sys.platform != "win32" and bool(os.fstat(handle).st_mode & _OTHERS)


def make_private(path: Path, *, owned_as: Path | None = None) -> None:
    """Make a file and SQLite's files next to it private; a missing file is made.

    Raises:
        ForeignFileError: it belongs to another user, or is not a regular file.
        OSError: it cannot be opened or made.
    """
    if not path.exists() and not path.is_symlink():
        os.close(open_private(path, owned_as=owned_as))
    owner = _owner_of_or_near(owned_as)
    for ending in _ENDINGS:
        with _held(path.with_name(path.name + ending), owner) as place:
            if place is not None:
                _keep_private(place, owner)


def keep_from_others(path: Path) -> None:
    """Create a file for its owner, or remove all other users' rights from an existing one.

    A group keeps its rights, and gets rights to a new file in a folder that it shares
    (``is_of_group``). The same applies to SQLite's further files. A file that cannot be changed is
    left unchanged: the code that opens it reports the error.
    """
    real = path.resolve()
    with contextlib.suppress(OSError):
        _make_for_owner(real)
    for ending in _ENDINGS:
        with contextlib.suppress(OSError):
            _narrow(real.with_name(real.name + ending))


def make_own_folder(path: Path) -> None:
    """Make a folder for its owner, or remove all other users' rights from an existing one.

    Raises:
        OSError: it cannot be made.
    """
    make_folder(path)
    with contextlib.suppress(OSError):
        _narrow(path)


def _make_for_owner(path: Path) -> None:
    if sys.platform == "win32":
        return
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
    if sys.platform == "win32":
        return
    found = path.stat()
    if found.st_uid == os.geteuid() and found.st_mode & _NEITHER_OWNER_NOR_GROUP:
        path.chmod(stat.S_IMODE(found.st_mode) & ~_NEITHER_OWNER_NOR_GROUP)


def check_private(path: Path, *, owned_as: Path | None = None) -> None:
    """Refuse a file of another user; a missing one is not refused.

    Raises:
        ForeignFileError: it belongs to another user, or is not a regular file.
        OSError: it cannot be looked at or written.
    """
    with _held(path, _owner_of_or_near(owned_as)) as place:
        if place is not None and not os.access(place, os.W_OK):
            raise PermissionError(13, cannot_be_written(path))


@contextlib.contextmanager
def _held(path: Path, owner: tuple[int, int] | None) -> Iterator[str | None]:
    """Hold a file without opening it; yield a path that stays valid, None if there is no file.

    It may be a database: opening and closing it would drop SQLite's locks on it in this process
    (https://www.sqlite.org/howtocorrupt.html, 2.2). Linux can hold a file as a mere place.
    """
    if path.is_symlink():
        raise ForeignFileError("is a link, not a file")
    if not path.exists():
        yield None
        return
    if sys.platform == "win32" or not hasattr(os, "O_PATH"):
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
    """Do the same with a held path, or with an open file."""
    if sys.platform == "win32":
        return
    found = os.stat(place)  # noqa: PTH116 - pathlib would read the link of a held file
    if found.st_mode & _OTHERS:
        os.chmod(place, OWNER_ONLY)  # noqa: PTH101
    if os.geteuid() == 0 and owner is not None and found.st_uid != owner[0]:
        os.chown(place, *owner)


def user_name(uid: int) -> str:
    """Return a user's name; the number if the system knows no name."""
    if sys.platform == "win32":
        return str(uid)
    import pwd  # noqa: PLC0415 - not on Windows

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _check(found: os.stat_result, owner: tuple[int, int] | None) -> None:
    """Refuse another user's file; for root, files of the folder's owner are allowed."""
    if not stat.S_ISREG(found.st_mode):
        raise ForeignFileError("is not a regular file")
    if sys.platform == "win32":
        return
    me = os.geteuid()
    allowed = {me} if me or owner is None else {0, owner[0]}
    if found.st_uid not in allowed:
        raise ForeignFileError(f"belongs to {user_name(found.st_uid)}")
    if found.st_nlink > 1:
        raise ForeignFileError("has a second name (a hard link)")


def _owner_of_or_near(path: Path | None) -> tuple[int, int] | None:
    """Return user and group of a file, or of its folder if it is missing."""
    if path is None:
        return None
    place = path if path.exists() else path.parent
    found = place.stat()
    return found.st_uid, found.st_gid


def _refusal(path: Path, done: str) -> OSError:
    """Return the error with the file's owner, if that is the reason."""
    try:
        owner = path.lstat().st_uid
    except OSError:
        return PermissionError(13, "no permission to make it in this folder")
    if sys.platform != "win32" and owner != os.geteuid():
        return ForeignFileError(f"belongs to {user_name(owner)}")
    may_not = N_("may not be read") if done == "read" else N_("may not be written")
    return PermissionError(13, may_not)


NEW_FILE: Final = 0o666
"""The mode of a new file, less the user's umask."""
_DESCRIPTORS: Final = re.compile(r"/proc/[^/]+/(?:task/[^/]+/)?fd")
_MOST_LINKS: Final = 40
_OWN_DESCRIPTORS: Final = Path("/proc/self/fd")


@contextmanager
def whole_file(
    path: Path, new_mode: int = NEW_FILE, *, private: bool = False
) -> Iterator[BinaryIO]:
    """Yield a file to write, which replaces ``path`` if the block succeeds.

    It is written without a name if the system can, so that a kill leaves nothing; otherwise in the
    same folder under a name at which nobody can have planted a link. It keeps the mode of the file
    it replaces, unless it is ``private``: then its mode is ``new_mode``. Through a symbolic link
    the linked file is replaced. A device, a pipe or another descriptor (``/dev/fd/3``) is written
    directly: it cannot be replaced, nor half written.

    Raises:
        OSError: it cannot be written; the old file stays.
    """
    if is_written_directly(path):
        with _open_new(path, os.O_WRONLY, new_mode) as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    replaced = None if private else _state(target)
    mode = new_mode if replaced is None else stat.S_IMODE(replaced.st_mode) & 0o777
    part = target.with_name(f".oddsdesk-{secrets.token_hex(8)}.part")
    nameless = _nameless(target.parent, mode)
    is_there = nameless is None
    file = nameless or _open_new(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with file:
            if replaced is not None:
                _be_as(file, replaced)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not is_there:
                _give_name(file, part)
                is_there = True
        part.replace(target)
    except BaseException:
        if is_there:
            part.unlink(missing_ok=True)
        raise


def is_written_directly(path: Path) -> bool:
    """Return whether a path is a device, a pipe or a descriptor, which cannot be renamed."""
    found = _state(path)
    if found is not None and not stat.S_ISREG(found.st_mode):
        return True
    for _ in range(_MOST_LINKS):  # a descriptor may be a regular file under any name
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


def _open_new(path: Path, flags: int, mode: int) -> BinaryIO:
    def opener(name: str, wanted: int) -> int:
        extra = wanted & ~(os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        no_link = getattr(os, "O_NOFOLLOW", 0) if flags & os.O_EXCL else 0
        return os.open(name, flags | extra | no_link, mode)

    return cast(BinaryIO, open(path, "wb", opener=opener))


def _nameless(folder: Path, mode: int) -> BinaryIO | None:
    """Return a new file that vanishes when it is closed; None if not supported."""
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
    """Take on mode and, if allowed, owner of the replaced file."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        os.fchown(file.fileno(), replaced.st_uid, replaced.st_gid)
    os.fchmod(file.fileno(), stat.S_IMODE(replaced.st_mode) & 0o777)
