"""Syncing the write-ahead log to the disk: a power failure costs a second of changes at most."""

import contextlib
import logging
import os
import threading
from pathlib import Path
from typing import Final

from oddsdesk.places import in_words, sync_folder

SYNC_AFTER_S: Final = 0.5
"""Seconds from the first unsynced commit to the sync: of the one second promised (D77), half is
left for the sync itself."""

_flush: Final = getattr(os, "fdatasync", os.fsync)
_log = logging.getLogger(__name__)


class TimedSync:
    """Syncs the write-ahead log of a file soon after a commit, beside the thread that writes.

    With ``synchronous=NORMAL`` SQLite itself syncs only when it checkpoints. What is synced
    belongs to the file and not to who opened it, so recording does not wait for the disk.
    """

    def __init__(self, path: Path) -> None:
        real = path.resolve()
        self._wal = real.with_name(f"{real.name}-wal")
        self._folder_is_synced = False
        self._failed = False
        self._has_commits = False
        self._wanted = threading.Event()
        self._wanted.set()  # opening a file may have written to it
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="store sync", daemon=True)
        self._thread.start()

    def committed(self) -> None:
        """Note a commit; takes next to no time."""
        self._has_commits = True
        self._wanted.set()

    def sync(self) -> None:
        """Sync what was committed until now, and wait for the disk.

        Raises:
            OSError: that is not possible; what was committed may be lost if power fails.
        """
        with contextlib.suppress(FileNotFoundError):  # it was copied into the file, and synced
            self._write_through()

    def close(self) -> None:
        """Sync what is left and end; may be called twice."""
        self._closing.set()
        self._wanted.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._wanted.wait()
            self._closing.wait(SYNC_AFTER_S)
            self._wanted.clear()
            self._sync()

    def _sync(self) -> None:
        try:
            self._write_through()
            self._failed = False
        except FileNotFoundError:
            return  # who closes the file last has written the log into it, synced, and removed it
        except OSError as error:
            if not self._has_commits:  # there are no changes of this process
                return
            if not self._failed:
                why = in_words(error)
                _log.error("the last changes may be lost if power fails: %s: %s", self._wal, why)
            self._failed = True

    def _write_through(self) -> None:
        log = os.open(self._wal, os.O_RDWR | getattr(os, "O_BINARY", 0))
        try:
            _flush(log)
        finally:
            os.close(log)
        if not self._folder_is_synced:
            sync_folder(self._wal.parent)
            self._folder_is_synced = True
