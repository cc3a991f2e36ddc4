"""The lock of a database: one process at a time serves it.

With two names for one file, one of its logs is lost; see SQLite's "How To Corrupt" (2.4).
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from oddsdesk.base import files
from oddsdesk.base.places import make_folder
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import N_
from oddsdesk.store.errors import WHEN_MOVED, StoreError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LOCKED_BYTE: Final = 1 << 30
"""The locked byte, beyond the text, because locked bytes cannot be read on Windows."""
ANNOUNCE_LIMIT_S: Final = 2.0
"""How long a starting process may take to write its address (s)."""
_STEP_S: Final = 0.05
_OPEN_TO_OTHERS: Final = N_("can be opened by all users, as in older versions")


class Owner(msgspec.Struct, frozen=True):
    """The process that serves a database; ``url`` is empty until it answers."""

    pid: int
    url: str = ""
    access: str = ""
    """The file of its keys; empty until it answers."""
    file: tuple[int, int] | None = None
    """The identity of the database file; None until it answers, and for older versions."""
    link_url: str = ""
    """The address for links that others open; empty if it is not known."""


class DatabaseInUseError(StoreError):
    """Another oddsdesk serves this database; ``owner`` is None if unknown."""

    def __init__(self, path: Path, owner: Owner | None) -> None:
        self.owner = owner
        who = N_("another oddsdesk")
        if owner is not None:
            who = N_(f"another oddsdesk (process {owner.pid})")
            if owner.url:
                who = N_(f"another oddsdesk (process {owner.pid}, {owner.url})")
        self.who = who
        super().__init__(
            f"{path} is in use by {who}; use that one, stop it, or choose another database"
        )


class ForeignLockError(DatabaseInUseError):
    """The lock file belongs to another user, whose process gets no key."""

    def __init__(self, path: Path, lock: Path, reason: str) -> None:
        super().__init__(path, None)
        self.args = (
            N_(
                f"{path}: its lock file {lock.name} {reason}, so another user may hold it. Stop the"
                " oddsdesk that serves this database; if there is none, delete that file"
            ),
        )


class DatabaseLock:
    """Held while a process serves a database. The system frees it when the process dies."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file
        try:
            self.announce_owner("")
        except OSError:  # a full disk
            self.release_lock()
            raise

    def announce_owner(self, url: str, access: Path | None = None, link_url: str = "") -> None:
        """Write the server's addresses and key file into the lock file."""
        self._file.seek(0)
        self._file.truncate()
        where = "" if access is None else str(access.absolute())
        held = file_identity(self._path.with_suffix("")) if url else None
        self._file.write(msgspec.json.encode(Owner(os.getpid(), url, where, held, link_url)))
        self._file.flush()

    def release_lock(self) -> None:
        """Release the lock, and remove its file if the system allows."""
        with contextlib.suppress(OSError):  # Windows keeps open files, a read-only disk all
            self._path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # what a full disk did not take
            self._file.close()


def lock_path(odds_path: Path) -> Path:
    """Return the lock file of a database."""
    real = odds_path.resolve()
    return real.with_name(f"{real.name}.lock")


def lock_database(odds_path: Path) -> DatabaseLock:
    """Lock a database for this process; the lock file of a dead process is taken over.

    Raises:
        DatabaseInUseError: another process serves it, or may do so as another user.
        StoreError: the lock file cannot be made, or the file is open under another name.
    """
    path = lock_path(odds_path)
    check_one_name(odds_path)
    try:
        make_folder(path.parent)
        lock = _take(path, odds_path)
    except files.ForeignFileError as error:
        raise ForeignLockError(odds_path, path, error.reason) from error
    except OSError as error:
        reason = error_text(error)
        raise StoreError(f"{odds_path}: its lock cannot be made: {reason}") from error
    if lock is None:
        raise DatabaseInUseError(odds_path, _read(path))
    return lock


def take_if_free(odds_path: Path) -> DatabaseLock | None:
    """Lock a database if it is free; does not wait to learn who has it.

    Raises:
        StoreError: the lock file cannot be made, or belongs to another user.
    """
    path = lock_path(odds_path)
    try:
        handle = files.open_private(path, owned_as=odds_path)
        file = os.fdopen(handle, "r+b")
        if _lock(file) and _is_still(path, file) and not _was_open_to_others(path, handle):
            files.keep_private(handle, odds_path)
            return DatabaseLock(path, file)
        file.close()
    except files.ForeignFileError as error:
        raise ForeignLockError(odds_path, path, error.reason) from error
    except OSError as error:
        reason = error_text(error)
        raise StoreError(f"{odds_path}: its lock cannot be made: {reason}") from error
    return None


def owner_of(odds_path: Path) -> Owner | None:
    """Return the server of a database, also on a read-only disk; None if none runs.

    Raises:
        DatabaseInUseError: one runs but its owner is unknown, or another user's and not trusted
        (``ForeignLockError``).
    """
    path = lock_path(odds_path)
    try:
        handle = files.open_private_to_read(path, owned_as=odds_path)
    except files.ForeignFileError as error:
        raise ForeignLockError(odds_path, path, error.reason) from error
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        if _lock(file, shared=True):
            return None
        if files.is_for_others(handle):
            raise ForeignLockError(odds_path, path, _OPEN_TO_OTHERS)
        owner = _read(path)
    if owner is None:
        raise DatabaseInUseError(odds_path, None)
    return owner


def check_in_place(odds_path: Path) -> None:
    """Refuse a file that is not the one used by its database's server.

    The server does not see what is recorded in a newer or copied file.

    Raises:
        StoreError: the server's file was moved, deleted or replaced, or has another name.
    """
    check_one_name(odds_path)
    try:
        owner = owner_of(odds_path)
    except DatabaseInUseError:
        return
    if owner is None or not owner.url:
        return
    found = file_identity(odds_path)
    if found is None or (owner.file is not None and found != owner.file):
        who = N_(f"process {owner.pid} uses it")
        raise StoreError(f"{odds_path.name} was moved or deleted while {who}; {WHEN_MOVED}")


def file_identity(path: Path) -> tuple[int, int] | None:
    """Return a file's identity, None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _take(path: Path, odds_path: Path) -> DatabaseLock | None:
    """Take the lock; None once another process is known to hold it, with its address.

    Retries, because ``owner_of`` in another process holds it for a moment.
    """
    deadline = time.monotonic() + ANNOUNCE_LIMIT_S
    refusals = 0
    while True:
        handle = files.open_private(path, owned_as=odds_path)
        file = os.fdopen(handle, "r+b")
        if _lock(file):
            if _is_still(path, file) and not _was_open_to_others(path, handle):
                files.keep_private(handle, odds_path)
                return DatabaseLock(path, file)
            file.close()
            continue
        for_others = files.is_for_others(handle)
        file.close()
        refusals += 1
        owner = _read(path)
        announced = refusals > 1 and owner is not None and owner.url
        if announced or time.monotonic() >= deadline:
            if for_others:
                raise files.ForeignFileError(_OPEN_TO_OTHERS)
            return None
        time.sleep(_STEP_S)


def _was_open_to_others(path: Path, handle: int) -> bool:
    """Replace a lock file that other users could open, as older versions made it.

    A process that has it open could lock it after us, and be mistaken for us.
    """
    if not files.is_for_others(handle):
        return False
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    return True


def _read(path: Path) -> Owner | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Owner)
    except (OSError, msgspec.DecodeError):
        return None


def _lock(file: BinaryIO, *, shared: bool = False) -> bool:
    """Lock a file unless refused; a shared lock needs no right to write."""
    try:
        if sys.platform == "win32":
            file.seek(_LOCKED_BYTE)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _is_still(path: Path, file: BinaryIO) -> bool:
    """Return whether the locked file is still in place: its last owner may have removed it."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def check_one_name(path: Path) -> None:
    """Refuse a file that a process has open under another name, if the system shows that.

    Linux does, for processes of the same user.

    Raises:
        StoreError: it is open under another name; names that and the process.
    """
    with contextlib.suppress(OSError):
        found = path.stat()
        if found.st_nlink == 1:
            return
        real = path.resolve()
        for handle in _open_files():
            with contextlib.suppress(OSError):  # it was closed in between
                if os.path.samestat(handle.stat(), found) and not _is_same(handle, real):
                    raise StoreError(
                        f"{path}: process {handle.parts[2]} has it open under another name,"
                        f" {handle.readlink()}; recording under both loses data. Use that name,"
                        f" or replace {path.name} with a real copy"
                    )


def _open_files() -> Iterator[Path]:
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            with contextlib.suppress(OSError):  # it has ended, or is another user's
                yield from (process / "fd").iterdir()


def _is_same(handle: Path, path: Path) -> bool:
    """Return whether a file is open by this name in this folder, which may be mounted twice."""
    name = handle.readlink()
    return name.name == path.name and name.parent.samefile(path.parent)
