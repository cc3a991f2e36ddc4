"""A copy of one SQLite file while others write to it."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from oddsdesk.places import sync
from oddsdesk.store.errors import StoreError
from oddsdesk.store.sqlite.database import connect_to_copy
from oddsdesk.store.unfinished import OWNER_ONLY

PAGES_A_STEP: Final = 1_000
"""8 MB: after each step progress is reported, and the copy can be cancelled."""

_OPERATIONS: Final = 100_000
"""SQLite's operations between two calls of ``progress``: some milliseconds."""

Progress = Callable[[int], None]
"""Called with the bytes done since the last call; what it raises ends the work."""


def silent(_done: int) -> None:
    """Report no progress."""


def copy_database(source: Path, copy: Path, progress: Progress = silent) -> None:
    """Copy the state of a database at one moment to a new file, and sync that to the disk.

    The steps share one snapshot: without it each commit of another process begins the copy
    anew. Writers do not wait for it; only their write-ahead log grows until the last step.

    Raises:
        StoreError: there is no such database.
        OSError, sqlite3.Error: one of the two files cannot be used.
    """
    copy.touch(OWNER_ONLY, exist_ok=False)
    with closing(connect_to_copy(source)) as original:
        original.execute("BEGIN")
        (size,) = original.execute("PRAGMA page_size").fetchall()[0]
        original.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        with closing(sqlite3.connect(copy, isolation_level=None)) as written:
            # Synced once, when writers need no longer be held up by the snapshot.
            written.execute("PRAGMA synchronous = OFF")
            written.execute("PRAGMA journal_mode = OFF")
            _run(original, written, int(size), progress)
    # A copy at rest needs no log beside it, which could not be made where nobody may write.
    with closing(sqlite3.connect(copy, isolation_level=None)) as written:
        written.execute("PRAGMA journal_mode = DELETE").fetchall()
    sync(copy)


def look_through(path: Path, name: Path, progress: Progress = silent) -> None:
    """Check all of a copy for damage; ``name`` is what it was copied from.

    ``progress`` is called with 0 meanwhile, so that it can end this, too.

    Raises:
        StoreError: it is damaged.
        sqlite3.Error: it cannot be read.
    """
    broken_off: list[BaseException] = []

    def ask() -> bool:
        try:
            progress(0)
        except BaseException as error:  # noqa: BLE001 - raised below: SQLite would swallow it
            broken_off.append(error)
        return bool(broken_off)

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.set_progress_handler(ask, _OPERATIONS)
        try:
            found = connection.execute("PRAGMA quick_check(1)").fetchall()
        except sqlite3.OperationalError:
            if broken_off:
                raise broken_off[0] from None
            raise
    if found != [("ok",)]:
        problem = " ".join(str(found[0][0]).split())
        raise StoreError(f"{name}: is damaged ({problem})")


def _run(
    original: sqlite3.Connection, written: sqlite3.Connection, page_bytes: int, progress: Progress
) -> None:
    done = 0

    def after_each_step(_status: int, remaining: int, total: int) -> None:
        nonlocal done
        progress((total - remaining - done) * page_bytes)
        done = total - remaining

    original.backup(written, pages=PAGES_A_STEP, progress=after_each_step)
