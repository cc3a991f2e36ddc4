"""Where database, settings and logs live: the user's folders, or `data` beside the program."""

import contextlib
import errno
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from platformdirs import user_config_path, user_data_path, user_log_path

PROGRAM: Final = "oddsdesk"
_OWN_FOLDER: Final = 0o700
_SHARED_FOLDER: Final = 0o770
"""Less the user's umask."""
READ_ONLY_DISK: Final = "the file system is read-only"
_TRIED_BYTES: Final = 4_096
PORTABLE: Final = "data"
"""A folder of this name beside a bundled program keeps all that the program keeps."""


class NoHomeError(Exception):
    """There is no home, and nothing else names a folder; one line."""

    def __init__(self) -> None:
        super().__init__("HOME is not set, so there is no folder of the user's own")


@cache
def portable_folder() -> Path | None:
    """Return the folder ``data`` beside the program; None where there is none.

    Only a bundle has it: what lies beside an interpreter is not this program's.
    """
    if not getattr(sys, "frozen", False):
        return None
    folder = Path(sys.executable).resolve().parent / PORTABLE
    return folder if folder.is_dir() else None


def home_folder() -> Path | None:
    """Return the user's home, None where ``HOME`` names none.

    The password database is not asked: a program without a home was not meant to have that one.
    """
    if sys.platform == "win32":
        return Path.home()
    named = Path(os.environ.get("HOME", ""))
    return named if named.is_absolute() else None


def default_database() -> Path:
    """Return where the odds are kept when nothing else is said.

    Raises:
        NoHomeError: there is no home to keep them in.
    """
    return (portable_folder() or data_folder()) / "oddsdesk.db"


def data_folder() -> Path:
    """Return the folder of what the user records; it need not exist.

    Raises:
        NoHomeError: there is no home to have it in.
    """
    return _writable_portable() or _of_user(user_data_path, "XDG_DATA_HOME")


def default_ledger() -> Path:
    """Return where the user's bets and presets are kept."""
    return data_folder() / "ledger.db"


def settings_folder() -> Path:
    """Return the folder of settings, layouts and connections; it need not exist.

    Raises:
        NoHomeError: there is no home to have it in.
    """
    portable = _writable_portable()
    return portable / "settings" if portable else _of_user(user_config_path, "XDG_CONFIG_HOME")


def log_folder() -> Path:
    """Return the folder of the program's log; it need not exist.

    Raises:
        NoHomeError: there is no home to have it in.
    """
    portable = _writable_portable()
    return portable / "logs" if portable else _of_user(user_log_path, "XDG_STATE_HOME")


def earlier_access(odds_path: Path) -> Path | None:
    """Return where versions before D78 kept keys of a database that they could not write."""
    try:
        folder = _of_user(user_data_path, "XDG_DATA_HOME") / "access"
    except NoHomeError:
        return None
    place = hashlib.sha256(os.fsencode(odds_path.resolve())).hexdigest()[:12]
    return folder / f"{odds_path.stem}-{place}-access{odds_path.suffix}"


def can_write(path: Path) -> bool:
    """Say whether a file can be written and others made beside it, as SQLite needs.

    For a file that does not exist, or may not be looked for, the nearest folder that does is asked.
    """
    if os.access(path, os.F_OK) and not os.access(path, os.W_OK):
        return False
    return os.access(_nearest_folder(path), os.W_OK | os.X_OK)


def refused_write(path: Path) -> OSError | None:
    """Write a block beside a file, which leaves nothing; return the system's refusal, if any.

    Only a write tells: ext4 that met an error calls itself writable and refuses (Linux 6.16).
    Takes a third of a millisecond, or as long as the disk does.
    """
    try:
        with tempfile.TemporaryFile(dir=_nearest_folder(path), buffering=0) as file:
            file.write(bytes(_TRIED_BYTES))
    except OSError as error:
        return error
    return None


def in_words(error: OSError) -> str:
    """Return the system's refusal in words, without the path."""
    return READ_ONLY_DISK if error.errno == errno.EROFS else error.strerror or str(error)


def is_on_read_only_disk(path: Path) -> bool:
    """Say whether nothing can be written beside a file because its file system is read-only."""
    refusal = refused_write(path)
    return refusal is not None and refusal.errno == errno.EROFS


def cannot_be_written(path: Path) -> str:
    """Say that a file cannot be written, and why or what to look at."""
    if is_on_read_only_disk(path):
        return f"cannot be written: {READ_ONLY_DISK}"
    return "cannot be written; check the rights of the file and its folder"


def _nearest_folder(path: Path) -> Path:
    """Return the folder of a file, or the nearest one above that is there."""
    folder = path.parent
    while not os.access(folder, os.F_OK) and folder != folder.parent:
        folder = folder.parent
    return folder


def make_folder(path: Path) -> None:
    """Make a folder and those above it, so that they are there after a power failure, too.

    Those that it makes are their owner's alone, unless they lie in one that a group shares.

    Raises:
        OSError: it cannot be made.
    """
    missing = [each for each in (path, *path.parents) if not each.exists()]
    for each in reversed(missing):
        mode = _SHARED_FOLDER if is_of_group(each.parent.stat()) else _OWN_FOLDER
        each.mkdir(mode, exist_ok=True)
    path.mkdir(exist_ok=True)  # a file in its place is refused
    for each in missing:
        sync_folder(each.parent)


def is_of_group(folder: os.stat_result) -> bool:
    """Say whether a group shares a folder on purpose: it may write there, and others may not."""
    return bool(folder.st_mode & stat.S_IWGRP) and not folder.st_mode & stat.S_IWOTH


def sync(path: Path) -> None:
    """Wait until a file is on the disk, or what a folder lists (where the system can say so).

    Raises:
        OSError: it cannot be made sure of.
    """
    if sys.platform == "win32" and path.is_dir():
        return
    # Windows syncs only what is open for writing.
    handle = os.open(path, os.O_RDWR if sys.platform == "win32" else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Wait until what a folder lists is on the disk, where the file system knows of that."""
    with contextlib.suppress(OSError):  # those that refuse it keep folders in order
        sync(path)


def _writable_portable() -> Path | None:
    folder = portable_folder()
    return folder if folder is not None and os.access(folder, os.W_OK) else None


def _of_user(folder: Callable[..., Path], variable: str) -> Path:
    """Return one of the user's folders, which a variable of its own may name without a home."""
    named = sys.platform != "darwin" and Path(os.environ.get(variable, "").strip()).is_absolute()
    if home_folder() is None and not named:
        raise NoHomeError
    return folder(PROGRAM, appauthor=False)
