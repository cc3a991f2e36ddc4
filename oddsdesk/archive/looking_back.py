"""Finding the archive of a database for its readers, and saying once why it cannot be read."""

import logging
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from oddsdesk.archive.files import archived_files
from oddsdesk.installed import how_to_install
from oddsdesk.store.older import ArchivedDatabase

if TYPE_CHECKING:
    from oddsdesk.archive.older import ArchivedLog

_log = logging.getLogger(__name__)


class LookingBack:
    """``store.older.FindOlder``: the archive that the database names, or that one is told of.

    ``unreadable`` is a line for who is shown what there is without it, empty where nothing lacks.
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
        """Where it is, once it was asked for; None where it cannot be read."""
        self.unreadable = ""

    def __call__(self, database: ArchivedDatabase) -> "ArchivedLog | None":
        """Return it, None where there is none or it cannot be read."""
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
            return "" if is_new else f"older prices are in the archive {folder}, which is not here"
        files = archived_files(folder)
        if any(file.last > database.last_seq(file.shard) for file in files):
            return f"{folder}: goes further than the database; is it another's archive?"
        if files and find_spec("pyarrow") is None:
            return (
                f"older prices are in the archive {folder}, and cannot be read without pyarrow:"
                f" {how_to_install('archive')}"
            )
        return ""
