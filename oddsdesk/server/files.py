"""Opening the files of a database for a server: odds, keys, and the lock."""

import contextlib
import logging
from pathlib import Path

from oddsdesk.clock import Clock
from oddsdesk.places import can_write
from oddsdesk.server.key_store import open_key_store, share_key_store
from oddsdesk.server.settings import Settings
from oddsdesk.store.access import AccessStore
from oddsdesk.store.access_paths import lies_beside
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import DatabaseLock, lock_database, take_if_free
from oddsdesk.store.store import Store, open_store

_log = logging.getLogger(__name__)


class ServerFiles(contextlib.ExitStack):
    """The files of a database, closed in order; ``lock`` is None for who does nothing alone."""

    lock: DatabaseLock | None
    store: Store
    access: AccessStore
    keys_path: Path


def open_files(settings: Settings, clock: Clock) -> ServerFiles:
    """Open everything for a process that serves alone, or beside the one that has the lock.

    Raises:
        StoreError: one line that says what cannot be used; ``DatabaseInUseError`` where another
            process holds the lock that this one needs.
    """
    if not settings.needs_lock:
        return open_shared(settings, clock)
    with ServerFiles() as opened:
        lock = opened.lock = _lock(settings.database)
        if lock is not None:
            opened.callback(lock.release)
        opened.store = open_store(
            settings.database,
            settings.reference,
            read_only=lock is None,
            durable=settings.durable,
            lock=lock,
            share=settings.told,
            clock=clock,
        )
        opened.callback(opened.store.close)
        if settings.keep_days is not None:
            opened.store.keep_log(settings.keep_days).result()
        opened.access, opened.keys_path = open_key_store(settings, lock, opened)
        return _kept(opened)


def open_shared(settings: Settings, clock: Clock) -> ServerFiles:
    """Open odds and keys beside the process that has the lock, which makes them.

    What is posted to this process it records itself, as other programs beside a server do.

    Raises:
        StoreError: one line that says what cannot be used.
    """
    database = settings.database
    if not database.exists():
        who = "who runs valuation, upkeep or feeds makes it"
        raise StoreError(f"{database}: there is no such database yet; {who}")
    with ServerFiles() as opened:
        opened.lock = None
        opened.store = open_store(
            database,
            read_only=not can_write(database),
            durable=settings.durable,
            share=settings.told,
            clock=clock,
        )
        opened.callback(opened.store.close)
        opened.access, opened.keys_path = share_key_store(settings)
        opened.callback(opened.access.close)
        return _kept(opened)


class Locks(contextlib.ExitStack):
    """The locks of a database and, where they lie elsewhere, of its keys."""

    lock: DatabaseLock


def lock_if_free(database: Path, keys_path: Path) -> Locks | None:
    """Take the locks if nobody has them.

    Raises:
        StoreError: a lock file cannot be made.
    """
    with Locks() as taken:
        for path in (database, *(() if lies_beside(database, keys_path) else (keys_path,))):
            lock = take_if_free(path)
            if lock is None:
                return None
            taken.callback(lock.release)
            taken.lock = lock if path == database else taken.lock
        kept = taken.pop_all()
        kept.lock = taken.lock
        return kept


def _kept(opened: ServerFiles) -> ServerFiles:
    kept = opened.pop_all()
    kept.lock, kept.store, kept.access = opened.lock, opened.store, opened.access
    kept.keys_path = opened.keys_path
    return kept


def _lock(database: Path) -> DatabaseLock | None:
    """Lock the database; None for one that can only be read."""
    if can_write(database) or not database.exists():
        return lock_database(database)
    _log.warning("%s cannot be written: it is served as it is", database)
    return None
