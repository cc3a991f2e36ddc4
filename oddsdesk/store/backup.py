"""A copy of a database while it is in use, whole or not there at all."""

import sqlite3
from pathlib import Path
from typing import Final

from oddsdesk.store.errors import StoreError

PAGES_A_STEP: Final = 1_000
"""Recording goes on between the steps of a copy."""


def backup(path: Path, target: Path) -> None:
    """Copy a database to a new file; an older copy there is replaced once this one is whole.

    Raises:
        StoreError: one of the two files cannot be used; says why in one line.
    """
    unfinished = target.with_name(f"{target.name}.unfinished")
    try:
        source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        try:
            unfinished.unlink(missing_ok=True)
            _copy(source, unfinished)
        finally:
            source.close()
        unfinished.replace(target)
    except (OSError, sqlite3.Error) as error:
        unfinished.unlink(missing_ok=True)
        raise StoreError(f"{path}: cannot be copied to {target} ({error})") from error


def _copy(source: sqlite3.Connection, target: Path) -> None:
    copy = sqlite3.connect(target)
    try:
        source.backup(copy, pages=PAGES_A_STEP)
    finally:
        copy.close()
