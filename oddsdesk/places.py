"""Where database, settings and logs live: the user's folders, or `data` beside the program."""

import contextlib
import hashlib
import os
import sys
from functools import cache
from pathlib import Path
from typing import Final

from platformdirs import user_config_path, user_data_path, user_log_path

PROGRAM: Final = "oddsdesk"
PORTABLE: Final = "data"
"""A folder of this name beside a bundled program keeps all that the program keeps."""


@cache
def portable_folder() -> Path | None:
    """Return the folder ``data`` beside the program; None where there is none.

    Only a bundle has it: what lies beside an interpreter is not this program's.
    """
    if not getattr(sys, "frozen", False):
        return None
    folder = Path(sys.executable).resolve().parent / PORTABLE
    return folder if folder.is_dir() else None


def default_database() -> Path:
    """Return where the odds are kept when nothing else is said."""
    return (portable_folder() or data_folder()) / "oddsdesk.db"


def data_folder() -> Path:
    """Return the folder of what the user records; it need not exist."""
    return _writable_portable() or user_data_path(PROGRAM, appauthor=False)


def default_ledger() -> Path:
    """Return where the user's bets and presets are kept."""
    return data_folder() / "ledger.db"


def settings_folder() -> Path:
    """Return the folder of settings, layouts and connections; it need not exist."""
    portable = _writable_portable()
    return portable / "settings" if portable else user_config_path(PROGRAM, appauthor=False)


def log_folder() -> Path:
    """Return the folder of the program's log; it need not exist."""
    portable = _writable_portable()
    return portable / "logs" if portable else user_log_path(PROGRAM, appauthor=False)


def access_beside_user(odds_path: Path) -> Path:
    """Return where keys are kept for a database whose own folder cannot be written.

    It is in the user's own folder, and another one for each place of a database.
    """
    place = hashlib.sha256(os.fsencode(odds_path.resolve())).hexdigest()[:12]
    folder = user_data_path(PROGRAM, appauthor=False) / "access"
    return folder / f"{odds_path.stem}-{place}-access{odds_path.suffix}"


def can_write(path: Path) -> bool:
    """Say whether a file can be written and others made beside it, as SQLite needs.

    For a file that does not exist, the nearest folder that does exist is asked.
    """
    if path.exists() and not os.access(path, os.W_OK):
        return False
    folder = path.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK | os.X_OK)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, so that they are there after a power failure, too.

    Raises:
        OSError: it cannot be made.
    """
    missing = [each for each in (path, *path.parents) if not each.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for each in missing:
        sync_folder(each.parent)


def sync_folder(path: Path) -> None:
    """Write through which files a folder holds, where the system lets programs do that."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):  # some file systems refuse it: they keep folders in order
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _writable_portable() -> Path | None:
    folder = portable_folder()
    return folder if folder is not None and os.access(folder, os.W_OK) else None
