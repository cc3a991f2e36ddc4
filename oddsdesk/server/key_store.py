"""Which file a server on a file keeps its keys in (D78)."""

import logging
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from oddsdesk.server.settings import Settings
from oddsdesk.store.access import AccessStore, make_access_file, open_access
from oddsdesk.store.access_paths import earlier_access_files, lies_beside
from oddsdesk.store.lock import DatabaseLock, lock_database

_PASSING: Final = "access.db"

_log = logging.getLogger(__name__)


def open_key_store(
    database: Path, settings: Settings, lock: DatabaseLock | None, opened: ExitStack
) -> tuple[AccessStore, Path]:
    """Open the keys of a server on a file and return where they lie; ``opened`` closes them.

    ``lock`` is the database's, None for a read-only one. Without it, and where the settings name
    the file of keys, that file is locked itself.

    Raises:
        StoreError: they cannot be kept; one line that says what to do.
    """
    if lock is None and settings.access is None and not settings.lasting_keys:
        folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="oddsdesk-"))
        path = Path(folder, _PASSING)
        access = open_access(database, path)
    else:
        path = make_access_file(database, settings.access)
        if lock is None or not lies_beside(database, path):
            lock = lock_database(path)
            opened.callback(lock.release)
        access = open_access(database, settings.access, lock=lock)
        _tell_of_earlier(database, path)
    opened.callback(access.close)
    return access, path


def share_key_store(database: Path, settings: Settings) -> tuple[AccessStore, Path]:
    """Open the keys of a server beside the one that guards them; return where they lie.

    Raises:
        StoreError: they cannot be kept; one line that says what to do.
    """
    path = make_access_file(database, settings.access)
    return open_access(database, settings.access), path


def _tell_of_earlier(database: Path, path: Path) -> None:
    for earlier in earlier_access_files(database):
        if earlier != path:
            _log.warning(
                "keys that an older oddsdesk made for %s lie in %s and open nothing here;"
                " use them with --access %s",
                database,
                earlier,
                earlier,
            )
