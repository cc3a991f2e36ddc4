"""Opening the files of a database for a server: odds, keys, and the lock."""

import contextlib
import logging
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from oddsdesk.archive.folder import LookingBack
from oddsdesk.base.clock import Clock
from oddsdesk.base.places import can_write
from oddsdesk.server.settings import Role, Settings
from oddsdesk.store.access import AccessStore, make_access_file, open_access
from oddsdesk.store.databases import earlier_access_files, has_file, is_next_to_odds
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.lock import DatabaseLock, lock_database
from oddsdesk.store.owner_secret import OwnerSecret
from oddsdesk.store.store import Store, open_store

_log = logging.getLogger(__name__)


class ServerFiles(contextlib.ExitStack):
    """The files of a database, closed in order; ``lock`` is None if they are read-only."""

    lock: DatabaseLock | None
    store: Store
    access: AccessStore
    keys_path: Path


def open_files(settings: Settings, clock: Clock) -> ServerFiles:
    """Open a database and its keys for the process that has the lock.

    Raises:
        StoreError: one line with the reason; ``DatabaseInUseError`` if another
            process holds the lock.
    """
    database = settings.database
    assert isinstance(database, Path)
    with ServerFiles() as opened:
        lock = opened.lock = _lock(database)
        if lock is not None:
            opened.callback(lock.release_lock)
        opened.store = open_store(
            database,
            settings.reference,
            read_only=lock is None,
            durable=settings.durable,
            lock=lock,
            share=settings.shared_sources,
            clock=clock,
            find_older=LookingBack(settings.archive),
        )
        opened.callback(opened.store.close)
        if settings.keep_days is not None:
            opened.store.keep_log(settings.keep_days).result()
        value_by(opened.store, settings)
        opened.access, opened.keys_path = open_key_store(database, settings, lock, opened)
        if lock is None:
            _log.warning("%s is read-only: nothing is recorded or removed", database)
        else:
            OwnerSecret(database).make()
        kept = opened.pop_all()
        kept.lock, kept.keys_path = lock, opened.keys_path
        kept.store, kept.access = opened.store, opened.access
        return kept


def value_by(store: Store, settings: Settings) -> None:
    """Drop value bets found with another devig method or sharp book, before anyone reads them."""
    if Role.VALUATION in settings.roles and not store.is_read_only:
        with contextlib.suppress(StoreUnavailableError):  # then they go as games are valued
            store.value_by(f"{settings.devig_method} of {store.reference}").result()


def _lock(database: Path) -> DatabaseLock | None:
    """Lock the database; None if it is read-only."""
    if not has_file(database) or can_write(database):
        return lock_database(database)
    return None


_PASSING: Final = "access.db"


def open_key_store(
    database: Path, settings: Settings, lock: DatabaseLock | None, opened: ExitStack
) -> tuple[AccessStore, Path]:
    """Open the keys of a server on a file and return their path; ``opened`` closes them.

    ``lock`` is the database's, None for a read-only one. Without it, or with a key file in the
    settings, the key file itself is locked.

    Raises:
        StoreError: they cannot be saved; one line with what to do.
    """
    if lock is None and settings.access is None and not settings.lasting_keys:
        folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="oddsdesk-"))
        path = Path(folder, _PASSING)
        access = open_access(database, path)
    else:
        path = make_access_file(database, settings.access)
        if lock is None or not is_next_to_odds(database, path):
            lock = lock_database(path)
            opened.callback(lock.release_lock)
        access = open_access(database, settings.access, lock=lock)
        _log_earlier_database(database, path)
    opened.callback(access.close)
    return access, path


def _log_earlier_database(database: Path, path: Path) -> None:
    for earlier in earlier_access_files(database):
        if earlier != path:
            _log.warning(
                "an older oddsdesk kept the keys of %s in %s; they are not used here;"
                " to use them: --access %s",
                database,
                earlier,
                earlier,
            )
