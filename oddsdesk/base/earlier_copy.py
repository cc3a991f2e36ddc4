"""The copy of a database before a migration, and how many of them are kept."""

import contextlib
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from oddsdesk import __version__
from oddsdesk.base.files import OWNER_ONLY
from oddsdesk.base.places import sync
from oddsdesk.base.system_errors import error_text

KEPT: Final = 2
SPARE_BYTES: Final = 16 * 2**20
"""Free disk space left besides the copy."""
_UNFINISHED: Final = ".unfinished"
_UTC: Final = "Z"
"""The end of the time in a name."""


class CopyError(Exception):
    """No copy can be made, so the database stays unchanged; one line."""


def keep_copy(path: Path) -> Path:
    """Copy the committed state of a database to the disk; return the copy's path.

    The copy is in the same folder and private, as it may hold keys. The caller holds the
    database's lock.

    Raises:
        CopyError: it cannot be made; nothing is left of it.
    """
    stamp = datetime.now(UTC).strftime(f"%Y%m%dT%H%M%S.%f{_UTC}")
    target = path.with_name(f"{path.name}.before-{__version__}-{stamp}")
    unfinished = target.with_name(target.name + _UNFINISHED)
    try:
        for left in _copies(path, unfinished=True):
            left.unlink(missing_ok=True)
        _make_like(path, unfinished)
        _copy(path, unfinished)
        unfinished.replace(target)
        sync(target.parent)
    except (OSError, sqlite3.Error) as error:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise CopyError(
            f"{path}: was made by an older oddsdesk and stays as it is, since no copy can be made"
            f" before it is brought up to date: {error_text(error)}"
        ) from error
    return target


def forget_older_copies(path: Path) -> None:
    """Remove all but the newest copies of a database."""
    for copy in _copies(path)[:-KEPT]:
        with contextlib.suppress(OSError):
            copy.unlink()


def way_back(path: Path, check: Callable[[Path], object], refusal: type[Exception]) -> str:
    """Return what to add if a database is too new: the newest copy that ``check`` accepts.

    ``refusal`` is its error for one that is also too new. Empty if there is none.
    """
    try:
        copies = _copies(path)
    except OSError:
        return ""
    for copy in reversed(copies):
        with contextlib.suppress(OSError, sqlite3.Error, refusal):
            check(copy)
            return f", or go back to {copy.name} in the same folder (docs/backup.md)"
    return ""


def _copies(path: Path, *, unfinished: bool = False) -> list[Path]:
    """Return the copies of a database in its folder, oldest first.

    SQLite's files of an opened copy (``-wal``, ``-shm``) are left out.
    """
    start, end = f"{path.name}.before-", _UNFINISHED if unfinished else _UTC
    found = [each for each in path.parent.iterdir() if each.name.startswith(start)]
    return sorted(
        (each for each in found if each.name.endswith(end)),
        key=lambda each: each.name.rsplit("-", 1)[-1],
    )


def _make_like(path: Path, target: Path) -> None:
    """Make an empty file of the same owner."""
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    try:
        if sys.platform != "win32" and os.geteuid() == 0:
            owner = path.stat()
            os.fchown(handle, owner.st_uid, owner.st_gid)
    finally:
        os.close(handle)


def _copy(path: Path, target: Path) -> None:
    source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    copy = sqlite3.connect(target, isolation_level=None)
    try:
        ((pages,),) = source.execute("PRAGMA page_count").fetchall()
        ((size,),) = source.execute("PRAGMA page_size").fetchall()
        free = shutil.disk_usage(path.parent).free
        if free < pages * size + SPARE_BYTES:
            needed = (pages * size + SPARE_BYTES - free) / 2**20
            raise OSError(28, f"the disk needs {needed:,.0f} MiB more free space")
        copy.execute("PRAGMA journal_mode = OFF")
        copy.execute("PRAGMA synchronous = OFF")
        source.backup(copy)
    finally:
        copy.close()
        source.close()
    sync(target)
