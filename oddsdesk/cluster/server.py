"""A server among others: on PostgreSQL, or one of several processes on a file."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

from oddsdesk.archive.folder import LookingBack
from oddsdesk.base.clock import Clock
from oddsdesk.base.places import can_write
from oddsdesk.base.tasks import Jobs, in_daemon_thread
from oddsdesk.cluster.succession import DatabaseWatch, Lease, OwnerWatch, Succession, owner_watch
from oddsdesk.cluster.tails import FollowedLog
from oddsdesk.cluster.valuation import divided_valuing
from oddsdesk.server.gate import LoopAccess
from oddsdesk.server.run.duties import Duties
from oddsdesk.server.run.files import open_files, value_by
from oddsdesk.server.run.runner import OPEN_S, Server
from oddsdesk.server.settings import Settings
from oddsdesk.server.troubles import Telling, Trouble
from oddsdesk.store.access import AccessStore, make_access_file, open_access
from oddsdesk.store.databases import DatabaseUrl, has_file, is_next_to_odds
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import DatabaseLock, take_if_free
from oddsdesk.store.owner_secret import OwnerSecret
from oddsdesk.store.store import Store, open_store


class SharedFiles(contextlib.ExitStack):
    """A database that other processes serve, too, with its keys; all is closed in order.

    ``lease`` makes this process the leader, None for one without such roles; ``keys_path`` is None
    if the keys are in the database.
    """

    lease: Lease | None
    store: Store
    access: AccessStore
    keys_path: Path | None


def open_first(settings: Settings, clock: Clock) -> SharedFiles:
    """Open a database for a process that may make missing tables.

    Raises:
        StoreError: one line with the reason; ``DatabaseInUseError`` if another process holds the
            lock of a file that this one needs. On PostgreSQL a process waits on standby instead.
    """
    database = settings.database
    if isinstance(database, DatabaseUrl) or not settings.needs_lock:
        return open_shared(settings, clock)
    with SharedFiles() as opened:
        files = opened.enter_context(open_files(settings, clock))
        opened.store, opened.access, opened.keys_path = files.store, files.access, files.keys_path
        opened.lease = None
        if files.lock is not None:
            opened.lease = FileLease(database, files.keys_path, files.lock)
        return _kept(opened)


def open_shared(settings: Settings, clock: Clock) -> SharedFiles:
    """Open odds and keys of a database whose leader makes them.

    This process records what is posted to it, as other programs next to a server do.

    Raises:
        StoreError: one line with the reason.
    """
    database = settings.database
    if isinstance(database, DatabaseUrl):
        return _open_url(database, settings, clock)
    if not has_file(database):
        who = "start a server with valuation, upkeep or feeds to make it"
        raise StoreError(f"{database}: no such database yet; {who}")
    with SharedFiles() as opened:
        opened.store = open_store(
            database,
            read_only=not can_write(database),
            durable=settings.durable,
            share=settings.shared_sources,
            clock=clock,
            find_older=LookingBack(settings.archive),
        )
        opened.callback(opened.store.close)
        opened.access, opened.keys_path = _open_keys(database, settings)
        opened.callback(opened.access.close)
        opened.lease = None
        if not opened.store.is_read_only:
            OwnerSecret(database).make()
        if settings.needs_lock and not opened.store.is_read_only:
            lease = opened.lease = FileLease(database, opened.keys_path)
            opened.callback(lease.release_lease)
        return _kept(opened)


def _open_url(database: DatabaseUrl, settings: Settings, clock: Clock) -> SharedFiles:
    """Open odds and keys of a database that any number of processes record into."""
    with SharedFiles() as opened:
        opened.store = open_store(
            database,
            settings.reference,
            share=settings.shared_sources,
            clock=clock,
            find_older=LookingBack(settings.archive),
            shards=settings.shards,
        )
        opened.callback(opened.store.close)
        if settings.keep_days is not None:
            opened.store.keep_log(settings.keep_days).result()
        value_by(opened.store, settings)
        opened.access, opened.keys_path = open_access(database, settings.access), None
        opened.callback(opened.access.close)
        opened.lease = None
        if settings.needs_lock:
            from oddsdesk.cluster.postgres.leases import PostgresLease  # noqa: PLC0415 - an extra

            lease = opened.lease = PostgresLease(database.url, settings.run_once)
            opened.callback(lease.release_lease)
        return _kept(opened)


def _open_keys(database: Path, settings: Settings) -> tuple[AccessStore, Path]:
    """Open the keys of a server that does not guard them; return their path.

    Raises:
        StoreError: they cannot be saved; one line with what to do.
    """
    path = make_access_file(database, settings.access)
    return open_access(database, settings.access), path


class FileLease:
    """``succession.Lease``: the locks of a file and, if separate, of its keys.

    ``lock`` is the database's if this process already holds all of them; it is released by its
    taker.
    """

    is_for_good = True

    def __init__(self, database: Path, keys_path: Path, lock: DatabaseLock | None = None) -> None:
        self._paths = (database, keys_path)
        self._lock = lock
        self._locks: Locks | None = None

    def take_lease(self) -> bool:
        """Take the locks if they are free."""
        locks = self._locks = lock_if_free(*self._paths)
        self._lock = None if locks is None else locks.lock
        return locks is not None

    def is_held(self) -> bool:
        """Say whether this process holds them."""
        return self._lock is not None

    def announce_holder(self, url: str, access: Path | None = None, link_url: str = "") -> None:
        """Write the server's addresses into the lock file."""
        if self._lock is not None:
            self._lock.announce_owner(url, access, link_url)

    def release_lease(self) -> None:
        """Release what ``take_lease`` took."""
        if self._locks is not None:
            self._locks.close()
            self._locks = self._lock = None


class Locks(contextlib.ExitStack):
    """The locks of a database and, if separate, of its keys."""

    lock: DatabaseLock


def lock_if_free(database: Path, keys_path: Path) -> Locks | None:
    """Take the locks if they are free.

    Raises:
        StoreError: a lock file cannot be made.
    """
    with Locks() as taken:
        for path in (database, *(() if is_next_to_odds(database, keys_path) else (keys_path,))):
            lock = take_if_free(path)
            if lock is None:
                return None
            taken.callback(lock.release_lock)
            taken.lock = lock if path == database else taken.lock
        kept = taken.pop_all()
        kept.lock = taken.lock
        return kept


def _kept(opened: SharedFiles) -> SharedFiles:
    kept = opened.pop_all()
    kept.lease, kept.store, kept.access = opened.lease, opened.store, opened.access
    kept.keys_path = opened.keys_path
    return kept


class Watches:
    """What an answering process watches: its database, and the roles of other processes."""

    def __init__(self, store: Store, access: LoopAccess, settings: Settings) -> None:
        self._database = DatabaseWatch(store, access) if store.path is None else None
        self._owner: OwnerWatch | None = None
        if settings.listens and not store.is_read_only:
            self._owner = owner_watch(settings)

    def start_watches(self, jobs: Jobs) -> None:
        """Start watching."""
        if self._owner is not None:
            jobs.start_job("owner", self._owner.watch_owner)
        if self._database is not None:
            jobs.start_job("database", self._database.watch_database)

    def troubles(self) -> Iterator[Trouble]:
        """Yield that the database is unreachable, or that a role has no process."""
        for each in (self._database, self._owner):
            if each is not None:
                yield from each.troubles()


class ClusterServer(Server):
    """The service in one process, with the roles of ``settings``."""

    def __init__(self, opened: SharedFiles, settings: Settings, clock: Clock) -> None:
        store = opened.store
        self._log = FollowedLog(store, opened.access, settings)
        super().__init__(store, opened.access, settings, clock, self._log.tail)
        self._valuing = divided_valuing(store, settings, clock, self.troubles, store.on_commit)
        self._watches = Watches(store, self._loop_access, settings)
        self._is_at_work = False
        self._succession: Succession | None = None
        if opened.lease is not None:
            self._succession = Succession(
                opened.lease, "this server", self._take_up, self._lay_down, self.troubles
            )

    async def start_server(self) -> None:
        """Do the same as ``Server``, with a share of the valuation if it has that role."""
        self._log.start_following()
        await super().start_server()

    async def stop_server(self) -> None:
        """End within 2 s."""
        await super().stop_server()
        if self._valuing is not None:
            await self._valuing.stop_valuing()
        await self._log.stop_following()

    @property
    def stands_by(self) -> bool:
        """Whether another process is the leader."""
        return not self._is_at_work and self._settings.needs_lock

    def _parts(self) -> Iterator[Telling]:
        yield self._watches
        yield from super()._parts()
        yield self._log
        if self._valuing is not None:
            yield self._valuing

    def _working_duties(self) -> Duties | None:
        return self._duties if self._is_at_work and self._settings.needs_lock else None

    async def _begin_duties(self) -> None:
        if self._settings.listens:
            self._watches.start_watches(self._jobs)
        if self._succession is None:
            await self._take_up()
        else:
            await self._succession.start_succession()
            if not self._succession.has_ended:
                self._jobs.start_job("take over", self._succession.follow_lease)
        if self._valuing is not None:
            self._valuing.start_valuing()

    async def _take_up(self) -> None:
        await self._duties.start_duties()
        self._is_at_work = True

    async def _lay_down(self) -> None:
        self._is_at_work = False
        await self._duties.stop_duties()
        self._duties = self._new_duties()
        await self._duties.open_feeds()


@contextlib.asynccontextmanager
async def serving(settings: Settings, clock: Clock) -> AsyncIterator[ClusterServer]:
    """Open the database, run a server on it among others, and close both in order.

    Raises:
        StoreError, ListenError, FeedError: one line with the reason.
    """
    work = partial(open_first, settings, clock)
    undo = SharedFiles.close
    with await in_daemon_thread("open database", work, undo, OPEN_S) as opened:
        server = ClusterServer(opened, settings, clock)
        try:
            await server.start_server()
            if opened.lease is not None:
                urls = server.local_url, server.link_url
                opened.lease.announce_holder(urls[0], opened.keys_path, urls[1])
            yield server
        finally:
            await server.stop_server()
