"""Noticing that a database is open under another name: a hard link has a log of its own.

What is in that log is lost where two names are written, says SQLite's "How To Corrupt" (2.4).
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from oddsdesk.store.errors import StoreError


def check_one_name(path: Path) -> None:
    """Refuse a file that a process has open under another name, as far as the system tells.

    That is Linux, of processes of the same user.

    Raises:
        StoreError: so it is; says which name and process.
    """
    with contextlib.suppress(OSError):
        found = path.stat()
        if found.st_nlink == 1:
            return
        real = path.resolve()
        for handle in _open_files():
            with contextlib.suppress(OSError):  # it was closed meanwhile
                if os.path.samestat(handle.stat(), found) and not _is_same(handle, real):
                    raise StoreError(
                        f"{path}: is open as {handle.readlink()} in process {handle.parts[2]}, and"
                        " what one name records the other loses; use that name, or make"
                        f" {path.name} a copy of its own"
                    )


def _open_files() -> Iterator[Path]:
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            with contextlib.suppress(OSError):  # it has ended, or is another user's
                yield from (process / "fd").iterdir()


def _is_same(handle: Path, path: Path) -> bool:
    """Say whether a file is open by this name in this folder, which may be mounted twice."""
    name = handle.readlink()
    return name.name == path.name and name.parent.samefile(path.parent)
