"""The files of an archive by their names alone, for programs without pyarrow, too."""

import logging
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from oddsdesk.base.places import how_to_install
from oddsdesk.base.texts import N_
from oddsdesk.store.spans import ArchivedDatabase

if TYPE_CHECKING:
    from oddsdesk.archive.older import ArchivedLog

_NAME: Final = r"([0-9]{2})h-([0-9]+)-([0-9]+)-([0-9]+)\.parquet"


class ArchivedFile(NamedTuple):
    """A file of the archive, with the rows in its name."""

    shard: int
    first: int
    last: int
    path: Path


def archived_files(folder: Path, shard: int | None = None) -> list[ArchivedFile]:
    """Return the files in an archive's folder, of a shard or of all, in order."""
    found = []
    for path in folder.glob("date=*/*.parquet"):
        named = re.fullmatch(_NAME, path.name)
        if named is not None and shard in (None, int(named[2])):
            found.append(ArchivedFile(int(named[2]), int(named[3]), int(named[4]), path))
    return sorted(found)


def by_day(files: Iterable[ArchivedFile]) -> list[list[ArchivedFile]]:
    """Return files by their folders."""
    days: defaultdict[Path, list[ArchivedFile]] = defaultdict(list)
    for file in files:
        days[file.path.parent].append(file)
    return list(days.values())


class ArchiveError(Exception):
    """The archive cannot be used as it is; the message is one line with the reason."""


_log = logging.getLogger(__name__)


class LookingBack:
    """``store.spans.FindOlder``: the archive in the database's settings, or the given one.

    ``unreadable`` is a line for the user about what is missing, empty if nothing is.
    """

    def __init__(
        self, folder: Path | None = None, tell: Callable[[str], object] = _log.warning
    ) -> None:
        self._told = folder
        self._tell = tell
        self._lock = threading.Lock()
        self._at: Path | None = None
        self._found: ArchivedLog | None = None
        self.folder: Path | None = None
        """Its folder, once requested; None if it cannot be read."""
        self.unreadable = ""

    def __call__(self, database: ArchivedDatabase) -> "ArchivedLog | None":
        """Return it, None if there is none or it cannot be read."""
        named = database.archive() if self._told is None else None
        folder = self._told if named is None else Path(named)
        if folder is None:
            return None
        with self._lock:
            if folder != self._at or self._found is None:
                self._open(folder, database)
            return self._found

    def _open(self, folder: Path, database: ArchivedDatabase) -> None:
        why = self._why_not(folder, database)
        if why and why != self.unreadable:
            self._tell(why)
        self.unreadable, self._at, self._found, self.folder = why, folder, None, None
        if not why and find_spec("pyarrow") is not None:
            from oddsdesk.archive.older import ArchivedLog  # noqa: PLC0415 - pyarrow is an extra

            self._found, self.folder = ArchivedLog(folder), folder

    def _why_not(self, folder: Path, database: ArchivedDatabase) -> str:
        """Return why an archive cannot be read, if so."""
        if not folder.is_dir():
            is_new = self._told is not None  # it is made with the first hour
            return "" if is_new else N_(f"older odds are in the archive {folder}, which is missing")
        files = archived_files(folder)
        if any(file.last > database.last_seq(file.shard) for file in files):
            return f"{folder}: has newer rows than the database; is it from another database?"
        if files and find_spec("pyarrow") is None:
            return N_(
                f"older prices are in the archive {folder}, and cannot be read without pyarrow:"
                f" {how_to_install('archive')}"
            )
        return ""
