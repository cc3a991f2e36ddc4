"""Opening the files of a database for a server: odds, keys, and the lock."""

import contextlib
import logging
from pathlib import Path

from oddsdesk.archive.looking_back import LookingBack
from oddsdesk.clock import Clock
from oddsdesk.places import can_write
from oddsdesk.server.key_store import open_key_store, share_key_store
from oddsdesk.server.settings import Role, Settings
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.access_paths import lies_beside
from oddsdesk.store.databases import DatabaseUrl, has_file
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.leases import Lease, leases_of
from oddsdesk.store.lock import DatabaseLock, lock_database, take_if_free
from oddsdesk.store.owner_secret import OwnerSecret
from oddsdesk.store.store import Store, open_store

_log = logging.getLogger(__name__)


class ServerFiles(contextlib.ExitStack):
    """The files of a database, closed in order, or its connections.

    ``lease`` is what only one process has at a time, None for who does nothing alone; ``keys_path``
    is None where the keys lie in the database.
    """

    lease: Lease | None
    store: Store
    access: AccessStore
    keys_path: Path | None


def open_files(settings: Settings, clock: Clock) -> ServerFiles:
    """Open everything for a process that serves alone, or beside the one that has the lock.

    Raises:
        StoreError: one line that says what cannot be used; ``DatabaseInUseError`` where another
            process holds the lock that this one needs. Of a database behind a URL that one stands
            by instead, and has the lease once it is free.
    """
    database = settings.database
    if isinstance(database, DatabaseUrl):
        return _open_url(database, settings, clock)
    if not settings.needs_lock:
        return open_shared(settings, clock)
    with ServerFiles() as opened:
        lock = _lock(database)
        if lock is not None:
            opened.callback(lock.release)
        opened.store = open_store(
            database,
            settings.reference,
            read_only=lock is None,
            durable=settings.durable,
            lock=lock,
            share=settings.told,
            clock=clock,
            find_older=LookingBack(settings.archive),
        )
        opened.callback(opened.store.close)
        if settings.keep_days is not None:
            opened.store.keep_log(settings.keep_days).result()
        _value_by(opened.store, settings)
        opened.access, opened.keys_path = open_key_store(database, settings, lock, opened)
        opened.lease = None if lock is None else FileLease(database, opened.keys_path, lock)
        if lock is None:
            _log.warning("%s cannot be written: it is served as it is", database)
        else:
            OwnerSecret(database).make()
        return _kept(opened)


def open_shared(settings: Settings, clock: Clock) -> ServerFiles:
    """Open odds and keys beside the process that has the lock, which makes them.

    What is posted to this process it records itself, as other programs beside a server do.

    Raises:
        StoreError: one line that says what cannot be used.
    """
    database = settings.database
    if isinstance(database, DatabaseUrl):
        return _open_url(database, settings, clock)
    if not has_file(database):
        who = "who runs valuation, upkeep or feeds makes it"
        raise StoreError(f"{database}: there is no such database yet; {who}")
    with ServerFiles() as opened:
        opened.store = open_store(
            database,
            read_only=not can_write(database),
            durable=settings.durable,
            share=settings.told,
            clock=clock,
            find_older=LookingBack(settings.archive),
        )
        opened.callback(opened.store.close)
        opened.access, opened.keys_path = share_key_store(database, settings)
        opened.callback(opened.access.close)
        opened.lease = None
        if not opened.store.is_read_only:
            OwnerSecret(database).make()
        if settings.needs_lock and not opened.store.is_read_only:
            lease = opened.lease = FileLease(database, opened.keys_path)
            opened.callback(lease.release)
        return _kept(opened)


def _open_url(database: DatabaseUrl, settings: Settings, clock: Clock) -> ServerFiles:
    """Open odds and keys of a database that any number of processes record into."""
    with ServerFiles() as opened:
        opened.store = open_store(
            database,
            settings.reference,
            share=settings.told,
            clock=clock,
            find_older=LookingBack(settings.archive),
            shards=settings.shards,
        )
        opened.callback(opened.store.close)
        if settings.keep_days is not None:
            opened.store.keep_log(settings.keep_days).result()
        _value_by(opened.store, settings)
        opened.access, opened.keys_path = open_access(database, settings.access), None
        opened.callback(opened.access.close)
        opened.lease = None
        if settings.needs_lock:
            lease = opened.lease = leases_of(database, settings.run_once)
            opened.callback(lease.release)
        return _kept(opened)


def _value_by(store: Store, settings: Settings) -> None:
    """Drop value bets that were found by another method or reference, before anybody asks."""
    if Role.VALUATION in settings.roles and not store.is_read_only:
        with contextlib.suppress(StoreUnavailableError):  # then they go as games are valued
            store.value_by(f"{settings.devig_method} of {store.reference}").result()


class FileLease:
    """``store.leases.Lease``: the locks of a file and, where they lie elsewhere, of its keys.

    ``lock`` is the database's where this process holds all of them already; it is released by
    whoever took it.
    """

    is_for_good = True

    def __init__(self, database: Path, keys_path: Path, lock: DatabaseLock | None = None) -> None:
        self._paths = (database, keys_path)
        self._lock = lock
        self._locks: Locks | None = None

    def take(self) -> bool:
        """Take the locks if nobody has them."""
        locks = self._locks = lock_if_free(*self._paths)
        self._lock = None if locks is None else locks.lock
        return locks is not None

    def is_held(self) -> bool:
        """Say whether this process holds them."""
        return self._lock is not None

    def announce(self, url: str, access: Path | None = None) -> None:
        """Write into the lock file where the server answers."""
        if self._lock is not None:
            self._lock.announce(url, access)

    def release(self) -> None:
        """Let go what ``take`` took."""
        if self._locks is not None:
            self._locks.close()
            self._locks = self._lock = None


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
    kept.lease, kept.store, kept.access = opened.lease, opened.store, opened.access
    kept.keys_path = opened.keys_path
    return kept


def _lock(database: Path) -> DatabaseLock | None:
    """Lock the database; None for one that can only be read."""
    if not has_file(database) or can_write(database):
        return lock_database(database)
    return None
