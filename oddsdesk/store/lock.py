"""The lock of a database: one process at a time serves it."""

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from oddsdesk.places import make_folder
from oddsdesk.private_files import (
    ForeignFileError,
    is_for_others,
    keep_private,
    open_private,
    open_private_to_read,
)
from oddsdesk.store.errors import WHEN_MOVED, StoreError
from oddsdesk.store.hard_links import check_one_name

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LOCKED_BYTE: Final = 1 << 30
"""The byte that is locked, beyond the text: Windows lets nobody read locked bytes."""
ANNOUNCE_LIMIT_S: Final = 2.0
"""How long a process that is just starting has to write down where it answers."""
_STEP_S: Final = 0.05
_OPEN_TO_OTHERS: Final = "is open to all users, as older versions make it"


class Owner(msgspec.Struct, frozen=True):
    """The process that serves a database; ``url`` is empty until it answers."""

    pid: int
    url: str = ""
    access: str = ""
    """The file of its keys; empty until it answers."""
    file: tuple[int, int] | None = None
    """What tells the database's file from any other; None until it answers, and of older ones."""


class DatabaseInUseError(StoreError):
    """Another oddsdesk serves this database; ``owner`` is None where it does not say who."""

    def __init__(self, path: Path, owner: Owner | None) -> None:
        self.owner = owner
        who = "another oddsdesk"
        if owner is not None:
            who += f" (process {owner.pid}{f', {owner.url}' if owner.url else ''})"
        self.who = who
        super().__init__(f"{path}: is served by {who}; use that one, stop it, or give a --database")


class ForeignLockError(DatabaseInUseError):
    """The lock file is another user's: its holder is not trusted with any key (D78)."""

    def __init__(self, path: Path, lock: Path, reason: str) -> None:
        super().__init__(path, None)
        self.args = (
            f"{path}: its lock file {lock.name} {reason}, so another user may hold it; stop the"
            " oddsdesk that serves this database, or remove that file where none does",
        )


class DatabaseLock:
    """Held while a process serves a database. The system frees it when the process dies."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file
        try:
            self.announce("")
        except OSError:  # a full disk
            self.release()
            raise

    def announce(self, url: str, access: Path | None = None) -> None:
        """Write into the lock file where the server answers and where its keys are."""
        self._file.seek(0)
        self._file.truncate()
        where = "" if access is None else str(access.absolute())
        held = file_identity(self._path.with_suffix("")) if url else None
        self._file.write(msgspec.json.encode(Owner(os.getpid(), url, where, held)))
        self._file.flush()

    def release(self) -> None:
        """Release the lock, and remove its file where the system allows that."""
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
    except ForeignFileError as error:
        raise ForeignLockError(odds_path, path, error.reason) from error
    except OSError as error:
        reason = error.strerror or error
        raise StoreError(f"{odds_path}: its lock cannot be made: {reason}") from error
    if lock is None:
        raise DatabaseInUseError(odds_path, _read(path))
    return lock


def take_if_free(odds_path: Path) -> DatabaseLock | None:
    """Lock a database if nobody has it now; does not wait to learn who does.

    Raises:
        StoreError: the lock file cannot be made, or is another user's.
    """
    path = lock_path(odds_path)
    try:
        handle = open_private(path, owned_as=odds_path)
        file = os.fdopen(handle, "r+b")
        if _lock(file) and _is_still(path, file) and not _was_open_to_others(path, handle):
            keep_private(handle, odds_path)
            return DatabaseLock(path, file)
        file.close()
    except ForeignFileError as error:
        raise ForeignLockError(odds_path, path, error.reason) from error
    except OSError as error:
        reason = error.strerror or error
        raise StoreError(f"{odds_path}: its lock cannot be made: {reason}") from error
    return None


def owner_of(odds_path: Path) -> Owner | None:
    """Return who serves a database now, also on a read-only disk; None where nobody does.

    Raises:
        DatabaseInUseError: somebody does, but the lock does not say who, or it is another user's
            and cannot be trusted (``ForeignLockError``).
    """
    path = lock_path(odds_path)
    try:
        handle = open_private_to_read(path, owned_as=odds_path)
    except ForeignFileError as error:
        raise ForeignLockError(odds_path, path, error.reason) from error
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        if _lock(file, shared=True):
            return None
        if is_for_others(handle):
            raise ForeignLockError(odds_path, path, _OPEN_TO_OTHERS)
        owner = _read(path)
    if owner is None:
        raise DatabaseInUseError(odds_path, None)
    return owner


def check_in_place(odds_path: Path) -> None:
    """Refuse a file that is not the one which the server of its database uses.

    What is recorded in a file that was made since, or copied from it, the server does not see.

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
        who = f"process {owner.pid} uses it"
        raise StoreError(f"{odds_path.name} was moved or deleted while {who}; {WHEN_MOVED}")


def file_identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from any other, None where there is none to be seen."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _take(path: Path, odds_path: Path) -> DatabaseLock | None:
    """Take the lock; None once it is clear that another process holds it and where it answers.

    Tried more than once, since ``owner_of`` in another process holds it for a moment.
    """
    deadline = time.monotonic() + ANNOUNCE_LIMIT_S
    refusals = 0
    while True:
        handle = open_private(path, owned_as=odds_path)
        file = os.fdopen(handle, "r+b")
        if _lock(file):
            if _is_still(path, file) and not _was_open_to_others(path, handle):
                keep_private(handle, odds_path)
                return DatabaseLock(path, file)
            file.close()
            continue
        for_others = is_for_others(handle)
        file.close()
        refusals += 1
        owner = _read(path)
        announced = refusals > 1 and owner is not None and owner.url
        if announced or time.monotonic() >= deadline:
            if for_others:
                raise ForeignFileError(_OPEN_TO_OTHERS)
            return None
        time.sleep(_STEP_S)


def _was_open_to_others(path: Path, handle: int) -> bool:
    """Set aside a lock file that others could open, as older versions made it.

    Whoever has it open could lock it after us, and be taken for us.
    """
    if not is_for_others(handle):
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
    """Lock a file unless that is refused; a shared lock needs no right to write."""
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
    """Say whether the locked file is the one at its place: its last owner may have removed it."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
