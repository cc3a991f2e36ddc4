"""Where database, settings and logs are: user folders, or `data` next to the program."""

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
from typing import TYPE_CHECKING, Final

from platformdirs import user_config_path, user_data_path, user_log_path

from oddsdesk.base.system_errors import READ_ONLY_DISK
from oddsdesk.base.texts import N_

if TYPE_CHECKING:
    from importlib.metadata import Distribution

PROGRAM: Final = "oddsdesk"
_OWN_FOLDER: Final = 0o700
_SHARED_FOLDER: Final = 0o770
"""Less the user's umask."""
_TRIED_BYTES: Final = 4_096
PORTABLE: Final = "data"
"""The folder next to a bundled program for all its files (portable mode)."""


class NoHomeError(Exception):
    """There is no home folder, and nothing else names a folder; one line."""

    def __init__(self) -> None:
        super().__init__("HOME is not set, so there is no user folder")


@cache
def portable_folder() -> Path | None:
    """Return the folder ``data`` next to the program; None without one.

    Only for bundles: a folder next to an interpreter does not belong to this program.
    """
    if not getattr(sys, "frozen", False):
        return None
    folder = Path(sys.executable).resolve().parent / PORTABLE
    return folder if folder.is_dir() else None


def home_folder() -> Path | None:
    """Return the user's home, None without ``HOME``.

    The password database is not used: a program without a home was not meant to have that one.
    """
    if sys.platform == "win32":
        return Path.home()
    named = Path(os.environ.get("HOME", ""))
    return named if named.is_absolute() else None


def default_database() -> Path:
    """Return the default path of the odds.

    Raises:
        NoHomeError: there is no home for it.
    """
    return (portable_folder() or data_folder()) / "oddsdesk.db"


def data_folder() -> Path:
    """Return the folder for the user's records; it need not exist.

    Raises:
        NoHomeError: there is no home for it.
    """
    return _writable_portable() or _of_user(user_data_path, "XDG_DATA_HOME")


def default_ledger() -> Path:
    """Return the path of the user's bets and presets."""
    return data_folder() / "ledger.db"


def settings_folder() -> Path:
    """Return the folder of settings, layouts and connections; it need not exist.

    Raises:
        NoHomeError: there is no home for it.
    """
    portable = _writable_portable()
    return portable / "settings" if portable else _of_user(user_config_path, "XDG_CONFIG_HOME")


def log_folder() -> Path:
    """Return the folder of the program's log; it need not exist.

    Raises:
        NoHomeError: there is no home for it.
    """
    portable = _writable_portable()
    return portable / "logs" if portable else _of_user(user_log_path, "XDG_STATE_HOME")


def earlier_access(odds_path: Path) -> Path | None:
    """Return where older versions kept keys of a database that they could not write."""
    try:
        folder = _of_user(user_data_path, "XDG_DATA_HOME") / "access"
    except NoHomeError:
        return None
    place = hashlib.sha256(os.fsencode(odds_path.resolve())).hexdigest()[:12]
    return folder / f"{odds_path.stem}-{place}-access{odds_path.suffix}"


def can_write(path: Path) -> bool:
    """Return whether a file and new files in its folder can be written, as SQLite needs.

    For a file that does not exist, or may not be seen, the nearest existing folder counts.
    """
    if os.access(path, os.F_OK) and not os.access(path, os.W_OK):
        return False
    return os.access(_nearest_folder(path), os.W_OK | os.X_OK)


def refused_write(path: Path) -> OSError | None:
    """Test a write in a file's folder, leaving nothing there; return the system's error, if any.

    Only a write is proof: after an error ext4 reports itself writable but refuses (Linux 6.16).
    Takes 0.3 ms, or as long as the disk takes.
    """
    try:
        with tempfile.TemporaryFile(dir=_nearest_folder(path), buffering=0) as file:
            file.write(bytes(_TRIED_BYTES))
    except OSError as error:
        return error
    return None


def is_on_read_only_disk(path: Path) -> bool:
    """Return whether a file's folder is on a read-only file system."""
    refusal = refused_write(path)
    return refusal is not None and refusal.errno == errno.EROFS


def cannot_be_written(path: Path) -> str:
    """Return that a file cannot be written, and why or what to check."""
    if is_on_read_only_disk(path):
        return N_(f"cannot be written: {READ_ONLY_DISK}")
    return N_("cannot be written; check the permissions of the file and its folder")


def _nearest_folder(path: Path) -> Path:
    """Return the folder of a file, or the nearest existing one above it."""
    folder = path.parent
    while not os.access(folder, os.F_OK) and folder != folder.parent:
        folder = folder.parent
    return folder


def make_folder(path: Path) -> None:
    """Make a folder and its parents, so that they survive a power cut.

    New folders are private, unless their parent is shared with a group.

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
    """Return whether a group shares a folder on purpose: it can write there, others cannot."""
    return bool(folder.st_mode & stat.S_IWGRP) and not folder.st_mode & stat.S_IWOTH


def sync(path: Path) -> None:
    """Wait until a file, or a folder's list of files, is on the disk (if the system can tell).

    Raises:
        OSError: that is not certain.
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
    """Wait until a folder's list of files is on the disk, if the file system supports that."""
    with contextlib.suppress(OSError):  # those that refuse it keep folders in order
        sync(path)


def _writable_portable() -> Path | None:
    folder = portable_folder()
    return folder if folder is not None and os.access(folder, os.W_OK) else None


def _of_user(folder: Callable[..., Path], variable: str) -> Path:
    """Return one of the user's folders, which an environment variable may name without a home."""
    named = sys.platform != "darwin" and Path(os.environ.get(variable, "").strip()).is_absolute()
    if home_folder() is None and not named:
        raise NoHomeError
    return folder(PROGRAM, appauthor=False)


_PACKAGE = Path(__file__).resolve().parent.parent


def resource_path(*parts: str) -> Path:
    """Return the path of a file or folder below ``resources``; it need not exist.

    Installed, the folder is in the package; in a checkout, next to it; in a PyInstaller bundle,
    with the bundle's data.
    """
    return _root().joinpath(*parts)


@cache
def _root() -> Path:
    bundle = getattr(sys, "_MEIPASS", None)
    places = [_PACKAGE / "resources"]
    if bundle is not None:
        places.append(Path(bundle) / "resources")
    checkout = _PACKAGE.parent / "resources"
    return next((place for place in places if place.is_dir()), checkout)


DESK: Final = "oddsdesk"
SERVER: Final = "oddsdesk-server"


def distribution() -> str:
    """Return the installed distribution's name: ``oddsdesk``, or the server alone."""
    return _named(_installed())


def how_to_install(extra: str) -> str:
    """Return the command that adds an extra to this installation: in its checkout, if any."""
    found = _installed()
    name = _named(found)
    told = (found[name].read_text("direct_url.json") if name in found else None) or ""
    if '"dir_info"' not in told:  # PEP 610: of a folder
        return f"pip install '{name}[{extra}]'"
    editable = "-e " if '"editable": true' in told else ""
    return f"pip install {editable}'.[{extra}]'"


def _named(found: "dict[str, Distribution]") -> str:
    return SERVER if SERVER in found and DESK not in found else DESK


def _installed() -> "dict[str, Distribution]":
    import importlib.metadata  # noqa: PLC0415 - 25 modules that a hint alone needs

    return {found.name: found for found in importlib.metadata.distributions()}
