"""Replacing database files, safe if killed at any point.

A file that is replaced is checkpointed and kept beside under another name; each new one is put
in place by one rename, so that it never meets the write-ahead log of the old one.
"""

import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from oddsdesk.places import sync
from oddsdesk.store.sqlite.recognition import unusable
from oddsdesk.store.unfinished import unfinished_beside

_BESIDE: Final = ("-wal", "-shm", "-journal")
_BUSY_TIMEOUT_S: Final = 1.0
_NO_DATABASE: Final = ("SQLITE_NOTADB", "SQLITE_CORRUPT")


class Move:
    """A file to be put in place, and the name under which the one it replaces is kept."""

    def __init__(self, part: Path, target: Path, odds: Path, moment: str) -> None:
        self.part = part
        self.target = target
        self.is_odds = target == odds
        # The odds that are kept find the keys that are kept: these are named after those.
        rest = target.stem.removeprefix(odds.stem)
        self.kept = target.with_name(f"{odds.stem}-replaced-{moment}{rest}{target.suffix}")

    def keep(self) -> bool:
        """Link what is there to its other name; it also stays where it is."""
        if not self.target.exists():
            return False
        if not self.is_odds or not _linked(self.target, self.kept):
            shutil.copy2(self.target, self.kept)
            sync(self.kept)
        return True

    def put(self) -> None:
        """Replace what is there, without what SQLite keeps beside it."""
        for ending in _BESIDE:
            beside = self.target.with_name(self.target.name + ending)
            if beside.exists():
                beside.replace(self.kept.with_name(self.kept.name + ending))
        _own_as_before(self.part, self.target, keeps_mode=self.is_odds)
        self.part.replace(self.target)
        sync(self.target.parent)


def put_in_place(moves: list[Move]) -> tuple[Path, ...]:
    """Replace all targets, in this order, and return under which names the old ones stay.

    Raises:
        StoreError: another program uses one of them.
        OSError: one cannot be replaced.
    """
    with ExitStack() as held:
        for move in moves:
            held.enter_context(_held_alone(move.target))
        kept = tuple(move.kept for move in moves if move.keep())
        for move in moves:
            move.put()
    return kept


@contextmanager
def _held_alone(path: Path) -> Iterator[None]:
    """Checkpoint a database and lock it, so that nobody writes a log beside the new one.

    A file that is damaged or no database is left alone, and moved with what lies beside it.
    """
    if not _is_database(path):
        yield
        return
    with closing(sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None)) as alone:
        try:
            alone.execute("PRAGMA journal_mode = DELETE").fetchall()
            alone.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            raise unusable(path, error) from error
        if sys.platform == "win32":  # an open file cannot be replaced there, by others neither
            alone.close()
        yield


def _is_database(path: Path) -> bool:
    """Say whether SQLite can read a file without the write-ahead log beside it."""
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as alone:
            alone.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorname", "") in _NO_DATABASE:
            return False
        raise unusable(path, error) from error
    return True


def brought_beside(part: Path, target: Path, opened: ExitStack) -> Path:
    """Return a copy of a file on its target's disk, so that only a rename is left to do."""
    if part.parent.parent == target.parent:
        return part
    beside = opened.enter_context(unfinished_beside(target)) / part.name
    shutil.copy2(part, beside)
    sync(beside)
    return beside


def _linked(path: Path, other: Path) -> bool:
    try:
        os.link(path, other)
    except OSError:  # memory sticks have no links
        return False
    return True


def _own_as_before(part: Path, target: Path, *, keeps_mode: bool) -> None:
    """Give a file the owner and mode of what it replaces, or the owner of its folder."""
    before = (target if target.exists() else target.parent).stat()
    if keeps_mode and target.exists():
        part.chmod(before.st_mode & 0o777)
    if sys.platform != "win32" and os.geteuid() == 0:
        os.chown(part, before.st_uid, before.st_gid)
